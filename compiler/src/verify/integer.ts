/** The value of an index or a condition at given values of the loops; undefined when it depends on more. */
import { entryOf } from "../ir/build.ts";
import type { Expr, Var } from "../ir/expr.ts";

export function integerOf(e: Expr, values: ReadonlyMap<Var, number>): number | undefined {
  switch (e.kind) {
    case "IntImm":
      return e.value;
    case "Var":
      return values.get(e);
    case "Not": {
      const value = integerOf(e.value, values);
      return value === undefined ? undefined : Number(value === 0);
    }
    case "Lookup": {
      const index = integerOf(e.index, values);
      return index === undefined ? undefined : entryOf(e.table, index);
    }
    case "FloatImm":
    case "Cast":
    case "Select":
    case "Load":
    case "Ramp":
    case "Broadcast":
    case "Call":
      return undefined;
    default: {
      const [a, b] = [integerOf(e.a, values), integerOf(e.b, values)];
      return a === undefined || b === undefined ? undefined : operations[e.kind]?.(a, b);
    }
  }
}

const operations: Readonly<Record<string, (a: number, b: number) => number>> = {
  Add: (a, b) => a + b,
  Sub: (a, b) => a - b,
  Mul: (a, b) => a * b,
  FloorDiv: (a, b) => Math.floor(a / b),
  FloorMod: (a, b) => a - b * Math.floor(a / b),
  Min: Math.min,
  Max: Math.max,
  EQ: (a, b) => Number(a === b),
  NE: (a, b) => Number(a !== b),
  LT: (a, b) => Number(a < b),
  LE: (a, b) => Number(a <= b),
  GT: (a, b) => Number(a > b),
  GE: (a, b) => Number(a >= b),
  And: (a, b) => Number(a !== 0 && b !== 0),
  Or: (a, b) => Number(a !== 0 || b !== 0),
};
