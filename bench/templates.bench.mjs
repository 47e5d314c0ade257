/**
 * What one budget for the templates of an operator brings (client/src/search/share-trials.ts): shapes for which two templates
 * were searched on a GPU, 60 trials or more each (bench/results/logs). Their results come in the order in which they came then,
 * as many as the rule gives each template. The share of the best that 60 trials of both found, beside equal shares. Nothing is
 * measured.
 */
import { readdirSync, readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { bestAfterEach, nextShare } from "../client/dist/search/share-trials.js";
import { table } from "./table.mjs";

const logs = new URL("results/logs/", import.meta.url);
const least = 60;

function searches() {
  const shapes = new Map();
  for (const file of readdirSync(logs)) {
    const [, shape, template] = /^shapes-(.*)-(conv2d_\w+|matmul_\w+)-1\.jsonl/.exec(file) ?? [];
    if (shape === undefined) continue;
    const lines = gunzipSync(readFileSync(new URL(file, logs)))
      .toString()
      .split("\n")
      .filter((line) => line.startsWith("{"));
    const seconds = lines
      .map((line) => JSON.parse(line))
      .map(({ result, warpfarm }) => (result[1] === 0 ? warpfarm?.seconds : undefined));
    if (seconds.length >= least) shapes.set(shape, { ...shapes.get(shape), [template]: seconds.slice(0, least) });
  }
  return [...shapes].filter(([, of]) => Object.keys(of).length > 1);
}

/** Trials of each search by the rule, and the best that they found. */
function shared(all, trials) {
  let told = all.map(() => 0);
  for (;;) {
    const courses = all.map((seconds, at) => ({
      bestAfter: bestAfterEach(seconds.slice(0, told[at])),
      isOver: told[at] >= seconds.length,
    }));
    const next = nextShare(courses, trials);
    const best = Math.min(...courses.map(({ bestAfter }) => bestAfter.at(-1) ?? Infinity));
    if (next === undefined) return { told, best };
    told = next.map((n, at) => Math.min(n, all[at].length));
  }
}

export function run() {
  const found = searches();
  const rows = [32, 64].map((trials) => {
    const each = found.map(([, of]) => {
      const all = Object.values(of);
      const best = Math.min(...all.map((seconds) => Number(bestAfterEach(seconds).at(-1))));
      const { told, best: ours } = shared(all, trials);
      const equal = Math.min(
        ...all.map((seconds) => bestAfterEach(seconds)[trials / all.length - 1] ?? Number.POSITIVE_INFINITY),
      );
      return { share: best / ours, equal: best / equal, least: Math.min(...told) };
    });
    const mean = (of) => (each.reduce((sum, row) => sum + row[of], 0) / each.length).toFixed(3);
    const worst = (of) => Math.min(...each.map((row) => row[of])).toFixed(3);
    return {
      trials,
      shapes: each.length,
      "share of best": mean("share"),
      worst: worst("share"),
      "equal shares": mean("equal"),
      "worst of them": worst("equal"),
      "trials of the template with fewer": mean("least"),
    };
  });
  table("one budget for two templates", rows);
}
