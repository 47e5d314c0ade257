import * as b from "../ir/build.ts";
import type { Var } from "../ir/expr.ts";
import type { Stmt, ThreadTag } from "../ir/stmt.ts";
import { InterpError, type InterpRule } from "./error.ts";

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
