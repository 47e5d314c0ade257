import { type ArtifactManifest, defaultMeasureOptions, type MeasureOptions, toDigest, toProgramDigest } from "@warpfarm/common";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { tensor } from "../../../test-support/kernels.ts";
import { type Script, ScriptedDevice } from "../../../test-support/scripted-device.ts";
import { type DeviceBuffer, DeviceError } from "../device/device-api.ts";
import type { Candidate, Failure } from "./batches.ts";
import { measure, type Phase, type Timing } from "./measure.ts";
import { disagreement, prepare } from "./outputs.ts";
import { nextNumber } from "./statistics.ts";

const base: MeasureOptions = { ...defaultMeasureOptions("cpu", "as_asked"), minRepeatMs: 20 };
const digest = `sha256:${"0".repeat(64)}`;
const manifest: ArtifactManifest = {
  version: 1,
  program: toProgramDigest(digest),
  target: "cpu/x86-64-v1",
  format: "so",
  code: toDigest(digest),
  kernels: [],
  buffers: [],
  resources: { registers: 0, spill_bytes: 0, static_shared_bytes: 0 },
  toolchain: "",
  notes: [],
};

interface Run {
  readonly outcome: Timing | Failure;
  readonly batches: readonly number[];
  readonly phases: readonly string[];
  readonly device: ScriptedDevice;
  readonly pauses: readonly number[];
  readonly held: readonly boolean[];
}

async function run(
  script: Script,
  over: Partial<MeasureOptions> = {},
  outputRole: "out" | "inout" = "out",
  with_: Partial<Pick<ScriptedDevice, "clockMhz" | "watts">> = {},
  /** What the output must be. */
  [dtype, wanted]: readonly ["float32" | "int32", readonly number[]] = ["float32", [1, 2, 3, 4]],
): Promise<Run> {
  const device = Object.assign(new ScriptedDevice(), with_);
  device.scripts.set("candidate", script);
  const specs = [tensor("x", "in", "float32", [4]), tensor("y", outputRole, dtype, [4])];
  const buffers = new Map(specs.map((spec) => [spec.name, device.allocate(spec)]));
  const reference = device.allocate(tensor("y", "out", dtype, [4]));
  const made = dtype === "int32" ? Int32Array : Float32Array;
  new made((reference as unknown as { bytes: Uint8Array<ArrayBuffer> }).bytes.buffer).set(wanted);
  const candidate: Candidate = {
    module: device.load(manifest, "candidate"),
    buffers,
    expected: { reference: new Map([["y", reference]]), toleranceOf: () => ({ rtol: 1e-6, atol: 0 }) },
    refill: () => {},
  };
  const phases: string[] = [];
  const pauses: number[] = [];
  const held: boolean[] = [];
  let isHeld = false;
  const outcome = await measure(
    device,
    candidate,
    { ...base, ...over },
    {
      enter: async (phase: Phase, budgetMs) => {
        phases.push(budgetMs === undefined ? phase : `${phase} ${Math.round(budgetMs)}`);
        held.push(isHeld);
      },
      hold: () => {
        isHeld = true;
        return {
          [Symbol.dispose]() {
            isHeld = false;
          },
        };
      },
      pause: (ms) => {
        pauses.push(ms);
        device.now += ms;
      },
      monotonic: () => device.now,
    },
  );
  return { outcome, batches: device.batches, phases, device, pauses, held };
}

const right: NonNullable<Script["compute"]> = (bytes) => new Float32Array(bytes("y").buffer).set([1, 2, 3, 4]);
const perRun = (ms: number): Script => ({ ms: (number) => ms * number, compute: right });

describe("how often a kernel runs (docs/reference/autotvm.md 3.5, worked by hand)", () => {
  test("0.1 ms, number 4, at least 150 ms: one batch of 4, then 1501, and later repeats start there", async () => {
    const { outcome, batches } = await run(perRun(0.1), { number: 4, minRepeatMs: 150 });
    expect(batches).toEqual([1, 4, 1501, 1501, 1501]);
    expect(outcome).toMatchObject({ kind: "timed", number: 1501 });
    for (const cost of (outcome as Timing).costs) expect(cost).toBeCloseTo(1e-4, 12);
  });
  test("5 ms: 4 runs are 20 ms, then 31", async () => {
    expect((await run(perRun(5), { number: 4, minRepeatMs: 150 })).batches).toEqual([1, 4, 31, 31, 31]);
  });
  test("60 ms: 240 ms at once", async () => {
    expect((await run(perRun(60), { number: 4, minRepeatMs: 150 })).batches).toEqual([1, 4, 4, 4]);
  });
  test("a batch just under the minimum grows by the golden ratio", async () => {
    const script: Script = { ms: (number, batch) => number * (batch < 2 ? 0.1 : 0.0999), compute: right };
    expect((await run(script, { number: 4, minRepeatMs: 150, repeat: 1 })).batches).toEqual([1, 4, 1501, 2428]);
  });
  test("number 0 calibrates from one run", async () => {
    expect((await run(perRun(4), { number: 0, minRepeatMs: 20 })).batches).toEqual([1, 1, 6, 6, 6]);
  });
  test("min_repeat_ms 0: every repeat is one batch of the number asked for", async () => {
    expect((await run(perRun(0.01), { number: 7, minRepeatMs: 0 })).batches).toEqual([1, 7, 7, 7]);
  });
  test("no batch is made longer than a second, however large min_repeat_ms", async () => {
    expect((await run(perRun(300), { number: 1, minRepeatMs: 5_000, repeat: 1 })).batches).toEqual([1, 1, 3]);
    expect((await run(perRun(1_500), { number: 1, minRepeatMs: 5_000, repeat: 1 })).batches).toEqual([1, 1]);
  });
  test("the growth never shrinks, and never plans more than a second", () => {
    const arbitrary = [
      fc.integer({ min: 1, max: 1e6 }),
      fc.double({ min: 1e-6, max: 5e3, noNaN: true }),
      fc.double({ min: 0, max: 1e4, noNaN: true }),
    ] as const;
    fc.assert(
      fc.property(...arbitrary, (number, elapsedMs, minRepeatMs) => {
        const next = nextNumber(number, elapsedMs, minRepeatMs);
        expect(Number.isInteger(next)).toBe(true);
        expect(next).toBeGreaterThanOrEqual(number);
        if (next > number) expect((elapsedMs / number) * next).toBeLessThanOrEqual(1_000 * (1 + 1e-12));
      }),
    );
  });
  test("a timer that never moves is said, not divided by", async () => {
    const { outcome, batches } = await run({ ms: () => 0, compute: right }, { number: 3 });
    expect(outcome).toMatchObject({ kind: "failed", errorNo: 4, rule: "timer" });
    expect(batches).toHaveLength(101);
    expect((await run({ ms: () => 0, compute: right }, { number: 3, minRepeatMs: 0 })).outcome).toMatchObject({ kind: "failed" });
  });
});

describe("what is in a result", () => {
  test("costs in order, none dropped; busy time is warm-up, calibration and repeats", async () => {
    const script: Script = { ms: (number, batch) => number * ([50, 10, 30, 20, 25][batch] ?? 0), compute: right };
    const { outcome } = await run(script, { number: 1, minRepeatMs: 0, repeat: 4 });
    expect(outcome).toMatchObject({
      costs: [0.01, 0.03, 0.02, 0.025],
      number: 1,
      busyMs: 135,
      checked: true,
      observations: { temperatureC: 40 },
    });
  });
  test("repeats end when their interval is as narrow as asked, and at the most that are asked for", async () => {
    // Two repeats say nothing of a spread. The third is off by 3 %.
    const noisy: Script = { ms: (number, batch) => number * (batch === 3 ? 10.3 : 10), compute: right };
    const repeats = async (script: Script, over: Partial<MeasureOptions>) =>
      ((await run(script, { number: 1, minRepeatMs: 0, ...over })).outcome as Timing).costs.length;
    expect(await repeats(perRun(10), { precision: 0.01, repeat: 10 })).toBe(3);
    expect(await repeats(perRun(10), { precision: 0.01, repeat: 2 })).toBe(2);
    expect(await repeats(perRun(10), { precision: 0, repeat: 10 })).toBe(10);
    expect(await repeats(noisy, { precision: 0.05, repeat: 10 })).toBe(4);
    expect(await repeats(noisy, { precision: 0.01, repeat: 10 })).toBe(10);
  });
  test("cooldown rests between repeats; flushed drives out the caches before them", async () => {
    const { pauses, device } = await run(perRun(30), { cooldownMs: 5, l2: "flushed" });
    expect(pauses).toEqual([5, 5, 5]);
    expect(device.flushes).toBe(3);
  });
  test("flushed drives out the caches before every run: one that follows another would find what it left", async () => {
    const flushed = { l2: "flushed", repeat: 3, precision: 0 } as const;
    const { outcome, batches, device } = await run(perRun(0.02), { ...flushed, number: 0, minRepeatMs: 5 });
    const costs = [expect.closeTo(2e-5, 12), expect.closeTo(2e-5, 12), expect.closeTo(2e-5, 12)];
    // Ten runs a repeat however short they are, after one that calibrates, and none in a batch with another.
    expect(outcome).toMatchObject({ kind: "timed", costs, number: 10 });
    expect(batches).toEqual(Array.from({ length: 1 + 1 + 30 }, () => 1));
    expect(device.flushes).toBe(31);
    const asked = await run(perRun(0.02), { ...flushed, number: 40, minRepeatMs: 5 });
    expect([asked.outcome, asked.device.flushes]).toMatchObject([{ number: 40 }, 120]);
  });
  test("a program that is surely slower than the incumbent ends, with a bound, and is not calibrated to the end", async () => {
    const raced = async (incumbent: number | "best", over: Partial<MeasureOptions> = {}, script = perRun(10)) => {
      const { outcome, batches } = await run(script, { number: 0, minRepeatMs: 100, incumbent, repeat: 10, ...over });
      const { costs, atLeast } = outcome as Timing;
      return { repeats: costs.length, atLeast, batches };
    };
    // One repeat is off by a factor of 1.44 at most: 10 ms, and so at least 6.94 ms, is above 1.1 times 5 ms.
    const early = await raced(0.005);
    expect(early).toMatchObject({ repeats: 1, batches: [1, 1] });
    expect(early.atLeast).toBeCloseTo(0.01 / 1.4414, 5);
    // The second is off by a factor of 1.26 at most; of three that are equal the time is known. 1.1 times 9.1 ms is above 10 ms.
    expect(await raced(0.007)).toMatchObject({ repeats: 2, atLeast: expect.closeTo(0.01 / 1.2594, 5) });
    expect(await raced(0.008)).toMatchObject({ repeats: 3, atLeast: expect.closeTo(0.01, 12) });
    expect(await raced(0.0091)).toMatchObject({ repeats: 10, atLeast: undefined });
    expect(await raced(0.0091, { precision: 0.01 })).toMatchObject({ repeats: 3, atLeast: undefined });
    // A launch takes 6 us, and a run 2 us: a batch of one run is no repeat of a program that is as fast as the incumbent.
    const launched: Script = { ms: (number) => 0.006 + 0.002 * number, compute: right };
    const short = await raced(2.2e-6, { minRepeatMs: 4 }, launched);
    expect(short).toMatchObject({ repeats: 10, atLeast: undefined });
    expect(await raced(1e-6, { minRepeatMs: 4 }, launched)).toMatchObject({
      repeats: 1,
      atLeast: expect.closeTo(2e-6 / 1.44, 7),
    });
    // Nobody told the session's best.
    expect(await raced("best")).toMatchObject({ repeats: 10, atLeast: undefined });
    // A disturbance of the first repeat alone ends nothing: the others are as fast as the incumbent.
    const disturbed: Script = { ms: (number, batch) => number * (batch === 1 ? 14 : 10), compute: right };
    expect(await raced(0.01, { number: 1, minRepeatMs: 0 }, disturbed)).toMatchObject({ repeats: 10, atLeast: undefined });
  });
});

describe("power", () => {
  const options = { minRepeatMs: 4, power: "burst" } as const;
  const costsOf = ({ outcome }: Run) => (outcome as Timing).costs;

  test("a burst has no batch beyond the limit but one run, and idles before each batch that may be a repeat", async () => {
    // The limit is 25 ms on a processor; with a least time of 20 ms the first plan would be 9 runs of 3 ms.
    const { batches, pauses } = await run(perRun(3), { minRepeatMs: 25, cooldownMs: 2, power: "burst" });
    expect(batches).toEqual([1, 1, 8, 8, 8]);
    expect(pauses).toEqual([2, 2, 2]);
    expect((await run(perRun(3), { minRepeatMs: 25, power: "as_asked" })).batches).toEqual([1, 1, 9, 9, 9]);
    expect((await run(perRun(70), options)).batches).toEqual([1, 1, 1, 1]);
  });

  /** Each batch takes 10 ms more than the last, and has the next of these clocks; batch 0 is the warm-up. */
  const clocked = (clocks: readonly number[], over: Partial<MeasureOptions> = {}) =>
    run({ ms: (_, batch) => 10 * batch + 10, compute: right }, { ...options, ...over }, "out", {
      clockMhz: (batch) => clocks[batch - 1],
    });

  test("a burst whose clock is low is measured again, at most twice, and the last one counts, also a slower one", async () => {
    const once = await clocked([1_000, 979, 1_000, 981]);
    expect(costsOf(once)).toEqual([0.02, 0.04, 0.05]);
    expect((once.outcome as Timing).observations).toMatchObject({ smClockMhz: 1_000, smClockLowMhz: 981 });
    expect(costsOf(await clocked([1_000, 900, 900, 900, 1_000]))).toEqual([0.02, 0.05, 0.06]);
    // The second one is faster than all before, so the first is taken again.
    expect(costsOf(await clocked([900, 1_000, 1_000, 1_000]))).toEqual([0.04, 0.03, 0.05]);
    expect(costsOf(await clocked([1_000, 900, 900], { power: "as_asked" }))).toEqual([0.02, 0.03, 0.04]);
  });

  test("without a clock nothing is taken again, and none is observed", async () => {
    const { outcome } = await clocked([]);
    expect((outcome as Timing).observations).toEqual({ temperatureC: 40 });
  });

  /** 100 ms a batch; readings of power are asked for after each. */
  const heated = async (watts: (now: number) => number, over: Partial<MeasureOptions> = {}) => {
    const device = { now: 0 };
    const ms = (number: number): number => {
      device.now += 100 * number;
      return 100 * number;
    };
    const script: Script = { ms, compute: right };
    const done = await run(script, { minRepeatMs: 100, power: "sustained", ...over }, "out", { watts: () => watts(device.now) });
    return { ...done, steady: (done.outcome as Timing).observations.steady };
  };
  test("sustained runs until two readings a second apart are equal, before its repeats and beside its run timeout", async () => {
    // The warm-up takes 100 ms. Power rises for 2 s, so the readings after 2 s and 3 s are the first equal ones.
    const rising = await heated((now) => Math.min(700, 100 + 0.3 * now), { runTimeoutMs: 900 });
    expect([rising.steady, rising.batches.length]).toEqual([true, 1 + 29 + 3]);
    expect(rising.phases).toEqual(["lock", "run 900", "check", "run 5900", "run 800", "check"]);
    // 2 % are equal, and more are not, whatever the device takes.
    expect((await heated((now) => (now < 1_000 ? 100 : 102))).batches).toHaveLength(1 + 10 + 3);
    for (const watts of [10, 100, 1_000])
      expect((await heated((now) => watts * (now < 1_000 ? 1 : 1.021))).batches.length).toBeGreaterThan(1 + 10 + 3);
  });
  test("sustained begins after 5 s all the same, and says so", async () => {
    const restless = await heated((now) => 100 + now);
    expect([restless.steady, restless.batches.length]).toEqual([false, 1 + 50 + 3]);
  });
  test("sustained on a device that tells no power has its repeats back to back, and says nothing", async () => {
    const { outcome, batches, pauses } = await run(perRun(100), { power: "sustained" });
    expect([batches, pauses]).toEqual([[1, 1, 1, 1], []]);
    expect((outcome as Timing).observations).not.toHaveProperty("steady");
  });
});

describe("the run timeout", () => {
  test("counts launches only: what the comparison took is not in the second budget", async () => {
    const { phases } = await run(
      { ms: (number, batch) => (batch === 0 ? 400 : 25 * number), compute: right },
      { runTimeoutMs: 2_000 },
    );
    expect(phases).toEqual(["lock", "run 2000", "check", "run 1600", "check"]);
  });
  test("a batch that would end after the deadline is not begun", async () => {
    const { outcome, device } = await run(perRun(900), { runTimeoutMs: 3_000, number: 1, minRepeatMs: 0, repeat: 10 });
    expect(outcome).toMatchObject({ kind: "failed", errorNo: 7, rule: "run_timeout", busyMs: 2_700, tainted: false });
    expect(device.batches).toEqual([1, 1, 1]);
  });
  test("has the idle times in it, for the supervisor waits no longer", async () => {
    const of = (runTimeoutMs: number) =>
      run(perRun(100), { runTimeoutMs, cooldownMs: 500, number: 1, minRepeatMs: 0, repeat: 3 });
    // The warm-up, then three times 500 ms of rest before 100.
    expect((await of(1_901)).outcome).toMatchObject({ kind: "timed" });
    const { outcome, batches, device } = await of(1_900);
    expect(outcome).toMatchObject({ errorNo: 7, message: expect.stringContaining("stopped in repeat 3 of 3") });
    expect([batches.length, device.now]).toEqual([1 + 2, 1_300]);
  });
  test("a warm-up that used it all up is the end", async () => {
    expect((await run(perRun(3_000), { runTimeoutMs: 3_000 })).outcome).toMatchObject({
      kind: "failed",
      errorNo: 7,
      busyMs: 3_000,
    });
  });
});

describe("the lock", () => {
  test("is held for all launches and for nothing else", async () => {
    const { phases, held } = await run(perRun(30));
    expect(phases.map((phase, i) => [phase.split(" ")[0], held[i]])).toEqual([
      ["lock", false],
      ["run", true],
      ["check", true],
      ["run", true],
      ["check", false],
    ]);
  });
  test("is given back when the candidate fails or the device throws", async () => {
    const device = run({ ms: () => 1, fails: { rule: "CUDA_ERROR_LAUNCH_FAILED", sticky: true } });
    await expect(device).rejects.toMatchObject({ rule: "CUDA_ERROR_LAUNCH_FAILED", sticky: true });
    await expect(device).rejects.toBeInstanceOf(DeviceError);
  });
});

describe("the check", () => {
  test("comes before the timing: a wrong kernel runs once", async () => {
    const { outcome, batches } = await run({
      ms: () => 1,
      compute: (bytes) => new Float32Array(bytes("y").buffer).set([1, 2, 3, 5]),
    });
    expect(batches).toEqual([1]);
    expect(outcome).toMatchObject({ kind: "failed", errorNo: 5, mismatch: { index: 3, expected: 4, got: 5, count: 1 } });
  });
  test("sees outputs poisoned: what is not written is NaN, in workspaces too", async () => {
    expect((await run({ ms: () => 1 })).outcome).toMatchObject({ errorNo: 5, mismatch: { index: 0, got: Number.NaN, count: 4 } });
    const device = new ScriptedDevice();
    const roles = ["in", "inout", "out", "workspace"] as const;
    const buffers = new Map(roles.map((role) => [role, device.allocate(tensor(role, role, "float32", [1]))]));
    for (const buffer of buffers.values()) device.write(buffer, new Uint8Array(Float32Array.of(7).buffer));
    prepare(device, { buffers, refill: () => {} });
    const after = [...buffers.values()].map((buffer) => new Float32Array(device.read(buffer).buffer)[0]);
    expect(after).toEqual([7, 7, Number.NaN, Number.NaN]);
  });
  test("sees integers poisoned with what they must not become", async () => {
    for (const wanted of [-1, 0])
      expect((await run({ ms: () => 1 }, {}, "out", {}, ["int32", Array(4).fill(wanted)])).outcome).toMatchObject({
        ...{ errorNo: 5, mismatch: { expected: wanted, count: 4 } },
      });
  });
  test("compares sums where the candidate or the reference has parts", () => {
    const device = new ScriptedDevice();
    const [whole, parts] = [tensor("y", "out", "float32", [2]), { ...tensor("y", "out", "float32", [3, 2]), sum_over: [0] }];
    const worst = (...[got, wanted]: readonly (readonly [typeof parts | typeof whole, readonly number[]])[]) => {
      const [output, reference] = [got, wanted].map((each) => {
        const [spec, values] = each as readonly [typeof whole, readonly number[]];
        const made = device.allocate(spec);
        device.write(made, new Uint8Array(Float32Array.from(values).buffer));
        return made;
      }) as [DeviceBuffer, DeviceBuffer];
      const expected = { reference: new Map([["y", reference]]), toleranceOf: () => ({ rtol: 0, atol: 0 }) };
      return disagreement(device, { buffers: new Map([["y", output]]), expected })?.mismatch;
    };
    const six = [1, 2, 3, 4, 5, 6];
    expect([worst([parts, six], [whole, [9, 12]]), worst([whole, [9, 12]], [parts, six])]).toEqual([undefined, undefined]);
    expect(worst([parts, six], [whole, [9, 13]])).toMatchObject({ index: 1, got: 12, expected: 13, count: 1 });
    expect(worst([whole, [9, 13]], [parts, six])).toMatchObject({ index: 1, got: 13, expected: 12, count: 1 });
  });
  const later: Script = {
    ms: () => 30,
    compute: (bytes, batch) => new Float32Array(bytes("y").buffer).set([1, 2, batch + 3, 4]),
  };
  test("comes again after the timing", async () => {
    expect((await run(later)).outcome).toMatchObject({ kind: "failed", errorNo: 5, mismatch: { index: 2, got: 6 } });
  });
  test("does not come again for a buffer that is read and written: it is meant to go on changing", async () => {
    expect((await run(later, {}, "inout")).outcome).toMatchObject({ kind: "timed" });
  });
  test("damage around a buffer comes before any disagreement and taints the process", async () => {
    const { outcome } = await run({ ms: () => 1, damages: "x" });
    expect(outcome).toMatchObject({
      kind: "failed",
      errorNo: 4,
      rule: "out_of_bounds_write",
      tainted: true,
      message: expect.stringMatching(/overwrote its input "x"/),
    });
  });
});
