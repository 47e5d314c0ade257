/** Processor time, user and system, of commands that need no farm, in turns with `node -e 0`: medians. */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { medianOf, table } from "./table.mjs";

const rounds = 21;
const bin = fileURLToPath(new URL("../bin/warpfarm.js", import.meta.url));
const commands = [["--version"], ["--help"], ["space", "tutorial/conv2d_no_batching"], ["space", "matmul_derived"]];

function processorMs(args) {
  const script = 'TIMEFORMAT="%3U %3S"; time "$0" "$@" > /dev/null 2>&1';
  const { stderr } = spawnSync("bash", ["-c", script, process.execPath, ...args], { encoding: "utf8" });
  const [user = 0, system = 0] = stderr.trim().split(" ").map(Number);
  return (user + system) * 1000;
}

export function run() {
  const bare = { args: ["-e", "0"], times: /** @type {number[]} */ ([]) };
  const runs = commands.map((command) => ({ args: [bin, ...command], times: /** @type {number[]} */ ([]) }));
  for (let round = 0; round < rounds; round++) for (const run of [bare, ...runs]) run.times.push(processorMs(run.args));
  const node = medianOf(bare.times);
  table(
    "startup",
    runs.map(({ times }, i) => ({
      command: commands[i]?.join(" "),
      "now ms": medianOf(times).toFixed(0),
      "node -e 0 ms": node.toFixed(0),
      "now, beyond node ms": (medianOf(times) - node).toFixed(0),
    })),
  );
}
