/**
 * A part of a network as data, in ONNX's words (onnx.ai/onnx/operators): inputs with type and shape, nodes of the default domain
 * in an order of execution, outputs. It is read into a computation; operators.ts lists what it may hold.
 */
import { type DType, didYouMean, dtypes, isPacked, type Json, strangeKey } from "@warpfarm/common";
import { type Buffer, type Graph, GraphError, graphOf, placeholder } from "@warpfarm/compiler/language";
import { NodeReader, NodeRefusal, type NodeSpec, type Tensor, type Value } from "./node.ts";
import { onnxOperators } from "./operators.ts";

export interface TensorSpec {
  readonly name: string;
  readonly dtype: DType;
  readonly shape: readonly number[];
}

export interface Subgraph {
  readonly inputs: readonly TensorSpec[];
  readonly nodes: readonly NodeSpec[];
  readonly outputs: readonly string[];
}

const refuse = (what: string): never => {
  throw new GraphError(what);
};
const isObject = (json: Json | undefined): json is { readonly [key: string]: Json } =>
  typeof json === "object" && json !== null && !Array.isArray(json);
const areNames = (json: Json | undefined): json is readonly string[] =>
  Array.isArray(json) && json.every((one) => typeof one === "string");

function onlyFields(what: string, json: object, known: readonly string[]): void {
  const strange = strangeKey("field", json, known);
  if (strange) refuse(`${what} ${strange.words}`);
}

function tensorSpec(json: Json, i: number): TensorSpec {
  if (!isObject(json) || typeof json.name !== "string") return refuse(`inputs[${i}] has no name; it is {name, dtype, shape}`);
  const what = `input "${json.name}"`;
  onlyFields(what, json, ["name", "dtype", "shape"]);
  const dtype = dtypes.find((one) => one === json.dtype && !isPacked(one));
  const allowed = dtypes.filter((one) => !isPacked(one)).join(", ");
  if (dtype === undefined) return refuse(`${what} has the dtype ${JSON.stringify(json.dtype) ?? "none"}; it takes ${allowed}`);
  const { shape } = json;
  if (!Array.isArray(shape) || !shape.every((extent) => Number.isSafeInteger(extent)))
    return refuse(`${what} has the shape ${JSON.stringify(shape) ?? "none"}; it takes a list of whole numbers`);
  return { name: json.name, dtype, shape };
}

function nodeSpec(json: Json, i: number): NodeSpec {
  if (!isObject(json) || typeof json.op !== "string")
    return refuse(`nodes[${i}] has no op; it is {op, inputs, outputs, attributes}`);
  const what = `nodes[${i}] (${json.op})`;
  onlyFields(what, json, ["op", "inputs", "outputs", "attributes"]);
  const { op, inputs = [], outputs, attributes = {} } = json;
  if (!areNames(inputs)) return refuse(`${what}: inputs is ${JSON.stringify(inputs)}; it takes a list of names`);
  if (!areNames(outputs) || outputs.length === 0)
    return refuse(`${what}: outputs is ${JSON.stringify(outputs) ?? "missing"}; it takes a list of names, one at least`);
  if (!isObject(attributes)) return refuse(`${what}: attributes is ${JSON.stringify(attributes)}; it takes an object`);
  return { op, inputs, outputs, attributes };
}

/** Checks the form alone. Throws GraphError that names the input or node. */
export function readSubgraph(inputs: readonly Json[], nodes: readonly Json[], outputs: readonly Json[]): Subgraph {
  if (nodes.length === 0) refuse("it has no nodes");
  if (!areNames(outputs) || outputs.length === 0)
    return refuse(`outputs is ${JSON.stringify(outputs)}; it takes a list of names, one at least`);
  return { inputs: inputs.map(tensorSpec), nodes: nodes.map(nodeSpec), outputs };
}

/** The values of a node's outputs that have names. Throws GraphError that names node, operator and reason. */
function applyNode(node: NodeSpec, i: number, values: ReadonlyMap<string, Value>): readonly Value[] {
  const reader = new NodeReader(node, i, values);
  const read = Object.hasOwn(onnxOperators, node.op) ? onnxOperators[node.op] : undefined;
  if (read === undefined)
    return reader.refuse(
      `the operator is not known${didYouMean(node.op, Object.keys(onnxOperators))}; docs/models.md lists them`,
    );
  try {
    const made = read(reader);
    const all = Array.isArray(made) ? (made as readonly Value[]) : [made as Value];
    reader.checkAllRead();
    const lost = node.outputs.slice(all.length).find((name) => name !== "");
    if (lost !== undefined) reader.refuse(`its output "${lost}" is not computed here`);
    return all;
  } catch (error) {
    if (error instanceof GraphError && !(error instanceof NodeRefusal)) reader.refuse(error.message);
    throw error;
  }
}

/** The buffer of a tensor without dimensions has the shape [1]. */
const bufferShape = (shape: readonly number[]): readonly number[] => (shape.length === 0 ? [1] : shape);

/** One node on its own, whose inputs are tensors. Throws GraphError that names node, operator and reason. */
export function nodeGraph(
  node: NodeSpec,
  inputs: readonly TensorSpec[],
): { readonly graph: Graph; readonly outputs: readonly TensorSpec[] } {
  const values = new Map<string, Value>();
  const buffers = inputs.map(({ name, dtype, shape }): Buffer => {
    const buffer = placeholder(name, bufferShape(shape), dtype);
    values.set(name, { kind: "tensor", buffer, shape });
    return buffer;
  });
  const made = applyNode(node, 0, values).slice(0, node.outputs.length) as readonly Tensor[];
  const outputs = made.map(({ buffer, shape }, i) => ({ name: node.outputs[i] as string, dtype: buffer.dtype, shape }));
  const graph = graphOf(
    buffers,
    made.map(({ buffer }) => buffer),
  );
  return { graph, outputs };
}

/** Throws GraphError that names the input, or node, operator and reason. */
export function subgraphGraph({ inputs, nodes, outputs }: Subgraph): Graph {
  const values = new Map<string, Value>();
  const define = (name: string, value: Value, what: string): void => {
    if (values.has(name)) refuse(`${what} gives "${name}", which is there already; each name is given once`);
    values.set(name, value);
  };
  const buffers = inputs.map(({ name, dtype, shape }): Buffer => {
    const buffer = placeholder(name, bufferShape(shape), dtype);
    define(name, { kind: "tensor", buffer, shape }, "an input");
    return buffer;
  });
  for (const [i, node] of nodes.entries()) {
    const made = applyNode(node, i, values);
    for (const [k, name] of node.outputs.entries()) if (name !== "") define(name, made[k] as Value, `nodes[${i}] (${node.op})`);
  }
  const results = outputs.map((name): Tensor => {
    const value = values.get(name) ?? refuse(`the output "${name}" is none of ${[...values.keys()].join(", ")}`);
    return value.kind === "tensor" ? value : refuse(`the output "${name}" is a constant`);
  });
  return graphOf(
    buffers,
    results.map(({ buffer }) => buffer),
  );
}
