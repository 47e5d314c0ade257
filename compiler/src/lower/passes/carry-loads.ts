/**
 * The first fragments of a pipelined loop's next iteration are loaded before the last products of this one, so that tensor
 * cores have work during the loads:
 *
 *                                                barrier; load F of (0, 0)
 *   for k in n:                                  for k in n:
 *     barrier                                      start copies of later iterations
 *     start copies of later iterations             for i in m - 1:
 *     load F of (k, 0)                     ->        load another F of (k, i + 1)
 *     for i in m:                                    products of F
 *       if i < m - 1: load another F of (k, i + 1)   barrier
 *       products of F                              if k < n - 1: load F of (k + 1, 0)
 *                                                  products of the last F
 *
 * The barrier is run-ahead's: it waits for iteration k's copies, after the loads of k - 1. At its new place the copies of
 * one more iteration have begun, and those of one more iteration must have arrived, so the number in flight is unchanged.
 *
 * Where the copies come by a channel (make-channels.ts), `await k` stands for the barrier: `await 0` and the first loads before
 * the loop; in it `release k` after the last loads from the slot, then `if k < n - 1: await k + 1` and the loads. Done where the
 * last products provably use other fragments than those loaded (run-ahead made two of each, and m is even). Source:
 * CUTLASS's multistage main loop. Runs when indices are flat, before loops of one iteration dissolve.
 */
import type { Analyzer } from "../../arith/analyzer.ts";
import type { Interval } from "../../arith/interval.ts";
import { type Buffer, isFragmentScope } from "../../ir/buffer.ts";
import * as b from "../../ir/build.ts";
import type { Expr } from "../../ir/expr.ts";
import { doneBy, isPlain, touches } from "../../ir/parts.ts";
import type { For, Stmt } from "../../ir/stmt.ts";
import { holds, mapStmt, substituteStmt, walkExpr, walkStmt } from "../../ir/visit.ts";
import { analyzerFor } from "../loops.ts";
import { definePass, withBody } from "../pass.ts";
import { simplifyStmt } from "./simplify.ts";

interface Elements extends Interval {
  readonly buffer: Buffer;
}

function fragmentsTouched(s: Stmt, analyzer: Analyzer): readonly Elements[] {
  const found: Elements[] = [];
  walkStmt(s, (part) => {
    for (const { buffer, indices, reach = 0 } of touches(part)) {
      if (!isFragmentScope(buffer.scope)) continue;
      const { lo, hi } = analyzer.boundsOf(analyzer.linear(indices?.[0] as Expr));
      found.push({ buffer, lo, hi: hi + reach });
    }
  });
  return found;
}

const meets = (x: Elements, y: Elements): boolean => x.buffer === y.buffer && x.lo <= y.hi && y.lo <= x.hi;

const isLoad = (s: Stmt): boolean =>
  doneBy(s) !== undefined &&
  touches(s).every(({ buffer, how }) => (how === "write" ? isFragmentScope(buffer.scope) : buffer.scope === "shared"));

function onlyLoads(s: Stmt): boolean {
  let [loads, others] = [0, 0];
  walkStmt(s, (part) => {
    if (isLoad(part)) loads++;
    else if (!isPlain(part) || part.kind === "Store") others++;
  });
  return loads > 0 && others === 0;
}

function carried(loop: For, analyzer: Analyzer): Stmt | undefined {
  if (loop.forKind !== "serial" || loop.extent < 2 || loop.body.kind !== "Seq") return undefined;
  const first = loop.body.stmts.findIndex((s) => s.kind !== "Wait");
  const arrival = loop.body.stmts.slice(0, first + 1);
  const stmts = loop.body.stmts.slice(first + 1);
  const steps = stmts.at(-1);
  if (arrival.at(-1)?.kind !== "Barrier" || steps?.kind !== "For" || steps.forKind !== "unrolled" || steps.extent < 2)
    return undefined;
  const begin = stmts.slice(0, -1).findLastIndex((s) => !onlyLoads(s)) + 1;
  const loads = b.seq(stmts.slice(begin, -1));
  if (!onlyLoads(loads)) return undefined;
  const last = simplifyStmt(substituteStmt(steps.body, new Map([[steps.loopVar, b.int(steps.extent - 1)]])), analyzer);
  const rest = b.seq([...stmts.slice(0, begin), last]);
  const loaded = fragmentsTouched(loads, analyzer);
  if (fragmentsTouched(rest, analyzer).some((touch) => loaded.some((load) => meets(touch, load)))) return undefined;
  const k = loop.loopVar;
  const loadsOf = (iteration: Expr): Stmt => substituteStmt(loads, new Map([[k, iteration]]));
  const next = b.ifThen(b.lt(k, b.int(loop.extent - 1)), loadsOf(b.add(k, b.int(1))));
  const body = b.seq([...stmts.slice(0, begin), { ...steps, extent: steps.extent - 1 }, ...arrival, next, last]);
  return b.seq([...arrival, loadsOf(b.int(0)), { ...loop, body }]);
}

function carriedInChannel(loop: For, analyzer: Analyzer): Stmt | undefined {
  if (loop.forKind !== "serial" || loop.extent < 2 || loop.body.kind !== "Seq") return undefined;
  const { stmts } = loop.body;
  const at = stmts.findIndex((s) => s.kind === "Await");
  const [arrival, steps, release] = [stmts[at], stmts.at(-2), stmts.at(-1)];
  if (arrival?.kind !== "Await" || arrival.channel.slots < 2 || release?.kind !== "Release") return undefined;
  if (steps?.kind !== "For" || steps.forKind !== "unrolled" || steps.extent < 2 || release.channel !== arrival.channel)
    return undefined;
  const middle = stmts.slice(at + 1, -2);
  const others = [...stmts.slice(0, at), ...middle];
  if (others.some((s) => holds(s, "Await", "Release", "Barrier", "Wait"))) return undefined;
  const begin = middle.findLastIndex((s) => !onlyLoads(s)) + 1;
  const loads = b.seq(middle.slice(begin));
  if (!onlyLoads(loads)) return undefined;
  const before = [...stmts.slice(0, at), ...middle.slice(0, begin)];
  const last = simplifyStmt(substituteStmt(steps.body, new Map([[steps.loopVar, b.int(steps.extent - 1)]])), analyzer);
  if (touchesShared(b.seq([...middle.slice(0, begin), last]))) return undefined;
  const loaded = fragmentsTouched(loads, analyzer);
  if (fragmentsTouched(b.seq([...before, last]), analyzer).some((touch) => loaded.some((load) => meets(touch, load))))
    return undefined;
  const k = loop.loopVar;
  const arriveAt = (iteration: Expr): Stmt => substituteStmt(b.seq([arrival, loads]), new Map([[k, iteration]]));
  const next = b.ifThen(b.lt(k, b.int(loop.extent - 1)), arriveAt(b.add(k, b.int(1))));
  const body = b.seq([...before, { ...steps, extent: steps.extent - 1 }, release, next, last]);
  return b.seq([arriveAt(b.int(0)), { ...loop, body }]);
}

function touchesShared(s: Stmt): boolean {
  let found = false;
  walkStmt(
    s,
    (part) => {
      if (part.kind !== "BulkCopy") found ||= touches(part).some(({ buffer }) => buffer.scope === "shared");
    },
    (whole) =>
      walkExpr(whole, (e) => {
        if (e.kind === "Load") found ||= e.buffer.scope === "shared";
      }),
  );
  return found;
}

export const carryLoads = definePass<"lowered", "lowered">("carry-loads", (func) => {
  const analyzer = analyzerFor(func.body);
  let found = false;
  const run = (s: Stmt): Stmt => {
    const made = s.kind === "For" ? (carried(s, analyzer) ?? carriedInChannel(s, analyzer)) : undefined;
    if (made) found = true;
    return made ?? mapStmt(s, run, (e) => e);
  };
  const body = run(func.body);
  return found ? withBody(func, body) : func;
});
