/**
 * Program E: NHWC in and out, one kernel; layouts change only in shared memory and fragments. Small shapes run by warps against
 * the definition.
 */
import { formatTarget, type Json } from "@warpfarm/common";
import { evaluate, gpuLimits, interpret, interpretKernels, lowerFunc, parseTarget } from "@warpfarm/compiler";
import { describe, expect, it } from "vitest";
import { needs } from "../../../test-support/needs.ts";
import { createTask } from "../task.ts";
import { compiled, inputsOf, nestOf, nvccResources } from "./template.testing.ts";

describe("the default config", () => {
  const task = createTask("conv2d_nhwc_wmma", undefined, "cuda/sm_90");
  const index = task.space.toIndex(task.published ?? Number.NaN);
  const text = compiled(task, index);

  it("is one kernel on NHWC, HWIO and NHWC", () => {
    expect(text.kernels).toHaveLength(1);
    expect(text.buffers.map(({ name, shape, role }) => [name, shape, role])).toEqual([
      ["A", [256, 14, 14, 256], "in"],
      ["W", [3, 3, 256, 512], "in"],
      ["Conv", [256, 14, 14, 512], "out"],
    ]);
  });

  it("copies 16 bytes a lane, 64 bytes of channels by neighbouring lanes, with two barriers", () => {
    const lines = text.text.split("\n");
    const copies = lines.filter((line) => /^ +\*\(f16x8 \*\)\((Apad|W)_shared/.test(line));
    expect(copies).toHaveLength(2);
    expect(lines.filter((line) => line.includes("__syncthreads"))).toHaveLength(2);
    expect(text.notes).toEqual([]);
  });

  it("is taken by nvcc, everything in registers", (ctx) => {
    needs(ctx, "nvcc");
    expect(nvccResources(text.text)).toMatchObject({ stack: 0, spills: 0 });
  });
});

describe("small shapes, run by warps", () => {
  const target = parseTarget("cuda/sm_90");
  const args = { N: 32, H: 2, W: 2, CI: 32, CO: 32, KH: 3, KW: 3, stride: 1, padding: 1 };
  it.each<[what: string, args: Json, knobs: readonly number[]]>([
    ["one warp, two by one tiles, padded rows", args, [0, 0, 1, 0, 1, 1, 3]],
    ["two by two warps, vectors of 4, dense rows", { ...args, CI: 16 }, [1, 1, 0, 0, 0, 0, 2]],
    [
      "one by two warps, stride 2, no padding",
      { ...args, H: 5, W: 4, KH: 2, KW: 2, padding: 0, stride: 2 },
      [0, 1, 1, 0, 0, 1, 3],
    ],
  ])("%s", (_, given, digits) => {
    const task = createTask("conv2d_nhwc_wmma", given, formatTarget(target));
    const inputs = inputsOf(task);
    const expected = evaluate(task.graph, inputs).get("Conv");
    const func = nestOf(task, task.space.fromDigits(digits));
    expect(interpret([func], inputs).data.get("Conv")).toEqual(expected);
    expect(interpretKernels(lowerFunc(func, target), inputs).data.get("Conv")).toEqual(expected);
  });
});

it("refuses what a tile cannot do, before anything is built", () => {
  expect(() => createTask("conv2d_nhwc_wmma", { CO: 40 }, "cuda/sm_90")).toThrow("CO is 40");
  // Three tiles of the batch in warps of two: the last has one row too many.
  const task = createTask("conv2d_nhwc_wmma", { N: 48 }, "cuda/sm_90");
  const digits = [0, 0, 1, 0, 0, 0, 3];
  expect(task.validate(task.space.fromDigits(digits), gpuLimits("cuda/sm_90")).map((v) => v.rule)).toEqual(["tensorize.guard"]);
});
