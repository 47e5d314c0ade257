import type { LaunchAttribute } from "@warpfarm/common";
import type { LaunchNumber } from "./driver-types.ts";

/** CUlaunchAttribute, by the numbers of cuda.h. Attributes that are set on the function have none. */
export function launchNumber(attribute: LaunchAttribute): readonly LaunchNumber[] {
  switch (attribute.kind) {
    case "dependent":
      return [{ id: 6, value: 1 }];
    case "cooperative":
      return [{ id: 2, value: 1 }];
    case "cluster_scheduling":
      return [{ id: 5, value: attribute.policy === "spread" ? 1 : 2 }];
    case "shared_carveout":
      return [];
  }
}
