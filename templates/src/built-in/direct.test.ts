/**
 * The *_direct templates: their texts on a GPU. odd-shapes.test.ts tests their results at odd shapes, for all types.
 */
import type { Json } from "@warpfarm/common";
import { expect, it } from "vitest";
import { some } from "../../../test-support/campaign.ts";
import { createTask } from "../task.ts";
import { compiled, indexWith, needsNvccInCampaign, nvccResources } from "./template.testing.ts";

it("a thread's elements lie a block's threads apart, and each is summed in a register", () => {
  const task = createTask("matmul_direct", { M: 32, N: 64, K: 8 }, "cuda/sm_90");
  const { text, kernels } = compiled(task, indexWith(task, { threads: 256, items: 4, unroll: 0 }));
  expect(kernels.map(({ grid, block }) => [grid, block])).toEqual([
    [
      [2, 1, 1],
      [256, 1, 1],
    ],
  ]);
  expect(text.match(/^ +C\[.*\] = sums|^ +C\[.*\] = C_local/gm)).toHaveLength(4);
  for (const apart of [256, 512, 768]) expect(text).toMatch(new RegExp(`C\\[.*\\+ ${apart}\\] = C_local`));
});

const texts: readonly [template: string, args: Json][] = [
  ["elementwise_direct", { rows: 7, columns: 13, dtype: "bfloat16", op: "multiply" }],
  ["matmul_direct", { M: 17, N: 1, K: 13, dtype: "int8", layout: "TT" }],
  ["conv2d_direct", { N: 16, CI: 16, CO: 16, layout: "NHWCnc", dtype: "float64" }],
  ["depthwise_direct", { H: 7, W: 7, C: 13, dtype: "uint8" }],
];
it.for(some(texts, 0, 2))("nvcc takes %s of %j", ([template, args], ctx) => {
  needsNvccInCampaign(ctx);
  const task = createTask(template, args, "cuda/sm_90");
  expect(nvccResources(compiled(task, indexWith(task, { threads: 64, items: 4, unroll: 16 })).text)).toMatchObject({ spills: 0 });
});
