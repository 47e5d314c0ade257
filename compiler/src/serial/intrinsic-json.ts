/**
 * Intrinsics as JSON (docs/contracts.md): name, semantics as a graph of one op, operands in the order of its tensors, team and
 * places, texts. Decoding runs the checks of the declaration.
 */
import type { Json, TargetNeed } from "@warpfarm/common";
import { checkedIntrinsic } from "../intrinsic/define-intrinsic.ts";
import { teams } from "../ir/agent.ts";
import { type Scope, scopes } from "../ir/buffer.ts";
import type { Expr, Var } from "../ir/expr.ts";
import {
  type Descriptor,
  descriptorSwizzles,
  type Fragment,
  type Intrinsic,
  type IntrinsicOperand,
  type InvokeForm,
  invokeForms,
  type LaneAddress,
  type Places,
  registerTypes,
} from "../ir/intrinsic.ts";
import { encodeExpr } from "../json/expr-json.ts";
import { readIndexMap } from "../json/index-map.ts";
import {
  fail,
  type JsonObject,
  readFields,
  readInt,
  readList,
  readName,
  readObject,
  readOneOf,
  readString,
  show,
} from "../json/read-json.ts";
import { GraphError } from "../te/graph-error.ts";
import { decodeGraph, encodeGraph } from "./graph-json.ts";

export const maxIntrinsics = 64;
const maxOperands = 16;
const most = 2 ** 31 - 1;
const maxLevel = 999;
const maxFeatures = 8;

/** Encodes an index map: names of the variables, expressions over them. */
const encodeMap = (from: readonly Var[], to: readonly Expr[]): Json => ({
  from: from.map((v) => v.name),
  to: to.map(encodeExpr),
});
const encodeFragment = ({ layout, register, count, places }: Fragment): Json => ({
  layout,
  register,
  count,
  ...(places ? { places: encodeMap(places.axes, [places.lane, places.slot]) } : {}),
});

const encodeOperand = (operand: IntrinsicOperand): Json => ({
  name: operand.name,
  scopes: [...operand.scopes],
  strides: [...operand.strides],
  offset_factor: operand.offsetFactor,
  stride_factor: operand.strideFactor,
  fragment: operand.fragment ? encodeFragment(operand.fragment) : null,
  ...(operand.address ? { address: encodeMap([operand.address.lane], operand.address.indices) } : {}),
  ...(operand.descriptor ? { descriptor: { ...operand.descriptor } } : {}),
});

const isPlain = ({ from, to, features = [] }: TargetNeed): boolean =>
  from !== undefined && to === undefined && features.length === 0;

/** Agents other than a warp, and needs of more than a level, take version 4 of a program. */
export const intrinsicVersion = ({ agent, needs }: Intrinsic): 1 | 4 => (agent === "warp" && isPlain(needs) ? 1 : 4);

export function encodeIntrinsic({ name, op, operands, agent, needs, engine, text }: Intrinsic): Json {
  const { inputs, ...computed } = op;
  return {
    name,
    semantics: encodeGraph({ inputs, ops: [computed], outputs: [op.output] }),
    operands: operands.map(encodeOperand),
    ...(isPlain(needs) ? { min_capability: needs.from ?? 0 } : { needs: { ...needs, features: [...(needs.features ?? [])] } }),
    ...(agent === "warp" ? {} : { agent }),
    ...(engine ? { engine } : {}),
    text: { ...text },
  };
}

function decodeMap(json: Json | undefined, path: string): { readonly from: readonly Var[]; readonly to: readonly Expr[] } {
  return readIndexMap(json ?? null) ?? fail(path, "is not a map, which is names of variables and int32 expressions over them");
}

function decodePlaces(json: Json | undefined, path: string): Places {
  const { from, to } = decodeMap(json, path);
  const [lane, slot] = to;
  return lane && slot && to.length === 2
    ? { axes: from, lane, slot }
    : fail(path, `has ${to.length} values; a lane and a place in it`);
}

function decodeAddress(json: Json | undefined, path: string): LaneAddress {
  const { from, to } = decodeMap(json, path);
  const [lane] = from;
  return lane && from.length === 1 ? { lane, indices: to } : fail(path, `is over ${from.length} variables; over the lane`);
}

function decodeDescriptor(json: Json | undefined, path: string): Descriptor {
  const { major, swizzle } = readFields(json, path, ["major", "swizzle"]);
  const span = descriptorSwizzles.find((one) => one === swizzle);
  return {
    major: readOneOf(major, `${path}.major`, ["k", "mn"] as const),
    swizzle: span ?? fail(`${path}.swizzle`, `${show(swizzle)}; one of ${descriptorSwizzles.join(", ")}`),
  };
}

function decodeFragment(json: Json, path: string): Fragment | undefined {
  if (json === null) return undefined;
  const object = readObject(json, path);
  const { layout, register, count } = readFields(without(object, "places"), path, ["layout", "register", "count"]);
  return {
    ...("places" in object ? { places: decodePlaces(object.places, `${path}.places`) } : {}),
    layout: readString(layout, `${path}.layout`),
    register: readOneOf(register, `${path}.register`, registerTypes),
    count: readInt(count, `${path}.count`, 1, most),
  };
}

function decodeOperand(json: Json, path: string): IntrinsicOperand {
  const object = readObject(json, path);
  const known = ["name", "scopes", "strides", "offset_factor", "stride_factor", "fragment"] as const;
  const doc = readFields(without(without(object, "address"), "descriptor"), path, known);
  return {
    ...("descriptor" in object ? { descriptor: decodeDescriptor(object.descriptor, `${path}.descriptor`) } : {}),
    ...("address" in object ? { address: decodeAddress(object.address, `${path}.address`) } : {}),
    name: readName(doc.name, `${path}.name`),
    scopes: readList(doc.scopes, `${path}.scopes`, (item, at): Scope => readOneOf(item, at, scopes), scopes.length),
    strides: readList(doc.strides, `${path}.strides`, (item, at) => (item === null ? null : readInt(item, at, 1, most)), 16),
    offsetFactor: readInt(doc.offset_factor, `${path}.offset_factor`, 1, most),
    strideFactor: readInt(doc.stride_factor, `${path}.stride_factor`, 1, most),
    fragment: decodeFragment(doc.fragment, `${path}.fragment`),
  };
}

function without(object: JsonObject, field: string): JsonObject {
  const { [field]: _, ...rest } = object;
  return rest;
}

function decodeText(json: Json, path: string): Readonly<Partial<Record<InvokeForm, string>>> {
  const text: Partial<Record<InvokeForm, string>> = {};
  for (const [key, value] of Object.entries(readObject(json, path)))
    text[readOneOf(key, `${path}.${key}`, invokeForms)] = readString(value, `${path}.${key}`);
  return text;
}

/** Each need has one form: `min_capability` if it has only that. */
function decodeNeeds(doc: { readonly min_capability?: Json; readonly needs?: Json }, path: string): TargetNeed {
  if (doc.needs === undefined) return { kind: "cuda", from: readInt(doc.min_capability, `${path}.min_capability`, 1, maxLevel) };
  if (doc.min_capability !== undefined) return fail(path, "has both min_capability and needs");
  const at = `${path}.needs`;
  const { kind, from, to, features } = readFields(doc.needs, at, ["kind", "features"], ["from", "to"]);
  const words = readList(features, `${at}.features`, readName, maxFeatures);
  const needs = {
    kind: readName(kind, `${at}.kind`),
    ...(from === undefined ? {} : { from: readInt(from, `${at}.from`, 1, maxLevel) }),
    ...(to === undefined ? {} : { to: readInt(to, `${at}.to`, 1, maxLevel) }),
    ...(words.length === 0 ? {} : { features: words }),
  };
  return isPlain(needs) ? fail(at, "has only a least capability; write it as min_capability") : needs;
}

export function decodeIntrinsic(json: Json, path: string): Intrinsic {
  const doc = readFields(json, path, ["name", "semantics", "operands", "text"], ["min_capability", "needs", "agent", "engine"]);
  const made = {
    name: readName(doc.name, `${path}.name`),
    semantics: decodeGraph(doc.semantics, `${path}.semantics`),
    operands: readList(doc.operands, `${path}.operands`, decodeOperand, maxOperands),
    agent: doc.agent === undefined ? "warp" : readOneOf(doc.agent, `${path}.agent`, teams),
    needs: decodeNeeds(doc, path),
    ...(doc.engine === undefined ? {} : { engine: readOneOf(doc.engine, `${path}.engine`, ["wgmma"] as const) }),
    text: decodeText(doc.text, `${path}.text`),
  };
  try {
    return checkedIntrinsic(made);
  } catch (error) {
    if (error instanceof GraphError) return fail(path, error.message);
    throw error;
  }
}
