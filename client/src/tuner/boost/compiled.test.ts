/** A compiled model against the plain one, on rows with ties, numbers between thresholds and NaN. */
import { Random } from "@warpfarm/common";
import { expect, it } from "vitest";
import { predict, train } from "./boost.ts";
import { CompiledModel } from "./compiled.ts";

it.each([
  [1, 1, 0],
  [3, 20, 0],
  [5, 40, 0.02],
])("trees of %i levels, %i of them: equal to the last bit", (maxDepth, rounds, gamma) => {
  const random = new Random(maxDepth);
  const columns = 7;
  const matrix = (rows: number, step: number) => ({
    rows,
    columns,
    values: Float32Array.from({ length: rows * columns }, () => Math.round(random.float() / step) * step),
  });
  const features = matrix(200, 0.1);
  const labels = Array.from({ length: 200 }, (_, i) => Math.sin(40 * (features.values[i * columns] ?? 0)) + random.float());
  const model = train({ features, labels }, { maxDepth, rounds, gamma, rowShare: 0.8 });
  const asked = matrix(300, 0.05);
  asked.values[3] = Number.NaN;
  const compiled = new CompiledModel(model);
  const codes = new Uint8Array(asked.rows * compiled.asked.length);
  for (let row = 0; row < asked.rows; row++) compiled.encode(asked.values, row * columns, codes, row * compiled.asked.length);
  const out = new Float64Array(asked.rows);
  compiled.predict(codes, out);
  expect([...out]).toEqual([...predict(model, asked)]);
  expect(new Set(out).size).toBeGreaterThan(1);
});
