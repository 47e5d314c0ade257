import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { type ConvConfig, convGraph, resnetConv, scheduleA } from "../../test/programs.testing.ts";
import { infer } from "../schedule/infer.ts";
import type { Schedule } from "../schedule/schedule.ts";
import { gpuLimits, type Limits, verifyLimits } from "./gpu-limits.ts";

const rules = (schedule: Schedule, limits: Limits): string[] => {
  const inferred = infer(schedule.state);
  if (!inferred.ok) throw inferred.error;
  return verifyLimits(inferred.value, limits).map((v) => v.rule);
};

interface Trial {
  readonly no: number;
  readonly config: Readonly<Record<string, number[]>> & {
    readonly auto_unroll_max_step: number;
    readonly unroll_explicit: number;
  };
  readonly shared_bytes: number;
  readonly threads: number;
  readonly valid: boolean;
}
const file = new URL("../../test/vectors/autotvm-tutorial-trials.json", import.meta.url);
const { trials } = JSON.parse(readFileSync(file, "utf8")) as { readonly trials: readonly Trial[] };
const graph = convGraph(resnetConv);
const scheduleOf = ({ config }: Trial): Schedule => {
  const parts = (name: string) => (config[`tile_${name}`] as number[]).slice(1);
  return scheduleA(graph, {
    ...Object.fromEntries(["f", "y", "x", "rc", "ry", "rx"].map((name) => [name, parts(name)])),
    maxStep: config.auto_unroll_max_step,
    explicit: config.unroll_explicit,
  } as unknown as ConvConfig);
};

describe("the 20 printed trials of the tutorial", () => {
  it("ask for the shared bytes and threads that TVM counted", () => {
    expect(trials).toHaveLength(20);
    for (const trial of trials) {
      const inferred = infer(scheduleOf(trial).state);
      if (!inferred.ok) throw inferred.error;
      const shared = inferred.value.allocations.filter((a) => a.scope === "shared").reduce((bytes, a) => bytes + a.bytes, 0);
      const [x, y, z] = inferred.value.launches[0]?.block ?? [0, 0, 0];
      expect([trial.no, shared, x * y * z]).toEqual([trial.no, trial.shared_bytes, trial.threads]);
    }
  });
  it("are valid under autotvm as the log says, 20 of 20", () => {
    for (const trial of trials)
      expect([trial.no, rules(scheduleOf(trial), gpuLimits("autotvm")).length === 0]).toEqual([trial.no, trial.valid]);
  });
  it("are valid on sm_90 but for six", () => {
    const refused = trials.filter((trial) => rules(scheduleOf(trial), gpuLimits("cuda/sm_90")).length > 0);
    expect(refused.map((trial) => trial.no)).toEqual([4, 7, 14, 16, 17, 20]);
  });
  it("names every limit that is broken, with both numbers", () => {
    const inferred = infer(scheduleOf(trials[16] as Trial).state);
    if (!inferred.ok) throw inferred.error;
    expect(verifyLimits(inferred.value, gpuLimits("autotvm"))).toEqual([
      { rule: "gpu.shared_bytes", message: 'shared memory of "conv" in bytes is 409344; autotvm allows 49152' },
      { rule: "gpu.block_z", message: 'threadIdx.z of "conv" is 512; autotvm allows 64' },
    ]);
  });
});

describe("limits", () => {
  it("follow the capability, the suffix a aside", () => {
    const shared = (target: string) => gpuLimits(target).sharedBytesPerBlock;
    expect(shared("cuda/sm_75")).toBe(65_536);
    expect(shared("cuda/sm_86")).toBe(101_376);
    expect(shared("cuda/sm_90a")).toBe(232_448);
    expect(shared("cuda/sm_120")).toBe(101_376);
  });
  it("of a capability without an entry are those of the nearest lower one", () => {
    expect(gpuLimits("cuda/sm_88").sharedBytesPerBlock).toBe(gpuLimits("cuda/sm_87").sharedBytesPerBlock);
  });
  it("give way to what a device says", () => {
    const limits = gpuLimits({ target: "cuda/sm_90", sharedBytesPerBlock: 1000 });
    expect(limits).toMatchObject({ sharedBytesPerBlock: 1000, threadsPerBlock: 1024 });
    expect(rules(scheduleOf(trials[0] as Trial), limits)).toEqual(["gpu.shared_bytes"]);
  });
  it("are none on a CPU", () => {
    expect(rules(scheduleOf(trials[16] as Trial), gpuLimits("cpu/x86-64-v3"))).toEqual([]);
  });
  it("are for a target that exists", () => {
    expect(() => gpuLimits("cuda/hopper")).toThrow("cuda/hopper");
  });
});
