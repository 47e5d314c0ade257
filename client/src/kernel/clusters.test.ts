/** Clusters that no device could launch are refused before anything is built. */
import { gpuLimits } from "@warpfarm/compiler";
import { expect, it } from "vitest";
import { createKernelTask } from "./kernel-task.ts";
import { readSpec } from "./spec.ts";

function taskOf(target: string, launch: object) {
  const args = [{ name: "c", dtype: "float32", shape: [32], role: "out" }];
  const spec = readSpec({ args, kernels: [{ entry: "f", ...launch }] });
  if (!spec.ok) throw new Error(spec.error);
  const files = { "f.cu": "// f" };
  const source = {
    kind: "cuda_source" as const,
    name: "f",
    word: "./f.cu",
    targets: [{ kind: "cuda" }],
    spec: spec.value,
    files,
  };
  return createKernelTask(source, undefined, target);
}

it.each([
  ["cuda/sm_90", [8, 2], [8, 2], undefined],
  ["cuda/sm_90", [1], [17], undefined],
  ["cuda/sm_90", [6, 3], [6, 3], "a cluster has 16 blocks at most"],
  ["cuda/sm_90", [2], [3], "its grid is 3 x 1 x 1, which is not a multiple of the cluster"],
  ["cuda/sm_89", [2], [2], "cuda/sm_89 has no clusters; sm_90 and later have them"],
])("on %s clusters of %j blocks in a grid of %j: %s", (on, cluster, grid, why) => {
  const task = taskOf(on, { grid, block: [32], cluster });
  const found = task.validate(task.space.toIndex(0), gpuLimits(on)).map(({ message }) => message);
  const words = [...cluster, 1, 1].slice(0, 3).join(" x ");
  expect(found).toEqual(why === undefined ? [] : [`the cluster of "f" is ${words}; ${why}`]);
});
