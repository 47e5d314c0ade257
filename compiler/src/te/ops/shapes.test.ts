/** Against loops written by hand (by-hand.testing.ts). Sizes are odd and unequal, so that no dimension passes for another. */
import { describe, expect, it } from "vitest";
import type { Buffer } from "../../ir/buffer.ts";
import { placeholder } from "../compute.ts";
import { fills } from "../fill.ts";
import { close, f64, mapped, n, numbers, read, resultOf } from "./by-hand.testing.ts";
import { attention, batchMatmul } from "./products.ts";
import { dequantize, quantize, requantize } from "./quantize.ts";
import { resize } from "./resize.ts";
import { concatenate, gather, reshape, slice, transpose } from "./shapes.ts";

describe("shapes", () => {
  const shape = [2, 3, 4];
  const [x, xs] = [f64("x", shape), numbers(shape)];
  it("transpose, reshape and slice", () => {
    expect(resultOf(transpose(x, [2, 0, 1]), [[x, xs]])).toEqual(
      mapped([4, 2, 3], ([a, b, c]) => read(xs, shape, [b as number, c as number, a as number]) as number),
    );
    expect(transpose(x, [-1, 0, -2]).shape).toEqual([4, 2, 3]);
    for (const to of [[4, 6], [24], [3, 1, 8], [2, 2, 3, 2]]) expect(resultOf(reshape(x, to), [[x, xs]])).toEqual([...xs]);
    expect(resultOf(slice(x, -1, 1, 4, { step: 2 }), [[x, xs]])).toEqual(
      mapped([2, 3, 2], ([a, b, c]) => read(xs, shape, [a as number, b as number, 1 + 2 * (c as number)]) as number),
    );
    expect(resultOf(slice(x, 2, 3, -1, { step: -2 }), [[x, xs]])).toEqual(
      mapped([2, 3, 2], ([a, b, c]) => read(xs, shape, [a as number, b as number, 3 - 2 * (c as number)]) as number),
    );
    expect(() => slice(x, 2, 4, 0, { step: -1 })).toThrow("[4, 0) by -1 is no part of dimension 2");
    for (const [begin, end, step] of [
      [0, 3, -1],
      [-1, 3, 1],
      [0, 4, 0],
      [4, 5, 1],
      [3, -2, -1],
    ] as const)
      expect(() => slice(x, 2, begin, end, { step })).toThrow(`[${begin}, ${end}) by ${step} is no part of dimension 2`);
    expect(() => transpose(x, [0, 0, 1])).toThrow("does not name each of the 3 dimensions");
    expect(() => reshape(x, [5, 5])).toThrow('the shape (5, 5) has 25 elements; "x" has 24');
    expect(() => slice(x, 1, 2, 4)).toThrow('[2, 4) by 1 is no part of dimension 1 of "x", which has the elements 0 to 2');
  });
  it("concatenate three parts of unequal extent", () => {
    const parts = [1, 3, 2].map((extent, i) => f64(`p${i}`, [2, extent, 4]));
    const data = parts.map((part, salt) => numbers(part.shape, salt));
    const wanted = mapped([2, 6, 4], ([a, b, c]) => {
      const [part, row] =
        (b as number) < 1 ? [0, b as number] : (b as number) < 4 ? [1, (b as number) - 1] : [2, (b as number) - 4];
      return read(data[part] as Float64Array, (parts[part] as Buffer).shape, [a as number, row, c as number]) as number;
    });
    expect(
      resultOf(
        concatenate(parts, 1),
        parts.map((part, i) => [part, data[i] as Float64Array] as const),
      ),
    ).toEqual(wanted);
    expect(() => concatenate([x, f64("y", [2, 3])], 1)).toThrow('"y" (2, 3) and "x" (2, 3, 4) differ beside dimension 1');
    expect(() => concatenate([], 1)).toThrow("joined: there are no parts");
    expect(() => concatenate([x, f64("y", [2, 3, 5])], 1)).toThrow('"y" (2, 3, 5) and "x" (2, 3, 4) differ beside dimension 1');
  });
  it("gather rows, and along another dimension; indices without a bound are refused", () => {
    const indices = placeholder("i", [2, 2], "int32", fills.below(3));
    const chosen = Int32Array.of(2, 0, 1, 2);
    const y = gather(x, indices, { dimension: 1 });
    expect(y.shape).toEqual([2, 2, 2, 4]);
    expect(
      resultOf(y, [
        [x, xs],
        [indices, chosen],
      ]),
    ).toEqual(
      mapped(
        y.shape,
        ([a, p, q, c]) =>
          read(xs, shape, [a as number, n([...chosen], (p as number) * 2 + (q as number)), c as number]) as number,
      ),
    );
    const rows = placeholder("r", [3], "int32", fills.below(2));
    const picked = [1, 0, 1];
    for (const [y, shapeOf, from] of [
      [gather(x, rows), [3, 3, 4], ([p, b, c]: readonly number[]) => [n(picked, p as number), b as number, c as number]],
      [
        gather(x, rows, { dimension: -1 }),
        [2, 3, 3],
        ([a, b, p]: readonly number[]) => [a as number, b as number, n(picked, p as number)],
      ],
    ] as const) {
      expect(y.shape).toEqual(shapeOf);
      const given = [
        [x, xs],
        [rows, Int32Array.from(picked)],
      ] as const;
      expect(resultOf(y, given)).toEqual(mapped(shapeOf, (index) => read(xs, shape, from(index)) as number));
    }
    expect(() => gather(x, placeholder("j", [2], "int32"), { dimension: 1 })).toThrow('say what "j" holds by a fill');
  });
  describe.each(["asymmetric", "half_pixel", "pytorch_half_pixel", "align_corners"] as const)("other extents, %s", (places) => {
    // The formulas of ONNX's Resize, in floating point: steps are of a sixteenth, so that nothing is rounded.
    const from = (i: number, extent: number, size: number, step: number): number => {
      if (places === "asymmetric") return i * step;
      if (places === "align_corners") return size === 1 ? 0 : (i * (extent - 1)) / (size - 1);
      return places === "pytorch_half_pixel" && size === 1 ? 0 : (i + 0.5) * step - 0.5;
    };
    const rounded = {
      floor: Math.floor,
      ceil: Math.ceil,
      half_down: (place: number) => Math.ceil(place - 0.5),
      half_up: (place: number) => Math.floor(place + 0.5),
    };
    const inside = (place: number, extent: number): number => Math.min(Math.max(place, 0), extent - 1);
    // [sizes, steps]: larger and smaller, one element alone, and a factor that the sizes do not give.
    it.each<[readonly number[], readonly (readonly [number, number])[] | undefined]>([
      [[1, 2, 9, 8], undefined],
      [[1, 2, 2, 1], undefined],
      [[1, 4, 5, 4], undefined],
      // As many elements as there were, half a step apart.
      [
        [1, 2, 5, 6],
        [
          [1, 1],
          [1, 1],
          [1, 2],
          [2, 3],
        ],
      ],
      [
        [1, 2, 9, 6],
        [
          [1, 1],
          [1, 1],
          [11, 16],
          [2, 3],
        ],
      ],
    ])("%j, steps %j", (sizes, steps) => {
      const shape = [1, 2, 5, 4];
      const [image, data] = [f64("image", shape), numbers(shape)];
      const stepOf = (d: number) => (steps?.[d]?.[0] ?? (shape[d] as number)) / (steps?.[d]?.[1] ?? (sizes[d] as number));
      const isKept = (d: number) => sizes[d] === shape[d] && stepOf(d) === 1;
      const placeOf = (i: number, d: number) => (isKept(d) ? i : from(i, shape[d] as number, sizes[d] as number, stepOf(d)));
      for (const rounding of ["floor", "ceil", "half_down", "half_up"] as const)
        expect(resultOf(resize(image, { sizes, steps, places, rounding }), [[image, data]]), rounding).toEqual(
          mapped(sizes, (index) => {
            // A third of an element is no number of a computer: what it gives is taken to the whole number beside it.
            const near = (place: number) =>
              Math.abs(place * 12 - Math.round(place * 12)) < 1e-9 ? Math.round(place * 12) / 12 : place;
            return read(
              data,
              shape,
              index.map((i, d) => inside(rounded[rounding](near(placeOf(i, d))), shape[d] as number)),
            ) as number;
          }),
        );
      const linear = (index: readonly number[], at: readonly number[]): number => {
        const d = at.length;
        if (d === shape.length) return read(data, shape, [...at]) as number;
        const place = placeOf(index[d] as number, d);
        const low = Math.floor(place);
        const [first, second] = [low, low + 1].map((i) => linear(index, [...at, inside(i, shape[d] as number)])) as [
          number,
          number,
        ];
        return first * (1 - (place - low)) + second * (place - low);
      };
      close(
        resultOf(resize(image, { sizes, steps, places, mode: "linear" }), [[image, data]]),
        mapped(sizes, (index) => linear(index, [])),
      );
    });
  });
  it("other extents are refused", () => {
    expect(() => resize(x, { sizes: [2, 3] })).toThrow('there are 2 sizes; "x" has 3 dimensions');
    expect(() => resize(x, { sizes: [2, 3, 0] })).toThrow("a size of 0; it is a whole number from 1");
  });
});

describe("products of batches", () => {
  it("with broadcast batches and operands either way round", () => {
    const [a, b] = [f64("a", [3, 1, 4, 5]), f64("b", [2, 6, 5])];
    const [as, bs] = [numbers(a.shape), numbers(b.shape, 3)];
    const y = batchMatmul(a, b, { transposeB: true });
    expect(y.shape).toEqual([3, 2, 4, 6]);
    const wanted = mapped(y.shape, ([p, q, i, j]) => {
      let total = 0;
      for (let k = 0; k < 5; k++)
        total +=
          (read(as, a.shape, [p as number, 0, i as number, k]) as number) *
          (read(bs, b.shape, [q as number, j as number, k]) as number);
      return total;
    });
    expect(
      resultOf(y, [
        [a, as],
        [b, bs],
      ]),
    ).toEqual(wanted);
    // Products of up to 102,400 are beyond float16, the operands' type.
    const [c, d] = [placeholder("c", [2, 5, 4], "float16"), placeholder("d", [3, 1, 5, 3], "float16")];
    const [cs, ds] = [c, d].map((t, salt) => numbers(t.shape, salt).map((v) => 40 * v)) as [Float64Array, Float64Array];
    const other = batchMatmul(c, d, { transposeA: true, outDtype: "float32" });
    expect(other.shape).toEqual([3, 2, 4, 3]);
    expect(batchMatmul(c, f64("e", [5, 3]), { transposeA: true }).dtype).toBe("float16");
    for (const [p, q] of [
      [f64("v", [5]), b],
      [a, f64("v", [5])],
    ] as const)
      expect(() => batchMatmul(p, q)).toThrow('"v" has 1 dimension; it has at least 2');
    expect(
      resultOf(other, [
        [c, cs],
        [d, ds],
      ]),
    ).toEqual(
      mapped(other.shape, ([p, q, i, j]) => {
        let total = 0;
        for (let k = 0; k < 5; k++)
          total +=
            (read(cs, c.shape, [q as number, k, i as number]) as number) *
            (read(ds, d.shape, [p as number, 0, k, j as number]) as number);
        return total;
      }),
    );
    expect(() => batchMatmul(a, f64("c", [4, 6, 5]))).toThrow('it sums over 5 of "a" and 6 of "c"');
    expect(() => batchMatmul(f64("d", [3, 2, 5]), f64("e", [2, 5, 2]))).toThrow('"d" has 3 and "e" 2 in batch dimension 0');
  });
  it.each([false, true])("attention, causal %s", (isCausal) => {
    const [q, k, v] = [f64("q", [2, 4, 3]), f64("k", [2, 6, 3]), f64("v", [2, 6, 5])];
    const data = [q, k, v].map((t, salt) => numbers(t.shape, salt).map((value) => value / 8)) as [
      Float64Array,
      Float64Array,
      Float64Array,
    ];
    const wanted = mapped([2, 4, 5], ([b, i, e]) => {
      const scores = Array.from({ length: 6 }, (_, j) => {
        if (isCausal && j > (i as number)) return -Infinity;
        let dot = 0;
        for (let d = 0; d < 3; d++)
          dot +=
            (read(data[0], q.shape, [b as number, i as number, d]) as number) *
            (read(data[1], k.shape, [b as number, j, d]) as number);
        return dot / Math.sqrt(3);
      });
      const total = scores.reduce((sum, s) => sum + Math.exp(s), 0);
      return scores.reduce(
        (sum, s, j) => sum + (Math.exp(s) / total) * (read(data[2], v.shape, [b as number, j, e as number]) as number),
        0,
      );
    });
    close(
      resultOf(attention(q, k, v, { isCausal }), [
        [q, data[0]],
        [k, data[1]],
        [v, data[2]],
      ]),
      wanted,
    );
  });
});

it("attention of halves with sums in float32: the weights are halves, and so is the result", () => {
  const [q, k, v] = [
    [1, 3],
    [2, 3],
    [2, 1],
  ].map((shape, i) => placeholder(`t${i}`, shape, "float16")) as [Buffer, Buffer, Buffer];
  // Products of 65,536 are beyond float16, and the weights' last bits are what two large terms leave.
  const given = [
    [q, Float32Array.of(256, 256, 1)],
    [k, Float32Array.of(256, -256, 0, 256, -256, 1)],
    [v, Float32Array.of(2047, -1149)],
  ] as const;
  const half = (x: number) => {
    const unit = 2 ** (Math.floor(Math.log2(Math.abs(x))) - 10);
    return Math.round(x / unit) * unit;
  };
  const power = Math.exp(1 / Math.sqrt(3));
  const wanted = half(half(1 / (1 + power)) * 2047 - half(power / (1 + power)) * 1149);
  const y = attention(q, k, v, { sums: "float32" });
  expect(y.dtype).toBe("float16");
  expect(resultOf(y, given)).toEqual([wanted]);
});

describe("integers for floats", () => {
  const scale = placeholder("scale", [3, 1]);
  const scales = Float32Array.of(0.5, 0.25, 2);
  it("by a scale of each channel, halves to the even number, and saturated", () => {
    const x = placeholder("x", [3, 4]);
    const xs = Float32Array.of(1.25, -0.25, 1000, -1000, 0.125, 0.375, -0.125, 31.75, 5, -5, 3, 255);
    const rint = (v: number) => {
      const r = Math.round(v);
      return Math.abs(v % 1) === 0.5 && r % 2 !== 0 ? r - 1 : r;
    };
    const wanted = (zero: number, least: number, most: number) =>
      [...xs].map((v, i) => Math.min(Math.max(rint(v / (scales[i >> 2] as number)) + zero, least), most) + 0);
    expect(
      resultOf(quantize(x, scale), [
        [x, xs],
        [scale, scales],
      ]),
    ).toEqual(wanted(0, -128, 127));
    expect(
      resultOf(quantize(x, scale, { zero: 128, dtype: "uint8" }), [
        [x, xs],
        [scale, scales],
      ]),
    ).toEqual(wanted(128, 0, 255));
    expect(() => quantize(x, scale, { dtype: "int32" })).toThrow("the type is int32; it is int8 or uint8");
  });
  it("and back, and sums of products to the next layer's", () => {
    const [q, qs] = [placeholder("q", [3, 2], "int8"), Int8Array.of(-128, 127, 3, -3, 0, 5)];
    expect(
      resultOf(dequantize(q, scale, { zero: 3 }), [
        [q, qs],
        [scale, scales],
      ]),
    ).toEqual([...qs].map((v, i) => (v - 3) * (scales[i >> 1] as number)));
    const [sums, ss] = [placeholder("sums", [3, 2], "int32"), Int32Array.of(300, -7, 5, 6, -100, 1)];
    expect(
      resultOf(requantize(sums, scale, { zero: 1 }), [
        [sums, ss],
        [scale, scales],
      ]),
    ).toEqual([127, -3, 2, 3, -128, 3]);
    expect(
      resultOf(requantize(sums, scale, { zero: 128, dtype: "uint8" }), [
        [sums, ss],
        [scale, scales],
      ]),
    ).toEqual([255, 124, 129, 130, 0, 130]);
    expect(() => requantize(sums, scale, { dtype: "int32" })).toThrow("the type is int32; it is int8 or uint8");
    // What follows is float64, as its scale is: in float32 the factor is 1.5, and a tenth another number.
    const factor = f64("factor", [1]);
    expect(
      resultOf(requantize(sums, factor), [
        [sums, ss.fill(1)],
        [factor, Float64Array.of(1.5 - 2 ** -30)],
      ]),
    ).toEqual(new Array(6).fill(1));
    const tenth = f64("tenth", [1]);
    expect(
      resultOf(dequantize(q, tenth), [
        [q, qs],
        [tenth, Float64Array.of(0.1)],
      ]),
    ).toEqual([...qs].map((v) => v * 0.1));
  });
});
