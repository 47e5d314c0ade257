/**
 * A barrier wherever one thread may touch shared memory that another has touched since the last barrier.
 *
 * Each statement is summarised by the memory that it touches before its first barrier (head) and after its last one (tail). A
 * sequence gets a barrier before a statement whose head conflicts with the accesses since the last barrier. A loop body whose
 * head conflicts with its own tail (the next iteration overwrites what this one still reads) gets one before its first
 * conflicting statement. A barrier never goes inside a statement that could carry it before: `copy; barrier; compute; barrier`
 * in every program of the tutorials.
 *
 * Read after write and write after read conflict. Write after write does not. One stage writes a buffer, so two writes to an
 * element have one value, unless a read stands between them, and that read has its barriers. Two accesses do not conflict when
 * each thread provably keeps to elements of its own, or when in one iteration of the loops around both they provably never meet
 * (halves of a doubled array). Where each warp provably keeps to elements of its own, its threads alone meet: a barrier of the
 * warp, which orders nothing between warps. Source: docs/reference/source-programs.md 6.7; TVM's thread storage sync.
 */
import type { Analyzer } from "../../arith/analyzer.ts";
import { type Atom, type Linear, pick, type SplitAtom, type VarAtom } from "../../arith/linear.ts";
import { teamSize } from "../../ir/agent.ts";
import type { Buffer } from "../../ir/buffer.ts";
import * as b from "../../ir/build.ts";
import type { Expr, Var } from "../../ir/expr.ts";
import type { Barrier, For, Stmt } from "../../ir/stmt.ts";
import { substitute, walkStmt } from "../../ir/visit.ts";
import { analyzerFor, isThreadIdx } from "../loops.ts";
import { definePass, withBody } from "../pass.ts";
import { rootNests } from "./lower-threads.ts";
import { type Access, type Accesses, accessesOf, none, union } from "./shared-accesses.ts";

type Agent = Barrier["agent"];

function where({ loopVar }: For, is: Expr, { reads, writes }: Accesses): Accesses {
  const map = new Map([[loopVar, is]]);
  const moved = (a: readonly Access[]) => a.map((access) => ({ ...access, index: substitute(access.index, map) }));
  return { reads: moved(reads), writes: moved(writes) };
}

/** What a loop's end has touched, seen from the next iteration's beginning. */
function carried(loop: For, { tail, hasBarrier }: Summary): Accesses {
  if (hasBarrier) return where(loop, b.sub(loop.loopVar, b.int(1)), tail);
  const old = (a: readonly Access[]) => a.map((access): Access => ({ ...access, isCarried: true }));
  return { reads: old(tail.reads), writes: old(tail.writes) };
}

/** A loop as a whole. Where a barrier parts iterations, the first one begins and the last one ends it. */
function summed(loop: For, stmt: Stmt, { head, tail, hasBarrier }: Summary): Summary {
  if (!hasBarrier || loop.forKind === "bound") return { stmt, head, tail, hasBarrier };
  return { stmt, head: where(loop, b.int(0), head), tail: where(loop, b.int(loop.extent - 1), tail), hasBarrier };
}

function met({ reads, writes }: Accesses): Accesses {
  const all = (a: readonly Access[]) => a.map((access): Access => (access.isMet ? access : { ...access, isMet: true }));
  return { reads: all(reads), writes: all(writes) };
}

interface Summary {
  readonly stmt: Stmt;
  /** Accesses before the first barrier of the block, and after the last; all of them when there is none. */
  readonly head: Accesses;
  readonly tail: Accesses;
  readonly hasBarrier: boolean;
}

class BarrierInsertion {
  readonly #analyzer: Analyzer;
  readonly #inChannels = new Set<Buffer>();
  readonly #threads: readonly { readonly loopVar: Var; readonly extent: number }[];
  readonly warps: readonly WarpPart[] | undefined;
  /** Variables with one value in both of two accesses of a block: of blocks, and of the loops around both. */
  readonly #common = new Set<Var>();

  constructor(nest: Stmt) {
    this.#analyzer = analyzerFor(nest);
    const threads: { loopVar: Var; extent: number }[] = [];
    walkStmt(nest, (s) => {
      if (s.kind === "For" && isThreadIdx(s.thread) && s.extent > 1) threads.push(s);
    });
    walkStmt(nest, (s) => {
      if (s.kind === "AllocChannel") for (const buffer of s.channel.buffers) this.#inChannels.add(buffer);
    });
    this.#threads = threads;
    this.warps = warpParts(threads);
  }

  run(s: Stmt): Summary {
    switch (s.kind) {
      case "Seq":
        return this.#sequence(
          s.stmts.map((child) => this.run(child)),
          none,
        );
      case "If": {
        const body = this.run(s.body);
        const tested = accessesOf(s);
        return {
          stmt: body.stmt === s.body ? s : { ...s, body: body.stmt },
          head: union(tested, body.head),
          // The body may be skipped, its barriers with it.
          tail: union(tested, union(body.head, body.tail)),
          hasBarrier: false,
        };
      }
      case "For": {
        if (!isThreadIdx(s.thread)) this.#common.add(s.loopVar);
        const body = this.run(s.body);
        const before = carried(s, body);
        const isCarried = s.forKind !== "bound" && s.extent > 1 && this.#conflict(before, body.head) !== undefined;
        const safe = isCarried ? this.#separate(body.stmt, before) : body;
        this.#common.delete(s.loopVar);
        return summed(s, safe.stmt === s.body ? s : { ...s, body: safe.stmt }, safe);
      }
      case "Roles": {
        // The producer touches nothing but channels.
        const body = this.run(s.consumers);
        return { ...body, stmt: body.stmt === s.consumers ? s : { ...s, consumers: body.stmt } };
      }
      default: {
        if (!("body" in s)) {
          const accesses = accessesOf(s);
          return { stmt: s, head: accesses, tail: accesses, hasBarrier: s.kind === "Barrier" && s.agent === "block" };
        }
        const body = this.run(s.body);
        return { ...body, stmt: body.stmt === s.body ? s : { ...s, body: body.stmt } };
      }
    }
  }

  #sequence(parts: readonly Summary[], before: Accesses): Summary {
    const stmts: Stmt[] = [];
    let since = before;
    let head = none;
    let hasBarrier = false;
    for (const part of parts) {
      const agent = this.#conflict(since, part.head);
      if (agent === "block") {
        stmts.push(b.barrier);
        since = none;
        hasBarrier = true;
      } else if (agent === "warp") {
        stmts.push(b.warpBarrier);
        since = met(since);
      }
      stmts.push(part.stmt);
      if (part.stmt.kind === "Barrier" && part.stmt.agent === "warp") since = met(since);
      if (!hasBarrier) head = union(head, part.head);
      hasBarrier ||= part.hasBarrier;
      since = part.hasBarrier ? part.tail : union(since, part.tail);
    }
    return { stmt: b.seq(stmts), head, tail: since, hasBarrier };
  }

  #separate(body: Stmt, before: Accesses): Summary {
    const stmts = body.kind === "Seq" ? body.stmts : [body];
    return this.#sequence(
      stmts.map((child) => this.run(child)),
      before,
    );
  }

  #conflict(before: Accesses, after: Accesses): Agent | undefined {
    const agents = [this.#clash(before.writes, after.reads), this.#clash(before.reads, after.writes)];
    return agents.includes("block") ? "block" : agents.includes("warp") ? "warp" : undefined;
  }
  #clash(xs: readonly Access[], ys: readonly Access[]): Agent | undefined {
    let found: Agent | undefined;
    for (const x of xs)
      for (const y of ys) {
        // The copy engine's slots are ordered by their channel, not by barriers.
        if (this.#inChannels.has(x.buffer)) continue;
        if (x.buffer !== y.buffer || this.#staysWithItsThread(x, y) || this.#neverMeet(x, y)) continue;
        if (!this.#staysWithItsWarp(x, y)) return "block";
        if (!x.isMet) found = "warp";
      }
    return found;
  }

  #neverMeet(x: Access, y: Access): boolean {
    if (x.isCarried || y.isCarried) return false;
    const [first, second] = [this.#parts(x), this.#parts(y)];
    const distance = this.#analyzer.sum(first.common, second.common, -1);
    return valuesOf(distance)?.every((by) => first.lo + by > second.hi || first.hi + by < second.lo) ?? false;
  }
  #parts({ index, reach = 0 }: Access): { readonly common: Linear; readonly lo: number; readonly hi: number } {
    const l = this.#analyzer.linear(index.kind === "Ramp" ? index.base : index);
    const common = pick(l, (_, atom) => atom.variables.every((v) => this.#common.has(v.variable)));
    const rest = this.#analyzer.boundsOf(this.#analyzer.sum(l, { ...common, constant: l.constant }, -1));
    const lanes = index.kind === "Ramp" ? index.lanes : 1;
    return { common: { ...common, constant: l.constant }, lo: rest.lo, hi: rest.hi + lanes - 1 + reach };
  }

  /**
   * Whether no thread touches by these accesses what another touches. Both indices must be the same mixed-radix number of the
   * thread variables plus something that varies less than the smallest digit, or is a multiple of the whole number's range.
   */
  #staysWithItsThread(x: Access, y: Access): boolean {
    if (x.reach !== undefined || y.reach !== undefined) return false;
    const first = this.#digits(x.index);
    const second = this.#digits(y.index);
    return areApart(
      first,
      second,
      this.#threads.map(({ extent }) => extent),
    );
  }

  #staysWithItsWarp(x: Access, y: Access): boolean {
    const { warps } = this;
    // With one warp, the warp is the block.
    if (!warps || warps.every(({ count }) => count === 1)) return false;
    return areApart(
      this.#warpDigits(x),
      this.#warpDigits(y),
      warps.map(({ count }) => count),
    );
  }
  #warpDigits({ index, reach = 0 }: Access): Digits | undefined {
    const warps = this.warps as readonly WarpPart[];
    const l = this.#analyzer.linear(index.kind === "Ramp" ? index.base : index);
    const coefs: number[] = new Array(warps.length).fill(0);
    const rest: Term[] = [{ coef: 1, lo: 0, hi: (index.kind === "Ramp" ? index.lanes : 1) - 1 + reach }];
    for (let i = 0; i < l.atoms.length; i++) {
      const atom = l.atoms[i] as Atom;
      const coef = l.coefs[i] as number;
      const at = warps.findIndex(({ loopVar }) => atom.variables.some(({ variable }) => variable === loopVar));
      let { bounds } = atom;
      if (at >= 0) {
        const part = partOf(atom, warps[at] as WarpPart);
        if (!part || (part.ofWarp !== 0 && (coef < 0 || coefs[at] !== 0))) return undefined;
        coefs[at] = (coefs[at] as number) + coef * part.ofWarp;
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
      const atom = l.atoms[i] as (typeof l.atoms)[number];
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

/** A thread variable as the number of a warp and of a lane in it: variable = warp * lanes + lane. */
interface WarpPart {
  readonly loopVar: Var;
  readonly lanes: number;
  readonly count: number;
}

/** Undefined where warps cut through runs of a variable. `threads`: outermost first, neighbours in x. */
function warpParts(threads: readonly { readonly loopVar: Var; readonly extent: number }[]): readonly WarpPart[] | undefined {
  let stride = 1;
  const parts: WarpPart[] = [];
  for (const { loopVar, extent } of [...threads].reverse()) {
    const lanes = stride >= teamSize.warp ? 1 : Math.min(extent, teamSize.warp / stride);
    if (!Number.isInteger(lanes) || extent % lanes !== 0 || (stride > teamSize.warp && stride % teamSize.warp !== 0))
      return undefined;
    parts.unshift({ loopVar, lanes, count: extent / lanes });
    stride *= extent;
  }
  return parts;
}

/**
 * The part of an atom over one thread variable that the warp decides, as the coefficient of its number, and the most that the
 * lane adds.
 */
function partOf(
  atom: Atom,
  { loopVar, lanes, count }: WarpPart,
): { readonly ofWarp: number; readonly ofLane: number } | undefined {
  if (atom.kind === "var") return { ofWarp: count > 1 ? lanes : 0, ofLane: lanes - 1 };
  if (atom.kind !== "split" || atom.variables.length !== 1) return undefined;
  const { atoms, coefs, constant } = atom.base;
  const [only] = atoms;
  if (atoms.length !== 1 || only?.kind !== "var" || only.variable !== loopVar || coefs[0] !== 1 || constant !== 0)
    return undefined;
  if (atom.upper <= lanes && lanes % atom.upper === 0) return { ofWarp: 0, ofLane: Math.ceil(atom.upper / atom.lower) - 1 };
  return atom.lower === lanes && atom.upper >= lanes * count ? { ofWarp: 1, ofLane: 0 } : undefined;
}

const maxValues = 64;

/**
 * All that a sum over one loop variable can be: of k % 3 and (k + 2) % 3 the pairs that k makes, not every pair. undefined = of
 * more variables than one, or too many to list.
 */
function valuesOf(l: Linear): readonly number[] | undefined {
  const variables = new Set(l.atoms.flatMap((atom) => atom.variables));
  const [variable] = variables;
  if (!variable) return [l.constant];
  let period = variable.bounds.hi + 1;
  if (l.atoms.every((atom) => atom.kind === "split" && atom.upper < Infinity))
    period = Math.min(
      period,
      l.atoms.reduce((product, atom) => product * (atom as SplitAtom).upper, 1),
    );
  if (variables.size > 1 || variable.bounds.lo !== 0 || !(period <= maxValues)) return undefined;
  const at = Array.from({ length: period }, (_, value) => valueAt(l, value));
  return at.every((value) => value !== undefined) ? at : undefined;
}

function valueAt(l: Linear, value: number): number | undefined {
  let sum: number | undefined = l.constant;
  for (let i = 0; i < l.atoms.length && sum !== undefined; i++) {
    const atom = l.atoms[i] as Atom;
    if (atom.kind === "opaque") return undefined;
    let of: number | undefined = value;
    if (atom.kind === "split") {
      const base = valueAt(atom.base, value);
      const part = base === undefined || atom.upper === Infinity ? base : base - Math.floor(base / atom.upper) * atom.upper;
      of = part === undefined ? undefined : Math.floor(part / atom.lower);
    }
    sum = of === undefined ? undefined : sum + (l.coefs[i] as number) * of;
  }
  return sum;
}

const usesShared = (nest: Stmt): boolean => {
  let found = false;
  walkStmt(nest, (s) => {
    if (s.kind === "Allocate" && s.buffer.scope === "shared") found = true;
  });
  return found;
};

export const insertBarriers = definePass<"lowered", "lowered">("insert-barriers", (func) => {
  if (!usesShared(func.body)) return func;
  const nests = rootNests(func.body);
  return withBody(func, b.seq(nests.map((nest) => (usesShared(nest) ? new BarrierInsertion(nest).run(nest).stmt : nest))));
});
