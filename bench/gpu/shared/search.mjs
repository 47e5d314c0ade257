/** A search by `warpfarm tune` on this machine's GPU, with records of its own. */
import { existsSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { openHome } from "./command.mjs";
import { outFolder } from "./sections.mjs";

const usual = { measure: "repeat=3,min_repeat=20ms", transfer: "none", finalists: 0 };

/** The file of a search's log in $OUT. */
export const logOf = (name) => join(outFolder, `${name.replace(/[^\w-]+/g, "-")}.jsonl`);

/**
 * The log of a search in $OUT, made if it is not there.
 * @param {string} name of the log
 * @param {[task: string, args: object]} task
 * @param {Record<string, unknown>} options of tune; a list is one option with several values
 * @param {string[]} [device] options that choose the device
 */
export async function searched(name, [task, args], options, device = ["--device", "cuda:0"]) {
  const log = logOf(name);
  if (existsSync(log)) return log;
  const given = { args: JSON.stringify(args), ...usual, ...options, log: `${log}.part` };
  const words = Object.entries(given).flatMap(([option, value]) => [`--${option}`, ...[value].flat().map(String)]);
  const { home, start } = openHome("search");
  const { code, stderr } = await start("tune", task, ...device, ...words, "--json").ended;
  rmSync(home, { recursive: true, force: true });
  if (code !== 0) throw new Error(`${name}: tune ended with ${code}: ${stderr.trim().split("\n").at(-1)}`);
  renameSync(`${log}.part`, log);
  return log;
}
