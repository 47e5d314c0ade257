/**
 * How far an index moves when a loop's variable moves by one, the way AutoTVM's IndexParser sees it (TVM 0.17
 * touch_extractor.cc): it walks the index from left to right, takes `variable * constant` for a stride wherever it stands, and
 * counts each variable once, where it is first met; a multiplier whose variable has been met already stays for the next new one.
 * So
 *
 *   (x*6 + y)/9*81 + (x*6 + y)%9   ->   x: 6, y: 1
 *   (x*31 + y)/27*49 + (x*31 + y)%27/3*7 + z   ->   x: 31, y: 1, z: 4, which the text `(x*4 + y)%27` before it left
 *
 * Left to right is TVM's order of a canonical sum (canonical_simplify.cc): by descending coefficient, of equal ones by what a
 * split divides by, then by what it is the remainder of; a negative one is subtracted. Within a remainder, coefficients are
 * remainders too (rewrite_simplify.cc).
 */
import type { Analyzer } from "../arith/analyzer.ts";
import type { Atom, Linear } from "../arith/linear.ts";
import type { Expr, Var } from "../ir/expr.ts";
import { children } from "../ir/visit.ts";

interface Term {
  readonly atom: Atom;
  readonly coef: number;
}

const lowerOf = ({ atom }: Term): number => (atom.kind === "split" ? atom.lower : 1);
const upperOf = ({ atom }: Term): number => (atom.kind === "split" ? atom.upper : Infinity);
const descending = (x: number, y: number): number => (x === y ? 0 : y - x);

export class FirstStrides {
  readonly strides = new Map<Var, number>();
  readonly #analyzer: Pick<Analyzer, "compareAtoms">;
  #next = 1;

  constructor(analyzer: Pick<Analyzer, "compareAtoms">) {
    this.#analyzer = analyzer;
  }

  read(index: Linear): ReadonlyMap<Var, number> {
    this.strides.clear();
    this.#next = 1;
    this.#sum(index, Infinity);
    return this.strides;
  }

  #sum({ atoms, coefs }: Linear, modulus: number): void {
    const terms = atoms.map((atom, i): Term => ({ atom, coef: coefs[i] as number }));
    const inOrder = terms.sort(
      (x, y) =>
        descending(x.coef, y.coef) ||
        descending(lowerOf(x), lowerOf(y)) ||
        descending(upperOf(x), upperOf(y)) ||
        this.#analyzer.compareAtoms(x.atom, y.atom),
    );
    for (const { atom, coef } of inOrder) this.#term(atom, Math.abs(modulus === Infinity ? coef : coef % modulus));
  }

  #term(atom: Atom, coef: number): void {
    if (atom.kind === "split") this.#sum(atom.base, atom.upper);
    else if (atom.kind === "opaque") this.#walk(atom.expr);
    else {
      if (coef !== 1) this.#next = coef;
      this.#variable(atom.variable);
    }
  }

  #variable(v: Var): void {
    if (this.strides.has(v)) return;
    this.strides.set(v, this.#next);
    this.#next = 1;
  }

  #walk(e: Expr): void {
    if (e.kind === "Var") this.#variable(e);
    else {
      if (e.kind === "Mul" && e.a.kind === "Var" && e.b.kind === "IntImm") this.#next = e.b.value;
      for (const child of children(e)) this.#walk(child);
    }
  }
}
