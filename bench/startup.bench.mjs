/**
 * Processor time, user and system, of commands that need no farm, and as a multiple of `node -e 0`. The least of 7 runs each: another
 * program can only add to it.
 */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { table } from "./table.mjs";

const bin = fileURLToPath(new URL("../bin/warpfarm.js", import.meta.url));
const commands = {
  "node -e 0": ["-e", "0"],
  "--version": [bin, "--version"],
  "--help": [bin, "--help"],
  "space matmul_cpu": [bin, "space", "matmul_cpu"],
};

function processorMs(args) {
  const script = 'TIMEFORMAT="%U %S"; time "$0" "$@" > /dev/null 2>&1';
  const { stderr } = spawnSync("bash", ["-c", script, process.execPath, ...args], { encoding: "utf8" });
  const [user = 0, system = 0] = stderr.trim().split(" ").map(Number);
  return (user + system) * 1000;
}

export function run() {
  const times = Object.entries(commands).map(([command, args]) => ({
    command,
    ms: Math.min(...Array.from({ length: 7 }, () => processorMs(args))),
  }));
  const [{ ms: bare }] = times;
  table(
    "startup",
    times.map(({ command, ms }) => ({ command, ms: ms.toFixed(0), "times node -e 0": (ms / bare).toFixed(2) })),
  );
}
