/** What a result tells a tuner: a time, a failure of the config, or nothing, because the farm failed. */
import { type MeasureResult, measureErrorNo, medianSeconds } from "@warpfarm/common";
import type { Outcome } from "./tuner.ts";

export function outcomeOf(result: MeasureResult): Outcome {
  if (result.kind === "timed") return { kind: "timed", seconds: medianSeconds(result.costs) };
  return { kind: result.errorNo === measureErrorNo.UNKNOWN_ERROR ? "skipped" : "failed" };
}
