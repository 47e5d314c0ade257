/** Convolutions in every layout, depthwise and elementwise, against loops written by hand over plain arrays. */
import { describe, expect, it } from "vitest";
import { evaluate } from "../../interp/evaluate.ts";
import type { Buffer } from "../../ir/buffer.ts";
import type { Expr } from "../../ir/expr.ts";
import { placeholder } from "../compute.ts";
import { add, mul } from "../expr.ts";
import { graphOf } from "../graph-of.ts";
import { conv2dHwcn } from "./conv2d-hwcn.ts";
import { conv2dNhwc } from "./conv2d-nhwc.ts";
import { conv2dNhwcnc } from "./conv2d-nhwcnc.ts";
import { depthwiseConv2dNchw } from "./depthwise-conv2d-nchw.ts";
import { addTensors, castTensor, divideTensors, elementwise, multiplyTensors, relu, subtractTensors } from "./elementwise.ts";

/** Small whole numbers: every sum is exact in any order. */
const numbers = (n: number, salt: number): Float32Array =>
  Float32Array.from({ length: n }, (_, i) => ((i * 7 + salt * 13 + (i >> 3) * 5) % 17) - 8);

function result(inputs: readonly Buffer[], output: Buffer, data: readonly Float32Array[]): number[] {
  const given = new Map(inputs.map((t, i) => [t.name, data[i] as Float32Array]));
  return [...(evaluate(graphOf(inputs, [output]), given).get(output.name) ?? [])];
}

/** n, ci, h, w, co, kh, kw, stride, padding */
type Size = readonly [number, number, number, number, number, number, number, number, number];
const sizes: readonly Size[] = [
  [1, 3, 7, 7, 5, 3, 3, 1, 1],
  [2, 4, 5, 7, 6, 3, 2, 1, 0],
  [4, 2, 9, 8, 2, 2, 3, 3, 2],
];

/** Where an element stands, by its coordinates. */
interface Places {
  readonly data: (n: number, c: number, y: number, x: number) => number;
  readonly kernel: (f: number, c: number, ky: number, kx: number) => number;
  readonly out: (n: number, f: number, y: number, x: number) => number;
}

/** A window slid by hand; `partners` are the input channels that output channel f sums. */
function slide(
  [n, , h, w, co, kh, kw, stride, padding]: Size,
  { data, kernel, out }: Places,
  pixels: Float32Array,
  weights: Float32Array,
  partners: (f: number) => readonly number[],
): number[] {
  const oh = Math.floor((h + 2 * padding - kh) / stride) + 1;
  const ow = Math.floor((w + 2 * padding - kw) / stride) + 1;
  const sums: number[] = new Array(n * co * oh * ow).fill(Number.NaN);
  for (let b = 0; b < n; b++)
    for (let f = 0; f < co; f++)
      for (let i = 0; i < oh; i++)
        for (let j = 0; j < ow; j++) {
          let total = 0;
          for (const c of partners(f))
            for (let p = 0; p < kh; p++)
              for (let q = 0; q < kw; q++) {
                const [y, x] = [i * stride + p - padding, j * stride + q - padding];
                if (y < 0 || y >= h || x < 0 || x >= w) continue;
                total += (pixels[data(b, c, y, x)] ?? Number.NaN) * (weights[kernel(f, c, p, q)] ?? Number.NaN);
              }
          sums[out(b, f, i, j)] = total;
        }
  return sums;
}

const upTo = (n: number): readonly number[] => Array.from({ length: n }, (_, i) => i);
const outputOf = ([, , h, w, , kh, kw, stride, padding]: Size) =>
  [Math.floor((h + 2 * padding - kh) / stride) + 1, Math.floor((w + 2 * padding - kw) / stride) + 1] as const;

describe.each(sizes)("n%i ci%i %ix%i co%i k%ix%i stride %i padding %i", (...size) => {
  const [n, ci, h, w, co, kh, kw, stride, padding] = size;
  const [oh, ow] = outputOf(size);
  const pixels = numbers(n * ci * h * w, 1);
  const weights = numbers(co * ci * kh * kw, 2);
  const hwio = (f: number, c: number, p: number, q: number) => ((p * kw + q) * ci + c) * co + f;

  it("conv2dHwcn", () => {
    const places: Places = {
      data: (b, c, y, x) => ((y * w + x) * ci + c) * n + b,
      kernel: hwio,
      out: (b, f, y, x) => ((y * ow + x) * co + f) * n + b,
    };
    const [a, k] = [placeholder("A", [h, w, ci, n]), placeholder("W", [kh, kw, ci, co])];
    const conv = conv2dHwcn(a, k, { stride, padding });
    expect(conv.shape).toEqual([oh, ow, co, n]);
    expect(result([a, k], conv, [pixels, weights])).toEqual(slide(size, places, pixels, weights, () => upTo(ci)));
  });

  it("conv2dNhwc", () => {
    const places: Places = {
      data: (b, c, y, x) => ((b * h + y) * w + x) * ci + c,
      kernel: hwio,
      out: (b, f, y, x) => ((b * oh + y) * ow + x) * co + f,
    };
    const [a, k] = [placeholder("A", [n, h, w, ci]), placeholder("W", [kh, kw, ci, co])];
    const conv = conv2dNhwc(a, k, { stride, padding });
    expect(conv.shape).toEqual([n, oh, ow, co]);
    expect(result([a, k], conv, [pixels, weights])).toEqual(slide(size, places, pixels, weights, () => upTo(ci)));
  });

  it("conv2dNhwcnc, tiles of 1 and of everything", () => {
    for (const [tn, ti, to] of [
      [1, 1, 1],
      [n, ci, co],
    ] as const) {
      const [bn, bi, bo] = [n / tn, ci / ti, co / to];
      const places: Places = {
        data: (b, c, y, x) =>
          ((((Math.floor(b / tn) * h + y) * w + x) * bi + Math.floor(c / ti)) * tn + (b % tn)) * ti + (c % ti),
        kernel: (f, c, p, q) =>
          ((((p * kw + q) * bi + Math.floor(c / ti)) * bo + Math.floor(f / to)) * ti + (c % ti)) * to + (f % to),
        out: (b, f, y, x) =>
          ((((Math.floor(b / tn) * oh + y) * ow + x) * bo + Math.floor(f / to)) * tn + (b % tn)) * to + (f % to),
      };
      const a = placeholder("A", [bn, h, w, bi, tn, ti], "float16");
      const k = placeholder("W", [kh, kw, bi, bo, ti, to], "float16");
      const conv = conv2dNhwcnc(a, k, { stride, padding });
      expect([conv.dtype, ...conv.shape]).toEqual(["float32", bn, oh, ow, bo, tn, to]);
      expect(result([a, k], conv, [pixels, weights])).toEqual(slide(size, places, pixels, weights, () => upTo(ci)));
    }
  });

  it("depthwiseConv2dNchw with two filters a channel", () => {
    const filters = 2;
    const own = [n, ci, h, w, ci * filters, kh, kw, stride, padding] as const;
    const few = numbers(ci * filters * kh * kw, 3);
    const places: Places = {
      data: (b, c, y, x) => ((b * ci + c) * h + y) * w + x,
      kernel: (f, _c, p, q) => (f * kh + p) * kw + q,
      out: (b, f, y, x) => ((b * ci * filters + f) * oh + y) * ow + x,
    };
    const [a, k] = [placeholder("data", [n, ci, h, w]), placeholder("kernel", [ci, filters, kh, kw])];
    const conv = depthwiseConv2dNchw(a, k, { stride, padding });
    expect(conv.shape).toEqual([n, ci * filters, oh, ow]);
    expect(result([a, k], conv, [pixels, few])).toEqual(slide(own, places, pixels, few, (f) => [Math.floor(f / filters)]));
  });
});

it("convolutions refuse what does not fit, naming it", () => {
  const data = placeholder("data", [4, 4, 3, 1]);
  expect(() => conv2dHwcn(data, placeholder("k", [3, 3, 2, 5]), { stride: 1, padding: 0 })).toThrow(
    "conv: data has 3 channels, kernel 2",
  );
  expect(() => conv2dHwcn(data, placeholder("k", [7, 3, 3, 5]), { stride: 1, padding: 1 })).toThrow(
    "conv: the kernel 7x3 is larger than the padded input 6x6",
  );
  expect(() => conv2dNhwcnc(data, placeholder("k", [1, 1]), { stride: 1, padding: 0 })).toThrow(
    "Conv: data has 4 and kernel 2 dimensions; both have 6 (NHWCnc, HWIOio)",
  );
  expect(() => conv2dNhwc(data, placeholder("k", [1, 1, 1, 1]), { stride: 0, padding: 0 })).toThrow(/stride is 0/);
});

describe("elementwise", () => {
  const [h, w] = [3, 4];
  const [x, row] = [numbers(h * w, 1), numbers(w, 2)];
  const [a, b] = [placeholder("a", [h, w]), placeholder("b", [w])];
  const byHand = (f: (p: number, q: number) => number): number[] => {
    const values: number[] = [];
    for (let i = 0; i < h; i++) for (let j = 0; j < w; j++) values.push(Math.fround(f(x[i * w + j] ?? NaN, row[j] ?? NaN)));
    return values;
  };
  it.each([
    ["add", addTensors, (p: number, q: number) => p + q],
    ["subtract", subtractTensors, (p: number, q: number) => p - q],
    ["multiply", multiplyTensors, (p: number, q: number) => p * q],
    ["divide", divideTensors, (p: number, q: number) => p / q],
  ] as const)("%s repeats a row over all rows", (_, operator, f) => {
    expect(result([a, b], operator(a, b), [x, row])).toEqual(byHand(f));
  });
  it("relu, cast and any function of elements", () => {
    expect(result([a], relu(a), [x])).toEqual([...x].map((v) => (v > 0 ? v : 0)));
    expect(result([a], castTensor(a, "int8"), [x.map((v) => v + 0.75)])).toEqual([...x].map((v) => Math.trunc(v + 0.75) + 0));
    const column = placeholder("c", [h, 1]);
    const three = elementwise("three", [a, b, column], (p, q, r) => add(mul(p as Expr, q as Expr), r as Expr));
    const expected = byHand((p, q) => p * q).map((v, i) => v + 5 + Math.floor(i / w));
    expect(result([a, b, column], three, [x, row, Float32Array.of(5, 6, 7)])).toEqual(expected);
  });
  it("refuses shapes that do not repeat", () => {
    expect(() => addTensors(a, placeholder("c", [3]))).toThrow(
      'add: shapes of "a" (3, 4) and "c" (3) differ in dimension 1; an extent may differ only from 1',
    );
  });
});
