/**
 * Operators in the forms of older and newer opsets, and those that PyTorch's exporter writes though the package's cases lack
 * them: each file's plan against loops by hand.
 */
import { expect, it } from "vitest";
import { runCli } from "../cli/context.testing.ts";
import { executed, f32, i64, info, node, readFiles, written } from "./model.testing.ts";

const numbers = (count: number, salt = 1): number[] => Array.from({ length: count }, (_, i) => ((i * 7 + salt * 13) % 11) - 5);
interface Form {
  readonly op: string;
  /** Of input x; of the result y. */
  readonly shape: readonly number[];
  readonly to: readonly number[];
  readonly opset: number;
  readonly attributes?: Parameters<typeof node>[3];
  /** Inputs after x: tensors of the file. */
  readonly more?: readonly (ReturnType<typeof f32> | ReturnType<typeof i64> | undefined)[];
}

async function computed({ op, shape, to, opset, attributes = {}, more = [] }: Form): Promise<number[]> {
  const inputs = ["x", ...more.map((tensor) => tensor?.name ?? "")];
  const cwd = written(
    {
      node: [node(op, inputs, ["y"], attributes)],
      input: [info("x", shape)],
      output: [info("y", to)],
      initializer: more.filter((tensor) => tensor !== undefined),
    },
    opset,
  );
  const said = await runCli(["suite", "from-onnx", "model.onnx"], { cwd });
  expect([said.code, said.stderr]).toEqual([0, ""]);
  expect(readFiles(cwd).plan.tensors.y?.shape).toEqual(to);
  const [y = []] = executed(cwd, { x: numbers(shape.reduce((a, b) => a * b, 1)) });
  return y;
}
function close(got: readonly number[], wanted: readonly number[]): void {
  expect(got.length).toBe(wanted.length);
  for (const [i, value] of wanted.entries()) expect(got[i], `element ${i}`).toBeCloseTo(value, 4);
}
const exponents = (row: readonly number[]): number[] => {
  const total = row.reduce((sum, x) => sum + Math.exp(x), 0);
  return row.map((x) => Math.exp(x) / total);
};

it.each<[string, Form["attributes"], number]>([
  ["1, without an axis", {}, 12],
  ["2", { axis: 2 }, 4],
])("Softmax before opset 13 goes over dimensions from %s to the last together", async (_, attributes, each) => {
  const x = numbers(24);
  const wanted = Array.from({ length: 24 / each }, (__, row) => exponents(x.slice(row * each, (row + 1) * each))).flat();
  close(await computed({ op: "Softmax", shape: [2, 3, 2, 2], to: [2, 3, 2, 2], opset: 11, attributes }), wanted);
});

it.each([
  [1, 3],
  [-3, -1],
])("Shape from dimension %d to before %d", async (start, end) => {
  const cwd = written({
    node: [
      ...[node("Shape", ["x"], ["part"], { start, end }), node("Reshape", ["x", "part"], ["r"])],
      node("Relu", ["r"], ["y"]),
    ],
    input: [info("x", [1, 2, 3, 1])],
    output: [info("y", [2, 3])],
  });
  const said = await runCli(["suite", "from-onnx", "model.onnx"], { cwd });
  expect([said.code, said.stderr]).toEqual([0, ""]);
  expect(readFiles(cwd).plan.tensors.y?.shape).toEqual([2, 3]);
  expect(executed(cwd, { x: [1, 2, 3, -4, 5, 6] })).toEqual([[1, 2, 3, 0, 5, 6]]);
});

it.each([18, 21])("GroupNormalization of opset %d has factors of groups, or of channels", async (opset) => {
  const [channels, groups, size, epsilon] = [4, 2, 3, 0.5];
  const count = opset === 18 ? groups : channels;
  const [scale, bias] = [numbers(count, 2), numbers(count, 3)];
  const x = numbers(channels * size);
  const wanted = x.map((value, i) => {
    const group = Math.floor(i / (2 * size));
    const own = x.slice(group * 2 * size, (group + 1) * 2 * size);
    const mean = own.reduce((a, b) => a + b) / own.length;
    const variance = own.reduce((sum, one) => sum + (one - mean) ** 2, 0) / own.length;
    const at = opset === 18 ? group : Math.floor(i / size);
    return ((value - mean) / Math.sqrt(variance + epsilon)) * (scale[at] as number) + (bias[at] as number);
  });
  const more = [f32("s", [count], scale), f32("b", [count], bias)];
  const form = { op: "GroupNormalization", shape: [1, channels, size], to: [1, channels, size], opset, more };
  close(await computed({ ...form, attributes: { num_groups: groups, epsilon } }), wanted);
});

it.each<[string, Form, (i: number) => number]>([
  // Upsample and the Resize of opset 10 have element i at i / scale.
  [
    "Upsample of opset 9, linear",
    {
      op: "Upsample",
      shape: [1, 1, 4],
      to: [1, 1, 8],
      opset: 9,
      attributes: { mode: "linear" },
      more: [f32("s", [3], [1, 1, 2])],
    },
    (i) => i / 2,
  ],
  [
    "Resize of opset 10",
    { op: "Resize", shape: [1, 1, 4], to: [1, 1, 6], opset: 10, more: [f32("s", [3], [1, 1, 1.5])] },
    (i) => Math.floor(i / 1.5),
  ],
  [
    "Resize of opset 11, corners at each other",
    {
      ...{ op: "Resize", shape: [1, 1, 4], to: [1, 1, 7], opset: 11, more: [undefined, undefined, i64("n", [1, 1, 7])] },
      attributes: { mode: "linear", coordinate_transformation_mode: "align_corners" },
    },
    (i) => i / 2,
  ],
  [
    "Resize by a factor whose extent is rounded down",
    { op: "Resize", shape: [1, 1, 4], to: [1, 1, 6], opset: 10, more: [f32("s", [3], [1, 1, 1.7])] },
    (i) => Math.floor(i / 1.7),
  ],
  [
    "Resize of opset 18, of dimensions in another order",
    {
      op: "Resize",
      shape: [4, 1, 1],
      to: [8, 1, 1],
      opset: 18,
      attributes: { axes: [2, 0, 1] },
      more: [undefined, undefined, i64("n", [1, 8, 1])],
    },
    (i) => Math.floor(i / 2),
  ],
  [
    "Resize of opset 18, of some dimensions",
    {
      op: "Resize",
      shape: [4, 1],
      to: [8, 1],
      opset: 18,
      attributes: { axes: [0] },
      more: [undefined, undefined, i64("n", [8])],
    },
    (i) => Math.floor(i / 2),
  ],
])("%s", async (_, form, place) => {
  const x = numbers(4);
  const wanted = Array.from({ length: form.to.reduce((a, b) => a * b, 1) }, (_, i) => {
    const at = Math.min(place(i), 3);
    const [low, share] = [Math.floor(at), at % 1];
    return (x[low] as number) * (1 - share) + (x[Math.min(low + 1, 3)] as number) * share;
  });
  close(await computed(form), wanted);
});

it("Slice goes backwards", async () => {
  const more = [i64("from", [-1]), i64("to", [-(2 ** 31)]), i64("axes", [0]), i64("steps", [-2])];
  close(
    await computed({ op: "Slice", shape: [5], to: [3], opset: 13, more }),
    [4, 2, 0].map((i) => numbers(5)[i] as number),
  );
});

it.each<[string, pads: number[], axes: number[] | undefined]>([
  ["of some dimensions, in another order", [1, 2, 0, 3], [-1, 0]],
  ["below 0", [1, -1, -2, 3], undefined],
  ["below 0 alone, of one dimension", [-1, -2], [1]],
])("Pad by numbers %s", async (_, pads, axes = [0, 1]) => {
  const [rows, columns] = [3, 4];
  const of = (axis: number) => axes.findIndex((one) => (one + 2) % 2 === axis);
  const side = (axis: number, end: 0 | 1) => (of(axis) < 0 ? 0 : (pads[of(axis) + end * axes.length] as number));
  const to = [rows + side(0, 0) + side(0, 1), columns + side(1, 0) + side(1, 1)] as const;
  const x = numbers(rows * columns);
  const wanted = Array.from({ length: to[0] * to[1] }, (__, k) => {
    const [i, j] = [Math.floor(k / to[1]) - side(0, 0), (k % to[1]) - side(1, 0)];
    return i < 0 || i >= rows || j < 0 || j >= columns ? 9 : (x[i * columns + j] as number);
  });
  const more = [i64("pads", pads), { ...f32("value", [], [9]) }, i64("axes", axes)];
  close(await computed({ op: "Pad", shape: [rows, columns], to, opset: 18, more }), wanted);
});

it.each<[string, (i: number) => number]>([
  ["edge", (i) => Math.min(Math.max(i, 0), 3)],
  ["reflect", (i) => (i < 0 ? -i : i > 3 ? 6 - i : i)],
  ["wrap", (i) => (i + 4) % 4],
])("Pad by the elements themselves, mode %s", async (mode, place) => {
  const [before, after] = mode === "edge" ? [2, 6] : mode === "reflect" ? [2, 3] : [3, 4];
  const x = numbers(4);
  const wanted = Array.from({ length: before + 4 + after }, (_, i) => x[place(i - before)] as number);
  const more = [i64("pads", [before, after])];
  const form = { op: "Pad", shape: [4], to: [wanted.length], opset: 19, attributes: { mode }, more };
  close(await computed(form), wanted);
});

it("LayerNormalization goes over all dimensions from its axis on", async () => {
  const [x, scale, bias] = [numbers(24), numbers(12, 2), numbers(12, 3)];
  const wanted = [0, 1].flatMap((row) => {
    const own = x.slice(row * 12, (row + 1) * 12);
    const mean = own.reduce((a, b) => a + b) / 12;
    const variance = own.reduce((sum, one) => sum + (one - mean) ** 2, 0) / 12;
    return own.map((value, i) => ((value - mean) / Math.sqrt(variance + 0.5)) * (scale[i] as number) + (bias[i] as number));
  });
  const more = [f32("s", [3, 2, 2], scale), f32("b", [3, 2, 2], bias)];
  const form = { op: "LayerNormalization", shape: [2, 3, 2, 2], to: [2, 3, 2, 2], opset: 17, more };
  close(await computed({ ...form, attributes: { axis: -3, epsilon: 0.5 } }), wanted);
});

it.each([
  ["equal ones", undefined, [0, 2]],
  ["stated ones", [1, 2, 3], [0, 1]],
])("Split into %s, of which the last is not read", async (_, sizes, [first = 0, second = 0]) => {
  const cwd = written({
    node: [
      node("Split", ["x", ...(sizes ? ["sizes"] : [])], ["a", "b", "c"], { axis: 0 }),
      node("Concat", ["b", "a"], ["y"], { axis: 0 }),
    ],
    input: [info("x", [6])],
    output: [info("y", [sizes ? 3 : 4])],
    initializer: sizes ? [i64("sizes", sizes)] : [],
  });
  const said = await runCli(["suite", "from-onnx", "model.onnx"], { cwd });
  expect([said.code, said.stderr]).toEqual([0, ""]);
  const x = [1, 2, 3, 4, 5, 6];
  const end = sizes ? 3 : 4;
  expect(executed(cwd, { x })).toEqual([[...x.slice(second, end), ...x.slice(first, second)]]);
});

it("Reshape to a number without dimensions", async () => {
  const cwd = written({
    node: [node("Reshape", ["x", "to"], ["r"]), node("Neg", ["r"], ["y"])],
    input: [info("x", [1])],
    output: [info("y", [])],
    initializer: [i64("to", [])],
  });
  const said = await runCli(["suite", "from-onnx", "model.onnx"], { cwd });
  expect([said.code, said.stderr]).toEqual([0, ""]);
  expect([readFiles(cwd).plan.tensors.y?.shape, executed(cwd, { x: [3] })]).toEqual([[], [[-3]]]);
});

it.each([
  [1, 0],
  [1, -2],
  [0, 1],
])("Trilu, upper %d, at diagonal %d", async (upper, k) => {
  const more = [{ name: "k", dims: [], data_type: 7, int64_data: [k] }];
  const wanted = numbers(12).map((value, i) => {
    const side = (i % 4) - Math.floor(i / 4);
    return (upper === 1 ? side >= k : side <= k) ? value : 0;
  });
  close(await computed({ op: "Trilu", shape: [3, 4], to: [3, 4], opset: 14, attributes: { upper }, more }), wanted);
});

it.each([
  [0, 0],
  [1, 0],
  [0, 1],
  [1, 1],
])("CumSum, exclusive %d, reverse %d", async (exclusive, reverse) => {
  const more = [{ name: "axis", dims: [], data_type: 7, int64_data: [1] }];
  const x = numbers(12);
  const wanted = x.map((_, i) => {
    const [row, column] = [Math.floor(i / 4) * 4, i % 4];
    const isIn = (j: number) => (j === column ? exclusive === 0 : reverse === 1 ? j > column : j < column);
    return [0, 1, 2, 3].reduce((sum, j) => sum + (isIn(j) ? (x[row + j] as number) : 0), 0);
  });
  close(await computed({ op: "CumSum", shape: [3, 4], to: [3, 4], opset: 14, attributes: { exclusive, reverse }, more }), wanted);
});

it.each([
  [0, 7, 2],
  [7, -1, -3],
  [0, 6, 2],
])("Range from %d to before %d in steps of %d", async (from, to, step) => {
  const wanted: number[] = [];
  for (let at = from; step > 0 ? at < to : at > to; at += step) wanted.push(at);
  const cwd = written({
    node: [node("Range", ["from", "to", "step"], ["numbers"]), node("Concat", ["x", "numbers"], ["y"], { axis: 0 })],
    input: [info("x", [1])],
    output: [info("y", [1 + wanted.length])],
    initializer: [f32("from", [], [from]), f32("to", [], [to]), f32("step", [], [step])],
  });
  const said = await runCli(["suite", "from-onnx", "model.onnx"], { cwd });
  expect([said.code, said.stderr]).toEqual([0, ""]);
  expect(executed(cwd, { x: [9] })).toEqual([[9, ...wanted]]);
});

it.each([
  [2.5, 1],
  [1, 2.5],
  [0.5, 2.5],
])("Gemm: %d times the product, and %d times C", async (alpha, beta) => {
  const [x, b, c] = [numbers(6), numbers(6, 2), numbers(2, 3)];
  const wanted = [0, 1, 2, 3].map((k) => {
    const terms = [0, 1, 2].map((j) => (x[(k >> 1) * 3 + j] as number) * (b[j * 2 + (k & 1)] as number));
    return alpha * terms.reduce((a, t) => a + t) + beta * (c[k & 1] as number);
  });
  const form = { op: "Gemm", shape: [2, 3], to: [2, 2], opset: 13, attributes: { alpha, beta } };
  close(await computed({ ...form, more: [f32("b", [3, 2], b), f32("c", [2], c)] }), wanted);
});

it("Einsum: a product of batches, an outer one, a diagonal, a sum of all", async () => {
  const x = numbers(12);
  const w = numbers(18, 2);
  const at = (data: readonly number[], i: number): number => data[i] as number;
  const range = (count: number) => Array.from({ length: count }, (_, i) => i);
  const of = (equation: string, shape: readonly number[], to: readonly number[], other?: ReturnType<typeof f32>) =>
    computed({ op: "Einsum", shape, to, opset: 12, attributes: { equation }, more: other ? [other] : [] });
  close(
    await of("bij, bkj -> bki", [2, 2, 3], [2, 3, 2], f32("w", [2, 3, 3], w)),
    range(12).map((one) => {
      const [b, k, i] = [Math.floor(one / 6), Math.floor(one / 2) % 3, one % 2];
      return range(3).reduce((sum, j) => sum + at(x, b * 6 + i * 3 + j) * at(w, b * 9 + k * 3 + j), 0);
    }),
  );
  close(
    await of("i,j", [3], [3, 2], f32("w", [2], [2, -1])),
    range(6).map((one) => at(x, Math.floor(one / 2)) * at([2, -1], one % 2)),
  );
  // Without a result, the letters that occur once are kept.
  close(
    await of("ij,jk", [2, 3], [2, 2], f32("w", [3, 2], w.slice(0, 6))),
    range(4).map((one) => range(3).reduce((sum, j) => sum + at(x, (one >> 1) * 3 + j) * at(w, j * 2 + (one % 2)), 0)),
  );
  // Their order is that of the alphabet.
  close(
    await of("ba", [2, 3], [3, 2]),
    range(6).map((one) => at(x, (one % 2) * 3 + (one >> 1))),
  );
  close(
    await of("ii->i", [3, 3], [3]),
    [0, 4, 8].map((i) => at(x, i)),
  );
  close(await of("ij->", [3, 4], []), [x.reduce((a, b) => a + b)]);
});
