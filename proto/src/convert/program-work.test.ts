import type { Json } from "@warpfarm/common";
import { describe, expect, it } from "vitest";
import { workOfProgram } from "./program-work.ts";

const axes = (ranges: Record<string, number>): Json => Object.entries(ranges).map(([name, extent]) => ({ name, extent }));
const input = (name: string, shape: readonly number[], dtype = "float32"): Json => ({ name, dtype, shape: [...shape] });
const op = (name: string, spatial: Record<string, number>, body: Json, reduce: Record<string, number> = {}): Json => ({
  name,
  dtype: "float32",
  axes: axes(spatial),
  reduce: axes(reduce),
  body,
});
const load = (name: string, ...indices: Json[]): Json => ["load", name, indices];
const graph = (inputs: Json[], ops: Json[], ...outputs: string[]): Json => ({
  kind: "schedule",
  graph: { inputs, ops, outputs },
});
const one = (inputs: Json[], only: Json) => workOfProgram(graph(inputs, [only], "y"));
const zero: Json = ["float", "float32", "0"];

describe("a product of matrices", () => {
  const product = (dtype: string) =>
    one(
      [input("a", [8, 32], dtype), input("b", [32, 16], dtype)],
      op("y", { i: 8, j: 16 }, ["sum", ["mul", ["cast", "float32", load("a", "i", "k")], load("b", "k", "j")]], { k: 32 }),
    );
  it("reads each input and writes the output once, and does two operations an element of its range", () => {
    expect(product("float32")).toEqual({ bytes: 4 * (256 + 512 + 128), operations: [{ bits: 32, count: 2 * 8 * 16 * 32 }] });
  });
  it("works on operands as narrow as they are stored", () => {
    expect(product("int4")).toEqual({ bytes: (256 + 512) / 2 + 4 * 128, operations: [{ bits: 4, count: 2 * 8 * 16 * 32 }] });
  });
});

describe("what is not certain does not count", () => {
  it("elements between the strides", () => {
    const reads = load("x", ["mul", "i", 2], ["add", "j", 3]);
    expect(one([input("x", [8, 16])], op("y", { i: 4, j: 8 }, reads))?.bytes).toBe(4 * (32 + 32));
  });
  it("a place where two indices move together", () => {
    expect(one([input("x", [8, 8])], op("y", { i: 8 }, load("x", "i", "i")))?.bytes).toBe(4 * (1 + 8));
  });
  it("windows that overlap count once", () => {
    expect(one([input("x", [10])], op("y", { i: 8 }, ["sum", load("x", ["add", "i", "r"])], { r: 3 }))).toEqual({
      bytes: 4 * (8 + 8),
      operations: [{ bits: 32, count: 24 }],
    });
  });
  it("digits of one index count all", () => {
    const reads = load("x", ["add", ["mul", ["add", ["mul", "n", 7], "i"], 5], "j"]);
    expect(one([input("x", [70])], op("y", { n: 2, i: 7, j: 5 }, reads))?.bytes).toBe(4 * (70 + 70));
  });
  it("an axis that comes with two signs", () => {
    expect(one([input("x", [9])], op("y", { i: 8 }, load("x", ["sub", "i", "i"])))?.bytes).toBe(4 * (1 + 8));
  });
  it("a load under a condition, in a case of it, and one that another load places", () => {
    const guarded: Json = ["select", ["lt", load("c", "i"), 3], load("x", "i"), zero];
    expect(one([input("c", [8], "int32"), input("x", [8])], op("y", { i: 8 }, guarded))?.bytes).toBe(4 * (8 + 8));
    const gathered = load("x", ["cast", "int32", load("c", "i")], "j");
    expect(one([input("c", [8], "int32"), input("x", [1000, 4])], op("y", { i: 8, j: 4 }, gathered))?.bytes).toBe(4 * (4 + 32));
  });
  it("operations of elements that nobody reads, and what they would have read", () => {
    const ops = [
      op("t", { i: 64, j: 64 }, ["sum", ["mul", load("a", "i", "k"), load("a", "k", "j")]], { k: 64 }),
      op("y", { j: 4 }, load("t", 0, "j")),
    ];
    expect(workOfProgram(graph([input("a", [64, 64])], ops, "y"))).toEqual({
      bytes: 4 * 4,
      operations: [{ bits: 32, count: 2 * 4 * 64 }],
    });
  });
  it("a product that is the same all over the range is one addition", () => {
    const body: Json = ["sum", ["mul", load("x", "k"), load("s", "i")]];
    expect(one([input("x", [16]), input("s", [4])], op("y", { i: 4 }, body, { k: 16 }))?.operations).toEqual([
      { bits: 32, count: 4 * 16 },
    ]);
  });
  it("a sum that reads nothing of its range does nothing", () => {
    expect(one([input("s", [4])], op("y", { i: 4 }, ["sum", load("s", "i")], { k: 16 }))?.operations).toEqual([]);
  });
});

it("a convolution counts the products within the image, not those in the padding", () => {
  const [y, x] = [
    ["sub", ["add", "y", "ry"], 1],
    ["sub", ["add", "x", "rx"], 1],
  ] as const;
  const inside = ["and", ["and", ["and", ["ge", y, 0], ["lt", y, 7]], ["ge", x, 0]], ["lt", x, 7]];
  const body = [
    "sum",
    ["select", inside, ["mul", load("d", y as unknown as Json, x as unknown as Json), load("w", "ry", "rx")], zero],
  ];
  const conv = op("y", { f: 2, y: 7, x: 7 }, body as unknown as Json, { ry: 3, rx: 3 });
  // 19 of the 21 pairs of a row and a tap are inside.
  expect(one([input("d", [7, 7]), input("w", [3, 3])], conv)?.operations).toEqual([
    { bits: 32, count: expect.closeTo(2 * 2 * 19 * 19, 6) },
  ]);
});

describe("a document that nobody has checked", () => {
  it("without a graph that is understood has no work", () => {
    const documents: Json[] = [
      null,
      [],
      "text",
      {},
      { graph: [] },
      { graph: { name: "p1" } },
      { kind: "ptx", text: "" },
      graph([], []),
      graph([input("x", [0])], [op("y", { i: 1 }, load("x", 0))], "y"),
      graph([input("x", [2], "float7")], [op("y", { i: 1 }, load("x", 0))], "y"),
      graph([], [op("y", { i: -3 }, 1)], "y"),
      graph([], [null], "y"),
    ];
    for (const document of documents) expect(workOfProgram(document)).toBeUndefined();
  });
  it("counts what is understood of the rest", () => {
    const odd: Json[] = [null, [], {}, ["load"], ["load", 3, 4], ["select"], ["mul"], [["x"]], true];
    for (const body of odd) {
      expect(one([input("x", [4])], op("y", { i: 4 }, body))).toEqual({ bytes: 16, operations: [] });
      expect(one([input("x", [4])], op("y", { i: 4 }, ["sum", body], { k: 9 }))).toEqual({ bytes: 16, operations: [] });
    }
  });
  it("takes no longer than a bound, whatever its conditions and indices are", () => {
    const deep = Array.from({ length: 50 }).reduce<Json>((e) => ["add", e, "k"], "i");
    const wide: Json = ["lt", deep, 3];
    const hard: Json = ["sum", ["select", wide, load("x", "k"), zero]];
    expect(one([input("x", [4])], op("y", { i: 2 ** 20 }, hard, { k: 2 ** 20 }))?.operations).toEqual([]);
    const many: Json = Array.from({ length: 100_000 }, () => "i");
    expect(one([input("x", [4])], op("y", { i: 4 }, ["load", "x", many]))?.bytes).toBe(16);
    const conjuncts: Json = ["and", ...Array.from({ length: 50_000 }, (_, i) => ["lt", `v${i}`, 1])];
    expect(
      one([input("x", [4])], op("y", { i: 4 }, ["sum", ["select", conjuncts, load("x", "k"), zero]], { k: 4 }))?.operations,
    ).toEqual([]);
  });
});

describe("a condition over a reduction", () => {
  /** y[i] = sum over r of x[i, r] where all of `conditions` hold. */
  const count = (conditions: readonly Json[], r: number) => {
    const [first, ...others] = conditions;
    const all = others.reduce<Json>((so, each) => ["and", so, each], first as Json);
    return one([input("x", [2, r])], op("y", { i: 2 }, ["sum", ["select", all, load("x", "i", "r"), zero]], { r }))?.operations;
  };
  it("counts for the share where it holds, with 16 parts at most", () => {
    const part: Json = ["lt", "r", 3];
    expect(count(Array(16).fill(part), 12)).toEqual([{ bits: 32, count: 6 }]);
    expect(count(Array(17).fill(part), 12)).toEqual([]);
  });
  it("and as long as that takes 200,000 operators: 4 a point", () => {
    const part: Json = ["lt", "r", 50_000];
    expect(count([part], 50_000)).toEqual([{ bits: 32, count: 100_000 }]);
    expect(count([part], 50_001)).toEqual([]);
  });
});
