/** A suite's plan and its tasks for tests: random search, one trial at a time, without finalists. */
import type { PlannedTask, SuitePlan } from "../client/src/suite/plan.ts";
import type { PlacedSpec } from "../records/src/search-spec.ts";

export const suitePlan = (more: Partial<SuitePlan>): SuitePlan => ({ version: 1, name: "toy", tasks: [], budget: {}, ...more });

/** A task of a template. `search`: what differs. */
export const plannedTask = (
  id: string,
  template: string,
  search: Partial<PlacedSpec> = {},
  more: Partial<PlannedTask> = {},
): PlannedTask => {
  const { key = "cpu/x86-64-v3", target = key } = search;
  const how = { tuner: "random", seed: 0, finalists: { count: 0 }, in_flight: 1, start: "none" as const };
  return { id, search: { version: 1, task: { template }, args: [], ...how, ...search, key, target }, weight: 1, ...more };
};
