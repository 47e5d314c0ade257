/** A suite's plan for tests: random search, one trial at a time, without finalists. */
import type { SuitePlan } from "../client/src/suite/plan.ts";

export const suitePlan = (more: Partial<SuitePlan>): SuitePlan => ({
  version: 1,
  name: "toy",
  tasks: [],
  budget: {},
  tuner: "random",
  seed: 0,
  finalists: 0,
  inFlight: 1,
  measure: {},
  ...more,
});
