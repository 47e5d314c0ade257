/**
 * Program C of the source tutorials: its two prints (before and after tensorize) are parsed and held against the tables of
 * docs/reference/source-programs.md 3; small shapes with a border on every side run in the interpreter, warp by warp, and agree
 * with the convolution's definition.
 */
import { formatTarget, type Json } from "@warpfarm/common";
import { evaluate, gpuLimits, interpret, interpretKernels, lowerFunc, lowerProgram, parseTarget } from "@warpfarm/compiler";
import { describe, expect, it } from "vitest";
import { some } from "../../../test-support/campaign.ts";
import { createTask } from "../task.ts";
import { inputsOf, needsNvccInCampaign, nestOf, nvccResources, programOf, textOf } from "./template.testing.ts";

/**
 * What a print says, loops of one iteration aside: allocations, and each statement with the loops around it since its stage
 * began.
 */
function read(text: string) {
  const allocations: string[] = [];
  const launch = new Map<string, number>();
  const statements: { stage: string; loops: string[]; text: string }[] = [];
  const around: { indent: number; stage?: string; loop?: string }[] = [];
  for (const line of text.split("\n").slice(1)) {
    const indent = line.search(/\S/);
    while (around.length > 0 && (around.at(-1)?.indent ?? 0) >= indent) around.pop();
    const allocated = /alloc (\S+): (\w+)\[([\d, ]+)\] (\S+)/.exec(line);
    const loop = /for (\S+) in (\d+)(?: bind (\S+?))?(?: \w+)?:/.exec(line);
    const stage = /stage (\S+):/.exec(line);
    if (allocated) {
      const elements = (allocated[3] ?? "").split(", ").reduce((product, n) => product * Number(n), 1);
      allocations.push(`${allocated[1]} ${elements} ${allocated[2]} ${allocated[4]}`);
    } else if (loop) {
      const [, name = "", extent, thread] = loop;
      if (thread) launch.set(thread, Math.max(launch.get(thread) ?? 0, Number(extent)));
      around.push({ indent, ...(extent === "1" ? {} : { loop: `${thread ?? name} ${extent}` }) });
    } else if (stage) around.push({ indent, stage: stage[1] ?? "" });
    else if (/=|\(/.test(line)) {
      const from = around.findLastIndex((part) => part.stage !== undefined);
      statements.push({
        stage: around[from]?.stage ?? "",
        loops: around.slice(from).flatMap((part) => (part.loop ? [part.loop] : [])),
        text: line.trim(),
      });
    }
  }
  return { allocations, launch: Object.fromEntries(launch), statements };
}

describe("the published config", () => {
  const task = createTask("conv2d_nhwcnc_wmma", undefined, "cuda/sm_90");
  const index = task.published ?? Number.NaN;
  const program = programOf(task, index);
  const printed = (options: { until?: string; after?: string }) => {
    const made = lowerProgram(program, { emit: "ir", ...options });
    if (!made.ok) throw new Error(made.error.message);
    return read(made.value);
  };
  const before = printed({ until: "tensorize" });
  const after = printed({ after: "tensorize" });

  it("is the tutorial's constants, and fits the static limit exactly", () => {
    expect(Object.fromEntries(task.space.get(task.space.toIndex(index)).values)).toEqual({
      block_row_warps: 4,
      block_col_warps: 2,
      warp_row_tiles: 2,
      warp_col_tiles: 4,
      chunk: 2,
      vector_a: 1,
      vector_w: 8,
    });
    expect(task.validate(task.space.toIndex(index), gpuLimits("autotvm"))).toEqual([]);
    const tight = { ...gpuLimits("autotvm"), sharedBytesPerBlock: 49_151 };
    expect(task.validate(task.space.toIndex(index), tight).map((v) => v.rule)).toEqual(["gpu.shared_bytes"]);
  });

  it.each([
    ["before", before],
    ["after", after],
  ])("launches and allocates as printed, %s tensorize", (_, { launch, allocations }) => {
    expect(launch).toEqual({
      "blockIdx.z": 196,
      "blockIdx.x": 2,
      "blockIdx.y": 4,
      "threadIdx.y": 4,
      "threadIdx.z": 2,
      "threadIdx.x": 32,
    });
    expect(allocations).toEqual([
      "Conv.wmma.accumulator 2048 float32 wmma.accumulator",
      "Apad.shared 12288 float16 shared",
      "W.shared 12288 float16 shared",
      "Apad.shared.wmma.matrix_a 512 float16 wmma.matrix_a",
      "W.shared.wmma.matrix_b 1024 float16 wmma.matrix_b",
    ]);
  });

  const copies = [
    ["Apad.shared", ["threadIdx.y 4", "threadIdx.z 2", "ax2 3", "ax3 2", "ax4.ax5.fused.0 8", "threadIdx.x 32"]],
    ["W.shared", ["ax1 3", "ax2 2", "threadIdx.y 4", "threadIdx.z 2", "threadIdx.x 32", "ax4.ax5.fused.2 8"]],
  ];
  const outer = ["blockIdx.z 196", "blockIdx.x 2", "blockIdx.y 4", "threadIdx.y 4", "threadIdx.z 2"];
  const reduction = ["ic.outer 8", "kh 3", "ic.inner 2", "kw 3"];
  it("has the loops of the first print", () => {
    expect(before.statements.map(({ stage, loops }) => [stage, loops])).toEqual([
      ["Conv.wmma.accumulator", ["n.c.init 2", "o.c.init 4", "nn.c.init 16", "oo.c.init 16"]],
      ...copies,
      ["Apad.shared.wmma.matrix_a", ["ax0 2", "ax4 16", "ax5 16"]],
      ["W.shared.wmma.matrix_b", ["ax3 4", "ax4 16", "ax5 16"]],
      ["Conv.wmma.accumulator", [...reduction, "n.c 2", "o.c 4", "nn.c 16", "oo.c 16", "ii 16"]],
      ["Conv", [...outer, "n.inner 2", "o.inner 4", "nn 16", "oo 16"]],
    ]);
  });
  it("has the loops and calls of the second print, rows 16 apart", () => {
    expect(after.statements.map(({ stage, loops }) => [stage, loops])).toEqual([
      ["Conv.wmma.accumulator", ["n.c.init 2", "o.c.init 4"]],
      ...copies,
      ["Apad.shared.wmma.matrix_a", ["ax0 2"]],
      ["W.shared.wmma.matrix_b", ["ax3 4"]],
      ["Conv.wmma.accumulator", [...reduction, "n.c 2", "o.c 4"]],
      ["Conv", [...outer, "n.inner 2", "o.inner 4"]],
    ]);
    expect(after.statements.flatMap(({ text }) => (/^wmma_/.test(text) ? [text] : []))).toEqual([
      "wmma_gemm.init(Conv.wmma.accumulator[n.c.init, 0, 0, o.c.init, 0, 0] strides [16, 1])",
      "wmma_load_a.body(Apad.shared[n.outer.inner * 2 + ax0, 0, kw, ic.inner, 0, 0] strides [16, 1], Apad.shared.wmma.matrix_a[ax0, 0, 0, 0, 0, 0] strides [16, 1])",
      "wmma_load_b.body(W.shared[0, kw, ic.inner, o.outer.inner * 4 + ax3, 0, 0] strides [16, 1], W.shared.wmma.matrix_b[0, 0, 0, ax3, 0, 0] strides [16, 1])",
      "wmma_gemm.update(Apad.shared.wmma.matrix_a[n.c, 0, 0, 0, 0, 0] strides [16, 1], W.shared.wmma.matrix_b[0, 0, 0, o.c, 0, 0] strides [16, 1], Conv.wmma.accumulator[n.c, 0, 0, o.c, 0, 0] strides [16, 1])",
      "wmma_store.body(Conv.wmma.accumulator[n.inner, 0, 0, o.inner, 0, 0] strides [16, 1], Conv[n.outer.outer * 8 + n.outer.inner * 2 + n.inner, h.w.fused // 14, h.w.fused % 14, o.outer.outer * 8 + o.outer.inner * 4 + o.inner, 0, 0] strides [16, 1])",
    ]);
  });

  const text = textOf(task, index);
  it("has the table's flat places, two barriers and no loop around a fragment", () => {
    const body = text.split("\n").filter((line) => !line.startsWith("//"));
    const calls = body.flatMap((line) => /^ +tile_(\w+)\((.*)\);$/.exec(line)?.slice(1, 3).join(" ") ?? []);
    expect(calls.filter((call) => call.startsWith("wmma_gemm_update"))).toHaveLength(8);
    expect(calls.filter((call) => call.startsWith("wmma_load"))).toEqual([
      "wmma_load_a_shared16 Apad_shared + (n_outer_inner * 3072 + ic_inner * 256 + kw * 512), Apad_shared_wmma_matrix_a",
      "wmma_load_a_shared16 Apad_shared + (n_outer_inner * 3072 + ic_inner * 256 + kw * 512 + 1536), Apad_shared_wmma_matrix_a + 8",
      ...[0, 1, 2, 3].map(
        (j) =>
          `wmma_load_b_shared16 W_shared + (o_outer_inner * 1024 + ic_inner * 2048 + kw * 4096${j > 0 ? ` + ${j * 256}` : ""}), W_shared_wmma_matrix_b${j > 0 ? ` + ${j * 8}` : ""}`,
      ),
    ]);
    expect(body.filter((line) => line.includes("__syncthreads"))).toHaveLength(2);
    expect(body.filter((line) => /^ +for \(int (n|o)_/.test(line))).toEqual([]);
  });

  it("is taken by nvcc for sm_75, sm_80 and sm_90, accumulators in registers", (ctx) => {
    needsNvccInCampaign(ctx);
    // No "bytes stack frame": what is in memory instead of registers stands there.
    for (const chip of some(["sm_75", "sm_80", "sm_90"], 0)) expect(nvccResources(text, chip).stack).toBe(0);
  });
});

it("loops around tiles stay rolled where a second block has room only so", () => {
  const task = createTask("conv2d_nhwcnc_wmma", {}, "cuda/sm_90");
  const rolled = (index: number): number => textOf(task, index).split("#pragma unroll 1\n").length - 1;
  // 256 threads: 112 registers of fragments leave room for two blocks, unrolled code does not.
  expect(rolled(4037)).toBe(4);
  // 128 threads: 4x4 tiles a warp leave room for two blocks either way.
  expect(rolled(3721)).toBe(0);
});

describe("small shapes, run by warps", () => {
  const target = parseTarget("cuda/sm_90");
  const args = { N: 32, H: 2, W: 2, CI: 32, CO: 32, KH: 3, KW: 3, stride: 1, padding: 1 };
  it.each<[what: string, args: Json, knobs: readonly number[]]>([
    ["one warp, two by one tiles", args, [0, 0, 1, 0, 1, 0, 3]],
    ["two by two warps, vectors of 4 and 2", { ...args, CI: 16 }, [1, 1, 0, 0, 0, 2, 1]],
    [
      "one by two warps, two tiles each, no padding",
      { ...args, H: 3, W: 3, KH: 2, KW: 2, padding: 0, stride: 1 },
      [0, 1, 1, 0, 1, 3, 0],
    ],
  ])("%s", (_, given, digits) => {
    const task = createTask("conv2d_nhwcnc_wmma", given, formatTarget(target));
    const inputs = inputsOf(task);
    const expected = evaluate(task.graph, inputs).get("Conv");
    const func = nestOf(task, task.space.fromDigits(digits));
    expect(interpret([func], inputs).data.get("Conv")).toEqual(expected);
    expect(interpretKernels(lowerFunc(func, target), inputs).data.get("Conv")).toEqual(expected);
  });
});

it("refuses what a tile cannot do, before anything is built", () => {
  expect(() => createTask("conv2d_nhwcnc_wmma", { N: 24 }, "cuda/sm_90")).toThrow("N is 24");
  // Three tiles of the batch in warps of two: the last has one row too many.
  const task = createTask("conv2d_nhwcnc_wmma", { N: 48 }, "cuda/sm_90");
  expect(task.validate(task.space.fromDigits([0, 0, 1, 0, 0, 0, 3]), gpuLimits("cuda/sm_90")).map((v) => v.rule)).toEqual([
    "tensorize.guard",
  ]);
});
