/**
 * Linear layers by matmul_tma: small ones run by warpgroups, held to the definition of their graphs and to a sum written here; at
 * full size the text through nvcc.
 */
import { formatTarget, type Json } from "@warpfarm/common";
import { type ConfigIndex, evaluate, lowerFunc, parseTarget, verifyKernels } from "@warpfarm/compiler";
import { describe, expect, it } from "vitest";
import { some } from "../../../test-support/campaign.ts";
import {
  inputsOf,
  needsNvccInCampaign,
  nestOf,
  nvccResources,
  pointOf,
  runInOrder,
  textOf,
} from "../built-in/template.testing.ts";
import { createTask } from "../task.ts";

const target = parseTarget("cuda/sm_90a");
const taskOf = (args: Json) => createTask("matmul_tma", args, formatTarget(target));

/** The point whose knobs have these values; others their first one. */
describe("small layers, run by warpgroups", () => {
  const all = { epilogue: ["scale(0.5)", "bias", "residual", "relu"] };
  it.each<[what: string, args: Record<string, Json>, knobs: Record<string, Json>]>([
    ["all of it, by threads", { M: 64, N: 64, K: 128, ...all }, { producer: 40 }],
    [
      "all of it, by the engine, 3 tiles for 2 blocks",
      { M: 192, N: 64, K: 64, layout: "NT", ...all },
      { waves: 2, epilogue: "tma" },
    ],
    [
      "all of it, the residual in slots of the ring of pairs that share B, 3 tiles",
      { M: 190, N: 128, K: 128, ...all },
      { columns: 128, stages: 3, waves: 2, producer: 24, epilogue: "tma", cluster: "2m", parts: 2, residual: "ring" },
    ],
    [
      "two residuals of which one joins the ring, matrices of a batch over the end",
      { M: 72, N: 72, K: 128, batch: 2, dtype: "bfloat16", epilogue: ["residual", "relu", "residual"] },
      { columns: 64, stages: 2, waves: 2, producer: 24, epilogue: "tma", residual: "ring" },
    ],
    ["over the end, a bias", { M: 50, N: 72, K: 40, dtype: "bfloat16", epilogue: ["bias"] }, { stages: 3, producer: 24 }],
    ["a residual alone, two parts", { M: 64, N: 40, K: 128, epilogue: ["residual", "relu"] }, { epilogue: 2 }],
    ["out in float32", { M: 64, N: 64, K: 64, epilogue: [...all.epilogue, "cast(float32)"] }, { producer: 24 }],
    [
      "all of it, 6 tiles along Hilbert's curve, 4 a block",
      { M: 190, N: 128, K: 64, ...all },
      { order: "hilbert", waves: 4, producer: 24, epilogue: "tma" },
    ],
    [
      "out in float32, by the engine",
      { M: 64, N: 64, K: 64, epilogue: ["bias", "cast(float32)"] },
      { producer: 24, epilogue: "tma" },
    ],
    [
      "int8, by the engine",
      { M: 64, N: 128, K: 64, epilogue: ["channel_scale", "quantize(4)"] },
      { columns: 128, epilogue: "tma" },
    ],
    ["int8, stored by threads", { M: 64, N: 64, K: 64, epilogue: ["channel_scale", "quantize(4)"] }, {}],
  ])("%s", (_, args, knobs) => {
    const task = taskOf(args);
    const inputs = inputsOf(task);
    const kernels = lowerFunc(nestOf(task, pointOf(task, knobs)), target);
    expect(verifyKernels(kernels, target)).toEqual([]);
    expect(runInOrder(kernels, inputs, 2 * task.flops).data.get("C")).toEqual(evaluate(task.graph, inputs).get("C"));
  });
});

it("is what its name says", () => {
  const [M, N, K] = [3, 8, 16];
  const task = taskOf({ M, N, K, epilogue: ["scale(0.25)", "bias", "residual", "relu", "cast(float32)"] });
  const inputs = inputsOf(task);
  const of = (name: string) => Array.from(inputs.get(name) as Iterable<number>, Number);
  const [A, B, bias, residual] = [of("A"), of("B"), of("bias"), of("residual")];
  const wanted = Array.from({ length: M * N }, (_, at) => {
    const [i, j] = [Math.floor(at / N), at % N];
    let sum = 0;
    for (let k = 0; k < K; k++) sum += (A[i * K + k] as number) * (B[k * N + j] as number);
    return Math.max(0, Math.fround(0.25 * sum + (bias[j] as number) + (residual[at] as number)));
  });
  expect(Array.from(evaluate(task.graph, inputs).get("C") as Iterable<number>)).toEqual(wanted);
  expect(task.graph.inputs.map(({ name }) => name)).toEqual(["A", "B", "bias", "residual"]);
});

it.each([
  "matmul_tma",
  "conv2d_nhwc_tma",
])("the first starts of %s take the residual from the ring, where there is one", (name) => {
  const found = [["bias"], ["bias", "residual"], ["cast(float32)", "residual"]].map((epilogue) => {
    const { space, starts } = createTask(name, { epilogue }, formatTarget(target));
    const at = space.knobs.findIndex((knob) => knob.name === "residual");
    return space.knobs[at]?.decode(space.digits(starts?.[0] as ConfigIndex)[at] as number);
  });
  expect(found).toEqual(["direct", "ring", "direct"]);
});

const stores = [
  ["tma", 3],
  ["direct", 4],
] as const;
it.for(some<(typeof stores)[number]>(stores, 0))("at 4096, stored by %s, needs no more registers than there are", ([
  epilogue,
  stages,
], ctx) => {
  needsNvccInCampaign(ctx);
  const task = taskOf({ epilogue: ["scale(0.5)", "bias", "residual", "relu"] });
  const at = pointOf(task, { consumers: 2, columns: 256, stages, group: 8, waves: 0, producer: 40, epilogue });
  expect(nvccResources(textOf(task, at), "sm_90a")).toMatchObject({ spills: 0, stack: 0 });
});
