/** Rules of the dialect `scheduled` (ir/prim-func.ts): the result of inference, on which the first passes rely. */

import type { Refusal } from "@warpfarm/common";
import type { PrimFunc } from "../ir/prim-func.ts";
import type { For } from "../ir/stmt.ts";
import { commonRules } from "./common-rules.ts";
import { type Rule, rule, verifyRules } from "./rule.ts";

const maxVirtualThreads = 1 << 16;

const virtualThreads = (loops: readonly For[]): number =>
  loops.reduce((product, loop) => (loop.thread === "vthread" ? product * loop.extent : product), 1);

export const scheduledRules: readonly Rule[] = [
  ...commonRules,
  rule("scheduled.no-barrier", ["Barrier", "Async", "Wait"], (s) => `a ${s.kind} before lowering; lowering puts them in`),
  rule("scheduled.no-vector", ["Ramp", "Broadcast"], (e) => `a ${e.kind} before lowering`),
  rule("scheduled.vthreads", "For", (s, scope) => {
    if (s.thread !== "vthread") return undefined;
    const count = virtualThreads(scope.loops) * s.extent;
    return count > maxVirtualThreads ? `${count} virtual threads in one thread; at most ${maxVirtualThreads}` : undefined;
  }),
  rule("scheduled.thread-in-vector", "For", (s, scope) => {
    if (s.thread === undefined || s.thread === "vthread") return undefined;
    const outer = scope.loops.find((loop) => loop.forKind === "vectorized" || loop.forKind === "parallel");
    return outer && `${s.loopVar.name} is bound to ${s.thread} inside the ${outer.forKind} loop ${outer.loopVar.name}`;
  }),
];

export const verifyScheduled = (func: PrimFunc<"scheduled">): readonly Refusal[] => verifyRules(func, scheduledRules);
