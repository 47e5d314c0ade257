/**
 * What the pragma tensor_core looks for in a root nest: a product accumulated by each thread in registers,
 *
 *   for i, j, k:  C[i, j] = C[i, j] + cast(A[i, k]) * cast(B[k, j])          A, B, C local; each operand with its dimensions in any order
 *
 * inside threads of which 32 neighbours, threadIdx.x fastest, hold one matrix tile together: C's first dimension goes on over
 * threadIdx.y, its second over threadIdx.x. As in TVM's pass it is the transposed product that is computed, Cᵀ = Bᵀ·Aᵀ: the
 * operand indexed by the last output axis becomes matrix_a (docs/reference/autotvm.md 7.1).
 */
import type { DType } from "@warpfarm/common";
import { type TileNest, tileNests } from "../../intrinsic/tile-nest.ts";
import type { Buffer } from "../../ir/buffer.ts";
import type { Expr, Load, Var } from "../../ir/expr.ts";
import type { For, Stmt, Store } from "../../ir/stmt.ts";
import { walkStmt } from "../../ir/visit.ts";

/**
 * Which coordinate of the matrix tile a dimension of a buffer is: x the last axis of the output, y the one before, k the sum's.
 */
export type Role = "x" | "y" | "k";

export interface Operand {
  readonly buffer: Buffer;
  readonly roles: readonly Role[];
}

export interface TensorCorePattern {
  readonly accumulator: Operand;
  /** The operand indexed by y and k is matrix_b, that by x and k matrix_a. */
  readonly rows: Operand;
  readonly columns: Operand;
  readonly dtype: DType;
  readonly threadX: For;
  readonly threadY: For;
  readonly extents: Readonly<Record<Role, number>>;
}

export interface Mismatch {
  readonly wrong: string;
}

const withoutCast = (e: Expr): Expr => (e.kind === "Cast" ? e.value : e);
const isLocalLoad = (e: Expr): e is Load => e.kind === "Load" && e.buffer.scope === "local";

function productOf(region: Stmt): { readonly store: Store; readonly left: Load; readonly right: Load } | undefined {
  let found: { store: Store; left: Load; right: Load } | undefined;
  walkStmt(region, (s) => {
    if (s.kind !== "Store" || s.value.kind !== "Add" || s.value.b.kind !== "Mul") return;
    const [left, right] = [withoutCast(s.value.b.a), withoutCast(s.value.b.b)];
    const old = s.value.a;
    if (old.kind === "Load" && old.buffer === s.buffer && isLocalLoad(left) && isLocalLoad(right))
      found = { store: s, left, right };
  });
  return found;
}

function nestOf(region: Stmt, store: Store): TileNest | undefined {
  let found: TileNest | undefined;
  walkStmt(region, (s) => {
    if (found || s.kind !== "For") return;
    const nests = tileNests(s);
    if (!("wrong" in nests) && nests.length === 1 && nests[0]?.store === store) found = nests[0];
  });
  return found;
}

export function findPattern(region: Stmt, outside: readonly For[]): TensorCorePattern | Mismatch {
  const product = productOf(region);
  if (!product) return { wrong: "no statement under it adds a product of two local arrays to a local array" };
  const { store, left, right } = product;
  if (store.buffer.scope !== "local")
    return { wrong: `the sum is kept in "${store.buffer.name}", which is ${store.buffer.scope}; local` };
  const nest = nestOf(region, store);
  if (!nest) return { wrong: "the product's loops hold more than it" };
  const threadX = outside.find((loop) => loop.thread === "threadIdx.x");
  const threadY = outside.find((loop) => loop.thread === "threadIdx.y");
  if (!threadX || !threadY) return { wrong: "no loops around it are bound to threadIdx.x and threadIdx.y" };
  const roles = new Map<Var, Role>();
  const [first, second] = store.indices;
  if (store.indices.length !== 2) return { wrong: `"${store.buffer.name}" has ${store.indices.length} dimensions, not 2` };
  if (first?.kind === "Var") roles.set(first, "y");
  if (second?.kind === "Var") roles.set(second, "x");
  for (const { loopVar } of nest.loops) if (!roles.has(loopVar)) roles.set(loopVar, "k");
  const rolesOf = (access: Load): readonly Role[] | undefined => {
    const found = access.indices.map((index, d) =>
      index.kind === "Var" ? roles.get(index) : access.buffer.shape[d] === 1 ? null : undefined,
    );
    if (found.includes(undefined)) return undefined;
    const own: Role = found.includes("x") ? "x" : "y";
    return found.map((role) => role ?? own);
  };
  const operands = [left, right].map((access) => ({ buffer: access.buffer, roles: rolesOf(access) ?? [] }));
  const rows = operands.find(({ roles: r }) => r.length === 2 && r.includes("y") && r.includes("k"));
  const columns = operands.find(({ roles: r }) => r.length === 2 && r.includes("x") && r.includes("k"));
  if (!rows || !columns) return { wrong: "the product's operands are not indexed by one output axis and the sum's" };
  if (rows.buffer.dtype !== columns.buffer.dtype)
    return { wrong: `it multiplies ${rows.buffer.dtype} by ${columns.buffer.dtype}` };
  const kExtent = (rows.buffer.shape[rows.roles.indexOf("k")] as number) ?? 1;
  const [y = 1, x = 1] = store.buffer.shape;
  return {
    accumulator: { buffer: store.buffer, roles: ["y", "x"] },
    rows,
    columns,
    dtype: rows.buffer.dtype,
    threadX,
    threadY,
    extents: { x, y, k: kExtent },
  };
}
