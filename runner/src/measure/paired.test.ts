/**
 * Several candidates measured interleaved, on a scripted device: the order of all steps, what each round leaves, and who is named
 * when one fails.
 */
import {
  type ArtifactManifest,
  defaultMeasureOptions,
  leastRoundsOf,
  type MeasureOptions,
  Random,
  toDigest,
  toProgramDigest,
} from "@warpfarm/common";
import { describe, expect, test } from "vitest";
import { tensor } from "../../../test-support/kernels.ts";
import { type Script, ScriptedDevice } from "../../../test-support/scripted-device.ts";
import { DeviceError } from "../device/device-api.ts";
import { Batches, type Candidate } from "./batches.ts";
import { interleavedMs } from "./budget.ts";
import { measurePaired } from "./paired.ts";

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
const base: MeasureOptions = { ...defaultMeasureOptions("cpu", "as_asked"), minRepeatMs: 20, number: 1 };
const right = (bytes: (name: string) => Uint8Array) => new Float32Array(bytes("y").buffer).set([1, 2, 3, 4]);

/** `scripts` by name. Each batch is logged as name:number. */
async function run(
  scripts: Readonly<Record<string, Script>>,
  paired = { rounds: 4, idleMs: 7 },
  over: Partial<MeasureOptions> = {},
  clockMhz: ScriptedDevice["clockMhz"] = () => undefined,
) {
  const device = Object.assign(new ScriptedDevice(), { clockMhz });
  device.observed = { temperatureC: 40, energyJ: 5 };
  const log: string[] = [];
  // A getter of the script stays one.
  for (const [name, script] of Object.entries(scripts))
    device.scripts.set(
      name,
      Object.create(script, {
        ms: {
          value: (number: number, batch: number) => {
            log.push(`${name}:${number}`);
            return script.ms(number, batch);
          },
        },
      }),
    );
  const buffers = new Map(
    [tensor("x", "in", "float32", [4]), tensor("y", "out", "float32", [4])].map((spec) => [spec.name, device.allocate(spec)]),
  );
  const reference = device.allocate(tensor("y", "out", "float32", [4]));
  new Float32Array((reference as unknown as { bytes: Uint8Array }).bytes.buffer).set([1, 2, 3, 4]);
  const candidates = Object.keys(scripts).map(
    (name): Candidate => ({
      module: device.load(manifest, name),
      buffers,
      expected: { reference: new Map([["y", reference]]), toleranceOf: () => ({ rtol: 1e-6, atol: 0 }) },
      refill: () => {},
    }),
  );
  const pauses: number[] = [];
  const budgets: (readonly [number | undefined, number | undefined])[] = [];
  let program: number | undefined;
  let isHeld = false;
  const heldInRuns: boolean[] = [];
  const outcome = await measurePaired(
    device,
    candidates,
    { ...base, ...over },
    paired,
    {
      enter: async (phase, budgetMs, of) => {
        if (phase !== "run") return;
        budgets.push([of, budgetMs]);
        heldInRuns.push(isHeld);
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
        log.push("idle");
        device.now += ms;
      },
      monotonic: () => device.now,
    },
    (now) => {
      program = now;
    },
  ).catch((error: unknown) => error as DeviceError);
  return { outcome, log, pauses, budgets, heldInRuns, program };
}

const perRun = (ms: number): Script => ({ ms: (number) => ms * number, compute: right });

describe("rounds", () => {
  test("have an order of their own, the device idle before each repeat, every program checked before the first and after the last", async () => {
    const { log, outcome, heldInRuns } = await run({ a: perRun(20), b: perRun(30), c: perRun(40) }, { rounds: 3, idleMs: 7 });
    const turn = (names: string) => [...names].flatMap((name) => ["idle", `${name}:1`]);
    const [first, last] = [log.slice(0, 3), log.slice(-3)];
    expect([first, last]).toEqual([
      ["a:1", "b:1", "c:1"],
      ["a:1", "b:1", "c:1"],
    ]);
    const order = [0, 6, 12].map((at) => log.slice(3 + at, 9 + at));
    for (const round of order) expect(round.toSorted()).toEqual(turn("abc").toSorted());
    for (const round of order) expect(round.filter((_, i) => i % 2 === 0)).toEqual(["idle", "idle", "idle"]);
    const many = await run({ a: perRun(20), b: perRun(30), c: perRun(40) }, { rounds: 120, idleMs: 0 });
    const orders = Array.from({ length: 120 }, (_, i) => many.log.slice(3 + 3 * i, 6 + 3 * i).join());
    // Each of the six orders is drawn 20 times in the mean, with a deviation of 4.
    for (const each of new Set(orders)) expect(orders.filter((one) => one === each).length).toBeGreaterThan(3);
    expect(new Set(orders).size).toBe(6);
    expect(outcome).toMatchObject({
      kind: "timed",
      checked: true,
      costs: [0.02, 0.02, 0.02],
      paired: [
        { costs: [0.02, 0.02, 0.02], number: 1 },
        { costs: [0.03, 0.03, 0.03], number: 1 },
        { costs: [0.04, 0.04, 0.04], number: 1 },
      ],
    });
    expect(heldInRuns.every(Boolean)).toBe(true);
    // Energy was drawn by all three, so it is no one's.
    expect(outcome).toHaveProperty("observations", { temperatureC: 40 });
  });

  test("each program finds its own number of runs in its first round and keeps it", async () => {
    const { log, outcome } = await run({ a: perRun(10), b: perRun(1) }, { rounds: 2, idleMs: 0 }, { number: 0 });
    if (!("paired" in outcome)) throw new Error("not timed");
    const [a, b] = outcome.paired ?? [];
    expect([(a?.number ?? 0) * 10, b?.number ?? 0].map((ms) => ms >= 20)).toEqual([true, true]);
    const last = log.slice(-4, -2);
    expect(last).toEqual([`b:${b?.number}`, `a:${a?.number}`]);
    expect(log).not.toContain("idle");
  });

  test("a program whose runs take many times what they took at first has fewer from then on, and more when they are fast again", async () => {
    let batches = 0;
    // After the first run and the batches that calibrate, ten times as slow for eight repeats.
    const busy: Script = { ms: (number) => number * (++batches > 4 && batches <= 12 ? 10 : 1), compute: right };
    const { log, outcome } = await run({ a: busy, b: perRun(1) }, { rounds: 12, idleMs: 0 }, { number: 0 });
    const runs = log.filter((each) => each.startsWith("a:")).map((each) => Number(each.slice(2)));
    const [calibrated = 0, tooLong] = runs.slice(3, 5);
    expect([calibrated >= 20, tooLong]).toEqual([true, calibrated]);
    expect(runs.slice(5, 12).every((each) => each === 2)).toBe(true);
    expect(runs.slice(-3, -1).every((each) => each >= 20)).toBe(true);
    expect(outcome).toMatchObject({ paired: [{ costs: expect.arrayContaining([0.01, 0.001]) }, {}] });
    const asked = await run({ a: perRun(1), b: perRun(100) }, { rounds: 3, idleMs: 0 }, { number: 5 });
    expect(asked.log.filter((each) => each === "b:5").length).toBe(3);
  });

  test("a low clock asks for the turn again at once, at most twice, in bursts only", async () => {
    const clocks = (batch: number) => (batch === 4 || batch === 5 ? 970 : batch > 6 ? 950 : 1_000);
    const { log, outcome } = await run(
      { a: perRun(20), b: perRun(30) },
      { rounds: 2, idleMs: 7 },
      { number: 0, power: "burst" },
      clocks,
    );
    const turn = (names: string) => [...names].flatMap((name) => ["idle", `${name}:1`]);
    // Batches 4 and 5 are b's second turn, taken three times; 7 to 9 are a's, whose clock stays low.
    expect(log).toEqual(["a:1", "b:1", ...turn("abbbbaaa"), "a:1", "b:1"]);
    expect(outcome).toMatchObject({ observations: { smClockMhz: 1_000, smClockLowMhz: 950 } });
    const asked = await run({ a: perRun(20), b: perRun(30) }, { rounds: 2, idleMs: 7 }, {}, clocks);
    expect(asked.log).toEqual(["a:1", "b:1", ...turn("abba"), "a:1", "b:1"]);
  });

  test("that are sequential end when more would change nothing, and not before; others are all there", async () => {
    const scripts = { a: perRun(20), b: perRun(30), c: perRun(40) };
    const rounds = async (
      paired: { readonly rounds: number; readonly idleMs: number; readonly sequential?: boolean },
      of = scripts,
    ) => {
      const { outcome } = await run(of, paired);
      return "costs" in outcome ? outcome.costs.length : 0;
    };
    const least = leastRoundsOf(3);
    expect(await rounds({ rounds: 60, idleMs: 0, sequential: true })).toBe(least);
    expect(await rounds({ rounds: least - 1, idleMs: 0, sequential: true })).toBe(least - 1);
    expect(await rounds({ rounds: 30, idleMs: 0 })).toBe(30);
    const random = new Random(1);
    const noisy: Script = { ms: (number) => number * (20 + 2 * random.float()), compute: right };
    expect(await rounds({ rounds: 30, idleMs: 0, sequential: true }, { a: noisy, b: noisy, c: noisy })).toBe(30);
  });

  test("an idle time puts the end of a turn off, as often as the supervisor allows", () => {
    const device = new ScriptedDevice();
    device.scripts.set("candidate", { ms: (number) => 20 * number });
    const candidate = { module: device.load(manifest, "candidate"), buffers: new Map() };
    const limits = { minRepeatMs: 0, slowMs: Number.POSITIVE_INFINITY, idleMs: 500, warmUpMs: 20 };
    const pause = (ms: number): void => {
      device.now += ms;
    };
    const batches = new Batches(device, candidate, { ...base, ...limits }, { monotonic: () => device.now, pause });
    const limit = { deadline: device.now + 100, idleMs: 500, idles: 2 };
    expect([1, 2, 3].map(() => "kind" in batches.repeat(limit, "a round"))).toEqual([false, false, true]);
  });

  test("each round has the run timeout, and so have the first run and the last", async () => {
    expect(interleavedMs({ runTimeoutMs: 1_000 }, { rounds: 10 })).toBe(12_000);
    const { outcome, budgets } = await run(
      { a: perRun(20), b: perRun(300) },
      { rounds: 10, idleMs: 50 },
      { runTimeoutMs: 1_000 },
    );
    expect(outcome).toMatchObject({ kind: "timed" });
    expect(new Set(budgets.filter(([of]) => of === 1).map(([, ms]) => ms))).toEqual(new Set([1_000, 1_500]));
    // A device that rests for longer than the rest of the timeout, twice where the clock was low.
    const low = (batch: number) => (batch === 2 ? 900 : 1_000);
    const rests = await run({ a: perRun(600) }, { rounds: 2, idleMs: 700 }, { runTimeoutMs: 1_300, power: "burst" }, low);
    expect(rests.outcome).toMatchObject({ kind: "timed", costs: [0.6, 0.6] });
    let runs = 0;
    const hangs: Script = { ms: (number) => number * (++runs > 3 ? 600 : 10), compute: right };
    const slow = await run({ a: perRun(20), b: hangs }, { rounds: 10, idleMs: 50 }, { runTimeoutMs: 1_000, number: 2 });
    expect(slow.outcome).toMatchObject({
      kind: "failed",
      errorNo: 7,
      failedProgram: 1,
      message: "would not finish within the run timeout of 1s; stopped in round 4 of 10; a longer run_timeout allows more",
    });
  });
});

test("one that is clearly slower than an incumbent is measured to its end: it was asked for by name", async () => {
  const { outcome } = await run({ a: perRun(1), b: perRun(15) }, { rounds: 2, idleMs: 0 }, { number: 0, incumbent: 0.002 });
  if (!("paired" in outcome)) throw new Error("not timed");
  const [, slow] = outcome.paired ?? [];
  expect(15 * (slow?.number ?? 0)).toBeGreaterThanOrEqual(20);
});

describe("one that fails", () => {
  const wrong: Script = { ms: () => 20, compute: (bytes) => new Float32Array(bytes("y").buffer).set([1, 2, 9, 4]) };
  test("its first run is named, and what came before it counted", async () => {
    const { outcome, log } = await run({ a: perRun(20), b: wrong, c: perRun(20) });
    expect(outcome).toMatchObject({ kind: "failed", errorNo: 5, failedProgram: 1, busyMs: 40, mismatch: { index: 2 } });
    expect(log).toEqual(["a:1", "b:1"]);
  });

  test("is also found when only a later run is wrong, though another program wrote the right answer since", async () => {
    let runs = 0;
    const forgetful: Script = { ms: () => 20, compute: (bytes) => (++runs < 3 ? right(bytes) : undefined) };
    const { outcome } = await run({ a: forgetful, b: perRun(20) }, { rounds: 4, idleMs: 0 });
    expect(outcome).toMatchObject({ kind: "failed", errorNo: 5, failedProgram: 0 });
  });

  test("what the device refuses is thrown, and whose turn it was is known", async () => {
    const refused: Script = { ms: () => 1, fails: { rule: "700", sticky: true } };
    const { outcome, program } = await run({ a: perRun(20), b: refused });
    expect([outcome instanceof DeviceError, program]).toEqual([true, 1]);
  });

  test("damage that no single program can be blamed for names none", async () => {
    let runs = 0;
    const script: Script = {
      ms: () => 20,
      compute: right,
      get damages(): string {
        return ++runs > 4 ? "x" : (undefined as unknown as string);
      },
    };
    const { outcome } = await run({ a: script, b: script }, { rounds: 4, idleMs: 0 });
    expect(outcome).toMatchObject({ kind: "failed", rule: "out_of_bounds_write", tainted: true });
    expect(outcome).not.toHaveProperty("failedProgram");
  });
});
