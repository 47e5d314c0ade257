/**
 * An ONNX file as a model. Elements of int64 are kept in int32. What cannot be read is refused in one sentence that names the
 * file and the tensor or node.
 */
import { constants } from "node:buffer";
import { open, readFile, realpath, stat } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, normalize, sep } from "node:path";
import { badInput, defined, dtypeBytes, FarmError, intRanges, type Json, unreadable } from "@warpfarm/common";
import {
  decodeOnnx,
  type OnnxAttribute,
  type OnnxGraph,
  type OnnxModel,
  type OnnxTensor,
  type OnnxValueInfo,
} from "@warpfarm/proto/onnx";
import { keptType, onnxTypes, sizeOf } from "@warpfarm/templates";
import { frameworkIn, secondsIn } from "./framework.ts";
import { type Model, type ModelNode, type ModelTensor, numbersOf, type TensorKind, tensorOf } from "./model.ts";

const refuse = (what: string): never => {
  throw badInput(what);
};

/** A message of protocol buffers has at most as many bytes. */
const mostBytes = 2 ** 31 - 1;
const [leastOpset, mostOpset] = [7, 25];
/** One call of the system reads at most so many bytes; Node ends with a fault of its own from 2^31 on. */
const mostRead = 2 ** 30;

/** The shortest number with the same float32. */
export function shortest(x: number): number {
  if (!Number.isFinite(x)) return x;
  for (let digits = 6; digits < 9; digits++) {
    const short = Number(x.toPrecision(digits));
    if (Math.fround(short) === x) return short;
  }
  return x;
}

/** TensorProto.DataType, of those that are not computed with. */
const otherTypes: { readonly [code: number]: string } = {
  ...{ 4: "uint16", 5: "int16", 8: "string", 12: "uint32", 13: "uint64", 14: "complex64", 15: "complex128" },
  ...{ 17: "float8e4m3fn", 18: "float8e4m3fnuz", 19: "float8e5m2", 20: "float8e5m2fnuz", 21: "uint4", 22: "int4" },
};
const typeWords = (code: number): string => otherTypes[code] ?? String(code);

async function external(tensor: OnnxTensor, folder: string, bytes: number): Promise<Uint8Array> {
  const entries = new Map(tensor.external_data.map(({ key, value }) => [key, value]));
  const location = entries.get("location") ?? refuse(`the weight ${tensor.name} is in another file, which has no name`);
  const entry = (name: string, otherwise: number): number => {
    const given = entries.get(name) ?? String(otherwise);
    if (/^\d{1,15}$/.test(given)) return Number(given);
    return refuse(`the weight ${tensor.name} has the ${name} ${JSON.stringify(given)} in ${location}; it takes a whole number`);
  };
  const offset = entry("offset", 0);
  const length = entry("length", bytes);
  const outside = `the weight ${tensor.name} is in ${JSON.stringify(location)}, which is outside of the model's folder; put the file beside the model`;
  // By its name too, because what lies outside is not looked for.
  if (isAbsolute(location) || normalize(location).split(sep)[0] === "..") refuse(outside);
  const path = await realpath(join(folder, location)).catch(unreadable(`the file ${location} of the weight ${tensor.name}`));
  if (!path.startsWith(`${await realpath(folder)}${sep}`)) refuse(outside);
  const found = await stat(path);
  if (!found.isFile()) refuse(`the weight ${tensor.name} is in ${JSON.stringify(location)}, which is no file`);
  const place = `the weight ${tensor.name} takes ${bytes} bytes from ${offset} of ${location}`;
  if (length !== bytes) refuse(`${place}, and the model says ${length}`);
  if (found.size < offset + bytes) refuse(`${place}, which ends before; the file is cut off`);
  if (bytes > constants.MAX_LENGTH) refuse(`${place}; a weight has at most ${constants.MAX_LENGTH}`);
  const data = new Uint8Array(bytes);
  await using file = await open(path).catch(unreadable(location));
  for (let read = 0; read < bytes; ) {
    const { bytesRead } = await file.read(data, read, Math.min(bytes - read, mostRead), offset + read);
    if (bytesRead === 0) refuse(`${place}, which became shorter while it was read`);
    read += bytesRead;
  }
  return data;
}

async function tensorFrom(tensor: OnnxTensor, folder: string): Promise<ModelTensor> {
  const { name, dims: shape, data_type: code } = tensor;
  const dtype =
    onnxTypes[code] ?? refuse(`the weight ${name} has the type ${typeWords(code)} of ONNX, which is not computed with`);
  if (!shape.every((extent) => Number.isSafeInteger(extent) && extent >= 0))
    refuse(`the weight ${name} has the shape [${shape.join(", ")}]; it takes whole numbers from 0`);
  const count = sizeOf(shape);
  const bytes = dtypeBytes(dtype, count);
  const raw = tensor.data_location === 1 ? await external(tensor, folder, bytes) : tensor.raw_data;
  const listed = [tensor.float_data, tensor.int32_data, tensor.int64_data, tensor.double_data].find(({ length }) => length > 0);
  if (raw.length === 0 && count > 0 && listed) {
    if (listed.length !== count)
      refuse(`the weight ${name} has ${listed.length} elements, and its shape [${shape.join(", ")}] ${count}`);
    // Halves are listed by their bits.
    if (dtype === "float16" || dtype === "bfloat16")
      return { dtype, shape, bytes: new Uint8Array(Uint16Array.from(listed).buffer) };
    return dtype === "int64" ? narrowed(name, shape, listed) : tensorOf(dtype, shape, listed);
  }
  if (raw.length !== bytes)
    refuse(`the weight ${name} has ${raw.length} bytes, and its shape [${shape.join(", ")}] of ${dtype} ${bytes}`);
  if (dtype !== "int64") return { dtype, shape, bytes: raw };
  return narrowed(name, shape, [...new BigInt64Array(Uint8Array.from(raw).buffer)].map(Number));
}

/** The least and the greatest number of int64 mean "no bound" in slices, and so do those of int32. */
function narrowed(name: string, shape: readonly number[], numbers: readonly number[]): ModelTensor {
  const [least, most] = intRanges.int32 as readonly [number, number];
  const kept = numbers.map((x) => Math.min(Math.max(x, least), most));
  const lost = numbers.find((x, i) => x !== kept[i] && Math.abs(x) < 2 ** 63);
  if (lost !== undefined)
    refuse(`the weight ${name} holds ${lost}; elements of int64 are kept in int32, which has ${least} to ${most}`);
  return tensorOf("int32", shape, kept);
}

function attributeFrom({ type, f, i, s, floats, ints, strings }: OnnxAttribute): Json | undefined {
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  switch (type) {
    case 1:
      return shortest(f);
    case 2:
      return i;
    case 3:
      return text(s);
    case 6:
      return floats.map(shortest);
    case 7:
      return [...ints];
    case 8:
      return strings.map(text);
    default:
      return undefined;
  }
}

interface Sizes {
  /** The first dimension of inputs, where it has no number. */
  readonly batch?: number;
  readonly dims: ReadonlyMap<string, number>;
}

/** Throws FarmError that names the dimensions without a number. */
function inputsOf(infos: readonly OnnxValueInfo[], { batch, dims }: Sizes): Model["inputs"] {
  const open = new Set<string>();
  const met = new Set<string>();
  let isBatched = false;
  const inputs = infos.map(({ name, type }) => {
    const tensor = type?.tensor_type ?? refuse(`the input ${name} is no tensor`);
    const dtype =
      onnxTypes[tensor.elem_type] ??
      refuse(`the input ${name} has the type ${typeWords(tensor.elem_type)} of ONNX, which is not computed with`);
    const shape = (tensor.shape?.dim ?? refuse(`the input ${name} has no shape`)).map(({ dim_value, dim_param }, d) => {
      if (dim_value > 0) return dim_value;
      const dim = dim_param || `${name}.${d}`;
      met.add(dim);
      const given = dims.get(dim) ?? (d === 0 ? batch : undefined);
      isBatched ||= d === 0;
      if (given === undefined) open.add(dim);
      return given ?? 1;
    });
    return { name, dtype: keptType(dtype), shape };
  });
  const unknown = [...dims.keys()].find((dim) => !met.has(dim));
  if (unknown !== undefined)
    refuse(`--dim names ${unknown}, which is no open dimension of an input; those are ${[...met].join(", ") || "none"}`);
  if (batch !== undefined && !isBatched) refuse("--batch is given, and the first dimension of each input has a number already");
  if (open.size > 0)
    refuse(
      `the inputs have dimensions without a number: ${[...open].join(", ")}; give ${[...open].map((dim) => `--dim ${dim}=NUMBER`).join(" ")}`,
    );
  return inputs;
}

function statedIn(infos: readonly OnnxValueInfo[]): ReadonlyMap<string, TensorKind> {
  return new Map(
    infos.flatMap(({ name, type }) => {
      const tensor = type?.tensor_type;
      const dtype = onnxTypes[tensor?.elem_type ?? 0];
      const shape = tensor?.shape?.dim.map(({ dim_value }) => dim_value);
      return dtype && shape?.every((extent) => extent > 0) ? [[name, { dtype: keptType(dtype), shape }] as const] : [];
    }),
  );
}

/** What exporters write though it has no effect: of Resize it is for cubic interpolation, which is not computed with. */
const idleAttributes: Readonly<Record<string, readonly string[]>> = { Resize: ["cubic_coeff_a"] };

/**
 * Each name is given once, and outputs are among them. Of old an input may have the name of the weight that it has by default.
 */
function checkNames({ node, initializer, input, output }: OnnxGraph): void {
  for (const [what, list] of Object.entries({ input, weight: initializer })) {
    const names = new Set<string>();
    for (const { name } of list) {
      if (names.has(name)) refuse(`two ${what}s are named ${name}; each has a name of its own`);
      names.add(name);
    }
  }
  const given = new Set([...initializer, ...input].map(({ name }) => name));
  for (const { op_type, name, output: made } of node)
    for (const one of made) {
      if (one !== "" && given.has(one)) refuse(`the node ${name || op_type} gives ${one}, which is there already`);
      given.add(one);
    }
  const missing = output.find(({ name }) => !given.has(name));
  if (missing) refuse(`the output ${missing.name} is given by no node`);
}

async function modelFrom(graph: OnnxGraph, opset: number, path: string, sizes: Sizes): Promise<Omit<Model, "framework">> {
  const folder = dirname(path);
  checkNames(graph);
  const tensors = new Map<string, ModelTensor>();
  for (const tensor of graph.initializer) tensors.set(tensor.name, await tensorFrom(tensor, folder));
  const nodes: ModelNode[] = [];
  for (const node of graph.node) {
    const attributes: { [name: string]: Json } = {};
    for (const attribute of node.attribute) {
      const value = attributeFrom(attribute);
      if (value !== undefined) attributes[attribute.name] = value;
      else if (attribute.type === 4 && attribute.t) {
        const tensor = await tensorFrom(attribute.t, folder);
        if (node.op_type === "Constant" && node.output[0]) tensors.set(node.output[0], tensor);
        else Object.assign(attributes, { value: numbersOf(tensor)[0] ?? 0, dtype: tensor.dtype });
      }
    }
    const own = node.domain === "ai.onnx" ? "" : node.domain;
    const { input: inputs, output: outputs, op_type: op } = node;
    // Equal nodes are equal tasks, in whatever order their attributes were written.
    const named = Object.entries(attributes).sort(([a], [b]) => (a < b ? -1 : 1));
    const meant = named.filter(([key]) => !(idleAttributes[op] ?? []).includes(key));
    const seconds = secondsIn(node.metadata_props, `${node.name || outputs[0]} (${op})`);
    const rest = { attributes: Object.fromEntries(meant), ...defined({ seconds }) };
    nodes.push({ op, domain: own, name: node.name, inputs, outputs, ...rest });
  }
  const name = basename(path)
    .replace(/\.onnx$/, "")
    .replace(/[^\w.-]/g, "_")
    .slice(0, 64);
  return {
    name: name || "model",
    opset,
    inputs: inputsOf(
      graph.input.filter((input) => !tensors.has(input.name)),
      sizes,
    ),
    outputs: graph.output.map((output) => output.name),
    nodes,
    constants: tensors,
    stated: statedIn([...graph.value_info, ...graph.output]),
  };
}

/** Throws FarmError INVALID_ARGUMENT with one sentence. */
export async function readOnnx(path: string, word: string, sizes: Sizes): Promise<Model> {
  const { size } = await stat(path).catch(unreadable(word));
  if (size > mostBytes)
    refuse(`${word} has ${size} bytes; an ONNX file has at most ${mostBytes}, and keeps larger weights in files beside it`);
  const bytes = await readFile(path).catch(unreadable(word));
  const bad = `${word} is no ONNX model, or it is cut off`;
  let model: OnnxModel;
  try {
    model = decodeOnnx(bytes);
  } catch (error) {
    return refuse(`${bad}: ${(error as Error).message}`);
  }
  const { graph, opset_import } = model;
  if (!graph || graph.node.length === 0) return refuse(`${bad}: it has no nodes`);
  const opset = opset_import.find(({ domain }) => domain === "" || domain === "ai.onnx")?.version ?? 0;
  if (opset < leastOpset || opset > mostOpset)
    refuse(`${word} ${opset === 0 ? "states no opset of ONNX" : `is of opset ${opset}`}; ${leastOpset} to ${mostOpset} are read`);
  try {
    return { ...(await modelFrom(graph, opset, path, sizes)), ...defined({ framework: frameworkIn(model) }) };
  } catch (error) {
    if (error instanceof FarmError && error.code === "INVALID_ARGUMENT") refuse(`${word}: ${error.message}`);
    throw error;
  }
}
