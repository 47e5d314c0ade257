import { createTask } from "@warpfarm/templates";
import { expect, test, vi } from "vitest";
import { train } from "../tuner/boost/boost.ts";
import { tuners } from "../tuner/index.ts";
import { optionsOfRecords } from "../tuner/outlined.ts";
import { foresee } from "./open-search.ts";
import { wholeSpec } from "./search-spec.ts";
import { withShipped } from "./shipped.ts";

vi.mock("../tuner/boost/boost.ts", async (original) => {
  const boost = await original<typeof import("../tuner/boost/boost.ts")>();
  return { ...boost, train: vi.fn(boost.train) };
});

const taskOf = (target: string) => createTask("matmul_mma", {}, target);
const specOf = (start: "farm" | "none") =>
  wholeSpec({ version: 1, task: { template: "matmul_mma" }, start }, taskOf("cuda/sm_90"), "cuda/sm_90");

/** As a search makes it whose farm has no records. */
function tunerOf(target: string): void {
  const task = taskOf(target);
  tuners.auto({ space: task.space, seed: 3, isValid: () => true, ...optionsOfRecords(task, withShipped([], task, "auto")) });
}

test("what was foreseen of the package is not learnt again, whatever the seed; another target's is", () => {
  foresee({ spec: specOf("none"), task: taskOf("cuda/sm_90") });
  expect(train).not.toHaveBeenCalled();
  foresee({ spec: specOf("farm"), task: taskOf("cuda/sm_90") });
  const models = vi.mocked(train).mock.calls.length;
  expect(models).toBeGreaterThan(0);
  tunerOf("cuda/sm_90");
  expect(train).toHaveBeenCalledTimes(models);
  tunerOf("cuda/sm_80");
  expect(train).toHaveBeenCalledTimes(2 * models);
});
