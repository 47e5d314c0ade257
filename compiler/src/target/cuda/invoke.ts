/**
 * Calls of intrinsics: a device function of inline PTX for each, in which the holes of the text are registers and addresses.
 * Fragments are arrays of registers. Fragment number t
 * of a buffer keeps its registers at t*count .. t*count + count - 1; the loops over fragments are repeated, so that the numbers
 * are constants and the arrays never leave the registers. Volatile: the compiler must not move or join what a team does together.
 * Source: CUDA's "Inline PTX Assembly"; PTX ISA, "Warp-level matrix instructions".
 */
import { dtypeBits, dtypeBytes, invariant } from "@warpfarm/common";
import { constantOf, type Linear } from "../../arith/linear.ts";
import { elementsOfRegister, type FragmentStorage, placeOf } from "../../intrinsic/fragment-place.ts";
import { textParts } from "../../intrinsic/text.ts";
import { type Buffer, bufferSize } from "../../ir/buffer.ts";
import * as b from "../../ir/build.ts";
import type { Expr } from "../../ir/expr.ts";
import { type Descriptor, type IntrinsicOperand, operandsOf, type RegisterType, tensorOf } from "../../ir/intrinsic.ts";
import type { Invoke, Tile } from "../../ir/stmt.ts";
import { substitute } from "../../ir/visit.ts";
import { Names } from "../c-family/names.ts";
import { level } from "../c-family/operators.ts";
import type { CPrinter } from "../c-family/printer.ts";
import { cudaTypes } from "./dtype.ts";
import { qualifier, sharedAddress } from "./pieces.ts";
import { placeText } from "./place.ts";

export const registerType: Record<RegisterType, readonly [type: string, constraint: string]> = {
  b32: ["unsigned int", "r"],
  s32: ["int", "r"],
  f32: ["float", "f"],
  f64: ["double", "d"],
};

export function fragmentDeclaration(name: string, buffer: Buffer, storage: FragmentStorage | undefined): string {
  // A buffer that nothing accesses has no layout, and needs no place.
  if (!storage) return `// ${name} is not used`;
  const { fragment, tile } = storage;
  return `${registerType[fragment.register][0]} ${name}[${(bufferSize(buffer) / bufferSize(tile)) * fragment.count}];`;
}

/** A lane's own register (verify/team.ts). */
export function fragmentRegister(printer: CPrinter, buffer: Buffer, index: Expr, storage: FragmentStorage): string {
  const slot = placeOf(storage, index)?.slot;
  invariant(slot, `${buffer.name} is opaque`);
  const { analyzer } = printer;
  const register = analyzer.floorDiv(analyzer.linear(slot), elementsOfRegister(storage));
  return `${printer.names.get(buffer)}[${printer.expr(analyzer.expr(register))}]`;
}
/** An element that has a register to itself. */
export function fragmentElement(printer: CPrinter, buffer: Buffer, index: Expr, storage: FragmentStorage): string {
  const register = fragmentRegister(printer, buffer, index, storage);
  const type = cudaTypes.storage(buffer.dtype);
  return type === registerType[storage.fragment.register][0] ? register : `*(${type} *)&${register}`;
}

/** Whether the text writes it, and whether it also reads its old value. */
type Role = "=" | "+" | "";

class Bindings {
  readonly outputs: string[] = [];
  readonly inputs: string[] = [];
  readonly #places = new Map<string, { readonly list: string[]; readonly at: number }>();

  bind(role: Role, constraint: string, text: string): () => string {
    let place = this.#places.get(text);
    if (!place) {
      const list = role === "" ? this.inputs : this.outputs;
      place = { list, at: list.push(`"${role}${constraint}"(${text})`) - 1 };
      this.#places.set(text, place);
    }
    const { list, at } = place;
    return () => `%${list === this.inputs ? at + this.outputs.length : at}`;
  }
}

/** Bytes of a unit, in which descriptors have addresses and lengths. */
const descriptorUnit = 16;

/** A descriptor without its place: the leading length, and in the upper word the stride and the kind of swizzle. */
function descriptorOf(operand: IntrinsicOperand, { major, swizzle }: Descriptor, tile: Tile): string {
  const panel = strideOf(operand, tile);
  const leading = major === "mn" && panel !== undefined ? dtypeBytes(tile.buffer.dtype, panel) / descriptorUnit : 1;
  const high = (((4 - Math.log2(swizzle / 16)) << 30) | ((8 * swizzle) / descriptorUnit)) >>> 0;
  return `0x${high.toString(16)}${(leading * 65_536).toString(16).padStart(8, "0")}`;
}

/** Where an array lies, without the bits of a cluster's block. */
const arrayPlace = (printer: CPrinter, array: string): string =>
  `${printer.prelude.define(
    "place_of",
    (given) =>
      `${qualifier} unsigned int ${given}(const void *p) { return (${sharedAddress("p")} & 0x3ffffu) / ${descriptorUnit}; }`,
  )}(${array})`;

/**
 * The sum stands in the assembly. Before it, nvcc would make those of all tiles ahead of the loop, and keep each in a register.
 */
const descriptorLines = (name: string, array: string, tile: string, rest: string): readonly string[] => [
  `.reg .b64 ${name};`,
  `.reg .b32 ${name}_place;`,
  `add.s32 ${name}_place, ${array}, ${tile};`,
  `cvt.u64.u32 ${name}, ${name}_place;`,
  `or.b64 ${name}, ${name}, ${rest};`,
];

const isShared = ({ buffer }: Tile): boolean => buffer.scope === "shared";
const strideOf = (operand: IntrinsicOperand, tile: Tile): number | undefined => tile.strides[operand.strides.indexOf(null)];

/** One device function for each form of an intrinsic, and for each place and stride of its tiles in memory. */
function helperName({ intrinsic, form, tiles }: Invoke, operands: readonly IntrinsicOperand[]): string {
  const places = operands.flatMap((operand, i) => {
    const tile = tiles[i] as Tile;
    return operand.fragment ? [] : [`${tile.buffer.scope}${strideOf(operand, tile) ?? ""}`];
  });
  return ["tile", intrinsic.name, ...(form === "body" ? [] : [form]), ...places].join("_");
}

function helperText(name: string, { intrinsic, form, tiles }: Invoke, operands: readonly IntrinsicOperand[]): string {
  const text = intrinsic.text[form];
  invariant(text !== undefined, `${intrinsic.name} has no text for ${form}`);
  const names = new Names();
  const bindings = new Bindings();
  const params = operands.map((operand, i) => {
    const param = names.declare(operand, operand.name);
    const isOutput = i === operands.length - 1;
    if (operand.descriptor) return `unsigned int ${param}, int ${param}_tile`;
    if (!operand.fragment) return `${isOutput ? "" : "const "}void *${param}`;
    return `${isOutput ? "" : "const "}${registerType[operand.fragment.register][0]} *${param}`;
  });
  const descriptors: (() => readonly string[])[] = [];
  const parts = textParts(intrinsic, text, operands).map((part) => {
    if (typeof part === "string") return () => part.replaceAll("%", "%%");
    const { operand, hole } = part;
    const i = operands.indexOf(operand);
    const tile = tiles[i] as Tile;
    const param = names.get(operand);
    if (operand.fragment) {
      const { register, count } = operand.fragment;
      const role: Role = i < operands.length - 1 ? "" : form === "update" ? "+" : "=";
      const bound = Array.from({ length: count }, (_, r) => bindings.bind(role, registerType[register][1], `${param}[${r}]`));
      if (typeof hole === "number") return bound[hole] as () => string;
      return () => `{${bound.map((one) => one()).join(", ")}}`;
    }
    if (operand.descriptor) {
      const [array, at] = [bindings.bind("", "r", param), bindings.bind("", "r", `${param}_tile`)];
      const rest = descriptorOf(operand, operand.descriptor, tile);
      descriptors.push(() => descriptorLines(`${param}_descriptor`, array(), at(), rest));
      return () => `${param}_descriptor`;
    }
    if (hole === "stride") return () => String(strideOf(operand, tile));
    if (hole === "space") return () => (isShared(tile) ? ".shared" : ".global");
    return isShared(tile) ? bindings.bind("", "r", sharedAddress(param)) : bindings.bind("", "l", param);
  });
  const own = parts
    .map((part) => part())
    .join("")
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
  const lines = descriptors.length > 0 ? ["{", ...descriptors.flatMap((each) => each()), ...own, "}"] : own;
  const { outputs, inputs } = bindings;
  // The text may read or write operands in memory; a fragment's registers are named. Asynchronous calls keep their order among
  // volatile statements, but a clobber of memory would end the asynchrony.
  const memory = !intrinsic.engine && operands.some((operand) => !operand.fragment) ? ' : "memory"' : "";
  return [
    `${qualifier} void ${name}(${params.join(", ")}) {`,
    "  asm volatile(",
    ...lines.map((line, i) => `    "${line}${i < lines.length - 1 ? "\\n\\t" : ""}"`),
    `    : ${outputs.join(", ")}`.trimEnd(),
    `    : ${inputs.join(", ")}${memory});`,
    "}",
  ].join("\n");
}

/** The fragment's first register, or the address of the tile's first element or of the lane's. */
function argumentText(printer: CPrinter, s: Invoke, operand: IntrinsicOperand, tile: Tile, lane: Expr): string {
  const { analyzer, names } = printer;
  const place = analyzer.linear(tile.indices[0] as Expr);
  const at = (array: string, index: Expr) => (b.isInt(index, 0) ? array : `${array} + ${printer.expr(index, level.sum + 1)}`);
  const name = names.get(tile.buffer);
  if (operand.fragment) {
    const number = analyzer.floorDiv(place, bufferSize(tensorOf(s.intrinsic, operand)));
    return at(name, analyzer.expr(analyzer.sum(constantOf(0), number, operand.fragment.count)));
  }
  if (operand.descriptor) {
    const units = analyzer.floorDiv(place, descriptorUnit / dtypeBytes(tile.buffer.dtype));
    return `${at(arrayPlace(printer, name), analyzer.expr({ ...units, constant: 0 }))}, ${units.constant}`;
  }
  const bits = dtypeBits(tile.buffer.dtype);
  // Elements below a byte are packed, and a tile begins at a byte, as what a lane reads of it.
  const inBytes = (index: Linear) => at(`(char *)${name}`, analyzer.expr(analyzer.floorDiv(index, 8 / bits)));
  if (operand.address) {
    const { address } = operand;
    const own = address.indices.map((index, d) =>
      b.mul(substitute(index, new Map([[address.lane, lane]])), b.int(tile.strides[d] as number)),
    );
    const index = analyzer.linear(own.reduce(b.add, tile.indices[0] as Expr));
    return bits >= 8 ? `${name} + ${placeText(printer, tile.buffer, index, level.sum + 1)}` : inBytes(index);
  }
  return bits >= 8 ? at(name, tile.indices[0] as Expr) : inBytes(place);
}

/** `lane`: the thread's, in the intrinsic's team. */
export function printInvoke(printer: CPrinter, s: Invoke, lane: Expr): void {
  const operands = operandsOf(s.intrinsic, s.form);
  const name = printer.prelude.define(helperName(s, operands), (given) => helperText(given, s, operands));
  const args = operands.map((operand, i) => argumentText(printer, s, operand, s.tiles[i] as Tile, lane));
  printer.line(`${name}(${args.join(", ")});`);
}
