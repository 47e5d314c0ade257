/**
 * The same network with fewer operators: batch norms go into the convolution before them, or become a product and a sum, and
 * activations that exporters write in several nodes become one.
 */
import { type NodeSpec, sizeOf } from "@warpfarm/templates";
import { type ModelTensor, numbersOf, tensorOf } from "./model.ts";
import { alive, type Net } from "./net.ts";

class Rewriting {
  readonly constants: Map<string, ModelTensor>;
  readonly kinds: Map<string, Net["kinds"] extends ReadonlyMap<string, infer K> ? K : never>;
  readonly #needed: Net["needed"];
  readonly #nodes: Map<string, NodeSpec>;
  #order: NodeSpec[];

  constructor({ nodes, needed, constants, kinds }: Net) {
    this.constants = new Map(constants);
    this.kinds = new Map(kinds);
    this.#needed = needed;
    this.#order = [...nodes];
    this.#nodes = new Map(nodes.flatMap((node) => node.outputs.map((name) => [name, node] as const)));
  }
  get nodes(): readonly NodeSpec[] {
    return this.#order;
  }
  producer = (name: string | undefined, op: string): NodeSpec | undefined => {
    const node = this.#nodes.get(name ?? "");
    return node?.op === op ? node : undefined;
  };
  readers = (name: string): readonly NodeSpec[] => this.#order.filter(({ inputs }) => inputs.includes(name));
  /** Whether this many nodes read the tensor, and nobody else. */
  isReadBy = (name: string, count: number): boolean => !this.#needed.has(name) && this.readers(name).length === count;
  /** The number of a constant with one element. */
  number(name: string | undefined): number | undefined {
    const tensor = this.constants.get(name ?? "");
    return tensor && sizeOf(tensor.shape) === 1 ? numbersOf(tensor)[0] : undefined;
  }
  constant(name: string, tensor: ModelTensor): string {
    this.constants.set(name, tensor);
    this.kinds.set(name, { dtype: tensor.dtype, shape: tensor.shape });
    return name;
  }
  replace(node: NodeSpec, ...others: readonly NodeSpec[]): void {
    this.#order.splice(this.#order.indexOf(node), 1, ...others);
    for (const other of others) for (const name of other.outputs) this.#nodes.set(name, other);
  }
}

const is = (x: number | undefined, wanted: number): boolean => x !== undefined && Math.abs(x - wanted) < 1e-3 * Math.abs(wanted);

/** y = (x - mean) scale / sqrt(variance + epsilon) + bias, with constants: a factor and an offset for each channel. */
function channelsOf(net: Rewriting, { inputs, attributes }: NodeSpec) {
  const [scale, ...rest] = inputs.slice(1).map((name) => net.constants.get(name));
  if (!scale || rest.length < 3 || !rest.every((tensor) => tensor !== undefined)) return undefined;
  const [b = [], m = [], v = []]: ArrayLike<number>[] = rest.map(numbersOf);
  const s = numbersOf(scale);
  const epsilon = Number(attributes.epsilon ?? 1e-5);
  const factor = Float64Array.from(s, (x, c) => x / Math.sqrt((v[c] as number) + epsilon));
  const offset = Float64Array.from(b, (x, c) => x - (m[c] as number) * (factor[c] as number));
  return { factor, offset };
}

/** Into the weights and bias of the convolution that alone feeds it. */
function foldBatchNorm(net: Rewriting, node: NodeSpec): void {
  const found = channelsOf(net, node);
  const [x = ""] = node.inputs;
  const output = node.outputs[0] as string;
  if (!found) return;
  const { factor, offset } = found;
  const conv = net.producer(x, "Conv");
  const weight = net.constants.get(conv?.inputs[1] ?? "");
  const before = conv?.inputs[2] ? net.constants.get(conv.inputs[2]) : undefined;
  if (conv && weight && (!conv.inputs[2] || before) && net.isReadBy(x, 1)) {
    const w = numbersOf(weight);
    const each = w.length / factor.length;
    const biased = before && numbersOf(before);
    const scaled = Float64Array.from(w, (value, i) => value * (factor[Math.floor(i / each)] as number));
    const shifted = offset.map((value, f) => value + (biased?.[f] ?? 0) * (factor[f] as number));
    const names = [
      net.constant(`${output}.weight`, tensorOf(weight.dtype, weight.shape, scaled)),
      net.constant(`${output}.bias`, tensorOf(weight.dtype, [factor.length], shifted)),
    ];
    net.replace(conv);
    net.replace(node, { ...conv, inputs: [conv.inputs[0] as string, ...names], outputs: [output] });
    return;
  }
  const kind = net.kinds.get(x);
  if (!kind) return;
  const shape = [factor.length, ...kind.shape.slice(2).map(() => 1)];
  const scaled = `${output}.scaled`;
  net.kinds.set(scaled, kind);
  net.replace(
    node,
    {
      op: "Mul",
      inputs: [x, net.constant(`${output}.factor`, tensorOf(kind.dtype, shape, factor))],
      outputs: [scaled],
      attributes: {},
    },
    {
      op: "Add",
      inputs: [scaled, net.constant(`${output}.offset`, tensorOf(kind.dtype, shape, offset))],
      outputs: [output],
      attributes: {},
    },
  );
}

/** x sigmoid(x) */
function foldSwish(net: Rewriting, node: NodeSpec): void {
  for (const [x = "", other = ""] of [node.inputs, node.inputs.toReversed()]) {
    const gate = net.producer(other, "Sigmoid");
    if (!gate || gate.inputs[0] !== x || !net.isReadBy(other, 1)) continue;
    net.replace(gate);
    net.replace(node, { op: "Swish", inputs: [x], outputs: node.outputs, attributes: {} });
    return;
  }
}

/** x / sqrt(2) or x sqrt(1/2), of which the error function is taken, plus 1: the name of x. */
function gateOfGelu(
  net: Rewriting,
  name: string | undefined,
): { readonly x: string; readonly nodes: readonly NodeSpec[] } | undefined {
  const sum = net.producer(name, "Add");
  const [one] = sum?.inputs.filter((input) => is(net.number(input), 1)) ?? [];
  const erf = net.producer(
    sum?.inputs.find((input) => input !== one),
    "Erf",
  );
  const [scaled = ""] = erf?.inputs ?? [];
  const divided = net.producer(scaled, "Div") ?? net.producer(scaled, "Mul");
  if (!sum || one === undefined || !erf || !divided) return undefined;
  const [x = "", by] = divided.inputs;
  if (!is(net.number(by), divided.op === "Div" ? Math.SQRT2 : Math.SQRT1_2)) return undefined;
  return { x, nodes: [sum, erf, divided] };
}

/** x (1 + erf(x / sqrt(2))) / 2, in the orders that exporters write. `node`: the last product. */
function foldGelu(net: Rewriting, node: NodeSpec): void {
  const half = node.inputs.find((input) => is(net.number(input), 0.5));
  const other = node.inputs.find((input) => input !== half);
  const product = half === undefined ? node : net.producer(other, "Mul");
  if (!product) return;
  for (const [a = "", b = ""] of [product.inputs, product.inputs.toReversed()]) {
    const gate = gateOfGelu(net, b);
    if (!gate) continue;
    // The half is a factor of the whole, or of x.
    const halved = half === undefined ? net.producer(a, "Mul") : undefined;
    const x = half === undefined ? halved?.inputs.find((input) => !is(net.number(input), 0.5)) : a;
    if (x !== gate.x || (halved && !halved.inputs.some((input) => is(net.number(input), 0.5)))) continue;
    const inner = [...gate.nodes, ...(halved ? [halved] : []), ...(product === node ? [] : [product])];
    if (!inner.every(({ outputs }) => net.isReadBy(outputs[0] as string, 1))) continue;
    for (const each of inner) net.replace(each);
    net.replace(node, { op: "Gelu", inputs: [x], outputs: node.outputs, attributes: {} });
    return;
  }
}

/** (x - mean) / sqrt(variance + epsilon) along the last dimension, as exporters wrote it before opset 17. `node`: its end. */
function foldLayerNorm(net: Rewriting, node: NodeSpec): void {
  const [centred = "", deviation] = node.inputs;
  const difference = net.producer(centred, "Sub");
  const root = net.producer(deviation, "Sqrt");
  const sum = net.producer(root?.inputs[0], "Add");
  const epsilon = sum?.inputs.map((name) => net.number(name)).find((number) => number !== undefined);
  const variance = net.producer(
    sum?.inputs.find((name) => net.number(name) === undefined),
    "ReduceMean",
  );
  const square = net.producer(variance?.inputs[0], "Pow") ?? net.producer(variance?.inputs[0], "Mul");
  const mean = net.producer(difference?.inputs[1], "ReduceMean");
  const [x = ""] = difference?.inputs ?? [];
  if (!difference || !root || !sum || !variance || !square || !mean || epsilon === undefined) return;
  const rank = net.kinds.get(x)?.shape.length ?? 0;
  const isLast = ({ attributes: { axes, keepdims = 1 } }: NodeSpec) =>
    keepdims === 1 && (String(axes) === "-1" || String(axes) === String(rank - 1));
  const isSquare = square.op === "Pow" ? is(net.number(square.inputs[1]), 2) : square.inputs[1] === centred;
  if (mean.inputs[0] !== x || square.inputs[0] !== centred || !isSquare || !isLast(mean) || !isLast(variance)) return;
  const inner = [mean, square, variance, sum, root];
  if (!net.isReadBy(centred, 2) || !inner.every(({ outputs }) => net.isReadBy(outputs[0] as string, 1))) return;
  for (const each of [...inner, difference]) net.replace(each);
  net.replace(node, { op: "LayerNormalization", inputs: [x], outputs: node.outputs, attributes: { axis: -1, epsilon } });
}

const folds: { readonly [op: string]: (net: Rewriting, node: NodeSpec) => void } = {
  BatchNormalization: foldBatchNorm,
  Div: foldLayerNorm,
  Mul: (net, node) => {
    foldGelu(net, node);
    if (net.nodes.includes(node)) foldSwish(net, node);
  },
};

export function simplified(net: Net): Net {
  const rewriting = new Rewriting(net);
  for (const node of net.nodes) if (rewriting.nodes.includes(node)) folds[node.op]?.(rewriting, node);
  const { nodes, constants, kinds } = rewriting;
  return { ...net, nodes: alive(nodes, [...net.needed]), constants, kinds };
}
