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
  /** Whether it is computable, but reads what another of the problems gives. */
  readonly isFollowing: boolean;
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
  Trilu: { 1: "*k" },
  CumSum: { 1: "*axis" },
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

/** An empty list for one of these means the same as none. */
const idle: readonly string[] = ["scales", "sizes", "axes"];

const refuse = (why: string): never => {
  throw new GraphError(why);
};

/** Operators of older opsets in the words of the newest. */
function modern(node: ModelNode, opset: number, shapeOf: (name: string) => readonly number[]): readonly ModelNode[] {
  const { op, inputs, outputs, attributes } = node;
  const [first = "", second = ""] = inputs;
  if (op === "Upsample" || (op === "Resize" && opset < 11)) {
    const scales = attributes.scales === undefined ? [first, "", second] : [first];
    const places = { coordinate_transformation_mode: "asymmetric", nearest_mode: "floor" };
    return [{ ...node, op: "Resize", inputs: scales, attributes: { ...attributes, ...places } }];
  }
  if ((op === "Softmax" || op === "LogSoftmax") && opset < 13) {
    // It goes over the dimensions from the axis to the last together.
    const shape = shapeOf(first);
    const axis = Number(attributes.axis ?? 1);
    const along = { ...node, attributes: { axis: -1 } };
    if ((axis < 0 ? axis + shape.length : axis) === shape.length - 1) return [along];
    const [flat = "", made = ""] = ["flat", "rows"].map((word) => `${outputs[0]}.${word}`);
    return [
      { ...node, op: "Flatten", outputs: [flat], attributes: { axis } },
      { ...along, inputs: [flat], outputs: [made] },
      { ...node, op: "Reshape", inputs: [made], attributes: { shape } },
    ];
  }
  return [node];
}

function given({ attributes }: ModelNode): ModelTensor {
  const { value_float, value_int, value_floats, value_ints } = attributes;
  const numbers = value_float ?? value_int ?? value_floats ?? value_ints ?? refuse("its constant is no tensor of numbers");
  const dtype = value_float !== undefined || value_floats !== undefined ? "float32" : "int32";
  return Array.isArray(numbers)
    ? tensorOf(dtype, [numbers.length], numbers as readonly number[])
    : tensorOf(dtype, [], [numbers as number]);
}

/** Elements of a constant that a node makes by its form. */
const mostMade = 2 ** 26;

/** What reads the result of a node that cannot be computed. */
class Following extends GraphError {}

/** Those that are constants by their form, besides. */
const isKnown = (op: string): boolean =>
  Object.hasOwn(onnxOperators, op) || ["Upsample", "Size", "Shape", "ConstantOfShape", "Range"].includes(op);

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
        this.#lose(named, i, error);
      }
    }
    const { outputs } = this.#model;
    for (const name of outputs) this.#named(name);
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

  /** A result that is another tensor keeps its name, as a view. */
  #named(output: string): void {
    const other = this.#alias.get(output);
    if (other === undefined) return;
    const kind = this.#kindOf(other);
    this.#kinds.set(output, kind);
    this.#nodes.push({ op: "Reshape", inputs: [other], outputs: [output], attributes: { shape: kind.shape } });
  }

  #lose(node: ModelNode, i: number, error: GraphError): void {
    const name = node.name || `${node.op} ${i}`;
    for (const input of node.inputs) this.#needed.add(input);
    const why = error instanceof NodeRefusal ? error.why : error.message;
    this.#problems.push({ node: name, op: node.op, domain: node.domain, why, isFollowing: error instanceof Following });
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
    if (!isKnown(given.op)) refuse("the operator is not known; docs/models.md lists those that are");
    const lost = given.inputs.map((name) => this.#lost.get(name)).find((name) => name !== undefined);
    if (lost !== undefined) throw new Following(`it reads what ${lost} gives`);
    for (const node of modern(given, this.#model.opset, (name) => this.#kindOf(name).shape)) this.#step(node);
  }

  #step(node: ModelNode): void {
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
    else this.#apply(this.#canonical(node), areConstant);
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
    const checked = (count: number): number =>
      count >= 0 && count <= mostMade ? count : refuse(`it gives ${count} elements; a constant has at most ${mostMade} here`);
    if (op === "ConstantOfShape" && areConstant) {
      const [shape = []] = numbers();
      checked(shape.some((extent) => extent < 0) ? -1 : sizeOf(shape));
      const dtype = (attributes.dtype ?? "float32") as DType;
      return tensorOf(dtype, shape, new Array<number>(sizeOf(shape)).fill(Number(attributes.value ?? 0)));
    }
    if (op === "Range" && areConstant) {
      const [from = 0, to = 0, step = 1] = numbers().map(([number]) => number);
      if (step === 0) refuse("its step is 0");
      const count = checked(Math.max(0, Math.ceil((to - from) / step)));
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
      // Without elements these are as good as absent. A shape without extents is that of a number.
      if (word === "roi" || (numbers.length === 0 && idle.includes(word))) return "";
      if (!word.startsWith("*")) made[word] = numbers;
      else if (Number.isFinite(numbers[0])) made[word.slice(1)] = numbers[0] as number;
      return "";
    });
    while (kept.at(-1) === "") kept.pop();
    return { op, inputs: kept, outputs, attributes: made };
  }

  #apply(node: NodeSpec, areConstant: boolean): void {
    const inputs = [...new Set(node.inputs.filter((name) => name !== ""))];
    const words = identifiers([...node.outputs, ...inputs]);
    const wordOf = (name: string): string => words.get(name) ?? "";
    const specs = inputs.map((name): TensorSpec => ({ name: wordOf(name), ...this.#kindOf(name) }));
    const used = node.outputs.length - [...node.outputs].reverse().findIndex((name) => this.#isRead(name));
    // How many parts there are is said by the outputs, read or not. Others may have some at the end that are not computed here.
    const wanted = node.op === "Split" ? node.outputs : node.outputs.slice(0, Math.max(1, Math.min(used, node.outputs.length)));
    const local: NodeSpec = {
      ...node,
      inputs: node.inputs.map(wordOf),
      outputs: wanted.map(wordOf),
    };
    const { graph, outputs } = nodeGraph(local, specs);
    for (const [i, { dtype, shape }] of outputs.entries()) this.#kinds.set(wanted[i] as string, { dtype, shape });
    if (!areConstant) {
      this.#nodes.push({ ...node, outputs: wanted });
      return;
    }
    const data = new Map(inputs.map((name) => [wordOf(name), numbersOf(this.#constants.get(name) as ModelTensor)]));
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

/** Exporters write paths of modules as names. A computation's have 64 letters, of which those of stages add up to half. */
const longestWord = 32;

/** Names as a computation may have them, each another; none begins as the stages of the first, whose names go on with `_`. */
function identifiers(names: readonly string[]): ReadonlyMap<string, string> {
  const made = new Map<string, string>();
  const used = new Set<string>();
  for (const [i, name] of names.entries()) {
    if (name === "" || made.has(name)) continue;
    const word = name
      .replace(/\W/g, "_")
      .replace(/^(?=\d)/, "_")
      .slice(0, longestWord);
    const isFree = !used.has(word) && !(i > 0 && word.startsWith(`${made.get(names[0] as string)}_`));
    made.set(name, isFree ? word : `tensor${i}`);
    used.add(made.get(name) as string);
  }
  return made;
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
