import { Random } from "@warpfarm/common";
import { SpaceBuilder } from "@warpfarm/compiler";
import { describe, expect, it } from "vitest";
import { readRecorded } from "../../score/read-recorded.ts";
import { openRecorded } from "../../score/recorded-space.ts";
import { scoreTuner } from "../../score/score.ts";
import { tuners } from "../index.ts";
import { type Built, type CompilerFacts, factsOf } from "./compiler-facts.ts";
import { Shortlist } from "./shortlist.ts";

const builder = new SpaceBuilder();
builder.choice("a", [0, 1, 2, 3, 4, 5, 6, 7]);
builder.choice("b", [0, 1, 2, 3, 4, 5, 6, 7]);
const space = builder.build();
const at = (index: number) => space.toIndex(index);
/** Spills tell which config is slow, and knobs say nothing of it. */
const spills = (index: number) => (((index * 29) % 64) % 2 === 0 ? 0 : 400);
const factsAt = (index: number): CompilerFacts => ({
  ...{ registers: 64, spilledBytes: spills(index), sharedBytes: 0, threads: 128, blocks: 64, occupancy: 0.5, residentBlocks: 4 },
});
const builtOf = (indices: readonly number[]): Built[] => indices.map((index) => ({ index: at(index), facts: factsAt(index) }));
const speedOf = (index: number) => (spills(index) === 0 ? 1 : 0.4);
const results = (indices: readonly number[]) => indices.map((index) => ({ index: at(index), speed: speedOf(index) }));
const measured = [0, 5, 11, 14, 22, 27, 33, 36, 41, 50];
const [spilling, clean] = [[1, 3, 7].map(at), [2, 4].map(at)];

describe("the shortlist", () => {
  it("takes the model's next that does not spill, where results say what spills cost", () => {
    const shortlist = new Shortlist(space, 1, 8);
    shortlist.learn(builtOf([...measured, 1, 3, 7, 2, 4]));
    expect(spilling.every((index) => spills(index) > 0) && clean.every((index) => spills(index) === 0)).toBe(true);
    expect(shortlist.choose([...spilling.slice(0, 1), ...clean, ...spilling.slice(1)], results(measured))).toBe(clean[0]);
  });

  it("learns from instructions where facts are equal else, and not where some are not counted", () => {
    const alike = { ...factsAt(0), spilledBytes: 0 };
    const counts = { fma: 512, shared: 64, global: 16, barrier: 2, branch: 4, other: 300 };
    const withTensor = (index: number): Built => ({
      index: at(index),
      facts: { ...alike, instructions: { ...counts, tensor: spills(index) === 0 ? 64 : 0 } },
    });
    const all = [...measured, 1, 3, 7, 2, 4].map(withTensor);
    const order = [...spilling.slice(0, 1), ...clean, ...spilling.slice(1)];
    const choice = (built: readonly Built[]) => {
      const shortlist = new Shortlist(space, 1, 8);
      shortlist.learn(built);
      return shortlist.choose(order, results(measured));
    };
    expect(choice(all)).toBe(clean[0]);
    const uncounted = all.map(({ index }, i) => ({ index, facts: i === 0 ? alike : all[i]?.facts }));
    expect(choice(uncounted)).toBe(choice(all.map(({ index }) => ({ index, facts: alike }))));
  });

  it("gives the same for equal results and facts in any order", () => {
    const chosen = [1, 2, 3].map((seed) => {
      const random = new Random(seed);
      const shortlist = new Shortlist(space, 1, 8);
      shortlist.learn(random.shuffle(builtOf([...measured, 1, 3, 7, 2, 4])));
      return shortlist.choose([...spilling, ...clean], random.shuffle(results(measured)));
    });
    expect(new Set(chosen).size).toBe(1);
  });

  it("has no say without facts, with too few results, or where too little of the order is built", () => {
    const shortlist = new Shortlist(space, 1, 8);
    expect(shortlist.choose(clean, results(measured))).toBeUndefined();
    shortlist.learn(builtOf([...measured, 2]));
    expect(shortlist.choose(clean, results(measured))).toBeUndefined();
    shortlist.learn(builtOf([4]));
    expect(shortlist.choose(clean, results(measured.slice(0, 3)))).toBeUndefined();
    expect(shortlist.choose(clean, results(measured))).toBeDefined();
    expect([shortlist.isOpen(24), shortlist.isOpen(25)]).toEqual([true, false]);
  });

  it("wants those asked and those of its last order, as far as it does not know them", () => {
    const shortlist = new Shortlist(space, 1, 8);
    shortlist.choose([...spilling, ...clean], results(measured));
    shortlist.learn(builtOf([0, 1, 2]));
    const mayBe = (index: number) => index !== 3;
    expect(shortlist.wanted([at(0), at(5)], 10, mayBe)).toEqual([5, 7, 4].map(at));
    expect(shortlist.wanted([at(0), at(5)], 25, mayBe)).toEqual([]);
  });
});

describe("xgb with facts", () => {
  const isValid = () => true;
  const fast = (index: number) => 1 / speedOf(index);
  const make = (builtAhead: number, seed = 2) => tuners.xgb({ space, seed, isValid, builtAhead });
  const tell = (tuner: ReturnType<typeof make>, asked: readonly number[]) =>
    tuner.tell(asked.map((index) => ({ index: at(index), outcome: { kind: "timed", seconds: fast(index) } })));
  const everything = Array.from({ length: 64 }, (_, i) => i);

  it("proposes what does not spill sooner than without them", () => {
    const clear = (builtAhead: number) =>
      [1, 2, 3, 4, 5].flatMap((seed) => {
        const tuner = make(builtAhead, seed);
        tell(tuner, tuner.ask(16));
        tuner.learn?.(builtOf(everything));
        return tuner.ask(6).filter((index) => spills(index) === 0);
      }).length;
    expect(clear(8)).toBeGreaterThan(clear(0));
  });

  it("proposes as without builds until something is built, and never what does not build", () => {
    const [without, ahead] = [make(0), make(8)];
    for (const n of [16, 4]) {
      const asked = without.ask(n);
      expect(ahead.ask(n)).toEqual(asked);
      tell(without, asked);
      tell(ahead, asked);
    }
    const wanted = ahead.wanted?.() ?? [];
    expect(wanted.length).toBeGreaterThan(0);
    const unbuilt = everything.filter((index) => index % 3 === 0);
    ahead.learn?.(unbuilt.map((index) => ({ index: at(index), facts: undefined })));
    expect(ahead.ask(10).filter((index) => index % 3 === 0)).toEqual([]);
    expect(ahead.wanted?.()).toEqual([]); // with those that do not build there are more than 24 results
  });
});

it("facts of a manifest: the most of any kernel, and what a multiprocessor holds", () => {
  const kernel = (x: number, block: number, dynamic: number) => ({
    ...{ name: "k", grid: [x, 2, 1] as const, block: [block, 1, 1] as const, dynamic_shared_bytes: dynamic },
    ...{ cluster: [1, 1, 1] as const, args: [] },
  });
  const resources = { registers: 128, spill_bytes: 16, static_shared_bytes: 1024 };
  const facts = factsOf({ kernels: [kernel(8, 256, 0), kernel(64, 32, 4096)], resources, notes: [] }, "cuda/sm_90");
  // By the occupancy calculator: 128 registers and 256 threads are two blocks, 16 of 64 warps.
  expect(facts).toEqual({
    ...{ registers: 128, spilledBytes: 16, sharedBytes: 5120, threads: 256, blocks: 128, occupancy: 0.25, residentBlocks: 2 },
  });
  expect(factsOf({ kernels: [kernel(8, 256, 0)], resources, notes: [] }, "cpu/x86-64-v3")).toMatchObject({ occupancy: 0 });
});

it("on the recorded space that has facts, a search with them is nearer to the optimum", async () => {
  const path = new URL("../../../test/spaces/coulomb3d-RTX_2080_Ti.ktt.json.gz", import.meta.url).pathname;
  const read = await readRecorded(path);
  if (!read.ok) throw new Error(read.error);
  const recorded = openRecorded(read.value);
  const score = (builtAhead: number) =>
    scoreTuner(recorded, "auto", tuners.auto, { seed: 0, repeats: 12, inFlight: 1, budget: 24, builtAhead }).score;
  expect(score(8)).toBeGreaterThan(score(0));
});
