import { FarmError, type MeasureResult } from "@warpfarm/common";

/** The costs of all programs, undefined when it failed. Throws FarmError when a runner's answer does not fit. */
export function costsInTurns(result: MeasureResult, programs: number): readonly (readonly number[])[] | undefined {
  if (result.kind === "failed") return undefined;
  const costs = result.kind === "timed" ? result.paired?.map((each) => each.costs) : undefined;
  const [first] = costs ?? [];
  if (costs?.length === programs && costs.every((each) => each.length === first?.length && each.every((cost) => cost > 0)))
    return costs;
  throw new FarmError(
    "DATA_LOSS",
    `the runner of ${result.device.node} did not give the costs of ${programs} interleaved programs`,
  );
}
