import { createTask } from "@warpfarm/templates";
import { expect, it } from "vitest";
import { provenanceOf } from "./provenance.ts";

it("is the search with its task, and describes the space", () => {
  const task = createTask("matmul_derived", [4, 16, 8, "float32", "NN"], "cpu/x86-64-v2");
  const told = provenanceOf(task, { tuner: "auto", seed: 3, budget: { trials: 9 } });
  const of = { version: 1, args: [4, 16, 8, "float32", "NN"], target: "cpu/x86-64-v2" };
  expect(told).toEqual({
    search: { ...of, task: { template: "matmul_derived" }, tuner: "auto", seed: 3, budget: { trials: 9 } },
    space: told.space,
  });
  // Of one measurement: no tuner chose it.
  expect(provenanceOf(task).search).toEqual({ ...of, task: { template: "matmul_derived" } });
  const file = { ...task, word: "../mine/my-product.ts", version: "sha256:1" };
  expect(provenanceOf(file).search?.task).toEqual({ file: "my-product.ts", digest: "sha256:1", name: "matmul_derived" });
  const other = createTask("matmul_derived", [4, 16, 12, "float32", "NN"], "cpu/x86-64-v2");
  expect(provenanceOf(other).space).not.toBe(told.space);
});
