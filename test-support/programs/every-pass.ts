/** Checks, after each pass, the rules of the dialect that the pass produces. */

import { parseTarget, type Target } from "@warpfarm/common";
import type { PrimFunc } from "../../compiler/src/ir/prim-func.ts";
import { infer } from "../../compiler/src/schedule/infer.ts";
import { replay } from "../../compiler/src/schedule/schedule.ts";
import type { ScheduleProgram } from "../../compiler/src/serial/program.ts";
import { lowerFunc, verifyKernels } from "../../compiler/src/target/index.ts";
import { loweredRules } from "../../compiler/src/verify/lowered.ts";
import { verifyRules } from "../../compiler/src/verify/rule.ts";
import { scheduledRules } from "../../compiler/src/verify/scheduled.ts";

/** Kernels also have rules of their target: verifyKernels. */
const rulesOf = { scheduled: scheduledRules, lowered: loweredRules, device: loweredRules } as const;

const wordsOf = (wrong: ReturnType<typeof verifyRules>): string =>
  wrong.map(({ rule, message }) => `${message} [${rule}]`).join("; ");

/** Kernels of a nest; throws when inference or a pass produced something that its dialect does not allow. */
export function lowerWatched(func: PrimFunc<"scheduled">, target: Target) {
  const look = (pass: string, found: PrimFunc) => {
    const wrong = verifyRules(found, rulesOf[found.dialect]);
    if (wrong.length > 0) throw new Error(`after ${pass}: ${wordsOf(wrong)}`);
  };
  look("inference", func);
  return lowerFunc(func, target, { after: look });
}

/** The first violation in a program after any pass or in its kernels. */
export function wrongAfterPasses(program: ScheduleProgram): string | undefined {
  const schedule = replay(program.graph, program.trace, program.intrinsics);
  if (!schedule.ok) return schedule.error.message;
  const inferred = infer(schedule.value.state);
  if (!inferred.ok) return inferred.error.message;
  const target = parseTarget(program.target);
  try {
    return wordsOf(verifyKernels(lowerWatched(inferred.value.func(), target), target)) || undefined;
  } catch (error) {
    return String(error);
  }
}
