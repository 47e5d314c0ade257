/**
 * A loop of tensor-core products that a ring feeds is written out for the ring's slots, so that the place of each is a constant:
 *
 *   for k in 32: products of slot k % 7   ->   for round in 4: products of slot 0; ..; products of slot 6
 *                                              products of slot 0; ..; products of slot 3
 *
 * Fewer than two rounds are no loop, and the first turn then has no group before it to wait for. A loop stays where its slots
 * depend on a tile as well, where it waits for several rings, and where it does more than multiply.
 *
 * Where a slot is known only when the kernel runs, warps compute the descriptors of its products first, which takes as long as
 * the products of a small tile: by 64x128, 1568x512x2048 took 9.04 us and takes 7.26 (H200).
 */
import type { Analyzer } from "../../arith/analyzer.ts";
import * as b from "../../ir/build.ts";
import type { Expr } from "../../ir/expr.ts";
import { eachPart, isProduct } from "../../ir/parts.ts";
import type { Await, For, Stmt } from "../../ir/stmt.ts";
import { holds, mapStmt, someExpr, someStmt, substitute, substituteStmt } from "../../ir/visit.ts";
import { analyzerFor } from "../loops.ts";
import { nothing, simplifyStmt } from "./simplify.ts";

export function inRounds(body: Stmt): Stmt {
  if (!holds(body, "Await")) return body;
  const analyzer = analyzerFor(body);
  const run = (s: Stmt): Stmt => (s.kind === "For" && roundsOf(s, analyzer)) || mapStmt(s, run, (e) => e);
  return run(body);
}

/** The turns that a body waits for, but for those of serial loops in it. */
function awaitsIn(body: Stmt): readonly Await[] {
  const found: Await[] = [];
  const look = (s: Stmt): void => {
    if (s.kind === "Await") found.push(s);
    else if (s.kind !== "For" || s.forKind !== "serial") eachPart(s, look, () => {});
  };
  look(body);
  return found;
}

function roundsOf(loop: For, analyzer: Analyzer): Stmt | undefined {
  const { loopVar, extent, body } = loop;
  // A body that does more is long, and waits for more than the descriptors.
  const isFeeding = loop.forKind === "serial" && someStmt(body, isProduct) && !holds(body, "Store", "Fold");
  const awaits = isFeeding ? awaitsIn(body) : [];
  const slots = awaits[0]?.channel.slots ?? 1;
  if (slots === 1 || awaits.some(({ channel }) => channel.slots !== slots)) return undefined;

  /** `count` turns, from the first on; undefined where the slot of a turn depends on more than its number in the loop. */
  const turns = (count: number, first: Expr): Stmt | undefined => {
    if (count === 0) return nothing;
    const step = b.variable(`${loopVar.name}.step`);
    analyzer.declare(step, count);
    const turn = new Map([[loopVar, b.add(first, step)]]);
    const slotOf = (await_: Await) => analyzer.simplify(b.floorModulo(substitute(await_.turn, turn), b.int(slots)));
    if (awaits.some((each) => someExpr(slotOf(each), (e) => e.kind === "Var" && e !== step))) return undefined;
    const copy = simplifyStmt(substituteStmt(body, turn), analyzer);
    return count === 1 ? copy : b.forLoop(step, count, copy, "unrolled");
  };

  const rounds = Math.floor(extent / slots);
  if (rounds < 2) {
    const [begin, others] = [turns(1, b.int(0)), turns(extent - 1, b.int(1))];
    return begin && others && b.seq([withoutIdleWaits(begin), others]);
  }
  const round = b.variable(`${loopVar.name}.round`);
  analyzer.declare(round, rounds);
  const [main, end] = [turns(slots, b.mul(round, b.int(slots))), turns(extent % slots, b.int(rounds * slots))];
  return main && end && b.seq([{ ...b.forLoop(round, rounds, main, "unrolled"), factor: 1 }, end]);
}

/** Loops begin with no group in flight: a first turn has none to wait for but its own. */
function withoutIdleWaits(turn: Stmt): Stmt {
  let begun = 0;
  const run = (s: Stmt): Stmt => {
    if (s.kind === "Async" && s.engine === "wgmma") begun++;
    if (s.kind === "Wait" && s.engine === "wgmma" && s.pending >= begun) return nothing;
    return s.kind === "Seq" ? b.seq(s.stmts.map(run)) : s;
  };
  return run(turn);
}
