/** Records of other shapes, on an invented machine whose times are known for every config. */
import type { Json } from "@warpfarm/common";
import { type ConfigIndex, ConfigSpace, choiceKnob } from "@warpfarm/compiler";
import type { Outline } from "@warpfarm/templates";
import { describe, expect, it } from "vitest";
import { some } from "../../../../test-support/campaign.ts";
import type { OtherRow, ShareRow, ShareSource } from "../tuner.ts";
import { sharesByTrees } from "./shape-trees.ts";
import { shareTable } from "./share-table.ts";

interface Product {
  readonly M: number;
  readonly N: number;
  readonly K: number;
}
const target = "cuda/sm_90";
const spaceOf = (mostSplits: number) =>
  new ConfigSpace([
    choiceKnob("rows", [16, 32, 64, 128]),
    choiceKnob("columns", [16, 32, 64, 128]),
    choiceKnob(
      "splits",
      [1, 2, 4, 8].filter((n) => n <= mostSplits),
    ),
    choiceKnob("order", ["rows", "columns"]),
  ]);
const full = spaceOf(8);
type Values = ReadonlyMap<string, unknown>;

const outlineOf = (values: Values, { M, N, K }: Product): Outline => ({
  extents: [M, N, K],
  block: [values.get("rows") as number, values.get("columns") as number, 16],
  threads: 128,
  splits: values.get("splits") as number,
  batch: 1,
});

/** Turns of all multiprocessors by a block's work and copies; each split costs a second addition of the result. */
function secondsOf(values: Values, { M, N, K }: Product): number {
  const [rows, columns, splits] = ["rows", "columns", "splits"].map((name) => values.get(name) as number) as [
    number,
    number,
    number,
  ];
  const turns = Math.ceil((Math.ceil(M / rows) * Math.ceil(N / columns) * splits) / 132);
  const block = (rows * columns + 40 * (rows + columns)) * (K / splits + 64);
  return (turns * block + (splits === 1 ? 0 : 3 * M * N * splits)) * (values.get("order") === "rows" ? 1 : 1.03);
}

const shapes: readonly Product[] = [
  [128, 128, 4096],
  [256, 256, 1024],
  [256, 1024, 2048],
  [512, 512, 512],
  [1024, 256, 4096],
  [1024, 1024, 256],
  [2048, 512, 1024],
  [2048, 2048, 512],
].map(([M, N, K]) => ({ M, N, K }) as Product);

const all = (space: ConfigSpace) => Array.from({ length: space.size }, (_, i) => space.toIndex(i));
/** Nine of ten results of each shape, as a search in `here` has them. */
const sourceOf = (shape: Product, i: number, here = full): ShareSource => {
  const rows: ShareRow[] = [];
  const others: OtherRow[] = [];
  for (const index of all(full).filter((index) => (index + i) % 10 !== 0)) {
    const { values } = full.get(index);
    const own = here.indexOf(values);
    const row = { seconds: secondsOf(values, shape), outline: outlineOf(values, shape) };
    if (own !== undefined) rows.push({ index: here.toIndex(own), ...row });
    else others.push({ values: [...values.values()] as Json[], features: full.features(index), ...row });
  }
  return { name: `${i}`, of: { args: { ...shape }, target }, rows, others };
};
interface Asked {
  readonly here?: ConfigSpace;
  readonly isOutlined?: boolean;
}
function tableOf(shape: Product, sources: readonly ShareSource[], { here = full, isOutlined = true }: Asked = {}) {
  const outline = (index: ConfigIndex) => outlineOf(here.get(index).values, shape);
  return shareTable(here, sources, { of: { args: { ...shape }, target }, ...(isOutlined && { outline }) });
}
/** Share of the best of the config that comes first. */
function firstShare(shape: Product, sources: readonly ShareSource[], asked: Asked = {}): number {
  const { here = full } = asked;
  const best = Math.min(...all(here).map((index) => secondsOf(here.get(index).values, shape)));
  const [first] = tableOf(shape, sources, asked).configs;
  return best / secondsOf(here.get(first as ConfigIndex).values, shape);
}
const sourcesWithout = (left: number, here = full) =>
  shapes.flatMap((shape, i) => (i === left ? [] : [sourceOf(shape, i, here)]));

describe("records of other shapes", () => {
  it("rank for the shape to come by the outlines of their configs", () => {
    for (const [i, shape] of some([...shapes.entries()], 0, 3, 6))
      expect(firstShare(shape, sourcesWithout(i))).toBeGreaterThan(0.9);
    // The mean of the other shapes knows nothing of it.
    const nameless = (i: number) => sourcesWithout(i).map(({ of: _, ...source }) => source);
    const means = shapes.map((shape, i) => firstShare(shape, nameless(i)));
    expect(means.filter((share) => share < 0.7).length).toBeGreaterThan(3);
  });

  it("are learnt from where the space has not their configs", () => {
    const few = spaceOf(2);
    const shape = { M: 256, N: 256, K: 1024 };
    const sources = sourcesWithout(1, few);
    expect(sources.every(({ rows, others }) => rows.length > 20 && (others?.length ?? 0) > 20)).toBe(true);
    expect(firstShare(shape, sources, { here: few })).toBe(1);
    // The search itself has one order only; that the other is faster is known from configs which are not in the space.
    const faster = (row: { readonly seconds?: number | undefined }, order: unknown) =>
      (row.seconds ?? 0) / (order === "columns" ? 2 : 1);
    const told = sources.map(({ rows, others = [], ...source }) => ({
      ...source,
      rows: rows.filter(({ index }) => few.get(index).values.get("order") === "rows"),
      others: others.map((row) => ({ ...row, seconds: faster(row, row.values[3]) })),
    }));
    const [first] = tableOf(shape, told, { here: few }).configs;
    expect(few.get(first as ConfigIndex).values.get("order")).toBe("columns");
  });

  it("with other knobs, of another version of the template, are left out", () => {
    const [shape, sources] = [shapes[2] as Product, sourcesWithout(2)];
    const old: OtherRow = { values: [16, 16, 1], seconds: Number.MAX_VALUE, features: [16, 16, 1] };
    const more = sources.map((source) => ({ ...source, others: [...(source.others ?? []), old] }));
    expect(tableOf(shape, more)).toEqual(tableOf(shape, sources));
  });

  it("give the same ranking when the sources' rows are in another order", () => {
    const [shape, sources] = [shapes[2] as Product, sourcesWithout(2)];
    const turned = sources.map((source) => ({ ...source, rows: [...source.rows].reverse() }));
    expect(tableOf(shape, turned)).toEqual(tableOf(shape, sources));
  });

  it("weigh as sources where they are of too few shapes, or nobody says of which", () => {
    const shape = shapes[0] as Product;
    const sources = sourcesWithout(0);
    const counted = (of: readonly ShareSource[], asked: Asked = {}) => tableOf(shape, of, asked).deviations.length;
    expect(counted(sources.slice(0, 4))).toBe(0);
    expect(counted(sources.slice(0, 3))).toBe(3);
    // Another kind of device is no other shape.
    const elsewhere = sources
      .slice(0, 3)
      .map((source) => ({ ...source, of: { args: source.of?.args as Json, target: "cuda/sm_80" } }));
    expect(counted([...sources.slice(0, 3), ...elsewhere])).toBe(6);
    expect(counted([...sources.slice(0, 4), { name: "?", rows: sources[5]?.rows ?? [] }])).toBe(5);
    // Without outlines of the task, or of the sources.
    const bare = sources.map(({ others: _, ...source }) => ({
      ...source,
      rows: source.rows.map(({ outline: _, ...row }) => row),
    }));
    expect(counted(sources, { isOutlined: false })).toBe(7);
    expect(counted(bare)).toBe(7);
    expect(counted([...sources, sourceOf({ M: 64, N: 64, K: 64 }, 8)], { isOutlined: false })).toBe(0);
  });
});

it("arguments that are texts are told apart, and so are targets", () => {
  const lengths = [1, 2, 3, 4, 5, 6, 7, 8];
  const sources = (what: (fast: string, length: number) => ShareSource["of"]) =>
    ["rows", "columns"].flatMap((fast) =>
      lengths.map((length, i): ShareSource => {
        const known = all(full).filter((index) => (index + i) % 10 !== 0);
        // Not of equal weight: trees begin with the cut that helps most, and of two that help only together none does.
        const slow = fast === "rows" ? 2 : 1.2;
        const seconds = (index: ConfigIndex) => length * (full.get(index).values.get("order") === fast ? 1 : slow);
        return {
          name: `${fast} ${length}`,
          of: what(fast, length),
          rows: known.map((index) => ({ index, seconds: seconds(index) })),
        };
      }),
    );
  const first = (of: readonly ShareSource[], here: NonNullable<ShareSource["of"]>) =>
    full.get(shareTable(full, of, { of: here }).configs[0] as ConfigIndex).values.get("order");
  const byText = sources((fast, length) => ({ args: [length, fast], target }));
  const byTarget = sources((fast, length) => ({ args: [length], target: fast }));
  for (const fast of ["rows", "columns"]) {
    expect(first(byText, { args: [9, fast], target })).toBe(fast);
    expect(first(byTarget, { args: [9], target: fast })).toBe(fast);
    // With an epilogue, which no result has.
    expect(first(byTarget, { args: [9, "bias"], target: fast })).toBe(fast);
    expect(first(byText, { args: [9, fast, "bias"], target })).toBe(fast);
  }
});

it("what was learnt of some results is not taken for other results of the same configs", () => {
  /** The share to expect of the best config, where shares fall from `best` in the order of the configs. */
  const expected = (best: number) => {
    const rows = all(full).map((index) => ({ features: full.features(index), share: best * (1 - index / full.size) }));
    const [share] = sharesByTrees(
      full,
      [{ of: { args: [32], target }, rows }],
      { args: [64], target },
      undefined,
    )([full.toIndex(0)]);
    return share;
  };
  expect(expected(1)).toBeGreaterThan(0.8);
  expect(expected(0.5)).toBeLessThan(0.6);
});
