/**
 * Program B of the source tutorials: what docs/reference/source-programs.md 2 derives for the published constants (launch,
 * allocations, loops, indices, barriers), read from the CUDA text; and small shapes with borders and tails, run in the
 * interpreter.
 */
import { type Json, Random } from "@warpfarm/common";
import { evaluate, gpuLimits, interpret, interpretKernels, lowerFunc, parseTarget } from "@warpfarm/compiler";
import { describe, expect, it } from "vitest";
import { createTask } from "../task.ts";
import {
  expectRight,
  indexWith,
  inferredOf,
  inputsOf,
  needsNvccInCampaign,
  nestOf,
  nvccResources,
  textOf,
} from "./template.testing.ts";

describe("the published config", () => {
  const task = createTask("conv2d_hwcn", undefined, "cuda/sm_90");
  const index = task.published ?? Number.NaN;
  const text = textOf(task, index)
    .split("\n")
    .filter((line) => !line.startsWith("//"))
    .join("\n");

  it("is the tutorial's constants", () => {
    const constants = { tile: 8, num_thread: 8, step: 8, vthread: 2, vector: 4 };
    expect(Object.fromEntries(task.space.get(task.space.toIndex(index)).values)).toEqual(constants);
    expect(task.space.size).toBe(3 * 3 * 4 * 3 * 3);
    expect(createTask("conv2d_hwcn", { N: 128 }, "cuda/sm_90").published).toBeUndefined();
  });
  it("launches 4 x 8 x 196 blocks of 8 x 8 threads; 4096 bytes shared; 64 + 8 + 8 registers a thread", () => {
    expect(inferredOf(task, index).launches).toMatchObject([{ grid: [4, 8, 196], block: [8, 8, 1] }]);
    const arrays = [...text.matchAll(/^ +(?:__shared__ .*)?float (\w+)\[(\d+)\];/gm)].map(([, name, size]) => [
      name,
      Number(size),
    ]);
    expect(Object.fromEntries(arrays)).toEqual({
      B_local: 64,
      Apad_shared: 512,
      W_shared: 512,
      Apad_shared_local: 8,
      W_shared_local: 8,
    });
  });
  it("runs rc.outer 32, ry 3, rx 3, then rc.inner 8, f 4, n 4, with its two barriers inside rx", () => {
    const loops = [...text.matchAll(/^( *)(?:for \(int (\w+) = 0; \w+ < (\d+);|(__syncthreads))/gm)];
    const depth = (spaces: string) => spaces.length / 2;
    expect(loops.map(([, spaces = "", name, extent, barrier]) => `${depth(spaces)} ${barrier ?? `${name} ${extent}`}`)).toEqual([
      "1 ff_c_init 4",
      "2 nn_c_init 4",
      "1 rc_outer 32",
      "2 ry 3",
      "3 rx 3",
      "4 __syncthreads",
      "4 ax3_inner_outer 2",
      "4 ax3_inner_outer 2",
      "4 __syncthreads",
      "4 rc_inner 8",
      "5 ax3 4",
      "5 ax3 4",
      "5 ff_c 4",
      "6 nn_c 4",
      "1 ff_inner_inner_inner 4",
      "2 nn_inner_inner_inner 4",
    ]);
  });
  it("copies float4s whole, guarded by the pixel only, from and to the derived addresses", () => {
    const names = "yy_xx_fused ff_outer nn_outer ff_inner_inner_outer nn_inner_inner_outer rc_outer ry rx ax3_inner_outer".split(
      " ",
    );
    const evaluated = (expression: string, values: readonly number[]): number =>
      new Function(...names, `return ${expression.replace(/yy_xx_fused \/ 14/g, "Math.floor(yy_xx_fused / 14)")};`)(...values);
    const address = (pattern: RegExp): string => pattern.exec(text)?.[1] ?? "undefined";
    const from = { a: address(/\(const f32x4 \*\)\(A \+ \((.*?)\)\) :/), w: address(/\(const f32x4 \*\)\(W \+ \((.*?)\)\);/) };
    const to = { a: address(/\(Apad_shared \+ \((.*?)\)\) =/), w: address(/\(W_shared \+ \((.*?)\)\) =/) };
    const inside = address(/= (.*?) \? \*\(const f32x4 \*\)\(A/);
    expect(inside.match(/[a-z]\w*/g)?.filter((name) => !["yy_xx_fused", "ry", "rx"].includes(name))).toEqual([]);
    const random = new Random(3);
    for (let trial = 0; trial < 200; trial++) {
      const extents = [196, 8, 4, 8, 8, 32, 3, 3, 2];
      const values = extents.map((extent) => random.below(extent));
      const [z, by, bx, ty, tx, rco, ry, rx, o] = values as [
        number,
        number,
        number,
        number,
        number,
        number,
        number,
        number,
        number,
      ];
      const [y, x] = [Math.floor(z / 14) + ry - 1, (z % 14) + rx - 1];
      expect(evaluated(from.a, values)).toBe((y * 14 + x) * 65_536 + (rco * 8 + ty) * 256 + bx * 64 + tx * 8 + o * 4);
      expect(evaluated(from.w, values)).toBe(((ry * 3 + rx) * 256 + rco * 8 + ty) * 512 + by * 64 + tx * 8 + o * 4);
      expect([evaluated(to.a, values), evaluated(to.w, values)]).toEqual(new Array(2).fill(ty * 64 + tx * 8 + o * 4));
      expect(Boolean(evaluated(inside, values))).toBe(y >= 0 && y < 14 && x >= 0 && x < 14);
    }
  });
  it("compiles: no spills, 4096 bytes of shared memory", (ctx) => {
    needsNvccInCampaign(ctx);
    expect(nvccResources(text)).toMatchObject({ spills: 0, sharedBytes: 4096 });
  });
});

describe("a step of 16 channels", () => {
  const constants = { tile: 8, num_thread: 8, step: 16, vthread: 2, vector: 4 };
  const task = createTask("conv2d_hwcn", undefined, "cuda/sm_90");
  const index = indexWith(task, constants);
  const text = textOf(task, index);

  it("copies the next step's channels while it multiplies, with one barrier a step", () => {
    const lines = text.slice(text.indexOf("__global__")).split("\n");
    const head = lines.findIndex((line) => line.includes("rc_outer = 0"));
    const barriers = lines.flatMap((line, i) => (line.includes("__syncthreads") ? [i] : []));
    // A pixel's first copies need none: they go where the last step but one was read.
    expect(barriers).toEqual([head + 2]);
    expect(lines.slice(head + 1, head + 3).map((line) => line.trim())).toEqual(["cp_async_wait_0();", "__syncthreads();"]);
    expect(text).toMatch(/if \(rc_outer < 15\)/);
    // The products of the whole step, with nothing left to loop over but a thread's tile.
    expect(text).not.toContain("rc_inner");
  });
  it("leaves a multiprocessor room for 8 blocks", (ctx) => {
    needsNvccInCampaign(ctx);
    const { spills, registers, sharedBytes } = nvccResources(text);
    expect({ spills, sharedBytes }).toEqual({ spills: 0, sharedBytes: 16_384 });
    expect(registers).toBeLessThanOrEqual(128);
  });
});

describe.each<[Json, number]>([
  [{ N: 8, H: 2, W: 2, CI: 4, CO: 6 }, 1],
  [{ N: 5, H: 3, W: 2, CI: 5, CO: 9, stride: 2 }, 1],
  [{ N: 3, H: 3, W: 2, CI: 3, CO: 2, KH: 2, KW: 2, padding: 0 }, 1],
])("%j", (args, count) => {
  it(`computes the convolution at ${count} random configs of small blocks, as scheduled and as lowered`, () => {
    const task = createTask("conv2d_hwcn", args, "cuda/sm_90");
    const random = new Random(5);
    const inputs = () => inputsOf(task);
    const expected = evaluate(task.graph, inputs()).get("B");
    // A block's 32 x 32 results are enough work for an interpreter.
    const small = Array.from({ length: task.space.size }, (_, i) => i).filter((i) => {
      const { tile, num_thread } = Object.fromEntries(task.space.get(task.space.toIndex(i)).values);
      return Number(tile) * Number(num_thread) <= 32;
    });
    for (const i of random.shuffle(small).slice(0, count)) {
      const func = nestOf(task, i);
      expect(interpret([func], inputs()).data.get("B")).toEqual(expected);
      expect(interpretKernels(lowerFunc(func, parseTarget("cuda/sm_90")), inputs()).data.get("B")).toEqual(expected);
    }
  });
});

it("every config of the space can be launched, also with 48 KiB of shared memory", () => {
  const task = createTask("conv2d_hwcn", undefined, "cuda/sm_90");
  const limits = gpuLimits("autotvm");
  const refused = Array.from({ length: task.space.size }, (_, i) => i).filter(
    (i) => task.validate(task.space.toIndex(i), limits).length > 0,
  );
  expect(refused).toEqual([]);
});

it.each([
  ["whole vectors in turns", { tile: 4, num_thread: 4, step: 16, vthread: 2, vector: 2 }],
  ["rows too short for every thread's vector", { tile: 2, num_thread: 4, step: 16, vthread: 1, vector: 4 }],
])("steps that run ahead, the last one not whole, add up: %s", (_, constants) => {
  const args = { N: 9, H: 2, W: 2, CI: 37, CO: 6, KH: 2, KW: 2 };
  const task = createTask("conv2d_hwcn", args, "cuda/sm_90");
  const index = indexWith(task, constants);
  expectRight(task, index);
});
