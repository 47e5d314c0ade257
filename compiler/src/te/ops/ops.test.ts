/** Against loops written by hand (by-hand.testing.ts). */
import { describe, expect, it } from "vitest";
import type { Buffer } from "../../ir/buffer.ts";
import { placeholder } from "../compute.ts";
import { numbers, resultFrom } from "./by-hand.testing.ts";
import { conv2dNchw } from "./conv2d.ts";
import type { Border } from "./convolution.ts";
import { matmul } from "./matmul.ts";
import { pad } from "./pad.ts";

describe("conv2dNchw", () => {
  it("a skipped border meets no weight: an infinite one gives no NaN there, as a padded one does", () => {
    const [data, kernel] = [placeholder("data", [1, 1, 1, 1]), placeholder("kernel", [1, 1, 1, 3])];
    const of = (border: Border) =>
      resultFrom([data, kernel], conv2dNchw(data, kernel, { stride: 1, padding: 1, border }), [
        Float32Array.of(2),
        Float32Array.of(Number.POSITIVE_INFINITY, 3, 5),
      ]);
    expect(of("skip")).toEqual([0, 6, 0]);
    expect(of("pad")).toEqual([Number.NaN, Number.NaN, Number.NaN]);
  });
  it("two in one computation have padded data of their own", () => {
    const [data, one, two] = [
      [1, 1, 1, 3],
      [1, 1, 1, 3],
      [1, 1, 1, 2],
    ].map((shape, i) => placeholder(`in${i}`, shape)) as [Buffer, Buffer, Buffer];
    const first = conv2dNchw(data, one, { name: "first", padding: [0, 1] });
    const second = conv2dNchw(first, two, { name: "second" });
    // 0 1 2 3 0 by 1 10 100 is 210 321 32.
    expect(
      resultFrom([data, one, two], second, [Float32Array.of(1, 2, 3), Float32Array.of(1, 10, 100), Float32Array.of(1, -1)]),
    ).toEqual([210 - 321, 321 - 32]);
  });
});

describe("matmul", () => {
  const [n, l, m] = [5, 7, 3];
  it.each([
    ["NN", [n, l], [l, m], (i: number, k: number) => i * l + k, (k: number, j: number) => k * m + j],
    ["NT", [l, n], [l, m], (i: number, k: number) => k * n + i, (k: number, j: number) => k * m + j],
    ["TN", [n, l], [m, l], (i: number, k: number) => i * l + k, (k: number, j: number) => j * l + k],
    ["TT", [l, n], [m, l], (i: number, k: number) => k * n + i, (k: number, j: number) => j * l + k],
  ] as const)("layout %s", (layout, aShape, bShape, aAt, bAt) => {
    const x = numbers([n * l], 3);
    const y = numbers([l * m], 4);
    const expected: number[] = [];
    for (let i = 0; i < n; i++)
      for (let j = 0; j < m; j++) {
        let total = 0;
        for (let k = 0; k < l; k++) total += (x[aAt(i, k)] ?? NaN) * (y[bAt(k, j)] ?? NaN);
        expected.push(total);
      }
    const a = placeholder("A", aShape);
    const b = placeholder("B", bShape);
    expect(resultFrom([a, b], matmul(a, b, { layout }), [x, y])).toEqual(expected);
  });

  it("accumulates float16 operands in float32", () => {
    const a = placeholder("A", [1, 3], "float16");
    const b = placeholder("B", [3, 1], "float16");
    const values = [Float32Array.of(2048, 1, 1), Float32Array.of(1, 1, 1)];
    expect(resultFrom([a, b], matmul(a, b, { outDtype: "float32" }), values)).toEqual([2050]);
    expect(resultFrom([a, b], matmul(a, b), values)).toEqual([2048]);
    const large = [Float32Array.of(300, 1, 1), Float32Array.of(300, 1, 1)];
    expect(resultFrom([a, b], matmul(a, b, { outDtype: "float32" }), large)).toEqual([90002]);
    expect(matmul(a, placeholder("D", [3, 1])).dtype).toBe("float16");
  });
  it("refuses a layout that there is not, and what are no matrices", () => {
    const [a, row] = [placeholder("A", [3, 3]), placeholder("row", [3])];
    expect(() => matmul(a, a, { layout: "NX" as never })).toThrow('C: layout "NX"; one of NN, NT, TN, TT');
    expect(() => matmul(row, a)).toThrow("C: operands have 1 and 2 dimensions; both have 2");
    expect(() => matmul(a, row)).toThrow("C: operands have 2 and 1 dimensions; both have 2");
  });
  it.each(["NN", "NT", "TN", "TT"] as const)("refuses sums of different extents, %s", (layout) => {
    const of = (name: string, rows: number, columns: number, isTurned: boolean) =>
      placeholder(name, isTurned ? [columns, rows] : [rows, columns]);
    for (const [l, other] of [
      [7, 6],
      [6, 7],
    ] as const)
      expect(() => matmul(of("A", 5, l, layout[1] === "T"), of("B", other, 3, layout[0] === "T"), { layout })).toThrow(
        `layout ${layout} sums over ${l} of "A" and ${other} of "B"`,
      );
  });
});

describe("pad", () => {
  // Borders on one side of a dimension, on the other, on both and on none, and as wide as they may be.
  describe.each([
    { before: [2, 4], after: [3, 1] },
    { before: [0, 3], after: [3, 0] },
    { before: [0, 4], after: [0, 2] },
    { before: [0, 0], after: [0, 0] },
  ])("before $before, after $after", ({ before, after }) => {
    it.each([
      ["constant", (i: number, n: number) => (i < 0 || i >= n ? undefined : i)],
      ["edge", (i: number, n: number) => Math.min(Math.max(i, 0), n - 1)],
      ["reflect", (i: number, n: number) => (i < 0 ? -i : i >= n ? 2 * n - 2 - i : i)],
      ["wrap", (i: number, n: number) => (i + n) % n],
    ] as const)("%s", (mode, from) => {
      const [h, w] = [4, 5];
      const [top = 0, left = 0] = before;
      const [bottom = 0, right = 0] = after;
      const x = numbers([h * w], 3);
      const wanted: number[] = [];
      for (let i = -top; i < h + bottom; i++)
        for (let j = -left; j < w + right; j++) {
          const [row, column] = [from(i, h), from(j, w)];
          wanted.push(row === undefined || column === undefined ? 7 : (x[row * w + column] as number));
        }
      const data = placeholder("data", [h, w]);
      expect(resultFrom([data], pad(data, { before, after, mode, value: 7 }), [x])).toEqual(wanted);
    });
  });
  it("the same after as before, zeros, and as wide as the data and wider", () => {
    const data = placeholder("data", [3]);
    const x = Float32Array.of(4, 7, 9);
    expect(resultFrom([data], pad(data, { before: [1] }), [x])).toEqual([0, ...x, 0]);
    expect(resultFrom([data], pad(data, { before: [3], mode: "wrap" }), [x])).toEqual([...x, ...x, ...x]);
    expect(resultFrom([data], pad(data, { before: [4], mode: "edge" }), [x])).toEqual([4, 4, 4, 4, 4, 7, 9, 9, 9, 9, 9]);
    for (const before of [[-1], [0.5], [1, 1]])
      expect(() => pad(data, { before })).toThrow(`before is [${before.join(", ")}]; it takes 1 whole numbers from 0`);
    expect(() => pad(data, { before: [1], after: [-1] })).toThrow("after is [-1]");
    for (const [mode, wide] of [
      ["reflect", 3],
      ["wrap", 4],
    ] as const)
      for (const [before, after] of [
        [[wide], [0]],
        [[0], [wide]],
      ] as const)
        expect(() => pad(data, { before, after, mode })).toThrow(`3 elements, too few to ${mode} in a border of that size`);
  });
});
