/**
 * Division and remainder of canonical sums, as two tables. The first rule that applies wins. Every rule is an identity over the
 * integers with rounding towards minus infinity. In all of them d > 1, the sum has at least one atom, no coefficient is a
 * multiple of d, and 0 <= constant < d (the driver in analyzer.ts takes whole multiples out first).
 */
import { blockOf, type Interval } from "./interval.ts";
import { addScaled, coefficientGcd, gcd, type Linear, pick, scaled, shift, soleAtom } from "./linear.ts";

export interface DivisionContext {
  boundsOf(l: Linear): Interval;
  floorDiv(l: Linear, d: number): Linear;
  floorMod(l: Linear, d: number): Linear;
  /** floor(floormod(base, upper) / lower) */
  split(base: Linear, lower: number, upper: number): Linear;
}

interface DivisionRule {
  readonly name: string;
  readonly apply: (l: Linear, d: number, context: DivisionContext) => Linear | undefined;
}

let observer: ((rule: string) => void) | undefined;

/** Runs `run` and calls `told` with the name of each rule that applies meanwhile, for debugging. */
export function observeRules<T>(told: (rule: string) => void, run: () => T): T {
  const outer = observer;
  observer = told;
  try {
    return run();
  } finally {
    observer = outer;
  }
}

export function applyFirst(rules: readonly DivisionRule[], l: Linear, d: number, context: DivisionContext): Linear | undefined {
  for (const rule of rules) {
    const value = rule.apply(l, d, context);
    if (value === undefined) continue;
    observer?.(rule.name);
    return value;
  }
  return undefined;
}

const dividedBy = (l: Linear, g: number): Linear => ({
  atoms: l.atoms,
  coefs: l.coefs.map((c) => c / g),
  constant: Math.floor(l.constant / g),
});

/**
 * A common factor g > 1 of d and some terms, such that the remaining terms and the constant stay within one block of g:
 * l = g*coarse + fine with 0 <= fine < g. The largest such g.
 */
export function coarsen(l: Linear, d: number, context: DivisionContext): { g: number; coarse: Linear; fine: Linear } | undefined {
  const candidates = [...new Set(l.coefs.map((c) => gcd(c, d)))].filter((g) => g > 1).sort((a, b) => b - a);
  for (const g of candidates) {
    const big = pick(l, (c) => c % g === 0);
    const small = addScaled(l, big, -1);
    const block = blockOf(context.boundsOf(small), g);
    if (block !== undefined) return { g, coarse: shift(dividedBy(big, g), block), fine: shift(small, -block * g) };
  }
  return undefined;
}

export const floorDivRules: readonly DivisionRule[] = [
  {
    // every value lies in one block of d
    name: "div-in-one-block",
    apply: (l, d, context) => {
      const block = blockOf(context.boundsOf(l), d);
      return block === undefined ? undefined : { atoms: [], coefs: [], constant: block };
    },
  },
  {
    // (g*x + r) / (g*d) -> (x + r/g) / d
    name: "div-common-factor",
    apply: (l, d, context) => {
      const g = coefficientGcd(l, d);
      return g > 1 ? context.floorDiv(dividedBy(l, g), d / g) : undefined;
    },
  },
  {
    // (g*x + y) / (g*d) -> x / d   when 0 <= y < g
    name: "div-fine-part",
    apply: (l, d, context) => {
      const parts = coarsen(l, d, context);
      return parts && context.floorDiv(parts.coarse, d / parts.g);
    },
  },
  {
    // (x/a + k) / d -> (x + k*a) / (a*d)        (x % u / a) / d -> x % u / (a*d)
    name: "div-of-split",
    apply: (l, d, context) => {
      const atom = soleAtom(l);
      if (atom?.kind !== "split") return undefined;
      const { base, lower, upper } = atom;
      if (upper === Infinity) return context.floorDiv(shift(base, l.constant * lower), lower * d);
      if (l.constant !== 0 || (upper / lower) % d !== 0) return undefined;
      return context.floorMod(context.floorDiv(base, lower * d), upper / (lower * d));
    },
  },
];

export const floorModRules: readonly DivisionRule[] = [
  {
    name: "mod-in-one-block",
    apply: (l, d, context) => {
      const block = blockOf(context.boundsOf(l), d);
      return block === undefined ? undefined : shift(l, -block * d);
    },
  },
  {
    // (g*x + r) % (g*d) -> g*((x + r/g) % d) + r%g
    name: "mod-common-factor",
    apply: (l, d, context) => {
      const g = coefficientGcd(l, d);
      return g > 1 ? shift(scaled(context.floorMod(dividedBy(l, g), d / g), g), l.constant % g) : undefined;
    },
  },
  {
    // (g*x + y) % (g*d) -> g*(x % d) + y   when 0 <= y < g
    name: "mod-fine-part",
    apply: (l, d, context) => {
      const parts = coarsen(l, d, context);
      return parts && addScaled(parts.fine, context.floorMod(parts.coarse, d / parts.g), parts.g);
    },
  },
  {
    // (x/a) % d -> x % (a*d) / a          x % u % d -> x % d   when d divides u
    name: "mod-of-split",
    apply: (l, d, context) => {
      const atom = soleAtom(l);
      if (atom?.kind !== "split" || l.constant !== 0) return undefined;
      const { base, lower, upper } = atom;
      if (upper !== Infinity && (upper / lower) % d !== 0) return undefined;
      return lower === 1 ? context.floorMod(base, d) : context.split(base, lower, lower * d);
    },
  },
];
