/**
 * A model with known types and shapes: constants are folded (a shape, and what is computed of it, is a constant), and what an
 * operator has to know is an attribute. What cannot be computed is listed with its reason.
 */
import type { DType, Json } from "@warpfarm/common";
import { evaluate } from "@warpfarm/compiler";
import { GraphError } from "@warpfarm/compiler/language";
import { NodeRefusal, type NodeSpec, nodeGraph, onnxOperators, sizeOf, type TensorSpec } from "@warpfarm/templates";
import { type Model, type ModelNode, type ModelTensor, numbersOf, type TensorKind, tensorOf } from "./model.ts";

export interface Problem {
  readonly node: string;
  readonly op: string;
  readonly domain: string;
  readonly why: string;
}

export interface Net {
  readonly inputs: Model["inputs"];
  readonly outputs: readonly string[];
  readonly nodes: readonly NodeSpec[];
  /** Tensors that have to be computed: outputs, and what nodes that cannot be computed read. */
  readonly needed: ReadonlySet<string>;
  /** Of every tensor. */
  readonly kinds: ReadonlyMap<string, TensorKind>;
  readonly constants: ReadonlyMap<string, ModelTensor>;
  readonly problems: readonly Problem[];
}

/** Inputs that become attributes: by operator, their places and names. A single number where the name has a `*`. */
const known: { readonly [op: string]: { readonly [place: number]: string } } = {
  Reshape: { 1: "shape" },
  Expand: { 1: "shape" },
  Tile: { 1: "repeats" },
  Squeeze: { 1: "axes" },
  Unsqueeze: { 1: "axes" },
  Split: { 1: "split" },
  Slice: { 1: "starts", 2: "ends", 3: "axes", 4: "steps" },
  Pad: { 1: "pads", 2: "*value", 3: "axes" },
  Clip: { 1: "*min", 2: "*max" },
  Resize: { 1: "roi", 2: "scales", 3: "sizes" },
  ...Object.fromEntries(
    ["Sum", "Mean", "Max", "Min", "Prod", "L1", "L2", "SumSquare", "LogSum", "LogSumExp"].map((word) => [
      `Reduce${word}`,
      { 1: "axes" },
    ]),
  ),
};

const refuse = (why: string): never => {
  throw new GraphError(why);
};

/** Operators of older opsets in the words of the newest. */
function modern(node: ModelNode, opset: number, rank: (name: string) => number): ModelNode {
  const { op, inputs, attributes } = node;
  if (op === "Upsample" || (op === "Resize" && opset < 11)) {
    const scales = attributes.scales === undefined ? [inputs[0] ?? "", "", inputs[1] ?? ""] : [inputs[0] ?? ""];
    const { mode = "nearest", ...rest } = attributes;
    if (mode !== "nearest") refuse(`mode ${JSON.stringify(mode)} of opset ${opset} is not computed; nearest is`);
    return {
      ...node,
      op: "Resize",
      inputs: scales,
      attributes: { ...rest, mode, coordinate_transformation_mode: "asymmetric", nearest_mode: "floor" },
    };
  }
  if ((op === "Softmax" || op === "LogSoftmax") && opset < 13) {
    const count = rank(inputs[0] ?? "");
    const axis = Number(attributes.axis ?? 1);
    if ((axis < 0 ? axis + count : axis) !== count - 1)
      refuse(`before opset 13 it goes over dimensions ${axis} to the last together; only the last alone is computed`);
    return { ...node, attributes: { ...attributes, axis: -1 } };
  }
  return node;
}

function given({ attributes }: ModelNode): ModelTensor {
  const { value_float, value_int, value_floats, value_ints } = attributes;
  const numbers = value_float ?? value_int ?? value_floats ?? value_ints ?? refuse("its constant is no tensor of numbers");
  const dtype = value_float !== undefined || value_floats !== undefined ? "float32" : "int32";
  return Array.isArray(numbers)
    ? tensorOf(dtype, [numbers.length], numbers as readonly number[])
    : tensorOf(dtype, [], [numbers as number]);
}

class Inferring {
  readonly #model: Model;
  readonly #kinds = new Map<string, TensorKind>();
  readonly #constants: Map<string, ModelTensor>;
  readonly #alias = new Map<string, string>();
  readonly #lost = new Map<string, string>();
  readonly #nodes: NodeSpec[] = [];
  readonly #problems: Problem[] = [];
  /** What nodes that cannot be computed read. */
  readonly #needed = new Set<string>();

  constructor(model: Model) {
    this.#model = model;
    this.#constants = new Map(model.constants);
    for (const { name, dtype, shape } of model.inputs) this.#kinds.set(name, { dtype, shape });
    for (const [name, { dtype, shape }] of model.constants) this.#kinds.set(name, { dtype, shape });
  }

  run(): Net {
    for (const [i, node] of this.#model.nodes.entries()) {
      const named = { ...node, inputs: node.inputs.map((name) => this.#alias.get(name) ?? name) };
      try {
        this.#node(named);
      } catch (error) {
        if (!(error instanceof GraphError)) throw error;
        this.#lose(named, i, error instanceof NodeRefusal ? error.why : error.message);
      }
    }
    const outputs = this.#model.outputs.map((name) => this.#alias.get(name) ?? name);
    return {
      inputs: this.#model.inputs,
      outputs,
      nodes: alive(this.#nodes, [...outputs, ...this.#needed]),
      needed: new Set([...outputs, ...this.#needed]),
      kinds: this.#kinds,
      constants: this.#constants,
      problems: this.#problems,
    };
  }

  #lose(node: ModelNode, i: number, why: string): void {
    const name = node.name || `${node.op} ${i}`;
    for (const input of node.inputs) this.#needed.add(input);
    this.#problems.push({ node: name, op: node.op, domain: node.domain, why });
    for (const output of node.outputs) {
      const stated = this.#model.stated.get(output);
      // What the file says of the result lets those after it go on.
      if (stated) this.#kinds.set(output, stated);
      else this.#lost.set(output, name);
    }
  }

  #constant(name: string, tensor: ModelTensor): void {
    this.#constants.set(name, tensor);
    this.#kinds.set(name, { dtype: tensor.dtype, shape: tensor.shape });
  }

  #kindOf(name: string): TensorKind {
    return this.#kinds.get(name) ?? refuse(`it reads ${JSON.stringify(name)}, which nothing before it gives`);
  }

  #node(given: ModelNode): void {
    if (given.domain !== "") refuse("operators of this domain are not known");
    const lost = given.inputs.map((name) => this.#lost.get(name)).find((name) => name !== undefined);
    if (lost !== undefined) refuse(`it reads what ${lost} gives`);
    const node = modern(given, this.#model.opset, (name) => this.#kindOf(name).shape.length);
    const [first = ""] = node.inputs;
    const output = node.outputs[0] ?? "";
    if (node.op === "Identity" || node.op === "Dropout") {
      this.#kindOf(first);
      this.#alias.set(output, first);
      return;
    }
    const areConstant = node.inputs.every((name) => name === "" || this.#constants.has(name));
    const made = this.#made(node, areConstant);
    if (made) this.#constant(output, made);
    else if (Object.hasOwn(onnxOperators, node.op)) this.#apply(this.#canonical(node), areConstant);
    else refuse("the operator is not known; docs/models.md lists those that are");
  }

  /** The constant that the node is by its form, and not by arithmetic. */
  #made(node: ModelNode, areConstant: boolean): ModelTensor | undefined {
    const { op, inputs, attributes } = node;
    const numbers = (): number[][] => inputs.map((name) => [...numbersOf(this.#constants.get(name) as ModelTensor)]);
    if (op === "Constant") return this.#constants.get(node.outputs[0] ?? "") ?? given(node);
    if (op === "Size") return tensorOf("int32", [], [sizeOf(this.#kindOf(inputs[0] ?? "").shape)]);
    if (op === "Shape") {
      const { start = 0, end } = attributes;
      const part = this.#kindOf(inputs[0] ?? "").shape.slice(Number(start), end === undefined ? undefined : Number(end));
      return tensorOf("int32", [part.length], part);
    }
    if (op === "ConstantOfShape" && areConstant) {
      const [shape = []] = numbers();
      const dtype = (attributes.dtype ?? "float32") as DType;
      return tensorOf(dtype, shape, new Array<number>(sizeOf(shape)).fill(Number(attributes.value ?? 0)));
    }
    if (op === "Range" && areConstant) {
      const [from = 0, to = 0, step = 1] = numbers().map(([number]) => number);
      const count = Math.max(0, Math.ceil((to - from) / step));
      return tensorOf(
        this.#kindOf(inputs[0] ?? "").dtype,
        [count],
        Array.from({ length: count }, (_, i) => from + i * step),
      );
    }
    return undefined;
  }

  #canonical({ op, inputs, outputs, attributes }: ModelNode): NodeSpec {
    const places = known[op] ?? {};
    const made: { [name: string]: Json } = { ...attributes };
    const kept = inputs.map((name, i) => {
      const word = places[i];
      if (word === undefined || name === "") return name;
      const tensor =
        this.#constants.get(name) ?? refuse(`its ${word.replace("*", "")} (input ${i}) is computed while the model runs`);
      const numbers = [...numbersOf(tensor)];
      if (word === "roi" || numbers.length === 0) return "";
      if (!word.startsWith("*")) made[word] = numbers;
      else if (Number.isFinite(numbers[0])) made[word.slice(1)] = numbers[0] as number;
      return "";
    });
    while (kept.at(-1) === "") kept.pop();
    return { op, inputs: kept, outputs, attributes: made };
  }

  /** Names inside are the place's: those of ONNX are no identifiers. */
  #apply(node: NodeSpec, areConstant: boolean): void {
    const inputs = [...new Set(node.inputs.filter((name) => name !== ""))];
    const spec = (name: string, i: number): TensorSpec => {
      const kind = this.#kinds.get(name) ?? refuse(`it reads ${JSON.stringify(name)}, which nothing before it gives`);
      return { name: `i${i}`, dtype: kind.dtype, shape: kind.shape };
    };
    const specs = inputs.map(spec);
    const used = node.outputs.length - [...node.outputs].reverse().findIndex((name) => this.#isRead(name));
    const wanted = node.outputs.slice(0, Math.max(1, Math.min(used, node.outputs.length)));
    const local: NodeSpec = {
      ...node,
      inputs: node.inputs.map((name) => (name === "" ? "" : `i${inputs.indexOf(name)}`)),
      outputs: wanted.map((_, i) => `o${i}`),
    };
    const { graph, outputs } = nodeGraph(local, specs);
    for (const [i, { dtype, shape }] of outputs.entries()) this.#kinds.set(wanted[i] as string, { dtype, shape });
    if (!areConstant) {
      this.#nodes.push({ ...node, outputs: wanted });
      return;
    }
    const data = new Map(inputs.map((name, i) => [`i${i}`, numbersOf(this.#constants.get(name) as ModelTensor)]));
    const made = evaluate(graph, data);
    for (const [i, { name, dtype, shape }] of outputs.entries()) {
      const numbers = made.get(name);
      if (numbers) this.#constant(wanted[i] as string, tensorOf(dtype, shape, numbers));
    }
  }

  #read: ReadonlySet<string> | undefined;
  #isRead(name: string): boolean {
    this.#read ??= new Set([...this.#model.nodes.flatMap(({ inputs }) => inputs), ...this.#model.outputs]);
    return this.#read.has(name);
  }
}

/** The nodes on whose results the outputs depend. */
export function alive(nodes: readonly NodeSpec[], outputs: readonly string[]): readonly NodeSpec[] {
  const needed = new Set(outputs);
  const kept = nodes.toReversed().filter((node) => {
    const isNeeded = node.outputs.some((name) => needed.has(name));
    if (isNeeded) for (const name of node.inputs) needed.add(name);
    return isNeeded;
  });
  return kept.reverse();
}

export const inferred = (model: Model): Net => new Inferring(model).run();
