/**
 * The parts of `auto`'s model against textbook methods: dense linear algebra for the posterior, numerical integration for the
 * improvement.
 */
import { Random } from "@warpfarm/common";
import { type ConfigIndex, ConfigSpace, choiceKnob } from "@warpfarm/compiler";
import { describe, expect, it } from "vitest";
import { autoTuner } from "./auto.ts";
import { fitKernel, type Kernel, type Level } from "./kernel.ts";
import { Metric } from "./metric.ts";
import { logImprovement, Posterior } from "./posterior.ts";
import { Results } from "./results.ts";

const space = new ConfigSpace([
  choiceKnob("tile", [1, 2, 4, 8, 16]),
  choiceKnob("one", [7]),
  choiceKnob("unroll", [0, 1]),
  choiceKnob("order", ["a", "b", "c"]),
]);
const metric = new Metric(space);

/** x of A x = b by elimination with pivots. */
function solve(matrix: readonly (readonly number[])[], right: readonly number[]): number[] {
  const a = matrix.map((row, i) => [...row, right[i] as number]);
  for (let c = 0; c < a.length; c++) {
    const pivot = a.slice(c).reduce((x, y) => (Math.abs(x[c] as number) >= Math.abs(y[c] as number) ? x : y));
    a.splice(a.indexOf(pivot), 1);
    a.splice(c, 0, pivot);
    for (const row of a) {
      if (row === pivot) continue;
      const factor = (row[c] as number) / (pivot[c] as number);
      row.forEach((x, i) => {
        row[i] = x - factor * (pivot[i] as number);
      });
    }
  }
  return a.map((row, i) => (row[a.length] as number) / (row[i] as number));
}
const dot = (a: readonly number[], b: readonly number[]) => a.reduce((sum, x, i) => sum + x * (b[i] as number), 0);

describe("the posterior", () => {
  const kernel: Kernel & Level = { lengths: Float64Array.of(0.8, 2, 1.5, 1.5, 1.5), noise: 0.01, mean: 3, deviation: 0.5 };
  /** Written out for this space: log2 of the tile over 4, unroll as it is, a column a word. */
  const alike = (a: ConfigIndex, b: ConfigIndex): number => {
    const [x, y] = [space.digits(a), space.digits(b)];
    const matern = (square: number) => (1 + Math.sqrt(5 * square) + (5 / 3) * square) * Math.exp(-Math.sqrt(5 * square));
    const [tile, unroll] = [((x[0] as number) - (y[0] as number)) / 4, (x[2] as number) - (y[2] as number)];
    return matern((tile / 0.8) ** 2) * matern((unroll / 2) ** 2) * matern(x[3] === y[3] ? 0 : 2 / 1.5 ** 2);
  };
  const configs = new Random(4).shuffle(Array.from({ length: space.size }, (_, i) => space.toIndex(i)));
  const [rows, candidates] = [configs.slice(0, 12), configs.slice(12)];
  const columns = metric.shapes.map((_, k) => Int32Array.from(candidates, (c) => metric.digits(c)[k] as number));

  it("is the textbook's, whatever came in first; a row in flight is believed", () => {
    const posterior = new Posterior(metric, kernel, columns, candidates.length);
    const random = new Random(9);
    const known = rows.map((_, i) => (i % 4 === 1 ? Number.NaN : 3 + random.float()));
    rows.forEach((row, i) => {
      posterior.add(metric.digits(row));
      posterior.update(known.slice(0, i + 1).map((v) => (random.below(2) === 0 ? Number.NaN : v)));
    });
    posterior.update(known);

    const covariance = (of: readonly ConfigIndex[]) => of.map((a) => of.map((b) => alike(a, b) + (a === b ? kernel.noise : 0)));
    const meanAt = (config: ConfigIndex, told: readonly ConfigIndex[], values: readonly number[]) =>
      kernel.mean +
      dot(
        told.map((row) => alike(row, config)),
        solve(
          covariance(told),
          values.map((v) => v - kernel.mean),
        ),
      );
    // A row in flight counts as if it had the value that the earlier rows predict.
    const believed: number[] = [];
    known.forEach((v, i) => {
      believed.push(Number.isNaN(v) ? meanAt(rows[i] as ConfigIndex, rows.slice(0, i), believed) : v);
    });
    candidates.forEach((candidate, c) => {
      const toRows = rows.map((row) => alike(row, candidate));
      expect(posterior.variance[c]).toBeCloseTo(1 - dot(toRows, solve(covariance(rows), toRows)), 9);
      expect(posterior.mean[c]).toBeCloseTo(meanAt(candidate, rows, believed), 9);
    });
  });

  it("fits a short length to the knob that matters, a long one to the knob that does not", () => {
    const digits = configs.map((index) => metric.digits(index));
    const values = Float64Array.from(digits, (d) => Math.sin(2 * (d[0] as number)));
    const first = { lengths: new Float64Array(metric.width).fill(2), noise: 1e-3 };
    const fitted = fitKernel(metric, first, { digits, values }, { length: 2 }, new Random(1), 200);
    expect(fitted.lengths[0]).toBeLessThan(1);
    expect(fitted.lengths[1]).toBeGreaterThan(2);
  });
});

it.each([
  [0, 0.3, 1],
  [0, -1, 0.2],
  [2, 9, 1.3],
  [0, 12, 1],
])("improvement on %d of a normal at %d, deviation %d, is the integral", (best, mean, deviation) => {
  const [steps, low] = [200_000, Math.min(best, mean) - 12 * deviation];
  const width = (best - low) / steps;
  let sum = 0;
  for (let i = 0; i < steps; i++) {
    const x = low + (i + 0.5) * width;
    sum += (best - x) * Math.exp(-(((x - mean) / deviation) ** 2) / 2);
  }
  const integral = (sum * width) / (deviation * Math.sqrt(2 * Math.PI));
  expect(Math.abs(logImprovement(best, mean, deviation) - Math.log(integral))).toBeLessThan(0.01);
});

it("keeps a bounded pool of very many results: the best, the latest, those in flight", () => {
  const large = new ConfigSpace([
    choiceKnob(
      "a",
      Array.from({ length: 50_000 }, (_, i) => i),
    ),
  ]);
  const results = new Results(new Metric(large));
  const flying = results.asked(large.toIndex(49_999));
  for (let i = 0; i < 30_000; i++) {
    const seconds = i === 77 ? 0.001 : 1 + i;
    results.told({ index: large.toIndex(i), outcome: { kind: "timed", seconds } });
  }
  expect(results.rows.length).toBeLessThan(4001);
  expect(results.rows.length + results.dropped).toBe(30_001);
  expect(results.top(2).map((row) => row.index)).toEqual([77, 0]);
  expect(results.rows).toContain(flying);
  expect(results.rows.at(-1)?.index).toBe(29_999);
});

it("learns where configs fail, though the best of the others lie next to them", () => {
  const numbers = Array.from({ length: 12 }, (_, i) => i);
  const hidden = new ConfigSpace(["a", "b", "c", "d"].map((name) => choiceKnob(name, numbers)));
  const outcome = (index: ConfigIndex) => {
    const [a = 0, b = 0, c = 0, d = 0] = hidden.digits(index);
    const away = (22 - a - b) * 0.15 + (c - 5) ** 2 * 0.05 + (d - 7) ** 2 * 0.05;
    return a + b >= 11 ? ({ kind: "failed" } as const) : ({ kind: "timed", seconds: Math.exp(away) } as const);
  };
  const failures = [0, 1].flatMap((seed) => {
    const tuner = autoTuner({ space: hidden, seed, isValid: () => true });
    const kinds = numbers.concat(numbers, numbers, numbers, numbers).flatMap(() =>
      tuner.ask(1).map((index) => {
        tuner.tell([{ index, outcome: outcome(index) }]);
        return outcome(index).kind;
      }),
    );
    return kinds.slice(15).map((kind) => Number(kind === "failed"));
  });
  // Of all configs 54 % fail.
  expect(failures.reduce((a, b) => a + b, 0) / failures.length).toBeLessThan(0.25);
});
