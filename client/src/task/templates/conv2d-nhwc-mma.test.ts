/** conv2d_nhwc_mma: NHWC in and out, one kernel, copies that run ahead. Small shapes run by warps against the definition. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Json } from "@warpfarm/common";
import {
  compileProgram,
  decodeProgram,
  evaluate,
  infer,
  interpretKernels,
  lowerFunc,
  parseTarget,
  type TensorData,
} from "@warpfarm/compiler";
import { describe, expect, it } from "vitest";
import { needs } from "../../../../test-support/needs.ts";
import { createTask, type Task } from "../task.ts";

describe("the default config", () => {
  const task = createTask("conv2d_nhwc_mma", undefined, "cuda/sm_90");
  const index = task.space.toIndex(task.published ?? Number.NaN);
  const text = (() => {
    const instance = task.instantiate(index);
    const program = instance.ok ? decodeProgram(instance.value.program.bytes) : instance;
    const made = program.ok ? compileProgram(program.value) : program;
    if (!made.ok) throw new Error(made.error.message);
    return made.value;
  })();

  it("is one kernel on NHWC, HWIO and NHWC", () => {
    expect(text.kernels).toHaveLength(1);
    expect(text.buffers.map(({ name, shape, role }) => [name, shape, role])).toEqual([
      ["A", [256, 14, 14, 256], "in"],
      ["W", [3, 3, 256, 512], "in"],
      ["Conv", [256, 14, 14, 512], "out"],
    ]);
  });

  it("copies 16 bytes a lane by cp.async, zeros at the border, with one barrier an iteration", () => {
    const lines = text.text.split("\n");
    const body = lines.slice(lines.findIndex((line) => line.includes("__global__")));
    expect(body.filter((line) => /\*\(f16x\d \*\)\((Apad|W)_shared/.test(line))).toEqual([]);
    expect(body.filter((line) => line.includes("cp_async_16_or_zero((Apad_shared")).length).toBeGreaterThan(0);
    expect(body.filter((line) => line.includes("cp_async_16((W_shared")).length).toBeGreaterThan(0);
    expect(body.filter((line) => line.includes("__syncthreads"))).toEqual(["  __syncthreads();", "    __syncthreads();"]);
    expect(text.notes).toEqual([]);
  });

  it("is taken by nvcc, everything in registers", { timeout: 120_000 }, (ctx) => {
    needs(ctx, "nvcc");
    const dir = mkdtempSync(join(tmpdir(), "warpfarm-nhwc-"));
    try {
      const source = join(dir, "kernel.cu");
      writeFileSync(source, text.text);
      const flags = ["-cubin", "-arch=sm_90", "--resource-usage", "-Werror", "all-warnings", "-o", join(dir, "k"), source];
      const log = execFileSync("sh", ["-c", 'exec nvcc "$@" 2>&1', "sh", ...flags], { encoding: "utf8" });
      expect(/(\d+) bytes stack frame/.exec(log)?.[1] ?? "0").toBe("0");
      expect(log).toContain(" 0 bytes spill stores");
    } finally {
      rmSync(dir, { recursive: true, force: true });
    }
  });
});

/** Whole numbers that float16 has, sums that float32 has: any order gives the same. */
function inputsOf(task: Task): Map<string, TensorData> {
  return new Map(
    task.graph.inputs.map(({ name, shape }, n) => {
      const size = shape.reduce((a, b) => a * b, 1);
      return [name, Float32Array.from({ length: size }, (_, i) => ((i * 7 + (i >> 4) * 5 + n * 3) % 11) - 5)];
    }),
  );
}

describe("small shapes, run by warps", () => {
  const target = parseTarget("cuda/sm_90");
  const args = { batch: 32, height: 2, width: 2, in_channels: 32, out_channels: 32, kernel: 3, stride: 1, padding: 1 };
  it.each<[what: string, args: Json, knobs: readonly number[]]>([
    ["one warp of two by two tiles, three arrays", args, [0, 0, 1, 1, 1, 2]],
    [
      "two by one warps, stride 2, no padding, two arrays",
      { ...args, height: 5, width: 4, kernel: 2, padding: 0, stride: 2 },
      [1, 0, 0, 0, 0, 1],
    ],
  ])("%s", (_, given, digits) => {
    const task = createTask("conv2d_nhwc_mma", given, target.text);
    const instance = task.instantiate(task.space.fromDigits(digits));
    if (!instance.ok) throw new Error(instance.error.message);
    const inferred = infer(instance.value.schedule.state);
    if (!inferred.ok) throw inferred.error;
    const inputs = inputsOf(task);
    const expected = evaluate(task.graph, inputs).get("Conv");
    expect(interpretKernels(lowerFunc(inferred.value.func(), target), inputs).data.get("Conv")).toEqual(expected);
  });
});
