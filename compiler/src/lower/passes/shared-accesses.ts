/** What a piece of a kernel reads and writes of shared memory. */
import type { Buffer } from "../../ir/buffer.ts";
import { type BulkCopy, boxElements } from "../../ir/bulk.ts";
import type { Expr } from "../../ir/expr.ts";
import { type IntrinsicOperand, operandsOf, tensorOf } from "../../ir/intrinsic.ts";
import type { Invoke } from "../../ir/stmt.ts";
import { walkExpr } from "../../ir/visit.ts";

export interface Access {
  readonly buffer: Buffer;
  readonly index: Expr;
  /** Of a tile, which a warp touches together: elements from its first to its last. */
  readonly reach?: number;
  /** Of some iteration before. */
  readonly isCarried?: true;
  /** The threads of each warp have met since. */
  readonly isMet?: true;
}
export interface Accesses {
  readonly reads: readonly Access[];
  readonly writes: readonly Access[];
}
export const none: Accesses = { reads: [], writes: [] };
const isNone = (a: Accesses): boolean => a.reads.length === 0 && a.writes.length === 0;
export function union(a: Accesses, c: Accesses): Accesses {
  if (isNone(a)) return c;
  if (isNone(c)) return a;
  return { reads: merged(a.reads, c.reads), writes: merged(a.writes, c.writes) };
}
/** Loops walked twice name the same access objects: keep each once. */
const merged = (a: readonly Access[], c: readonly Access[]): readonly Access[] =>
  a.length === 0 ? c : c.length === 0 ? a : [...new Set([...a, ...c])];

/** An intrinsic's output is its last tile; a step of a reduction reads it too, at the same place. */
export function tileAccesses({ intrinsic, form, tiles }: Invoke): Accesses {
  const operands = operandsOf(intrinsic, form);
  const accesses = tiles.flatMap(({ buffer, indices, strides }, i) => {
    if (buffer.scope !== "shared") return [];
    const { shape } = tensorOf(intrinsic, operands[i] as IntrinsicOperand);
    const reach = strides.reduce((sum, stride, d) => sum + stride * ((shape[d] as number) - 1), 0);
    return [{ isOutput: i === tiles.length - 1, access: { buffer, index: indices[0] as Expr, reach } }];
  });
  return {
    reads: accesses.filter(({ isOutput }) => !isOutput).map(({ access }) => access),
    writes: accesses.filter(({ isOutput }) => isOutput).map(({ access }) => access),
  };
}

/** What the copy engine reads or writes of shared memory: a dense run. */
export function boxAccesses(copy: BulkCopy): Accesses {
  const access: Access = { buffer: copy.shared, index: copy.indices[0] as Expr, reach: boxElements(copy) - 1 };
  return copy.direction === "in" ? { reads: [], writes: [access] } : { reads: [access], writes: [] };
}

export function sharedReads(e: Expr, into: Access[]): void {
  walkExpr(e, (part) => {
    if (part.kind === "Load" && part.buffer.scope === "shared")
      into.push({ buffer: part.buffer, index: part.indices[0] as Expr });
  });
}
