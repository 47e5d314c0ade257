/**
 * Facts about some variables, and expressions in canonical form under these facts. One Analyzer has the ranges of one function's
 * loops, and its atoms mean nothing in another. Ranges may be added while it is in use and never change: earlier simplifications
 * stay correct, only weaker.
 */
import type { Buffer } from "../ir/buffer.ts";
import * as b from "../ir/build.ts";
import { exprEqual } from "../ir/equal.ts";
import type { Binary, CompareKind, Expr, Table, Var } from "../ir/expr.ts";
import { mapChildren, walkExpr } from "../ir/visit.ts";
import { comparison, negative } from "./compare.ts";
import { everything, hull, type Interval, range, times } from "./interval.ts";
import { exprKey, serialOf } from "./key.ts";
import {
  type Atom,
  addScaled,
  constantOf,
  isConstant,
  keyOf,
  type Linear,
  type OpaqueAtom,
  pick,
  type SplitAtom,
  scaled,
  shift,
  single,
  soleAtom,
  type VarAtom,
  zero,
} from "./linear.ts";
import { applyFirst, coarsen, type DivisionContext, floorDivRules, floorModRules } from "./rules.ts";

/** Values of variables, as sums, while an expression is read: substitutes without building the expression. */
export type Environment = ReadonlyMap<Var, Linear>;

const rankOf = (atom: Atom): number => atom.variables.reduce((least, v) => Math.min(least, v.rank ?? Infinity), Infinity);

const emptyEnvironment: Environment = new Map();

export class Analyzer implements DivisionContext {
  readonly #variables = new Map<Var, VarAtom>();
  readonly #composites = new Map<string, SplitAtom | OpaqueAtom>();
  readonly #buffers = new Map<Buffer, number>();
  readonly #memo = new Map<Expr, Linear>();
  readonly #sortKeys = new Map<Atom, string>();
  readonly #exprs = new Map<Atom, Expr>();
  #nextId = 0;
  #ranked = 0;

  constructor(ranges: Iterable<readonly [Var, number]> = []) {
    for (const [variable, extent] of ranges) this.declare(variable, extent);
  }

  /** Declares that v runs over [0, extent). The order of declarations is the order of terms in results. */
  declare(v: Var, extent: number): VarAtom {
    return this.#variable(v, range(extent), this.#ranked++);
  }

  #variable(v: Var, bounds: Interval, rank: number | undefined): VarAtom {
    const variables: VarAtom[] = [];
    const atom: VarAtom = { kind: "var", id: this.#nextId++, bounds, variable: v, rank, variables };
    variables.push(atom);
    this.#variables.set(v, atom);
    return atom;
  }

  /** The canonical sum of a variable; one of extent 1 is 0. */
  value(v: Var): Linear {
    const atom = this.#variables.get(v) ?? this.#variable(v, everything, undefined);
    return atom.bounds.hi === 0 && atom.bounds.lo === 0 ? zero : single(atom);
  }

  boundsOf(l: Linear): Interval {
    let lo = l.constant;
    let hi = l.constant;
    for (let i = 0; i < l.atoms.length; i++) {
      const { bounds } = l.atoms[i] as Atom;
      const coef = l.coefs[i] as number;
      lo += coef * (coef > 0 ? bounds.lo : bounds.hi);
      hi += coef * (coef > 0 ? bounds.hi : bounds.lo);
    }
    return { lo, hi };
  }

  /** a + k*b, with the pieces of one split joined: c*(x % m) + c*m*(x / m) is c*x. */
  sum(a: Linear, b: Linear, k = 1): Linear {
    return this.#join(addScaled(a, b, k));
  }

  #join(l: Linear): Linear {
    for (let i = 0; i < l.atoms.length; i++) {
      const low = l.atoms[i] as Atom;
      if (low.kind !== "split" || low.upper === Infinity) continue;
      for (let j = 0; j < l.atoms.length; j++) {
        const high = l.atoms[j] as Atom;
        if (high.kind !== "split" || high.lower !== low.upper) continue;
        const coef = l.coefs[i] as number;
        if (l.coefs[j] !== coef * (low.upper / low.lower)) continue;
        // Also where the low piece needs less of the base: (64*x + y) % 32 is y % 32.
        if (high.baseKey !== low.baseKey && soleAtom(this.split(high.base, low.lower, low.upper)) !== low) continue;
        const rest = { ...pick(l, (_, atom) => atom !== low && atom !== high), constant: l.constant };
        return this.sum(rest, this.split(high.base, low.lower, high.upper), coef);
      }
    }
    return l;
  }

  floorDiv(l: Linear, d: number): Linear {
    if (d < 0) return this.floorDiv(scaled(l, -1), -d);
    if (d === 1) return l;
    const whole = pick(l, (c) => c % d === 0);
    const quotient = Math.floor(l.constant / d);
    const rest = shift(addScaled(l, whole, -1), -quotient * d);
    const outside: Linear = { atoms: whole.atoms, coefs: whole.coefs.map((c) => c / d), constant: quotient };
    if (isConstant(rest)) return outside;
    const value = applyFirst(floorDivRules, rest, d, this);
    if (value) return this.sum(outside, value);
    return this.sum(outside, single(this.#splitAtom(rest, d, Infinity)));
  }

  floorMod(l: Linear, d: number): Linear {
    if (d < 0) return this.sum(l, this.floorDiv(l, d), -d);
    if (d === 1) return zero;
    const whole = pick(l, (c) => c % d === 0);
    const rest = shift(addScaled(l, whole, -1), -Math.floor(l.constant / d) * d);
    if (isConstant(rest)) return rest;
    const value = applyFirst(floorModRules, rest, d, this);
    if (value) return this.#join(value);
    return single(this.#splitAtom(rest, 1, d));
  }

  /** floor((given mod upper) / lower) */
  split(given: Linear, lower: number, upper: number): Linear {
    if (upper === Infinity) return this.floorDiv(given, lower);
    if (lower === 1) return this.floorMod(given, upper);
    const whole = pick(given, (c) => c % upper === 0);
    const base = whole.atoms.length === 0 ? given : addScaled(given, whole, -1);
    const bounds = this.boundsOf(base);
    const block = Math.floor(bounds.lo / upper);
    if (block === Math.floor(bounds.hi / upper)) return this.floorDiv(shift(base, -block * upper), lower);
    // In the units that floorDiv and floorMod choose, so that pieces of one value are recognized.
    const parts = coarsen(base, lower, this);
    return parts ? this.split(parts.coarse, lower / parts.g, upper / parts.g) : single(this.#splitAtom(base, lower, upper));
  }

  #splitAtom(base: Linear, lower: number, upper: number): SplitAtom {
    const baseKey = keyOf(base);
    const key = `${baseKey}/${lower}%${upper}`;
    const known = this.#composites.get(key);
    if (known) return known as SplitAtom;
    const inner = this.boundsOf(base);
    const bounds =
      upper === Infinity
        ? { lo: Math.floor(inner.lo / lower), hi: Math.floor(inner.hi / lower) }
        : { lo: 0, hi: upper / lower - 1 };
    const [only, more] = base.atoms;
    const variables = only && !more ? only.variables : [...new Set(base.atoms.flatMap((atom) => atom.variables))];
    const atom: SplitAtom = { kind: "split", id: this.#nextId++, bounds, variables, base, baseKey, lower, upper };
    this.#composites.set(key, atom);
    return atom;
  }

  linear(e: Expr, env: Environment = emptyEnvironment): Linear {
    if (e.kind === "IntImm") return constantOf(e.value);
    if (e.kind === "Var") return env.get(e) ?? this.value(e);
    if (env.size > 0) return this.#read(e, env);
    let l = this.#memo.get(e);
    if (!l) {
      l = this.#read(e, env);
      this.#memo.set(e, l);
    }
    return l;
  }

  #read(e: Expr, env: Environment): Linear {
    switch (e.kind) {
      case "Add":
        return this.sum(this.linear(e.a, env), this.linear(e.b, env));
      case "Sub":
        return this.sum(this.linear(e.a, env), this.linear(e.b, env), -1);
      case "Mul":
        return this.#product(this.linear(e.a, env), this.linear(e.b, env));
      case "FloorDiv":
      case "FloorMod": {
        const a = this.linear(e.a, env);
        const d = this.linear(e.b, env);
        if (!isConstant(d) || d.constant === 0) return this.#opaqueBinary(e, a, d, everything);
        return e.kind === "FloorDiv" ? this.floorDiv(a, d.constant) : this.floorMod(a, d.constant);
      }
      case "Min":
      case "Max": {
        const a = this.linear(e.a, env);
        const c = this.linear(e.b, env);
        return this.#extreme(e, a, c);
      }
      case "Select": {
        const cond = this.simplify(e.cond, env);
        const yes = this.linear(e.whenTrue, env);
        const no = this.linear(e.whenFalse, env);
        if (b.isTrue(cond)) return yes;
        if (b.isFalse(cond)) return no;
        const bounds = hull(this.boundsOf(yes), this.boundsOf(no));
        return this.#join(single(this.#opaque(b.select(cond, this.expr(yes), this.expr(no)), bounds)));
      }
      case "Lookup":
        return this.lookup(e.table, this.linear(e.index, env));
      default:
        return single(this.#opaque(this.#simplifyParts(e, env), everything));
    }
  }

  #product(x: Linear, y: Linear): Linear {
    if (isConstant(y)) return scaled(x, y.constant);
    if (isConstant(x)) return scaled(y, x.constant);
    const [first, second] = [this.expr(x), this.expr(y)];
    const inOrder = exprKey(first, this.#sortNaming) <= exprKey(second, this.#sortNaming);
    const product = inOrder ? b.mul(first, second) : b.mul(second, first);
    return single(this.#opaque(product, times(this.boundsOf(x), this.boundsOf(y))));
  }

  lookup(table: Table, index: Linear): Linear {
    if (isConstant(index)) return constantOf(b.entryOf(table, index.constant));
    const inside = { lo: Math.min(...table.values), hi: Math.max(...table.values) };
    const { lo, hi } = this.boundsOf(index);
    const bounds = lo >= 0 && hi < table.values.length ? inside : hull(inside, { lo, hi });
    return single(this.#opaque(b.lookup(table, this.expr(index)), bounds));
  }

  #extreme(e: Binary, x: Linear, y: Linear): Linear {
    const difference = this.boundsOf(this.sum(x, y, -1));
    if (difference.hi <= 0) return e.kind === "Min" ? x : y;
    if (difference.lo >= 0) return e.kind === "Min" ? y : x;
    const [p, q] = [this.boundsOf(x), this.boundsOf(y)];
    const pickEnd = e.kind === "Min" ? Math.min : Math.max;
    return this.#opaqueBinary(e, x, y, { lo: pickEnd(p.lo, q.lo), hi: pickEnd(p.hi, q.hi) });
  }

  #opaqueBinary(e: Binary, x: Linear, y: Linear, bounds: Interval): Linear {
    const expr: Expr = { kind: e.kind, dtype: e.dtype, a: this.expr(x), b: this.expr(y) };
    return single(this.#opaque(expr, bounds));
  }

  #opaque(expr: Expr, bounds: Interval): OpaqueAtom {
    const key = exprKey(expr, this.#idNaming);
    const known = this.#composites.get(key);
    if (known) return known as OpaqueAtom;
    const variables = new Set<VarAtom>();
    walkExpr(expr, (part) => {
      if (part.kind === "Var" && part.dtype === "int32")
        for (const atom of this.value(part).atoms) variables.add(atom as VarAtom);
    });
    const atom: OpaqueAtom = { kind: "opaque", id: this.#nextId++, bounds, variables: [...variables], expr };
    this.#composites.set(key, atom);
    return atom;
  }

  #bufferId(buffer: Buffer): number {
    let id = this.#buffers.get(buffer);
    if (id === undefined) {
      id = this.#buffers.size;
      this.#buffers.set(buffer, id);
    }
    return id;
  }

  readonly #idNaming = {
    variable: (v: Var) => (this.#variables.get(v) ?? this.#variable(v, everything, undefined)).id,
    buffer: (buffer: Buffer) => this.#bufferId(buffer),
  };
  /** Independent of the order in which atoms were met, so simplifying again gives the same order. */
  readonly #sortNaming = {
    variable: (v: Var) => {
      const rank = this.#variables.get(v)?.rank;
      return rank === undefined ? `~${v.name}#${serialOf(v)}` : String(rank).padStart(4, "0");
    },
    buffer: (buffer: Buffer) => buffer.name,
  };

  /** The expression of a sum: positive terms, then negative ones, then the constant. */
  expr(l: Linear): Expr {
    if (isConstant(l)) return b.int(l.constant);
    const order = l.atoms.map((_, i) => i);
    if (order.length > 1) order.sort((i, j) => this.compareAtoms(l.atoms[i] as Atom, l.atoms[j] as Atom));
    let constant = l.constant;
    let text: Expr | undefined;
    for (const i of order) {
      const coef = l.coefs[i] as number;
      if (coef > 0) {
        const term = b.mul(this.#atomExpr(l.atoms[i] as Atom), b.int(coef));
        text = text ? b.add(text, term) : term;
      }
    }
    if (!text && constant > 0) {
      text = b.int(constant);
      constant = 0;
    }
    for (const i of order) {
      const coef = l.coefs[i] as number;
      if (coef < 0) {
        const atom = this.#atomExpr(l.atoms[i] as Atom);
        text = text ? b.sub(text, b.mul(atom, b.int(-coef))) : b.mul(atom, b.int(coef));
      }
    }
    const sum = text as Expr;
    return constant < 0 ? b.sub(sum, b.int(-constant)) : b.add(sum, b.int(constant));
  }

  /** By the first variable inside; plain variables come before compound atoms. */
  compareAtoms(x: Atom, y: Atom): number {
    const [i, j] = [rankOf(x), rankOf(y)];
    if (i !== j) return i < j ? -1 : 1;
    if (x.kind !== y.kind && (x.kind === "var" || y.kind === "var")) return x.kind === "var" ? -1 : 1;
    const [p, q] = [this.#sortKey(x), this.#sortKey(y)];
    return p < q ? -1 : p > q ? 1 : 0;
  }

  #sortKey(atom: Atom): string {
    let key = this.#sortKeys.get(atom);
    if (key === undefined) {
      key = exprKey(this.#atomExpr(atom), this.#sortNaming);
      this.#sortKeys.set(atom, key);
    }
    return key;
  }

  #atomExpr(atom: Atom): Expr {
    if (atom.kind === "var") return atom.variable;
    if (atom.kind === "opaque") return atom.expr;
    let e = this.#exprs.get(atom);
    if (!e) {
      e = this.expr(atom.base);
      if (atom.lower !== 1) e = b.floorDiv(e, b.int(atom.lower));
      if (atom.upper !== Infinity) e = b.floorModulo(e, b.int(atom.upper / atom.lower));
      this.#exprs.set(atom, e);
    }
    return e;
  }

  simplify(e: Expr, env: Environment = emptyEnvironment): Expr {
    switch (e.kind) {
      case "IntImm":
      case "FloatImm":
        return e;
      case "Var":
        return e.dtype === "int32" ? this.#unlessEqual(e, this.expr(this.linear(e, env))) : e;
      case "EQ":
      case "NE":
      case "LT":
      case "LE":
      case "GT":
      case "GE":
        if (e.a.dtype !== "int32") return this.#simplifyParts(e, env);
        return this.#unlessEqual(e, comparison(this, e.kind, this.sum(this.linear(e.a, env), this.linear(e.b, env), -1)));
      case "And":
      case "Or":
        return this.#logic(e, env);
      case "Not":
        return this.#negation(e, this.simplify(e.value, env));
      default:
        if (e.dtype === "int32") return this.#unlessEqual(e, this.expr(this.linear(e, env)));
        return this.#simplifyParts(e, env);
    }
  }

  #unlessEqual(before: Expr, after: Expr): Expr {
    return exprEqual(before, after) ? before : after;
  }

  #simplifyParts(e: Expr, env: Environment): Expr {
    const made = mapChildren(e, (child) => this.simplify(child, env));
    return made.kind === "Select" && exprEqual(made.whenTrue, made.whenFalse) ? made.whenTrue : made;
  }

  #logic(e: Binary, env: Environment): Expr {
    const x = this.simplify(e.a, env);
    const y = this.simplify(e.b, env);
    if (exprEqual(x, y)) return x;
    if (x === e.a && y === e.b) return e;
    return e.kind === "And" ? b.and(x, y) : b.or(x, y);
  }

  #negation(e: Expr, value: Expr): Expr {
    if (value.kind === "Not") return value.value;
    const flipped = ({ EQ: "NE", NE: "EQ", LT: "GE", GE: "LT", LE: "GT", GT: "LE" } as const)[value.kind as CompareKind];
    if (flipped !== undefined && "a" in value && value.a.dtype === "int32")
      return this.simplify(b.compare(flipped, value.a, value.b));
    return e.kind === "Not" && e.value === value ? e : b.not(value);
  }

  /** l < limit, as a condition in canonical form. */
  below(l: Linear, limit: number): Expr {
    return negative(this, shift(l, -limit));
  }
}
