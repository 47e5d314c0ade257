/** A search by `warpfarm tune` on this machine's GPU, with records of its own. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { outFolder } from "./sections.mjs";

const bin = fileURLToPath(new URL("../../../bin/warpfarm.js", import.meta.url));
const usual = { measure: "repeat=3,min_repeat=20ms", transfer: "none", finalists: 0 };

/**
 * The log of a search in $OUT, made if it is not there.
 * @param {string} name of the log
 * @param {[task: string, args: object]} task
 * @param {Record<string, unknown>} options of tune; a list is one option with several values
 * @param {string[]} [device] options that choose the device
 */
export async function searched(name, [task, args], options, device = ["--device", "cuda:0"]) {
  const log = join(outFolder, `${name.replace(/[^\w-]+/g, "-")}.jsonl`);
  if (existsSync(log)) return log;
  const home = mkdtempSync(join(tmpdir(), "warpfarm-search-"));
  const env = { ...process.env };
  for (const place of ["XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"]) {
    env[place] = join(home, place);
    mkdirSync(env[place], { recursive: true });
  }
  const given = { args: JSON.stringify(args), ...usual, ...options, log: `${log}.part` };
  const words = Object.entries(given).flatMap(([option, value]) => [`--${option}`, ...[value].flat().map(String)]);
  const child = spawn(process.execPath, [bin, "tune", task, ...device, ...words, "--json"], {
    env,
    stdio: ["ignore", "ignore", "pipe"],
  });
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text) => {
    said = `${said}${text}`.slice(-4096);
  });
  const [code] = await once(child, "close");
  rmSync(home, { recursive: true, force: true });
  if (code !== 0) throw new Error(`${name}: tune ended with ${code}: ${said.trim().split("\n").at(-1)}`);
  renameSync(`${log}.part`, log);
  return log;
}

/** The trials of a log in order. */
export const linesOf = (log) =>
  readFileSync(log, "utf8")
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line));
/** Seconds of a trial; of a failure infinitely many. */
export const secondsOf = (line) => line.warpfarm?.seconds ?? Number.POSITIVE_INFINITY;
