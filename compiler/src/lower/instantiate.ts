/**
 * Fixed values for some variables: what unrolling does thousands of times to one statement, so it is direct. Constants that come free in
 * a sum float to its end, where they add up: (a*7 + i) + j with i = 2, j = 3 is a*7 + 5.
 */
import * as b from "../ir/build.ts";
import type { Expr, Var } from "../ir/expr.ts";
import { mapChildren } from "../ir/visit.ts";

function plus(x: Expr, y: Expr): Expr {
  if (x.dtype !== "int32") return b.add(x, y);
  if (x.kind === "IntImm" && y.kind !== "IntImm") return plus(y, x);
  if (y.kind === "IntImm") {
    if (x.kind === "Add" && x.b.kind === "IntImm") return offset(x.a, x.b.value + y.value);
    if (x.kind === "Sub" && x.b.kind === "IntImm") return offset(x.a, y.value - x.b.value);
    return x.kind === "IntImm" ? b.int(x.value + y.value) : offset(x, y.value);
  }
  if (x.kind === "Add" && x.b.kind === "IntImm") return offset(b.add(x.a, y), x.b.value);
  if (x.kind === "Sub" && x.b.kind === "IntImm") return offset(b.add(x.a, y), -x.b.value);
  return b.add(x, y);
}
function minus(x: Expr, y: Expr): Expr {
  if (x.dtype !== "int32") return b.sub(x, y);
  if (y.kind === "IntImm") return plus(x, b.int(-y.value));
  if (x.kind === "Add" && x.b.kind === "IntImm") return offset(b.sub(x.a, y), x.b.value);
  if (x.kind === "Sub" && x.b.kind === "IntImm") return offset(b.sub(x.a, y), -x.b.value);
  return b.sub(x, y);
}
function offset(x: Expr, by: number): Expr {
  return by < 0 ? b.sub(x, b.int(-by)) : b.add(x, b.int(by));
}

export interface Instantiation {
  readonly values: ReadonlyMap<Var, number>;
  /** Conditions are decided here: a border that no lane of a copy crosses goes. */
  readonly simplifyCondition: (cond: Expr) => Expr;
}

/** `e` with the variables of `values` fixed; `e` itself when it names none of them. */
export function instantiate(e: Expr, to: Instantiation): Expr {
  switch (e.kind) {
    case "IntImm":
    case "FloatImm":
      return e;
    case "Var": {
      const value = to.values.get(e);
      return value === undefined ? e : b.int(value);
    }
    case "Add":
    case "Sub": {
      const x = instantiate(e.a, to);
      const y = instantiate(e.b, to);
      if (x === e.a && y === e.b) return e;
      return e.kind === "Add" ? plus(x, y) : minus(x, y);
    }
    case "Mul":
    case "FloorDiv":
    case "FloorMod": {
      const x = instantiate(e.a, to);
      const y = instantiate(e.b, to);
      return x === e.a && y === e.b ? e : b.binary(e.kind, x, y);
    }
    case "Select": {
      const cond = instantiate(e.cond, to);
      const x = instantiate(e.whenTrue, to);
      const y = instantiate(e.whenFalse, to);
      if (cond === e.cond && x === e.whenTrue && y === e.whenFalse) return e;
      return b.select(cond === e.cond ? cond : to.simplifyCondition(cond), x, y);
    }
    case "Load": {
      const [index] = e.indices;
      if (!index || e.indices.length > 1) break;
      const at = instantiate(index, to);
      return at === index ? e : b.load(e.buffer, [at]);
    }
  }
  return mapChildren(e, (child) => instantiate(child, to));
}
