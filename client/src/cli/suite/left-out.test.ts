import { expect, test } from "vitest";
import { readSuiteFile } from "../../suite/format.ts";
import { leftWords, planTasks, readTasks } from "../../suite/plan.ts";
import { Sources } from "./sources.ts";

/** The plan of products of 128 rows and a sum of 64, on an H100. */
async function mixed(task: string, ...N: readonly number[]) {
  const file = readSuiteFile({ name: "s", tasks: [{ task, args: { M: 128, K: 64 }, shapes: N.map((n) => ({ N: n })) }] });
  if (!file.ok) throw new Error(file.error);
  const sources = new Sources(".");
  const from = { source: (one: (typeof file.value.tasks)[number]) => sources.forPlan(one), read: async () => "" };
  return planTasks(file.value, await readTasks(file.value, from), () => ["cuda/sm_90a"]);
}

test("a shape that nothing of its task takes is listed with its place and reason, and the others are searched", async () => {
  const plan = await mixed("matmul_tma", 256, 1111, 512, 1113);
  expect(plan.tasks.map(({ search }) => search.args?.[1])).toEqual([256, 512]);
  const why = (at: number, n: number) =>
    `tasks[0] (matmul_tma) shape ${at}: matmul_tma: a row of B has ${n} elements; the copy engine takes multiples of 8, which are 16 bytes, on cuda/sm_90a`;
  expect(plan.left).toEqual([why(2, 1111), why(4, 1113)]);
  expect((await mixed("matmul_tma", 256)).left).toBeUndefined();
  // Nothing is left, and arguments that the task does not have are no shape.
  await expect(mixed("matmul_tma", 1111)).rejects.toThrow("a row of B has 1111 elements");
  await expect(mixed("matmul_tma", 256, 0)).rejects.toThrow("N is 0");
  expect(leftWords(plan)).toBe(`left out: ${why(2, 1111)}\nleft out: ${why(4, 1113)}\n`);
  // Ids name the shape, for readers of packs and of folders of logs; the digest keeps them apart.
  expect(plan.tasks.map(({ id }) => id.replace(/-[0-9a-f]{12}$/, ""))).toEqual(
    [256, 512].map((n) => `matmul_tma_M128_N${n}_K64_float16_NN-cuda_sm_90a`),
  );
  // An operator has another template for it.
  expect((await mixed("matmul", 1111)).left).toBeUndefined();
});
