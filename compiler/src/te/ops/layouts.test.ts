/** Convolutions in every layout, in groups, depthwise, and elementwise, against loops written by hand over plain arrays. */
import { describe, expect, it } from "vitest";
import type { Buffer } from "../../ir/buffer.ts";
import type { Expr } from "../../ir/expr.ts";
import { placeholder } from "../compute.ts";
import { add, mul } from "../expr.ts";
import { forAll, numbers, read, resultFrom, sizeOf } from "./by-hand.testing.ts";
import { conv2dHwcn, conv2dNchw, conv2dNhwc, conv2dNhwcnc, transposedConv2d } from "./conv2d.ts";
import { addTensors, castTensor, divideTensors, elementwise, multiplyTensors, relu, subtractTensors } from "./elementwise.ts";

/** Sizes are unequal, so that no dimension passes for another. */
interface Size {
  readonly what: string;
  readonly n: number;
  readonly ci: number;
  readonly hw: readonly [number, number];
  readonly co: number;
  readonly k: readonly [number, number];
  readonly stride?: readonly [number, number];
  readonly dilation?: readonly [number, number];
  /** Top, left, bottom, right. */
  readonly pads?: readonly [number, number, number, number];
  readonly groups?: number;
}
const sizes: readonly Size[] = [
  { what: "3x3, padded", n: 1, ci: 3, hw: [7, 7], co: 5, k: [3, 3], pads: [1, 1, 1, 1] },
  { what: "3x2, no padding", n: 2, ci: 4, hw: [5, 7], co: 6, k: [3, 2] },
  { what: "1x7, padded at the sides", n: 1, ci: 2, hw: [4, 9], co: 3, k: [1, 7], pads: [0, 3, 0, 3] },
  { what: "stride 3, padded beyond the filter", n: 4, ci: 2, hw: [9, 8], co: 2, k: [2, 2], stride: [3, 3], pads: [2, 2, 2, 2] },
  { what: "four paddings", n: 1, ci: 3, hw: [6, 5], co: 4, k: [3, 3], pads: [0, 1, 2, 3] },
  { what: "strides and dilations apart", n: 1, ci: 2, hw: [9, 7], co: 3, k: [3, 2], stride: [1, 3], dilation: [2, 1] },
  { what: "two groups, dilated", n: 2, ci: 6, hw: [5, 6], co: 4, k: [2, 3], dilation: [2, 1], pads: [2, 0, 0, 1], groups: 2 },
  { what: "depthwise, two filters a channel", n: 1, ci: 3, hw: [6, 5], co: 6, k: [3, 3], pads: [1, 1, 1, 0], groups: 3 },
];

/** Where an element stands, by its coordinates. */
interface Places {
  readonly data: (n: number, c: number, y: number, x: number) => number;
  readonly kernel: (f: number, c: number, ky: number, kx: number) => number;
  readonly out: (n: number, f: number, y: number, x: number) => number;
}

const upTo = (n: number): readonly number[] => Array.from({ length: n }, (_, i) => i);

/** A window slid by hand: which pixel and which weight are multiplied, and to which place the product is added. */
function slide(size: Size, { data, kernel, out }: Places, visit: (pixel: number, weight: number, result: number) => void): void {
  const { n, ci, hw, co, k, stride = [1, 1], dilation = [1, 1], pads = [0, 0, 0, 0], groups = 1 } = size;
  const [oh, ow] = outputOf(size);
  for (let b = 0; b < n; b++)
    for (let f = 0; f < co; f++)
      for (let c = 0; c < ci / groups; c++)
        for (let i = 0; i < oh; i++)
          for (let j = 0; j < ow; j++)
            for (let p = 0; p < k[0]; p++)
              for (let q = 0; q < k[1]; q++) {
                const [y, x] = [i * stride[0] + p * dilation[0] - pads[0], j * stride[1] + q * dilation[1] - pads[1]];
                if (y < 0 || y >= hw[0] || x < 0 || x >= hw[1]) continue;
                const channel = Math.floor((f * groups) / co) * (ci / groups) + c;
                visit(data(b, channel, y, x), kernel(f, c, p, q), out(b, f, i, j));
              }
}

/** Windows counted by trying each place. */
function outputOf({ hw, k, stride = [1, 1], dilation = [1, 1], pads = [0, 0, 0, 0] }: Size): readonly [number, number] {
  const count = (d: 0 | 1) => {
    const room = hw[d] + pads[d] + (pads[d + 2] as number);
    return upTo(room).filter((at) => at % stride[d] === 0 && at + (k[d] - 1) * dilation[d] < room).length;
  };
  return [count(0), count(1)];
}

describe.each(sizes)("$what", (size) => {
  const { n, ci, hw, co, k, stride = [1, 1], dilation = [1, 1], pads = [0, 0, 0, 0], groups = 1 } = size;
  const [h, w] = hw;
  const [kh, kw] = k;
  const [oh, ow] = outputOf(size);
  const per = ci / groups;
  const pixels = numbers([n * ci * h * w], 1);
  const weights = numbers([co * per * kh * kw], 2);
  const options = {
    stride,
    dilation,
    padding: [
      [pads[0], pads[2]],
      [pads[1], pads[3]],
    ] as const,
    groups,
  };
  const hwio = (f: number, c: number, p: number, q: number) => ((p * kw + q) * per + c) * co + f;
  const check = (conv: Buffer, inputs: readonly [Buffer, Buffer], shape: readonly number[], places: Places) => {
    expect(conv.shape).toEqual(shape);
    const sums: number[] = new Array(sizeOf(shape)).fill(0);
    slide(size, places, (pixel, weight, result) => {
      sums[result] = (sums[result] as number) + (pixels[pixel] as number) * (weights[weight] as number);
    });
    expect(resultFrom(inputs, conv, [pixels, weights])).toEqual(sums);
  };
  /** Every product, seen from the pixel: what it would have to be for the result to grow. */
  const checkTransposed = (
    layout: Parameters<typeof transposedConv2d>[0],
    a: Buffer,
    b: Buffer,
    shape: readonly number[],
    places: Places,
  ) => {
    const given = placeholder("G", shape, a.dtype);
    const rest = ([0, 1] as const).map(
      (d) => (hw[d] + (pads[d] ?? 0) + (pads[d + 2] ?? 0) - (k[d] - 1) * (dilation[d] ?? 1) - 1) % (stride[d] ?? 1),
    );
    const gradient = transposedConv2d(layout, given, b, { ...options, outDtype: "float32", outputPadding: rest });
    expect(gradient.shape).toEqual(a.shape);
    const results = numbers(shape, 3);
    const sums: number[] = new Array(sizeOf(a.shape)).fill(0);
    slide(size, places, (pixel, weight, result) => {
      sums[pixel] = (sums[pixel] as number) + (results[result] as number) * (weights[weight] as number);
    });
    expect(resultFrom([given, b], gradient, [results, weights])).toEqual(sums);
  };

  it("conv2dNchw", () => {
    const [a, b] = [placeholder("A", [n, ci, h, w]), placeholder("W", [co, per, kh, kw])];
    const places: Places = {
      data: (i, c, y, x) => ((i * ci + c) * h + y) * w + x,
      kernel: (f, c, p, q) => ((f * per + c) * kh + p) * kw + q,
      out: (i, f, y, x) => ((i * co + f) * oh + y) * ow + x,
    };
    check(conv2dNchw(a, b, options), [a, b], [n, co, oh, ow], places);
    check(conv2dNchw(a, b, { ...options, border: "skip" }), [a, b], [n, co, oh, ow], places);
    checkTransposed("NCHW", a, b, [n, co, oh, ow], places);
  });

  it("conv2dHwcn", () => {
    const [a, b] = [placeholder("A", [h, w, ci, n]), placeholder("W", [kh, kw, per, co])];
    const places: Places = {
      data: (i, c, y, x) => ((y * w + x) * ci + c) * n + i,
      kernel: hwio,
      out: (i, f, y, x) => ((y * ow + x) * co + f) * n + i,
    };
    check(conv2dHwcn(a, b, options), [a, b], [oh, ow, co, n], places);
    check(conv2dHwcn(a, b, { ...options, border: "skip" }), [a, b], [oh, ow, co, n], places);
    checkTransposed("HWCN", a, b, [oh, ow, co, n], places);
  });

  it("conv2dNhwc", () => {
    const [a, b] = [placeholder("A", [n, h, w, ci]), placeholder("W", [kh, kw, per, co])];
    const places: Places = {
      data: (i, c, y, x) => ((i * h + y) * w + x) * ci + c,
      kernel: hwio,
      out: (i, f, y, x) => ((i * oh + y) * ow + x) * co + f,
    };
    check(conv2dNhwc(a, b, options), [a, b], [n, oh, ow, co], places);
    checkTransposed("NHWC", a, b, [n, oh, ow, co], places);
  });

  it("conv2dNhwcnc, tiles of 1 and of a whole group", () => {
    for (const [tn, ti, to] of [
      [1, 1, 1],
      [n, per, co / groups],
    ] as const) {
      const [bn, bi, bo] = [n / tn, ci / ti, co / to];
      const tiled = (i: number, y: number, x: number, c: number, [H, W, C, t]: readonly [number, number, number, number]) =>
        ((((Math.floor(i / tn) * H + y) * W + x) * C + Math.floor(c / t)) * tn + (i % tn)) * t + (c % t);
      const a = placeholder("A", [bn, h, w, bi, tn, ti], "float16");
      const b = placeholder("W", [kh, kw, per / ti, bo, ti, to], "float16");
      const conv = conv2dNhwcnc(a, b, options);
      expect(conv.dtype).toBe("float32");
      const places: Places = {
        data: (i, c, y, x) => tiled(i, y, x, c, [h, w, bi, ti]),
        kernel: (f, c, p, q) =>
          ((((p * kw + q) * (per / ti) + Math.floor(c / ti)) * bo + Math.floor(f / to)) * ti + (c % ti)) * to + (f % to),
        out: (i, f, y, x) => tiled(i, y, x, f, [oh, ow, bo, to]),
      };
      check(conv, [a, b], [bn, oh, ow, bo, tn, to], places);
      checkTransposed("NHWCnc", a, b, [bn, oh, ow, bo, tn, to], places);
    }
  });
});

it.each([
  ["conv2dNchw", conv2dNchw, "NCHW", "OIHW", "IHW"],
  ["conv2dNhwc", conv2dNhwc, "NHWC", "HWIO", "HWI"],
  ["conv2dHwcn", conv2dHwcn, "HWCN", "HWIO", "HWI"],
  ["conv2dNhwcnc", conv2dNhwcnc, "NHWCnc", "HWIOio", "IHWi"],
] as const)("%s adds up in its order: rounded sums tell", (_, conv, ofData, ofKernel, order) => {
  const extents: Readonly<Record<string, number>> = { H: 5, W: 7, C: 3, I: 3, c: 2, i: 2 };
  const shapeOf = (letters: string) => [...letters].map((letter) => extents[letter] ?? 1);
  const [a, b] = [placeholder("A", shapeOf(ofData)), placeholder("W", shapeOf(ofKernel))];
  const pixels = Float32Array.from({ length: sizeOf(a.shape) }, (_, i) => 1 / (i + 1));
  let total = 0;
  forAll(shapeOf(order), (index) => {
    const at = [...ofData.replace("C", "I").replace("c", "i")].map((letter) => index[order.indexOf(letter)] ?? 0);
    total = Math.fround(total + (read(pixels, a.shape, at) as number));
  });
  expect(resultFrom([a, b], conv(a, b), [pixels, new Float32Array(sizeOf(b.shape)).fill(1)])).toEqual([total]);
});

it("convolutions refuse what does not fit, naming it", () => {
  const data = placeholder("data", [4, 4, 3, 1]);
  const k = (shape: readonly number[]) => placeholder("k", [...shape]);
  expect(() => conv2dHwcn(data, k([3, 3, 2, 5]))).toThrow("conv: data has 3 channels, kernel 2 for each of 1 groups");
  expect(() => conv2dHwcn(data, k([7, 3, 3, 5]), { padding: 1 })).toThrow(
    "conv: a window reaches over 7 elements of dimension 0, and with its border it has 6",
  );
  expect(() => conv2dNhwc(data, k([1, 5, 1, 2]), { padding: [0, [1, 0]] })).toThrow(
    "conv: a window reaches over 5 elements of dimension 2, and with its border it has 4",
  );
  expect(() => conv2dNhwcnc(data, k([1, 1]))).toThrow("Conv: data has 4 and kernel 2 dimensions; both have 6 (NHWCnc, HWIOio)");
  expect(() => conv2dNhwc(data, k([1, 1, 1, 1]), { stride: 0 })).toThrow("stride is 0");
  expect(() => conv2dNhwc(data, k([1, 1, 1, 3]), { groups: 2 })).toThrow(
    "groups is 2; it divides the 1 channels and the 3 filters",
  );
  const tiles = placeholder("tiles", [1, 4, 4, 2, 1, 8]);
  expect(() => conv2dNhwcnc(tiles, k([1, 1, 2, 1, 4, 8]))).toThrow("data has tiles of 8 channels, kernel tiles of 4");
});

describe("elementwise", () => {
  const [h, w] = [3, 4];
  const [x, row] = [numbers([h * w], 1), numbers([w], 2)];
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
    expect(resultFrom([a, b], operator(a, b), [x, row])).toEqual(byHand(f));
  });
  it("relu, cast and any function of elements", () => {
    expect(resultFrom([a], relu(a), [x])).toEqual([...x].map((v) => (v > 0 ? v : 0)));
    expect(resultFrom([a], castTensor(a, "int8"), [x.map((v) => v + 0.75)])).toEqual([...x].map((v) => Math.trunc(v + 0.75) + 0));
    const column = placeholder("c", [h, 1]);
    const three = elementwise("three", [a, b, column], (p, q, r) => add(mul(p as Expr, q as Expr), r as Expr));
    const expected = byHand((p, q) => p * q).map((v, i) => v + 5 + Math.floor(i / w));
    expect(resultFrom([a, b, column], three, [x, row, Float32Array.of(5, 6, 7)])).toEqual(expected);
  });
  it("repeats the first operand too, and rounds quotients of integers down", () => {
    expect(resultFrom([a, b], subtractTensors(b, a), [x, row])).toEqual(byHand((p, q) => q - p));
    const column = placeholder("c", [h, 1]);
    const table = [0, 1, 2].flatMap((i) => [...row].map((q) => 5 + i - q));
    expect(resultFrom([b, column], subtractTensors(column, b), [row, Float32Array.of(5, 6, 7)])).toEqual(table);
    for (const [dtype, p, q, wanted] of [
      ["int32", [-7, 7, -6], 2, [-4, 3, -3]],
      ["int8", [-7, 7, -6], -4, [1, -2, 1]],
      ["uint8", [255, 7, 9], 2, [127, 3, 4]],
    ] as const) {
      const [u, v] = [placeholder("u", [3], dtype), placeholder("v", [1], dtype)];
      expect(resultFrom([u, v], divideTensors(u, v), [Float32Array.from(p), Float32Array.of(q)]), dtype).toEqual(wanted);
    }
  });
  it("repeats to a shape that is given", () => {
    const wide = elementwise("wide", [b], (q) => q as Expr, [2, h, w]);
    expect(resultFrom([b], wide, [row])).toEqual(new Array(2 * h).fill([...row]).flat());
  });
  it("refuses shapes that do not repeat, and no operands", () => {
    expect(() => elementwise("none", [], (p) => p as Expr)).toThrow("none has no operands");
    expect(() => addTensors(a, placeholder("c", [3]))).toThrow(
      'add: shapes of "a" (3, 4) and "c" (3) differ in dimension 1; an extent may differ only from 1',
    );
  });
});
