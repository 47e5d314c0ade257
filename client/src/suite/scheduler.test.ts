import { expect, test } from "vitest";
import { plannedTask } from "../../../test-support/suite-plan.ts";
import { gainOf, type TaskCourse } from "./gradient.ts";
import type { PlannedTask } from "./plan.ts";
import { likeOf, mostOpen, SuiteScheduler } from "./scheduler.ts";

const taskOf = (id: string, { trials = 1000, inFlight = 16, key = "cuda/sm_90", weight = 1 } = {}): PlannedTask =>
  plannedTask(id, "toy", { key, in_flight: inFlight, budget: { trials, patience: 1000 } }, { weight });

const course = (more: Partial<TaskCourse> = {}): TaskCourse => ({
  weight: 1,
  flops: 0,
  told: 16,
  outstanding: 0,
  deviceSeconds: 16,
  bestAfter: Array<number>(16).fill(1),
  defaultSeconds: 1,
  ...more,
});

/** The rule written once more, from the paper: alpha 0.2, beta 2, rounds of 8 trials, a window of 3 rounds. */
test("the gain is Ansor's gradient per device-second", () => {
  // Two rounds without progress: backward 0, forward g / rounds = 1/2; a round takes 8 s.
  expect(gainOf(course(), 0)).toBeCloseTo((0.8 * 0.5) / 8, 12);
  expect(gainOf(course({ weight: 3 }), 0)).toBeCloseTo((3 * 0.8 * 0.5) / 8, 12);
  // From 1.5 s to 1 s within 2 rounds.
  expect(gainOf(course({ defaultSeconds: 1.5 }), 0)).toBeCloseTo((0.2 * 0.25 + 0.8 * 0.5) / 8, 12);
  // Similar tasks do 10 operations a second. Half of that speed would take it 0.2 s: 0.8 s to gain, more than 1/2.
  expect(gainOf(course({ flops: 1 }), 10)).toBeCloseTo((0.8 * 0.8) / 8, 12);
  // What is outstanding counts as asked: 4 rounds.
  expect(gainOf(course({ outstanding: 16 }), 0)).toBeCloseTo((0.8 * 0.25) / 8, 12);
  // Five rounds: the window reaches back 3, to 4 s; the times before that do not count.
  const bestAfter = [...Array<number>(8).fill(100), ...Array<number>(8).fill(4), ...Array<number>(24).fill(1)];
  expect(gainOf(course({ told: 40, deviceSeconds: 40, bestAfter }), 0)).toBeCloseTo((0.2 * 1 + 0.8 / 5) / 8, 12);
  expect(gainOf(course({ told: 7 }), 0)).toBe(Number.POSITIVE_INFINITY);
});

test("subgraphs are alike by their operators, other tasks by their template", () => {
  const { search } = taskOf("a");
  const nodes = (...ops: readonly string[]) => [[], ops.map((op) => ({ op, outputs: ["y"] })), ["y"]];
  const subgraph = (...ops: readonly string[]) =>
    likeOf({ search: { ...search, task: { template: "subgraph" }, args: nodes(...ops) } });
  expect(subgraph("Conv", "Relu")).toBe(subgraph("Conv", "Relu"));
  expect(subgraph("Conv", "Relu")).not.toBe(subgraph("Conv"));
  expect(subgraph("MaxPool")).not.toBe(subgraph("Conv"));
  expect(likeOf({ search })).toBe("toy");
});

test("permits go to who may gain most, a round to each first, and no more than capacity", () => {
  const begun: string[] = [];
  const scheduler = new SuiteScheduler({
    tasks: [taskOf("slow"), taskOf("fast"), taskOf("heavy", { weight: 50 })],
    budget: {},
    capacity: () => 6,
    begin: (id) => begun.push(id),
  });
  scheduler.start();
  expect(begun).toEqual(["slow", "fast", "heavy"]);
  const seconds: Readonly<Record<string, number>> = { slow: 1, fast: 0.01, heavy: 0.1 };
  const given: string[] = [];
  const out: string[] = [];
  const take = () => {
    for (const id of begun)
      while (scheduler.pace(id).take()) {
        given.push(id);
        out.push(id);
      }
  };
  take();
  expect(given.length).toBe(6);
  for (let i = 0; i < 120; i++) {
    const id = out.shift() as string;
    scheduler.landed(id, { seconds: seconds[id], deviceMs: 10 });
    take();
    expect(out.length).toBe(6);
  }
  for (const id of begun) expect(given.slice(0, 24).filter((each) => each === id).length, id).toBe(8);
  const share = (id: string) => given.slice(24).filter((each) => each === id).length;
  expect(share("heavy")).toBeGreaterThan(share("slow"));
  expect(share("slow")).toBeGreaterThan(share("fast"));
});

test.each([{ trials: 10 }, { deviceMs: 10 }])("a total budget of %o is not overrun, and ends every search", async (budget) => {
  const scheduler = new SuiteScheduler({
    tasks: [taskOf("a"), taskOf("b")],
    budget,
    capacity: () => 8,
    begin: () => {},
  });
  scheduler.start();
  const over = scheduler.pace("a").changed();
  let taken = 0;
  for (let i = 0; i < 20; i++)
    for (const id of ["a", "b"])
      if (scheduler.pace(id).take()) {
        taken++;
        scheduler.landed(id, { seconds: 1, deviceMs: 1 });
      }
  expect(taken).toBe(10);
  expect([scheduler.pace("a").isOver, scheduler.pace("b").isOver]).toEqual([true, true]);
  await over;
});

test("a task that is given more trials while it runs has them, and the suite's budget grows by as many", () => {
  const scheduler = new SuiteScheduler({
    tasks: [taskOf("a", { trials: 4 }), taskOf("b", { trials: 4 })],
    budget: { trials: 8 },
    capacity: () => 2,
    begin: () => {},
  });
  scheduler.start();
  const taken = { a: 0, b: 0 };
  const run = () => {
    for (let i = 0; i < 20; i++)
      for (const id of ["a", "b"] as const)
        if (scheduler.pace(id).take()) {
          taken[id]++;
          scheduler.landed(id, { seconds: 1, deviceMs: 1 });
        }
  };
  scheduler.pace("a").gave(3);
  scheduler.pace("a").gave(2); // a late word
  run();
  expect([taken, scheduler.isSpent]).toEqual([{ a: 7, b: 4 }, true]);
});

test("a tuner that proposes nothing gives its permit back to others", () => {
  const begun: string[] = [];
  const scheduler = new SuiteScheduler({
    tasks: [taskOf("dry"), taskOf("other")],
    budget: {},
    capacity: () => 2,
    begin: (id) => begun.push(id),
  });
  scheduler.start();
  expect(scheduler.pace("dry").take()).toBe(true);
  scheduler.pace("dry").giveBack();
  expect([scheduler.pace("dry").take(), scheduler.pace("other").take(), scheduler.pace("other").take()]).toEqual([
    false,
    true,
    true,
  ]);
  for (const id of ["other", "other"]) scheduler.landed(id, { seconds: 1, deviceMs: 1 });
  // No result of its own would come, so it is asked again after a while.
  scheduler.look();
  while (scheduler.pace("other").take()) scheduler.landed("other", { seconds: 1, deviceMs: 1 });
  expect(scheduler.pace("dry").take()).toBe(true);
});

test("and is asked again when a result of its own comes", () => {
  const scheduler = new SuiteScheduler({ tasks: [taskOf("dry")], budget: {}, capacity: () => 2, begin: () => {} });
  scheduler.start();
  const pace = scheduler.pace("dry");
  expect([pace.take(), pace.take()]).toEqual([true, true]);
  pace.giveBack();
  expect(pace.take()).toBe(false);
  scheduler.landed("dry", { seconds: 1, deviceMs: 1 });
  expect(pace.take()).toBe(true);
});

test("kinds of devices do not wait for each other; a pool without a device waits", () => {
  const begun: string[] = [];
  let here = 0;
  const scheduler = new SuiteScheduler({
    tasks: [taskOf("a", { inFlight: 4 }), taskOf("b", { inFlight: 4, key: "cuda/sm_80" })],
    budget: {},
    capacity: (pool) => (pool === "cuda/sm_90" ? 2 : here),
    begin: (id) => begun.push(id),
  });
  scheduler.start();
  expect(begun).toEqual(["a"]);
  here = 1;
  scheduler.fill();
  expect(begun).toEqual(["a", "b"]);
});

const facts = (told: number) => ({
  flops: 1,
  defaultSeconds: 1,
  results: Array.from({ length: told }, () => ({ seconds: 1, deviceMs: 1 })),
});

test("what earlier processes began opens first, with what its log says; what ended gets no permit", () => {
  const begun: string[] = [];
  const scheduler = new SuiteScheduler({
    tasks: [taskOf("ended", { inFlight: 4 }), taskOf("begun", { inFlight: 4 }), taskOf("new", { inFlight: 4 })],
    budget: {},
    capacity: () => 4,
    begin: (id) => begun.push(id),
  });
  scheduler.ended("ended");
  scheduler.start(new Map([["begun", facts(9)]]));
  expect(begun).toEqual(["begun", "new"]);
  // It has had a round; the new one has not.
  expect(scheduler.pace("begun").take()).toBe(false);
  scheduler.opened("begun", facts(9));
  expect(scheduler.facts().map(({ state, told }) => [state, told])).toEqual([
    ["ended", 0],
    ["running", 9],
    ["running", 0],
  ]);
});

test("no more searches are open at once than a tracker gives sessions for; another begins when one ends or is parked", () => {
  const begun: string[] = [];
  const scheduler = new SuiteScheduler({
    tasks: Array.from({ length: 200 }, (_, i) => taskOf(`t${i}`, { inFlight: 2 })),
    budget: {},
    capacity: () => 1000,
    begin: (id) => begun.push(id),
  });
  scheduler.start();
  expect(begun.length).toBe(mostOpen);
  scheduler.ended("t3");
  expect(begun.length).toBe(mostOpen + 1);
  const { length } = begun;
  const isParked = () => begun.filter((id) => scheduler.pace(id).isParked);
  // Two are taken before the first result comes, as a search does.
  for (let i = 0; i < 50; i++)
    for (const id of begun.slice(0, length)) {
      let taken = 0;
      while (scheduler.pace(id).take()) taken++;
      for (; taken > 0; taken--) scheduler.landed(id, { seconds: 1, deviceMs: 1 });
    }
  expect(isParked()).toContain("t0");
  expect(begun.length).toBe(length);
  scheduler.parked("t0");
  expect(begun.slice(length)).toEqual(["t49"]);
});

test("who may gain least makes room for who may gain more than it", () => {
  const scheduler = new SuiteScheduler({
    tasks: [taskOf("high", { weight: 9 }), taskOf("low"), taskOf("middle", { weight: 3 }), taskOf("new")],
    budget: {},
    capacity: () => 4,
    begin: () => {},
    mostOpen: 3,
  });
  // They have had their turns; the new one has had no round.
  scheduler.start(new Map(["high", "low", "middle"].map((id) => [id, facts(16)])));
  expect(["high", "low", "middle"].filter((id) => scheduler.pace(id).isParked)).toEqual(["low"]);
});

test("who may gain as much as another keeps its place", () => {
  const tasks = [taskOf("a"), taskOf("b")];
  const scheduler = new SuiteScheduler({ tasks, budget: {}, capacity: () => 1, begin: () => {}, mostOpen: 1 });
  scheduler.start(new Map(["a", "b"].map((id) => [id, facts(16)])));
  expect(scheduler.facts().map(({ state }) => state)).toEqual(["running", "parked"]);
  expect(scheduler.pace("a").isParked).toBe(false);
});

test("a task that is opened again has a turn as long as a quarter of its log, which it has to replay", () => {
  let running = "";
  const scheduler = new SuiteScheduler({
    // Gains are the weights over trials: at 80 trials that of `old` lies between those of `fresh` at 8 and at 9.
    tasks: [taskOf("old", { weight: 9, inFlight: 1 }), taskOf("fresh", { inFlight: 1 })],
    budget: {},
    capacity: () => 1,
    begin: (id) => {
      running = id;
    },
    mostOpen: 1,
  });
  scheduler.start(new Map([["old", facts(80)]]));
  const turns: [string, number][] = [];
  while (turns.length < 4) {
    const pace = scheduler.pace(running);
    if (pace.take()) {
      if (turns.at(-1)?.[0] !== running) turns.push([running, 0]);
      (turns.at(-1) as [string, number])[1]++;
      scheduler.landed(running, { seconds: 1, deviceMs: 1 });
    } else if (pace.isParked) scheduler.parked(running);
    else throw new Error(`${running} has neither a permit nor to make room`);
  }
  const [fresh, old, ...others] = turns;
  expect([fresh?.[0], old?.[0], others[0]?.[0]]).toEqual(["fresh", "old", "fresh"]);
  expect(fresh?.[1]).toBeLessThanOrEqual(9);
  // A quarter of 80, and of those that came.
  expect(old?.[1]).toBe(27);
});

test("an earlier process's many tasks open as far as there is room, and the others when they may gain most", () => {
  const begun: string[] = [];
  const scheduler = new SuiteScheduler({
    tasks: Array.from({ length: 6 }, (_, i) => taskOf(`t${i}`, { inFlight: 2, trials: 20 })),
    budget: {},
    capacity: () => 4,
    begin: (id) => begun.push(id),
    mostOpen: 2,
  });
  // The last written comes first. The log of t1 is complete: it opens to end, without a permit.
  const order = ["t5", "t4", "t1", "t0"];
  scheduler.start(new Map(order.map((id) => [id, facts(id === "t1" ? 20 : 10)])));
  expect(begun).toEqual(["t5", "t4"]);
  // The new ones have had no round, so both open ones make room.
  expect([scheduler.pace("t5").isParked, scheduler.pace("t4").isParked]).toEqual([true, true]);
  scheduler.parked("t5");
  expect(begun).toEqual(["t5", "t4", "t1"]);
  scheduler.ended("t1");
  expect(begun.at(-1)).toBe("t2");
});

test("pools share the places; what one does not need another has", () => {
  const begun: string[] = [];
  const scheduler = new SuiteScheduler({
    tasks: [
      ...Array.from({ length: 40 }, (_, i) => taskOf(`a${i}`, { inFlight: 2 })),
      ...Array.from({ length: 3 }, (_, i) => taskOf(`b${i}`, { inFlight: 2, key: "cuda/sm_80" })),
    ],
    budget: {},
    capacity: () => 100,
    begin: (id) => begun.push(id),
    mostOpen: 10,
  });
  scheduler.start();
  expect(begun.toSorted()).toEqual(["a0", "a1", "a2", "a3", "a4", "a5", "a6", "b0", "b1", "b2"]);
});

test("searches that are open in a pool whose devices have gone keep their places, so the others make room among themselves", () => {
  const begun: string[] = [];
  let there = 100;
  const scheduler = new SuiteScheduler({
    tasks: [
      ...Array.from({ length: 12 }, (_, i) => taskOf(`a${i}`, { inFlight: 2 })),
      ...Array.from({ length: 4 }, (_, i) => taskOf(`b${i}`, { inFlight: 2, key: "cuda/sm_80" })),
    ],
    budget: {},
    capacity: (pool) => (pool === "cuda/sm_80" ? there : 100),
    begin: (id) => begun.push(id),
    mostOpen: 10,
  });
  scheduler.start();
  const open = (pool: string) => begun.filter((id) => id.startsWith(pool)).length;
  expect([open("a"), open("b")]).toEqual([6, 4]);
  there = 0;
  for (let i = 0; i < 50; i++)
    for (const id of begun.filter((of) => of.startsWith("a"))) {
      let taken = 0;
      while (scheduler.pace(id).take()) taken++;
      for (; taken > 0; taken--) scheduler.landed(id, { seconds: 1, deviceMs: 1 });
    }
  // The six that wait have had no round, and no place is free: all six that are open make room.
  expect(begun.filter((id) => scheduler.pace(id).isParked).toSorted()).toEqual(["a0", "a1", "a2", "a3", "a4", "a5"]);
  expect([open("a"), open("b")]).toEqual([6, 4]);
});

test("a pace that changes while nobody waits for it is told of at the next wait", async () => {
  const scheduler = new SuiteScheduler({
    tasks: [taskOf("a", { inFlight: 4 })],
    budget: {},
    capacity: () => 1,
    begin: () => {},
  });
  scheduler.start();
  expect(scheduler.pace("a").take()).toBe(true);
  scheduler.landed("a", { seconds: 1, deviceMs: 1 });
  await scheduler.pace("a").changed();
  expect(scheduler.pace("a").take()).toBe(true);
});
