/**
 * The knobs filters, arrays and dependent of conv2d_splitk: small shapes run by threads against the definition; a second kernel
 * that starts early waits before it reads.
 */
import { formatTarget, type Json } from "@warpfarm/common";
import { evaluate, interpretKernels, lowerFunc, parseTarget, verifyKernels } from "@warpfarm/compiler";
import { describe, expect, it } from "vitest";
import { createTask } from "../task.ts";
import { compiled, indexWith, inputsOf, needsNvccInCampaign, nestOf, nvccResources } from "./template.testing.ts";

const target = parseTarget("cuda/sm_90");
const on = formatTarget(target);
const usual = { tile: [7, 7], warps: 8, channels: 4, vectors: 1, sum_threads: 128, filters: 32, arrays: 1, dependent: 0 };

it("has nothing to choose of dependent launches where there are none", () => {
  const choices = (on: string) =>
    createTask("conv2d_splitk", undefined, on).space.knobs.find(({ name }) => name === "dependent")?.size;
  expect([choices("cuda/sm_80"), choices("cuda/sm_90")]).toEqual([1, 2]);
});

describe("a second kernel that starts early", () => {
  const task = createTask("conv2d_splitk", undefined, on);
  const index = indexWith(task, { ...usual, dependent: 1 });
  it("is launched so, and waits before it reads the sums of the first one, which releases it last", () => {
    const { text, kernels } = compiled(task, index);
    expect(kernels.map(({ attributes }) => attributes)).toEqual([undefined, [{ kind: "dependent" }]]);
    const [first = "", second = ""] = text.split('extern "C"').slice(1);
    expect(first.trimEnd().endsWith("release_kernel();\n}")).toBe(true);
    expect(second.indexOf("wait_for_kernel();")).toBeGreaterThan(0);
    expect(second.indexOf("wait_for_kernel();")).toBeLessThan(second.indexOf("conv_rf["));
    // All parts are on their way before one is stored.
    expect(second.match(/conv_rf\[/g)).toHaveLength(16);
    expect(second.match(/ conv\[/g)).toHaveLength(1);
  });
  it("that reads first is refused", () => {
    const kernels = lowerFunc(nestOf(task, index), target);
    expect(verifyKernels(kernels, target)).toEqual([]);
    const [, patient] = lowerFunc(nestOf(task, indexWith(task, usual)), target);
    const rushed = kernels.map((kernel) => (kernel.dependent && patient ? { ...kernel, func: patient.func } : kernel));
    const [violation, ...others] = verifyKernels(rushed, target);
    expect([violation?.rule, others]).toEqual(["device.dependent", []]);
    expect(violation?.message).toContain("touches conv, which a kernel of the run writes, without having waited for it");
  });
  it("is taken by nvcc, all sums in registers", (ctx) => {
    needsNvccInCampaign(ctx);
    expect(nvccResources(compiled(task, index).text)).toMatchObject({ stack: 0, spills: 0 });
  });
});

it("chunks come by cp.async, one array each", () => {
  const task = createTask("conv2d_splitk", undefined, on);
  const { text, kernels } = compiled(task, indexWith(task, { ...usual, channels: 2, arrays: 2 }));
  expect(text).toContain("cp_async_16(");
  expect(kernels[0]?.grid).toEqual([16, 16, 1]);
  const wide = compiled(task, indexWith(task, { ...usual, filters: 64 })).kernels[0];
  expect([wide?.grid, wide?.block]).toEqual([
    [16, 8, 1],
    [64, 8, 1],
  ]);
});

describe("small shapes, run by threads", () => {
  const args = { N: 1, H: 3, W: 3, CO: 32, CI: 16, KH: 3, KW: 3, stride: [1, 1], padding: [1, 1], border: "skip" };
  const config = { ...usual, tile: [3, 3], warps: 4, channels: 1, sum_threads: 64, dependent: 1 };
  it.each<[string, Json, Record<string, unknown>]>([
    ["an early second kernel", args, config],
    ["two chunks", args, { ...config, arrays: 2 }],
    ["three chunks, a tail of channels", { ...args, CI: 25 }, { ...config, arrays: 3 }],
    ["64 filters, not all there", { ...args, CO: 70 }, { ...config, filters: 64 }],
    ["two chunks, one kernel, no vectors", { ...args, CI: 8 }, { ...config, arrays: 2, vectors: 0 }],
    ["fewer channels than chunks", { ...args, CI: 3 }, { ...config, arrays: 3 }],
    ["a padded border, two chunks of two channels", { ...args, border: "pad" }, { ...config, arrays: 2, channels: 2 }],
    [
      "stride 2, 64 filters, two chunks",
      { ...args, H: 5, W: 6, KH: 2, stride: [2, 2], padding: [0, 0] },
      { ...config, tile: [2, 2], filters: 64, arrays: 2 },
    ],
    ["one tap", { ...args, KH: 1, KW: 1, padding: [0, 0] }, { ...config, arrays: 2, channels: 2 }],
  ])("%s", (_, given, values) => {
    const task = createTask("conv2d_splitk", given, on);
    const inputs = inputsOf(task);
    const kernels = lowerFunc(nestOf(task, indexWith(task, values)), target);
    expect(interpretKernels(kernels, inputs).data.get("conv")).toEqual(evaluate(task.graph, inputs).get("conv"));
  });
});
