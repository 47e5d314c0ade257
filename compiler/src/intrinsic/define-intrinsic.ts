/**
 * Declaring an intrinsic. Functions among what is given run here, once; from then on it is data and travels in a Program. A fault
 * is a GraphError that names the intrinsic.
 *
 *   const load = defineIntrinsic({
 *     name: "load_a", needs: { kind: "cuda", from: 75 },
 *     semantics: () => { const src = placeholder("src", [16, 16], "float16"); return graphOf([src], [copyOf(src, "frag")]); },
 *     operands: { src: { scope: "shared" }, frag: { scope: "wmma.matrix_a", fragment: { layout: "m16n16k16.a.row.f16", register:
 *     "b32", count: 8 } } }, text: "wmma.load.a.sync.aligned.row.m16n16k16{src.space}.f16 {frag}, [{src}], {src.stride};",
 *   });
 */

import { dtypeBits, type TargetNeed } from "@warpfarm/common";
import { Analyzer } from "../arith/analyzer.ts";
import { type Team, teamSize } from "../ir/agent.ts";
import { type Buffer, bufferSize, bufferStrides, fragmentScopes, isFragmentScope, type Scope, teamOf } from "../ir/buffer.ts";
import { int, variable } from "../ir/build.ts";
import type { Expr, Var } from "../ir/expr.ts";
import {
  type Descriptor,
  type Fragment,
  type Intrinsic,
  type IntrinsicOperand,
  type InvokeForm,
  invokeForms,
  type LaneAddress,
  operandsOf,
  type TileOp,
} from "../ir/intrinsic.ts";
import { printExpr } from "../ir/print.ts";
import { walkExpr } from "../ir/visit.ts";
import { layoutOf } from "../json/index-map.ts";
import type { Graph } from "../te/graph.ts";
import { checkName, refuse } from "../te/graph-error.ts";
import { registerBits } from "./fragment-place.ts";
import { parseText } from "./text.ts";

export interface OperandDeclaration {
  readonly scope: Scope | readonly Scope[];
  /** Absent: any rows of neighbouring elements; for a fragment: dense. */
  readonly strides?: readonly (number | null)[];
  readonly offsetFactor?: number;
  readonly strideFactor?: number;
  readonly fragment?: FragmentDeclaration;
  /** The element of the tile whose address `lane` gets; absent: all lanes get the first element's. */
  readonly address?: (lane: Var) => readonly (Expr | number)[];
  readonly descriptor?: Descriptor;
}
export interface FragmentDeclaration extends Omit<Fragment, "places"> {
  /** The lane of an element of the tile, and its slot among that lane's elements. Absent: the layout is opaque. */
  readonly places?: (...indices: Var[]) => readonly [lane: Expr, slot: Expr];
}
type Texts = Readonly<Partial<Record<InvokeForm, string>>>;

export interface IntrinsicDeclaration {
  readonly name: string;
  readonly semantics: Graph | (() => Graph);
  readonly operands: Readonly<Record<string, OperandDeclaration>>;
  /** Absent = a warp. */
  readonly agent?: Team;
  readonly needs: TargetNeed;
  readonly engine?: Intrinsic["engine"];
  readonly text: string | Texts | (() => string | Texts);
}

/** Tiles are small, because the interpreter runs their meaning element by element. */
const maxTileElements = 1 << 16;
const maxTileSteps = 1 << 20;
const maxRegisters = 128;
const maxTextLength = 16_384;
const leastLevel = 50;
const mostLevel = 999;

const product = (numbers: readonly number[]): number => numbers.reduce((a, b) => a * b, 1);

function tileOpOf(name: string, graph: Graph): TileOp {
  const [op] = graph.ops;
  if (!op || graph.ops.length !== 1 || graph.outputs.length !== 1)
    return refuse(`intrinsic "${name}": its semantics have ${graph.ops.length} ops; they take one op with one output`);
  for (const tensor of [...graph.inputs, op.output])
    if (bufferSize(tensor) > maxTileElements)
      refuse(`intrinsic "${name}": the tile "${tensor.name}" has ${bufferSize(tensor)} elements; at most ${maxTileElements}`);
  const steps = product([...op.axes, ...op.reduce].map((axis) => axis.extent));
  if (steps > maxTileSteps) refuse(`intrinsic "${name}": its semantics take ${steps} steps; at most ${maxTileSteps}`);
  walkExpr(op.body, (e: Expr) => {
    if (e.kind === "Load" && (e.indices.some((i) => i.kind !== "Var") || new Set(e.indices).size < e.indices.length))
      refuse(`intrinsic "${name}": "${e.buffer.name}" is indexed by other expressions than one axis for each dimension`);
  });
  return { ...op, inputs: graph.inputs };
}

/** Every element must have its own lane and place, and all must be used. */
function checkPlaces(where: string, agent: Team, { register, count, places }: Fragment, tensor: Buffer): void {
  if (!places) return;
  const slots = (registerBits[register] / dtypeBits(tensor.dtype)) * count;
  const layout = layoutOf(places.axes, [places.lane, places.slot], tensor.shape);
  if (typeof layout === "string") refuse(`${where}: the map of its places: ${layout}`);
  else if (layout.shape[0] !== teamSize[agent] || layout.shape[1] !== slots || layout.inside.length > 0)
    refuse(
      `${where}: the map of its places takes ${layout.shape[0]} lanes of ${layout.shape[1]} elements; a ${agent} has ${teamSize[agent]}, with ${slots} in ${count} registers each`,
    );
}

function checkAddress(where: string, agent: Team, { lane, indices }: LaneAddress, tensor: Buffer): void {
  if (indices.length !== tensor.shape.length)
    refuse(`${where}: a lane's element has ${indices.length} indices; its tile has ${tensor.shape.length} dimensions`);
  const analyzer = new Analyzer([[lane, teamSize[agent]]]);
  for (const [d, index] of indices.entries()) {
    const { lo, hi } = analyzer.boundsOf(analyzer.linear(index));
    if (!(lo >= 0 && hi < (tensor.shape[d] as number)))
      refuse(`${where}: a lane's element has the index ${printExpr(index)}; 0 to ${(tensor.shape[d] as number) - 1}`);
  }
}

/** One dimension of neighbours in memory, one of rows as wide as the swizzle, and optionally one of panels. */
function checkDescriptor(where: string, { descriptor, scopes, address, strides }: IntrinsicOperand, tensor: Buffer): void {
  if (scopes.length !== 1 || scopes[0] !== "shared" || address)
    refuse(`${where} has a descriptor; that is for tiles in shared memory, of which lanes get no addresses`);
  const line = ((descriptor?.swizzle ?? 0) * 8) / dtypeBits(tensor.dtype);
  const others = strides.filter((stride) => stride !== 1 && stride !== null);
  if (strides.filter((stride) => stride === 1).length !== 1 || others.length !== 1 || others[0] !== line)
    refuse(`${where} has strides ${JSON.stringify(strides)}; by its descriptor neighbours lie 1 apart and rows ${line}`);
}

const isFactor = (value: number): boolean => Number.isSafeInteger(value) && value >= 1 && value < 2 ** 31;

function checkOperand({ name, agent }: Pick<Intrinsic, "name" | "agent">, operand: IntrinsicOperand, tensor: Buffer): void {
  const where = `intrinsic "${name}": operand "${operand.name}"`;
  const inFragment = operand.scopes.filter(isFragmentScope).length;
  if (operand.scopes.length === 0 || (inFragment > 0 && operand.scopes.length > 1))
    refuse(
      `${where} lives in ${operand.scopes.join(", ") || "no scope"}; it takes one fragment scope, or shared, global or both`,
    );
  if (inFragment === 0 && operand.scopes.some((scope) => scope !== "shared" && scope !== "global"))
    refuse(`${where} lives in ${operand.scopes.join(", ")}; memory that a ${agent} reaches is shared or global`);
  if (inFragment > 0 !== (operand.fragment !== undefined))
    refuse(`${where}: a fragment is declared exactly for the scopes ${fragmentScopes.join(", ")}`);
  const other = operand.scopes.map(teamOf).find((team) => team !== undefined && team !== agent);
  if (other) refuse(`${where} lives in ${operand.scopes.join()}, which is a ${other}'s; the intrinsic is done by a ${agent}`);
  if (operand.fragment && !(isFactor(operand.fragment.count) && operand.fragment.count <= maxRegisters))
    refuse(`${where} takes ${operand.fragment.count} registers of a lane; 1 to ${maxRegisters}`);
  if (operand.fragment && !/^[\w.]{1,64}$/.test(operand.fragment.layout))
    refuse(`${where}: its layout's name is ${JSON.stringify(operand.fragment.layout)}; 1 to 64 letters, digits, _ and .`);
  if (operand.strides.length !== tensor.shape.length)
    refuse(`${where} has ${operand.strides.length} strides; its tile has ${tensor.shape.length} dimensions`);
  if (
    operand.strides.some((stride) => stride !== null && !isFactor(stride)) ||
    operand.strides.filter((s) => s === null).length > 1
  )
    refuse(`${where}: strides are ${JSON.stringify(operand.strides)}; whole numbers from 1, at most one null`);
  const dense = bufferStrides(tensor);
  if (operand.fragment && operand.strides.some((stride, d) => stride !== dense[d]))
    refuse(
      `${where} is a fragment with strides ${JSON.stringify(operand.strides)}; its tiles are dense, ${JSON.stringify(dense)}`,
    );
  if (operand.fragment) checkPlaces(where, agent, operand.fragment, tensor);
  if (operand.address && operand.fragment) refuse(`${where} is a fragment; registers have no addresses`);
  if (operand.descriptor) checkDescriptor(where, operand, tensor);
  if (operand.address) checkAddress(where, agent, operand.address, tensor);
  if (!isFactor(operand.offsetFactor) || !isFactor(operand.strideFactor))
    refuse(`${where}: factors ${operand.offsetFactor} and ${operand.strideFactor}; whole numbers from 1`);
}

function checkText(intrinsic: Intrinsic): void {
  const { name, text, op } = intrinsic;
  const given = invokeForms.filter((form) => text[form] !== undefined);
  const needed = op.combiner ? given.some((form) => form !== "init") : given.length === 1 && given[0] === "body";
  if (!needed)
    refuse(
      `intrinsic "${name}" has a text for ${given.join(", ") || "nothing"}; ${op.combiner ? "a reduction has body, or update and perhaps init" : "without a reduction there is body"}`,
    );
  for (const form of given) {
    const source = text[form] as string;
    if (source.length > maxTextLength || !/^[\n\x20-\x7e]*$/.test(source) || /["\\]/.test(source))
      refuse(
        `intrinsic "${name}": the text of ${form} has ${source.length} characters; at most ${maxTextLength}, printable ASCII without " and \\`,
      );
    const parts = parseText(source, operandsOf(intrinsic, form));
    if ("wrong" in parts) refuse(`intrinsic "${name}": in the text of ${form}, ${parts.wrong}`);
  }
}

/** Texts are PTX, so they need a GPU of an existing level. */
function checkNeeds(name: string, { kind, from = leastLevel, to = mostLevel }: TargetNeed): void {
  if (kind !== "cuda") refuse(`intrinsic "${name}" is for ${kind}; its text is PTX, for cuda`);
  const wrong = [from, to].find((level) => !(Number.isSafeInteger(level) && level >= leastLevel && level <= mostLevel));
  if (wrong !== undefined || from > to)
    refuse(
      `intrinsic "${name}" needs capabilities ${from} to ${to}; ${leastLevel} to ${mostLevel}, for instance 80 for sm_80, in order`,
    );
}

/** A warpgroup keeps the sums of asynchronous products in its own registers. */
function checkEngine({ name, engine, agent, op, operands }: Intrinsic): void {
  const described = operands.find((operand) => operand.descriptor);
  if (described && !engine)
    refuse(`intrinsic "${name}": operand "${described.name}" has a descriptor; that takes an engine that reads it`);
  if (engine && (agent !== "warpgroup" || op.combiner !== "sum" || !operands.at(-1)?.fragment))
    refuse(`intrinsic "${name}" is done by ${engine}, which adds up in the registers of a warpgroup`);
}

/** Checks an intrinsic from a declaration or from the decoder of programs. */
export function checkedIntrinsic(made: Omit<Intrinsic, "op"> & { readonly semantics: Graph }): Intrinsic {
  const { semantics, ...rest } = made;
  const name = checkName("intrinsic", made.name);
  const intrinsic: Intrinsic = { ...rest, op: tileOpOf(name, semantics) };
  const tensors = [...intrinsic.op.inputs, intrinsic.op.output];
  if (tensors.length !== made.operands.length || tensors.some((tensor, i) => tensor.name !== made.operands[i]?.name))
    refuse(
      `intrinsic "${name}" has operands ${made.operands.map((o) => o.name).join(", ")}; its tensors are ${tensors.map((t) => t.name).join(", ")}`,
    );
  for (const [i, operand] of made.operands.entries()) checkOperand(made, operand, tensors[i] as Buffer);
  checkNeeds(name, made.needs);
  checkEngine(intrinsic);
  checkText(intrinsic);
  return intrinsic;
}

function fragmentOf(tensor: Buffer, { places, ...rest }: FragmentDeclaration): Fragment {
  if (!places) return rest;
  const axes = tensor.shape.map((_, d) => variable(`i${d}`));
  const [lane, slot] = places(...axes);
  return { ...rest, places: { axes, lane, slot } };
}

function addressOf(address: NonNullable<OperandDeclaration["address"]>): LaneAddress {
  const lane = variable("lane");
  return { lane, indices: address(lane).map((index) => (typeof index === "number" ? int(index) : index)) };
}

function operandOf(tensor: Buffer, given: OperandDeclaration): IntrinsicOperand {
  const dense = bufferStrides(tensor);
  const rows = tensor.shape.map((_, d) =>
    d === tensor.shape.length - 1 ? 1 : d === tensor.shape.length - 2 ? null : (dense[d] as number),
  );
  return {
    name: tensor.name,
    scopes: typeof given.scope === "string" ? [given.scope] : given.scope,
    strides: given.strides ?? (given.fragment ? dense : rows),
    offsetFactor: given.offsetFactor ?? (given.fragment ? bufferSize(tensor) : 1),
    strideFactor: given.strideFactor ?? 1,
    fragment: given.fragment && fragmentOf(tensor, given.fragment),
    ...(given.address ? { address: addressOf(given.address) } : {}),
    ...(given.descriptor ? { descriptor: given.descriptor } : {}),
  };
}

export function defineIntrinsic(declaration: IntrinsicDeclaration): Intrinsic {
  const { name, operands, agent = "warp", needs, engine } = declaration;
  const semantics = typeof declaration.semantics === "function" ? declaration.semantics() : declaration.semantics;
  const given = typeof declaration.text === "function" ? declaration.text() : declaration.text;
  const tensors = [...semantics.inputs, ...semantics.outputs];
  const extra = Object.keys(operands).find((key) => !tensors.some((tensor) => tensor.name === key));
  if (extra !== undefined) refuse(`intrinsic "${name}" declares the operand "${extra}", which is no tensor of its semantics`);
  return checkedIntrinsic({
    name,
    semantics,
    operands: tensors.map((tensor) =>
      operandOf(tensor, operands[tensor.name] ?? refuse(`intrinsic "${name}" does not declare the operand "${tensor.name}"`)),
    ),
    agent,
    needs,
    ...(engine ? { engine } : {}),
    text: typeof given === "string" ? { body: given } : given,
  });
}
