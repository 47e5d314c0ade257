/** Against loops written by hand (by-hand.testing.ts). Sizes are odd and unequal, so that no dimension passes for another. */
import { describe, expect, it } from "vitest";
import type { Buffer } from "../../ir/buffer.ts";
import { compute } from "../compute.ts";
import { at } from "../expr.ts";
import { gelu, geluTanh, hardSigmoid, hardSwish, relu6, silu } from "./activations.ts";
import { close, f64, mapped, n, numbers, read, resultOf } from "./by-hand.testing.ts";
import { batchNorm, groupNorm, layerNorm, logSoftmax, rmsNorm, softmax } from "./normalize.ts";
import { argmax, argmin, maxOver, meanOver, minOver, productOver, sumOver } from "./reductions.ts";

describe("reductions", () => {
  const shape = [3, 4, 5];
  // Sevenths: rounded sums tell the order, which is the memory's however the dimensions are named.
  const [x, xs] = [f64("x", shape), numbers(shape).map((v) => v / 7)];
  const over = (index: readonly number[]) =>
    Array.from({ length: 3 }, (_, a) =>
      Array.from({ length: 5 }, (_, b) => read(xs, shape, [a, n(index, 1), b]) as number),
    ).flat();
  it.each([
    ["sum", sumOver, (v: readonly number[]) => v.reduce((a, b) => a + b, 0)],
    ["product", productOver, (v: readonly number[]) => v.reduce((a, b) => a * b, 1)],
    ["max", maxOver, (v: readonly number[]) => Math.max(...v)],
    ["min", minOver, (v: readonly number[]) => Math.min(...v)],
    ["mean", meanOver, (v: readonly number[]) => v.reduce((a, b) => a + b, 0) / v.length],
  ] as const)("%s over the first and the last dimension, kept and dropped, and over all", (_, reduce, byHand) => {
    const wanted = mapped([1, 4, 1], (index) => byHand(over(index)));
    for (const [drops, left] of [
      [false, [1, 4, 1]],
      [true, [4]],
    ] as const)
      for (const dimensions of [
        [0, -1],
        [2, 0],
      ]) {
        const y = reduce(x, dimensions, { drops });
        expect(y.shape).toEqual(left);
        expect(resultOf(y, [[x, xs]])).toEqual(wanted);
      }
    const first = reduce(x, [0], { drops: true });
    expect(first.shape).toEqual([4, 5]);
    expect(resultOf(first, [[x, xs]])).toEqual(
      mapped([4, 5], ([b, c]) => byHand([0, 1, 2].map((a) => read(xs, shape, [a, b as number, c as number]) as number))),
    );
    const all = reduce(x, [0, 1, 2], { drops: true });
    expect(all.shape).toEqual([1]);
    expect(resultOf(all, [[x, xs]])).toEqual([byHand([...xs])]);
  });
  it.each([
    ["argmax", argmax, Math.max],
    ["argmin", argmin, Math.min],
  ] as const)("%s is the least index where elements are equal", (_, of, extreme) => {
    const [z, zs] = [
      f64("z", [2, 6, 3]),
      Float64Array.from({ length: 36 }, (_, i) => [3, 1, 3, 0, 1, 0][(i + (i >> 2)) % 6] as number),
    ];
    const wanted = mapped([2, 1, 3], ([a, , b]) => {
      const values = Array.from({ length: 6 }, (_, k) => read(zs, [2, 6, 3], [a as number, k, b as number]) as number);
      return values.indexOf(extreme(...values));
    });
    expect(resultOf(of(z, 1), [[z, zs]])).toEqual(wanted);
    const dropped = of(z, -2, { drops: true });
    expect(dropped.shape).toEqual([2, 3]);
    expect(resultOf(dropped, [[z, zs]])).toEqual(wanted);
    const row = f64("row", [3]);
    expect([0, 1, 2]).toContain(resultOf(of(row, 0), [[row, new Float64Array(3).fill(Number.NaN)]])[0]);
  });
  it("refuses dimensions that are not there, none, or twice", () => {
    for (const d of [3, -4, 0.5])
      expect(() => sumOver(x, [d])).toThrow(`sum: "x" has no dimension ${d}; it has 3, from 0 or from -3`);
    expect(() => sumOver(x, [])).toThrow("are none, or one is there twice");
    expect(() => maxOver(x, [2, -1])).toThrow("the dimensions [2, -1] are none, or one is there twice");
  });
});

describe("normalizations", () => {
  const shape = [3, 6, 5];
  const [x, xs] = [f64("x", shape), numbers(shape)];
  const rowOf = ([a, b]: readonly number[]) =>
    Array.from({ length: 5 }, (_, k) => read(xs, shape, [a as number, b as number, k]) as number);
  const columnOf = ([a, , c]: readonly number[]) =>
    Array.from({ length: 6 }, (_, k) => read(xs, shape, [a as number, k, c as number]) as number);
  const moments = (v: readonly number[]) => {
    const mean = v.reduce((a, b) => a + b, 0) / v.length;
    return {
      mean,
      variance: v.reduce((a, b) => a + (b - mean) ** 2, 0) / v.length,
      square: v.reduce((a, b) => a + b * b, 0) / v.length,
    };
  };
  it("softmax and its logarithm, along the last and another dimension", () => {
    const share = (v: readonly number[], i: number) => Math.exp(n(v, i)) / v.reduce((a, b) => a + Math.exp(b), 0);
    const last = mapped(shape, (index) => share(rowOf(index), n(index, 2)));
    close(resultOf(softmax(x), [[x, xs]]), last);
    close(resultOf(logSoftmax(x), [[x, xs]]), last.map(Math.log));
    const other = mapped(shape, (index) => share(columnOf(index), n(index, 1)));
    close(resultOf(softmax(x, { dimension: 1 }), [[x, xs]]), other);
    close(resultOf(logSoftmax(x, { dimension: -2 }), [[x, xs]]), other.map(Math.log));
  });
  it("softmax of large numbers is finite", () => {
    const z = f64("z", [1, 2]);
    close(resultOf(softmax(z), [[z, Float64Array.of(1000, 1000)]]), [0.5, 0.5]);
    close(resultOf(logSoftmax(z), [[z, Float64Array.of(1000, -1000)]]), [0, -2000]);
  });
  it("layer norm and RMS norm, with scale and bias, over one dimension and two", () => {
    const [scale, bias] = [f64("scale", [5]), f64("bias", [5])];
    const [s, b] = [Float64Array.of(1, -2, 0.5, 3, 2), Float64Array.of(0.25, 1, -1, 0, 4)];
    const given = [
      [x, xs],
      [scale, s],
      [bias, b],
    ] as const;
    close(
      resultOf(layerNorm(x, { scale, bias, epsilon: 0.25 }), given),
      mapped(shape, (index) => {
        const { mean, variance } = moments(rowOf(index));
        return (
          (((rowOf(index)[n(index, 2)] as number) - mean) / Math.sqrt(variance + 0.25)) * n([...s], n(index, 2)) +
          n([...b], n(index, 2))
        );
      }),
    );
    close(
      resultOf(rmsNorm(x, { scale, epsilon: 0.5 }), given.slice(0, 2)),
      mapped(
        shape,
        (index) =>
          ((rowOf(index)[n(index, 2)] as number) / Math.sqrt(moments(rowOf(index)).square + 0.5)) * n([...s], n(index, 2)),
      ),
    );
    const page = ([a]: readonly number[]) => moments([...xs.slice((a as number) * 30, ((a as number) + 1) * 30)]);
    close(
      resultOf(layerNorm(x, { dimensions: [1, 2] }), [[x, xs]]),
      mapped(shape, (index) => ((read(xs, shape, index) as number) - page(index).mean) / Math.sqrt(page(index).variance + 1e-5)),
    );
    close(
      resultOf(rmsNorm(x, { dimensions: [1, 2], bias }), [
        [x, xs],
        [bias, b],
      ]),
      mapped(
        shape,
        (index) => (read(xs, shape, index) as number) / Math.sqrt(page(index).square + 1e-5) + n([...b], n(index, 2)),
      ),
    );
  });
  it.each([{}, { epsilon: 0.5 }])("group norm and batch norm of channels, %o", (given) => {
    const shape = [3, 6, 5, 2];
    const [x, xs] = [f64("x", shape), numbers(shape)];
    const [scale, bias, mean, variance] = ["scale", "bias", "mean", "variance"].map((name) => f64(name, [6, 1, 1])) as [
      Buffer,
      Buffer,
      Buffer,
      Buffer,
    ];
    const [s, b, m, v] = [1, 2, 3, 4].map((salt) => [...numbers([6], salt)]) as [number[], number[], number[], number[]];
    const positive = v.map((value) => Math.abs(value) + 1);
    const { epsilon = 1e-5 } = given;
    const affine = (index: readonly number[], mean: number, variance: number) => {
      const c = n(index, 1);
      return (((read(xs, shape, index) as number) - mean) / Math.sqrt(variance + epsilon)) * n(s, c) + n(b, c);
    };
    const data = [
      [x, xs],
      [scale, Float64Array.from(s)],
      [bias, Float64Array.from(b)],
    ] as const;
    close(
      resultOf(groupNorm(x, 3, { scale, bias, ...given }), data),
      mapped(shape, (index) => {
        const begin = n(index, 0) * 60 + Math.floor(n(index, 1) / 2) * 20;
        const of = moments([...xs.slice(begin, begin + 20)]);
        return affine(index, of.mean, of.variance);
      }),
    );
    close(
      resultOf(batchNorm(x, mean, variance, { scale, bias, ...given }), [
        ...data,
        [mean, Float64Array.from(m)],
        [variance, Float64Array.from(positive)],
      ]),
      mapped(shape, (index) => affine(index, n(m, n(index, 1)), n(positive, n(index, 1)))),
    );
    for (const groups of [4, 0, -2, 1.5])
      expect(() => groupNorm(x, groups)).toThrow(`groups is ${groups}; it divides the 6 channels of "x"`);
  });
});

describe("functions of elements", () => {
  it.each([
    [
      "gelu",
      gelu,
      (x: number) => {
        const steps = 2000;
        let sum = 0;
        for (let i = 0; i < steps; i++) sum += Math.exp(-((-9 + ((x + 9) * (i + 0.5)) / steps) ** 2 / 2));
        return (x * sum * (x + 9)) / steps / Math.sqrt(2 * Math.PI);
      },
      1e-5,
    ],
    ["geluTanh", geluTanh, (x: number) => 0.5 * x * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (x + 0.044715 * x ** 3))), 1e-12],
    ["silu", silu, (x: number) => x / (1 + Math.exp(-x)), 1e-12],
    ["relu6", relu6, (x: number) => Math.min(Math.max(x, 0), 6), 0],
    ["hardSigmoid", hardSigmoid, (x: number) => Math.min(Math.max(x / 6 + 0.5, 0), 1), 1e-12],
    ["hardSwish", hardSwish, (x: number) => x * Math.min(Math.max(x / 6 + 0.5, 0), 1), 1e-12],
  ] as const)("%s", (_, f, byHand, off) => {
    const x = f64("x", [64]);
    const xs = Float64Array.from({ length: 64 }, (_, i) => i / 4 - 8);
    const y = compute("y", [["i", 64]], (i) => f(at(x, i)));
    for (const [i, value] of resultOf(y, [[x, xs]]).entries())
      expect(Math.abs(value - byHand(xs[i] as number))).toBeLessThanOrEqual(off);
  });
});
