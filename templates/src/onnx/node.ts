/**
 * One node of a subgraph, as its operator reads it: inputs, and attributes with their defaults. What an operator does not read is
 * refused, so no attribute is dropped in silence.
 */
import { type DType, isFloat, type Json } from "@warpfarm/common";
import {
  type Buffer,
  compute,
  computeOpOf,
  constant,
  type Expr,
  equal,
  fillOf,
  fills,
  GraphError,
  reshape,
  select,
  setFill,
} from "@warpfarm/compiler/language";

export interface NodeSpec {
  readonly op: string;
  /** An absent input has the name "". */
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly attributes: { readonly [name: string]: Json };
}

/** `shape`: as ONNX has it. The buffer of a tensor without dimensions has the shape [1]. */
export interface Tensor {
  readonly kind: "tensor";
  readonly shape: readonly number[];
  readonly buffer: Buffer;
}
/** Numbers that are known. They take the type of the tensor beside them. */
export interface Constant {
  readonly kind: "constant";
  readonly shape: readonly number[];
  readonly dtype: DType;
  readonly numbers: readonly number[];
}
export type Value = Tensor | Constant;
export type Operator = (node: NodeReader) => Value | readonly Value[];

/** Constants of more elements are inputs: their elements are chosen by comparisons. */
const mostConstants = 64;

/** The element types that are read, by their number in ONNX (TensorProto.DataType). */
export const onnxTypes: { readonly [code: number]: DType } = {
  1: "float32",
  2: "uint8",
  3: "int8",
  6: "int32",
  7: "int64",
  9: "bool",
  10: "float16",
  11: "float64",
  16: "bfloat16",
};
/** Elements of int64 are kept in int32. */
export const keptType = (dtype: DType): DType => (dtype === "int64" ? "int32" : dtype);

export const sizeOf = (shape: readonly number[]): number => shape.reduce((a, b) => a * b, 1);
export const isHalf = (dtype: DType): boolean => dtype === "float16" || dtype === "bfloat16";
/** Halves are summed, and go through functions, in float32. */
export const wideOf = (dtype: DType): DType => (isHalf(dtype) ? "float32" : dtype);

/** Its message names the node already. */
export class NodeRefusal extends GraphError {
  readonly why: string;
  constructor(place: string, why: string) {
    super(`${place}: ${why}`);
    this.why = why;
  }
}

export class NodeReader {
  readonly op: string;
  /** The stage of the first output, and the beginning of the names of stages before it. */
  readonly name: string;
  readonly outputs: readonly string[];
  readonly #spec: NodeSpec;
  readonly #place: number;
  readonly #values: ReadonlyMap<string, Value>;
  readonly #read = new Set<string | number>();

  constructor(spec: NodeSpec, i: number, values: ReadonlyMap<string, Value>) {
    this.#spec = spec;
    this.#place = i;
    this.#values = values;
    this.op = spec.op;
    this.outputs = spec.outputs;
    this.name = spec.outputs[0] || `unused${i}`;
  }

  refuse(why: string): never {
    throw new NodeRefusal(`node ${this.#place} (${this.op} of "${this.#spec.outputs[0]}")`, why);
  }

  get inputCount(): number {
    return this.#spec.inputs.length;
  }
  has(i: number): boolean {
    this.#read.add(i);
    return (this.#spec.inputs[i] ?? "") !== "";
  }
  value(i: number): Value {
    const name = this.#spec.inputs[i] ?? "";
    if (!this.has(i)) return this.refuse(`input ${i} is missing`);
    return this.#values.get(name) ?? this.refuse(`it reads "${name}", which nothing before it gives`);
  }
  values(): readonly Value[] {
    if (this.inputCount === 0) this.refuse("it has no inputs");
    return this.#spec.inputs.map((_, i) => this.value(i));
  }
  /** A constant as a tensor of the type. */
  tensor(i: number, dtype?: DType): Tensor {
    const value = this.value(i);
    return value.kind === "tensor" ? value : this.stored(value, `${this.name}_in${i}`, dtype ?? value.dtype);
  }
  /** The same where the computation divides by it or takes its root: the input is measured with positive elements. */
  positive(i: number): Tensor {
    const tensor = this.tensor(i);
    preferFill(tensor, "positive");
    return tensor;
  }
  stored({ shape, numbers }: Constant, name: string, dtype: DType): Tensor {
    if (numbers.length > mostConstants)
      this.refuse(`a constant has ${numbers.length} elements; those of more than ${mostConstants} are inputs`);
    const flat = compute(`${name}_flat`, [["i", numbers.length]], (i) =>
      numbers
        .slice(0, -1)
        .reduceRight<Expr>(
          (rest, number, k) => select(equal(i as Expr, k), constant(number, dtype), rest),
          constant(numbers.at(-1) ?? 0, dtype),
        ),
    );
    return { kind: "tensor", shape, buffer: reshape(flat, shape.length === 0 ? [1] : shape, { name }) };
  }

  #attribute(name: string): Json | undefined {
    this.#read.add(name);
    return Object.hasOwn(this.#spec.attributes, name) ? this.#spec.attributes[name] : undefined;
  }
  #fault(name: string, found: Json, allowed: string): never {
    return this.refuse(`attribute ${name} is ${JSON.stringify(found)}; it takes ${allowed}`);
  }
  hasAttribute(name: string): boolean {
    return this.#attribute(name) !== undefined;
  }
  float(name: string, otherwise: number): number {
    const found = this.#attribute(name) ?? otherwise;
    return typeof found === "number" ? found : this.#fault(name, found, "a number");
  }
  int(name: string, otherwise: number): number {
    const found = this.#attribute(name) ?? otherwise;
    return Number.isSafeInteger(found) ? (found as number) : this.#fault(name, found, "a whole number");
  }
  flag(name: string, otherwise = false): boolean {
    return this.int(name, Number(otherwise)) !== 0;
  }
  ints(name: string): readonly number[] | undefined {
    const found = this.#attribute(name);
    if (found === undefined) return undefined;
    const list = Array.isArray(found) && found.every((one) => Number.isSafeInteger(one));
    return list ? (found as readonly number[]) : this.#fault(name, found, "a list of whole numbers");
  }
  word<W extends string>(name: string, words: readonly W[]): W {
    const found = this.#attribute(name) ?? (words[0] as W);
    return words.find((word) => word === found) ?? this.#fault(name, found, `one of ${words.join(", ")}`);
  }
  /** An attribute that does not matter here. */
  ignore(...names: readonly string[]): void {
    for (const name of names) this.#read.add(name);
  }
  any(name: string): Json | undefined {
    return this.#attribute(name);
  }
  /** Numbers that some opsets have as an attribute and others as an input; undefined where neither is there. */
  numbers(name: string, input: number): readonly number[] | undefined {
    const found = this.#attribute(name);
    if (found !== undefined) {
      const list = typeof found === "number" ? [found] : found;
      if (Array.isArray(list) && list.every((one) => typeof one === "number")) return list as readonly number[];
      this.#fault(name, found, "a list of numbers");
    }
    if (!this.has(input)) return undefined;
    const value = this.value(input);
    if (value.kind === "constant") return value.numbers;
    return this.refuse(`${name} (input ${input}) is computed while the model runs; it has to be known`);
  }
  /** A dimension counted from 0, of `rank` ones. */
  axis(name: string, otherwise: number, rank: number): number {
    return this.axisOf(this.int(name, otherwise), rank);
  }
  axisOf(axis: number, rank: number): number {
    if (axis >= -rank && axis < rank) return axis < 0 ? axis + rank : axis;
    return this.refuse(`axis ${axis} is none of the ${rank} dimensions`);
  }

  checkAllRead(): void {
    const attribute = Object.keys(this.#spec.attributes).find((name) => !this.#read.has(name));
    if (attribute !== undefined) this.refuse(`it has no attribute ${attribute}`);
    const input = this.#spec.inputs.findIndex((name, i) => name !== "" && !this.#read.has(i));
    if (input >= 0) this.refuse(`it takes no input ${input}, which is "${this.#spec.inputs[input]}"`);
  }
}

/** What an input of the graph holds when it is measured, unless another reader said so before. */
export function preferFill({ buffer }: Tensor, fill: "positive" | number): void {
  if (computeOpOf(buffer) !== undefined || fillOf(buffer) !== undefined) return;
  if (typeof fill === "number") setFill(buffer, fills.below(fill));
  else if (isFloat(buffer.dtype)) setFill(buffer, fills.positive);
}
