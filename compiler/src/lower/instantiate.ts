/**
 * Fixed values for some variables: what unrolling does thousands of times to one statement. Constants that come free in a sum
 * float to its end, where they add up: (a*7 + i) + j with i = 2, j = 3 is a*7 + 5.
 *
 * A load names few of the loops around it, so its copies are few: each is made once and stands in many statements, which compare,
 * walk and print it as one object.
 */
import * as b from "../ir/build.ts";
import type { Expr, Var } from "../ir/expr.ts";
import { mapChildren, walkExpr } from "../ir/visit.ts";

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

interface Axis {
  value: number | undefined;
  /** The number of values plus one: 0 stands for none. */
  readonly radix: number;
}

interface Copies {
  readonly axes: readonly Axis[];
  readonly made: Map<number, Expr>;
}

export class Instantiation {
  readonly #axes = new Map<Var, Axis>();
  readonly #copies = new Map<Expr, Copies>();
  readonly #simplifyCondition: (cond: Expr) => Expr;
  #fixed = 0;

  /** `simplifyCondition` decides conditions, so a border that no lane of a copy crosses disappears. */
  constructor(loops: Iterable<readonly [Var, number]>, simplifyCondition: (cond: Expr) => Expr) {
    for (const [v, extent] of loops) {
      const radix = Math.max(extent + 1, this.#axes.get(v)?.radix ?? 0);
      this.#axes.set(v, { value: undefined, radix });
    }
    this.#simplifyCondition = simplifyCondition;
  }

  get isActive(): boolean {
    return this.#fixed > 0;
  }

  repeat(v: Var, extent: number, copy: () => void): void {
    const axis = this.#axes.get(v) as Axis;
    this.#fixed++;
    for (let i = 0; i < extent; i++) {
      axis.value = i;
      copy();
    }
    axis.value = undefined;
    this.#fixed--;
  }

  /** `e` with the fixed variables' values; `e` itself when it has none of them. */
  readonly expr = (e: Expr): Expr => (this.#fixed === 0 ? e : this.#once(e, this.#whole));
  readonly condition = (cond: Expr): Expr => (this.#fixed === 0 ? cond : this.#once(cond, this.#decided));
  readonly #whole = (e: Expr): Expr => this.#copy(e);
  readonly #decided = (cond: Expr): Expr => this.#simplifyCondition(this.#copy(cond));

  #copiesOf(e: Expr): Copies {
    const known = this.#copies.get(e);
    if (known) return known;
    const axes = new Set<Axis>();
    walkExpr(e, (part) => {
      const axis = part.kind === "Var" ? this.#axes.get(part) : undefined;
      if (axis) axes.add(axis);
    });
    const copies = { axes: [...axes], made: new Map<number, Expr>() };
    this.#copies.set(e, copies);
    return copies;
  }

  #once(e: Expr, make: (e: Expr) => Expr): Expr {
    if (e.kind === "IntImm" || e.kind === "FloatImm" || e.kind === "Var") return make(e);
    const { axes, made } = this.#copiesOf(e);
    let key = 0;
    let fixed = 0;
    for (const { value, radix } of axes) {
      if (value !== undefined) fixed++;
      key = key * radix + (value === undefined ? 0 : value + 1);
    }
    if (fixed === 0) return e;
    // An expression with every loop is never requested again.
    if (fixed === this.#fixed || key > Number.MAX_SAFE_INTEGER) return make(e);
    let copy = made.get(key);
    if (copy === undefined) {
      copy = make(e);
      made.set(key, copy);
    }
    return copy;
  }

  #copy(e: Expr): Expr {
    switch (e.kind) {
      case "IntImm":
      case "FloatImm":
        return e;
      case "Var": {
        const value = this.#axes.get(e)?.value;
        return value === undefined ? e : b.int(value);
      }
      case "Add":
      case "Sub": {
        const x = this.#copy(e.a);
        const y = this.#copy(e.b);
        if (x === e.a && y === e.b) return e;
        return e.kind === "Add" ? plus(x, y) : minus(x, y);
      }
      case "Mul":
      case "FloorDiv":
      case "FloorMod": {
        const x = this.#copy(e.a);
        const y = this.#copy(e.b);
        return x === e.a && y === e.b ? e : b.binary(e.kind, x, y);
      }
      case "Select": {
        const cond = this.#copy(e.cond);
        const x = this.#copy(e.whenTrue);
        const y = this.#copy(e.whenFalse);
        if (cond === e.cond && x === e.whenTrue && y === e.whenFalse) return e;
        return b.select(cond === e.cond ? cond : this.#simplifyCondition(cond), x, y);
      }
      case "Load":
        return this.#once(e, this.#load);
    }
    return mapChildren(e, this.#whole);
  }

  readonly #load = (e: Expr): Expr => mapChildren(e, this.#whole);
}
