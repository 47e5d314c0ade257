/** Judged candidates on a scripted GPU: graphs whose nodes have other pointers, and code as at first before each repeat. */
import { writeFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { tensor } from "../../../../test-support/kernels.ts";
import type { DeviceBuffer } from "../device-api.ts";
import { buffers, count, doubling, right, useCudaFarm } from "./cuda-farm.testing.ts";
import { blocksOf } from "./judged-rotation.ts";
import { addressOf } from "./scripted-helpers.testing.ts";
import { planGraphs } from "./timed-launches.ts";

const { artifact, farm } = useCudaFarm();

describe("the graphs of a sequence", () => {
  it.each([
    [1, 3, { block: 48, repeats: 0, rest: 1 }],
    [48, 3, { block: 48, repeats: 0, rest: 48 }],
    [49, 3, { block: 48, repeats: 1, rest: 1 }],
    [96, 3, { block: 48, repeats: 2, rest: 0 }],
    [100, 2, { block: 48, repeats: 2, rest: 4 }],
    [64, 64, { block: 64, repeats: 0, rest: 64 }],
    [150, 40, { block: 80, repeats: 1, rest: 70 }],
  ])("of %i runs on %i sets are %o", (runs, sets, graphs) => {
    expect(blocksOf(runs, sets)).toEqual(graphs);
    expect(graphs.block % sets).toBe(0);
  });
});

describe("a judged candidate on a scripted GPU", () => {
  it("reads another set in each launch of a graph, and always writes the same output", async () => {
    const { driver, judge } = farm({ k: right(1 / 16) });
    driver.stampMs = 0.05;
    const answer = await judge(artifact("k"), 1, { minRepeatMs: 10, repeat: 2 });
    expect(answer).toMatchObject({ kind: "timed", checked: true, judged: { sets: 3 } });
    if (answer.kind !== "timed") throw new Error("not timed");
    for (const cost of answer.costs) expect(cost).toBeCloseTo(1 / 16_000, 12);
    const [[, ...launches]] = [driver.executed.filter(({ name }) => name === "k")];
    const inputs = launches.map(({ params }) => addressOf(params[0]));
    expect(new Set(inputs).size).toBe(3);
    expect(new Set(launches.map(({ params }) => addressOf(params[1]))).size).toBe(1);
    // Two follow each other on one set only where a graph ends.
    const [same, graphs] = [
      inputs.filter((x, i) => x === inputs[i + 1]).length,
      driver.calls.filter((c) => c === "cuGraphLaunch"),
    ];
    expect(same).toBeLessThan(graphs.length);
    expect(inputs.length).toBeGreaterThan(200);
  });

  it("is loaded anew before each batch, with no line of the L2 cache left to persist, and leaves nothing behind", async () => {
    const { driver, judge } = farm({ k: right(1) });
    await judge(artifact("k"), 1, { minRepeatMs: 0, number: 2, repeat: 4 });
    const calls = driver.calls.filter((call) => /^cuModuleLoad|Persisting/.test(call));
    // The helpers, the reference, the candidate for its first launch, and four repeats.
    expect(calls.filter((call) => call.startsWith("cuModule"))).toHaveLength(1 + 1 + 1 + 4);
    expect(calls.filter((call) => call === "cuCtxResetPersistingL2Cache")).toHaveLength(1 + 1 + 4);
    expect([driver.liveGraphs, driver.liveEvents, driver.modules]).toEqual([0, 0, 1]);
  });

  it("has cold caches before each graph where they are asked for", async () => {
    const { driver, judge } = farm({ k: right(1) });
    const flushed = { l2: "flushed", minRepeatMs: 0, number: 4, repeat: 2 } as const;
    expect(await judge(artifact("k"), 1, flushed)).toMatchObject({ kind: "timed" });
    // The reference's graphs, one for each set, and the warm-up's are not timed.
    const graphs = driver.calls.filter((call) => call === "cuGraphLaunch").length - 4;
    expect([graphs > 2, driver.cleared.filter((bytes) => bytes === 1 << 20).length]).toEqual([true, graphs]);
  });

  it("launches as often and as far apart as no count of its own can tell", async () => {
    const lengths = async (seed: number) => {
      const { driver, judge } = farm({ k: right(1) });
      await judge(artifact("k"), seed, { minRepeatMs: 0, number: 40, repeat: 3 });
      return driver.calls.flatMap((call) => /^cuGraphInstantiate (\d+)$/.exec(call)?.[1] ?? []).map(Number);
    };
    const [one, again, other] = [await lengths(1), await lengths(1), await lengths(2)];
    expect(one).toEqual(again);
    expect(one).not.toEqual(other);
    expect(new Set(one).size).toBeGreaterThan(5);
  });

  it("that skips every third launch is caught", async () => {
    let launches = 0;
    const compute = (memory: (param: number) => Uint8Array): void => {
      if (launches++ % 3 < 2) doubling(memory);
    };
    const { judge } = farm({ lazy: { ms: () => 1, compute } });
    expect(await judge(artifact("lazy"), 4, { minRepeatMs: 30 })).toMatchObject({
      ...{ kind: "failed", errorNo: 5, rule: "judged.reference", tainted: false },
      message: expect.stringMatching(/^in a timed repeat, on set \d of 3 of inputs: output/),
    });
  });

  it("that writes into the inputs of any set, or beside them, is caught", async () => {
    let launches = 0;
    const compute = (memory: (param: number) => Uint8Array): void => {
      doubling(memory);
      if (launches++ === 5) memory(0).set([0x55], 4 * count);
    };
    const { judge } = farm({ stray: { ms: () => 1, compute } });
    expect(await judge(artifact("stray"), 1, { minRepeatMs: 30 })).toMatchObject({ rule: "out_of_bounds_write", tainted: true });
  });

  it("has fewer sets where memory does not allow three, and is refused by name where it does not allow two", async () => {
    const sets = async (megabytes: number) => {
      const { driver, judge } = farm({ k: right(1) });
      driver.memoryBytes = driver.taken + megabytes * 2 ** 20;
      return judge(artifact("k", {}, large), 1, { minRepeatMs: 1 }, artifact("reference", {}, large));
    };
    // 4 MB a tensor, with 128 KiB of guards each: one output, an input and an expected output for each set.
    const large = [
      { ...tensor("x", "in", "float32", [count]), bytes: 4 << 20 },
      { ...tensor("y", "out", "float32", [count]), bytes: 4 << 20 },
    ];
    expect(await sets(36)).toMatchObject({ kind: "timed", judged: { sets: 3 } });
    expect(await sets(27)).toMatchObject({ kind: "timed", judged: { sets: 2 } });
    expect(await sets(18)).toMatchObject({ kind: "failed", rule: "judged.memory", ofReference: true });
  });

  it.each(["cudaLaunchDevice", "cudaGraphLaunch"])("whose code names %s is not loaded", async (symbol) => {
    const { measure } = farm({ k: right(1) });
    const subject = artifact("k");
    writeFileSync(subject.codePath, JSON.stringify({ kernels: ["k"], imports: symbol }));
    expect(await measure(subject)).toMatchObject({
      kind: "failed",
      rule: "device_launch",
      message: expect.stringContaining(symbol),
    });
  });

  it("has what fills its constant memory anew before each run of a graph, for an audit renews its inputs", () => {
    const { driver, device } = farm({ k: right(1) });
    const { manifest, codePath } = artifact("k");
    const held = new Uint8Array(4 * count);
    driver.globals.set("filter", held);
    using module = device.load({ ...manifest, constants: [{ symbol: "filter", buffer: "x" }] }, codePath);
    const set = new Map(buffers.map((spec) => [spec.name, device.allocate(spec)]));
    const x = set.get("x") as DeviceBuffer;
    device.fill(x, 1, 0, "full");
    using rotation = device.rotation(module, { sets: [set], first: 0, count: 2 }, "cuda_graph");
    // Seeds have 48 bits; the first two differ in the upper ones alone.
    const contents = (["full", "exact"] as const).flatMap((inputs) =>
      [1, 1 + 2 ** 40, 2].map((seed) => {
        device.fill(x, seed, 0, inputs);
        rotation.run();
        expect(held).toEqual(device.read(x));
        return Buffer.from(held).toString("hex");
      }),
    );
    expect(new Set(contents).size).toBe(6);
  });

  it("is measured on a device that is looked at after each graph: who was there during one alone is seen", async () => {
    /** Somebody is there while graph `nth` runs, and goes when the next begins. */
    const during = async (nth: number) => {
      const graphs = () => all.driver.calls.filter((call) => call === "cuGraphLaunch").length;
      const all = farm({ k: right(1) }, undefined, () => (graphs() === nth ? "in use by process 7" : undefined));
      return { answer: await all.judge(artifact("k"), 1, { minRepeatMs: 0, number: 4, repeat: 2 }), graphs: graphs() };
    };
    const { answer, graphs } = await during(-1);
    expect(answer).toMatchObject({ kind: "timed" });
    for (let nth = 1; nth <= graphs; nth++)
      expect((await during(nth)).answer).toEqual({ kind: "fault", message: "in use by process 7" });
  });

  it("goes on with the set after the last, whichever set a sequence begins with", () => {
    const { driver, device } = farm({ k: right(1) });
    const { manifest, codePath } = artifact("k");
    using module = device.load(manifest, codePath);
    const sets = [0, 1, 2].map(() => new Map(buffers.map((spec) => [spec.name, device.allocate(spec)])));
    const launched = (first: number) => {
      const before = driver.executed.length;
      using rotation = device.rotation(module, { sets, first, count: 100 }, "cuda_graph");
      rotation.run();
      const own = driver.executed.slice(before).filter(({ name }) => name === "k");
      return own.map(({ params }) => addressOf(params[0]));
    };
    const inputs = launched(0).slice(0, 3);
    for (const first of [0, 1, 2, 1])
      expect(launched(first).map((x) => inputs.indexOf(x))).toEqual(Array.from({ length: 100 }, (_, n) => (first + n) % 3));
  });

  it("gets what fills its constant memory from the same tensor for all sets", async () => {
    const { driver, judge } = farm({ k: right(1) });
    driver.globals.set("filter", new Uint8Array(4 * count));
    const { manifest, ...rest } = artifact("k");
    const constants = [{ symbol: "filter", buffer: "x" }];
    expect(await judge({ ...rest, manifest: { ...manifest, constants } }, 1, { minRepeatMs: 1 })).toMatchObject({
      judged: { not: "outputs alike" },
    });
  });
});

describe("planGraphs", () => {
  it("covers every number exactly, within 1000 kernels a graph", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1e6 }),
        fc.integer({ min: 1, max: 20 }),
        fc.double({ min: 0, max: 100, noNaN: true }),
        (number, kernels, ms) => {
          const { nodes, launches, rest } = planGraphs(number, kernels, ms);
          expect(nodes * launches + rest).toBe(number);
          expect(nodes * kernels).toBeLessThanOrEqual(1000);
          expect(rest).toBeLessThan(nodes);
          expect(launches).toBeGreaterThanOrEqual(1);
        },
      ),
    );
  });
});
