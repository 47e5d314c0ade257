/**
 * Makes ml-xgboost.json: predictions of XGBoost itself (its wasm build, ml-xgboost 1.1.2) for rows that boost/boost.test.ts makes again. Needs
 * `npm install --no-save ml-xgboost@1.1.2`, which no test does: it is unmaintained, and prints a warning each time it is loaded.
 */
import { createRequire } from "node:module";
import { writeFileSync } from "node:fs";
import { Random } from "@warpfarm/common";

/** Friedman's first function over ten columns of which five count. */
function friedman(random, count) {
  const rows = Array.from({ length: count }, () => Array.from({ length: 10 }, () => Math.fround(random.float())));
  const labels = rows.map(([a, b, c, d, e]) => 10 * Math.sin(Math.PI * a * b) + 20 * (c - 0.5) ** 2 + 10 * d + 5 * e);
  return { rows, labels };
}
const known = friedman(new Random(1), 400);
const unseen = friedman(new Random(2), 200);
const Xgboost = await createRequire(import.meta.url)("ml-xgboost");
const settings = [
  { maxDepth: 3, rounds: 60, learningRate: 0.3 },
  { maxDepth: 5, rounds: 80, learningRate: 0.15 },
];
const models = settings.map(({ maxDepth, rounds, learningRate }) => {
  const options = { booster: "gbtree", objective: "reg:linear", max_depth: maxDepth, eta: learningRate, iterations: rounds };
  const model = new Xgboost({ ...options, min_child_weight: 1, subsample: 1, colsample_bytree: 1, silent: 1 });
  model.train(known.rows, known.labels);
  return { maxDepth, rounds, learningRate, predictions: [...model.predict(unseen.rows)].map((p) => Number(p.toPrecision(6))) };
});
const text = JSON.stringify({ made_with: "ml-xgboost 1.1.2", rows: { known: [1, 400], unseen: [2, 200] }, models });
writeFileSync(new URL("ml-xgboost.json", import.meta.url), `${text}\n`);
