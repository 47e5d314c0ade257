/**
 * Program D of the source tutorials: how many of its points are legal and how many use tensor cores
 * (docs/reference/source-programs.md 4, measured with TVM), the published point's structure, why the others stay on CUDA cores,
 * and every type and layout run in the interpreter.
 */
import { formatTarget, type Json } from "@warpfarm/common";
import {
  evaluate,
  gpuLimits,
  interpret,
  interpretKernels,
  type Limits,
  lowerFunc,
  lowerUntil,
  parseTarget,
  printFunc,
} from "@warpfarm/compiler";
import { describe, expect, it } from "vitest";
import { isFull, some } from "../../../test-support/campaign.ts";
import { needs } from "../../../test-support/needs.ts";
import { createTask, type TemplateTask } from "../task.ts";
import { compiled, inputsOf, nestOf, nvccResources, textOf } from "./template.testing.ts";

const name = "tutorial/auto_tensorcore/test_gemm";
const target = parseTarget("cuda/sm_90");
const taskOf = (args?: Json): TemplateTask => createTask(name, args, formatTarget(target));

const usesTensorCores = (task: TemplateTask, index: number): boolean =>
  /wmma_mma\w*\.update/.test(printFunc(lowerUntil(nestOf(task, index), target, "tensor-core")));

const autotvm = gpuLimits("autotvm");
const big: Limits = { ...autotvm, sharedBytesPerBlock: 232_448 };

describe.each<[dtype: string, layouts: readonly string[], fit: number, legal: number, small: number, large: number]>([
  ["float16", ["NN", "NT", "TN", "TT"], 244, 122, 60, 72],
  ["int8", ["NN", "NT", "TN", "TT"], 280, 210, 105, 108],
  ["int4", ["TN"], 288, 288, 144, 144],
  ["int1", ["TN"], 288, 216, 108, 108],
])("%s", (dtype, layouts, fit, legal, small, large) => {
  it.each(some(layouts, layouts.length - 1))(`%s: ${fit} of 288 fit 48 KiB, ${legal} of them have legal vectors`, (layout) => {
    const task = taskOf([32, 512, 512, dtype, layout]);
    const rules =
      task.space.size === 288 ? [...new Array(288).keys()].map((i) => task.validate(task.space.toIndex(i), autotvm)) : [];
    expect(rules.filter((found) => !found.some((v) => v.rule === "gpu.shared_bytes"))).toHaveLength(fit);
    expect(rules.filter((found) => found.length === 0)).toHaveLength(legal);
  });
  // One layout counts: what the others change is tested below at a small size.
  it(`${layouts[0]}: tensor cores are used by ${small} legal points at 48 KiB and ${large} at 227, exactly those of 16 or 32 rows`, () => {
    const task = taskOf([32, 512, 512, dtype, layouts[0] ?? ""]);
    const counts = { small: 0, large: 0 };
    // In npm test one point of seven, by which every choice of every knob occurs.
    for (let i = 0; i < task.space.size; i += isFull ? 1 : 7) {
      const index = task.space.toIndex(i);
      if (task.validate(index, big).length > 0) continue;
      const used = usesTensorCores(task, i);
      const { bx, by } = Object.fromEntries(task.space.get(index).values) as { bx: number; by: number };
      const isWide = dtype === "float16" || dtype === "int8";
      expect(used, `point ${i}`).toBe(isWide ? by === 16 || by === 32 : bx > 2 && by <= 32);
      counts.large += Number(used);
      if (used && task.validate(index, autotvm).length === 0) counts.small++;
    }
    if (isFull) expect(counts).toEqual({ small, large });
    expect(counts.small).toBeGreaterThan(0);
  });
});

describe("the published point, 127", () => {
  const task = taskOf();
  const text = compiled(task, task.published ?? Number.NaN).text;
  const lines = text.split("\n").filter((line) => !line.startsWith("//"));
  it("is bx 4, by 32, step_k 16, v 8: 16 blocks of 2 x 32 x 2 threads", () => {
    const values = { bx: 4, by: 32, step_k: 16, v: 8 };
    expect(Object.fromEntries(task.space.get(task.space.toIndex(127)).values)).toEqual(values);
    expect(task.published).toBe(127);
    const { kernels, notes } = compiled(task, 127);
    expect(kernels).toMatchObject([{ grid: [16, 1, 1], block: [2, 32, 2], args: ["A", "B", "C"] }]);
    expect(notes).toEqual([]);
  });
  it("allocates one fragment of each kind a warp, A.shared with rows 264 apart", () => {
    const arrays = lines.flatMap((line) => /^ +(?:__shared__ \S+ )?((?:unsigned )?\w+ \w+\[\d+\]);/.exec(line)?.[1] ?? []);
    expect(arrays).toEqual([
      "float C_local[8]",
      "unsigned short A_shared[8448]",
      "unsigned short B_shared[8192]",
      "unsigned int A_shared_local[8]",
      "unsigned int B_shared_local[8]",
    ]);
  });
  it("loads both operands by columns, A as matrix_b, and stores by columns", () => {
    const calls = lines.flatMap((line) => /^ +tile_wmma_(\w+)\((.*)\);$/.exec(line)?.slice(1, 3).join(" ") ?? []);
    expect(calls).toEqual([
      "mma_col_col_m16n16k16_f16_init C_local",
      "load_b_col_m16n16k16_f16_shared264 A_shared + (i_inner_outer / 16 * 4224 + k_inner_outer * 16), A_shared_local",
      "load_a_col_m16n16k16_f16_shared32 B_shared + (j_inner_outer * 16 + k_inner_outer * 512), B_shared_local",
      "mma_col_col_m16n16k16_f16_update B_shared_local, A_shared_local, C_local",
      "store_col_m16n16k16_f32_global512 C_local, C + (j_outer * 32 + j_inner_outer * 16 + i_inner_outer / 16 * 8192)",
    ]);
  });
  it("has two barriers in the loop over chunks and copies by 16 bytes", () => {
    expect(lines.filter((line) => line === "    __syncthreads();")).toHaveLength(2);
    expect(lines.filter((line) => line.includes("__syncthreads"))).toHaveLength(2);
    expect(lines.filter((line) => /^ +\*\(f16x8 \*\)\([AB]_shared \+ .*\) = \*\(const f16x8 \*\)/.test(line))).toHaveLength(2);
  });
});

describe("what keeps a point on CUDA cores is said in a note", () => {
  const digits = (by: number) => [1, by, 0, 1];
  it.each([
    ["8 rows are half a warp", [32, 512, 512, "float16", "NN"], 0, /threadIdx.y has 8 threads; .* spans 16/],
    ["64 rows stand over 32", [32, 512, 512, "float16", "NN"], 3, /guarded/],
    ["a tail of the reduction", [32, 40, 512, "float16", "NN"], 1, /guarded/],
  ] as const)("%s", (_, args, by, reason) => {
    const task = taskOf([...args]);
    const { notes, text } = compiled(task, task.space.fromDigits(digits(by)));
    expect(notes).toHaveLength(1);
    expect(notes[0]).toMatchObject({ rule: "tensor_core.unsuited" });
    expect(notes[0]?.message).toMatch(reason);
    expect(text).not.toContain("wmma");
  });
});

describe("small sizes, run by warps", () => {
  const all = ["NN", "NT", "TN", "TT"];
  const cases = [
    ...all.map((layout) => ["float16", layout, [32, 32, 32], [0, 1, 0, 0]] as const),
    ...all.map((layout) => ["int8", layout, [32, 32, 32], [1, 1, 1, 0]] as const),
    ["int4", "TN", [16, 64, 16], [1, 0, 0, 1]] as const,
    ["int1", "TN", [16, 256, 16], [1, 0, 0, 1]] as const,
  ];
  // In npm test each type and each layout.
  it.each(some(cases, 0, 3, 5, 6, 8, 9))("%s %s %j", (dtype, layout, sizes, digits) => {
    const task = taskOf([...sizes, dtype, layout]);
    const index = task.space.fromDigits(digits);
    expect(usesTensorCores(task, index)).toBe(true);
    const inputs = inputsOf(task);
    const expected = evaluate(task.graph, inputs).get("C");
    const func = nestOf(task, index);
    expect(interpret([lowerUntil(func, target, "tensor-core")], inputs).data.get("C")).toEqual(expected);
    expect(interpretKernels(lowerFunc(func, target), inputs).data.get("C")).toEqual(expected);
    // Emission has no words for what its rules refuse.
    expect(compiled(task, index).notes.filter((note) => note.rule === "tensor_core.unsuited")).toEqual([]);
  });
});

describe("what a chip has no instruction for", () => {
  const on = (chip: string, dtype: string) => compiled(createTask(name, [32, 512, 512, dtype, "TN"], chip), 127);
  it.each([
    ["cuda/sm_75", "int4", []],
    ["cuda/sm_80", "int1", []],
    ["cuda/sm_75", "int1", ["sm_75 counts bits by XOR only: each product of bits takes three matrix instructions"]],
    [
      "cuda/sm_90",
      "int4",
      ["sm_90 has no matrix instruction for int4: what is written as one becomes a subroutine, many times slower"],
    ],
  ])("%s %s", (chip, dtype, messages) => {
    const { notes, text } = on(chip, dtype);
    expect(notes.map((note) => note.message)).toEqual(messages);
    expect(text.match(/wmma\.mma/g)).toHaveLength(messages.length > 0 && chip === "cuda/sm_75" ? 3 : 1);
  });
});

it("is taken by nvcc in every type, for sm_75 and sm_90", (ctx) => {
  needs(ctx, "nvcc");
  const types = [
    ["float16", "NT"],
    ["int8", "TT"],
    ["int4", "TN"],
    ["int1", "TN"],
  ] as const;
  const texts = ["sm_75", "sm_90"].flatMap((chip) => types.map(([dtype, layout]) => [chip, dtype, layout] as const));
  // In npm test a type below a byte, where it takes the most instructions.
  for (const [chip, dtype, layout] of some(texts, 3))
    expect(nvccResources(textOf(createTask(name, [32, 512, 512, dtype, layout], `cuda/${chip}`), 127), chip).stack).toBe(0);
});

it("takes only TN below a byte, and says so", () => {
  expect(() => taskOf([32, 512, 512, "int4", "NN"])).toThrow("int4 takes TN");
});
