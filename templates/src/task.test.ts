import { FarmError, fillValue, type Json, philoxBits, Random } from "@warpfarm/common";
import {
  decodeProgram,
  gpuLimits,
  infer,
  interpret,
  interpretKernels,
  lowerFunc,
  parseTarget,
  replay,
  type TensorData,
} from "@warpfarm/compiler";
import { describe, expect, it } from "vitest";
import { type ConvArgs, convArgs } from "./built-in/conv-args.ts";
import { templates } from "./built-in/index.ts";
import { createTask, findTemplate } from "./task.ts";
import { readArgs } from "./template-args.ts";

const filled = (buffer: number, count: number): Float32Array =>
  Float32Array.from({ length: count }, (_, i) => fillValue("float32", philoxBits(7, buffer, i)));

/** The convolution by its definition. Values are multiples of 1/256 below 1, so sums of this size are exact in any order. */
function convolve(data: TensorData, kernel: TensorData, { N, H, W, CO, CI, KH, KW, stride, padding }: ConvArgs): Float32Array {
  const OH = Math.floor((H + 2 * padding[0] - KH) / stride[0]) + 1;
  const OW = Math.floor((W + 2 * padding[1] - KW) / stride[1]) + 1;
  const out = new Float32Array(N * CO * OH * OW);
  for (let n = 0; n < N; n++)
    for (let f = 0; f < CO; f++)
      for (let y = 0; y < OH; y++)
        for (let x = 0; x < OW; x++) {
          let sum = 0;
          for (let c = 0; c < CI; c++)
            for (let ky = 0; ky < KH; ky++)
              for (let kx = 0; kx < KW; kx++) {
                const iy = y * stride[0] + ky - padding[0];
                const ix = x * stride[1] + kx - padding[1];
                if (iy < 0 || iy >= H || ix < 0 || ix >= W) continue;
                const pixel = data[((n * CI + c) * H + iy) * W + ix] as number;
                sum += pixel * (kernel[((f * CI + c) * KH + ky) * KW + kx] as number);
              }
          out[((n * CO + f) * OH + y) * OW + x] = sum;
        }
  return out;
}

function expectedOf(
  name: string,
  args: Json,
): { readonly inputs: ReadonlyMap<string, Float32Array>; readonly output: string; readonly values: Float32Array } {
  const conv = readArgs(name, convArgs, args);
  const data = filled(0, conv.N * conv.CI * conv.H * conv.W);
  const kernel = filled(1, conv.CO * conv.CI * conv.KH * conv.KW);
  return {
    inputs: new Map([
      ["data", data],
      ["kernel", kernel],
    ]),
    output: "conv",
    values: convolve(data, kernel, conv),
  };
}

describe.each<[string, string, Json, number]>([
  ["tutorial/conv2d_no_batching", "cuda/sm_90", [1, 5, 6, 8, 4, 3, 3, 1, 1], 5],
  ["tutorial/conv2d_no_batching", "cuda/sm_90", [1, 7, 7, 4, 6, 1, 3, 2, 0], 5],
  ["conv2d_nchw_cpu", "cpu/x86-64-v4", [1, 7, 7, 32, 4, 3, 3, 1, 1], 5],
  ["conv2d_nchw_cpu", "cpu/x86-64-v3", [2, 9, 8, 24, 3, 3, 2, 2, 1], 5],
  ["conv2d_nchw_cpu", "cpu/x86-64-v1", [1, 5, 5, 7, 5, 1, 1, 1, 0], 5],
])("%s on %s with %j", (name, target, args, count) => {
  const task = createTask(name, args, target);
  const expected = expectedOf(name, args);

  it(`computes what it says at ${count} random configs, as scheduled and as lowered, and so does the default schedule`, () => {
    const random = new Random(11);
    const schedules = Array.from({ length: count }, () => {
      const instance = task.instantiate(task.space.random(random));
      if (!instance.ok) throw new Error(instance.error.message);
      return instance.value.schedule;
    });
    const inputs = () => new Map<string, TensorData>([...expected.inputs].map(([input, values]) => [input, values.slice()]));
    for (const schedule of [task.defaultSchedule, ...schedules]) {
      const inferred = infer(schedule.state);
      if (!inferred.ok) throw inferred.error;
      const func = inferred.value.func();
      expect(interpret([func], inputs()).data.get(expected.output)).toEqual(expected.values);
      expect(interpretKernels(lowerFunc(func, parseTarget(target)), inputs()).data.get(expected.output)).toEqual(expected.values);
    }
  });
});

describe("a task", () => {
  it("counts operations as AutoTVM does: 231,501,312 for the convolution on either target", () => {
    expect(createTask("conv2d_nchw", {}, "cuda/sm_90").flops).toBe(231_501_312);
    expect(createTask("conv2d_nchw_cpu", {}, "cpu/x86-64-v3").flops).toBe(231_501_312);
    expect(createTask("matmul_derived", { K: 32 }, "cpu/x86-64-v3").flops).toBe(2 * 512 * 32 * 512);
  });

  it("has AutoTVM's space for the tutorial, and its published config", () => {
    const task = createTask("tutorial/conv2d_no_batching", undefined, "cuda/sm_90");
    expect(task.space.size).toBe(10_454_400);
    expect(task.space.knobs.map((k) => [k.name, k.size])).toEqual([
      ["tile_f", 220],
      ["tile_y", 4],
      ["tile_x", 4],
      ["tile_rc", 55],
      ["tile_ry", 3],
      ["tile_rx", 3],
      ["auto_unroll_max_step", 3],
      ["unroll_explicit", 2],
    ]);
    expect(task.published).toBe(4881186);
    expect(createTask("conv2d_nchw", [1, 14, 14, 512, 512, 3, 3, 1, 1], "cuda/sm_90").published).toBeUndefined();
  });

  it("at the published config launches and allocates what the worked case says", () => {
    const task = createTask("conv2d_nchw", undefined, "cuda/sm_90");
    const instance = task.instantiate(task.space.toIndex(4881186));
    if (!instance.ok) throw new Error(instance.error.message);
    const inferred = infer(instance.value.schedule.state);
    if (!inferred.ok) throw inferred.error;
    const { launches, allocations } = inferred.value;
    expect(launches).toMatchObject([{ grid: [1, 1, 4], block: [7, 1, 64] }]);
    const elements = Object.fromEntries(allocations.map((a) => [a.buffer.name, a.bytes / 4]));
    expect(elements).toEqual({
      "pad_temp.shared": 324,
      "kernel.shared": 4608,
      "pad_temp.shared.local": 18,
      "kernel.shared.local": 6,
      "conv.local": 7,
    });
  });

  it("keeps the tutorial's crossing: tile_rx splits ry and tile_ry splits rx", () => {
    const task = createTask("conv2d_nchw", undefined, "cuda/sm_90");
    const values = new Map(task.space.get(4881186).values);
    values.set("tile_ry", [-1, 3, 1]).set("tile_rx", [-1, 1, 3]);
    const index = task.space.indexOf(values);
    const instance = index === undefined ? undefined : task.instantiate(index);
    if (!instance?.ok) throw new Error("not instantiated");
    const { schedule } = instance.value;
    const [, ry, rx] = schedule.reduceAxes(schedule.stage("conv.local"));
    const factorsOf = (loop: unknown) => schedule.trace.find((s) => s.op === "split" && s.in[0] === `l${loop}`)?.args.factors;
    expect(factorsOf(ry)).toEqual([null, 1, 3]);
    expect(factorsOf(rx)).toEqual([null, 3, 1]);
  });

  it("makes one program per config, which replays to the same schedule", () => {
    const task = createTask("conv2d_nchw_cpu", undefined, "cpu/x86-64-v3");
    const programOf = (i: number) => {
      const instance = task.instantiate(task.space.toIndex(i));
      if (!instance.ok) throw new Error(instance.error.message);
      return instance.value;
    };
    expect(programOf(3).program).toEqual(programOf(3).program);
    expect(new Set(Array.from({ length: 40 }, (_, i) => programOf(i * 12).program.digest)).size).toBe(40);
    const { schedule, program } = programOf(17);
    const decoded = decodeProgram(program.bytes);
    if (!decoded.ok || decoded.value.kind !== "schedule") throw new Error("not decoded");
    const replayed = replay(decoded.value.graph, decoded.value.trace);
    expect(replayed.ok && replayed.value.trace).toEqual(schedule.trace);
  });

  it("on a CPU is refused nothing by limits a CPU does not have", () => {
    const task = createTask("conv2d_nchw_cpu", undefined, "cpu/x86-64-v4");
    const limits = gpuLimits("cpu/x86-64-v4");
    for (let i = 0; i < task.space.size; i += 7) expect(task.validate(task.space.toIndex(i), limits)).toEqual([]);
  });
});

describe("arguments", () => {
  const args = (json: Json | undefined) => createTask("conv2d_nchw_cpu", json, "cpu/x86-64-v3").args;
  const defaults = [1, 7, 7, 512, 512, 3, 3, [1, 1], [1, 1]];
  it("are AutoTVM's positional list, names, or the defaults", () => {
    for (const json of [undefined, {}, defaults, [1, 7, 7, 512, 512, 3, 3, 1, 1], { stride: 1, padding: [1, 1] }])
      expect(args(json)).toEqual(defaults);
    expect(args({ H: 14, W: 14, stride: 2 })).toEqual([1, 14, 14, 512, 512, 3, 3, [2, 2], [1, 1]]);
  });
  it("have four paddings, and a dilation and groups where these are not the defaults", () => {
    const sizes = defaults.slice(0, 7);
    expect(args({ padding: [0, 1, 0, 1] })).toEqual([...sizes, [1, 1], [0, 1]]);
    expect(args({ padding: [0, 1] })).toEqual([...sizes, [1, 1], [0, 1]]);
    expect(args([...sizes, 1, [0, 1, 2, 3]])).toEqual([...sizes, [1, 1], [0, 1, 2, 3]]);
    expect(args({ dilation: 2 })).toEqual([...defaults, [2, 2]]);
    expect(args([...defaults, [1, 1], 1])).toEqual(defaults);
    const grouped = createTask("conv2d_derived", { groups: 4 }, "cuda/sm_90").args;
    expect(grouped).toEqual([...defaults, "NCHW", "float32", [1, 1], 4]);
  });

  const refusal = (name: string, json: Json | undefined, target = "cpu/x86-64-v3"): string => {
    try {
      createTask(name, json, target);
    } catch (error) {
      expect(error).toBeInstanceOf(FarmError);
      expect((error as FarmError).code).toBe("INVALID_ARGUMENT");
      return (error as FarmError).message;
    }
    return "accepted";
  };
  const cpu = "conv2d_nchw_cpu";
  it.each<[string, Json, string]>([
    ["a negative extent", { CO: -1 }, `${cpu}: argument CO is -1; it takes a whole number from 1`],
    ["an extent that no int32 holds", { CO: 2 ** 31 }, `${cpu}: argument CO is 2147483648; it takes a whole number from 1`],
    ["a fraction", { H: 7.5 }, `${cpu}: argument H is 7.5; it takes a whole number from 1`],
    ["a word", { CI: "512" }, `${cpu}: argument CI is "512"; it takes a whole number from 1`],
    [
      "three strides",
      { stride: [1, 1, 1] },
      `${cpu}: argument stride is [1,1,1]; it takes a whole number from 1, or a pair of them`,
    ],
    ["stride 0", { stride: 0 }, `${cpu}: argument stride is 0; it takes a whole number from 1, or a pair of them`],
    ["null", { N: null }, `${cpu}: argument N is null; it takes a whole number from 1`],
    [
      "an unknown name",
      { Q: 1 },
      `${cpu} has no argument "Q"; it takes N, H, W, CO, CI, KH, KW, stride, padding, dilation, groups`,
    ],
    [
      "a short list",
      [1, 7, 7],
      `${cpu} takes 9 to 11 arguments, N, H, W, CO, CI, KH, KW, stride, padding, dilation, groups; the list has 3`,
    ],
    [
      "a number",
      5,
      `${cpu}: arguments are 5; they are a list in the order N, H, W, CO, CI, KH, KW, stride, padding, dilation, groups, or an object of these names`,
    ],
    [
      "three paddings",
      { padding: [1, 1, 1] },
      `${cpu}: argument padding is [1,1,1]; it takes a whole number from 0, a pair of them (height, width), or four (top, left, bottom, right)`,
    ],
    ["groups that do not divide", { groups: 3 }, `${cpu}: groups is 3; it must divide the 512 input and the 512 output channels`],
    ["groups", { groups: 2 }, `${cpu}: groups is 2; this template takes 1`],
    [
      "a dilated kernel larger than the input",
      { dilation: [1, 5] },
      `${cpu}: the kernel is 3x3 with dilation [1,5], over 3x11; the padded input is only 9x9`,
    ],
    ["a kernel larger than the input", { KH: 10 }, `${cpu}: the kernel is 10x3; the padded input is only 9x9`],
    [
      "a tensor too large to index",
      { H: 100_000, W: 100_000 },
      `${cpu}: tensor "data" has 5120000000000 elements; at most 2147483647 can be numbered`,
    ],
  ])("%s is refused in one sentence", (_, json, message) => expect(refusal(cpu, json)).toBe(message));

  it("tasks, targets and their mismatch are refused in one sentence", () => {
    const known = templates.flatMap((t) => [t.name, ...t.aliases]).join(", ");
    expect(known).toContain("tutorial/conv2d_no_batching, conv2d_nchw, conv2d_nchw_cpu");
    expect(refusal("conv3d", {})).toBe(`there is no task "conv3d"; known are ${known}`);
    expect(refusal(cpu, {}, "cpu/riscv")).toBe(
      '"cpu/riscv" is not a target; known are cpu/x86-64-v1 to v4, cpu/arm64, cuda/sm_NN, cuda/sm_NNa',
    );
    expect(refusal(cpu, {}, "cuda/sm_90")).toBe("conv2d_nchw_cpu is for cpu, not for cuda/sm_90");
    expect(refusal("conv2d_nchw", { N: 2 }, "cuda/sm_90")).toBe("tutorial/conv2d_no_batching: N is 2; this template takes 1");
    expect(findTemplate("conv2d_nchw")).toBe(findTemplate("tutorial/conv2d_no_batching"));
  });
});
