/**
 * A subgraph in the words of an operator and its epilogue, so that the operator's templates take it: a product or a convolution of
 * the subgraph's inputs, and behind it a chain of nodes of one element. The inputs come in the operator's order: operands, then
 * what the nodes add. A subgraph rounds halves after each node, an epilogue once at its end.
 */
import { type DType, isFloat, type Json } from "@warpfarm/common";
import { isHalf, type NodeSpec, onnxTypes, sizeOf } from "./node.ts";
import type { Subgraph, TensorSpec } from "./subgraph.ts";

/** Why a subgraph is none, as the end of a sentence. */
export class NoOperator extends Error {}
const none = (why: string): never => {
  throw new NoOperator(why);
};

interface AsOperator {
  readonly operator: "matmul" | "conv2d";
  /** By name, without the epilogue. */
  readonly args: Readonly<Record<string, Json>>;
  readonly epilogue: readonly string[];
}

/** The operator without what follows, and its result as the nodes have it. */
interface Head extends AsOperator {
  readonly shape: readonly number[];
  /** The axis of the result's channels. */
  readonly channels: number;
  /** How many of the result's first axes are one axis of the operator's. */
  readonly joined: number;
}

class Matching {
  readonly #inputs: ReadonlyMap<string, TensorSpec>;
  readonly #numbers: ReadonlyMap<string, number>;
  /** The inputs, as the operator takes them. */
  readonly read: string[] = [];

  constructor({ inputs, nodes }: Subgraph) {
    this.#inputs = new Map(inputs.map((input) => [input.name, input]));
    const constants = nodes.flatMap(({ op, outputs: [name = ""], attributes: { value_float, value_int } }) => {
      const number = op === "Constant" ? (value_float ?? value_int) : undefined;
      return typeof number === "number" ? [[name, number] as const] : [];
    });
    this.#numbers = new Map(constants);
  }

  isNumber = ({ outputs: [name = ""] }: NodeSpec): boolean => this.#numbers.has(name);

  #input({ op }: NodeSpec, name = ""): TensorSpec {
    this.read.push(name);
    return this.#inputs.get(name) ?? none(`its ${op} reads what another node computes`);
  }

  head(node: NodeSpec): Head {
    const { op, attributes } = node;
    if (op !== "MatMul" && op !== "Gemm" && op !== "Conv") return none(`it begins with ${op}`);
    const [a, b] = [this.#input(node, node.inputs[0]), this.#input(node, node.inputs[1])];
    const { dtype } = a;
    if (!isFloat(dtype) || b.dtype !== dtype) none(`its ${op} is of ${dtype} and ${b.dtype}`);
    const head = op === "Conv" ? convolution(node, a, b) : product(node, a, b);
    if (Number(attributes.alpha ?? 1) !== 1 || Number(attributes.beta ?? 1) !== 1) none(`its ${op} has factors`);
    const [, , c = ""] = node.inputs;
    if (c === "") return head;
    const tensor = this.#input(node, c);
    return { ...head, epilogue: [...head.epilogue, op === "Conv" ? "bias" : added(head, tensor)] };
  }

  /** The operation of a node behind the result `before`. */
  word(node: NodeSpec, before: string, head: Head): string {
    const { op, inputs, attributes } = node;
    const others = inputs.filter((name) => name !== before);
    if (inputs.length - others.length !== 1) none(`its ${op} does not read the result before it once`);
    const [other] = others;
    if (other === undefined) return activation(op, attributes) ?? none(`no epilogue has its ${op} ${JSON.stringify(attributes)}`);
    const number = this.#numbers.get(other);
    if (op === "Mul" && number !== undefined) return `scale(${number})`;
    if (op === "Add" && number === undefined && others.length === 1) return added(head, this.#input(node, other));
    return none(`no epilogue has its ${op} of ${number ?? "a tensor"}`);
  }
}

/** Throws NoOperator. The subgraph is one that subgraphGraph takes. */
export function asOperator(subgraph: Subgraph): AsOperator {
  const matching = new Matching(subgraph);
  const [first, ...others] = subgraph.nodes.filter((node) => !matching.isNumber(node));
  if (first === undefined) return none("it has only constants");
  const head = matching.head(first);
  const words: string[] = [];
  let [before = ""] = first.outputs;
  for (const node of others) {
    words.push(matching.word(node, before, head));
    [before = ""] = node.outputs;
  }
  if (subgraph.outputs.join() !== before) none("it has other results than its last node's");
  const [taken, given] = [matching.read.join(), subgraph.inputs.map(({ name }) => name).join()];
  if (taken !== given) none(`the operator takes its inputs as ${taken}, and it has ${given}`);
  return { operator: head.operator, args: head.args, epilogue: [...head.epilogue, ...words] };
}

/** Rows of all matrices by one matrix: a batch with a matrix for each is no product of the operator's. */
function product({ op, attributes }: NodeSpec, a: TensorSpec, b: TensorSpec): Head {
  const [tall, wide] = [a.shape.length, b.shape.length];
  if (tall < 2 || wide !== 2) none(`its ${op} is of ${tall} and ${wide} dimensions; a product is by one matrix`);
  const isTurned = (name: string): boolean => Number(attributes[name] ?? 0) !== 0;
  const [left, right] = [isTurned("transA"), isTurned("transB")];
  const rows = a.shape.slice(0, -1);
  const [K, M] = [a.shape.at(-1) as number, sizeOf(rows)];
  const N = b.shape[right ? 0 : 1] as number;
  const sizes = left ? { M: K, N, K: M } : { M, N, K };
  const shape = [...(left ? [K] : rows), N];
  const layout = `${left ? "T" : "N"}${right ? "T" : "N"}`;
  return {
    ...{ operator: "matmul", args: { ...sizes, dtype: a.dtype, layout }, epilogue: [] },
    ...{ shape, channels: shape.length - 1, joined: shape.length - 1 },
  };
}

/** Of halves the operator's result is float32. */
function convolution({ attributes }: NodeSpec, x: TensorSpec, w: TensorSpec): Head {
  if (x.shape.length !== 4) none(`its Conv is of ${x.shape.length - 2} dimensions; the operator's is of 2`);
  if (!["NOTSET", "VALID"].includes(String(attributes.auto_pad ?? "NOTSET"))) none("its Conv has auto_pad; give pads");
  const isLast = Number(attributes.channels_last ?? 0) !== 0;
  const [N = 1, ...rest] = x.shape;
  const [H = 1, W = 1, CI = 1] = isLast ? rest : [rest[1], rest[2], rest[0]];
  const [KH = 1, KW = 1, CO = 1] = isLast ? [w.shape[0], w.shape[1], w.shape[3]] : [w.shape[2], w.shape[3], w.shape[0]];
  const { pads: padding = [0, 0, 0, 0], strides: stride = [1, 1], dilations: dilation = [1, 1], group: groups = 1 } = attributes;
  const [top, left, bottom, right] = padding as [number, number, number, number];
  const [down, across] = stride as [number, number];
  const [deep, broad] = dilation as [number, number];
  const places = [
    Math.floor((H + top + bottom - (KH - 1) * deep - 1) / down) + 1,
    Math.floor((W + left + right - (KW - 1) * broad - 1) / across) + 1,
  ];
  const windows = { stride, padding, dilation, groups, layout: isLast ? "NHWC" : "NCHW", dtype: x.dtype };
  return {
    ...{ operator: "conv2d", args: { N, H, W, CO, CI, KH, KW, ...windows } },
    epilogue: isHalf(x.dtype) ? [`cast(${x.dtype})`] : [],
    ...{ shape: isLast ? [N, ...places, CO] : [N, CO, ...places], channels: isLast ? 3 : 1, joined: 1 },
  };
}

/** A tensor that is added, as NumPy broadcasts it: of the result's shape, or with an element for each place along some axes. */
function added({ shape, channels, joined }: Head, tensor: TensorSpec): string {
  const own = [...new Array<number>(Math.max(0, shape.length - tensor.shape.length)).fill(1), ...tensor.shape];
  const fault = `its result is [${shape.join(", ")}] and what it adds [${tensor.shape.join(", ")}]`;
  if (own.length > shape.length || own.some((extent, d) => extent !== 1 && extent !== shape[d])) none(fault);
  const along = own.flatMap((extent, d) => (extent > 1 ? [d] : []));
  if (along.length === 1 && along[0] === channels) return "bias";
  if (sizeOf(own) === sizeOf(shape)) return "residual";
  if (along.length === 0 || joined > 1) none(fault);
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
