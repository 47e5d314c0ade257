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
 * (halves of a doubled array). Where each warp or warpgroup provably keeps to elements of its own, its threads alone meet: a
 * barrier of the team, which orders nothing between teams. So do those who wait for asynchronous copies. Source:
 * docs/reference/source-programs.md 6.7; TVM's thread storage sync.
 */
import { defined } from "@warpfarm/common";
import type { Analyzer } from "../../arith/analyzer.ts";
import { type Atom, type Linear, pick, type SplitAtom, shift } from "../../arith/linear.ts";
import { type Agent, agents, isWithin, type Team } from "../../ir/agent.ts";
import type { Buffer } from "../../ir/buffer.ts";
import * as b from "../../ir/build.ts";
import type { Expr, Var } from "../../ir/expr.ts";
import type { For, Stmt } from "../../ir/stmt.ts";
import { someStmt, substitute, walkStmt } from "../../ir/visit.ts";
import { analyzerFor, isThreadIdx, readsMemory, threadsOf } from "../loops.ts";
import { definePass, withBody } from "../pass.ts";
import { rootNests } from "./lower-threads.ts";
import { Ownership } from "./ownership.ts";
import { type Access, type Accesses, accessesOf, none, union } from "./shared-accesses.ts";

function where({ loopVar }: For, is: Expr, { reads, writes }: Accesses): Accesses {
  const map = new Map([[loopVar, is]]);
  const put = (e: Expr): Expr => substitute(e, map);
  const moved = (a: readonly Access[]) =>
    a.map((access): Access => ({ ...access, index: put(access.index), ...defined({ when: access.when?.map(put) }) }));
  return { reads: moved(reads), writes: moved(writes) };
}

/** What a loop's end has touched, seen from the next iteration's beginning. */
function carried(loop: For, { tail, hasBarrier }: Summary): Accesses {
  if (hasBarrier) return where(loop, b.sub(loop.loopVar, b.int(1)), tail);
  const old = (a: readonly Access[]) => a.map((access): Access => ({ ...access, isCarried: true }));
  return { reads: old(tail.reads), writes: old(tail.writes) };
}

/** What the body of a condition touches. */
function guarded(cond: Expr, { reads, writes }: Accesses): Accesses {
  // Memory may change between the test and the access.
  if (readsMemory(cond)) return { reads, writes };
  const all = (a: readonly Access[]) => a.map((access): Access => ({ ...access, when: [...(access.when ?? []), cond] }));
  return { reads: all(reads), writes: all(writes) };
}

/** A loop as a whole. Where a barrier parts iterations, the first one begins and the last one ends it. */
function summed(loop: For, stmt: Stmt, { head, tail, hasBarrier }: Summary): Summary {
  if (!hasBarrier || loop.forKind === "bound") return { stmt, head, tail, hasBarrier };
  return { stmt, head: where(loop, b.int(0), head), tail: where(loop, b.int(loop.extent - 1), tail), hasBarrier };
}

/** The larger of two agents; undefined is the smallest. */
const larger = (one: Agent | undefined, other: Agent | undefined): Agent | undefined =>
  one === undefined || (other !== undefined && isWithin(one, other)) ? other : one;

function marked(accesses: Accesses, mark: "met" | "metBefore", team: Team | undefined): Accesses {
  if (team === undefined) return accesses;
  const all = (a: readonly Access[]) =>
    a.map((access): Access => {
      const known = access[mark];
      return known && isWithin(team, known) ? access : { ...access, [mark]: team };
    });
  return { reads: all(accesses.reads), writes: all(accesses.writes) };
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
  readonly #ownership: Ownership;
  /** Who meets when asynchronous copies have arrived. */
  readonly #arriving: Agent;
  /** Variables with one value in both of two accesses of a block: of blocks, and of the loops around both. */
  readonly #common = new Set<Var>();

  constructor(nest: Stmt) {
    this.#analyzer = analyzerFor(nest);
    walkStmt(nest, (s) => {
      if (s.kind === "AllocChannel") for (const buffer of s.channel.buffers) this.#inChannels.add(buffer);
    });
    this.#ownership = new Ownership(this.#analyzer, threadsOf(nest));
    this.#arriving = this.#smallestOfCopies(nest);
  }

  run(s: Stmt): Summary {
    switch (s.kind) {
      case "Seq":
        return this.#sequence(
          s.stmts.map((child, i) => this.run(s.stmts[i - 1]?.kind === "Wait" ? this.#arrival(child) : child)),
          none,
        );
      case "If": {
        const body = this.run(s.body);
        const tested = accessesOf(s);
        const [head, tail] = [guarded(s.cond, body.head), guarded(s.cond, body.tail)];
        return {
          stmt: body.stmt === s.body ? s : { ...s, body: body.stmt },
          head: union(tested, head),
          // The body may be skipped, its barriers with it.
          tail: union(tested, union(head, tail)),
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
    /** The largest team that has met in this sequence. */
    let team: Team | undefined;
    const meet = (agent: Agent) => {
      if (agent === "block") return;
      since = marked(since, "met", agent);
      team = larger(team, agent) as Team;
    };
    for (const part of parts) {
      const agent = this.#conflict(since, part.head);
      if (agent) stmts.push(b.barrierOf(agent));
      if (agent === "block") {
        since = none;
        hasBarrier = true;
      } else if (agent) meet(agent);
      stmts.push(part.stmt);
      if (part.stmt.kind === "Barrier") meet(part.stmt.agent);
      if (!hasBarrier) head = union(head, marked(part.head, "metBefore", team));
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
    return larger(this.#clash(before.writes, after.reads), this.#clash(before.reads, after.writes));
  }
  #clash(xs: readonly Access[], ys: readonly Access[]): Agent | undefined {
    let found: Agent | undefined;
    for (const x of xs)
      for (const y of ys) {
        // The copy engine's slots are ordered by their channel, not by barriers.
        if (this.#inChannels.has(x.buffer)) continue;
        if (x.buffer !== y.buffer || this.#ownership.byThread(x, y) || this.#neverMeet(x, y)) continue;
        const agent = this.#smallest(x, y);
        if (agent === "block") return agent;
        if (![x.met, y.metBefore].some((team) => team && isWithin(agent, team))) found = larger(found, agent);
      }
    return found;
  }

  /** The smallest agent whose own elements these accesses touch. */
  #smallest(x: Access, y: Access): Agent {
    return agents.find((agent) => agent === "block" || this.#ownership.byTeam(agent, x, y)) as Agent;
  }

  /** The smallest agent that reads of what asynchronous copies bring only what its own threads have copied. */
  #smallestOfCopies(nest: Stmt): Agent {
    const copied = new Set<Buffer>();
    const all: Accesses[] = [];
    walkStmt(nest, (s) => {
      all.push(accessesOf(s));
      if (s.kind !== "Async") return;
      walkStmt(s.body, (part) => {
        for (const { buffer } of accessesOf(part).writes) copied.add(buffer);
      });
    });
    const ofCopied = (which: keyof Accesses) => all.flatMap((each) => each[which]).filter(({ buffer }) => copied.has(buffer));
    const [reads, writes] = [ofCopied("reads"), ofCopied("writes")];
    let found: Agent = "warp";
    for (const write of writes)
      for (const read of reads)
        if (read.buffer === write.buffer && !this.#ownership.byThread(write, read))
          found = larger(found, this.#smallest(write, read)) as Agent;
    return found;
  }
  /** The pass runAhead has a barrier of the block follow a wait. */
  #arrival(s: Stmt): Stmt {
    return s.kind === "Barrier" && s.agent === "block" ? b.barrierOf(this.#arriving) : s;
  }

  #neverMeet(x: Access, y: Access): boolean {
    if (x.isCarried || y.isCarried) return false;
    const [first, second] = [this.#parts(x), this.#parts(y)];
    const distance = this.#analyzer.sum(first.common, second.common, -1);
    return valuesOf(distance)?.every((by) => first.lo + by > second.hi || first.hi + by < second.lo) ?? false;
  }
  #parts({ index, reach = 0, when = [] }: Access): { readonly common: Linear; readonly lo: number; readonly hi: number } {
    const l = this.#analyzer.linear(index.kind === "Ramp" ? index.base : index);
    const common = pick(l, (_, atom) => atom.variables.every((v) => this.#common.has(v.variable)));
    const rest = this.#analyzer.sum(l, { ...common, constant: l.constant }, -1);
    const { lo, hi } = this.#analyzer.boundsOf(rest);
    const most = when.reduce((bound, cond) => Math.min(bound, this.#mostWhere(cond, rest)), hi);
    const lanes = index.kind === "Ramp" ? index.lanes : 1;
    return { common: { ...common, constant: l.constant }, lo, hi: most + lanes - 1 + reach };
  }

  /** No less than the sum where the condition holds: of a < b, which is a - b + 1 <= 0, a multiple is taken from the sum. */
  #mostWhere(cond: Expr, sum: Linear): number {
    if (cond.kind === "And") return Math.min(this.#mostWhere(cond.a, sum), this.#mostWhere(cond.b, sum));
    if (cond.kind !== "LT") return Number.POSITIVE_INFINITY;
    const analyzer = this.#analyzer;
    const excess = shift(analyzer.sum(analyzer.linear(cond.a), analyzer.linear(cond.b), -1), 1);
    const by = sum.atoms.flatMap((atom, i) => {
      const at = excess.atoms.indexOf(atom);
      return at < 0 ? [] : [Math.floor((sum.coefs[i] as number) / (excess.coefs[at] as number))];
    });
    const bounds = by.filter((k) => k > 0).map((k) => analyzer.boundsOf(analyzer.sum(sum, excess, -k)).hi);
    return Math.min(Number.POSITIVE_INFINITY, ...bounds);
  }
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

const usesShared = (nest: Stmt): boolean => someStmt(nest, (s) => s.kind === "Allocate" && s.buffer.scope === "shared");

export const insertBarriers = definePass<"lowered", "lowered">("insert-barriers", (func) => {
  if (!usesShared(func.body)) return func;
  const nests = rootNests(func.body);
  return withBody(func, b.seq(nests.map((nest) => (usesShared(nest) ? new BarrierInsertion(nest).run(nest).stmt : nest))));
});
