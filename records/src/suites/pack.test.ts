/** What a pack says of itself for people. */
import { expect, test } from "vitest";
import { type Bucket, bucketWords } from "./pack.ts";

test("a bucket is named by its label, or by what it computes, and by the model, or the kind of device", () => {
  const bucket = { task: { template: "matmul_mma" }, args: [4, "NN"], key: "cuda/sm_90" } as unknown as Bucket;
  const operator = { name: "matmul", args: [4, "NN", "x"] };
  expect(
    [
      bucket,
      { ...bucket, where: "memory>=80GB" },
      { ...bucket, device: "NVIDIA H200" },
      { ...bucket, device: "NVIDIA H200", operator },
      { ...bucket, operator, label: "first layer" },
    ].map(bucketWords),
  ).toEqual([
    'matmul_mma [4,"NN"] on cuda/sm_90',
    'matmul_mma [4,"NN"] on cuda/sm_90, memory>=80GB',
    'matmul_mma [4,"NN"] on NVIDIA H200',
    'matmul [4,"NN","x"] by matmul_mma on NVIDIA H200',
    "first layer on cuda/sm_90",
  ]);
});
