/**
 * Figures as data: bench/results/NAME.json, one file for each bench, overwritten by its next run. Every file has the same head:
 *
 *   { bench, date, commit, command, device: { name, driver?, cores, memory_gb, node }, figures }
 *
 * `commit` ends in "+" when the tree had changes that were not committed. `figures` is the bench's own: tables by name, each a
 * list of rows of equal keys. On a machine without the repository's history (a lent GPU), WARPFARM_COMMIT names the commit; $OUT,
 * when it is set, takes the place of bench/results.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { arch, availableParallelism, cpus, totalmem } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const folder = process.env.OUT || fileURLToPath(new URL("results", import.meta.url));

const said = (command, args) => {
  try {
    return execFileSync(command, args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  } catch {
    return "";
  }
};

function commitHere() {
  if (process.env.WARPFARM_COMMIT) return process.env.WARPFARM_COMMIT;
  const commit = said("git", ["rev-parse", "--short=10", "HEAD"]);
  if (commit === "") return "unknown";
  return `${commit}${said("git", ["status", "--porcelain", "--untracked-files=no"]) === "" ? "" : "+"}`;
}

function deviceHere(usesGpu) {
  const host = { cores: availableParallelism(), memory_gb: Math.round(totalmem() / 2 ** 30), node: process.version };
  const [gpu = "", driver = ""] = usesGpu
    ? said("nvidia-smi", ["--query-gpu=name,driver_version", "--format=csv,noheader"]).split("\n")[0].split(", ")
    : [];
  return gpu === "" ? { name: cpus()[0]?.model ?? arch(), ...host } : { name: gpu, driver, ...host };
}

export function saveResults(bench, command, figures, { gpu = false } = {}) {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `${bench}.json`);
  const all = { bench, date: new Date().toISOString(), commit: commitHere(), command, device: deviceHere(gpu), figures };
  writeFileSync(path, `${JSON.stringify(all, undefined, 1)}\n`);
  console.log(`\nfigures in ${path}`);
}

/** @param {readonly number[]} values */
export const geometricMean = (values) => Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length);

/** Whether a kernel that was timed beside a library is ours, a template and an index (`matmul_tma 4711`), and no second peer. */
export const isOurs = (variant) => / \d+$/.test(variant);

/** Microseconds of the library, by one operator or by several that do the same (`apart`), whichever is faster. */
export const libraryOf = (times) => Math.min(...["library", "apart"].flatMap((name) => times[name]?.us ?? []));
