/**
 * Boxes that the copy engine brings get channels (ir/bulk.ts). All boxes of one loop share a channel. It has the n slots that
 * `pipeline` asks for, and its copies run n - 1 iterations ahead.
 *
 *                                              fill 0 .. fill n-2
 *   for k in K:                                for k in K:
 *     S[..] = box at A[k ..]            ->       if k + n-1 < K: fill k + n-1: S[(k + n-1) % n * size ..] = box at A[k + n-1 ..]
 *     use(k) of S[..]                            await k
 *                                                use(k) of S[k % n * size ..]
 *                                                release k
 *
 * Turns count from the kernel's start: in a surrounding loop of T iterations, k stands for t * K + k. So a slot's two sides
 * continue from one entry of the loop to the next, whatever K and n are.
 *
 * Where the producer has a role of its own (passes/split-roles.ts), each iteration fills its own turn: `fill k; await k; use(k);
 * release k`.
 *
 * A copy that joins a ring (joinRing) has turns of it: of each entry, those of the ring's own loop come first, then those of the
 * loop of the copy. T is then the sum of both extents, and its array is a slot of the stage that it names.
 *
 *   for i in P: R[..] = box; use R    ->    for i in P: fill K + i: S[(K + i) % n * size ..] = box; await; use of S[..]; release
 *
 * Where all that an iteration does stands under a condition of the block that holds for the first iterations of a loop and then
 * no more, and the loop is entered once, later turns are left out: all of a turn stands under the condition. Elsewhere every turn
 * is filled and released.
 *
 *   for k in K: { S[..] = box; if k < e: use }  ->  if 0 < e: fill 0;  for k in K: if k < e: { if k+1 < e: fill k+1; await k; .. }
 *
 * A copy out of shared memory waits for all threads' writes, and all threads' next writes wait for the copy (insertBarriers
 * ensures it). Where a loop over the boxes counts warpgroups, each of which writes what its own boxes copy, each warpgroup's
 * first thread starts its own, and only the warpgroup meets:
 *
 *   for g in 2: box of C at S[g * 4096]     ->     fence; barrier of the warpgroup; drain by each: box of C at S[y * 4096]
 *
 * The pass runs when indices are flat and threads stand at the head.
 */
import { defined } from "@warpfarm/common";
import type { Analyzer } from "../../arith/analyzer.ts";
import type { Buffer } from "../../ir/buffer.ts";
import * as b from "../../ir/build.ts";
import { bulkUnit, bytesIn } from "../../ir/bulk.ts";
import type { Expr, Var } from "../../ir/expr.ts";
import { isRemark } from "../../ir/parts.ts";
import type { BulkCopy, Channel, ClusterShape, ClusterTag, Fill, For, If, Stage, Stmt } from "../../ir/stmt.ts";
import { eachPart, holds, mapStmt, substitute, substituteStmt, usesVar, walkStmt } from "../../ir/visit.ts";
import { analyzerFor, readsMemory, threadsOf } from "../loops.ts";
import { definePass, withBody } from "../pass.ts";
import { filledBy, type Multiplied, multiply, Slot } from "./array-slots.ts";
import { attrsOf, inNest, rootNests } from "./lower-threads.ts";
import { Ownership } from "./ownership.ts";
import { type Access, accessesOf } from "./shared-accesses.ts";

type Direction = BulkCopy["direction"];

function isOnlyCopies(s: Stmt, direction: Direction): boolean {
  if (s.kind === "BulkCopy") return s.direction === direction;
  if (s.kind === "Seq") return s.stmts.length > 0 && s.stmts.every((child) => isOnlyCopies(child, direction));
  return (s.kind === "For" || isRemark(s)) && isOnlyCopies(s.body, direction);
}

function copiesIn(s: Stmt): readonly Stmt[] {
  if (isOnlyCopies(s, "in")) return s.kind === "Seq" ? s.stmts : [s];
  if (s.kind === "Seq") return s.stmts.flatMap(copiesIn);
  return s.kind === "Allocate" || isRemark(s) ? copiesIn(s.body) : [];
}
function withoutCopies(s: Stmt): Stmt {
  if (isOnlyCopies(s, "in")) return b.seq([]);
  // Below these are turns of loops further in.
  return s.kind === "For" || s.kind === "If" || s.kind === "Fill" ? s : mapStmt(s, withoutCopies, (e) => e);
}

const isAhead = (s: Stmt): s is Stage => s.kind === "Stage" && s.ahead?.by === "pipeline";
const slotsOf = (copy: Stmt): number => (isAhead(copy) ? (copy.ahead?.arrays ?? 1) : 1);

/** The number of blocks along each axis of the cluster that bring boxes of these copies. */
function blocksOf(copies: readonly Stmt[]): ClusterShape | undefined {
  const along = new Map<ClusterTag, number>();
  for (const copy of copies)
    walkStmt(copy, (s) => {
      if (s.kind === "BulkCopy" && s.multicast) along.set(s.multicast.along, s.multicast.blocks);
    });
  return along.size === 0 ? undefined : { x: along.get("clusterIdx.x") ?? 1, y: along.get("clusterIdx.y") ?? 1 };
}

interface Ahead extends Multiplied {
  readonly copy: Stmt;
}
/** A channel, and the number of turns in each entry of its loop: its own, then those of a copy that joins it. */
interface Turns {
  readonly channel: Channel;
  readonly own: number;
  readonly all: number;
}
/** Copies at one loop, and their turns: `all` in each entry, those before `first` are others'. */
interface Brought {
  readonly turns: {
    readonly channel: Channel;
    readonly first: number;
    readonly all: number;
    readonly ahead: number;
    /** When an iteration has a turn; no later one has where it is false. Absent: all have. */
    readonly taken?: Expr;
  };
  readonly arrays: readonly Ahead[];
}

/** By the stage whose ring is joined, the extent of the loop of the copy that joins. */
function joinedIn(nest: Stmt): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  const run = (s: Stmt, extent: number): void => {
    if (s.kind === "Stage" && s.ring !== undefined && isOnlyCopies(s, "in")) found.set(s.ring, extent);
    else
      eachPart(
        s,
        (part) => run(part, s.kind === "For" ? s.extent : extent),
        () => {},
      );
  };
  run(nest, 1);
  return found;
}
const ringOf = (copy: Stmt): string | undefined => (copy.kind === "Stage" ? copy.ring : undefined);
const isMarked = (s: Stmt): s is Stage => isAhead(s) || ringOf(s) !== undefined;

/** Which of a kernel's boxes are copied from what one warpgroup has written. */
class Warpgroups {
  readonly #ownership: Ownership;
  readonly #written = new Map<Buffer, Access[]>();

  constructor(nest: Stmt, analyzer: Analyzer, threads: readonly For[]) {
    this.#ownership = new Ownership(analyzer, threads);
    walkStmt(nest, (s) => {
      for (const access of accessesOf(s).writes)
        this.#written.set(access.buffer, [...(this.#written.get(access.buffer) ?? []), access]);
    });
  }

  /** The copies of a warpgroup: without a loop, whose variable is the warpgroup's number. */
  ownBoxes(copies: Stmt): Stmt | undefined {
    const number = this.#ownership.numberOf("warpgroup");
    const without = (s: Stmt): Stmt | undefined => {
      if (s.kind !== "For") return isRemark(s) ? mapBody(s, without) : undefined;
      const own = number && s.extent === number.extent && substituteStmt(s.body, new Map([[s.loopVar, number.loopVar]]));
      return own && this.#areOwn(own) ? own : mapBody(s, without);
    };
    return without(copies);
  }
  #areOwn(copies: Stmt): boolean {
    let own = true;
    walkStmt(copies, (s) => {
      for (const read of s.kind === "BulkCopy" ? accessesOf(s).reads : [])
        own &&= (this.#written.get(read.buffer) ?? []).every((write) => this.#ownership.byTeam("warpgroup", write, read));
    });
    return own;
  }
}

function mapBody<S extends Extract<Stmt, { readonly body: Stmt }>>(
  s: S,
  change: (body: Stmt) => Stmt | undefined,
): S | undefined {
  const body = change(s.body);
  return body && { ...s, body };
}

/** Whether a condition that is false in an iteration is false in all later ones. */
function endsOnce(cond: Expr, k: Var, analyzer: Analyzer): boolean {
  const sign = cond.kind === "LT" || cond.kind === "LE" ? 1 : cond.kind === "GT" || cond.kind === "GE" ? -1 : undefined;
  if (sign === undefined || !("a" in cond)) return false;
  const { atoms, coefs } = analyzer.sum(analyzer.linear(cond.a), analyzer.linear(cond.b), -1);
  return atoms.every((atom, i) => {
    const isSteady = !atom.variables.some(({ variable }) => variable === k);
    return isSteady || (atom.kind === "var" && (coefs[i] as number) * sign > 0);
  });
}

class Maker {
  readonly channels: Channel[] = [];
  /** What lies in the place of an array; undefined: slots of another one. */
  readonly made = new Map<Buffer, Buffer | undefined>();
  /** The rings that may be joined, by stage. */
  readonly #rings = new Map<string, Multiplied & Turns>();
  readonly #joined: ReadonlyMap<string, number>;
  /** Whether a role of its own fills; it runs ahead by itself. */
  readonly #hasRoles: boolean;
  readonly #groups: Warpgroups;
  readonly #analyzer: Analyzer;
  readonly #threads: readonly For[];

  constructor(nest: Stmt) {
    this.#hasRoles = attrsOf(nest).roles !== undefined;
    this.#analyzer = analyzerFor(nest);
    this.#threads = threadsOf(nest);
    this.#groups = new Warpgroups(nest, this.#analyzer, this.#threads);
    this.#joined = joinedIn(nest);
  }

  run(s: Stmt, loops: readonly For[]): Stmt {
    if (isOnlyCopies(s, "out")) {
      const own = this.#groups.ownBoxes(s);
      const agent = own ? "warpgroup" : "block";
      return b.seq([{ kind: "Fence" }, b.barrierOf(agent), { kind: "Drain", agent, body: own ?? s }]);
    }
    if (isOnlyCopies(s, "in")) return s;
    if (s.kind !== "For")
      return mapStmt(
        s,
        (child) => this.run(child, loops),
        (e) => e,
      );
    const around = [...loops, s];
    const body = this.iteration(this.run(s.body, around), around);
    return body.first.length > 0 ? b.seq([...body.first, { ...s, body: body.each }]) : { ...s, body: body.each };
  }

  iteration(body: Stmt, loops: readonly For[]): { readonly first: readonly Stmt[]; readonly each: Stmt } {
    const copies = copiesIn(body);
    const first: Stmt[] = [];
    const before: Stmt[] = [];
    const after: Stmt[] = [];
    let used = copies.length > 0 ? withoutCopies(body) : body;
    const joining = copies.filter((copy) => this.#rings.has(ringOf(copy) ?? ""));
    const own = copies.filter((copy) => !joining.includes(copy));
    const taken = joining.length === 0 ? this.#takenIn(used, copies, loops) : undefined;
    const parts = [...new Set(own.map(slotsOf))].map((slots) =>
      this.#channel(
        own.filter((copy) => slotsOf(copy) === slots),
        slots,
        loops,
      ),
    );
    for (const { turns, arrays } of [...parts, ...joining.map((copy) => this.#join(copy))]) {
      const made = this.#turns({ ...turns, ...defined({ taken }) }, arrays, loops, used);
      first.push(...made.first);
      before.push(...made.before);
      after.push(...made.after);
      ({ used } = made);
    }
    if (copies.length === 0) return { first, each: body };
    if (!taken) return { first, each: b.seq([...before, used, ...after]) };
    return { first, each: b.ifThen(taken, b.seq([...before, (used as If).body, ...after])) };
  }

  /** The condition of all that an iteration does, if once it is false it stays so, in the only entry of the loop. */
  #takenIn(used: Stmt, copies: readonly Stmt[], loops: readonly For[]): Expr | undefined {
    const loop = loops.at(-1);
    if (used.kind !== "If" || !loop || loops.slice(0, -1).some(({ extent }) => extent > 1)) return undefined;
    const { cond } = used;
    const differs = readsMemory(cond) || this.#threads.some(({ loopVar }) => usesVar(cond, loopVar));
    // Blocks of a cluster fill each other's slots, and each may end elsewhere.
    if (differs || blocksOf(copies)) return undefined;
    return endsOnce(cond, loop.loopVar, this.#analyzer) ? cond : undefined;
  }

  #channel(copies: readonly Stmt[], slots: number, loops: readonly For[]): Brought {
    const arrays = copies.map((copy): Ahead => {
      const old = filledBy(copy) as Buffer;
      const multiplied = slots > 1 ? multiply(old, slots, bulkUnit(old)) : { old, made: old, size: 0 };
      this.made.set(old, multiplied.made);
      return { copy, ...multiplied };
    });
    const channel: Channel = {
      ...{ name: `${arrays[0]?.old.name}_ring`, slots, buffers: arrays.map(({ made }) => made) },
      ...defined({ cluster: blocksOf(copies) }),
    };
    this.channels.push(channel);
    const own = loops.at(-1)?.extent ?? 1;
    const more = copies.map((copy) => (isAhead(copy) ? (this.#joined.get(copy.name) ?? 0) : 0));
    const turns = { channel, own, all: own + Math.max(...more) };
    for (const array of arrays) if (isAhead(array.copy)) this.#rings.set(array.copy.name, { ...array, ...turns });
    return { turns: { channel, first: 0, all: turns.all, ahead: this.#hasRoles ? 0 : slots - 1 }, arrays };
  }

  #join(copy: Stmt): Brought {
    const { channel, own, all, made, size } = this.#rings.get(ringOf(copy) as string) as Multiplied & Turns;
    const old = filledBy(copy) as Buffer;
    this.made.set(old, undefined);
    return { turns: { channel, first: own, all, ahead: 0 }, arrays: [{ copy, old, made, size }] };
  }

  #turns({ channel, first, all, ahead, taken }: Brought["turns"], arrays: readonly Ahead[], loops: readonly For[], body: Stmt) {
    const loop = loops.at(-1);
    const { slots } = channel;
    const bytes = arrays.reduce((sum, { copy }) => sum + bytesIn(copy), 0);
    const entry = loops
      .slice(0, -1)
      .reduce<Expr>((turn, { loopVar, extent }) => b.add(b.mul(turn, b.int(extent)), loopVar), b.int(0));
    const turnAt = (k: Expr): Expr => b.add(b.mul(entry, b.int(all)), b.add(k, b.int(first)));
    const slotAt = (k: Expr): Expr => b.floorModulo(turnAt(k), b.int(slots));
    const fill = (k: Expr, isNow = false): Stmt => {
      const at = loop ? new Map([[loop.loopVar, k]]) : new Map();
      const made = arrays.map((a) => new Slot(a, slotAt(k), isMarked).stmt(substituteStmt(a.copy, at)));
      const turn: Fill = { kind: "Fill", channel, turn: turnAt(k), bytes, body: b.seq(made) };
      return taken && !isNow ? b.ifThen(substitute(taken, at), turn) : turn;
    };
    const k: Expr = loop?.loopVar ?? b.int(0);
    const next = b.ifThen(b.lt(k, b.int((loop?.extent ?? 1) - ahead)), fill(b.add(k, b.int(ahead))));
    let used = body;
    if (slots > 1) for (const a of arrays) used = new Slot(a, slotAt(k), isMarked).stmt(used);
    return {
      first: Array.from({ length: ahead }, (_, i) => fill(b.int(i))),
      before: [ahead > 0 ? next : fill(k, true), { kind: "Await", channel, turn: turnAt(k) } as const],
      used,
      after: [{ kind: "Release", channel, turn: turnAt(k) } as const],
    };
  }
}

function inKernel(nest: Stmt): Stmt {
  const maker = new Maker(nest);
  const core = (s: Stmt): Stmt => {
    if ((s.kind === "For" && s.forKind === "bound") || s.kind === "Allocate") {
      const body = core(s.body);
      if (s.kind === "For" || !maker.made.has(s.buffer)) return { ...s, body };
      const made = maker.made.get(s.buffer);
      return made ? b.allocate(made, body) : body;
    }
    const { each } = maker.iteration(maker.run(s, []), []);
    return maker.channels.reduceRight<Stmt>((body, channel) => ({ kind: "AllocChannel", channel, body }), each);
  };
  return inNest(nest, core);
}

export const makeChannels = definePass<"lowered", "lowered">("make-channels", (func) =>
  holds(func.body, "BulkCopy") ? withBody(func, b.seq(rootNests(func.body).map(inKernel))) : func,
);
