/**
 * Boosted trees against splits found by trying all, functions whose answer is known, noise, of which nothing can be learnt, and
 * XGBoost's own models (client/test/vectors/ml-xgboost.mjs made the file), trained on the same rows with the same depth, rate and
 * rounds. Their splits differ where bins and ties do, but they must be worth the same.
 */
import { readFileSync } from "node:fs";
import { Random } from "@warpfarm/common";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type BoostModel, type BoostOptions, predict, type Rows, train } from "./boost.ts";
import type { FeatureMatrix } from "./feature-matrix.ts";
import { rankCorrelation } from "./rank.testing.ts";
import type { Tree } from "./tree.ts";

const matrixOf = (rows: readonly (readonly number[])[]): FeatureMatrix => ({
  rows: rows.length,
  columns: rows[0]?.length ?? 0,
  values: Float32Array.from(rows.flat()),
});
const rowsOf = (rows: readonly (readonly number[])[], labels: readonly number[]): Rows => ({ features: matrixOf(rows), labels });

/** Every leaf as far as its rows ask for. */
const exact: BoostOptions = { rounds: 1, learningRate: 1, lambda: 0, bins: 256 };

/** Friedman's first function: five columns count, one of them with a bend and two only together; five are noise. */
function friedman(random: Random, count: number): { rows: number[][]; labels: number[] } {
  const rows = Array.from({ length: count }, () => Array.from({ length: 10 }, () => Math.fround(random.float())));
  const labels = rows.map(
    ([a = 0, b = 0, c = 0, d = 0, e = 0]) => 10 * Math.sin(Math.PI * a * b) + 20 * (c - 0.5) ** 2 + 10 * d + 5 * e,
  );
  return { rows, labels };
}
const known = friedman(new Random(1), 250);
const unseen = friedman(new Random(2), 200);
const knownRows = rowsOf(known.rows, known.labels);
const unseenRows = rowsOf(unseen.rows, unseen.labels);
const heldOut = (model: BoostModel): number => rankCorrelation(predict(model, unseenRows.features), unseen.labels);

describe("one tree", () => {
  it("finds the step of a step function, between the two values beside it", () => {
    const xs = [5, 1, 4, 2, 3, 6];
    const model = train(
      rowsOf(
        xs.map((x) => [7, x]),
        xs.map((x) => (x <= 4 ? -2 : 10)),
      ),
      { ...exact, maxDepth: 1 },
    );
    const [tree] = model.trees as [Tree];
    expect([...tree.column]).toEqual([1, -1, -1]);
    expect(tree.threshold[0]).toBe(4.5);
    expect([...predict(model, matrixOf([4.4, 4.6, -100, 100, Number.NaN].map((x) => [7, x])))]).toEqual(
      [-2, 10, -2, 10, -2].map((y) => expect.closeTo(y, 9)),
    );
  });

  it("splits where trying every column and every cut finds the least squares", () => {
    const small = fc.integer({ min: 0, max: 6 });
    const data = fc.array(fc.record({ x: fc.tuple(small, small, small), y: fc.integer({ min: -50, max: 50 }) }), {
      minLength: 2,
      maxLength: 24,
    });
    fc.assert(
      fc.property(data, (points) => {
        const squares = (ys: readonly number[]) => {
          const mean = ys.reduce((a, b) => a + b, 0) / Math.max(1, ys.length);
          return ys.reduce((sum, y) => sum + (y - mean) ** 2, 0);
        };
        let least = squares(points.map((p) => p.y));
        for (const c of [0, 1, 2] as const)
          for (let cut = 0; cut < 6; cut++) {
            const [low, high] = [points.filter((p) => p.x[c] <= cut), points.filter((p) => p.x[c] > cut)];
            if (low.length > 0 && high.length > 0)
              least = Math.min(least, squares(low.map((p) => p.y)) + squares(high.map((p) => p.y)));
          }
        const rows = rowsOf(
          points.map((p) => p.x),
          points.map((p) => p.y),
        );
        const made = predict(train(rows, { ...exact, maxDepth: 1 }), rows.features);
        const left = points.reduce((sum, p, i) => sum + (p.y - (made[i] as number)) ** 2, 0);
        expect(left).toBeCloseTo(least, 6);
      }),
      { numRuns: 200 },
    );
  });

  it("deep enough, gives every row its own label, whatever the larger child's histogram was made of", () => {
    const { rows, labels } = friedman(new Random(5), 64);
    const made = predict(train(rowsOf(rows, labels), { ...exact, maxDepth: 64 }), matrixOf(rows));
    made.forEach((value, i) => {
      expect(value).toBeCloseTo(labels[i] as number, 6);
    });
  });

  it("shrinks leaves by lambda and learningRate, and keeps children of minChildWeight rows", () => {
    const xs = [0, 1, 2, 3, 4, 5, 6, 7];
    const rows = rowsOf(
      xs.map((x) => [x]),
      xs.map((x) => (x === 0 ? 8 : 0)),
    );
    const leaf = (options: BoostOptions) => predict(train(rows, { ...exact, maxDepth: 1, ...options }), matrixOf([[0]]))[0];
    // The mean is 1, and the row at 0 lies 7 above it.
    expect(leaf({})).toBeCloseTo(8, 9);
    expect(leaf({ lambda: 1 })).toBeCloseTo(1 + 7 / 2, 9);
    expect(leaf({ learningRate: 0.1 })).toBeCloseTo(1 + 0.7, 9);
    expect(leaf({ minChildWeight: 2 })).toBeCloseTo(4, 9);
    expect(leaf({ gamma: 1000 })).toBeCloseTo(1, 9);
  });

  it("cuts columns of more values than bins so that bins hold like numbers of rows", () => {
    const xs = Array.from({ length: 1000 }, (_, i) => i ** 2);
    const rows = rowsOf(
      xs.map((x) => [x]),
      xs.map((_, i) => i),
    );
    const [tree] = train(rows, { ...exact, bins: 4, maxDepth: 2 }).trees as [Tree];
    const thresholds = [...tree.threshold].filter((_, node) => tree.column[node] === 0).sort((a, b) => a - b);
    expect(thresholds.map((t) => xs.filter((x) => x <= t).length)).toEqual([250, 500, 750]);
  });
});

describe.each(["squared", "rank"] as const)("boosting with the %s loss", (loss) => {
  const whole = train(knownRows, { loss, rounds: 100 });
  it("orders rows it has not seen", () => {
    expect(heldOut(whole)).toBeGreaterThan(0.85);
  });
  it("still does from half of the rows and columns, another model for another seed", () => {
    const options = { loss, rounds: 100, rowShare: 0.5, columnShare: 0.5 };
    const models = [1, 2].map((seed) => train(knownRows, { ...options, seed }));
    for (const model of models) expect(heldOut(model)).toBeGreaterThan(0.85);
    expect(models[0]).not.toEqual(models[1]);
    expect(train(knownRows, { ...options, seed: 1 })).toEqual(models[0]);
  });
  it("learns nothing from shuffled labels", () => {
    const correlations = Array.from({ length: 12 }, (_, seed) =>
      heldOut(train(rowsOf(known.rows, new Random(seed).shuffle(known.labels)), { loss, rounds: 25, seed })),
    );
    const mean = correlations.reduce((a, b) => a + b, 0) / correlations.length;
    expect(Math.abs(mean)).toBeLessThan(0.12);
  });
});

describe("the rank loss", () => {
  it("sees the order of labels alone", () => {
    const stretched = rowsOf(
      known.rows,
      known.labels.map((y) => Math.exp(y / 2) - 3),
    );
    expect(train(stretched, { loss: "rank", rounds: 20 })).toEqual(train(knownRows, { loss: "rank", rounds: 20 }));
  });
  it("a row whose label is an upper bound is below rows above it, above failures, and no more", () => {
    const apart = (labels: readonly number[], atMost: ReadonlySet<number>) => {
      const model = train({ ...rowsOf([[0], [1]], labels), atMost }, { loss: "rank", rounds: 1, minChildWeight: 0 });
      const [a = 0, b = 0] = predict(model, matrixOf([[0], [1]]));
      return a - b;
    };
    expect(apart([5, 3], new Set([1]))).toBeGreaterThan(0);
    expect(apart([5, 3], new Set([0]))).toBe(0);
    expect(apart([5, 0], new Set([0]))).toBeGreaterThan(0);
    expect(apart([5, 3], new Set([0, 1]))).toBe(0);
  });
  it("of two rows moves each by the derivatives of log(1 + exp(-difference))", () => {
    const model = train(rowsOf([[0], [1]], [5, 3]), { loss: "rank", rounds: 3, minChildWeight: 0 });
    let score = 0;
    for (let round = 0; round < 3; round++) {
      const wrong = 1 / (1 + Math.exp(2 * score));
      score += (0.1 * wrong) / (wrong * (1 - wrong) + 1);
    }
    expect([...predict(model, matrixOf([[0], [1]]))]).toEqual([score, -score].map((value) => expect.closeTo(value, 12)));
  });
});

interface Peer {
  readonly models: readonly {
    readonly maxDepth: number;
    readonly rounds: number;
    readonly learningRate: number;
    readonly predictions: readonly number[];
  }[];
}
const { models }: Peer = JSON.parse(readFileSync(new URL("../../../test/vectors/ml-xgboost.json", import.meta.url), "utf8"));

it.each(models)("is as good as XGBoost at depth $maxDepth, rate $learningRate, $rounds rounds", ({ predictions, ...options }) => {
  const { rows, labels } = friedman(new Random(1), 400);
  const ours = predict(train(rowsOf(rows, labels), { ...options, bins: 256 }), unseenRows.features);
  const error = (values: ArrayLike<number>): number =>
    unseen.labels.reduce((sum, label, i) => sum + (label - (values[i] ?? 0)) ** 2, 0);
  expect(predictions).toHaveLength(200);
  expect(error(ours)).toBeLessThan(1.2 * error(predictions));
  expect(rankCorrelation(ours, unseen.labels)).toBeGreaterThan(rankCorrelation(predictions, unseen.labels) - 0.01);
  expect(rankCorrelation(ours, predictions)).toBeGreaterThan(0.97);
});

describe("edges", () => {
  it("constant columns and copies of columns change nothing", () => {
    const wide = rowsOf(
      known.rows.map((row) => [3, ...row, ...row]),
      known.labels,
    );
    const model = train(wide, { rounds: 30 });
    const plain = train(knownRows, { rounds: 30 });
    expect(predict(model, wide.features)).toEqual(predict(plain, knownRows.features));
  });
  it("nothing to split by gives the mean; infinities are values like others", () => {
    const rows = rowsOf([[1], [1], [1]], [1, 2, 6]);
    expect([...predict(train(rows), rows.features)]).toEqual([3, 3, 3]);
    const wild = rowsOf([[-Infinity], [0], [Infinity]], [1, 2, 6]);
    expect([...predict(train(wild, { ...exact, maxDepth: 2 }), wild.features)]).toEqual(
      [1, 2, 6].map((y) => expect.closeTo(y, 9)),
    );
  });
  it.each([
    [{ features: matrixOf([[1], [2]]), labels: [1] }, {}, /1 labels for 2 rows/],
    [{ features: matrixOf([[1], [2]]), labels: [1, Number.NaN] }, {}, /a label is not a finite number/],
    [{ features: matrixOf([[1]]), labels: [1] }, { rowShare: 0 }, /a share of 0; above 0, at most 1/],
    [{ features: matrixOf([[1]]), labels: [1] }, { bins: 300 }, /300 bins; 2 to 256/],
  ] as const)("refuses what makes no sense: %#", (rows, options, message) => {
    expect(() => train(rows, options)).toThrow(message);
    expect(() => predict(train(rowsOf([[1, 2]], [1])), matrixOf([[1]]))).toThrow(/the model has 2 columns, the rows 1/);
  });
});

it("predicts of rows that have columns in common what it predicts of each row alone by walking all splits", () => {
  const random = new Random(8);
  const draw = () => Array.from({ length: 6 }, () => (random.below(9) === 0 ? Number.NaN : random.below(65) / 64));
  const rows = Array.from({ length: 300 }, draw);
  const labels = rows.map((row) => row.reduce((sum, x, i) => sum + (Number.isNaN(x) ? i : Math.sin(9 * x) * i), 0));
  const model = train(rowsOf(rows, labels), { rounds: 20, maxDepth: 6, minChildWeight: 1 });
  const walked = (row: readonly number[]) =>
    model.trees.reduce((sum, { column, threshold, left, value }) => {
      let node = 0;
      while ((column[node] ?? -1) >= 0)
        node = (left[node] as number) + ((row[column[node] as number] as number) > (threshold[node] as number) ? 1 : 0);
      return sum + (value[node] as number);
    }, model.start);
  // All differ; two columns in common, one of them not a number; one column differs in the last row alone; one row.
  const [common = []] = [rows[0]];
  const shared = rows.map((row) => row.map((x, i) => (i === 1 ? Number.NaN : i === 4 ? (common[4] as number) : x)));
  const last = shared.map((row, r) => row.map((x, i) => (i === 4 && r === rows.length - 1 ? 1 - (common[4] as number) : x)));
  // Exactly where a split is.
  const splits = model.trees.flatMap(({ column, threshold }) => [...threshold].filter((_, node) => column[node] === 4));
  const atSplits = splits.slice(0, 5).map((at) => rows.map((row) => row.map((x, i) => (i === 4 ? at : x))));
  expect(atSplits).toHaveLength(5);
  for (const asked of [rows, shared, last, rows.slice(0, 1), ...atSplits])
    expect([...predict(model, matrixOf(asked))]).toEqual(asked.map((row) => expect.closeTo(walked(row), 9)));
  expect(predict(model, { ...matrixOf(rows), rows: 0, values: new Float32Array() })).toHaveLength(0);
});
