/**
 * Canonical integer sums: constant + sum of coefficient * atom, atoms in order of their id within one Analyzer, coefficients
 * never 0. Two sums of one Analyzer are equal exactly when their parts are, so opaque terms (z/14, a min, a load) cancel exactly.
 *
 * An atom is a variable; a split floor(floormod(base, upper) / lower), which is what floordiv (upper infinite) and floormod
 * (lower 1) become, so that the pieces of a fused or split loop find each other again; or any other expression, kept whole.
 */
import type { Expr, Var } from "../ir/expr.ts";
import type { Interval } from "./interval.ts";

interface AtomBase {
  /** Order of first appearance in the Analyzer. */
  readonly id: number;
  readonly bounds: Interval;
  readonly variables: readonly VarAtom[];
}
export interface VarAtom extends AtomBase {
  readonly kind: "var";
  readonly variable: Var;
  /** Place in the order of known ranges; undefined for a variable of unknown range. */
  readonly rank: number | undefined;
}
export interface SplitAtom extends AtomBase {
  readonly kind: "split";
  readonly base: Linear;
  readonly baseKey: string;
  readonly lower: number;
  readonly upper: number;
}
export interface OpaqueAtom extends AtomBase {
  readonly kind: "opaque";
  readonly expr: Expr;
}
export type Atom = VarAtom | SplitAtom | OpaqueAtom;

export interface Linear {
  readonly atoms: readonly Atom[];
  readonly coefs: readonly number[];
  readonly constant: number;
}

const none: readonly never[] = [];
export const constantOf = (constant: number): Linear => ({ atoms: none, coefs: none, constant });
export const zero: Linear = constantOf(0);
export const single = (atom: Atom, coef = 1): Linear => ({ atoms: [atom], coefs: [coef], constant: 0 });
export const isConstant = (l: Linear): boolean => l.atoms.length === 0;
/** The atom when the sum is that atom alone plus a constant. */
export const soleAtom = (l: Linear): Atom | undefined => (l.atoms.length === 1 && l.coefs[0] === 1 ? l.atoms[0] : undefined);

export function shift(l: Linear, by: number): Linear {
  return by === 0 ? l : { atoms: l.atoms, coefs: l.coefs, constant: l.constant + by };
}

export function scaled(l: Linear, k: number): Linear {
  if (k === 1) return l;
  if (k === 0) return zero;
  return { atoms: l.atoms, coefs: l.coefs.map((c) => c * k), constant: l.constant * k + 0 };
}

/** a + k*b. Does not join split pieces that belong together (Analyzer.sum does). */
export function addScaled(a: Linear, b: Linear, k: number): Linear {
  if (b.atoms.length === 0) return shift(a, b.constant * k);
  if (k === 0) return a;
  if (a.atoms.length === 0) return shift(scaled(b, k), a.constant);
  const atoms: Atom[] = [];
  const coefs: number[] = [];
  let i = 0;
  let j = 0;
  while (i < a.atoms.length || j < b.atoms.length) {
    const x = a.atoms[i];
    const y = b.atoms[j];
    if (y === undefined || (x !== undefined && x.id < y.id)) {
      atoms.push(x as Atom);
      coefs.push(a.coefs[i++] as number);
    } else if (x === undefined || y.id < x.id) {
      atoms.push(y);
      coefs.push((b.coefs[j++] as number) * k);
    } else {
      const coef = (a.coefs[i++] as number) + (b.coefs[j++] as number) * k;
      if (coef !== 0) {
        atoms.push(x);
        coefs.push(coef);
      }
    }
  }
  return { atoms, coefs, constant: a.constant + b.constant * k };
}

export function pick(l: Linear, wanted: (coef: number, atom: Atom) => boolean): Linear {
  const atoms: Atom[] = [];
  const coefs: number[] = [];
  for (let i = 0; i < l.atoms.length; i++) {
    const coef = l.coefs[i] as number;
    const atom = l.atoms[i] as Atom;
    if (wanted(coef, atom)) {
      atoms.push(atom);
      coefs.push(coef);
    }
  }
  return atoms.length === l.atoms.length && l.constant === 0 ? l : { atoms, coefs, constant: 0 };
}

export function equalLinear(a: Linear, b: Linear): boolean {
  return (
    a === b ||
    (a.constant === b.constant &&
      a.atoms.length === b.atoms.length &&
      a.atoms.every((atom, i) => atom === b.atoms[i] && a.coefs[i] === b.coefs[i]))
  );
}

export function keyOf(l: Linear): string {
  let key = "";
  for (let i = 0; i < l.atoms.length; i++) key += `${l.coefs[i]}*${(l.atoms[i] as Atom).id}+`;
  return key + l.constant;
}

export function gcd(a: number, b: number): number {
  let x = Math.abs(a);
  let y = Math.abs(b);
  while (y !== 0) [x, y] = [y, x % y];
  return x;
}
export const coefficientGcd = (l: Linear, start = 0): number => l.coefs.reduce(gcd, start);
