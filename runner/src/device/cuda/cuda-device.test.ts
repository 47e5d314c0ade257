import { writeFileSync } from "node:fs";
import { describe, expect, it, vi } from "vitest";
import { tensor } from "../../../../test-support/kernels.ts";
import { type DeviceBuffer, DeviceError } from "../device-api.ts";
import { CudaDevice } from "./cuda-device.ts";
import { buffers, count, doubling, floats, right, useCudaFarm } from "./cuda-farm.testing.ts";
import type { Nvml } from "./nvml.ts";
import { ScriptedCuda } from "./scripted-cuda.testing.ts";

const { artifact, farm } = useCudaFarm();

describe("a candidate on a scripted GPU", () => {
  it("is checked and timed by graphs, made anew only when their size changes", async () => {
    const { driver, measure } = farm({ fast: right(1 / 128) });
    const answer = await measure(artifact("fast"), { minRepeatMs: 100, repeat: 3 });
    // 1 run (warm-up), 1 run, then trunc(100 * 128 + 1) runs, three times.
    expect(answer).toMatchObject({ kind: "timed", number: 12_801, checked: true });
    if (answer.kind !== "timed") throw new Error("not timed");
    for (const cost of answer.costs) expect(cost).toBeCloseTo(1 / 128_000, 15);
    // 5 ms are 640 nodes, launched once before timing: 20 launches, and a single run that is left over.
    expect(driver.launched.get("fast")).toBe(2 + 640 + 3 * 12_801);
    expect(driver.calls.filter((call) => call.startsWith("cuGraphInstantiate"))).toEqual([
      "cuGraphInstantiate 1", // the reference kernel
      "cuGraphInstantiate 1",
      "cuGraphInstantiate 640",
    ]);
  });

  it("leaves nothing behind but what the session keeps", async () => {
    const { driver, measure } = farm({ a: right(0.5), b: right(0.5) });
    const space = tensor("w", "workspace", "float32", [1000]);
    await measure(artifact("a"));
    const kept = [driver.taken, driver.liveGraphs, driver.liveEvents, driver.modules];
    await measure(artifact("b", {}, [...buffers, space]));
    await measure(artifact("a"), { timer: "events", l2: "flushed" });
    const [, ...handles] = kept;
    expect([driver.liveGraphs, driver.liveEvents, driver.modules]).toEqual(handles);
    expect(kept).toEqual([expect.any(Number), 0, 0, 1]);
    // The reference kernel ran once, and its output stayed on the device.
    expect(driver.launched.get("reference")).toBe(1);
  });

  it.each([
    [4_000_000, 8_000_000],
    [400_000, 1 << 20],
  ])("has an L2 cache of %i bytes before it that %i bytes went through, of one array for all its batches", (l2, bytes) => {
    const driver = Object.assign(new ScriptedCuda(), { l2Bytes: l2 });
    const device = new CudaDevice(driver, 0);
    const { taken } = driver;
    for (let batch = 0; batch < 2; batch++) device.flushCaches();
    expect([driver.cleared, driver.taken - taken]).toEqual([[bytes, bytes], bytes]);
  });

  it("with plain events is launched one by one", async () => {
    const { driver, measure } = farm({ k: right(1) });
    expect(await measure(artifact("k"), { timer: "events", number: 7, minRepeatMs: 0 })).toMatchObject({
      kind: "timed",
      number: 7,
    });
    expect(driver.launched.get("k")).toBe(1 + 3 * 7);
    expect(driver.calls.filter((call) => call.startsWith("cuGraphInstantiate"))).toHaveLength(1);
  });

  it("that computes wrongly is told its worst element", async () => {
    const compute = (memory: (param: number) => Uint8Array): void => {
      doubling(memory);
      floats(memory(1))[42] = 1000;
    };
    const { measure } = farm({ wrong: { ms: () => 1, compute } });
    expect(await measure(artifact("wrong"))).toMatchObject({
      kind: "failed",
      errorNo: 5,
      tainted: false,
      mismatch: { buffer: "y", index: 42, got: 1000, count: 1 },
    });
  });

  it("that leaves an element out is wrong there: outputs are poisoned", async () => {
    const compute = (memory: (param: number) => Uint8Array): void => {
      const last = floats(memory(1))[count - 1] ?? 0;
      doubling(memory);
      floats(memory(1))[count - 1] = last;
    };
    const { measure } = farm({ partial: { ms: () => 1, compute } });
    const answer = await measure(artifact("partial"));
    expect(answer).toMatchObject({ kind: "failed", errorNo: 5, mismatch: { index: count - 1, count: 1, got: Number.NaN } });
  });

  it.for([
    ["just behind its output", "y", (memory: (param: number) => Uint8Array) => memory(1).set([1], 4 * count)],
    ["64 KiB behind its output", "y", (memory: (param: number) => Uint8Array) => memory(1).set([1], 4 * count + 65_535)],
    ["into its input", "x", (memory: (param: number) => Uint8Array) => memory(0).set([0x55], 5)],
  ] as const)("that writes %s is caught", async ([, buffer, stray]) => {
    const compute = (memory: (param: number) => Uint8Array): void => {
      doubling(memory);
      stray(memory);
    };
    const { measure } = farm({ stray: { ms: () => 1, compute } });
    const answer = await measure(artifact("stray"));
    expect(answer).toMatchObject({ kind: "failed", errorNo: 4, rule: "out_of_bounds_write", tainted: true });
    expect(answer).toMatchObject({ message: expect.stringContaining(`"${buffer}"`) });
  });

  it("that faults ends the process: the driver's code is the rule and nothing more is asked", async () => {
    const { driver, measure } = farm({ faulty: { ms: () => 1, fault: 700 } });
    const answer = await measure(artifact("faulty"));
    expect(answer).toMatchObject({ kind: "failed", errorNo: 4, rule: "CUDA_ERROR_ILLEGAL_ADDRESS", tainted: true });
    expect(driver.calls.at(-1)).toBe("cuStreamSynchronize");
  });

  it("is not blamed when the reference kernel faults; the process must end all the same", async () => {
    const { measure } = farm({ reference: { ms: () => 1, fault: 700 }, k: right(1) });
    expect(await measure(artifact("k"))).toMatchObject({
      kind: "failed",
      ofReference: true,
      tainted: true,
      rule: "CUDA_ERROR_ILLEGAL_ADDRESS",
    });
  });

  it("that cannot be launched is refused, and the next one runs", async () => {
    const { driver, measure } = farm({ greedy: { ms: () => 1, refused: 701 }, good: right(1) });
    const answer = await measure(artifact("greedy"));
    expect(answer).toMatchObject({ kind: "failed", errorNo: 4, rule: "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", tainted: false });
    expect(await measure(artifact("good"))).toMatchObject({ kind: "timed", checked: true });
    expect([driver.liveGraphs, driver.liveEvents, driver.modules]).toEqual([0, 0, 1]);
  });

  it("that keeps more in local memory than the device has for all its threads is refused before anything runs", async () => {
    // The scripted device holds 2 threads and has 1 GiB.
    const { driver, measure } = farm({ hungry: { ms: () => 1, local: 2 ** 29 + 1 }, fits: { ...right(1), local: 2 ** 29 } });
    expect(await measure(artifact("hungry"))).toEqual({
      kind: "failed",
      errorNo: 4,
      rule: "local_memory",
      message:
        "kernel hungry keeps 536870913 bytes per thread in local memory. The 2 threads that the device holds at a time need 1.1 GB; " +
        "the device has 1.1 GB. Smaller tiles per thread need less",
      tainted: false,
    });
    expect(driver.launched.has("hungry")).toBe(false);
    expect(await measure(artifact("fits"))).toMatchObject({ kind: "timed" });
    expect([driver.liveGraphs, driver.liveEvents, driver.modules]).toEqual([0, 0, 1]);
  });

  it.for([
    [2, 4096, "local_memory", false],
    [999, 4096, "local_memory", true],
    [2, 0, "out_of_memory", false],
    [999, 0, "graph", true],
  ] as const)("whose graph fails with %i, with %i bytes a thread in local memory, is at fault: %s", async ([
    code,
    local,
    rule,
    tainted,
  ]) => {
    const { measure } = farm({ k: { ms: () => 1, graphRefused: code, ...(local > 0 ? { local } : {}) } });
    const answer = await measure(artifact("k"));
    expect(answer).toMatchObject({ kind: "failed", errorNo: 4, rule, tainted });
    const said = local > 0 ? "kernel k keeps 4096 bytes per thread in local memory" : "for the graph of the candidate's launches";
    expect(answer).toMatchObject({ message: expect.stringContaining(said) });
    expect(answer).toMatchObject({ message: expect.stringMatching(/^cuGraphInstantiateWithFlags: /) });
  });

  it("is no candidate's fault when the driver answers with 999 elsewhere", async () => {
    const { measure } = farm({ k: { ms: () => 1, fault: 999, local: 4096 } });
    expect(await measure(artifact("k"))).toMatchObject({ kind: "fault", hardware: true });
  });

  it("whose code is no cubin, or lacks its kernel, is refused at the load", async () => {
    const { measure } = farm({});
    const garbage = artifact("k");
    writeFileSync(garbage.codePath, "not a cubin");
    expect(await measure(garbage)).toMatchObject({
      kind: "failed",
      errorNo: 4,
      rule: "CUDA_ERROR_INVALID_IMAGE",
      tainted: false,
    });
    const other = artifact("k");
    writeFileSync(other.codePath, JSON.stringify({ kernels: ["another"] }));
    expect(await measure(other)).toMatchObject({ kind: "failed", rule: "CUDA_ERROR_NOT_FOUND" });
  });

  it("asks for large shared memory and clusters before it is launched", async () => {
    const { driver, measure } = farm({ big: right(1) });
    // As much as every launch may have, and the least beyond it.
    await measure(artifact("big", { dynamic_shared_bytes: 49_152, cluster: [2, 2, 2] }));
    expect(driver.attributesSet).toEqual([]);
    await measure(artifact("big", { dynamic_shared_bytes: 49_153, cluster: [3, 3, 1] }));
    expect(driver.attributesSet).toEqual(["big max_dynamic_shared_size_bytes 49153", "big non_portable_cluster_size_allowed 1"]);
  });

  it("is observed while it runs, once, in a batch that is long enough", async () => {
    let asked = 0;
    const nvml: Nvml = {
      driverVersion: "1",
      observe: () => {
        asked++;
        return { memoryClockMhz: 2619 };
      },
      powerW: () => undefined,
      totalEnergyMj: () => undefined,
      sharing: () => ({ mig: false, virtualGpu: false, computeProcesses: [] }),
      computeProcesses: () => [],
      busyPercent: () => 0,
    };
    const { measure } = farm({ k: right(1), short: right(0.001) }, nvml);
    expect(await measure(artifact("k"))).toMatchObject({ observations: { memoryClockMhz: 2619 } });
    expect(asked).toBe(1);
    await measure(artifact("short"), { number: 1, minRepeatMs: 0 });
    expect(asked).toBe(2);
  });

  it("is told the energy of one run, from the counter's growth over the timed batches", async () => {
    let counted = 0;
    const nvml: Nvml = {
      driverVersion: "1",
      observe: () => ({ powerW: 300 }),
      powerW: () => 300,
      // A counter that ran before, too.
      totalEnergyMj: () => 5_000_000 + 250 * counted,
      sharing: () => ({ mig: false, virtualGpu: false, computeProcesses: [] }),
      computeProcesses: () => [],
      busyPercent: () => 0,
    };
    const ms = (): number => {
      counted++;
      return 1;
    };
    const { measure } = farm({ k: { ...right(1), ms } }, nvml);
    const answer = await measure(artifact("k"));
    expect(answer).toMatchObject({ kind: "timed", number: 101 });
    if (answer.kind !== "timed") throw new Error("not timed");
    expect(answer.observations).toMatchObject({ powerW: 300, energyJ: 0.25 });
    // One long batch gives no difference.
    expect(await measure(artifact("k"), { repeat: 1 })).not.toHaveProperty("observations.energyJ");
  });
});

describe("somebody else on a GPU", () => {
  const others = "in use by process 7";
  const handedBack = { kind: "fault", message: others };

  /** `at`: the number of the check that finds another process. The reference kernel's load and run have two. */
  const trial = async (at: number) => {
    let looks = 0;
    const { measure } = farm({ k: right(0.5) }, undefined, () => (++looks === at ? others : undefined));
    return { answer: await measure(artifact("k")), looks };
  };

  it("there for a moment of a trial: nothing that came out of it is told", async () => {
    const { answer, looks } = await trial(0);
    expect(answer).toMatchObject({ kind: "timed" });
    // Two of the reference kernel; then when the code is loaded, after the warm-up, after one run, after three batches, at the
    // end.
    expect(looks).toBe(2 + 7);
    for (let at = 1; at <= looks; at++) expect((await trial(at)).answer).toEqual(handedBack);
  });
  it("is no candidate's fault, whatever became of it", async () => {
    const { measure } = farm({ faulty: { ms: () => 1, fault: 700 } }, undefined, () => others);
    expect(await measure(artifact("faulty"))).toEqual(handedBack);
  });
  it("is still there when the node's own kernels are tried; gone, all is well", async () => {
    let present: string | undefined = others;
    const { measure, own } = farm({ k: right(1) }, undefined, () => present);
    expect(await own(false)).toEqual(handedBack);
    present = undefined;
    expect(await own(false)).toEqual({ kind: "own" });
    expect(await measure(artifact("k"))).toMatchObject({ kind: "timed" });
  });
});

describe("the node's own kernels on a GPU", () => {
  it("run once each when they are only to be checked, and leave nothing behind", async () => {
    const { driver, own } = farm({});
    const taken = driver.taken;
    expect(await own(false)).toEqual({ kind: "own" });
    expect([driver.taken - taken, driver.liveGraphs, driver.liveEvents, driver.modules]).toEqual([expect.any(Number), 0, 0, 1]);
    expect(driver.calls.filter((call) => call.startsWith("cuGraphInstantiate"))).toHaveLength(2);
  });
  it("are timed over more data when their time is asked for", async () => {
    const { driver, own } = farm({});
    driver.ownMs = 40;
    expect(await own(true)).toEqual({ kind: "own", times: { arithmetic: 0.04, memory: 0.04 } });
  });
  it("tell of a device that answers wrong in one bit, faults, or has no memory left", async () => {
    const { driver, own } = farm({});
    driver.isBroken = true;
    const wrong = await own(false);
    expect(wrong).toEqual({
      kind: "fault",
      message: expect.stringMatching(
        /^the node's own kernels: word 65535 of its kernel "arithmetic" is \d+; expected \d+ \[wrong_answer\]$/,
      ),
    });
    driver.isBroken = false;
    driver.kernels.set("memory", { ms: () => 1, fault: 700 });
    expect(await own(false)).toMatchObject({ kind: "fault", message: expect.stringContaining("[CUDA_ERROR_ILLEGAL_ADDRESS]") });
    const full = farm({});
    full.driver.memoryBytes = full.driver.taken;
    expect(await full.own(false)).toMatchObject({ kind: "fault", message: expect.stringContaining("[out_of_memory]") });
  });
});

describe("the device", () => {
  it("says out_of_memory when memory is short", () => {
    const driver = new ScriptedCuda();
    const device = new CudaDevice(driver, 0);
    driver.memoryBytes = 1 << 20;
    expect(() => device.allocate(tensor("x", "in", "float32", [1 << 20]))).toThrowError(
      expect.objectContaining({ rule: "out_of_memory", sticky: false }),
    );
  });
  it("leaves nothing of a tensor in memory that it gives back", () => {
    const driver = new ScriptedCuda();
    const device = new CudaDevice(driver, 0);
    const secret = device.allocate(tensor("x", "in", "float32", [count]));
    device.fill(secret, 1, 0, "exact");
    const given = vi.spyOn(driver, "free").mockImplementation((at) => driver.copyToHost(left, at));
    const left = new Uint8Array(4 * count + 2 * 65_536);
    device.free(secret);
    expect([given.mock.calls.length, new Set(left).size]).toEqual([1, 1]);
  });
  it("fills with zeros what the manifest says is zeros", () => {
    const driver = new ScriptedCuda();
    const device = new CudaDevice(driver, 0);
    const random = device.allocate(tensor("x", "in", "float32", [count]));
    const zeros = device.allocate({ ...tensor("x", "in", "float32", [count]), fill: "zeros" });
    const content = (buffer: DeviceBuffer) => Buffer.from(device.read(buffer)).toString("hex");
    expect(content(zeros)).toBe(content(random));
    device.fill(random, 1, 0, "exact");
    device.poison(zeros);
    device.fill(zeros, 1, 0, "exact");
    const untouched = device.allocate(tensor("x", "out", "float32", [count]));
    expect(content(zeros)).toBe(content(untouched));
    expect(content(zeros)).not.toBe(content(random));
    expect(device.damaged([zeros, random])).toEqual([]);
  });
  it("fills constant memory from its tensor before the kernels run, and not with more than it holds", () => {
    const driver = new ScriptedCuda();
    driver.kernels.set("k", right(1));
    const device = new CudaDevice(driver, 0);
    const { manifest, codePath } = artifact("k");
    const taps = { ...tensor("taps", "in", "float32", [16]), bytes: 64 };
    const constants = [{ symbol: "filter", buffer: "taps" }];
    using module = device.load({ ...manifest, buffers: [...manifest.buffers, taps], constants }, codePath);
    const buffers = new Map([...manifest.buffers, taps].map((spec) => [spec.name, device.allocate(spec)]));
    const source = buffers.get("taps") as DeviceBuffer;
    device.fill(source, 1, 0, "exact");
    const run = () => device.run(module, buffers, 1, "events");
    expect(run).toThrowError(/CUDA_ERROR_NOT_FOUND/);
    driver.globals.set("filter", new Uint8Array(32));
    expect(run).toThrowError("constant memory filter has 32 bytes; taps does not fit it");
    const held = new Uint8Array(new ArrayBuffer(100));
    driver.globals.set("filter", held);
    run();
    expect(held.subarray(0, 64)).toEqual(device.read(source));
    expect(held.some((byte) => byte !== 0)).toBe(true);
  });
  it("poisons integers with what they must not become", () => {
    const driver = new ScriptedCuda();
    const device = new CudaDevice(driver, 0);
    const [reference, output] = [
      device.allocate(tensor("r", "out", "int8", [64])),
      device.allocate(tensor("o", "out", "int8", [64])),
    ];
    device.fill(reference, 1, 0, "exact");
    device.poison(output, reference);
    expect(device.compare(output, reference, { atol: 0, rtol: 0 })).toMatchObject({ count: 64 });
  });
  it("refuses a shared object and a timer that it has not", () => {
    const driver = new ScriptedCuda();
    driver.kernels.set("k", right(1));
    const device = new CudaDevice(driver, 0);
    const { manifest, codePath } = artifact("k");
    expect(() => device.load({ ...manifest, format: "so" }, codePath)).toThrowError(DeviceError);
    using module = device.load(manifest, codePath);
    expect(() => device.run(module, new Map(), 1, "wall")).toThrowError(expect.objectContaining({ rule: "timer" }));
  });
});
