import { createTask } from "@warpfarm/templates";
import { expect, it } from "vitest";
import { failedResult, timedResult } from "../measure/scripted.testing.ts";
import { provenanceOf, timesOf } from "./provenance.ts";

it("tells task, space and search, and which file a template came from", () => {
  const task = createTask("matmul_cpu", [4, 8, 16, "float32", "NN"], "cpu/x86-64-v2");
  const told = provenanceOf(task, { tuner: "auto", seed: 3, trials: 9, ...timesOf(timedResult(2), 0.5) });
  expect(told).toEqual({
    ...{ task: "matmul_cpu", args: [4, 8, 16, "float32", "NN"], template: "matmul_cpu", space: told.space },
    ...{ tuner: "auto", seed: 3, trials: 9, defaultSeconds: 2, librarySeconds: 0.5 },
  });
  expect(provenanceOf({ ...task, version: "sha256:1" })).toMatchObject({ templateVersion: "sha256:1" });
  const other = createTask("matmul_cpu", [4, 8, 32, "float32", "NN"], "cpu/x86-64-v2");
  expect(provenanceOf(other).space).not.toBe(told.space);
});

it("has no time of a default schedule that failed, or was not measured yet", () => {
  expect(timesOf(failedResult(4))).toEqual({});
  expect(timesOf(undefined, 2)).toEqual({ librarySeconds: 2 });
});
