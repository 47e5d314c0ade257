/**
 * Calls of intrinsics as inline PTX: holes of the text become registers and addresses, fragments are arrays of registers. Fragment number t
 * of a buffer keeps its registers at t*count .. t*count + count - 1; the loops over fragments are repeated, so that the numbers are
 * constants and the arrays never leave the registers. Volatile: the compiler must not move or join what a warp does together.
 * Source: CUDA's "Inline PTX Assembly"; PTX ISA, "Warp-level matrix instructions".
 */
import { dtypeBits, invariant } from "@warpfarm/common";
import { textParts } from "../../intrinsic/text.ts";
import { type Buffer, bufferSize } from "../../ir/buffer.ts";
import * as b from "../../ir/build.ts";
import type { Expr } from "../../ir/expr.ts";
import { type Fragment, type IntrinsicOperand, operandsOf, type RegisterType, tensorOf } from "../../ir/intrinsic.ts";
import type { Invoke, Stmt, Tile } from "../../ir/stmt.ts";
import { walkStmt } from "../../ir/visit.ts";
import { type CPrinter, level } from "../c-family/printer.ts";

const registerType: Record<RegisterType, readonly [type: string, constraint: string]> = {
  b32: ["unsigned int", "r"],
  s32: ["int", "r"],
  f32: ["float", "f"],
  f64: ["double", "d"],
};

/** How a kernel keeps a buffer of fragments: what its intrinsics say, and the elements of one tile. */
export interface FragmentStorage {
  readonly fragment: Fragment;
  readonly tileElements: number;
}

export function fragmentsOf(body: Stmt): ReadonlyMap<Buffer, FragmentStorage> {
  const found = new Map<Buffer, FragmentStorage>();
  walkStmt(body, (s) => {
    if (s.kind !== "Invoke") return;
    for (const [i, operand] of operandsOf(s.intrinsic, s.form).entries())
      if (operand.fragment)
        found.set((s.tiles[i] as Tile).buffer, {
          fragment: operand.fragment,
          tileElements: bufferSize(tensorOf(s.intrinsic, operand)),
        });
  });
  return found;
}

export function fragmentDeclaration(name: string, buffer: Buffer, storage: FragmentStorage | undefined): string {
  // A buffer that nothing touches has no layout, and needs no place.
  if (!storage) return `// ${name} is not used`;
  const { fragment, tileElements } = storage;
  return `${registerType[fragment.register][0]} ${name}[${(bufferSize(buffer) / tileElements) * fragment.count}];`;
}

/** What the text writes: its output, whose old value only a step of a reduction keeps. */
type Role = "=" | "+" | "";

class Bindings {
  readonly outputs: string[] = [];
  readonly inputs: string[] = [];
  readonly #places = new Map<string, { readonly list: string[]; readonly at: number }>();

  /** Binds a C expression once; the number is known when all are. */
  bind(key: string, role: Role, constraint: string, text: string): () => string {
    let place = this.#places.get(key);
    if (!place) {
      const list = role === "" ? this.inputs : this.outputs;
      place = { list, at: list.push(`"${role}${constraint}"(${text})`) - 1 };
      this.#places.set(key, place);
    }
    const { list, at } = place;
    return () => `%${list === this.inputs ? at + this.outputs.length : at}`;
  }
}

class InvokeText {
  readonly #printer: CPrinter;
  readonly #bindings = new Bindings();
  readonly #s: Invoke;

  constructor(printer: CPrinter, s: Invoke) {
    this.#printer = printer;
    this.#s = s;
  }

  print(): void {
    const { intrinsic, form, tiles } = this.#s;
    const operands = operandsOf(intrinsic, form);
    const text = intrinsic.text[form];
    invariant(text !== undefined, `${intrinsic.name} has no text for ${form}`);
    const parts = textParts(intrinsic, text, operands).map((part) => {
      if (typeof part === "string") return () => part.replaceAll("%", "%%");
      const i = operands.indexOf(part.operand);
      const tile = tiles[i] as Tile;
      const role: Role = i < operands.length - 1 ? "" : form === "update" ? "+" : "=";
      return part.operand.fragment
        ? this.#registers(part.operand, part.operand.fragment, tile, part.hole, role)
        : this.#memory(part.operand, tile, part.hole);
    });
    // A fragment is written whole or not at all, so that the compiler knows all of its registers.
    const memory = operands.some((operand) => !operand.fragment) ? ' : "memory"' : "";
    const lines = parts
      .map((part) => part())
      .join("")
      .split("\n")
      .map((line) => line.trim())
      .filter((line) => line !== "");
    const { outputs, inputs } = this.#bindings;
    const p = this.#printer;
    p.line("asm volatile(");
    p.indented(() => {
      for (const [i, line] of lines.entries()) p.line(`"${line}${i < lines.length - 1 ? "\\n\\t" : ""}"`);
      p.line(`: ${outputs.join(", ")}`.trimEnd());
      p.line(`: ${inputs.join(", ")}${memory});`);
    });
  }

  #registers(operand: IntrinsicOperand, fragment: Fragment, tile: Tile, hole: string | number, role: Role): () => string {
    const elements = bufferSize(tensorOf(this.#s.intrinsic, operand));
    const { analyzer, names } = this.#printer;
    const number = analyzer.floorDiv(analyzer.linear(tile.indices[0] as Expr), elements);
    const bound = Array.from({ length: fragment.count }, (_, r) => {
      const index = analyzer.expr(analyzer.sum({ atoms: [], coefs: [], constant: r }, number, fragment.count));
      const text = `${names.get(tile.buffer)}[${this.#printer.expr(index)}]`;
      return this.#bindings.bind(`${operand.name}.${r}`, role, registerType[fragment.register][1], text);
    });
    if (typeof hole === "number") return bound[hole] as () => string;
    return () => `{${bound.map((register) => register()).join(", ")}}`;
  }

  #memory(operand: IntrinsicOperand, tile: Tile, hole: string | number): () => string {
    const { buffer, strides } = tile;
    const isShared = buffer.scope === "shared";
    if (hole === "stride") return () => String(strides[operand.strides.indexOf(null)]);
    if (hole === "space") return () => (isShared ? ".shared" : ".global");
    const p = this.#printer;
    const perWord = 8 / Math.min(8, dtypeBits(buffer.dtype));
    const index = tile.indices[0] as Expr;
    const offset = perWord === 1 ? index : p.analyzer.expr(p.analyzer.floorDiv(p.analyzer.linear(index), perWord));
    const base = perWord === 1 ? p.names.get(buffer) : `(const char *)${p.names.get(buffer)}`;
    const address = b.isInt(offset, 0) ? base : `${base} + ${p.expr(offset, level.sum + 1)}`;
    const text = isShared ? `(unsigned int)__cvta_generic_to_shared(${address})` : address;
    return this.#bindings.bind(operand.name, "", isShared ? "r" : "l", text);
  }
}

export const printInvoke = (printer: CPrinter, s: Invoke): void => new InvokeText(printer, s).print();
