/**
 * Ways to split an axis into `parts` loops that cover it exactly (AutoTVM's SplitSpace, policy `factors`;
 * docs/reference/autotvm.md 1.1, 1.2).
 *
 * An entry is `[-1, a, b, ...]`, outermost first; -1 is "the rest" and stays unresolved, in logs too. Order: nested loops over
 * the ascending divisors of the extent whose values are written in reverse nesting order, so the number right after -1 changes
 * fastest. Entries whose product does not divide the extent are left out. `maxFactor` bounds single numbers, `filter` whole
 * entries.
 */
import { defined, invariant, type Random } from "@warpfarm/common";
import { checkKnobName, SpaceError } from "../config-space.ts";
import type { Knob } from "../knob.ts";

export type SplitSizes = readonly number[];

export interface KnobAxis<Loop = unknown> {
  readonly loop: Loop;
  readonly extent: number;
}

export interface SplitOptions {
  readonly parts: number;
  readonly maxFactor?: number;
  readonly filter?: (sizes: SplitSizes) => boolean;
  /** The sizes of configs that were written before this knob was added. */
  readonly absent?: SplitSizes;
}

export interface SplitKnob<Loop = unknown> extends Knob<SplitSizes> {
  readonly kind: "sp";
  readonly axis: KnobAxis<Loop>;
  readonly parts: number;
}

export function splitKnob<Loop>(name: string, axis: KnobAxis<Loop>, options: SplitOptions): SplitKnob<Loop> {
  checkKnobName("split", name);
  const { parts, absent } = options ?? {};
  if (!Number.isSafeInteger(axis?.extent) || axis.extent < 1)
    throw new SpaceError(
      `split ${name} is of ${axis === undefined ? "no loop" : `an extent of ${axis.extent}`}; it takes a loop of the schedule`,
    );
  if (!Number.isSafeInteger(parts) || parts < 2)
    throw new SpaceError(`split ${name} is into ${parts} parts; it takes an integer of at least 2`);
  const entries = enumerate(axis.extent, options);
  if (entries.length === 0)
    throw new SpaceError(
      `split ${name} has no entry for an extent of ${axis.extent}: its maxFactor or filter refuses all; allow one or more`,
    );
  const digits = new Map(entries.map((sizes, digit) => [sizes.join(), digit]));
  if (absent !== undefined && !digits.has(absent.join()))
    throw new SpaceError(
      `split ${name} has no entry ${JSON.stringify(absent)}, which \`absent\` names; its first is ${JSON.stringify(entries[0])}`,
    );
  const entry = (digit: number): SplitSizes => {
    const sizes = entries[digit];
    invariant(sizes !== undefined, `digit ${digit} of ${name}, which has ${entries.length} entries`);
    return sizes;
  };
  return {
    name,
    kind: "sp",
    axis,
    parts,
    size: entries.length,
    decode: entry,
    find: (value) => (Array.isArray(value) && value.every(Number.isInteger) ? digits.get(value.join()) : undefined),
    features: entry,
    neighbours: (digit) => neighbours(entry(digit), axis.extent, digits),
    random: (random: Random) => random.below(entries.length),
    ...defined({ absent }),
  };
}

export function divisors(n: number): readonly number[] {
  invariant(Number.isSafeInteger(n) && n >= 1, `divisors of ${n}`);
  const low: number[] = [];
  const high: number[] = [];
  for (let d = 1; d * d <= n; d++) {
    if (n % d !== 0) continue;
    low.push(d);
    if (d * d !== n) high.push(n / d);
  }
  return [...low, ...high.reverse()];
}

function enumerate(extent: number, { parts, maxFactor = Number.POSITIVE_INFINITY, filter }: SplitOptions): readonly SplitSizes[] {
  const factors = divisors(extent).filter((f) => f <= maxFactor);
  const entries: SplitSizes[] = [];
  /** Chooses the last number in the outermost loop; `inner` grows towards the front. */
  const choose = (rest: number, inner: readonly number[]): void => {
    if (inner.length === parts - 1) {
      const sizes = [-1, ...inner];
      if (filter === undefined || filter(sizes)) entries.push(sizes);
      return;
    }
    for (const f of factors) if (rest % f === 0) choose(rest / f, [f, ...inner]);
  };
  choose(extent, []);
  return entries;
}

/** Entries with one prime factor moved from one part to another, the outermost part included. */
function neighbours(sizes: SplitSizes, extent: number, digits: ReadonlyMap<string, number>): readonly number[] {
  const inner = sizes.slice(1);
  const full = [extent / inner.reduce((a, b) => a * b, 1), ...inner];
  const found = new Set<number>();
  for (const [from, size] of full.entries()) {
    for (const p of primeFactors(size)) {
      for (const to of full.keys()) {
        if (to === from) continue;
        const moved = full.map((s, i) => (i === from ? s / p : i === to ? s * p : s));
        const digit = digits.get([-1, ...moved.slice(1)].join());
        if (digit !== undefined) found.add(digit);
      }
    }
  }
  return [...found].sort((a, b) => a - b);
}

function primeFactors(n: number): readonly number[] {
  return divisors(n).filter((d) => d > 1 && divisors(d).length === 2);
}
