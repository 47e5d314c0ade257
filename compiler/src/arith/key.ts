/** Text that names an expression: equal texts mean equal expressions. The caller names variables and buffers. */
import type { Buffer } from "../ir/buffer.ts";
import type { Expr, Var } from "../ir/expr.ts";
import { children } from "../ir/visit.ts";

interface Naming {
  readonly variable: (v: Var) => string | number;
  readonly buffer: (b: Buffer) => string | number;
}

export function exprKey(e: Expr, naming: Naming): string {
  switch (e.kind) {
    case "IntImm":
      return e.dtype === "int32" ? `${e.value}` : `${e.value}:${e.dtype}`;
    case "FloatImm":
      return `${Object.is(e.value, -0) ? "-0" : e.value}:${e.dtype}`;
    case "Var":
      return `v${naming.variable(e)}`;
    default: {
      let key: string = e.kind;
      if (e.kind === "Load") key += naming.buffer(e.buffer);
      else if (e.kind === "Cast") key += e.dtype;
      else if (e.kind === "Call") key += e.name;
      else if (e.kind === "Lookup") key += e.table.name;
      else if (e.kind === "Ramp") key += `${e.stride}x${e.lanes}`;
      else if (e.kind === "Broadcast") key += `x${e.lanes}`;
      key += "(";
      for (const child of children(e)) key += `${exprKey(child, naming)},`;
      return `${key})`;
    }
  }
}

const serials = new WeakMap<Var, number>();
let nextSerial = 0;
/** Distinguishes variables of one name and unknown range. */
export function serialOf(v: Var): number {
  let serial = serials.get(v);
  if (serial === undefined) {
    serial = nextSerial++;
    serials.set(v, serial);
  }
  return serial;
}
