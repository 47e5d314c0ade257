/**
 * A subgraph in the words of an operator and its epilogue, so that the operator's templates take it: a product or a convolution
 * of the subgraph's inputs, and behind it a chain of nodes of one element. The inputs come in the operator's order: operands,
 * then what the nodes add. A subgraph rounds halves after each node, an epilogue once at its end.
 */
import { type DType, defined, dtypeBits, isFloat, type Json } from "@warpfarm/common";
import { convPlaces } from "./built-in/conv-args.ts";
import { isHalf, type NodeSpec, onnxTypes, sizeOf } from "./onnx/node.ts";
import type { Subgraph, TensorSpec } from "./onnx/subgraph.ts";

/** A subgraph that no operator is, for the reason that the message gives, as the end of a sentence. */
export class NoOperator extends Error {}
const refuse = (why: string): never => {
  throw new NoOperator(why);
};

interface AsOperator {
  readonly operator: "matmul" | "conv2d";
  /** By name, without the epilogue. */
  readonly args: Readonly<Record<string, Json>>;
  readonly epilogue: readonly string[];
  /** How many of the result's first axes are one axis of the operator's. */
  readonly joined: number;
}

/** The operator without what follows, and its result as the nodes have it. */
interface Head extends AsOperator {
  readonly shape: readonly number[];
  /** The axis of the result's channels. */
  readonly channels: number;
}

class Matching {
  readonly #inputs: ReadonlyMap<string, TensorSpec>;
  readonly #numbers: ReadonlyMap<string, number>;
  /** The inputs, as the operator takes them. */
  readonly read: string[] = [];

  constructor({ inputs, nodes }: Subgraph) {
    this.#inputs = new Map(inputs.map((input) => [input.name, input]));
    const constants = nodes.flatMap(({ op, outputs: [name = ""], attributes }) => {
      const { value_float, value_int, value_floats, value_ints } = attributes;
      const [number, ...more] = [value_float ?? value_int ?? value_floats ?? value_ints].flat();
      return op === "Constant" && typeof number === "number" && more.length === 0 ? [[name, number] as const] : [];
    });
    this.#numbers = new Map(constants);
  }

  isNumber = ({ outputs: [name = ""] }: NodeSpec): boolean => this.#numbers.has(name);

  #input({ op }: NodeSpec, name = ""): TensorSpec {
    this.read.push(name);
    return this.#inputs.get(name) ?? refuse(`its ${op} reads what another node computes`);
  }

  head(node: NodeSpec): Head {
    const { op, attributes } = node;
    if (op !== "MatMul" && op !== "Gemm" && op !== "Conv") return refuse(`it begins with ${op}`);
    const [a, b] = [this.#input(node, node.inputs[0]), this.#input(node, node.inputs[1])];
    if (!isFloat(a.dtype) || b.dtype !== a.dtype) refuse(`its ${op} is of ${a.dtype} and ${b.dtype}`);
    const plain = op === "Conv" ? convolution(node, a, b) : product(node, a, b);
    const { alpha = 1, beta = 1 } = attributes;
    const head = alpha === 1 ? plain : { ...plain, epilogue: [...plain.epilogue, `scale(${alpha})`] };
    const [, , c = ""] = node.inputs;
    if (c === "") return head;
    if (beta !== 1) refuse(`its ${op} has the factor beta ${beta}`);
    const tensor = this.#input(node, c);
    return { ...head, epilogue: [...head.epilogue, op === "Conv" ? "bias" : added(head, tensor)] };
  }

  /** The operation of a node behind the result `before`. */
  word(node: NodeSpec, before: string, head: Head): string {
    const { op } = node;
    const { inputs: all, attributes } = op === "Clip" ? this.#clip(node) : node;
    const inputs = all.filter((name) => name !== "");
    const others = inputs.filter((name) => name !== before);
    if (inputs.length - others.length !== 1) refuse(`its ${op} does not read the result before it once`);
    const [other] = others;
    if (other === undefined)
      return activation(op, attributes) ?? refuse(`no epilogue has its ${op} ${JSON.stringify(attributes)}`);
    const number = this.#numbers.get(other);
    if (op === "Mul" && number !== undefined) return `scale(${number})`;
    if (op === "Add" && number === undefined && others.length === 1) return added(head, this.#input(node, other));
    return refuse(`no epilogue has its ${op} of ${number ?? "a tensor"}`);
  }

  /** With its bounds as attributes: subgraphGraph takes no bounds that are computed. */
  #clip({ inputs: [x = "", ...bounds], attributes, ...node }: NodeSpec): NodeSpec {
    const [min, max] = bounds.map((name) => this.#numbers.get(name));
    return { ...node, inputs: [x], attributes: { ...attributes, ...defined({ min, max }) } };
  }
}

/** Whether a number of the one type that becomes the other may lose digits or range. */
const rounds = (from: DType, to: DType): boolean => to !== from && dtypeBits(to) <= dtypeBits(from);

/** Throws NoOperator. The subgraph is one that subgraphGraph takes. */
export function asOperator(subgraph: Subgraph): AsOperator {
  const matching = new Matching(subgraph);
  const [first, ...others] = subgraph.nodes.filter((node) => !matching.isNumber(node));
  if (first === undefined) return refuse("it has only constants");
  const head = matching.head(first);
  const words: string[] = [];
  let [before = ""] = first.outputs;
  let dtype = head.args.dtype as DType;
  for (const node of others) {
    words.push(matching.word(node, before, head));
    const to = node.op === "Cast" ? (onnxTypes[Number(node.attributes.to)] as DType) : dtype;
    if (rounds(dtype, to) && node !== others.at(-1)) refuse("it rounds before its end");
    dtype = to;
    [before = ""] = node.outputs;
  }
  if (subgraph.outputs.join() !== before) refuse("it has other results than its last node's");
  const [taken, given] = [matching.read.join(), subgraph.inputs.map(({ name }) => name).join()];
  if (taken !== given) refuse(`the operator takes its inputs as ${taken}, and it has ${given}`);
  return { ...head, epilogue: [...head.epilogue, ...words] };
}

/** Rows of all matrices by one matrix: a batch with a matrix for each is no product of the operator's. */
function product({ op, attributes }: NodeSpec, a: TensorSpec, b: TensorSpec): Head {
  const ranks = [a.shape.length, b.shape.length] as const;
  if (ranks[0] < 2 || ranks[1] !== 2) refuse(`its ${op} is of ${ranks.join(" and ")} dimensions; a product is by one matrix`);
  const { transA = 0, transB = 0 } = attributes;
  const rows = a.shape.slice(0, -1);
  const [K, M] = [a.shape.at(-1) as number, sizeOf(rows)];
  const N = b.shape[transB ? 0 : 1] as number;
  const sizes = transA ? { M: K, N, K: M } : { M, N, K };
  const shape = [...(transA ? [K] : rows), N];
  const layout = `${transA ? "T" : "N"}${transB ? "T" : "N"}`;
  return {
    ...{ operator: "matmul", args: { ...sizes, dtype: a.dtype, layout }, epilogue: [] },
    ...{ shape, channels: shape.length - 1, joined: shape.length - 1 },
  };
}

type Pair = readonly [number, number];

/** Of halves the operator's result is float32. */
function convolution({ attributes }: NodeSpec, x: TensorSpec, w: TensorSpec): Head {
  if (x.shape.length !== 4) refuse(`its Conv is of ${x.shape.length - 2} dimensions; the operator's is of 2`);
  const { auto_pad = "NOTSET", channels_last: channelsLast = 0, group: groups = 1 } = attributes;
  if (auto_pad !== "NOTSET" && auto_pad !== "VALID") refuse("its Conv has auto_pad; give pads");
  const [N = 1, ...rest] = x.shape;
  const [H = 1, W = 1, CI = 1] = channelsLast ? rest : [rest[1], rest[2], rest[0]];
  const [KH = 1, KW = 1, CO = 1] = channelsLast ? [w.shape[0], w.shape[1], w.shape[3]] : [w.shape[2], w.shape[3], w.shape[0]];
  const { strides = [1, 1], dilations = [1, 1], pads = [0, 0, 0, 0] } = attributes;
  const [stride, dilation] = [strides, dilations] as [Pair, Pair];
  const padding = (auto_pad === "VALID" ? [0, 0, 0, 0] : pads) as [number, number, number, number];
  const args = { N, H, W, CO, CI, KH, KW, stride, padding, dilation, groups: Number(groups) };
  const places = convPlaces(args);
  return {
    operator: "conv2d",
    args: { ...args, layout: channelsLast ? "NHWC" : "NCHW", dtype: x.dtype },
    epilogue: isHalf(x.dtype) ? [`cast(${x.dtype})`] : [],
    shape: channelsLast ? [N, ...places, CO] : [N, CO, ...places],
    ...{ channels: channelsLast ? 3 : 1, joined: 1 },
  };
}

/** A tensor that is added, as NumPy broadcasts it: of the result's shape, or with an element for each place along some axes. */
function added({ shape, channels, joined }: Head, tensor: TensorSpec): string {
  const own = [...new Array<number>(Math.max(0, shape.length - tensor.shape.length)).fill(1), ...tensor.shape];
  const fault = `its result is [${shape.join(", ")}] and what it adds [${tensor.shape.join(", ")}]`;
  if (own.length > shape.length || own.some((extent, d) => extent !== 1 && extent !== shape[d])) refuse(fault);
  const along = own.flatMap((extent, d) => (extent > 1 ? [d] : []));
  if (along.length === 1 && along[0] === channels) return "bias";
  if (sizeOf(own) === sizeOf(shape)) return "residual";
  if (along.length === 0 || joined > 1) refuse(fault);
  return `bias(${along.join()})`;
}

const sixth = Math.fround(1 / 6);

/** Undefined for nodes that no operation of an epilogue is. */
function activation(op: string, { alpha, beta, approximate, min, max, to }: NodeSpec["attributes"]): string | undefined {
  switch (op) {
    case "Relu":
    case "Sigmoid":
    case "Tanh":
      return op.toLowerCase();
    case "HardSwish":
      return "hard_swish";
    case "Gelu":
      return approximate === "tanh" ? "gelu_tanh" : "gelu";
    case "Swish":
      return Number(alpha ?? 1) === 1 ? "silu" : undefined;
    case "HardSigmoid":
      return Math.fround(Number(alpha)) === sixth && Number(beta ?? 0.5) === 0.5 ? "hard_sigmoid" : undefined;
    case "Clip":
      if (min === 0 && max === undefined) return "relu";
      return typeof min === "number" && typeof max === "number" && min <= max ? `clamp(${min},${max})` : undefined;
    case "Cast": {
      const dtype: DType | undefined = onnxTypes[Number(to)];
      return dtype !== undefined && isFloat(dtype) ? `cast(${dtype})` : undefined;
    }
    default:
      return undefined;
  }
}
