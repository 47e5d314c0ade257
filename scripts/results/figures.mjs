/** Reads the results of bench/results and formats them for the results page. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { isOurs, libraryOf } from "../../bench/results.mjs";

export { geometricMean } from "../../bench/results.mjs";

export const at = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
export const results = (name) => JSON.parse(readFileSync(at(`bench/results/${name}.json`), "utf8"));
export const times = (ratio) => `${ratio.toFixed(2)}x`;
/** Behind a figure in a sentence. */
export const missed = (found, least) => (found >= least ? "" : ", **miss**");
export const verdict = (isMet) => (isMet ? "as wanted" : "**miss**");
/** `conditions`: what each table of times must name, such as inputs, L2 cache and power state. */
export const tableOf = (conditions, head, rows) =>
  [`Conditions: ${conditions}.\n`, ...[head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`)].join(
    "\n",
  );
export const us = (value) => (value >= 100 ? `${Math.round(value).toLocaleString("en")} us` : `${value.toPrecision(3)} us`);

/** For a workload whose finalists were measured beside the library: our fastest correct kernel. */
export function beside({ finalists }) {
  const entries = Object.entries(finalists?.times ?? {}).filter(
    ([, { error, us: time }]) => time && (error === null || error <= 0.01),
  );
  const library = libraryOf(finalists?.times ?? {});
  const ours = Math.min(...entries.filter(([name]) => isOurs(name)).map(([, { us: time }]) => time));
  return Number.isFinite(library) && Number.isFinite(ours) ? { ours, library } : undefined;
}

/** Conditions of a library beside ours, in one process (bench/gpu/interleaved.py). */
export const interleaved = "inputs `full`, L2 warm, burst (graphs of about a millisecond after a pause), interleaved";
