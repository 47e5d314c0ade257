/**
 * Asynchronous matrix products (Intrinsic.engine) become groups, and a wait stands before the first statement that may not come
 * while a group is in flight: one that touches its sums, writes its factors in registers, or gives its slot away. Work between
 * the two goes on beside tensor cores. Loops begin and end with no group in flight.
 *
 * A loop that is fed by a ring is turned, too, so that a slot is released when the group after its own has begun:
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
 * The pass runs last: no pass moves a statement over a wait.
 */
import type { Buffer } from "../../ir/buffer.ts";
import * as b from "../../ir/build.ts";
import type { Expr } from "../../ir/expr.ts";
import { eachPart, isProduct, isRemark, touches } from "../../ir/parts.ts";
import type { Async, For, Stmt } from "../../ir/stmt.ts";
import { mapStmt, someExpr, someStmt, substituteStmt, walkStmt } from "../../ir/visit.ts";
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

interface Group {
  readonly sums: ReadonlySet<Buffer>;
  readonly factors: ReadonlySet<Buffer>;
}

/** What a body's products add to, and what they read. */
export function groupOf(body: Stmt): Group {
  const [sums, factors] = [new Set<Buffer>(), new Set<Buffer>()];
  walkStmt(body, (s) => {
    if (isProduct(s)) for (const { buffer, how } of touches(s)) (how === "write" ? sums : factors).add(buffer);
  });
  return { sums, factors };
}

function needs(s: Stmt, { sums, factors }: Group): boolean {
  if (s.kind === "Release" || s.kind === "Fill") return s.channel.buffers.some((buffer) => factors.has(buffer));
  return touches(s).some(({ buffer, how }) => sums.has(buffer) || (how === "write" && factors.has(buffer))) || readsAny(s, sums);
}

function readsAny(s: Stmt, buffers: ReadonlySet<Buffer>): boolean {
  let found = false;
  eachPart(
    s,
    () => {},
    (e) => {
      found ||= someExpr(e, (part) => part.kind === "Load" && buffers.has(part.buffer));
    },
  );
  return found;
}

class Waits {
  /** The groups in flight, oldest first. */
  #flying: readonly Group[] = [];

  /** With no group in flight before and after it. */
  alone(s: Stmt): Stmt {
    const before = this.#wait(() => true);
    const body = this.#run(s);
    return b.seq([...before, body, ...this.#wait(() => true)]);
  }

  #run(s: Stmt): Stmt {
    if (isGroup(s)) {
      this.#flying = [...this.#flying, groupOf(s)];
      return { kind: "Async", engine: "wgmma", body: s };
    }
    if (s.kind === "Seq") return b.seq(s.stmts.map((part) => this.#run(part)));
    if (s.kind === "Allocate") {
      const body = this.#run(s.body);
      return { ...s, body: b.seq([body, ...this.#wait(({ sums, factors }) => sums.has(s.buffer) || factors.has(s.buffer))]) };
    }
    if (!someStmt(s, isProduct)) return b.seq([...this.#wait((group) => someStmt(s, (part) => needs(part, group))), s]);
    if (isRemark(s) || s.kind === "AllocChannel" || (s.kind === "For" && s.forKind === "bound"))
      return mapStmt(
        s,
        (part) => this.#run(part),
        (e) => e,
      );
    const made = mapStmt(
      s,
      (part) => this.alone(part),
      (e) => e,
    );
    return (made.kind === "For" && later(made)) || made;
  }

  /** Of groups that end in their order, up to the youngest for which it holds. */
  #wait(holdsFor: (group: Group) => boolean): readonly Stmt[] {
    const last = this.#flying.findLastIndex(holdsFor);
    this.#flying = this.#flying.slice(last + 1);
    return last < 0 ? [] : [waitAllBut(this.#flying.length)];
  }
}

export const placeWaits = definePass<"lowered", "lowered">("place-waits", (func) =>
  someStmt(func.body, isProduct) ? withBody(func, new Waits().alone(func.body)) : func,
);
