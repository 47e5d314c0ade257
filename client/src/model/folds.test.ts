/** What a network's nodes become, where they may not become what they look like: the plan computes what the nodes say. */
import { expect, it } from "vitest";
import { oneSentence, runCli } from "../cli/context.testing.ts";
import { executed, f32, i64, info, node, readFiles, written } from "./model.testing.ts";

type Net = Parameters<typeof written>[0];
const numbers = (count: number, salt = 1): number[] => Array.from({ length: count }, (_, i) => ((i * 7 + salt * 13) % 11) - 5);
const sigmoid = (x: number) => 1 / (1 + Math.exp(-x));

async function check(
  net: Net,
  inputs: Readonly<Record<string, readonly number[]>>,
  wanted: readonly (readonly number[])[],
  digits = 4,
) {
  const cwd = written(net);
  const said = await runCli(["suite", "from-onnx", "model.onnx"], { cwd });
  expect([said.code, said.stderr]).toEqual([0, ""]);
  const got = executed(cwd, inputs as never);
  expect(got).toHaveLength(wanted.length);
  for (const [k, values] of wanted.entries())
    for (const [i, value] of values.entries()) expect([k, i, got[k]?.[i]]).toEqual([k, i, expect.closeTo(value, digits)]);
  return readFiles(cwd).tasks.map(({ nodes }) => nodes.map(({ op }) => op).join(" "));
}

const [x, w, bias] = [numbers(2 * 3 * 3), numbers(4, 2), [3, -2]];
const norm = { scale: [2, -1], shift: [1, 5], mean: [0.5, -2], variance: [1, 4] };
const weights = [
  f32("w", [2, 2, 1, 1], w),
  f32("bias", [2], bias),
  f32("s", [2], norm.scale),
  f32("b", [2], norm.shift),
  f32("m", [2], norm.mean),
  f32("v", [2], norm.variance),
];
const conv = (k: number): number => {
  const [f, p] = [Math.floor(k / 9), k % 9];
  return (bias[f] as number) + [0, 1].reduce((sum, c) => sum + (w[2 * f + c] as number) * (x[9 * c + p] as number), 0);
};
const normed = (k: number): number => {
  const [s = 0, b = 0, m = 0, v = 0] = Object.values(norm).map((list) => list[Math.floor(k / 9)]);
  return ((conv(k) - m) / Math.sqrt(v + 0.5)) * s + b;
};
const places = Array.from({ length: 18 }, (_, k) => k);
const image = info("x", [1, 2, 3, 3]);
const ofImage = (name: string) => info(name, [1, 2, 3, 3]);
const convAndNorm = [
  node("Conv", ["x", "w", "bias"], ["c"]),
  node("BatchNormalization", ["c", "s", "b", "m", "v"], ["n"], { epsilon: 0.5 }),
];

it("a batch norm goes into a convolution that has a bias", async () => {
  const net = { node: convAndNorm, input: [image], output: [ofImage("n")], initializer: weights };
  expect(await check(net, { x }, [places.map(normed)])).toEqual(["Conv"]);
});

it("and not into one that is an output too, or that another node reads", async () => {
  const both = { node: convAndNorm, input: [image], output: [ofImage("n"), ofImage("c")], initializer: weights };
  await check(both, { x }, [places.map(normed), places.map(conv)]);
  const read = { ...both, node: [...convAndNorm, node("Add", ["n", "c"], ["y"])], output: [ofImage("y")] };
  await check(read, { x }, [places.map((k) => normed(k) + conv(k))]);
});

it("a batch norm of what is no convolution has its own factors, and an epsilon of 1e-5 where it says none", async () => {
  const small = [1e-5, 4e-5];
  const net = {
    node: [node("BatchNormalization", ["x", "s", "b", "m", "v"], ["y"])],
    input: [image],
    output: [ofImage("y")],
    initializer: [...weights.slice(2, 5), f32("v", [2], small)],
  };
  const wanted = places.map((k) => {
    const c = Math.floor(k / 9);
    const [scale = 0, shift = 0, mean = 0] = [norm.scale[c], norm.shift[c], norm.mean[c]];
    return ((x[k] as number) - mean) * (scale / Math.sqrt((small[c] as number) + 1e-5)) + shift;
  });
  expect(await check(net, { x }, [wanted], 2)).toEqual(["Mul Add"]);
});

it("a product with the sigmoid of something else is no swish", async () => {
  const z = numbers(18, 3);
  const net = {
    node: [node("Sigmoid", ["z"], ["g"]), node("Mul", ["x", "g"], ["y"])],
    input: [image, ofImage("z")],
    output: [ofImage("y")],
  };
  await check(net, { x, z }, [places.map((k) => (x[k] as number) * sigmoid(z[k] as number))]);
});

it("activations and norms of several nodes stay what they are where others read a part, or means lose their dimension", async () => {
  const input = info("x", [3, 3]);
  const [x, more] = [numbers(9), (name: string) => info(name, [3, 3])];
  const one = (name: string, value: number) => f32(name, [], [value]);
  const swish = {
    node: [node("Sigmoid", ["x"], ["g"]), node("Mul", ["x", "g"], ["y"]), node("Neg", ["g"], ["z"])],
    ...{ input: [input], output: [more("y"), more("z")] },
  };
  await check(swish, { x }, [x.map((v) => v * sigmoid(v)), x.map((v) => -sigmoid(v))]);
  const gelu = {
    node: [
      ...[node("Div", ["x", "root"], ["d"]), node("Erf", ["d"], ["e"]), node("Add", ["e", "one"], ["s"])],
      ...[node("Mul", ["x", "s"], ["p"]), node("Mul", ["p", "half"], ["y"]), node("Neg", ["e"], ["z"])],
    ],
    ...{ input: [input], output: [more("y"), more("z")] },
    initializer: [one("root", Math.SQRT2), one("one", 1), one("half", 0.5)],
  };
  // Abramowitz, Stegun, 7.1.26, is within 1.5e-7.
  const erf = (v: number): number => {
    const t = 1 / (1 + 0.3275911 * Math.abs(v));
    const sum = [1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592].reduce((all, c) => (all + c) * t, 0);
    return Math.sign(v) * (1 - sum * Math.exp(-v * v));
  };
  const errors = x.map((v) => erf(v / Math.SQRT2));
  await check(gelu, { x }, [x.map((v, i) => (v * (1 + (errors[i] as number))) / 2), errors.map((e) => -e)]);
  const mean = (from: string, to: string) => node("ReduceMean", [from], [to], { axes: [-1], keepdims: 0 });
  const norm = {
    node: [
      ...[mean("x", "m"), node("Sub", ["x", "m"], ["c"]), node("Pow", ["c", "two"], ["q"]), mean("q", "v")],
      ...[node("Add", ["v", "epsilon"], ["a"]), node("Sqrt", ["a"], ["r"]), node("Div", ["c", "r"], ["y"])],
    ],
    ...{ input: [input], output: [more("y")], initializer: [one("two", 2), one("epsilon", 1)] },
  };
  const means = (values: readonly number[]) => [0, 3, 6].map((k) => values.slice(k, k + 3).reduce((a, b) => a + b) / 3);
  const centred = x.map((v, k) => v - (means(x)[k % 3] as number));
  const variances = means(centred.map((c) => c * c));
  await check(norm, { x }, [centred.map((c, k) => c / Math.sqrt((variances[k % 3] as number) + 1))]);
});

it("an output that a later node reads alone is still an output", async () => {
  const net = {
    node: [node("Conv", ["x", "w", "bias"], ["c"]), node("Relu", ["c"], ["r"]), node("Add", ["r", "x"], ["y"])],
    input: [image],
    output: [ofImage("r"), ofImage("y")],
    initializer: weights.slice(0, 2),
  };
  const relu = (k: number) => Math.max(0, conv(k));
  await check(net, { x }, [places.map(relu), places.map((k) => relu(k) + (x[k] as number))]);
});

it("a sum goes into the heavier of the two parts that it adds, and a square into what it squares", async () => {
  const net = (...sum: readonly string[]) => ({
    node: [node("Conv", ["x", "w", "bias"], ["c"]), node("Neg", ["z"], ["n"]), node("Add", sum, ["y"])],
    input: [image, ofImage("z")],
    output: [ofImage("y")],
    initializer: weights.slice(0, 2),
  });
  const z = numbers(18, 3);
  for (const sum of [
    ["c", "n"],
    ["n", "c"],
  ])
    expect(await check(net(...sum), { x, z }, [places.map((k) => conv(k) - (z[k] as number))])).toContain("Conv Add");
  const square = { ...net(), node: [...net().node.slice(0, 1), node("Mul", ["c", "c"], ["y"])], input: [image] };
  expect(await check(square, { x }, [places.map((k) => conv(k) ** 2)])).toEqual(["Conv Mul"]);
});

it("what is spread over a larger result is computed before it", async () => {
  const net = {
    node: [node("GlobalAveragePool", ["x"], ["p"]), node("Mul", ["x", "p"], ["y"])],
    input: [image],
    output: [ofImage("y")],
  };
  const mean = (f: number) => x.slice(9 * f, 9 * f + 9).reduce((a, b) => a + b, 0) / 9;
  expect(await check(net, { x }, [places.map((k) => (x[k] as number) * mean(Math.floor(k / 9)))])).toHaveLength(2);
});

it("a product has the transposes of its operands, and of its result, that nobody else reads", async () => {
  // Scores of two heads: q and k are (tokens, heads, elements).
  const [q, k] = [numbers(3 * 2 * 4), numbers(3 * 2 * 4, 2)];
  const at = (data: readonly number[], t: number, h: number, d: number) => data[(t * 2 + h) * 4 + d] as number;
  const scores = Array.from({ length: 18 }, (_, i) => {
    const [h, t, s] = [Math.floor(i / 9), Math.floor(i / 3) % 3, i % 3];
    return [0, 1, 2, 3].reduce((sum, d) => sum + at(q, t, h, d) * at(k, s, h, d), 0);
  });
  const turned = Array.from({ length: 24 }, (_, i) => at(k, i % 3, Math.floor(i / 12), Math.floor(i / 3) % 4));
  const net = (outputs: readonly object[]) => ({
    node: [
      node("Transpose", ["q"], ["left"], { perm: [1, 0, 2] }),
      node("Transpose", ["k"], ["right"], { perm: [1, 2, 0] }),
      node("MatMul", ["left", "right"], ["y"]),
    ],
    input: [info("q", [3, 2, 4]), info("k", [3, 2, 4])],
    output: [info("y", [2, 3, 3]), ...outputs],
  });
  expect(await check(net([]), { q, k }, [scores])).toEqual(["Transpose Transpose MatMul"]);
  expect(await check(net([info("right", [2, 4, 3])]), { q, k }, [scores, turned])).toEqual(["Transpose", "Transpose MatMul"]);
  // As (tokens, tokens, heads), of an activation.
  const made = net([]);
  const last = [node("Relu", ["y"], ["r"]), node("Transpose", ["r"], ["z"], { perm: [1, 2, 0] }), node("Neg", ["z"], ["m"])];
  const stored = { ...made, node: [...made.node, ...last], output: [info("m", [3, 3, 2])] };
  const wanted = Array.from({ length: 18 }, (_, i) => -Math.max(0, scores[(i % 2) * 9 + Math.floor(i / 2)] as number));
  expect(await check(stored, { q, k }, [wanted])).toEqual(["Transpose Transpose MatMul Relu Transpose Neg"]);
  const read = { ...stored, output: [info("m", [3, 3, 2]), info("r", [2, 3, 3])] };
  expect(await check(read, { q, k }, [wanted, scores.map((x) => Math.max(0, x))])).toHaveLength(2);
});

it("a product has no part of its operand for itself, and a node that only its second result is read of is there", async () => {
  const [left, other] = [numbers(6), numbers(12, 2)];
  const net = {
    node: [
      ...[
        node("Split", ["left", "sizes"], ["first", "last"], { axis: 1 }),
        node("Transpose", ["other"], ["t"], { perm: [1, 0] }),
      ],
      ...[node("Slice", ["t", "from", "to"], ["part"]), node("MatMul", ["last", "part"], ["y"])],
    ],
    input: [info("left", [2, 3]), info("other", [4, 3])],
    output: [info("y", [2, 4])],
    initializer: [i64("sizes", [1, 2]), i64("from", [1]), i64("to", [3])],
  };
  const wanted = Array.from({ length: 8 }, (_, k) =>
    [1, 2].reduce((sum, j) => sum + (left[3 * (k >> 2) + j] as number) * (other[3 * (k % 4) + j] as number), 0),
  );
  expect(await check(net, { left, other }, [wanted])).toContain("MatMul");
});

const wide = (name: string, ...numbers: readonly bigint[]) => ({
  ...{ name, dims: [numbers.length], data_type: 7 },
  raw_data: Buffer.from(BigInt64Array.from(numbers).buffer),
});
const [least, most] = [-(2n ** 63n), 2n ** 63n - 1n];

it("the greatest number of 64 bits is no bound of a slice", async () => {
  const net = {
    node: [node("Slice", ["x", "from", "to", "axes"], ["y"])],
    input: [info("x", [18])],
    output: [info("y", [16])],
    initializer: [i64("from", [2]), wide("to", most), i64("axes", [0])],
  };
  await check(net, { x }, [x.slice(2)]);
});

it("the ends of 32 bits are themselves, and those of 64 bits are as far as 32 go", async () => {
  const net = {
    node: [node("Add", ["x", "c"], ["y"])],
    input: [info("x", [4], 7)],
    output: [info("y", [4], 7)],
    initializer: [wide("c", -(2n ** 31n), 2n ** 31n - 1n, least, most)],
  };
  const [low, high] = [-(2 ** 31), 2 ** 31 - 1];
  await check(net, { x: [1, -1, 2, -2] }, [[low + 1, high - 1, low + 2, high - 2]]);
});

it("a number of one dimension is a number, and one of more than the others is a tensor", async () => {
  const net = (dims: readonly number[], shape: readonly number[]) => ({
    node: [node("Mul", ["x", "two"], ["y"])],
    input: [info("x", [4])],
    output: [info("y", shape)],
    initializer: [f32("two", dims, [2])],
  });
  const x = [1, -2, 3, -4];
  const wanted = [x.map((value) => 2 * value)];
  expect(await check(net([1], [4]), { x }, wanted)).toEqual(["Constant Mul"]);
  expect(await check(net([1, 1], [1, 4]), { x }, wanted)).toEqual(["Mul"]);
});

it("a weight of halves with another number of elements than its shape is refused", async () => {
  const half = { name: "h", dims: [3], data_type: 10, int32_data: [0x3c00, 0x3c00] };
  const cwd = written({
    node: [node("Add", ["x", "h"], ["y"])],
    input: [info("x", [3], 10)],
    output: [info("y", [3], 10)],
    initializer: [half],
  });
  const said = await runCli(["suite", "from-onnx", "model.onnx"], { cwd });
  expect(said.code).toBe(2);
  expect(oneSentence(said)).toContain("the weight h has 2 elements, and its shape [3] 3");
});

it("a group has 24 nodes at most: a longer row of them is cut", async () => {
  const row = Array.from({ length: 30 }, (_, i) => node(i % 2 === 0 ? "Relu" : "Neg", [`t${i}`], [`t${i + 1}`]));
  const net = { node: row, input: [info("t0", [4])], output: [info("t30", [4])] };
  const tasks = await check(net, { t0: [1, -2, 3, -4] }, [[0, 0, 0, 0]]);
  expect(tasks.map((ops) => ops.split(" ").length)).toEqual([24, 6]);
});
