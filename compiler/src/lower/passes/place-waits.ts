/**
 * Asynchronous matrix products (Intrinsic.engine) become groups, with waits where their sums or their tiles are needed:
 *
 *   fill 0 .. fill n-2                         fill 0 .. fill n-2
 *   for k in K:                                for k in K:
 *     if k + n-1 < K: fill k + n-1               await k
 *     await k                           ->       group: products of slot k
 *     products of slot k                         wait for all groups but 1
 *     release k                                  if k >= 1: release k - 1
 *                                                if k + n-1 < K: fill k + n-1
 *                                              wait for all groups;  release K - 1
 *
 * A slot is released when the group after its own has begun, so tensor cores always have work. In other loops, and where
 * nothing runs ahead, each group is waited for at its place. The pass runs last: no pass moves a statement over a wait.
 */
import type { Buffer } from "../../ir/buffer.ts";
import * as b from "../../ir/build.ts";
import type { Expr } from "../../ir/expr.ts";
import { isProduct, isRemark, touches } from "../../ir/parts.ts";
import type { Async, For, Stmt } from "../../ir/stmt.ts";
import { mapStmt, substituteStmt, walkStmt } from "../../ir/visit.ts";
import { definePass, withBody } from "../pass.ts";

const waitAllBut = (pending: number): Stmt => ({ kind: "Wait", engine: "wgmma", pending });

function isGroup(s: Stmt): boolean {
  if (isProduct(s)) return true;
  if (s.kind === "Seq") return s.stmts.length > 0 && s.stmts.every(isGroup);
  return (isRemark(s) || (s.kind === "For" && s.forKind !== "bound")) && isGroup(s.body);
}
const isOf = (s: Stmt): s is Async => s.kind === "Async" && s.engine === "wgmma";

/** Divides a body whose group may be waited for one iteration later: fills and awaits before it, releases after it. */
function parted(body: Stmt) {
  if (body.kind !== "Seq") return undefined;
  const at = body.stmts.findIndex(isOf);
  const before = body.stmts.slice(0, at);
  const after = body.stmts.slice(at + 1).filter((s) => s.kind !== "Wait");
  const isFill = (s: Stmt): boolean => s.kind === "Fill" || (s.kind === "If" && s.body.kind === "Fill");
  const fills = before.filter(isFill);
  const awaits = before.filter((s) => s.kind === "Await");
  const ahead = awaits.every(({ channel }) => channel.slots > 1);
  if (at < 0 || fills.length + awaits.length < before.length || awaits.length === 0 || !ahead) return undefined;
  const group = body.stmts[at] as Async;
  return after.every((s) => s.kind === "Release") ? { fills, awaits, group, releases: after } : undefined;
}

function later(loop: For): Stmt | undefined {
  const parts = loop.extent > 1 && loop.forKind === "serial" ? parted(loop.body) : undefined;
  if (!parts) return undefined;
  const { fills, awaits, group, releases } = parts;
  const k = loop.loopVar;
  const releasedAt = (turn: Expr): Stmt => b.seq(releases.map((s) => substituteStmt(s, new Map([[k, turn]]))));
  const before = b.ifThen(b.ge(k, b.int(1)), releasedAt(b.sub(k, b.int(1))));
  return b.seq([
    { ...loop, body: b.seq([...awaits, group, waitAllBut(1), before, ...fills]) },
    waitAllBut(0),
    releasedAt(b.int(loop.extent - 1)),
  ]);
}

const run = (s: Stmt): Stmt => {
  if (isGroup(s)) return b.seq([{ kind: "Async", engine: "wgmma", body: s }, waitAllBut(0)]);
  const made = mapStmt(s, run, (e) => e);
  return (made.kind === "For" && later(made)) || made;
};

export function sumsUnderWay(body: Stmt): readonly Buffer[] {
  const found = new Set<Buffer>();
  walkStmt(body, (s) => {
    if (isProduct(s)) for (const { buffer, how } of touches(s)) if (how === "write") found.add(buffer);
  });
  return [...found];
}

export const placeWaits = definePass<"lowered", "lowered">("place-waits", (func) =>
  sumsUnderWay(func.body).length > 0 ? withBody(func, run(func.body)) : func,
);
