/** Reads the results of bench/results and formats them for the results page. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

export const at = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
export const results = (name) => JSON.parse(readFileSync(at(`bench/results/${name}.json`), "utf8"));
export const times = (ratio) => `${ratio.toFixed(2)}x`;
export const verdict = (isMet) => (isMet ? "as wanted" : "**miss**");
