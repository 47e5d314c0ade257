/** What a result tells a tuner: a time, a bound of it, a failure of the config, or nothing, because the farm failed. */
import { type MeasureResult, measureErrorNo, medianSeconds } from "@warpfarm/common";
import type { Outcome } from "./tuner.ts";

export function outcomeOf(result: MeasureResult): Outcome {
  if (result.kind === "timed") return { kind: "timed", seconds: medianSeconds(result.costs) };
  if (result.kind === "slower") return { kind: "slower", atLeast: result.atLeast };
  return { kind: result.errorNo === measureErrorNo.UNKNOWN_ERROR ? "skipped" : "failed" };
}
