/** A suite's search on a farm that builds ahead: what is named for it, in which session, and what the log keeps of it. */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type SessionId, systemClock } from "@warpfarm/common";
import { type AheadState, encodeManifest } from "@warpfarm/proto";
import { afterEach, expect, it } from "vitest";
import { suitePlan } from "../../../../test-support/suite-plan.ts";
import { FakeTracker } from "../../measure/fake-tracker.testing.ts";
import { timedResult } from "../../measure/scripted.testing.ts";
import { SuiteDirectory } from "../../suite/directory.ts";
import type { SuitePace } from "../../suite/entry.ts";
import type { PlannedTask, SuitePlan } from "../../suite/plan.ts";
import { FarmRecords } from "../tuning/farm-records.ts";
import { defaultBuildAhead } from "../tuning/tune-defaults.ts";
import { searchesIn } from "./search-task.ts";
import { Sources } from "./sources.ts";

const undo: (() => PromiseLike<unknown>)[] = [];
afterEach(async () => {
  for (const each of undo.splice(0).reverse()) await each();
});

const key = "cuda/sm_90";
const task: PlannedTask = {
  ...{ id: "a", task: "matmul_simt", args: [64, 64, 64, "NN"], key, target: key, weight: 1, trials: 24, patience: 1000 },
};
const planOf = (more: Partial<SuitePlan>): SuitePlan =>
  suitePlan({ name: "s", tasks: [task], tuner: "auto", seed: 1, transfer: "none", ...more });
const manifest = encodeManifest({
  ...{ version: 1, program: `sha256:${"1".repeat(64)}` as never, target: key, format: "cubin" },
  code: `sha256:${"0".repeat(64)}` as never,
  kernels: [{ name: "k", grid: [1, 1, 1], block: [32, 1, 1], dynamic_shared_bytes: 0, cluster: [1, 1, 1], args: [] }],
  ...{ buffers: [], toolchain: "scripted", notes: [] },
  resources: { registers: 40, spill_bytes: 0, static_shared_bytes: 0 },
}).bytes;
const freely: SuitePace = {
  ...{ take: () => true, giveBack: () => {}, gave: () => {}, isOver: false, isParked: false },
  changed: () => new Promise(() => {}),
};

/** Runs the one task of the plan; with the sessions that wanted builds ahead, how many programs each call named, and the log. */
async function searched(plan: SuitePlan) {
  const dir = await mkdtemp(join(tmpdir(), "warpfarm-search-"));
  undo.push(() => rm(dir, { recursive: true }));
  const named: (readonly [SessionId, number])[] = [];
  let results = 0;
  const tracker = new FakeTracker({
    execute: (_text, digest) => {
      results++;
      return timedResult(1 + (Number.parseInt(digest.slice(-4), 16) % 100));
    },
    ahead: (session, programs) => {
      named.push([session, programs.length]);
      return programs.map((): AheadState => ({ kind: "built", manifest }));
    },
  });
  const connection = await tracker.start();
  undo.push(
    () => tracker[Symbol.asyncDispose](),
    () => connection[Symbol.asyncDispose](),
  );
  const none = { query: async () => ({ records: [] }) };
  const fleet = { now: { devices: [], builders: [], keys: [key], targets: [key] }, devicesOf: () => 0, capacity: () => 8 };
  const directory = new SuiteDirectory(join(dir, "suite"));
  await directory.create(plan);
  const open = searchesIn(directory, new Sources(dir), {
    ...{ plan, clock: systemClock, session: "test", onLost: () => {} },
    tracker: { ...connection, records: none } as never,
    records: new FarmRecords(none, systemClock, () => {}),
    fleet: fleet as never,
  });
  const search = await open(task, new AbortController().signal);
  let ended = "";
  for await (const event of search.events(freely)) if (event.kind === "finished") ended = event.summary.reason;
  await search[Symbol.asyncDispose]();
  expect([ended, results > task.trials / 2]).toEqual(["trials", true]);
  return { named, sessions: tracker.sessions, log: await readFile(directory.logOf(task.id), "utf8") };
}

/** Notes of what compilers said, each of registers. */
const lessonsIn = (log: string): number => log.split("\n").filter((line) => /^# warpfarm .*"facts".*\[40,/.test(line)).length;

it("has configs built ahead in its session, and the log says what was learnt", async () => {
  const { named, sessions, log } = await searched(planOf({ buildAhead: defaultBuildAhead }));
  expect(sessions).toBe(1);
  expect(new Set(named.map(([session]) => session))).toEqual(new Set(["s-1"]));
  expect(Math.max(...named.map(([, count]) => count))).toBeGreaterThan(1);
  expect(lessonsIn(log)).toBeGreaterThan(0);
});

it("xgb has configs built ahead too", async () => {
  const { named, log } = await searched(planOf({ buildAhead: defaultBuildAhead, tuner: "xgb" }));
  expect(named.length).toBeGreaterThan(0);
  expect(lessonsIn(log)).toBeGreaterThan(0);
});

it.each([
  ["build_ahead: 0", { buildAhead: 0 }],
  ["a plan of before", {}],
  ["a tuner without a use for it", { buildAhead: 8, tuner: "random" }],
])("%s: nothing is built ahead", async (_, more) => {
  const { named, log } = await searched(planOf(more));
  expect(named).toEqual([]);
  expect(lessonsIn(log)).toBe(0);
});
