/** A dispatch table as JSON. */
import { type DispatchTable, valuesOf } from "@warpfarm/records/suites";

export const dispatchJson = ({ task, key, target, kernels, shapes, meanRegret, worstRegret, unmeasured }: DispatchTable) => ({
  version: 1,
  task,
  device: key,
  target,
  mean_regret: meanRegret,
  worst_regret: worstRegret,
  unmeasured_pairs: unmeasured,
  kernels: kernels.map((entity, kernel) => ({
    kernel,
    config: valuesOf(entity),
  })),
  shapes: shapes.map(
    ({
      task: {
        search: { args },
        weight,
      },
      kernel,
      seconds,
      bestSeconds,
      regret,
    }) => ({
      args,
      weight,
      kernel,
      seconds,
      best_seconds: bestSeconds,
      regret,
    }),
  ),
});
