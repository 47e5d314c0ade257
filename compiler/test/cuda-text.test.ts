/** CUDA text: its content, that nvcc accepts it for every architecture, and the vectors and accumulators in the result. */
import { type DType, formatTarget, parseTarget, Random } from "@warpfarm/common";
import { describe, expect, it } from "vitest";
import { isFull, some } from "../../test-support/campaign.ts";
import { needs } from "../../test-support/needs.ts";
import { compileCubin, compilePtx, joinTexts } from "../../test-support/nvcc.ts";
import { compileProgram } from "../src/compile.ts";
import { evaluate } from "../src/interp/evaluate.ts";
import { interpret, interpretKernels } from "../src/interp/interpret.ts";
import type { TensorData } from "../src/ir/numeric.ts";
import type { PrimFunc } from "../src/ir/prim-func.ts";
import { walkStmt } from "../src/ir/visit.ts";
import { infer } from "../src/schedule/infer.ts";
import { createSchedule, type Schedule } from "../src/schedule/schedule.ts";
import type { LoopRef } from "../src/schedule/state.ts";
import { type DeviceText, lowerFunc } from "../src/target/index.ts";
import { compute, placeholder, reduceAxis, sum } from "../src/te/compute.ts";
import * as te from "../src/te/expr.ts";
import { graphOf } from "../src/te/graph-of.ts";
import { verifyFunc } from "../src/verify/func.ts";
import { type ConvConfig, type ConvSize, convGraph, published, resnetConv, scheduleA } from "./programs.testing.ts";

const target = parseTarget("cuda/sm_90");
const textOf = (schedule: Schedule): DeviceText => {
  const made = compileProgram({
    version: 1,
    kind: "schedule",
    target: formatTarget(target),
    graph: schedule.graph,
    trace: schedule.trace,
  });
  if (!made.ok) throw new Error(made.error.message);
  return made.value;
};
const scheduled = (schedule: Schedule): PrimFunc<"scheduled"> => {
  const inferred = infer(schedule.state);
  if (!inferred.ok) throw inferred.error;
  return inferred.value.func();
};
const body = (text: string) =>
  text
    .split("\n")
    .filter((line) => !line.startsWith("//"))
    .join("\n");

describe("program A of the tutorials", () => {
  const text = textOf(scheduleA(convGraph(resnetConv), published));

  it("launches 4 blocks of 448 threads with 19728 bytes of static shared memory", () => {
    expect(text.kernels).toEqual([
      {
        name: "conv_kernel",
        grid: [1, 1, 4],
        block: [7, 1, 64],
        dynamic_shared_bytes: 0,
        cluster: [1, 1, 1],
        args: ["data", "kernel", "conv"],
      },
    ]);
    expect(text.buffers.map((b) => [b.name, b.role, b.bytes, b.align, b.reduction])).toEqual([
      ["data", "in", 100352, 64, 1],
      ["kernel", "in", 9437184, 64, 1],
      ["conv", "out", 100352, 64, 4608],
    ]);
    expect(text.text).toContain("pad_temp_shared[324]");
    expect(text.text).toContain("kernel_shared[4608]");
  });
  it("has two barriers, both in the loop that copies, none under a condition", () => {
    const [kernel] = lowerFunc(scheduled(scheduleA(convGraph(resnetConv), published)), target);
    const places: string[] = [];
    const visit = (s: PrimFunc["body"], path: string): void => {
      if (s.kind === "Barrier") places.push(path);
      else if (s.kind === "Seq") for (const child of s.stmts) visit(child, path);
      else if (s.kind === "For") visit(s.body, s.forKind === "bound" ? path : `${path}/${s.loopVar.name}`);
      else if (s.kind === "If") visit(s.body, `${path}/if`);
      else if ("body" in s) visit(s.body, path);
    };
    if (kernel) visit(kernel.func.body, "");
    expect(places).toEqual(["/rc.0", "/rc.0"]);
  });
  it("includes nothing and says the same every time", () => {
    expect(text.text).not.toContain("#include");
    expect(textOf(scheduleA(convGraph(resnetConv), published)).text).toBe(text.text);
  });
});

describe("every pass keeps the meaning", () => {
  const sizes: readonly ConvSize[] = [
    { batch: 1, size: 5, inChannels: 6, outChannels: 8, kernel: 3, stride: 1, padding: 1 },
    { batch: 1, size: 7, inChannels: 3, outChannels: 7, kernel: 2, stride: 2, padding: 0 },
  ];
  const configs: readonly ConvConfig[] = [
    { f: [2, 2, 1], y: [1, 1, 5], x: [1, 5, 1], rc: [1, 2], ry: [3, 1], rx: [1, 3], maxStep: 1500, explicit: 1 },
    { f: [2, 4, 1], y: [5, 1, 1], x: [1, 1, 5], rc: [3, 2], ry: [1, 3], rx: [3, 1], maxStep: 512, explicit: 0 },
    { f: [1, 3, 2], y: [2, 2, 2], x: [2, 2, 1], rc: [2, 2], ry: [2, 1], rx: [1, 2], maxStep: 100, explicit: 1 },
    { f: [3, 1, 2], y: [1, 2, 2], x: [1, 3, 1], rc: [4, 1], ry: [2, 2], rx: [1, 2], maxStep: 0, explicit: 1 },
  ];
  const cases = sizes.flatMap((size) => configs.map((config) => [size, config] as const));
  it.each(cases)("%j by %j", (size, config) => {
    const schedule = scheduleA(convGraph(size), config);
    const whole = (length: number, seed: number) => Float32Array.from({ length }, (_, i) => ((i * 7919 + seed) % 31) - 15);
    const inputs = (): Map<string, TensorData> =>
      new Map(
        schedule.graph.inputs.map((b, i) => [
          b.name,
          whole(
            b.shape.reduce((x, y) => x * y, 1),
            i * 13 + 5,
          ),
        ]),
      );
    const expected = evaluate(schedule.graph, inputs()).get("conv");
    const stages: string[] = [];
    const kernels = lowerFunc(scheduled(schedule), target, {
      after: (pass, func, changed) => {
        expect(verifyFunc(func), pass).toEqual([]);
        // Before the barriers are inserted, only a run in order is correct.
        if (changed && ["inject-virtual-thread", "insert-barriers", "unroll"].includes(pass)) stages.push(pass);
        if (pass === "inject-virtual-thread") expect(interpret([func], inputs()).data.get("conv"), pass).toEqual(expected);
      },
    });
    expect(stages).toContain("insert-barriers");
    expect(interpretKernels(kernels, inputs()).data.get("conv")).toEqual(expected);
  });
});

/** out = a through shared memory, `lanes` at a time, the last rows replaced by zeros. */
function copySchedule(dtype: DType, lanes: number): Schedule {
  const a = placeholder("a", [64, 64], dtype);
  const axes = [
    ["i", 64],
    ["j", 64],
  ] as const;
  const name = `copy_${dtype}`;
  const out = compute(name, axes, (i, j) => te.select(te.less(i, 60), te.at(a, i, j), 0));
  const s = createSchedule(graphOf([a], [out]));
  const stage = s.stage(name);
  const cache = s.cacheRead(a, "shared", [stage]);
  const [i, j] = s.axes(stage) as [LoopRef, LoopRef];
  const [jo, ji] = s.split(j, [null, lanes]) as [LoopRef, LoopRef];
  s.bind(i, "blockIdx.x");
  s.bind(jo, "threadIdx.x");
  s.vectorize(ji);
  s.computeAt(cache, stage, i);
  const [, cj] = s.axes(cache) as [LoopRef, LoopRef];
  const [co, ci] = s.split(cj, [null, lanes]) as [LoopRef, LoopRef];
  s.bind(co, "threadIdx.x");
  s.vectorize(ci);
  return s;
}
const copies: readonly (readonly [DType, number])[] = [
  ["float32", 4],
  ["float16", 8],
  ["bfloat16", 8],
  ["int8", 16],
  ["float64", 2],
  ["int32", 4],
];

/** scaled[i] = f32(a[i]) * scale + 1, four at a time. */
function laneSchedule(): Schedule {
  const a = placeholder("a", [64], "float16");
  const scale = placeholder("scale", [1], "float32");
  const out = compute("scaled", [["i", 64]], (i) => te.add(te.mul(te.cast("float32", te.at(a, i)), te.at(scale, 0)), 1));
  const s = createSchedule(graphOf([a, scale], [out]));
  const [io, ii] = s.split(s.axes(s.stage("scaled"))[0] as LoopRef, [null, 4]) as [LoopRef, LoopRef];
  s.bind(io, "threadIdx.x");
  s.vectorize(ii);
  return s;
}

/** Every operator that a type has. */
function operatorsSchedule(dtype: DType): Schedule {
  const a = placeholder("a", [256], dtype);
  const name = `all_${dtype}`;
  const out = compute(name, [["i", 256]], (i) => {
    const x = te.at(a, i);
    const y = te.maximum(te.add(te.mul(x, x), 3), te.minimum(te.sub(x, 1), te.abs(x)));
    if (dtype.includes("float")) return te.div(te.sqrt(te.exp(y)), te.add(te.tanh(te.log(x)), 2));
    return te.add(te.floorDiv(y, x), te.floorMod(x, y));
  });
  const s = createSchedule(graphOf([a], [out]));
  s.bind(s.axes(s.stage(name))[0] as LoopRef, "threadIdx.x");
  return s;
}

/** 64 KiB of shared memory. */
function largeSchedule(): Schedule {
  const a = placeholder("a", [64, 256]);
  const b = placeholder("b", [64, 256]);
  const k = reduceAxis("k", 64);
  const out = compute("large", [["i", 256]], (i) =>
    sum(te.mul(te.at(a, k.loopVar, i), te.at(b, k.loopVar, te.sub(255, i))), [k]),
  );
  const s = createSchedule(graphOf([a, b], [out]));
  const stage = s.stage("large");
  const [io, ii] = s.split(s.axes(stage)[0] as LoopRef, [null, 128]) as [LoopRef, LoopRef];
  s.bind(io, "blockIdx.x");
  s.bind(ii, "threadIdx.x");
  for (const tensor of [a, b]) {
    const cache = s.cacheRead(tensor, "shared", [stage]);
    s.computeAt(cache, stage, io);
    s.bind(s.axes(cache)[1] as LoopRef, "threadIdx.x");
  }
  return s;
}

describe("text", () => {
  it("moves vectors whole through a condition that all lanes share", () => {
    expect(body(textOf(copySchedule("float32", 4)).text)).toMatchInlineSnapshot(`
      "struct __align__(16) f32x4 { float lane[4]; };
      static __device__ __forceinline__ f32x4 splat_f32x4(float x) { f32x4 v = {{x, x, x, x}}; return v; }

      extern "C" __global__ void __launch_bounds__(16) copy_float32_kernel(const float *__restrict__ a, float *__restrict__ copy_float32) {
        const int i = blockIdx.x;  // < 64
        const int ax1_outer = threadIdx.x;  // < 16
        __shared__ __align__(16) float a_shared[64];
        // copy_float32
        // a.shared
        *(f32x4 *)(a_shared + ax1_outer * 4) = *(const f32x4 *)(a + (i * 64 + ax1_outer * 4));
        *(f32x4 *)(copy_float32 + (i * 64 + ax1_outer * 4)) = i < 60 ? *(const f32x4 *)(a_shared + ax1_outer * 4) : splat_f32x4(0.0f);
      }
      "
    `);
  });
  it("computes vectors lane by lane", () => {
    expect(body(textOf(laneSchedule()).text)).toMatchInlineSnapshot(`
      "struct __align__(8) f16x4 { unsigned int word[2]; };
      struct __align__(16) f32x4 { float lane[4]; };
      static __device__ __forceinline__ float f16_to_f32(unsigned short x) { float y; asm("cvt.f32.f16 %0, %1;" : "=f"(y) : "h"(x)); return y; }

      extern "C" __global__ void __launch_bounds__(16) scaled_kernel(const unsigned short *__restrict__ a, const float *__restrict__ scale, float *__restrict__ scaled) {
        const int i_outer = threadIdx.x;  // < 16
        // scaled
        {
          const f16x4 v0 = *(const f16x4 *)(a + i_outer * 4);
          f32x4 r;
          r.lane[0] = f16_to_f32((unsigned short)v0.word[0]) * scale[0] + 1.0f;
          r.lane[1] = f16_to_f32((unsigned short)(v0.word[0] >> 16)) * scale[0] + 1.0f;
          r.lane[2] = f16_to_f32((unsigned short)v0.word[1]) * scale[0] + 1.0f;
          r.lane[3] = f16_to_f32((unsigned short)(v0.word[1] >> 16)) * scale[0] + 1.0f;
          *(f32x4 *)(scaled + i_outer * 4) = r;
        }
      }
      "
    `);
  });
  it("makes shared arrays parts of one dynamic array beyond 48 KiB", () => {
    const text = textOf(largeSchedule());
    expect(text.kernels[0]?.dynamic_shared_bytes).toBe(2 * 64 * 128 * 4);
    expect(body(text.text)).toMatchInlineSnapshot(`
      "extern "C" __global__ void __launch_bounds__(128) large_kernel(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ large) {
        extern __shared__ __align__(128) unsigned char shared_memory[];
        const int i_outer = blockIdx.x;  // < 2
        const int ax1 = threadIdx.x;  // < 128
        float *const a_shared = (float *)(shared_memory + 0);
        float *const b_shared = (float *)(shared_memory + 32768);
        // large
        // a.shared
        for (int ax0 = 0; ax0 < 64; ++ax0) {
          a_shared[ax1 + ax0 * 128] = a[i_outer * 128 + ax1 + ax0 * 256];
        }
        // b.shared
        for (int ax0 = 0; ax0 < 64; ++ax0) {
          b_shared[ax1 + ax0 * 128] = b[ax1 + ax0 * 256 - i_outer * 128 + 128];
        }
        large[i_outer * 128 + ax1] = 0.0f;
        __syncthreads();
        for (int k = 0; k < 64; ++k) {
          large[i_outer * 128 + ax1] += a_shared[ax1 + k * 128] * b_shared[k * 128 - ax1 + 127];
        }
      }
      "
    `);
  });
});

const smallConv: ConvSize = { batch: 1, size: 6, inChannels: 8, outChannels: 12, kernel: 3, stride: 1, padding: 1 };
/** Seeded splits of every axis, dividing or not, of blocks that every architecture launches; unrolled to all degrees. */
function randomConfigs(count: number): readonly { readonly name: string; readonly config: ConvConfig }[] {
  const random = new Random(20261121);
  const of = <T>(items: readonly T[]): T => items[random.below(items.length)] as T;
  const three = (of1: readonly number[]) => [of(of1), of(of1), of(of1)] as const;
  const two = () => [of([1, 2, 3]), of([1, 2])] as const;
  return Array.from({ length: count }, (_, i) => ({
    name: `random${i}`,
    config: {
      f: three([1, 2]),
      y: three([1, 2]),
      x: three([1, 2]),
      rc: two(),
      ry: two(),
      rx: two(),
      maxStep: of([0, 16, 64]),
      explicit: of([0, 1]),
    },
  }));
}

describe("nvcc", () => {
  const dtypes = ["float16", "bfloat16", "float32", "float64", "int8", "uint8", "int32", "int64"] as const;
  const file = joinTexts(
    [
      scheduleA(convGraph(resnetConv), published),
      scheduleA(convGraph(resnetConv, "explicit"), { ...published, explicit: 1 }),
      ...copies.map(([dtype, lanes]) => copySchedule(dtype, lanes)),
      ...dtypes.map(operatorsSchedule),
      laneSchedule(),
      largeSchedule(),
    ].map((schedule) => textOf(schedule).text),
  );

  const chips = ["sm_75", "sm_80", "sm_90", "sm_100"];
  it.for(
    some(chips, 2),
  )("takes it all for %s, with no spills; program A stays in registers; a vector of any type is one instruction", (arch, ctx) => {
    needs(ctx, "nvcc");
    const moves = /\b(?:(?:ld\.global\.nc|st\.shared|st\.global)\.\w+|(?:and|mov|selp|shr)\.[bsu](?:8|16)\b|prmt\b)/;
    const reports = compileCubin(file, arch, moves);
    expect(Object.keys(reports)).toHaveLength(18);
    for (const [name, { spillBytes }] of Object.entries(reports)) expect(spillBytes, name).toBe(0);
    for (const name of ["conv_kernel", "explicit_kernel"]) {
      const report = reports[name];
      expect(report?.stackBytes, name).toBe(0);
      expect(report?.registers, name).toBeLessThanOrEqual(128);
      // ptxas may align one kernel's arrays further when there are others in the file.
      expect(report?.sharedBytes, name).toBeGreaterThanOrEqual(19728);
      expect(report?.sharedBytes, name).toBeLessThan(19728 + 256);
    }
    expect(reports.large_kernel?.sharedBytes).toBe(0);
    // One instruction of a vector of any type, and none of an element where zeros replace it.
    for (const [dtype] of copies) {
      const kernel = Object.keys(reports[`copy_${dtype}_kernel`]?.instructions ?? {}).join(" ");
      for (const access of ["ld\\.global\\.nc", "st\\.shared", "st\\.global"]) {
        expect(kernel, dtype).toMatch(new RegExp(`${access}\\.v[24]`));
        expect(kernel, dtype).not.toMatch(new RegExp(`${access}\\.[bfsu]\\d`));
      }
      expect(kernel, dtype).not.toMatch(/and|mov|selp|shr|prmt/);
    }
    expect(reports.scaled_kernel?.instructions).toHaveProperty(["st.global.v4"]);
  });
  // Front ends differ by nothing but the instructions an architecture has: PTX shows that. One architecture goes all the way.
  it.for(some(chips, 0))("takes random configs of program A for %s", (arch, ctx) => {
    needs(ctx, "nvcc");
    const configs = randomConfigs(isFull ? 8 : 3);
    const text = joinTexts(configs.map(({ name, config }) => textOf(scheduleA(convGraph(smallConv, name), config)).text));
    if (arch === "sm_75") expect(Object.keys(compileCubin(text, arch))).toHaveLength(configs.length);
    else expect(compilePtx(text, arch).size).toBe(configs.length);
  });
});

it("counts the barriers of a nest whose copies stand in different loops", () => {
  const a = placeholder("a", [64, 32]);
  const b = placeholder("b", [32, 64]);
  const k = reduceAxis("k", 32);
  const out = compute(
    "c",
    [
      ["i", 64],
      ["j", 64],
    ],
    (i, j) => sum(te.mul(te.at(a, i, k.loopVar), te.at(b, k.loopVar, j)), [k]),
  );
  const s = createSchedule(graphOf([a, b], [out]));
  const stage = s.stage("c");
  const acc = s.cacheWrite(stage, "local");
  const aa = s.cacheRead(a, "shared", [acc]);
  const bb = s.cacheRead(b, "shared", [acc]);
  const [i, j] = s.axes(stage) as [LoopRef, LoopRef];
  s.bind(i, "blockIdx.x");
  s.bind(j, "threadIdx.x");
  s.computeAt(acc, stage, j);
  const [kk] = s.reduceAxes(acc) as [LoopRef];
  const [ko] = s.split(kk, [null, 4]) as [LoopRef, LoopRef];
  s.reorder([ko, ...s.axes(acc)]);
  s.computeAt(aa, stage, i);
  s.computeAt(bb, acc, ko);
  s.bind(s.axes(aa)[1] as LoopRef, "threadIdx.x");
  s.bind(s.axes(bb)[1] as LoopRef, "threadIdx.x");
  const kernels = lowerFunc(scheduled(s), target);
  let barriers = 0;
  for (const kernel of kernels)
    walkStmt(kernel.func.body, (x) => {
      if (x.kind === "Barrier") barriers++;
    });
  // Threads read what others copied of a. Of b each copies and reads its own column.
  expect(barriers).toBe(1);
  const inputs = new Map<string, TensorData>(
    s.graph.inputs.map((t, q) => [t.name, Float32Array.from({ length: 2048 }, (_, n) => ((n + q) % 7) - 3)]),
  );
  expect(interpretKernels(kernels, inputs).data.get("c")).toEqual(evaluate(s.graph, inputs).get("c"));
});
