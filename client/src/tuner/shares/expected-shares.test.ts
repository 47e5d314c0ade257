/** Shares that a source lacks: against the process solved in the long way, on a table read by hand, and on logs of a GPU. */
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { type ConfigIndex, ConfigSpace, choiceKnob } from "@warpfarm/compiler";
import { describe, expect, it } from "vitest";
import { some } from "../../../../test-support/campaign.ts";
import { createTask } from "../../task/task.ts";
import type { Outline, ShareSource } from "../tuner.ts";
import { expectedShares, outlinedShares, outlinesHelp } from "./expected-shares.ts";
import { factorize, withoutOwnGroup } from "./process.ts";
import { shareTable } from "./share-table.ts";

const space = new ConfigSpace([choiceKnob("a", [1, 2, 4, 8, 16]), choiceKnob("b", [0, 1])]);
const at = (a: number, b: number): ConfigIndex =>
  space.indexOf(
    new Map([
      ["a", a],
      ["b", b],
    ] as const),
  ) as ConfigIndex;
const log = (...rows: readonly (readonly [a: number, b: number, share: number])[]) =>
  rows.map(([a, b, share]) => ({ index: at(a, b), share }));

/** x of m x = y, by elimination without pivots. */
function eliminated(m: readonly number[][], y: readonly number[]): number[] {
  const rows = m.map((row, i) => [...row, y[i] as number]);
  for (const [i, row] of rows.entries())
    for (const [j, other] of rows.entries()) {
      const factor = (other[i] as number) / (row[i] as number);
      if (i !== j) for (const k of other.keys()) other[k] = (other[k] as number) - factor * (row[k] as number);
    }
  return rows.map((row, i) => (row.at(-1) as number) / (row[i] as number));
}

describe("expected shares", () => {
  const known = [
    { s: 0, a: 0, b: 0, share: -0.1 },
    { s: 0, a: 2, b: 1, share: -0.4 },
    { s: 1, a: 4, b: 0, share: -0.7 },
    { s: 1, a: 2, b: 1, share: -0.2 },
  ];
  const logs = [log([1, 0, -0.1], [4, 1, -0.4]), log([16, 0, -0.7], [4, 1, -0.2])];

  it("are those of the process solved in the long way, less five hundredths; what is known stays", () => {
    const bell = (apart: number, length: number) => Math.exp(-(apart * apart) / (2 * length * length));
    const covariance = (p: { s: number; a: number; b: number }, q: { s: number; a: number; b: number }) => {
      const [a, b] = [(p.a - q.a) / 4, p.b - q.b];
      const within = 0.02 + (0.05 * (bell(a, 0.6) + bell(b, 0.6))) / 2 + 0.1 * bell(a, 0.8) * bell(b, 0.8);
      return p.s === q.s ? within : 0.6 * within;
    };
    const mean = known.reduce((sum, { share }) => sum + share, 0) / known.length;
    const weights = eliminated(
      known.map((p) => known.map((q) => covariance(p, q) + (p === q ? 1e-3 : 0))),
      known.map(({ share }) => share - mean),
    );
    const believed = (s: number, a: number, b: number) =>
      known.reduce((sum, q, i) => sum + covariance({ s, a, b }, q) * (weights[i] as number), mean) - 0.05;
    const [first, second] = expectedShares(space, logs, [at(1, 0), at(4, 1), at(16, 0)], -1);
    expect([...(first ?? [])].slice(0, 2)).toEqual([-0.1, -0.4]);
    expect(first?.[2]).toBeCloseTo(believed(0, 4, 0), 9);
    expect([...(second ?? [])].slice(1)).toEqual([-0.2, -0.7]);
    expect(second?.[0]).toBeCloseTo(believed(1, 0, 0), 9);
  });

  it("are never below the floor", () => {
    const low = expectedShares(space, [log([1, 0, -1], [2, 0, -1]), log([1, 0, -1], [4, 0, -1])], [at(2, 0), at(4, 0)], -1);
    for (const of of low) for (const share of of) expect(share).toBe(-1);
  });
});

describe("the algebra of a process", () => {
  const n = 11;
  /** Positive definite: 1 at the diagonal's distance 0, falling off. */
  const matrix = Array.from({ length: n }, (_, i) =>
    Array.from({ length: n }, (_, j) => Math.exp(-((i - j) ** 2) / 8) + (i === j ? 0.1 : 0)),
  );
  const factor = matrix.map((row, i) => Float64Array.from(row.slice(0, i + 1)));
  factorize(factor);

  it("gives L with L L^T = K, four rows at a time and the rest", () => {
    for (const [i, row] of factor.entries())
      for (const [j, other] of factor.slice(0, i + 1).entries())
        expect(row.reduce((sum, x, k) => sum + x * (other[k] ?? 0), 0)).toBeCloseTo(matrix[i]?.[j] as number, 9);
  });

  it("leaves a group out as a process without its rows does", () => {
    const y = Float64Array.from({ length: n }, (_, i) => Math.sin(i));
    const groups = [0, 0, 0, 1, 1, 2, 2, 2, 2, 3, 3];
    const said = withoutOwnGroup(factor, y, groups);
    for (const [i, group] of groups.entries()) {
      const others = groups.flatMap((of, j) => (of === group ? [] : [j]));
      const weights = eliminated(
        others.map((j) => others.map((k) => matrix[j]?.[k] as number)),
        others.map((j) => y[j] as number),
      );
      expect(said[i]).toBeCloseTo(
        weights.reduce((sum, weight, k) => sum + weight * (matrix[i]?.[others[k] as number] as number), 0),
        9,
      );
    }
  });
});

describe("outlines", () => {
  const outline = (extent: number, waves: number, steps = 1): Outline => ({ extents: [extent], waves, steps });

  it("give what the process of knobs, positions and shapes expects, less 2.5 standard deviations", () => {
    const known = [
      { s: 0, a: 0, b: 0, share: -0.1, outline: outline(64, 1, 16) },
      { s: 0, a: 2, b: 1, share: -0.4, outline: outline(64, 4) },
      { s: 1, a: 4, b: 0, share: -0.7, outline: outline(256, 8) },
    ];
    const logs = [0, 1].map((s) =>
      known.filter((row) => row.s === s).map(({ a, b, share, outline }) => ({ index: at(2 ** a, b), share, outline })),
    );
    // Blocks from 1/8 to 32 turns, fullness, steps to 256: sixty-fourths of these.
    const places = ({ waves, steps }: Outline) =>
      [(Math.log2(waves) + 3) / 8, waves / Math.ceil(waves), Math.log2(steps) / 8].map((x) => Math.round(64 * x) / 64);
    type Point = { readonly s: number; readonly a: number; readonly b: number; readonly outline: Outline };
    const covariance = (p: Point, q: Point) => {
      const apart = [(p.a - q.a) / 4, p.b - q.b, ...places(p.outline).map((x, i) => x - (places(q.outline)[i] as number))];
      const bells = (length: number) => apart.map((d) => Math.exp(-(d * d) / (2 * length * length)));
      const within = 0.02 + (0.05 * bells(0.3).reduce((x, y) => x + y)) / 5 + 0.1 * bells(0.8).reduce((x, y) => x * y);
      const apartInShape = Math.log2((p.outline.extents[0] as number) / (q.outline.extents[0] as number));
      return within * (p.s === q.s ? 1 : 0.6 + 0.4 * Math.exp(-(apartInShape ** 2) / 8));
    };
    const asked: Point = { s: 2, a: 1, b: 1, outline: outline(128, 1.5, 4) };
    const matrix = known.map((p) => known.map((q) => covariance(p, q) + (p === q ? 1e-3 : 0)));
    const mean = -0.4;
    const towards = known.map((p) => covariance(p, asked));
    const dot = (x: readonly number[]) => x.reduce((sum, value, i) => sum + value * (towards[i] as number), 0);
    const believed =
      mean +
      dot(
        eliminated(
          matrix,
          known.map(({ share }) => share - mean),
        ),
      );
    const variance = 0.17 - dot(eliminated(matrix, towards));
    const [said] = outlinedShares(space, logs, [at(2, 1)], () => asked.outline);
    expect(said).toBeCloseTo(believed - 2.5 * Math.sqrt(variance), 9);
  });

  /** Five shapes; a = 16 has sixteen times the blocks of a = 1. `shareOf` says what a source finds of a config. */
  const found = (shareOf: (a: number, shape: number) => number, tell = (a: number, shape: number) => shape / a) =>
    [8, 16, 32, 64, 128].map((shape) =>
      [1, 2, 4, 8, 16].flatMap((a) =>
        [0, 1].map((b) => ({ index: at(a, b), share: shareOf(a, shape), outline: outline(shape, tell(a, shape)) })),
      ),
    );
  const byBlocks = (a: number, shape: number) => -Math.abs(Math.log2(shape / a) - 3) / 4;

  it("help where they foretell a source from the others, and not where they say nothing", () => {
    expect(outlinesHelp(space, found(byBlocks))).toBe(true);
    expect(
      outlinesHelp(
        space,
        found(
          (a) => -Math.abs(Math.log2(a) - 1) / 4,
          (a, shape) => 1 + ((a * shape * 37) % 29),
        ),
      ),
    ).toBe(false);
  });

  it("rank by the shape to come when they help, and are not used where a source has none", () => {
    const sources = found(byBlocks).map(
      (rows, s): ShareSource => ({
        name: `${s}`,
        // Each log lacks another config.
        rows: rows.filter((_, i) => i !== s).map(({ index, share, outline }) => ({ index, seconds: Math.exp(-share), outline })),
      }),
    );
    const outlineOf = (shape: number) => (index: ConfigIndex) =>
      outline(shape, shape / (space.get(index).values.get("a") as number));
    const first = (shape: number, of = sources) => {
      const { configs, deviations } = shareTable(space, of, outlineOf(shape));
      return [space.get(configs[0] as ConfigIndex).values.get("a"), deviations.length];
    };
    expect(first(16)).toEqual([2, 0]);
    expect(first(64)).toEqual([8, 0]);
    const bare = { name: "bare", rows: sources[0]?.rows.map(({ index, seconds }) => ({ index, seconds })) ?? [] };
    expect(first(64, [...sources.slice(1), bare])[1]).toBe(5);
    // Three shapes are too few.
    expect(first(64, sources.slice(2))[1]).toBe(3);
  });
});

it("a config that is the best of one source, and of a kind that others find slow, is not the first", () => {
  // b = 1 is fast at shape x alone; b = 0 is within 4 % of the best everywhere. Each log has other configs.
  const rows = (...of: readonly (readonly [number, number, number])[]) =>
    of.map(([a, b, seconds]) => ({ index: at(a, b), seconds })).sort((p, q) => p.index - q.index);
  const table = shareTable(space, [
    { name: "x", rows: rows([4, 1, 1], [8, 0, 1.04], [2, 1, 1.02], [16, 0, 1.5]) },
    { name: "y", rows: rows([8, 0, 1], [2, 1, 2], [1, 1, 2.2], [16, 0, 1.4]) },
    { name: "z", rows: rows([8, 0, 1.01], [2, 0, 1], [8, 1, 2], [1, 1, 2.3]) },
  ]);
  expect(table.configs[0]).toBe(at(8, 0));
});

describe("of five products on a H100, one left out", () => {
  const file = new URL("../../../test/spaces/shapes/matmul_mma-H100.json.gz", import.meta.url);
  const { knobs, shapes } = JSON.parse(gunzipSync(readFileSync(file)).toString()) as {
    knobs: readonly string[];
    shapes: readonly { readonly args: readonly never[]; readonly rows: readonly (readonly number[])[] }[];
  };
  it.each(
    some(shapes.map(({ args }, i) => ({ args, i })).slice(1, 3), 0),
  )("of $args the first config is of the kind that is good everywhere", ({ args, i }) => {
    const { space: of } = createTask("matmul_mma", args, "cuda/sm_90");
    const valuesOf = (row: readonly number[]) => new Map(knobs.map((knob, k) => [knob, row[k] as number]));
    const sources = shapes.toSpliced(i, 1).map(({ rows }) => ({
      name: "",
      rows: rows.map((row) => ({ index: of.indexOf(valuesOf(row)) as ConfigIndex, seconds: row.at(-1) })),
    }));
    const first = of.get(shareTable(of, sources).configs[0] as ConfigIndex).values;
    // Four warps of 64x64, chunks of 64, three arrays, swizzled: 0.86 to 1.00 of the best at each shape, whatever the groups.
    expect(knobs.slice(0, 7).map((knob) => first.get(knob))).toEqual([2, 2, 4, 4, 4, 3, 1]);
  });
});
