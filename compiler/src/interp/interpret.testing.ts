/** Small functions of the IR made by hand, and the rule by which the interpreter refuses one. */
import type { DType } from "@warpfarm/common";
import type { Buffer, Scope } from "../ir/buffer.ts";
import * as b from "../ir/build.ts";
import type { Var } from "../ir/expr.ts";
import type { Dialect, PrimFunc } from "../ir/prim-func.ts";
import type { Stmt, ThreadTag } from "../ir/stmt.ts";
import { InterpError, type InterpRule } from "./error.ts";

export const buffer = (name: string, shape: readonly number[], scope: Scope = "global", dtype: DType = "float32"): Buffer => ({
  name,
  dtype,
  shape,
  scope,
});
export const func = (dialect: Dialect, params: readonly Buffer[], body: Stmt): PrimFunc => ({ dialect, name: "f", params, body });
export function ruleOf(run: () => unknown): InterpRule[] {
  try {
    run();
    return [];
  } catch (error) {
    if (error instanceof InterpError) return [error.rule];
    throw error;
  }
}
export const floats = (...values: number[]) => Float32Array.from(values);
export const range = (n: number) => Float32Array.from({ length: n }, (_, i) => i);
export const thread = (tag: ThreadTag, extent: number, body: (v: Var) => Stmt, name = "t"): Stmt => {
  const v = b.variable(name);
  return b.boundLoop(v, extent, tag, body(v));
};
export const loop = (extent: number, body: (v: Var) => Stmt, kind: "serial" | "parallel" = "serial"): Stmt => {
  const v = b.variable("i");
  return b.forLoop(v, extent, body(v), kind);
};
