import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { type ConvConfig, convGraph, resnetConv, scheduleA } from "../../test/programs.testing.ts";
import { infer } from "../schedule/infer.ts";
import type { Schedule } from "../schedule/schedule.ts";
import { type Limits, verifyLimits } from "../verify/limits.ts";
import { gpuLimits } from "./gpu-limits.ts";

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
  // KiB of shared memory that a block may have, from the CUDA C++ Programming Guide, "Technical Specifications per Compute
  // Capability". Of a capability without a row the nearest lower one's.
  it.each([
    ...([
      ["75", 64],
      ["80", 163],
      ["86", 99],
      ["87", 163],
      ["88", 163],
      ["89", 99],
      ["90", 227],
      ["90a", 227],
    ] as const),
    ...([
      ["100", 227],
      ["103", 227],
      ["110", 227],
      ["120", 99],
      ["121", 99],
    ] as const),
  ])("of sm_%s have %i KiB of shared memory", (capability, kibibytes) => {
    expect(gpuLimits(`cuda/sm_${capability}`).sharedBytesPerBlock).toBe(kibibytes * 1024);
  });
  it("of threads, blocks, grids and clusters are one for all capabilities but for clusters, which sm_90 begins", () => {
    const all = { threadsPerBlock: 1024, block: [1024, 1024, 64], grid: [2_147_483_647, 65_535, 65_535] };
    expect(gpuLimits("cuda/sm_89")).toMatchObject({ ...all, cluster: 1 });
    expect(gpuLimits("cuda/sm_90")).toMatchObject({ ...all, cluster: 8 });
  });
  it("give way to what devices say: the least of each, and whose it is", () => {
    const limits = gpuLimits("cuda/sm_90", [
      { name: "A of box", limits: { max_shared_memory_per_block_optin: 2000, max_block_dim_z: 512, max_threads_per_block: 512 } },
      { name: "B of desk", limits: { max_shared_memory_per_block_optin: 1000, max_block_dim_z: 32, max_grid_dim_y: 7 } },
      { name: "C of attic", limits: { max_shared_memory_per_block_optin: 1000, compute_mode: 0 } },
      { name: "D", limits: {} },
    ]);
    expect(limits).toMatchObject({
      sharedBytesPerBlock: 1000,
      threadsPerBlock: 512,
      block: [1024, 1024, 32],
      grid: [2 ** 31 - 1, 7, 65_535],
    });
    const inferred = infer(scheduleOf(trials[16] as Trial).state);
    if (!inferred.ok) throw inferred.error;
    const [shared, z] = verifyLimits(inferred.value, limits);
    expect([shared, z]).toEqual([
      { rule: "gpu.shared_bytes", message: 'shared memory of "conv" in bytes is 409344; B of desk allows 1000' },
      { rule: "gpu.block_z", message: 'threadIdx.z of "conv" is 512; B of desk allows 32' },
    ]);
    expect(verifyLimits(inferred.value, { ...limits, owners: {} })[0]?.message).toContain("cuda/sm_90 allows 1000");
  });
  it("are the table's where devices say more, nothing, or AutoTVM's rule is asked for", () => {
    const more = [{ name: "A", limits: { max_shared_memory_per_block_optin: 1 << 20, max_threads_per_block: 2048 } }];
    const less = [{ name: "A", limits: { max_shared_memory_per_block_optin: 1, max_threads_per_block: 1 } }];
    expect(gpuLimits("cuda/sm_90", more)).toMatchObject(gpuLimits("cuda/sm_90"));
    expect(gpuLimits("cuda/sm_90", [{ name: "A", limits: {} }])).toMatchObject(gpuLimits("cuda/sm_90"));
    expect(gpuLimits("autotvm", less)).toEqual(gpuLimits("autotvm"));
    expect(gpuLimits("cpu/x86-64-v3", less)).toEqual(gpuLimits("cpu/x86-64-v3"));
  });
  it("are none on a CPU", () => {
    expect(rules(scheduleOf(trials[16] as Trial), gpuLimits("cpu/x86-64-v3"))).toEqual([]);
  });
  it("are for a target that exists", () => {
    expect(() => gpuLimits("cuda/hopper")).toThrow("cuda/hopper");
  });
});
