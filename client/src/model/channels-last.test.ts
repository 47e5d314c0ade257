/** Networks of halves have channels last, and compute what the model says in its own order. */
import { describe, expect, it } from "vitest";
import { runCli } from "../cli/context.testing.ts";
import {
  attributesOf,
  type Case,
  check,
  conv,
  each,
  elements,
  given,
  pool,
  small,
  sumOf,
  type Tensor,
  tensor,
  transposes,
  type Windows,
  weight,
} from "./loops.testing.ts";
import { f16, f32, i64, info, node, readFiles, written } from "./model.testing.ts";

const x3 = given([2, 3, 7, 6], 1);
const w5 = given([5, 3, 3, 3], 2);
/** Makes channels last of what is not: 5 channels of 7 x 6. */
const stem = [node("Conv", ["x", "w5"], ["s"], { pads: [1, 1, 1, 1] })];
const stemmed = conv(x3, w5, [], { pads: [1, 1, 1, 1] });
const ofStem = (nodes: readonly object[], wanted: Case["wanted"], weights: readonly object[] = []): Case => ({
  ...{ nodes: [...stem, ...nodes], inputs: { x: x3 }, weights: [weight("w5", w5), ...weights], wanted },
});

describe("convolutions", () => {
  it.each<[string, readonly [number, number], Windows, readonly [number, number]]>([
    ["17 filters with a border that differs on each side", [5, 17], { pads: [0, 2, 1, 1] }, [3, 2]],
    ["dilated, in steps", [5, 4], { pads: [2, 1, 2, 0], dilations: [2, 1], strides: [2, 3] }, [3, 3]],
    ["depthwise", [1, 5], { pads: [1, 1, 1, 1], group: 5 }, [3, 3]],
    ["depthwise, three filters a channel", [1, 15], { pads: [1, 0, 0, 1], group: 5, strides: [2, 1] }, [2, 2]],
    ["of one tap", [5, 8], {}, [1, 1]],
  ])("%s", async (_, [ins, outs], windows, size) => {
    const w = given([outs, ins, ...size], 4);
    const bias = small(outs, 5);
    const made = conv(stemmed, w, bias, windows);
    const nodes = [node("Conv", ["s", "w", "b"], ["c"], attributesOf(windows)), node("Relu", ["c"], ["y"])];
    const steps = await check(ofStem(nodes, { y: each(made, (v) => Math.max(v, 0)) }, [weight("w", w), f16("b", [outs], bias)]));
    expect(steps).toEqual(["Transpose Pad", "Conv", "Conv Relu", "Transpose"]);
  });
  it("of two groups", async () => {
    const [x, w] = [given([1, 6, 5, 4], 1), given([4, 3, 2, 3], 2)];
    const wanted = { y: conv(x, w, [], { group: 2, pads: [1, 1, 0, 1] }) };
    await check({
      nodes: [node("Conv", ["x", "w"], ["y"], { group: 2, pads: [1, 1, 0, 1] })],
      inputs: { x },
      weights: [weight("w", w)],
      wanted,
    });
  });
  it("transposed, in groups", async () => {
    const [x, w] = [given([1, 4, 3, 2], 1), given([4, 3, 3, 2], 2)];
    const [strides, pads, group] = [[2, 1], [1, 0, 0, 1], 2];
    const wanted = tensor([1, 6, (3 - 1) * 2 - 1 + 3, 2 - 1 - 1 + 2], (n = 0, f = 0, y = 0, z = 0) => {
      let sum = 0;
      for (let c = 0; c < 2; c++)
        for (let i = 0; i < 3; i++)
          for (let j = 0; j < 2; j++) {
            const [p, q] = [y + 1 - 2 * i, z - j];
            const channel = Math.floor(f / 3) * 2 + c;
            if (p >= 0 && p < 3 && q >= 0 && q < 2) sum += x.at(n, channel, i, j) * w.at(channel, f % 3, p, q);
          }
      return sum;
    });
    const bias = small(6, 3);
    const nodes = [node("ConvTranspose", ["x", "w", "b"], ["y"], { strides, pads, group })];
    const y = each(wanted, (value, _, f = 0) => value + (bias[f] as number));
    const steps = await check({ nodes, inputs: { x }, weights: [weight("w", w), f16("b", [6], bias)], wanted: { y } });
    expect(steps).toEqual(["Transpose", "ConvTranspose", "Transpose"]);
  });
  it("of one dimension", async () => {
    const [x, w] = [given([2, 3, 9], 1), given([4, 3, 2], 2)];
    const y = tensor([2, 4, 5], (n = 0, f = 0, i = 0) =>
      sumOf([0, 1, 2].flatMap((c) => [0, 1].map((k) => (2 * i + k === 0 ? 0 : x.at(n, c, 2 * i + k - 1) * w.at(f, c, k))))),
    );
    const nodes = [node("Conv", ["x", "w"], ["y"], { pads: [1, 0], strides: [2] })];
    const steps = await check({ nodes, inputs: { x }, weights: [weight("w", w)], wanted: { y } });
    expect(steps).toEqual(["Transpose Pad", "Conv", "Transpose"]);
  });
  it("one whose weights are computed keeps the model's order, and so do those of floats", async () => {
    const [x, w] = [given([1, 2, 4, 4], 1), given([3, 2, 3, 3], 2)];
    const steps = await check({
      nodes: [node("Neg", ["v"], ["w"]), node("Conv", ["x", "w"], ["y"])],
      inputs: { x, v: w },
      wanted: {
        y: conv(
          x,
          each(w, (v) => -v),
          [],
        ),
      },
    });
    expect(steps).toEqual(["Neg", "Conv"]);
    const cwd = written({
      node: [node("Conv", ["x", "w"], ["y"])],
      input: [info("x", x.shape)],
      output: [info("y", [1, 3, 2, 2])],
      initializer: [f32("w", w.shape, elements(w))],
    });
    await runCli(["suite", "from-onnx", "model.onnx"], { cwd });
    expect(readFiles(cwd).tasks.map(({ nodes }) => nodes)).toEqual([[expect.objectContaining({ op: "Conv", attributes: {} })]]);
  });
});

describe("a tensor goes on with channels last", () => {
  const channel = (salt: number) => given([5, 1, 1], salt);
  const total = tensor([2, 5], (n = 0, c = 0) =>
    sumOf(Array.from({ length: 42 }, (_, k) => stemmed.at(n, c, Math.floor(k / 6), k % 6))),
  );
  const softmaxed = each(stemmed, (v, n = 0, _, i = 0, j = 0) => {
    const row = [0, 1, 2, 3, 4].map((c) => stemmed.at(n, c, i, j));
    const top = Math.max(...row);
    return Math.exp(v - top) / sumOf(row.map((one) => Math.exp(one - top)));
  });
  const part = tensor([2, 2, 7, 6], (n = 0, c = 0, i = 0, j = 0) => stemmed.at(n, c, i, j));
  const kernel = given([2, 1, 7, 6], 3);
  const one = conv(part, kernel, [], { group: 2 });
  const at =
    (t: Tensor) =>
    (n = 0, c = 0, i = 0, j = 0) =>
      t.at(n, c, i, j);
  const rows = (t: Tensor) =>
    Array.from({ length: 5 }, (_, c) => c).map((c) => (n: number, i: number, j: number) => t.at(n, c, i, j));
  const cases: Readonly<Record<string, Omit<Case, "inputs"> & { readonly moves?: number }>> = {
    "a greatest element, with a border": {
      nodes: [node("MaxPool", ["s"], ["y"], { kernel_shape: [3, 2], pads: [1, 0, 1, 1], strides: [2, 1] })],
      wanted: { y: pool(stemmed, [3, 2], { pads: [1, 0, 1, 1], strides: [2, 1] }, (all) => Math.max(...all)) },
    },
    "a mean of what is no border": {
      nodes: [node("AveragePool", ["s"], ["y"], { kernel_shape: [2, 3], pads: [1, 1, 0, 1] })],
      wanted: { y: pool(stemmed, [2, 3], { pads: [1, 1, 0, 1] }, (all) => sumOf(all) / all.length) },
    },
    "a residual, and constants for each channel, row and column": {
      nodes: [
        node("Add", ["s", "c"], ["a"]),
        node("PRelu", ["a", "p"], ["b"]),
        node("Sub", ["col", "b"], ["d"]),
        node("Add", ["d", "s"], ["e"]),
        node("Mul", ["e", "row"], ["y"]),
      ],
      weights: [
        weight("c", channel(3)),
        weight("p", channel(4)),
        weight("col", given([6], 5)),
        weight("row", given([1, 1, 7, 1], 6)),
      ],
      wanted: {
        y: each(stemmed, (v, _, c = 0, i = 0, j = 0) => {
          const a = v + channel(3).at(c, 0, 0);
          const b = a < 0 ? a * channel(4).at(c, 0, 0) : a;
          return (given([6], 5).at(j) - b + v) * given([1, 1, 7, 1], 6).at(0, 0, i, 0);
        }),
      },
    },
    "a computed tensor of fewer dimensions": {
      nodes: [
        node("Slice", ["x", "from", "to", "axes"], ["part"]),
        node("Squeeze", ["part", "none"], ["line"]),
        node("Add", ["s", "line"], ["y"]),
      ],
      weights: [i64("from", [0, 0]), i64("to", [1, 1]), i64("axes", [0, 1]), i64("none", [0, 1])],
      wanted: { y: each(stemmed, (v, _n, _c, i = 0, j = 0) => v + x3.at(0, 0, i, j)) },
    },
    "parts of the channels side by side": {
      nodes: [node("Split", ["s", "sizes"], ["p", "q"], { axis: 1 }), node("Concat", ["q", "s", "p", "k"], ["y"], { axis: -3 })],
      weights: [i64("sizes", [2, 3]), weight("k", given([2, 1, 7, 6], 3))],
      wanted: {
        y: tensor([2, 11, 7, 6], (n = 0, c = 0, i = 0, j = 0) =>
          c === 10 ? given([2, 1, 7, 6], 3).at(n, 0, i, j) : at(stemmed)(n, c < 3 ? c + 2 : c < 8 ? c - 3 : c - 8, i, j),
        ),
      },
    },
    "weights of a sum over the channels": { nodes: [node("Softmax", ["s"], ["y"], { axis: 1 })], wanted: { y: softmaxed } },
    "the same over the last dimension, which is the one without an axis": {
      nodes: [node("Softmax", ["s"], ["y"])],
      wanted: {
        y: each(stemmed, (v, n = 0, c = 0, i = 0) => {
          const row = [0, 1, 2, 3, 4, 5].map((j) => stemmed.at(n, c, i, j));
          const top = Math.max(...row);
          return Math.exp(v - top) / sumOf(row.map((one) => Math.exp(one - top)));
        }),
      },
    },
    "a part of the first dimensions, which are not named": {
      nodes: [node("Slice", ["s", "from", "to"], ["y"])],
      weights: [i64("from", [1, 1]), i64("to", [2, 4])],
      wanted: { y: tensor([1, 3, 7, 6], (_ = 0, c = 0, i = 0, j = 0) => stemmed.at(1, c + 1, i, j)) },
    },
    "a constant that is a kernel and a term": {
      nodes: [
        node("Slice", ["s", "from", "to"], ["p"]),
        node("Conv", ["p", "k"], ["d"], { group: 2 }),
        node("Add", ["p", "k"], ["t"]),
        node("Add", ["t", "d"], ["y"]),
      ],
      weights: [weight("k", kernel), i64("from", [0, 0]), i64("to", [2, 2])],
      wanted: { y: each(part, (v, n = 0, c = 0, i = 0, j = 0) => v + kernel.at(n, 0, i, j) + one.at(n, c, 0, 0)) },
    },
    "a result of more dimensions": {
      nodes: [node("Mul", ["s", "five"], ["y"])],
      weights: [weight("five", given([2, 1, 1, 1, 1], 2))],
      wanted: {
        y: tensor(
          [2, 2, 5, 7, 6],
          (m = 0, n = 0, c = 0, i = 0, j = 0) => given([2, 1, 1, 1, 1], 2).at(m, 0, 0, 0, 0) * stemmed.at(n, c, i, j),
        ),
      },
    },
    "a part of it, with a border and twice as large": {
      nodes: [
        node("Slice", ["s", "from", "to", "axes", "steps"], ["a"]),
        node("Pad", ["a", "pads"], ["b"]),
        node("Resize", ["b", "", "scales"], ["y"], { coordinate_transformation_mode: "asymmetric", nearest_mode: "floor" }),
      ],
      weights: [
        ...[i64("from", [1, 4]), i64("to", [5, 0]), i64("axes", [1, -1]), i64("steps", [2, -2])],
        ...[i64("pads", [0, 1, 0, 2, 0, 0, 1, 0]), f32("scales", [4], [1, 1, 2, 3])],
      ],
      wanted: {
        y: tensor([2, 3, 16, 12], (n = 0, c = 0, i = 0, j = 0) => {
          const [row, column] = [i >> 1, Math.floor(j / 3) - 2];
          return c === 0 || row === 7 || column < 0 ? 0 : at(stemmed)(n, 2 * c - 1, row, 4 - 2 * column);
        }),
      },
    },
    "sums that keep no dimensions, where the others follow each other": {
      nodes: [node("ReduceSum", ["s", "sides"], ["y"], { keepdims: 0 })],
      weights: [i64("sides", [2, -1])],
      wanted: { y: total },
      moves: 1,
    },
    "and where they do not": {
      nodes: [node("ReduceMax", ["s"], ["y"], { axes: [2], keepdims: 0 })],
      wanted: {
        y: tensor([2, 5, 6], (n = 0, c = 0, j = 0) => Math.max(...[0, 1, 2, 3, 4, 5, 6].map((i) => stemmed.at(n, c, i, j)))),
      },
    },
    "a sum of everything": {
      nodes: [node("ReduceMax", ["s"], ["y"], { keepdims: 0 })],
      wanted: { y: tensor([], () => Math.max(...elements(stemmed))) },
      moves: 1,
    },
    "the place of the greatest channel": {
      nodes: [node("ArgMax", ["s"], ["k"], { axis: 1, keepdims: 0 }), node("Cast", ["k"], ["y"], { to: 10 })],
      wanted: {
        y: tensor([2, 7, 6], (n = 0, i = 0, j = 0) =>
          rows(stemmed).reduce((best, row, c, all) => (row(n, i, j) > (all[best] as typeof row)(n, i, j) ? c : best), 0),
        ),
      },
      moves: 1,
    },
    "more than one element of a channel in a row of all": {
      nodes: [node("Flatten", ["s"], ["f"]), node("Relu", ["f"], ["y"])],
      wanted: {
        y: tensor([2, 210], (n = 0, k = 0) => Math.max(0, stemmed.at(n, Math.floor(k / 42), Math.floor(k / 6) % 7, k % 6))),
      },
    },
    "an operator of the model's order": {
      nodes: [node("Gather", ["s", "at"], ["y"], { axis: 1 }), node("Gather", ["s", "last"], ["z"], { axis: 3 })],
      weights: [i64("at", [4, 0]), i64("last", [5])],
      // The second reader, and the model's output, have what was made for the first.
      wanted: {
        y: tensor([2, 2, 7, 6], (n = 0, c = 0, i = 0, j = 0) => stemmed.at(n, 4 - 4 * c, i, j)),
        z: tensor([2, 5, 7, 1], (n = 0, c = 0, i = 0) => stemmed.at(n, c, i, 5)),
        s: stemmed,
      },
    },
    "two results, one of which a later node reads": {
      nodes: [node("Relu", ["s"], ["r"]), node("Neg", ["r"], ["y"])],
      wanted: { y: each(stemmed, (v) => -Math.max(0, v)), r: each(stemmed, (v) => Math.max(0, v)) },
      moves: 3,
    },
  };
  it.each(Object.entries(cases))("%s", async (_, { moves = 2, ...one }) => {
    expect(transposes(await check(ofStem(one.nodes, one.wanted, one.weights)))).toBe(moves);
  });
});

it("two convolutions of one picture and one kernel read one wider kernel", async () => {
  const half = (name: string, shape: readonly number[]) => info(name, shape, 10);
  const cwd = written({
    node: [node("Conv", ["x", "w5"], ["y"]), node("Conv", ["x", "w5"], ["z"], { strides: [2, 2] })],
    input: [half("x", x3.shape)],
    output: [half("y", [2, 5, 5, 4]), half("z", [2, 5, 3, 2])],
    initializer: [weight("w5", w5)],
  });
  const said = await runCli(["suite", "from-onnx", "model.onnx"], { cwd });
  expect([said.code, said.stderr]).toEqual([0, ""]);
  expect(Object.keys(readFiles(cwd).plan.tensors).filter((name) => /^w5.*wider/.test(name))).toEqual(["w5.last.wider"]);
});

it("a column that goes along the rows of pictures, and along the channels of lines, has a form for each", async () => {
  const [line, kernel] = [given([2, 3, 6], 3), given([7, 3, 1], 4)];
  const nodes = [
    node("Slice", ["x", "from", "to", "axes"], ["part"]),
    node("Squeeze", ["part", "sides"], ["column"]),
    node("Conv", ["line", "kernel"], ["l"]),
    ...stem,
    ...[node("Add", ["s", "column"], ["y"]), node("Add", ["l", "column"], ["z"])],
  ];
  const column = (k: number) => x3.at(0, 1, k, 0);
  const taps = (n: number, f: number, j: number) => [0, 1, 2].map((c) => line.at(n, c, j) * kernel.at(f, c, 0));
  await check({
    ...{ nodes, inputs: { x: x3, line } },
    weights: [
      ...[weight("w5", w5), weight("kernel", kernel), i64("sides", [0, 1])],
      ...[i64("from", [0, 1, 0]), i64("to", [1, 2, 1]), i64("axes", [0, 1, 3])],
    ],
    wanted: {
      y: each(stemmed, (v, _n, _c, i = 0) => v + column(i)),
      z: tensor([2, 7, 6], (n = 0, f = 0, j = 0) => sumOf(taps(n, f, j)) + column(f)),
    },
  });
});

it("a picture of one channel is there already", async () => {
  const [x, w] = [given([2, 1, 4, 5], 1), given([3, 1, 2, 2], 2)];
  const nodes = [node("Conv", ["x", "w"], ["y"])];
  expect(await check({ nodes, inputs: { x }, weights: [weight("w", w)], wanted: { y: conv(x, w, []) } })).toEqual([
    "Conv",
    "Transpose",
  ]);
});

it("a transpose to channels last, and back, is none, and others are one together", async () => {
  const there = await check(
    ofStem([node("Transpose", ["s"], ["y"], { perm: [0, 2, 3, 1] })], {
      y: tensor([2, 7, 6, 5], (n = 0, i = 0, j = 0, c = 0) => stemmed.at(n, c, i, j)),
    }),
  );
  expect(there).toEqual(["Transpose Pad", "Conv"]);
  const other = await check(
    ofStem([node("Transpose", ["s"], ["y"])], {
      y: tensor([6, 7, 5, 2], (j = 0, i = 0, c = 0, n = 0) => stemmed.at(n, c, i, j)),
    }),
  );
  expect(other).toEqual(["Transpose Pad", "Conv", "Transpose"]);
});

it("a block of squeeze and excitation, and a head, move nothing but the model's input", async () => {
  const [down, up, head] = [given([2, 5, 1, 1], 3), given([5, 2, 1, 1], 4), given([4, 5], 5)];
  const mean = tensor(
    [2, 5, 1, 1],
    (n = 0, c = 0) => sumOf(Array.from({ length: 42 }, (_, k) => stemmed.at(n, c, Math.floor(k / 6), k % 6))) / 42,
  );
  const gate = conv(
    each(conv(mean, down, []), (v) => Math.max(v, 0)),
    up,
    [1, 1, 1, 1, 1],
  );
  const scaled = each(stemmed, (v, n = 0, c = 0) => v / (1 + Math.exp(-gate.at(n, c, 0, 0))));
  const pooled = tensor([2, 5], (n = 0, c = 0) =>
    Math.max(...Array.from({ length: 42 }, (_, k) => scaled.at(n, c, Math.floor(k / 6), k % 6))),
  );
  const nodes = [
    node("GlobalAveragePool", ["s"], ["m"]),
    node("Conv", ["m", "down"], ["d"]),
    node("Relu", ["d"], ["r"]),
    node("Conv", ["r", "up", "ones"], ["u"]),
    node("Sigmoid", ["u"], ["g"]),
    node("Mul", ["s", "g"], ["e"]),
    node("GlobalMaxPool", ["e"], ["p"]),
    node("Flatten", ["p"], ["f"]),
    node("Gemm", ["f", "head"], ["y"], { transB: 1 }),
  ];
  const weights = [weight("down", down), weight("up", up), f16("ones", [5], [1, 1, 1, 1, 1]), weight("head", head)];
  const y = tensor([2, 4], (n = 0, o = 0) => sumOf([0, 1, 2, 3, 4].map((c) => pooled.at(n, c) * head.at(o, c))));
  // Each of the six steps rounds.
  expect(transposes(await check(ofStem(nodes, { y }, weights), 0.01))).toBe(1);
});
