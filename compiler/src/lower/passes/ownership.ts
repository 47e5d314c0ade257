/**
 * Which agents keep to elements of their own: two accesses stay with their threads, or with their teams, when no agent touches by
 * them what another touches. Both indices must be the same mixed-radix number of the agents' variables plus something that varies
 * less than the smallest digit, or is a multiple of the whole number's range.
 */
import type { Analyzer } from "../../arith/analyzer.ts";
import type { Atom, VarAtom } from "../../arith/linear.ts";
import { type Team, teamSize, teams } from "../../ir/agent.ts";
import type { Expr, Var } from "../../ir/expr.ts";

/** The elements from an index, or from each lane's of a vector, to `reach` behind it. */
interface Touched {
  readonly index: Expr;
  readonly reach?: number;
}
type ThreadLoop = { readonly loopVar: Var; readonly extent: number };

export class Ownership {
  readonly #analyzer: Analyzer;
  readonly #threads: readonly ThreadLoop[];
  readonly #parts: ReadonlyMap<Team, readonly TeamPart[] | undefined>;

  /** `threads`: loops over threads, outermost first, neighbours in x. */
  constructor(analyzer: Analyzer, threads: readonly ThreadLoop[]) {
    this.#analyzer = analyzer;
    this.#threads = threads;
    this.#parts = new Map(teams.map((team) => [team, teamParts(threads, teamSize[team])]));
  }

  byThread(x: Touched, y: Touched): boolean {
    if (x.reach !== undefined || y.reach !== undefined) return false;
    const extents = this.#threads.map(({ extent }) => extent);
    return areApart(this.#digits(x.index), this.#digits(y.index), extents);
  }

  /** False also for the only team of a block, which is the block. */
  byTeam(team: Team, x: Touched, y: Touched): boolean {
    const parts = this.#parts.get(team);
    if (!parts || parts.every(({ count }) => count === 1)) return false;
    const counts = parts.map(({ count }) => count);
    return areApart(this.#teamDigits(parts, x), this.#teamDigits(parts, y), counts);
  }

  /** The variable that is the number of a thread's team; undefined where no variable is, or there is one team. */
  numberOf(team: Team): ThreadLoop | undefined {
    const several = this.#parts.get(team)?.filter(({ count }) => count > 1) ?? [];
    const [only] = several;
    return several.length === 1 && only?.lanes === 1 ? { loopVar: only.loopVar, extent: only.count } : undefined;
  }

  #teamDigits(parts: readonly TeamPart[], { index, reach = 0 }: Touched): Digits | undefined {
    const l = this.#analyzer.linear(index.kind === "Ramp" ? index.base : index);
    const coefs: number[] = new Array(parts.length).fill(0);
    const rest: Term[] = [{ coef: 1, lo: 0, hi: (index.kind === "Ramp" ? index.lanes : 1) - 1 + reach }];
    for (let i = 0; i < l.atoms.length; i++) {
      const atom = l.atoms[i] as Atom;
      const coef = l.coefs[i] as number;
      const at = parts.findIndex(({ loopVar }) => atom.variables.some(({ variable }) => variable === loopVar));
      let { bounds } = atom;
      if (at >= 0) {
        const part = partOf(atom, parts[at] as TeamPart);
        if (!part || (part.ofTeam !== 0 && (coef < 0 || coefs[at] !== 0))) return undefined;
        coefs[at] = (coefs[at] as number) + coef * part.ofTeam;
        bounds = { lo: 0, hi: part.ofLane };
      }
      rest.push({ coef, ...bounds });
    }
    return { coefs, rest, constant: l.constant };
  }
  /** Coefficients of the thread variables, and everything else; undefined when a thread variable hides in an atom. */
  #digits(index: Expr): Digits | undefined {
    const lanes = index.kind === "Ramp" ? index.lanes : 1;
    const l = this.#analyzer.linear(index.kind === "Ramp" ? index.base : index);
    const coefs: number[] = new Array(this.#threads.length).fill(0);
    const rest: Term[] = [{ coef: 1, lo: 0, hi: lanes - 1 }];
    for (let i = 0; i < l.atoms.length; i++) {
      const atom = l.atoms[i] as Atom;
      const coef = l.coefs[i] as number;
      const thread = atom.kind === "var" ? this.#threads.findIndex((t) => t.loopVar === atom.variable) : -1;
      if (thread >= 0) {
        if (coef < 0) return undefined;
        coefs[thread] = coef;
        continue;
      }
      if (atom.variables.some((v: VarAtom) => this.#threads.some((t) => t.loopVar === v.variable))) return undefined;
      rest.push({ coef, ...atom.bounds });
    }
    return { coefs, rest, constant: l.constant };
  }
}

/** coef * n of a number n in [lo, hi]. */
interface Term {
  readonly coef: number;
  readonly lo: number;
  readonly hi: number;
}
/** A sum of digits, one for each variable of a thread, of other terms and of a constant. */
interface Digits {
  readonly coefs: readonly number[];
  readonly rest: readonly Term[];
  readonly constant: number;
}

/** What a number is besides its digits, modulo `modulus`, which may be infinite. */
function restOf({ rest, constant }: Digits, modulus: number): { readonly lo: number; readonly hi: number } {
  let lo = modulus < Infinity ? constant - Math.floor(constant / modulus) * modulus : constant;
  let hi = lo;
  for (const term of rest) {
    if (term.coef % modulus === 0) continue;
    lo += term.coef * (term.coef > 0 ? term.lo : term.hi);
    hi += term.coef * (term.coef > 0 ? term.hi : term.lo);
  }
  return { lo, hi };
}

/**
 * Whether two such numbers of one form are equal for equal digits only: the rest varies less than the smallest digit. It is
 * enough that this holds modulo the range of the greatest digit: of t * 8 + k * 2048 with t below 256 threads keep to their own.
 */
function areApart(first: Digits | undefined, second: Digits | undefined, extents: readonly number[]): boolean {
  if (!first || !second || first.coefs.some((coef, i) => coef !== second.coefs[i])) return false;
  const digits = extents.map((extent, i) => ({ extent, coef: first.coefs[i] as number })).filter(({ extent }) => extent > 1);
  digits.sort((p, q) => p.coef - q.coef);
  const greatest = digits.at(-1);
  return [Infinity, ...(greatest && greatest.coef > 0 ? [greatest.coef * greatest.extent] : [])].some((modulus) => {
    const [one, other] = [restOf(first, modulus), restOf(second, modulus)];
    let covered = Math.max(one.hi, other.hi) - Math.min(one.lo, other.lo);
    for (const { coef, extent } of digits) {
      if (coef <= covered) return false;
      covered += coef * (extent - 1);
    }
    // So they are less than the modulus apart, and equal modulo it only where they are equal.
    return true;
  });
}

/** A thread variable as the number of a team and of a lane in it: variable = team * lanes + lane. */
interface TeamPart {
  readonly loopVar: Var;
  readonly lanes: number;
  readonly count: number;
}

/** Undefined where teams cut through runs of a variable. */
function teamParts(threads: readonly ThreadLoop[], size: number): readonly TeamPart[] | undefined {
  let stride = 1;
  const parts: TeamPart[] = [];
  for (const { loopVar, extent } of [...threads].reverse()) {
    const lanes = stride >= size ? 1 : Math.min(extent, size / stride);
    if (!Number.isInteger(lanes) || extent % lanes !== 0 || (stride > size && stride % size !== 0)) return undefined;
    parts.unshift({ loopVar, lanes, count: extent / lanes });
    stride *= extent;
  }
  return parts;
}

/**
 * The part of an atom over one thread variable that the team decides, as the coefficient of its number, and the most that the
 * lane adds.
 */
function partOf(
  atom: Atom,
  { loopVar, lanes, count }: TeamPart,
): { readonly ofTeam: number; readonly ofLane: number } | undefined {
  if (atom.kind === "var") return { ofTeam: count > 1 ? lanes : 0, ofLane: lanes - 1 };
  if (atom.kind !== "split" || atom.variables.length !== 1) return undefined;
  if (count === 1) return { ofTeam: 0, ofLane: atom.bounds.hi };
  const { atoms, coefs, constant } = atom.base;
  const [only] = atoms;
  if (atoms.length !== 1 || only?.kind !== "var" || only.variable !== loopVar || coefs[0] !== 1 || constant !== 0)
    return undefined;
  const upper = Math.min(atom.upper, lanes * count);
  if (upper <= lanes && lanes % upper === 0) return { ofTeam: 0, ofLane: Math.ceil(upper / atom.lower) - 1 };
  return atom.lower === lanes && upper === lanes * count ? { ofTeam: 1, ofLane: 0 } : undefined;
}
