/**
 * Whether a kernel was faster on a few inputs in turn than an honest one can be. The least audited time decides, because nothing
 * but computing faster makes it less.
 *
 * An honest kernel takes longer in an audit, since the cache held the few inputs and does not hold the many:
 *
 *   audited <= times * scored + seconds + bytes of one set / half of the memory's rate
 *
 * `times` and `seconds` are fitted on the honest kernels of bench/results/gpu-judged.json (151 on an H200, from 2.4 us to 0.3 s):
 * times is 1 + 1.5 times the greatest excess of a kernel of at least 100 us, seconds 1.5 times the greatest rest of the shorter
 * ones, both rounded up to a tenth. A maximum of 151 bounds 98 of 100 others with a confidence of 95 % (Wilks 1941); the factor
 * 1.5 and the second audit are for the rest. suspicion.test.ts repeats the fit. A host's processor is disturbed by others.
 */
import { backendOf, measureErrorNo, medianSeconds, memoryRateOf, type Seconds } from "@warpfarm/common";
import type { Failure } from "./batches.ts";

export const allowed = {
  cuda: { times: 1.6, seconds: 1.8e-6 },
  cpu: { times: 5, seconds: 5e-6 },
} as const;
/** Bytes a second of a host's memory while others use it. */
const hostRate = 4e8;

/** What was measured, and on what. `bytes`: of one set of inputs and outputs. `name`: the device's model. */
interface AuditedKernel {
  readonly scored: readonly Seconds[];
  readonly audited: readonly Seconds[];
  readonly bytes: number;
  readonly target: string;
  readonly name: string;
}

export function isSuspect({ scored, audited, bytes, target, name }: AuditedKernel): boolean {
  const backend = backendOf(target);
  const { times, seconds } = backend === "cpu" ? allowed.cpu : allowed.cuda;
  const rate = (backend === "cpu" ? hostRate : memoryRateOf(name)) / 2;
  return Math.min(...audited) > times * medianSeconds(scored) + seconds + bytes / rate;
}

export function suspected({ scored, audited }: Pick<AuditedKernel, "scored" | "audited">, sets: number): Failure {
  const words = (seconds: Seconds) => `${(seconds * 1e6).toPrecision(4)} us`;
  const message =
    `CHEAT_SUSPECTED: a run takes ${words(medianSeconds(scored))} when inputs come again, and at least ${words(Math.min(...audited))} ` +
    `on ${sets} sets that it never saw; a kernel must compute each launch anew`;
  return { kind: "failed", errorNo: measureErrorNo.WRONG_ANSWER, rule: "CHEAT_SUSPECTED", message, tainted: false };
}
