/** How long an audit is, what its graphs run on, and which times it suspects. */
import type { MeasureOptions } from "@warpfarm/common";
import { describe, expect, test } from "vitest";
import { tensor } from "../../../test-support/kernels.ts";
import type { Buffers, DeviceApi, DeviceBuffer, DeviceModule, RotationPlan } from "../device/device-api.ts";
import { type AuditSets, audit, roundsFor, setsFor } from "./audit.ts";
import { Draws } from "./draws.ts";

const gib = 2 ** 30;

describe("the length of an audit", () => {
  test.each([
    ["a short kernel", 0.01, 0.1, 64, 5],
    ["one of some milliseconds", 2.5, 5, 64, 5],
    ["a long one", 50, 10, 10, 4],
    ["a very long one", 400, 10, 3, 2],
    ["one that takes longer than the audit's time", 5_000, 10, 3, 1],
    ["a slow reference", 0.01, 500, 4, 2],
  ])("of %s, %d ms with a reference of %d ms: %d sets, %d graphs", (_, runMs, referenceMs, sets, rounds) => {
    const times = { runMs, referenceMs };
    expect(setsFor(1e6, 4 * gib, times)).toBe(sets);
    expect(roundsFor(10, sets, times)).toBe(rounds);
  });
  test("has three sets or more, as many as fit, and no more graphs than repeats", () => {
    const times = { runMs: 0.01, referenceMs: 0.1 };
    expect([2 * gib, gib / 8, gib / 100].map((bytes) => setsFor(bytes, 4 * gib, times))).toEqual([3, 32, 64]);
    expect(roundsFor(2, 64, times)).toBe(2);
  });
});

describe("the graphs of an audit", () => {
  interface Cell extends DeviceBuffer {
    value: number;
  }
  const cell = (name: string, role: "in" | "out"): Cell => ({ spec: tensor(name, role, "float32", [1]), value: Number.NaN });
  const inOf = (set: Buffers) => set.get("x") as Cell;
  const outOf = (set: Buffers) => set.get("y") as Cell;
  const right = (x: number) => 2 * x + 1;

  /** Tensors of one number. Round r takes (r + 1) ms a launch. `kernel` computes what a launch leaves in its output. */
  async function audited(kernel: (set: Buffers) => number, rounds = 4, hostTakes = 1, l2: MeasureOptions["l2"] = "warm") {
    const sets: Buffers[] = Array.from(
      { length: 6 },
      () => new Map([cell("x", "in"), cell("y", "out")].map((b) => [b.spec.name, b])),
    );
    const seen: number[][] = [];
    let round = 0;
    const log: ("renewed" | "flushed" | "run")[] = [];
    const device = {
      flushCaches: () => void log.push("flushed"),
      rotation: (_: DeviceModule, { sets: all, first, count }: RotationPlan) => ({
        run: () => {
          const launched = Array.from({ length: count }, (_, i) => all[(first + i) % all.length] as Buffers);
          log.push("run");
          seen.push(launched.map((set) => inOf(set).value));
          for (const set of launched) outOf(set).value = kernel(set);
          const ms = ++round * count;
          return { ms, hostMs: ms * hostTakes };
        },
        [Symbol.dispose]: () => {},
      }),
      compare: (got: Cell, want: Cell) =>
        got.value === want.value ? undefined : { index: 0, expected: want.value, got: got.value, count: 1 },
      damaged: () => [],
      idle: (ms: number) => ({ ms, hostMs: ms }),
    };
    const memory: AuditSets = {
      sets,
      renew(set, seed) {
        if (log.at(-1) !== "renewed") log.push("renewed");
        inOf(sets[set] as Buffers).value = seed;
        outOf(sets[set] as Buffers).value = Number.NaN;
      },
      withReference(work) {
        const reference = cell("y", "out");
        return work((set) => {
          reference.value = right(inOf(sets[set] as Buffers).value);
          return { reference: new Map([["y", reference]]), toleranceOf: () => ({ rtol: 0, atol: 0 }) };
        });
      },
    };
    const options = { repeat: rounds, timer: "wall", l2, runTimeoutMs: 1_000 } as const;
    const hold = () => ({ [Symbol.dispose]: () => {} });
    const hooks = { enter: async () => {}, hold, pause: () => {}, monotonic: () => 0 };
    const none = {} as DeviceModule;
    return {
      seen,
      log,
      result: await audit(device as unknown as DeviceApi, memory, () => none, new Draws("5e"), options, hooks),
    };
  }

  test("have inputs that no launch saw before, and the time of each of them is kept", async () => {
    const { seen, result } = await audited((set) => right(inOf(set).value));
    expect(result).toEqual({ costs: [1e-3, 2e-3, 3e-3, 4e-3], sets: 6 });
    expect(seen).toHaveLength(4);
    expect(new Set(seen.flat()).size).toBe(seen.flat().length);
    expect(new Set(seen.map(({ length }) => length)).size).toBeGreaterThan(1);
  });
  test("begin with cold caches where that is asked, though the inputs have just been written", async () => {
    const honest = (set: Buffers) => right(inOf(set).value);
    const { log } = await audited(honest, 2, 1, "flushed");
    expect(log).toEqual(["renewed", "flushed", "run", "renewed", "flushed", "run"]);
    expect((await audited(honest, 2)).log).toEqual(["renewed", "run", "renewed", "run"]);
  });
  test("catch a kernel that keeps answers by address where no new load of its code finds them", async () => {
    const kept = new Map<Buffers, number>();
    const remembers = (set: Buffers) => {
      const answer = kept.get(set) ?? right(inOf(set).value);
      kept.set(set, answer);
      return answer;
    };
    expect((await audited(remembers, 1)).result).toMatchObject({ costs: [1e-3] });
    kept.clear();
    expect((await audited(remembers, 2)).result).toMatchObject({ kind: "failed", rule: "audit.reference" });
  });
  test("are longer by the host's clock where a kernel works behind the second event, which is refused", async () => {
    const honest = (set: Buffers) => right(inOf(set).value);
    expect((await audited(honest, 4, 1.05)).result).toMatchObject({ costs: [1e-3, 2e-3, 3e-3, 4e-3] });
    for (const takes of [2, 0.5])
      expect((await audited(honest, 4, takes)).result).toMatchObject({ kind: "failed", rule: "clocks" });
  });
  test("catch a launch that does nothing", async () => {
    let launches = 0;
    const skips = (set: Buffers) => (++launches % 5 === 0 ? outOf(set).value : right(inOf(set).value));
    expect((await audited(skips)).result).toMatchObject({ kind: "failed", rule: "audit.reference" });
  });
});
