/**
 * How often finals of equal programs tell some apart, and how often a gain of 2 % is found, with the rule of common/src/rounds.ts
 * on noise recorded on GPUs, resampled in blocks. The noise is that of rounds which bench/gpu/rounds.mjs recorded
 * (bench/results/rounds). A final draws all its blocks from one recording, so quiet and restless kernels are not mixed.
 *
 *   FINALS=200 FINALISTS=2,5 npm run bench -- finals     fewer finals (1,000), and of these sizes (2, 5 and 8)
 */
import { readdirSync, readFileSync } from "node:fs";
import { areSettled, confidenceOfPair, defaultConfidence, intervalOf, logRatios, medianSeconds, Random } from "@warpfarm/common";
import { table } from "./table.mjs";

const at = (path) => new URL(path, import.meta.url);
const finals = Number(process.env.FINALS ?? 1_000);
const sizes = (process.env.FINALISTS ?? "2,5,8").split(",").map(Number);
const mostRounds = 60;
const blockLength = 10;

const centred = (costs) => {
  const median = medianSeconds(costs);
  return costs.map((cost) => Math.log(cost / median));
};

/** Blocks of logarithms of costs over their median, by recording. */
const recordings = () =>
  readdirSync(at("results/rounds")).map((name) => {
    const { costs } = JSON.parse(readFileSync(at(`results/rounds/${name}`), "utf8"));
    const blocks = costs.flatMap((each) => {
      const noise = centred(each);
      return Array.from({ length: Math.floor(noise.length / blockLength) }, (_, i) =>
        noise.slice(i * blockLength, (i + 1) * blockLength),
      );
    });
    return { name, blocks };
  });

const deviation = ({ blocks }) => {
  const all = blocks.flat();
  return Math.sqrt(all.reduce((sum, x) => sum + x * x, 0) / all.length);
};

function final(random, { blocks }, programs, gain) {
  /** @type {number[][]} */
  const costs = Array.from({ length: programs }, () => []);
  let left = [];
  const noise = () => {
    if (left.length === 0) left = [...random.pick(blocks)];
    return left.shift() ?? 0;
  };
  for (let round = 0; round < mostRounds && !areSettled(costs); round++)
    for (const program of random.shuffle(costs.map((_, i) => i)))
      costs[program]?.push((program === 0 ? 1 - gain : 1) * Math.exp(noise()));
  return costs;
}

const isFaster = (costs, a, b) =>
  intervalOf(logRatios(costs[a], costs[b]), confidenceOfPair(costs.length, defaultConfidence)).high < 0;

export function run() {
  const all = recordings().sort((a, b) => deviation(a) - deviation(b));
  const median = all[all.length >> 1];
  const random = new Random(43);
  const mean = (values) => +(values.reduce((sum, x) => sum + x, 0) / values.length).toFixed(1);
  const rows = sizes.map((programs) => {
    const equal = Array.from({ length: finals }, () => final(random, random.pick(all), programs, 0));
    const places = equal[0].map((_, i) => i);
    const declared = equal.filter((costs) => places.some((a) => places.some((b) => a !== b && isFaster(costs, a, b)))).length;
    const better = Array.from({ length: Math.ceil(finals / 5) }, () => final(random, median, programs, 0.02));
    const found = better.filter((costs) => places.slice(1).every((other) => isFaster(costs, 0, other))).length;
    return {
      finalists: programs,
      "finals of equal programs": finals,
      "that declare a winner": declared,
      "their rounds": mean(equal.map(([costs]) => costs.length)),
      "finals with a gain of 2 %": better.length,
      "that find it": found,
      "rounds for it": mean(better.map(([costs]) => costs.length)),
      "median noise %": +(100 * deviation(median)).toFixed(3),
      recordings: all.length,
    };
  });
  table("finals", rows);
}
