/**
 * Processor time, user and system, of commands that need no farm: in turns with `node -e 0`, of which the medians are.
 * WARPFARM_BEFORE names the folder of another version, built, under its name in the table; its commands take part in the turns.
 */
import { spawnSync } from "node:child_process";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { medianOf, table } from "./table.mjs";

const rounds = 21;
const here = fileURLToPath(new URL("..", import.meta.url));
const commands = [["--version"], ["--help"], ["space", "tutorial/conv2d_no_batching"], ["space", "matmul_derived"]];

function processorMs(args) {
  const script = 'TIMEFORMAT="%3U %3S"; time "$0" "$@" > /dev/null 2>&1';
  const { stderr } = spawnSync("bash", ["-c", script, process.execPath, ...args], { encoding: "utf8" });
  const [user = 0, system = 0] = stderr.trim().split(" ").map(Number);
  return (user + system) * 1000;
}

export function run() {
  const { WARPFARM_BEFORE: before } = process.env;
  const folders = { ...(before ? { [basename(before)]: before } : {}), now: here };
  /** @typedef {{ args: string[], times: number[] }} Runs */
  /** @type {Runs} */
  const bare = { args: ["-e", "0"], times: [] };
  const rows = commands.map((command) => ({
    command: command.join(" "),
    runs: Object.entries(folders).map(([when, folder]) => ({
      when,
      args: [join(folder, "bin/warpfarm.js"), ...command],
      times: /** @type {number[]} */ ([]),
    })),
  }));
  const turns = [bare, ...rows.flatMap(({ runs }) => runs)];
  for (let round = 0; round < rounds; round++) for (const turn of turns) turn.times.push(processorMs(turn.args));
  const node = medianOf(bare.times);
  table("startup", [
    ...rows.map(({ command, runs }) => ({
      command,
      ...Object.fromEntries(runs.map(({ when, times }) => [`${when} ms`, medianOf(times).toFixed(0)])),
      "node -e 0 ms": node.toFixed(0),
      ...Object.fromEntries(runs.map(({ when, times }) => [`${when}, beyond node ms`, (medianOf(times) - node).toFixed(0)])),
    })),
  ]);
}
