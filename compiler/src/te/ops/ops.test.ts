/** Every operator against loops written by hand, which share no code with the compiler: plain arrays, plain arithmetic. */
import { describe, expect, it } from "vitest";
import { evaluate } from "../../interp/evaluate.ts";
import type { Buffer } from "../../ir/buffer.ts";
import { placeholder } from "../compute.ts";
import { graphOf } from "../graph-of.ts";
import { conv2dNchw } from "./conv2d.ts";
import type { Border } from "./convolution.ts";
import { matmul } from "./matmul.ts";
import { pad } from "./pad.ts";

/** Small whole numbers: every sum is exact in any order, so results are compared for equality. */
const numbers = (n: number, salt: number): Float32Array =>
  Float32Array.from({ length: n }, (_, i) => ((i * 7 + salt * 13 + (i >> 3) * 5) % 17) - 8);

function result(inputs: readonly Buffer[], output: Buffer, data: readonly Float32Array[]): number[] {
  const given = new Map(inputs.map((t, i) => [t.name, data[i] as Float32Array]));
  return [...(evaluate(graphOf(inputs, [output]), given).get(output.name) ?? [])];
}

describe("conv2dNchw", () => {
  it.each([
    // n, ci, h, w, co, kh, kw, stride, padding
    [1, 3, 7, 7, 5, 3, 3, 1, 1],
    [2, 2, 5, 7, 3, 3, 2, 1, 0],
    [1, 5, 11, 13, 2, 3, 3, 2, 1],
    [3, 1, 4, 4, 1, 1, 1, 1, 0],
    [1, 2, 3, 3, 2, 3, 3, 1, 2],
    [1, 3, 9, 8, 2, 2, 3, 3, 2],
  ])("n%i ci%i %ix%i co%i k%ix%i stride %i padding %i", (n, ci, h, w, co, kh, kw, stride, padding) => {
    const oh = Math.floor((h + 2 * padding - kh) / stride) + 1;
    const ow = Math.floor((w + 2 * padding - kw) / stride) + 1;
    const x = numbers(n * ci * h * w, 1);
    const k = numbers(co * ci * kh * kw, 2);
    const expected: number[] = [];
    for (let b = 0; b < n; b++)
      for (let f = 0; f < co; f++)
        for (let i = 0; i < oh; i++)
          for (let j = 0; j < ow; j++) {
            let total = 0;
            for (let c = 0; c < ci; c++)
              for (let p = 0; p < kh; p++)
                for (let q = 0; q < kw; q++) {
                  const row = i * stride + p - padding;
                  const column = j * stride + q - padding;
                  if (row < 0 || row >= h || column < 0 || column >= w) continue;
                  total += (x[((b * ci + c) * h + row) * w + column] ?? NaN) * (k[((f * ci + c) * kh + p) * kw + q] ?? NaN);
                }
            expected.push(total);
          }
    const data = placeholder("data", [n, ci, h, w]);
    const kernel = placeholder("kernel", [co, ci, kh, kw]);
    const conv = conv2dNchw(data, kernel, { stride, padding });
    expect(conv.shape).toEqual([n, co, oh, ow]);
    expect(result([data, kernel], conv, [x, k])).toEqual(expected);
    const skipping = conv2dNchw(data, kernel, { stride, padding, border: "skip" });
    expect(result([data, kernel], skipping, [x, k])).toEqual(expected);
  });
  it("a skipped border meets no weight: an infinite one gives no NaN there, as a padded one does", () => {
    const [data, kernel] = [placeholder("data", [1, 1, 1, 1]), placeholder("kernel", [1, 1, 1, 3])];
    const of = (border: Border) =>
      result([data, kernel], conv2dNchw(data, kernel, { stride: 1, padding: 1, border }), [
        Float32Array.of(2),
        Float32Array.of(Number.POSITIVE_INFINITY, 3, 5),
      ]);
    expect(of("skip")).toEqual([0, 6, 0]);
    expect(of("pad")).toEqual([Number.NaN, Number.NaN, Number.NaN]);
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
    const x = numbers(n * l, 3);
    const y = numbers(l * m, 4);
    const expected: number[] = [];
    for (let i = 0; i < n; i++)
      for (let j = 0; j < m; j++) {
        let total = 0;
        for (let k = 0; k < l; k++) total += (x[aAt(i, k)] ?? NaN) * (y[bAt(k, j)] ?? NaN);
        expected.push(total);
      }
    const a = placeholder("A", aShape);
    const b = placeholder("B", bShape);
    expect(result([a, b], matmul(a, b, { layout }), [x, y])).toEqual(expected);
  });

  it("accumulates float16 operands in float32", () => {
    const a = placeholder("A", [1, 3], "float16");
    const b = placeholder("B", [3, 1], "float16");
    const values = [Float32Array.of(2048, 1, 1), Float32Array.of(1, 1, 1)];
    expect(result([a, b], matmul(a, b, { outDtype: "float32" }), values)).toEqual([2050]);
    expect(result([a, b], matmul(a, b), values)).toEqual([2048]);
  });
});

describe("pad", () => {
  it.each([
    [[0, 0], undefined],
    [[1, 2], undefined],
    [
      [2, 0],
      [0, 3],
    ],
  ])("before %j, after %j", (before, after) => {
    const [h, w] = [3, 5];
    const [top = 0, left = 0] = before;
    const [bottom = 0, right = 0] = after ?? before;
    const x = numbers(h * w, 5);
    const rows: number[] = [];
    for (let i = 0; i < top + h + bottom; i++)
      for (let j = 0; j < left + w + right; j++) {
        const inside = i >= top && i < top + h && j >= left && j < left + w;
        rows.push(inside ? (x[(i - top) * w + (j - left)] ?? NaN) : 0);
      }
    const data = placeholder("data", [h, w]);
    expect(result([data], pad(data, { before, ...(after ? { after } : {}) }), [x])).toEqual(rows);
  });

  it.each([
    ["constant", (i: number, n: number) => (i < 0 || i >= n ? undefined : i)],
    ["edge", (i: number, n: number) => Math.min(Math.max(i, 0), n - 1)],
    ["reflect", (i: number, n: number) => (i < 0 ? -i : i >= n ? 2 * n - 2 - i : i)],
    ["wrap", (i: number, n: number) => (i + n) % n],
  ] as const)("what is in the border: %s", (mode, from) => {
    const [h, w] = [4, 5];
    const x = numbers(h * w, 3);
    const wanted: number[] = [];
    for (let i = -2; i < h + 3; i++)
      for (let j = -4; j < w + 1; j++) {
        const [row, column] = [from(i, h), from(j, w)];
        wanted.push(row === undefined || column === undefined ? 7 : (x[row * w + column] as number));
      }
    const data = placeholder("data", [h, w]);
    expect(result([data], pad(data, { before: [2, 4], after: [3, 1], mode, value: 7 }), [x])).toEqual(wanted);
  });
});
