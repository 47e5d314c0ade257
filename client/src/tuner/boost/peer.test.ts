/**
 * Our trees beside XGBoost's own (client/test/vectors/ml-xgboost.mjs made the file): trained on the same rows with the same
 * depth, rate and rounds, asked about the same unseen rows. Splits differ where bins and ties do, so models differ; what they are
 * worth must not.
 */
import { readFileSync } from "node:fs";
import { Random } from "@warpfarm/common";
import { expect, it } from "vitest";
import { predict, train } from "./boost.ts";
import { rankCorrelation } from "./rank.testing.ts";

interface Peer {
  readonly models: readonly {
    readonly maxDepth: number;
    readonly rounds: number;
    readonly learningRate: number;
    readonly predictions: readonly number[];
  }[];
}
const { models }: Peer = JSON.parse(readFileSync(new URL("../../../test/vectors/ml-xgboost.json", import.meta.url), "utf8"));

function friedman(random: Random, count: number) {
  const rows = Array.from({ length: count }, () => Array.from({ length: 10 }, () => Math.fround(random.float())));
  const labels = rows.map(
    ([a = 0, b = 0, c = 0, d = 0, e = 0]) => 10 * Math.sin(Math.PI * a * b) + 20 * (c - 0.5) ** 2 + 10 * d + 5 * e,
  );
  return { features: { rows: count, columns: 10, values: Float32Array.from(rows.flat()) }, labels };
}
const known = friedman(new Random(1), 400);
const unseen = friedman(new Random(2), 200);
const error = (predictions: ArrayLike<number>): number =>
  Math.sqrt(unseen.labels.reduce((sum, label, i) => sum + (label - (predictions[i] ?? 0)) ** 2, 0) / unseen.labels.length);

it.each(models)("is as good as XGBoost at depth $maxDepth, rate $learningRate, $rounds rounds", ({ predictions, ...options }) => {
  const ours = predict(train(known, { ...options, bins: 256 }), unseen.features);
  expect(predictions).toHaveLength(200);
  expect(error(ours)).toBeLessThan(1.1 * error(predictions));
  expect(rankCorrelation(ours, unseen.labels)).toBeGreaterThan(rankCorrelation(predictions, unseen.labels) - 0.01);
  expect(rankCorrelation(ours, predictions)).toBeGreaterThan(0.97);
});
