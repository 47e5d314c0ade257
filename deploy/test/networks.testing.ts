/** Small networks in ONNX's words, with seeded weights, as ONNX files; for networks.test.ts. */
import { Random } from "@warpfarm/common";
import { encodeOnnx } from "@warpfarm/proto/onnx";

type Shape = readonly number[];

interface NetworkNode {
  readonly op: string;
  readonly inputs: readonly string[];
  /** With their shapes. */
  readonly outputs: Readonly<Record<string, Shape>>;
  readonly attributes: Readonly<Record<string, number | readonly number[]>>;
}

export interface Network {
  readonly name: string;
  readonly input: Shape;
  readonly output: string;
  readonly weights: Readonly<Record<string, Shape>>;
  /** Nodes of one task each; a Reshape or Flatten alone is a view. */
  readonly tasks: readonly (readonly NetworkNode[])[];
}

const node = (
  op: string,
  inputs: string,
  outputs: Readonly<Record<string, Shape>>,
  attributes: NetworkNode["attributes"] = {},
): NetworkNode => ({ op, inputs: inputs.split(" "), outputs, attributes });

const same = { pads: [1, 1, 1, 1] };
const norm = (name: string, channels: number) =>
  Object.fromEntries(["scale", "bias", "mean", "variance"].map((part) => [`${name}.${part}`, [channels]]));
const normed = (name: string, from: string, to: Readonly<Record<string, Shape>>) =>
  node("BatchNormalization", `${from} ${name}.scale ${name}.bias ${name}.mean ${name}.variance`, to);

/** A stem and two residual blocks, of which the second halves the picture: 19 operators. */
function resnet(): Network {
  const [large, small] = [
    [1, 16, 16, 16],
    [1, 32, 8, 8],
  ] as const;
  return {
    name: "resnet",
    input: [1, 3, 16, 16],
    output: "y",
    weights: {
      ...{ w0: [16, 3, 3, 3], b0: [16], w1: [16, 16, 3, 3], ...norm("n1", 16), w2: [16, 16, 3, 3], ...norm("n2", 16) },
      ...{ w3: [32, 16, 3, 3], b3: [32], w4: [32, 32, 3, 3], ...norm("n4", 32), w5: [32, 16, 1, 1], b5: [32] },
      ...{ w6: [32, 10], b6: [10] },
    },
    tasks: [
      [node("Conv", "x w0 b0", { a0: large }, same), node("Relu", "a0", { r0: large })],
      [node("Conv", "r0 w1", { a1: large }, same), normed("n1", "a1", { c1: large }), node("Relu", "c1", { r1: large })],
      [
        ...[node("Conv", "r1 w2", { a2: large }, same), normed("n2", "a2", { c2: large })],
        ...[node("Add", "c2 r0", { s2: large }), node("Relu", "s2", { r2: large })],
      ],
      [node("Conv", "r2 w3 b3", { a3: small }, { ...same, strides: [2, 2] }), node("Relu", "a3", { r3: small })],
      [node("Conv", "r2 w5 b5", { a5: small }, { strides: [2, 2] })],
      [
        ...[node("Conv", "r3 w4", { a4: small }, same), normed("n4", "a4", { c4: small })],
        ...[node("Add", "c4 a5", { s5: small }), node("Relu", "s5", { r5: small })],
      ],
      [node("GlobalAveragePool", "r5", { p: [1, 32, 1, 1] })],
      [node("Flatten", "p", { f: [1, 32] })],
      [node("Gemm", "f w6 b6", { y: [1, 10] })],
    ],
  };
}

/** One block of width 32 with four heads, on 16 tokens: 20 operators. */
const transformer = (): Network => ({
  name: "transformer",
  input: [16, 32],
  output: "y",
  weights: {
    ...{ g1: [32], b1: [32], wqkv: [32, 96], wo: [32, 32], g2: [32], b2: [32], wu: [32, 128], bu: [128], wd: [128, 32] },
    scale: [1],
  },
  tasks: [
    [node("LayerNormalization", "x g1 b1", { n1: [16, 32] })],
    [node("MatMul", "n1 wqkv", { qkv: [16, 96] })],
    [node("Reshape", "qkv", { parts: [16, 3, 4, 8] }, { shape: [16, 3, 4, 8] })],
    [
      node("Transpose", "parts", { heads: [3, 4, 16, 8] }, { perm: [1, 2, 0, 3] }),
      node("Split", "heads", { q: [1, 4, 16, 8], k: [1, 4, 16, 8], v: [1, 4, 16, 8] }, { axis: 0, split: [1, 1, 1] }),
    ],
    [
      ...[
        node("Transpose", "k", { kt: [1, 4, 8, 16] }, { perm: [0, 1, 3, 2] }),
        node("MatMul", "q kt", { scores: [1, 4, 16, 16] }),
      ],
      node("Mul", "scores scale", { scaled: [1, 4, 16, 16] }),
    ],
    [node("Softmax", "scaled", { shares: [1, 4, 16, 16] })],
    [node("MatMul", "shares v", { mixed: [1, 4, 16, 8] })],
    [node("Transpose", "mixed", { rows: [1, 16, 4, 8] }, { perm: [0, 2, 1, 3] })],
    [node("Reshape", "rows", { joined: [16, 32] }, { shape: [16, 32] })],
    [node("MatMul", "joined wo", { o: [16, 32] }), node("Add", "o x", { h: [16, 32] })],
    [node("LayerNormalization", "h g2 b2", { n2: [16, 32] })],
    [node("MatMul", "n2 wu", { u: [16, 128] }), node("Add", "u bu", { ub: [16, 128] }), node("Gelu", "ub", { act: [16, 128] })],
    [node("MatMul", "act wd", { d: [16, 32] }), node("Add", "d h", { y: [16, 32] })],
  ],
});

/** Two levels, one up by a transposed convolution and one by a resize: 18 operators. */
function unet(): Network {
  const up = { strides: [2, 2] };
  const pool = { kernel_shape: [2, 2], strides: [2, 2] };
  return {
    name: "unet",
    input: [1, 2, 16, 16],
    output: "y",
    weights: {
      ...{ w0: [8, 2, 3, 3], b0: [8], w1: [16, 8, 3, 3], b1: [16], w2: [32, 16, 3, 3], b2: [32], w3: [32, 16, 2, 2], b3: [16] },
      ...{ w4: [16, 32, 3, 3], b4: [16], w5: [8, 24, 3, 3], b5: [8], w6: [1, 8, 1, 1], b6: [1] },
    },
    tasks: [
      [node("Conv", "x w0 b0", { a0: [1, 8, 16, 16] }, same), node("Relu", "a0", { r0: [1, 8, 16, 16] })],
      [node("MaxPool", "r0", { p0: [1, 8, 8, 8] }, pool)],
      [node("Conv", "p0 w1 b1", { a1: [1, 16, 8, 8] }, same), node("Relu", "a1", { r1: [1, 16, 8, 8] })],
      [node("MaxPool", "r1", { p1: [1, 16, 4, 4] }, pool)],
      [node("Conv", "p1 w2 b2", { a2: [1, 32, 4, 4] }, same), node("Relu", "a2", { r2: [1, 32, 4, 4] })],
      [node("ConvTranspose", "r2 w3 b3", { u3: [1, 16, 8, 8] }, up), node("Concat", "u3 r1", { j3: [1, 32, 8, 8] }, { axis: 1 })],
      [node("Conv", "j3 w4 b4", { a4: [1, 16, 8, 8] }, same), node("Relu", "a4", { r4: [1, 16, 8, 8] })],
      [
        node("Resize", "r4", { u5: [1, 16, 16, 16] }, { scales: [1, 1, 2, 2] }),
        node("Concat", "u5 r0", { j5: [1, 24, 16, 16] }, { axis: 1 }),
      ],
      [node("Conv", "j5 w5 b5", { a5: [1, 8, 16, 16] }, same), node("Relu", "a5", { r5: [1, 8, 16, 16] })],
      [node("Conv", "r5 w6 b6", { a6: [1, 1, 16, 16] }), node("Sigmoid", "a6", { y: [1, 1, 16, 16] })],
    ],
  };
}

/** A convolution, one with a batch norm behind it, and the head of a classifier: 8 operators. */
function classifier(): Network {
  const large = [1, 16, 8, 8] as const;
  return {
    name: "classifier",
    input: [1, 3, 8, 8],
    output: "y",
    weights: { w0: [16, 3, 3, 3], b0: [16], w1: [16, 16, 3, 3], ...norm("n1", 16), w2: [16, 10], b2: [10] },
    tasks: [
      [node("Conv", "x w0 b0", { a0: large }, same), node("Relu", "a0", { r0: large })],
      [node("Conv", "r0 w1", { a1: large }, same), normed("n1", "a1", { c1: large }), node("Relu", "c1", { r1: large })],
      [node("GlobalAveragePool", "r1", { p: [1, 16, 1, 1] })],
      [node("Flatten", "p", { f: [1, 16] })],
      [node("Gemm", "f w2 b2", { y: [1, 10] })],
    ],
  };
}

/** The first is that of npm test. */
export const networks: readonly Network[] = [classifier(), resnet(), transformer(), unet()];

/** Values of which sums stay near 1; variances are above 0. */
export function weightsOf({ name, weights }: Network): Map<string, Float32Array> {
  const random = new Random(name.length);
  return new Map(
    Object.entries(weights).map(([weight, shape]) => {
      const count = shape.reduce((n, extent) => n * extent, 1);
      const fanIn = shape.length === 4 ? count / (shape[0] as number) : shape.length === 2 ? (shape[0] as number) : 1;
      const draw = () => (weight.endsWith(".variance") ? 0.5 + random.float() : (2 * random.float() - 1) * Math.sqrt(3 / fanIn));
      return [weight, Float32Array.from({ length: count }, draw)];
    }),
  );
}

type Numbers = readonly number[];
const isList = (value: number | Numbers): value is Numbers => typeof value !== "number";
const attribute = ([name, value]: readonly [string, number | Numbers]) =>
  isList(value) ? { name, ints: value, type: 7 } : { name, i: value, type: 2 };
const word = (name: string, value: string) => ({ name, s: Buffer.from(value), type: 3 });
const described = (name: string, shape: Shape) => ({
  name,
  type: { tensor_type: { elem_type: 1, shape: { dim: shape.map((dim_value) => ({ dim_value })) } } },
});

/** What ONNX has as an input, and our nodes as an attribute. */
const asInput: Readonly<Record<string, string>> = { Reshape: "shape", Split: "split", Resize: "scales" };
/** As PyTorch's nearest neighbours are found. */
const nearest = [word("mode", "nearest"), word("coordinate_transformation_mode", "asymmetric"), word("nearest_mode", "floor")];

/** An ONNX file of the network: operators in the form of opset 20, weights inside. */
export function onnxOf(network: Network): Uint8Array {
  const { name, input, output, weights, tasks } = network;
  const nodes = tasks.flat();
  const values = weightsOf(network);
  const initializer: object[] = Object.entries(weights).map(([weight, dims]) => ({
    ...{ name: weight, dims, data_type: 1 },
    raw_data: Buffer.from((values.get(weight) as Float32Array).buffer),
  }));
  const shapes = new Map(nodes.flatMap(({ outputs }) => Object.entries(outputs)));
  const node = nodes.map(({ op, inputs, outputs, attributes }) => {
    const [made] = Object.keys(outputs) as [string];
    const moved = asInput[op];
    const rest = Object.entries(attributes).filter(([key]) => key !== moved);
    const more = moved === undefined ? [] : [...(op === "Resize" ? [""] : []), `${made}.${moved}`];
    const numbers = moved === undefined ? [] : (attributes[moved] as Numbers);
    if (moved === "scales")
      initializer.push({
        ...{ name: `${made}.${moved}`, dims: [numbers.length], data_type: 1 },
        raw_data: Buffer.from(Float32Array.from(numbers).buffer),
      });
    else if (moved !== undefined)
      initializer.push({ name: `${made}.${moved}`, dims: [numbers.length], data_type: 7, int64_data: numbers });
    return {
      ...{ op_type: op, name: made, input: [...inputs, ...more], output: Object.keys(outputs) },
      attribute: [...rest.map(attribute), ...(op === "Resize" ? nearest : [])],
    };
  });
  const graph = {
    ...{ name, node, initializer, input: [described("x", input)] },
    output: [described(output, shapes.get(output) as Shape)],
  };
  return encodeOnnx({ ir_version: 9, graph, opset_import: [{ domain: "", version: 20 }] });
}
