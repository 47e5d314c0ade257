/** Short names for building IR in tests, and for printing the result of a pass. */
import type { DType } from "@warpfarm/common";
import type { Buffer, Scope } from "../ir/buffer.ts";
import * as b from "../ir/build.ts";
import type { Expr, Var } from "../ir/expr.ts";
import type { Dialect, PrimFunc } from "../ir/prim-func.ts";
import { printStmt } from "../ir/print.ts";
import type { Stmt, ThreadTag } from "../ir/stmt.ts";
import type { Pass } from "./pass.ts";

export const buffer = (name: string, shape: readonly number[], scope: Scope = "global", dtype: DType = "float32"): Buffer => ({
  name,
  dtype,
  shape,
  scope,
});
export const v = (name: string): Var => b.variable(name);
export const n = (value: number): Expr => b.int(value);
export const at = (of: Buffer, ...indices: Expr[]): Expr => b.load(of, indices);
export const set = (of: Buffer, ...rest: Expr[]): Stmt => b.store(of, rest.slice(0, -1), rest.at(-1) as Expr);
export const loop = (i: Var, extent: number, ...body: Stmt[]): Stmt => b.forLoop(i, extent, b.seq(body));
export const bound = (i: Var, extent: number, tag: ThreadTag, ...body: Stmt[]): Stmt => b.boundLoop(i, extent, tag, b.seq(body));
/** i*k + j */
export const lin = (i: Expr, k: number, j: Expr = n(0)): Expr => b.add(b.mul(i, n(k)), j);

export const func = <D extends Dialect>(dialect: D, params: readonly Buffer[], body: Stmt): PrimFunc<D> => ({
  dialect,
  name: "f",
  params,
  body,
});

/** The body after the pass, as text. When `stable`, checks that a second run changes nothing. */
export function after<A extends Dialect, B extends Dialect>(
  pass: Pass<A, B>,
  dialect: A,
  params: readonly Buffer[],
  body: Stmt,
): string {
  return `\n${printStmt(pass.run(func(dialect, params, body)).body)}\n`;
}
