/**
 * A template in a file of one's own: a dense layer on the CPU, out[n, m] = max(0, sum over k of x[n, k] * w[k, m] + bias[m]).
 * docs/writing-a-template.md builds it from nothing.
 *
 *   npx warpfarm tune ./examples/dense-relu.ts --args '{"units":256}' --trials 32
 */
import { addTensors, defineTemplate, divisors, exactly, graphOf, matmul, placeholder, relu, whole } from "warpfarm";

export const denseRelu = defineTemplate({
  name: "dense_relu",
  summary: "dense layer with bias and ReLU on a CPU",
  targets: ["cpu"],
  args: { batch: whole(64), features: whole(256), units: whole(512) },
  check: ({ units }) => (units % 8 === 0 ? undefined : `units is ${units}; this template takes multiples of 8`),

  graph: ({ args: { batch, features, units } }) => {
    const x = placeholder("x", [batch, features]);
    const w = placeholder("w", [features, units]);
    const bias = placeholder("bias", [units]);
    return graphOf(
      [x, w, bias],
      [relu(addTensors(matmul(x, w, { name: "product" }), bias, { name: "biased" }), { name: "out" })],
    );
  },

  space: (space, schedule, { args: { batch, units } }) => {
    const [k] = exactly(1, schedule.reduceAxes(schedule.stage("product")));
    return {
      rows: space.choice(
        "rows",
        divisors(batch).filter((n) => n <= 8),
      ),
      vectors: space.choice(
        "vectors",
        divisors(units / 8).filter((n) => n <= 4),
      ),
      tileK: space.split("tile_k", { loop: k, extent: schedule.extent(k) }, { parts: 2, maxFactor: 16 }),
    };
  },

  schedule: (schedule, { rows, vectors, tileK }) => {
    const lanes = 8;
    const out = schedule.stage("out");
    const product = schedule.stage("product");
    schedule.computeInline(schedule.stage("biased"));

    const [n, m] = exactly(2, schedule.axes(out));
    const [nTask, nRow] = exactly(2, schedule.split(n, [null, rows]));
    const [mTile, mVector, mLane] = exactly(3, schedule.split(m, [null, vectors, lanes]));
    schedule.reorder([nTask, mTile, nRow, mVector, mLane]);
    schedule.parallel(nTask);
    schedule.vectorize(mLane);

    const sums = schedule.cacheWrite(product, "local");
    schedule.computeInline(product);
    schedule.computeAt(sums, out, mTile);
    const [row, column] = exactly(2, schedule.axes(sums));
    const [vector, lane] = exactly(2, schedule.split(column, [null, lanes]));
    const [kOuter, kInner] = exactly(2, tileK.apply(schedule));
    schedule.reorder([kOuter, kInner, row, vector, lane]);
    for (const loop of [kInner, row, vector]) schedule.unroll(loop);
    schedule.vectorize(lane);
  },
});
