/** Against loops written by hand (by-hand.testing.ts). Sizes are odd and unequal, so that no dimension passes for another. */
import { describe, expect, it } from "vitest";
import { placeholder } from "../compute.ts";
import { f64, forAll, mapped, n, numbers, read, resultOf, sizeOf } from "./by-hand.testing.ts";
import { convolution, transposedConvolution } from "./convolution.ts";
import { averagePool, globalAveragePool, maxPool } from "./pool.ts";

type Pair = readonly [before: number, after: number];
const pair = (padding: readonly Pair[], d: number): Pair => padding[d] as Pair;

interface Transposed {
  readonly data: readonly number[];
  readonly kernel: readonly number[];
  readonly stride: readonly number[];
  readonly dilation: readonly number[];
  readonly padding: readonly Pair[];
  readonly outputPadding: readonly number[];
  readonly groups: number;
}

describe("convolution", () => {
  it.each([
    { data: [2, 3, 11], kernel: [5, 3, 4], stride: [2], dilation: [1], padding: [[1, 2]], groups: 1 },
    { data: [1, 4, 9], kernel: [6, 2, 3], stride: [1], dilation: [2], padding: [[0, 3]], groups: 2 },
    {
      data: [1, 6, 7, 5],
      kernel: [9, 2, 3, 2],
      stride: [2, 1],
      dilation: [1, 2],
      padding: [
        [0, 1],
        [2, 0],
      ],
      groups: 3,
    },
    {
      data: [2, 4, 5, 6],
      kernel: [4, 1, 3, 3],
      stride: [1, 2],
      dilation: [1, 1],
      padding: [
        [1, 1],
        [1, 0],
      ],
      groups: 4,
    },
    {
      data: [1, 2, 4, 5, 3],
      // The first dimension has one window, as large as the data and its border.
      kernel: [3, 2, 3, 3, 1],
      stride: [1, 2, 1],
      dilation: [2, 1, 1],
      padding: [
        [0, 1],
        [1, 1],
        [0, 1],
      ],
      groups: 1,
    },
  ])("of $data by $kernel, stride $stride, dilation $dilation, padding $padding, groups $groups", (given) => {
    const { data, kernel, stride, dilation, groups } = given;
    const padding = given.padding as [number, number][];
    const [x, w] = [f64("x", data), f64("w", kernel)];
    const options = { stride, dilation, padding, groups };
    const y = convolution(x, w, options);
    const [xs, ws] = [numbers(data), numbers(kernel, 2)];
    const places = padding.map(
      ([lo, hi], d) => Math.floor((n(data, d + 2) + lo + hi - (n(kernel, d + 2) - 1) * n(dilation, d) - 1) / n(stride, d)) + 1,
    );
    expect(y.shape).toEqual([data[0], kernel[0], ...places]);
    const perGroup = n(kernel, 0) / groups;
    const wanted = mapped(y.shape, ([b, f, ...place]) => {
      let total = 0;
      forAll(kernel.slice(1), ([c, ...k]) => {
        const at = place.map((i, d) => i * n(stride, d) + n(k, d) * n(dilation, d) - pair(padding, d)[0]);
        const channel = Math.floor((f as number) / perGroup) * n(kernel, 1) + (c as number);
        total +=
          (read(xs, data, [b as number, channel, ...at]) ?? 0) * (read(ws, kernel, [f as number, c as number, ...k]) as number);
      });
      return total;
    });
    for (const each of [y, convolution(x, w, { ...options, border: "skip" })])
      expect(
        resultOf(each, [
          [x, xs],
          [w, ws],
        ]),
      ).toEqual(wanted);
  });

  it("in the data's type, or in another to which operands are cast before the product", () => {
    const [x, w] = [placeholder("x", [1, 1, 3], "int8"), placeholder("w", [1, 1, 2], "int8")];
    const given = [
      [x, Int8Array.of(100, -90, 77)],
      [w, Int8Array.of(-100, 50)],
    ] as const;
    expect(resultOf(convolution(x, w, { outDtype: "int32" }), given)).toEqual([-14500, 12850]);
    expect(resultOf(transposedConvolution(x, w, { outDtype: "int32" }), given)).toEqual([-10000, 14000, -12200, 3850]);
    expect(convolution(placeholder("half", [1, 1, 3], "float16"), f64("v", [1, 1, 2])).dtype).toBe("float16");
  });

  // Paddings that a window reaches over, and wider ones; each dimension has options of its own.
  it.each<Transposed>([
    { data: [2, 3, 5], kernel: [3, 4, 3], stride: [2], dilation: [1], padding: [[1, 1]], outputPadding: [1], groups: 1 },
    {
      ...{ data: [1, 4, 4, 3], kernel: [4, 3, 4, 2], stride: [3, 2], dilation: [1, 3], outputPadding: [2, 0], groups: 2 },
      padding: [
        [0, 1],
        [3, 0],
      ],
    },
    {
      ...{ data: [1, 2, 3, 4], kernel: [2, 2, 2, 3], stride: [1, 2], dilation: [2, 1], outputPadding: [0, 1], groups: 1 },
      padding: [
        [2, 2],
        [3, 4],
      ],
    },
    {
      ...{
        data: [1, 2, 2, 3, 2],
        kernel: [2, 1, 2, 1, 3],
        stride: [2, 1, 3],
        dilation: [1, 1, 2],
        outputPadding: [1, 0, 2],
        groups: 2,
      },
      padding: [
        [1, 0],
        [0, 0],
        [1, 3],
      ],
    },
  ])("transposed, of $data by $kernel: what each element scatters", ({ data, kernel, groups, ...rest }) => {
    const { stride, dilation, padding, outputPadding } = rest;
    const [x, w] = [f64("x", data), f64("w", kernel)];
    const y = transposedConvolution(x, w, { groups, ...rest });
    const [xs, ws] = [numbers(data), numbers(kernel, 2)];
    const filters = n(kernel, 1) * groups;
    const extents = data
      .slice(2)
      .map((e, d) => (e - 1) * n(stride, d) + n(dilation, d) * (n(kernel, d + 2) - 1) + 1 + n(outputPadding, d))
      .map((e, d) => e - pair(padding, d)[0] - pair(padding, d)[1]);
    expect(y.shape).toEqual([data[0], filters, ...extents]);
    const wanted = new Float64Array(sizeOf(y.shape));
    forAll(data, ([b, c, ...place]) =>
      forAll(kernel.slice(1), ([f, ...k]) => {
        const to = place.map((i, d) => i * n(stride, d) + n(k, d) * n(dilation, d) - pair(padding, d)[0]);
        if (to.some((i, d) => i < 0 || i >= n(extents, d))) return;
        const group = Math.floor((c as number) / (n(data, 1) / groups));
        const index = [b as number, group * n(kernel, 1) + (f as number), ...to];
        const offset = index.reduce((sum, i, d) => sum * n(y.shape, d) + i, 0);
        wanted[offset] =
          (wanted[offset] as number) +
          (read(xs, data, [b as number, c as number, ...place]) as number) *
            (read(ws, kernel, [c as number, f as number, ...k]) as number);
      }),
    );
    expect(
      resultOf(y, [
        [x, xs],
        [w, ws],
      ]),
    ).toEqual([...wanted]);
  });

  it("refuses what does not fit, by name", () => {
    const [x, w] = [f64("x", [1, 4, 9]), f64("w", [6, 2, 3])];
    expect(() => convolution(x, w)).toThrow("conv: data has 4 channels, kernel 2 for each of 1 groups");
    expect(() => convolution(x, w, { groups: 4 })).toThrow("groups is 4; it divides the 4 channels and the 6 filters");
    expect(() => convolution(x, w, { groups: 2, stride: 0 })).toThrow("stride is 0; it is a whole number from 1");
    expect(() => convolution(x, w, { groups: 2, padding: [1, 1] })).toThrow(
      "padding has 2 entries; the windows have 1 dimensions",
    );
    expect(() => convolution(x, w, { groups: 2, dilation: 5 })).toThrow(
      "reaches over 11 elements of dimension 2, and with its border it has 9",
    );
    expect(() => convolution(f64("z", [1, 4]), w)).toThrow('"z" has 2 dimensions; windows of 1 dimensions take 3');
    expect(() => transposedConvolution(f64("u", [1, 6, 9]), w, { padding: [[6, 5]] })).toThrow(
      "padding is 6 and 5 in dimension 2; that leaves nothing of its result",
    );
    for (const outputPadding of [1, -1])
      expect(() => transposedConvolution(f64("v", [1, 6, 9]), w, { outputPadding })).toThrow(
        `outputPadding is ${outputPadding}; it is a whole number below the stride 1`,
      );
    for (const channels of [5, 7])
      expect(() => transposedConvolution(f64("c", [1, channels, 9]), w)).toThrow(`data has ${channels} channels, kernel 6`);
    for (const shape of [
      [1, 1],
      [1, 1, 1, 1, 1, 1],
    ])
      for (const of of [convolution, transposedConvolution])
        expect(() => of(f64("flat", shape), f64("k", shape))).toThrow(
          `the kernel has ${shape.length} dimensions; it has 3 to 5, the windows' and two`,
        );
  });
});

// Windows of each dimension lie partly in the border.
describe.each<{ data: number[]; size: number[]; stride: number[]; padding: Pair[] }>([
  { data: [2, 3, 9], size: [4], stride: [3], padding: [[1, 3]] },
  // Exporters of old opsets write such a border for ceil_mode: the last window begins with the last element.
  { data: [1, 2, 8], size: [3], stride: [2], padding: [[1, 3]] },
  {
    ...{ data: [2, 3, 7, 9], size: [3, 2], stride: [2, 4] },
    padding: [
      [1, 0],
      [0, 1],
    ],
  },
  {
    ...{ data: [1, 2, 3, 5, 4], size: [2, 3, 1], stride: [1, 2, 3] },
    padding: [
      [0, 1],
      [2, 0],
      [0, 0],
    ],
  },
])("pools of $data by $size, stride $stride, padding $padding", ({ data, ...options }) => {
  const { size, stride, padding } = options;
  const [x, xs] = [f64("x", data), numbers(data)];
  const places = padding.map(([lo, hi], d) => Math.floor((n(data, d + 2) + lo + hi - n(size, d)) / n(stride, d)) + 1);
  const shape = [...data.slice(0, 2), ...places];
  const there = ([b, c, ...place]: readonly number[]): number[] => {
    const seen = mapped(size, (k) => {
      const at = place.map((i, d) => i * n(stride, d) + n(k, d) - pair(padding, d)[0]);
      return read(xs, data, [b as number, c as number, ...at]) ?? Number.NaN;
    });
    return seen.filter((value) => !Number.isNaN(value));
  };
  const mean = (values: readonly number[], count: number) => values.reduce((a, b) => a + b, 0) / count;
  it("the greatest element, of negative ones too", () => {
    expect(maxPool(x, options).shape).toEqual(shape);
    const below = xs.map((v) => v - 9);
    for (const [given, off] of [
      [xs, 0],
      [below, 9],
    ] as const)
      expect(resultOf(maxPool(x, options), [[x, given]])).toEqual(mapped(shape, (index) => Math.max(...there(index)) - off));
  });
  it("the mean, with the border counted or not, and of all", () => {
    expect(resultOf(averagePool(x, options), [[x, xs]])).toEqual(mapped(shape, (i) => mean(there(i), there(i).length)));
    expect(resultOf(averagePool(x, { ...options, countsBorder: true }), [[x, xs]])).toEqual(
      mapped(shape, (i) => mean(there(i), sizeOf(size))),
    );
    const whole = globalAveragePool(x);
    const count = sizeOf(data.slice(2));
    expect(whole.shape).toEqual([...data.slice(0, 2), ...size.map(() => 1)]);
    expect(resultOf(whole, [[x, xs]])).toEqual(
      Array.from({ length: xs.length / count }, (_, i) => mean([...xs.slice(i * count, (i + 1) * count)], count)),
    );
  });
});

describe("pools", () => {
  it("the greatest element of a dilated window, with as large a border as it may have", () => {
    const [z, zs] = [placeholder("z", [1, 1, 5], "int8"), Int8Array.of(-5, -3, -9, -1, -7)];
    for (const padding of [1, 3])
      expect(resultOf(maxPool(z, { size: [2], dilation: 3, padding }), [[z, zs]])).toEqual(
        Array.from({ length: 2 + 2 * padding }, (_, i) =>
          Math.max(...[i - padding, i - padding + 3].filter((k) => k >= 0 && k < 5).map((k) => zs[k] as number)),
        ),
      );
  });
  it("refuses a window in the border alone, and means of dilated windows", () => {
    const x = f64("x", [2, 3, 7, 9]);
    for (const padding of [
      [1, 0],
      [0, 1],
    ] as const)
      expect(() => maxPool(x, { size: [1, 2], padding: [padding, 0] })).toThrow(
        "padding in dimension 2 is so large that a window lies in the border alone",
      );
    const one = f64("one", [1, 1, 1]);
    for (const [size, dilation, padding] of [
      [2, 3, 2],
      [3, 2, [4, 2]],
      [3, 2, [3, 1]],
    ] as const)
      expect(() => maxPool(one, { size: [size], dilation, padding: [padding] })).toThrow("a window lies in the border alone");
    expect(maxPool(one, { size: [3], dilation: 2, stride: 2, padding: [[4, 4]] }).shape).toEqual([1, 1, 3]);
    expect(() => averagePool(x, { size: [1, 2], padding: 1 })).toThrow("so large that a window lies in the border alone");
    expect(averagePool(x, { size: [1, 2], padding: 1, countsBorder: true }).shape).toEqual([2, 3, 9, 10]);
    expect(() => maxPool(placeholder("b", [1, 1, 4], "bool"), { size: [2] })).toThrow(
      "reduces bool by max, which has no start value",
    );
    const [packed, values] = [placeholder("packed", [1, 1, 3], "int4"), Int8Array.of(-3, -8, -5)];
    expect(resultOf(maxPool(packed, { size: [2], padding: 1 }), [[packed, values]])).toEqual([-3, -3, -5, -5]);
    expect(() => averagePool(x, { size: [2, 2], dilation: [1, 2] })).toThrow("dilation is not 1");
  });
});
