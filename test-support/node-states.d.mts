import type { Clock } from "@warpfarm/common";
import type { TrackerConnection } from "@warpfarm/proto";

export function watchNodeStates(
  tracker: Pick<TrackerConnection, "farm">,
  clock: Pick<Clock, "sleep">,
): { stop(): Promise<ReadonlyMap<string, number>> };
