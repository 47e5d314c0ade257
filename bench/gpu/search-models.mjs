/**
 * How well cost models predict rows they have not seen, by number of training rows: Spearman's rank correlation over held-out
 * rows that ran, and the share of the truly best 5 % among the predicted best 5 %. Rows are those of the store: the searches'
 * choice, so there are more good ones than a random draw has. Failures are rows of speed 0 in training, as in xgb, and are no
 * part of the judgement.
 */

import { predict, train } from "../../client/dist/tuner/boost/boost.js";
import { extractFeatures } from "../../client/dist/tuner/features/features.js";
import { KnobColumns } from "../../client/dist/tuner/features/knob-columns.js";
import { xgbDefaults } from "../../client/dist/tuner/xgb/xgb.js";
import { Random } from "../../common/dist/index.js";
import { featureMatrix } from "../../compiler/dist/index.js";
import { median } from "./shared/sections.mjs";

const sizes = [25, 50, 100, 200, 400, 800, 1600];
const heldOut = 300;
const repeats = 3;

function extractor(task) {
  const columns = new KnobColumns(task.space);
  return {
    knob: (index) => {
      const vector = new Float32Array(columns.width);
      columns.write(index, vector, 0);
      return vector;
    },
    curve: (index) => extractFeatures(task, "curve", index),
    itervar: (index) => extractFeatures(task, "itervar", index),
  };
}

/** { kind: { rows: { correlation, recall } } }, medians over repeats. */
export async function modelQuality(task, stored, limitSeconds) {
  const begun = performance.now();
  const random = new Random(1);
  const rows = random.shuffle(stored.filter((row) => row.kind === "timed" || row.errorNo !== 1)).slice(0, 2200);
  const extract = extractor(task);
  const results = {};
  for (const kind of ["knob", "curve", "itervar"]) {
    if ((performance.now() - begun) / 1000 > limitSeconds) return results;
    const features = rows.map((row) => extract[kind](task.space.toIndex(row.index)));
    const matrixOf = (list) =>
      featureMatrix(
        list.map((i) => features[i]),
        Math.max(...features.map((f) => f.length)),
      );
    const speed = (i) => (rows[i].kind === "timed" ? 1 / rows[i].seconds : 0);
    const best = Math.max(...rows.map((_, i) => speed(i)));
    results[kind] = {};
    for (const size of sizes) {
      if ((performance.now() - begun) / 1000 > limitSeconds) break;
      const found = [];
      for (let repeat = 0; repeat < repeats; repeat++) {
        const order = new Random(repeat).shuffle(rows.map((_, i) => i));
        const held = order.slice(0, Math.min(heldOut, rows.length >> 1)).filter((i) => rows[i].kind === "timed");
        const chosen = order.slice(Math.min(heldOut, rows.length >> 1)).slice(0, size);
        if (chosen.length < size) continue;
        const model = train(
          { features: matrixOf(chosen), labels: chosen.map((i) => speed(i) / best) },
          { ...(kind === "knob" ? xgbDefaults.boost : xgbDefaults.nestBoost), seed: repeat },
        );
        const predicted = predict(model, matrixOf(held));
        found.push(judge([...predicted], held.map(speed)));
      }
      if (found.length > 0)
        results[kind][size] = {
          correlation: median(found.map((f) => f.correlation)),
          recall: median(found.map((f) => f.recall)),
        };
    }
  }
  return results;
}

function judge(predicted, truth) {
  const [a, b] = [ranks(predicted), ranks(truth)];
  const mean = (a.length - 1) / 2;
  const sum = (f) => a.reduce((total, _, i) => total + f(i), 0);
  const correlation =
    sum((i) => (a[i] - mean) * (b[i] - mean)) / Math.sqrt(sum((i) => (a[i] - mean) ** 2) * sum((i) => (b[i] - mean) ** 2));
  const count = Math.max(1, Math.round(truth.length / 20));
  const top = (list) =>
    new Set(
      list
        .map((v, i) => [v, i])
        .sort((x, y) => y[0] - x[0])
        .slice(0, count)
        .map(([, i]) => i),
    );
  const [chosen, real] = [top(predicted), top(truth)];
  return { correlation, recall: [...real].filter((i) => chosen.has(i)).length / count };
}

/** Ranks with ties at their mean. */
function ranks(values) {
  const order = values.map((v, i) => [v, i]).sort((x, y) => x[0] - y[0]);
  const made = new Array(values.length);
  for (let from = 0; from < order.length; ) {
    let to = from;
    while (to < order.length && order[to][0] === order[from][0]) to++;
    for (let k = from; k < to; k++) made[order[k][1]] = (from + to - 1) / 2;
    from = to;
  }
  return made;
}
