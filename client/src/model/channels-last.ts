/**
 * The same network with channels last, (N, ..., C), wherever convolutions of halves and what lies between them can have them so:
 * tensor cores and vectors read neighbouring channels. Convolutions begin it; pools, elementwise operators, reductions and
 * rearrangements go on with it; before any other operator, and at the model's inputs and outputs, tensors have the model's order.
 * Constants are rearranged here. A transpose that moves dimensions of one element alone is a view.
 */
import { dtypeBytes, invariant, type Json } from "@warpfarm/common";
import { isElementwise, isHalf, type NodeSpec, sizeOf } from "@warpfarm/templates";
import type { ModelTensor, TensorKind } from "./model.ts";
import type { Net } from "./net.ts";

type Order = readonly number[];

const range = (count: number): Order => Array.from({ length: count }, (_, d) => d);
/** Dimensions of the model's order in that of channels last. */
const orderOf = (rank: number): Order => [0, ...range(rank).slice(2), 1];
/** Of a kernel (O, I, ...): (..., I, O). That of `ConvTranspose` is (I, O, ...), and becomes (..., O, I). */
const orderOfKernel = (rank: number): Order => [...range(rank).slice(2), 1, 0];
const inverse = (order: Order): Order => range(order.length).map((d) => order.indexOf(d));
const ordered = (shape: readonly number[], order: Order): readonly number[] => order.map((d) => shape[d] as number);
const rises = (numbers: readonly number[]): boolean => numbers.every((x, i) => i === 0 || (numbers[i - 1] as number) < x);
/** Do elements keep their places in memory? */
const isView = (shape: readonly number[], order: Order): boolean => rises(order.filter((d) => shape[d] !== 1));

function rearranged({ dtype, shape, bytes }: ModelTensor, order: Order): ModelTensor {
  const each = dtypeBytes(dtype, 1);
  const steps = range(shape.length).map((d) => each * sizeOf(shape.slice(d + 1)));
  const [extents, strides] = [ordered(shape, order), ordered(steps, order)];
  const made = new Uint8Array(bytes.length);
  const index = extents.map(() => 0);
  let from = 0;
  for (let to = 0; to < made.length; to += each) {
    for (let b = 0; b < each; b++) made[to + b] = bytes[from + b] as number;
    for (let d = extents.length - 1; d >= 0; d--) {
      from += strides[d] as number;
      index[d] = (index[d] as number) + 1;
      if ((index[d] as number) < (extents[d] as number)) break;
      from -= (index[d] as number) * (strides[d] as number);
      index[d] = 0;
    }
  }
  return { dtype, shape: extents, bytes: made };
}

/** Adds rows of zeros at the end of the dimension before the last. */
function wider({ dtype, shape, bytes }: ModelTensor, more: number): ModelTensor {
  const [rows = 1, columns = 1] = shape.slice(-2);
  const row = dtypeBytes(dtype, rows * columns);
  const padded = dtypeBytes(dtype, (rows + more) * columns);
  const made = new Uint8Array((bytes.length / row) * padded);
  for (let i = 0; i * row < bytes.length; i++) made.set(bytes.subarray(i * row, (i + 1) * row), i * padded);
  return { dtype, shape: [...shape.slice(0, -2), rows + more, columns], bytes: made };
}

/** The least number of channels that are copied as one vector. */
const vector = 4;

/** Operators whose attribute `axis` names one dimension, with its default. */
const ofOneAxis: Readonly<Record<string, number>> = {
  ...{ Concat: 0, Split: 0, Softmax: -1, LogSoftmax: -1, ArgMax: 0, ArgMin: 0, CumSum: 0 },
};
/**
 * Operators with dimensions in `axes`. Without it they take the first ones, as many as the named attribute has entries, or all.
 */
const ofAxes: Readonly<Record<string, string | undefined>> = { Slice: "starts", Pad: undefined, Resize: undefined };
const globalPools: Readonly<Record<string, string>> = { GlobalAveragePool: "ReduceMean", GlobalMaxPool: "ReduceMax" };
const isReduction = (op: string): boolean => /^Reduce[A-Z]/.test(op);

/** The operator in tensors of `rank` dimensions with channels last; undefined where it has no such form. */
function withChannelsLast(node: NodeSpec, rank: number): NodeSpec | undefined {
  const { op, attributes } = node;
  const given = (more: { readonly [name: string]: Json }): NodeSpec => ({ ...node, attributes: { ...attributes, ...more } });
  const place = (axis: Json | undefined): number => {
    const d = Number(axis);
    return orderOf(rank).indexOf(d < 0 ? d + rank : d);
  };
  if (isElementwise(op)) return node;
  if (op === "MaxPool" || op === "AveragePool") return given({ channels_last: 1 });
  const global = globalPools[op];
  if (global !== undefined) return { ...node, op: global, attributes: { axes: [...range(rank - 1).slice(1)], keepdims: 1 } };
  if (op in ofOneAxis) return given({ axis: place(attributes.axis ?? ofOneAxis[op]) });
  const axes = attributes.axes as readonly number[] | undefined;
  if (isReduction(op)) return axes === undefined ? node : given({ axes: axes.map(place) });
  if (!(op in ofAxes)) return undefined;
  const counted = attributes[ofAxes[op] ?? ""] as readonly number[] | undefined;
  return given({ axes: (axes ?? range(counted?.length ?? rank)).map(place) });
}

/** Which dimensions the operator's result lacks; undefined where it has all of them. */
function droppedBy({ op, attributes }: NodeSpec, rank: number): readonly number[] | undefined {
  if (Number(attributes.keepdims ?? 1) !== 0 || !(isReduction(op) || op === "ArgMax" || op === "ArgMin")) return undefined;
  const given = (attributes.axes as readonly number[] | undefined) ?? [];
  if (isReduction(op) && given.length === 0) return Number(attributes.noop_with_empty_axes ?? 0) === 0 ? range(rank) : undefined;
  const axes = isReduction(op) ? given : [attributes.axis ?? 0];
  return axes.map((axis) => (Number(axis) < 0 ? Number(axis) + rank : Number(axis)));
}

class Laying {
  readonly #net: Net;
  readonly #kinds: Map<string, TensorKind>;
  readonly #constants: Map<string, ModelTensor>;
  readonly #nodes: NodeSpec[] = [];
  /** The name with channels last, of those of the model's tensors that have one. */
  readonly #last = new Map<string, string>();
  /** The name in the model's order, of those that a node gives with channels last; undefined until it is asked for. */
  readonly #first = new Map<string, string | undefined>();
  readonly #made = new Map<string, string>();

  constructor(net: Net) {
    this.#net = net;
    this.#kinds = new Map(net.kinds);
    this.#constants = new Map(net.constants);
  }

  run(): Net {
    for (const node of this.#net.nodes)
      if (!this.#convolution(node) && !this.#transpose(node) && !this.#other(node))
        this.#nodes.push({ ...node, inputs: node.inputs.map(this.#inOrder) });
    for (const name of this.#net.needed) this.#inOrder(name);
    return { ...this.#net, nodes: this.#nodes, kinds: this.#kinds, constants: this.#constants };
  }

  #shape = (name: string): readonly number[] => (this.#net.kinds.get(name) as TensorKind).shape;

  #fresh(name: string): string {
    let found = name;
    for (let n = 2; this.#kinds.has(found); n++) found = `${name}${n}`;
    return found;
  }

  /** A convolution of halves whose weights are constants. */
  #convolution(node: NodeSpec): boolean {
    const { op, inputs } = node;
    const [x = "", w = "", ...bias] = inputs;
    if ((op !== "Conv" && op !== "ConvTranspose") || !isHalf((this.#net.kinds.get(x) as TensorKind).dtype)) return false;
    const kernel = this.#net.constants.get(w);
    if (!kernel) return false;
    const data = this.#withLast(x);
    const weights = this.#constant(w, kernel, orderOfKernel(kernel.shape.length));
    const given = [...(this.#widened(node, data, weights) ?? [data, weights]), ...bias.map(this.#inOrder)];
    this.#nodes.push({
      ...node,
      inputs: given,
      outputs: node.outputs.map(this.#given),
      attributes: { ...node.attributes, channels_last: 1 },
    });
    return true;
  }

  /**
   * Data that is rearranged for a convolution gets channels of zeros where its own are no vectors: a picture's three would be
   * copied one by one.
   */
  #widened({ op, inputs, attributes }: NodeSpec, data: string, weights: string): readonly string[] | undefined {
    const { shape } = this.#kinds.get(data) as TensorKind;
    const more = -(shape.at(-1) as number) & (vector - 1);
    const isOneGroup = op === "Conv" && Number(attributes.group ?? 1) === 1;
    const isMade = this.#nodes.some(({ op: maker, outputs }) => maker === "Transpose" && outputs.includes(data));
    if (more === 0 || !isOneGroup || !isMade || this.#first.has(inputs[0] as string)) return undefined;
    const kernel = this.#constants.get(weights) as ModelTensor;
    return [
      this.#once(`${data} wider`, `${data}.wider`, (made) => this.#pad(data, more, made)),
      this.#once(`${weights} wider`, `${weights}.wider`, (made) => this.#put(made, wider(kernel, more))),
    ];
  }

  /** The name of what the key says, which is made where it is not there yet. */
  #once(key: string, name: string, make: (made: string) => void): string {
    const known = this.#made.get(key);
    if (known !== undefined) return known;
    const made = this.#fresh(name);
    make(made);
    this.#made.set(key, made);
    return made;
  }

  /** Zeros after the last channel. */
  #pad(data: string, more: number, made: string): void {
    const { dtype, shape } = this.#kinds.get(data) as TensorKind;
    const before = shape.map(() => 0);
    this.#kinds.set(made, { dtype, shape: shape.with(-1, (shape.at(-1) as number) + more) });
    const pads = [...before, ...before.with(-1, more)];
    this.#nodes.push({ op: "Pad", inputs: [data], outputs: [made], attributes: { pads } });
  }

  /** Of a tensor with channels last: one transpose of both, or a view where they undo each other. */
  #transpose({ op, inputs, outputs, attributes }: NodeSpec): boolean {
    const [x = ""] = inputs;
    if (op !== "Transpose" || !this.#first.has(x)) return false;
    const rank = this.#shape(x).length;
    const order = (attributes.perm as Order | undefined) ?? range(rank).toReversed();
    const places = inverse(orderOf(rank));
    this.#arrange(
      this.#last.get(x) as string,
      order.map((d) => places[d] as number),
      outputs[0] as string,
    );
    return true;
  }

  /** An operator of which an input has channels last. */
  #other(node: NodeSpec): boolean {
    const { inputs, outputs } = node;
    const [found] = inputs.filter((name) => this.#first.has(name));
    if (found === undefined) return false;
    const rank = this.#shape(found).length;
    const made = withChannelsLast(node, rank);
    const dropped = droppedBy(node, rank);
    const results = outputs.filter((name) => name !== "");
    const isLonger = dropped === undefined && results.some((name) => this.#shape(name).length !== rank);
    // Without some dimensions, the others have to follow each other as the model has them.
    const isTurned = dropped !== undefined && !rises(orderOf(rank).filter((d) => !dropped.includes(d)));
    if (!made || isLonger || isTurned) return false;
    const given = inputs.map((name) => (name === "" ? name : this.#spread(name, rank)));
    this.#nodes.push({ ...made, inputs: given, outputs: dropped ? outputs : outputs.map(this.#given) });
    return true;
  }

  /** A tensor of at most `rank` dimensions, as an operator broadcasts it, with channels last. */
  #spread(name: string, rank: number): string {
    const shape = this.#shape(name);
    const whole = [...new Array<number>(rank - shape.length).fill(1), ...shape];
    const constant = this.#net.constants.get(name);
    // One element is the same in any order, and a number where it has no dimensions.
    if (constant && sizeOf(shape) === 1) return name;
    if (constant) return this.#constant(name, { ...constant, shape: whole }, orderOf(rank));
    if (shape.length === rank) return this.#withLast(name);
    return this.#once(`${name} of ${rank}`, `${name}.last`, (made) => {
      const wide = this.#fresh(`${name}.wide`);
      this.#view(this.#inOrder(name), whole, wide);
      this.#arrange(wide, orderOf(rank), made);
    });
  }

  #withLast = (name: string): string => {
    const known = this.#last.get(name);
    if (known !== undefined) return known;
    const made = this.#fresh(`${name}.last`);
    this.#arrange(name, orderOf(this.#shape(name).length), made);
    this.#last.set(name, made);
    return made;
  };

  #inOrder = (name: string): string => {
    if (!this.#first.has(name)) return name;
    const known = this.#first.get(name);
    if (known !== undefined) return known;
    const last = this.#last.get(name) as string;
    const made = last === name ? this.#fresh(`${name}.first`) : name;
    this.#arrange(last, inverse(orderOf(this.#shape(name).length)), made);
    this.#first.set(name, made);
    return made;
  };

  /** The name of a node's result with channels last. What is needed in the model's order has its own name there. */
  #given = (name: string): string => {
    if (name === "") return name;
    const { dtype, shape } = this.#net.kinds.get(name) as TensorKind;
    const made = this.#net.needed.has(name) ? this.#fresh(`${name}.last`) : name;
    this.#kinds.set(made, { dtype, shape: ordered(shape, orderOf(shape.length)) });
    this.#last.set(name, made);
    this.#first.set(name, undefined);
    return made;
  };

  #constant(name: string, tensor: ModelTensor, order: Order): string {
    return this.#once(`${name} in ${order.join()}`, `${name}.last`, (made) => this.#put(made, rearranged(tensor, order)));
  }

  #put(name: string, constant: ModelTensor): void {
    this.#constants.set(name, constant);
    this.#kinds.set(name, { dtype: constant.dtype, shape: constant.shape });
  }

  #view(of: string, shape: readonly number[], view: string): void {
    const { dtype } = this.#kinds.get(of) as TensorKind;
    this.#kinds.set(view, { dtype, shape });
    this.#nodes.push({ op: "Reshape", inputs: [of], outputs: [view], attributes: { shape: [...shape] } });
  }

  /** Transposes a tensor that is there. */
  #arrange(from: string, order: Order, to: string): void {
    const { dtype, shape } = this.#kinds.get(from) as TensorKind;
    invariant(shape.length === order.length, `${from} has ${shape.length} dimensions`);
    if (isView(shape, order)) this.#view(from, ordered(shape, order), to);
    else {
      this.#kinds.set(to, { dtype, shape: ordered(shape, order) });
      this.#nodes.push({ op: "Transpose", inputs: [from], outputs: [to], attributes: { perm: [...order] } });
    }
  }
}

export const channelsLast = (net: Net): Net => new Laying(net).run();
