import { createTask } from "@warpfarm/templates";
import { expect, it } from "vitest";
import { provenanceOf } from "./provenance.ts";

it("tells task, space and search, and which file a template came from", () => {
  const task = createTask("matmul_cpu", [4, 8, 16, "float32", "NN"], "cpu/x86-64-v2");
  const told = provenanceOf(task, { tuner: "auto", seed: 3, budget: { trials: 9 } });
  expect(told).toEqual({
    ...{ task: "matmul_cpu", args: [4, 8, 16, "float32", "NN"], template: "matmul_cpu", space: told.space },
    ...{ tuner: "auto", seed: 3, trials: 9 },
  });
  expect(provenanceOf({ ...task, version: "sha256:1" })).toMatchObject({ templateVersion: "sha256:1" });
  const other = createTask("matmul_cpu", [4, 8, 32, "float32", "NN"], "cpu/x86-64-v2");
  expect(provenanceOf(other).space).not.toBe(told.space);
});
