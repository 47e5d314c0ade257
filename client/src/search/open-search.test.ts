/** What the composer of a search asks of its farm and keeps in its log, on a tracker in memory. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Clock, digestOf, ManualClock, medianSeconds, type SessionId, systemClock } from "@warpfarm/common";
import { graphOf, placeholder, relu } from "@warpfarm/compiler/language";
import type { SessionControl } from "@warpfarm/proto";
import type { RecordPage, RecordQuery, RecordStore } from "@warpfarm/records";
import { createTask, defineTemplate } from "@warpfarm/templates";
import { expect, onTestFinished, test, vi } from "vitest";
import { FakeTracker, type FakeTrackerOptions } from "../measure/fake-tracker.testing.ts";
import { timedResult } from "../measure/scripted.testing.ts";
import { tuners } from "../tuner/index.ts";
import type { Tuner } from "../tuner/tuner.ts";
import { FarmRecords } from "./farm-records.ts";
import { type OpenSearchOptions, openSearch, type SearchFarm } from "./open-search.ts";
import type { Pace } from "./pace.ts";
import { type SearchSpec, wholeSpec } from "./search-spec.ts";
import type { TuneEvent, TuneSummary } from "./tune-events.ts";

const key = "cpu/x86-64-v3";
const task = createTask("matmul_derived", [64, 64, 32, "float32", "NN"], key);
const device = {
  ...{ key, labels: {}, memoryBytes: 80e9, limits: { name: "box", limits: {} } },
  model: { name: "a processor", driver: "" },
};

async function farmOf(
  more: Partial<FakeTrackerOptions> = {},
  { clock = systemClock, devices = [device] }: { readonly clock?: Clock; readonly devices?: readonly (typeof device)[] } = {},
) {
  const execute = (text: string) => timedResult((1 + (Number.parseInt(digestOf(text).slice(-6), 16) % 997)) / 1e6);
  const tracker = new FakeTracker({ execute, ...more });
  const connection = await tracker.start();
  const folder = mkdtempSync(join(tmpdir(), "warpfarm-open-"));
  onTestFinished(async () => {
    await connection[Symbol.asyncDispose]();
    await tracker[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true });
  });
  const asked: RecordQuery[] = [];
  const query = async (of: RecordQuery): Promise<RecordPage> => {
    asked.push(of);
    return { records: [] };
  };
  const records = { query } as unknown as RecordStore;
  const there = { devices, keys: [key], targets: [key], slots: 1 };
  const farm: SearchFarm = {
    tracker: { ...connection, records },
    there: () => there,
    // It remembers for a minute what it was told; each search here is of a process of its own.
    get records() {
      return new FarmRecords(records, systemClock, { warn: () => {}, found: () => {} });
    },
    ...{ clock, session: "test" },
  };
  const open = (spec: Partial<SearchSpec>, options: Partial<OpenSearchOptions> = {}) => {
    const of = { version: 1 as const, task: { template: task.name }, finalists: { count: 0 }, tuner: "random", ...spec };
    return openSearch(farm, wholeSpec(of, task, key), {
      ...{ task, cwd: folder, logPath: join(folder, "a.jsonl"), resume: false, say: () => {} },
      signal: new AbortController().signal,
      ...options,
    });
  };
  const run = async (
    spec: Partial<SearchSpec>,
    options: Partial<OpenSearchOptions> = {},
    pace?: Pace,
    heard: (event: TuneEvent) => unknown = () => {},
  ) => {
    await using search = await open(spec, options);
    let summary: TuneSummary | undefined;
    for await (const event of search.events(pace)) {
      heard(event);
      if (event.kind === "finished") summary = event.summary;
    }
    return { summary, search };
  };
  return { tracker, asked, folder, open, run };
}

test("a session holds one input more than the search has candidates, for the default's time, and has all that the spec says", async () => {
  const { tracker, run } = await farmOf();
  const { summary } = await run(
    { in_flight: 5, budget: { trials: 4 }, priority: 3, weight: 7, keep: "private", reuse: true },
    { title: "mine" },
  );
  expect(summary).toMatchObject({ trials: 4, reason: "trials" });
  expect(tracker.asked).toMatchObject({
    ...{ maxInFlight: 6, priority: 3, weight: 7, keep: "private", reuse: true, selector: key },
    task: 'mine: matmul_derived [64,64,32,"float32","NN"]',
    provenance: { search: { task: { template: "matmul_derived" }, budget: { trials: 4 }, tuner: "random" } },
  });
});

test("a session that this process closed is not continued; one of a process before it is", async () => {
  const { tracker, run } = await farmOf();
  const closed = new Set<SessionId>();
  await run({ budget: { trials: 2 } }, { closed });
  expect([...closed]).toEqual(["s-1"]);
  await run({ budget: { trials: 4 } }, { resume: true, closed });
  expect(tracker.asked?.continues).toBeUndefined();
  await run({ budget: { trials: 6 } }, { resume: true });
  expect(tracker.asked?.continues).toBe("s-2");
});

test("trials that it was given before count with those that the tracker gives now", async () => {
  const { run } = await farmOf({ control: () => ({ paused: false, moreTrials: 2 }) });
  const told: SessionControl[] = [];
  const gave: number[] = [];
  const pace: Pace = {
    ...{ take: () => true, giveBack: () => {}, isOver: false, isParked: false, changed: () => new Promise<void>(() => {}) },
    gave: (trials) => void gave.push(trials),
  };
  const { summary, search } = await run(
    { budget: { trials: 4 } },
    { added: 3, onControl: (control) => void told.push(control) },
    pace,
  );
  expect([search.more.count, gave.at(-1), told.at(-1)?.moreTrials, summary?.trials]).toEqual([5, 5, 5, 9]);
});

test("a search that is continued begins as it began, whatever the farm has learnt", async () => {
  const { asked, run } = await farmOf();
  const starts = () => asked.filter(({ outcome }) => outcome !== "failed").length;
  await run({ tuner: "auto", budget: { trials: 1 } });
  expect(starts()).toBe(1);
  await run({ tuner: "auto", budget: { trials: 2 } }, { resume: true });
  expect(starts()).toBe(1);
  const { run: without, asked: nothing } = await farmOf();
  await without({ tuner: "auto", start: "none", budget: { trials: 1 } });
  expect(nothing.filter(({ outcome }) => outcome !== "failed")).toEqual([]);
});

test("a session that was cut off is continued by the same process", async () => {
  const { tracker, run } = await farmOf();
  const closed = new Set<SessionId>();
  const stop = new AbortController();
  const { summary } = await run({ budget: { trials: 500 } }, { closed, signal: stop.signal }, undefined, ({ kind }) => {
    if (kind === "trial") stop.abort(new Error("cut off"));
  });
  expect(summary?.reason).toBe("aborted");
  expect([...closed]).toEqual([]);
  await run({ budget: { trials: 500, patience: 1 } }, { resume: true, closed });
  expect(tracker.asked?.continues).toBe("s-1");
});

test("it gives up, with an error, after its time without a result, which each result begins anew", async () => {
  const clock = new ManualClock();
  let answers = 8;
  const execute = async () => {
    await new Promise((resolve) => setImmediate(resolve));
    // At first the default schedule and a trial are measured together.
    clock.advance(answers > 0 ? 3_000 : 11_000);
    return answers-- > 0 ? timedResult(1e-3) : new Promise<never>(() => {});
  };
  const { run } = await farmOf({ execute }, { clock });
  const trials: number[] = [];
  const how = { budget: { trials: 9, give_up: "10s" }, in_flight: 1 } as const;
  const given = run(how, {}, undefined, (event) => event.kind === "trial" && trials.push(event.done));
  await expect(given).rejects.toMatchObject({
    code: "DEADLINE_EXCEEDED",
    message: expect.stringContaining("for 10s (--give-up)"),
  });
  expect(trials).toEqual([1, 2, 3, 4, 5, 6, 7]);
});

test("finalists are measured in repeats of the usual length, and none of them ends early but all of them when they are told apart, however short those of the search are", async () => {
  const { tracker, run } = await farmOf();
  const { summary } = await run({
    ...{ budget: { trials: 3 }, measure: { min_repeat: "1ms", repeat: 2, cutoff: "1s" } },
    finalists: { count: 2, rounds: 11, idle: "3ms" },
  });
  expect(summary?.finals).toMatchObject({
    kind: "skipped",
    why: expect.stringContaining("did not give the costs of 3 interleaved programs"),
  });
  expect(tracker.asked).toMatchObject({ options: { minRepeatMs: 20, repeat: 2 } });
  expect(tracker.asked?.paired).toEqual({ rounds: 11, idleMs: 3, sequential: true });
  expect(tracker.asked?.options).not.toHaveProperty("incumbent");
});

test("a search whose devices are away waits for all that its key and conditions allow", async () => {
  const { tracker, run } = await farmOf({}, { devices: [] });
  await run({ budget: { trials: 1 }, where: "lab=a" });
  expect(tracker.asked?.selector).toBe(`${key},lab=a`);
});

test("a search of a derived space says so when it goes on with other rules", async () => {
  const x = placeholder("x", [64, 64]);
  const derived = createTask(
    defineTemplate({
      name: "mine",
      summary: "",
      targets: ["cpu"],
      args: {},
      graph: () => graphOf([x], [relu(x, { name: "out" })]),
    }),
    [],
    key,
  );
  const { run } = await farmOf();
  const said: string[] = [];
  const of = { task: derived, say: (message: string) => void said.push(message) };
  const { search } = await run({ budget: { trials: 2 } }, of);
  expect(search.spec.derived).not.toBe(derived.derived?.digest);
  expect(wholeSpec({ version: 1, task: { template: "mine" } }, derived, key).derived).toBe(derived.derived?.digest);
  expect(said).toEqual([
    "the space of this search was derived by other rules: its configs are found by their values, and those that are gone are counted",
  ]);
});

test("programs of a search that is continued race against the best of its log from the first on", async () => {
  const { tracker, run } = await farmOf();
  const { search } = await run({ budget: { trials: 6 } });
  expect(search.trials).toEqual([]);
  tracker.incumbents.length = 0;
  const { search: again } = await run({ budget: { trials: 7 } }, { resume: true });
  const times = again.trials.flatMap(({ result }) => (result.kind === "timed" ? [medianSeconds(result.costs)] : []));
  expect(times).toHaveLength(6);
  expect(tracker.incumbents[0]?.seconds).toBe(Math.min(...times));
});

const still = { take: () => false, giveBack: () => {}, gave: () => {}, changed: () => new Promise<void>(() => {}) };

test.each([
  { isOver: true, isParked: false, reason: "budget" },
  { isOver: false, isParked: true, reason: "parked" },
])("one that is opened only to close learns nothing, asks nothing, and has the results of its log: $reason", async (closing) => {
  const { reason, ...how } = closing;
  const { run } = await farmOf();
  const spec = { tuner: "auto", budget: { trials: 9 } } as const;
  const before = await run({ ...spec, budget: { trials: 7 } });
  const ask = vi.fn<Tuner["ask"]>();
  const { auto } = tuners;
  const made = vi.spyOn(tuners, "auto").mockImplementation((options) => {
    const tuner = auto(options);
    return Object.assign(tuner, { ask: ask.mockImplementation(tuner.ask.bind(tuner)) });
  });
  onTestFinished(() => made.mockRestore());
  const { summary } = await run(spec, { resume: true }, { ...still, ...how });
  expect(summary).toMatchObject({ reason, trials: 7, measured: 0, best: before.summary?.best });
  const [[inputs] = []] = made.mock.calls;
  expect(inputs).not.toHaveProperty("records");
  expect(inputs).not.toHaveProperty("starts");
  expect(ask).not.toHaveBeenCalled();
  made.mockClear();
  await run(spec, { resume: true }, { ...still, isOver: false, isParked: false, take: () => true });
  expect(made.mock.calls[0]?.[0]).toHaveProperty("starts");
  expect(ask).toHaveBeenCalled();
});

test("of several that begin at once each learns in a turn of the event loop of its own", async () => {
  const { folder, open } = await farmOf();
  const searches = await Promise.all(
    [0, 1, 2].map((i) => open({ budget: { trials: 1 } }, { logPath: join(folder, `${i}.jsonl`) })),
  );
  let turns = 0;
  let next = setImmediate(function count() {
    turns++;
    next = setImmediate(count);
  });
  const at: number[] = [];
  const { random } = tuners;
  const made = vi.spyOn(tuners, "random").mockImplementation((options) => {
    at.push(turns);
    return random(options);
  });
  onTestFinished(() => {
    clearImmediate(next);
    made.mockRestore();
  });
  await Promise.all(
    searches.map(async (search) => {
      for await (const _ of search.events());
      await search[Symbol.asyncDispose]();
    }),
  );
  expect(new Set(at).size).toBe(3);
});
