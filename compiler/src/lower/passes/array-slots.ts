/**
 * Several arrays in the place of one, for copies that run ahead of their use (run-ahead.ts, make-channels.ts).
 * Indices are flat.
 */
import { type Buffer, bufferSize, slotOf } from "../../ir/buffer.ts";
import * as b from "../../ir/build.ts";
import type { Expr } from "../../ir/expr.ts";
import { isRemark, mapMemory, touches } from "../../ir/parts.ts";
import type { Stage, Stmt } from "../../ir/stmt.ts";
import { mapChildren, mapStmt, walkStmt } from "../../ir/visit.ts";

export interface Multiplied {
  readonly old: Buffer;
  readonly made: Buffer;
  readonly size: number;
}

export function multiply(old: Buffer, arrays: number, unit?: number): Multiplied {
  const size = slotOf(bufferSize(old), old.swizzle, unit);
  return { old, made: { ...old, shape: [arrays * size] }, size };
}

export function filledBy(copy: Stmt): Buffer | undefined {
  let filled: Buffer | undefined;
  walkStmt(copy, (s) => {
    for (const { buffer, how } of touches(s)) if (how === "write") filled = buffer;
  });
  return filled;
}

type IsCopy = (s: Stmt) => s is Stage;

export function copiesIn(s: Stmt, isCopy: IsCopy): readonly Stage[] {
  if (isCopy(s)) return [s];
  if (s.kind === "Seq") return s.stmts.flatMap((child) => copiesIn(child, isCopy));
  return s.kind === "Allocate" || isRemark(s) || s.kind === "If" ? copiesIn(s.body, isCopy) : [];
}

/** Moves accesses of an array to one of several. Stores and calls get a condition. */
export class Slot {
  readonly #old: Buffer;
  readonly #made: Buffer;
  readonly #first: Expr;
  readonly #when: Expr;
  readonly #isCopy: IsCopy;

  constructor({ old, made, size }: Multiplied, slot: Expr, isCopy: IsCopy, when: Expr = b.bool(true)) {
    this.#old = old;
    this.#made = made;
    this.#first = b.mul(slot, b.int(size));
    this.#when = when;
    this.#isCopy = isCopy;
  }
  readonly #expr = (e: Expr): Expr => {
    const made = mapChildren(e, this.#expr);
    return made.kind === "Load" && made.buffer === this.#old ? b.load(this.#made, this.#moved(made.indices)) : made;
  };
  #moved(indices: readonly Expr[]): Expr[] {
    return [b.add(this.#first, indices[0] as Expr)];
  }
  readonly stmt = (s: Stmt): Stmt => {
    if (this.#isCopy(s)) return b.stage(s.name, this.stmt(s.body));
    const made = mapStmt(s, this.stmt, this.#expr);
    if (touches(made).length === 0) return made;
    const other = (buffer: Buffer): Buffer => (buffer === this.#old ? this.#made : buffer);
    const place = (buffer: Buffer, indices: readonly Expr[]) => (buffer === this.#old ? this.#moved(indices) : indices);
    return b.ifThen(this.#when, mapMemory(made, other, place));
  };
}
