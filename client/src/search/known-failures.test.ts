import { defaultMeasureOptions, FarmError, ManualClock, type ProgramBytes } from "@warpfarm/common";
import { MemoryStore, type RecordResult, type RecordStore, type TuningRecord } from "@warpfarm/records";
import { describe, expect, it } from "vitest";
import type { FarmDevice } from "./farm-device.ts";
import type { FarmBuilder } from "./farm-there.ts";
import { knownFailures } from "./known-failures.ts";

const nowMs = 1_790_000_000_000;
const day = 24 * 3_600_000;
const options = { ...defaultMeasureOptions("cuda"), runTimeoutMs: 10_000, buildTimeoutMs: 60_000 };
const h100 = { key: "cuda/sm_90", name: "NVIDIA H100", driver: "580" };
const reference = { digest: `sha256:${"a".repeat(64)}` as ProgramBytes["digest"] };
const task = { name: "matmul", args: [64, 64, 64], target: "cuda/sm_90a", reference };
const builder = { targets: ["cuda/sm_90a", "cpu/x86-64-v3"], toolchains: ["nvrtc 13.0", "gcc 12.2.0"] };

const failed = (errorNo: 3 | 4 | 5 | 7 | 8): RecordResult => ({ kind: "failed", errorNo, rule: "x", message: "no" });
const record = (program: string, change: Partial<TuningRecord> = {}): TuningRecord => ({
  id: `s/${program}`,
  origin: { kind: "measured", by: "ada" },
  task: task.name,
  args: task.args,
  program,
  reference: reference.digest,
  target: "cuda/sm_90a",
  toolchain: "nvrtc 13.0",
  device: h100,
  options,
  result: failed(4),
  timestampMs: nowMs - day,
  ...change,
});
const device = (name: string, driver = "580"): FarmDevice => ({
  key: "cuda/sm_90",
  labels: {},
  memoryBytes: 80e9,
  limits: { name, limits: {} },
  model: { name, driver },
});
const ask = { task, selector: "cuda/sm_90", options, clock: new ManualClock(nowMs), signal: new AbortController().signal };

async function known(
  devices: readonly FarmDevice[],
  records: readonly TuningRecord[],
  change: Partial<typeof ask> = {},
  builders: readonly FarmBuilder[] = [builder],
) {
  const store = new MemoryStore({ now: () => nowMs });
  await store.append(records);
  return [...(await knownFailures(store, { devices, builders }, { ...ask, ...change })).keys()].sort();
}

describe("failures that records know", () => {
  const records = [
    record("crashed"),
    record("unbuilt", { result: failed(3) }),
    record("farm", { result: failed(8) }),
    record("old", { timestampMs: nowMs - 7 * day }),
    record("elsewhere", { device: { ...h100, name: "NVIDIA H200" } }),
    record("other-shape", { args: [1, 1, 1] }),
    record("slow", { result: failed(7) }),
    record("timed", { result: { kind: "timed", costs: [1], checked: true } }),
    record("imported", { origin: { kind: "imported", by: "ada", format: "csv" } }),
  ];

  it("stand for the same model and driver; those of builds for any", async () => {
    expect(await known([device("NVIDIA H100"), device("NVIDIA H100")], records)).toEqual(["crashed", "slow", "unbuilt"]);
    expect(await known([device("NVIDIA H100", "590")], records)).toEqual(["unbuilt"]);
    expect(await known([device("NVIDIA H100"), device("NVIDIA H200")], records)).toEqual(["unbuilt"]);
    expect(await known([], records)).toEqual(["unbuilt"]);
    const asked: object[] = [];
    const store = {
      async query(query: object) {
        asked.push(query);
        return { records: [] };
      },
    };
    await knownFailures(store, { devices: [device("NVIDIA H100")], builders: [builder] }, ask);
    expect(asked).toMatchObject([{ believed: true, outcome: "failed", origin: "measured" }]);
    const another = { digest: `sha256:${"b".repeat(64)}` as ProgramBytes["digest"] };
    expect(await known([device("NVIDIA H100")], records, { task: { ...task, reference: another } })).toEqual(["unbuilt"]);
    expect(await known([device("NVIDIA H100")], records, { options: { ...options, check: "none" } })).toEqual(["unbuilt"]);
    const longer = { options: { ...options, runTimeoutMs: 10_001 } };
    expect(await known([device("NVIDIA H100")], records, longer)).toEqual(["crashed", "unbuilt"]);
  });

  it("stand where all builders for the target have the toolchain", async () => {
    const { toolchain: _, ...unnamed } = record("unnamed");
    const named = [record("nvrtc"), record("nvcc", { toolchain: "nvcc 13.0.88" }), unnamed];
    const of = (...builders: readonly FarmBuilder[]) => known([device("NVIDIA H100")], named, {}, builders);
    const both = { ...builder, toolchains: ["nvrtc 13.0", "ptxas 13.0", "nvcc 13.0.88"] };
    expect(await of(both)).toEqual(["nvcc", "nvrtc"]);
    expect(await of(both, builder)).toEqual(["nvrtc"]);
    expect(await of(builder, { ...builder, toolchains: ["nvrtc 13.1"] })).toEqual([]);
    expect(await of(builder, { targets: ["cpu/x86-64-v3"], toolchains: ["gcc 12.2.0"] }), "for other targets").toEqual(["nvrtc"]);
    expect(await of(), "no builder").toEqual([]);
    expect(await of({ ...builder, toolchains: [] }), "a builder without a compiler").toEqual([]);
  });

  it("become results that say so and were attempted by nobody; a tracker without records knows none", async () => {
    const store = new MemoryStore({ now: () => nowMs });
    await store.append([record("crashed")]);
    const found = await knownFailures(store, { devices: [device("NVIDIA H100")], builders: [builder] }, ask);
    expect(found.get("crashed")).toMatchObject({
      errorNo: 4,
      rule: "x",
      attempt: 0,
      runMs: 0,
      message: expect.stringContaining("not measured: it failed on 2026-"),
    });
    const query = async () => {
      throw new FarmError("FAILED_PRECONDITION", "no such service");
    };
    expect((await knownFailures({ query }, { devices: [], builders: [builder] }, ask)).size).toBe(0);
  });

  it("are read in pages of 1000, of the last 4000 records", async () => {
    const cursors: (string | undefined)[] = [];
    const query = async ({ cursor }: { readonly cursor?: string }) => {
      cursors.push(cursor);
      const from = Number(cursor ?? 0);
      const records = Array.from({ length: 1000 }, (_, i) => record(`p${from + i}`));
      return { records, next: `${from + 1000}` };
    };
    const store = { query } as unknown as Pick<RecordStore, "query">;
    const found = await knownFailures(store, { devices: [device("NVIDIA H100")], builders: [builder] }, ask);
    expect([cursors, found.size]).toEqual([[undefined, "1000", "2000", "3000"], 4000]);
  });

  it("are none when the tracker does not answer in time: what they would have saved is measured", async () => {
    const clock = new ManualClock(nowMs);
    let asked = () => {};
    const isAsked = new Promise<void>((resolve) => {
      asked = resolve;
    });
    const silent: RecordStore["query"] = (_, { signal } = {}) => {
      asked();
      return new Promise((_resolve, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
    };
    const found = knownFailures({ query: silent }, { devices: [], builders: [builder] }, { ...ask, clock });
    await isAsked;
    clock.advance(20_000);
    expect((await found).size).toBe(0);
  });
});
