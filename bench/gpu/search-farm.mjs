/** A search through the command line, alone on the machine: its own farm, its own log; what it took and what it found. */
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { measureOptions } from "./search-store.mjs";

/** { trials, wallSeconds, points: [{ atSeconds, seconds }] of each better config }; atSeconds from the first build's begin. */
export async function farmRun(task, tuner, trials, limitSeconds) {
  const home = mkdtempSync(join(tmpdir(), "warpfarm-search-home-"));
  const env = { ...process.env };
  for (const name of ["XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"]) {
    env[name] = join(home, name);
    mkdirSync(env[name]);
  }
  const log = join(home, "tune.jsonl");
  const options = {
    device: "cuda:0",
    tuner,
    trials,
    seed: 1,
    measure: `repeat=${measureOptions.repeat},min_repeat=${measureOptions.minRepeatMs}ms,run_timeout=${measureOptions.runTimeoutMs}ms,build_timeout=10s`,
    log,
  };
  const bin = fileURLToPath(new URL("../../bin/warpfarm.js", import.meta.url));
  const flags = Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const began = Date.now();
  const code = await new Promise((resolve) => {
    const child = spawn(process.execPath, [bin, "tune", task, ...flags, "--finalists", "0", "--json"], {
      env,
      stdio: ["ignore", "inherit", "inherit"],
    });
    const late = setTimeout(() => child.kill("SIGINT"), limitSeconds * 1000);
    child.on("close", (status) => {
      clearTimeout(late);
      resolve(status);
    });
  });
  const lines = readFileSync(log, "utf8").split("\n");
  const results = lines.filter((line) => line.startsWith("{") && line.endsWith("}")).map((line) => JSON.parse(line).warpfarm);
  const points = [];
  let best = Number.POSITIVE_INFINITY;
  for (const { kind, seconds, timestamp_ms: at } of results)
    if (kind === "timed" && seconds < best) {
      best = seconds;
      points.push({ atSeconds: (at - began) / 1000, seconds });
    }
  return { code, trials: results.length, wallSeconds: (Date.now() - began) / 1000, points };
}
