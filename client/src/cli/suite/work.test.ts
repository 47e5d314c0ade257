/**
 * The wall time of a suite that the farm keeps: it counts while a `suite work` searches, whichever that is, by a clock that the
 * test moves. Nothing passes while nobody does.
 */
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Clock, programVersions, randomId, systemClock } from "@warpfarm/common";
import type { BuilderFacts, KeptSuite } from "@warpfarm/proto";
import { expect, it, onTestFinished } from "vitest";
import { useFarms } from "../../../../test-support/farm/farms.ts";
import { build, runner, ScriptedWorker, target, timed } from "../../../../test-support/farm/scripted.ts";
import { plannedTask, suitePlan } from "../../../../test-support/suite-plan.ts";
import { until } from "../../../../test-support/until.ts";
import { whoIsThere } from "../../search/farm-there.ts";
import { SuiteDirectory } from "../../suite/directory.ts";
import type { PlannedTask } from "../../suite/plan.ts";
import type { CliContext } from "../context.ts";
import { detach, mirror } from "./farm-suite.ts";
import { statusJson } from "./status.ts";
import { workOnSuites } from "./work.ts";

const { farm } = useFarms();
const trials = 60;
const taskOf = (n: number, key = target): PlannedTask =>
  plannedTask(`m${n}`, "matmul_derived", {
    ...{ args: [n, n, n, "float32", "NN"], key, budget: { trials, patience: 1000 } },
    measure: { check: "none" },
  });

const facts: BuilderFacts = {
  ...{ kind: "builder", slots: 4, targets: [target], toolchains: ["scripted"], compilerVersion: "0" },
  programVersions,
};
function folder(): string {
  const made = mkdtempSync(join(tmpdir(), "warpfarm-suite-budget-"));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

/** The time that passes is real, and what the test adds to it; somebody sets the time of day on and back. */
class MovedClock implements Clock {
  #movedMs = 0;
  move(ms: number): void {
    this.#movedMs += ms;
  }
  #stepMs = 0;
  step(ms: number): void {
    this.#stepMs += ms;
  }
  now = () => systemClock.now() + this.#stepMs;
  monotonic = () => systemClock.monotonic() + this.#movedMs;
  sleep: Clock["sleep"] = (ms, options) => systemClock.sleep(ms, options);
}

type Client = ReturnType<Awaited<ReturnType<typeof farm>>["client"]>;

/** `suite work` of a process of its own. */
async function workIn(
  cwd: string,
  { tracker }: Client,
  address: string,
  { clock, signal, write = () => true }: { clock: Clock; signal: AbortSignal; write?: (text: string) => boolean },
): Promise<void> {
  const context = { cwd, clock, newId: randomId, stdout: { write }, stderr: { write }, signal };
  const there = { ...whoIsThere(await tracker.farm.listNodes()), channel: { address }, embedded: undefined, signal };
  const access = { ...there, [Symbol.asyncDispose]: async () => {} };
  await workOnSuites(context as unknown as CliContext, access, { templates: [], isOnce: false });
}

it("ends with the wall time in which it was searched; a task that nobody could begin ends with it", async () => {
  const { address, start, client, store } = await farm();
  start(new ScriptedWorker(address, facts, build));
  let allowed = 4;
  let measured = 0;
  const r = start(
    runner(address, 1, async (given) => {
      await until(() => measured < allowed, "leave to measure", 300_000);
      measured++;
      const outcome = timed(given, 1 + measured);
      return outcome.kind === "run" ? { ...outcome, result: { ...outcome.result, timestampMs: Date.now() } } : outcome;
    }),
  );
  await until(() => r.registered !== undefined, "the runner");
  const c = client();
  const base = folder();
  const plan = suitePlan({
    tasks: [taskOf(64), taskOf(48), taskOf(32, "cpu/arm64")],
    budget: { wallMs: 3_600_000 },
  });
  const to = { suites: c.tracker.suites, address, requestId: "suite" };
  const suiteId = await detach(to, new SuiteDirectory(join(base, "suite")), plan);
  const kept = (): Promise<KeptSuite> => c.tracker.suites.get(suiteId);
  const clock = new MovedClock();
  const work = () => {
    const end = new AbortController();
    const done = workIn(base, c, address, { clock, signal: end.signal });
    return async () => {
      end.abort(new Error("killed"));
      await done.catch(() => {});
    };
  };
  const first = work();
  await until(() => measured === 4, "the first results");
  await until(async () => (await kept()).tasks.some(({ logBytes }) => logBytes > 0), "the first report");
  await first();
  const expired = () => store.query("update suite_tasks set claimed_until = now() where ended = ''");

  const directory = new SuiteDirectory(join(base, "suite"));
  const wallSeconds = async () => {
    await mirror(c.tracker.suites, directory, suiteId, new AbortController().signal);
    return (await statusJson(directory)).wall_seconds;
  };

  // Ten hours in which nobody searches cost nothing: the next worker measures more, for half an hour.
  clock.move(36_000_000);
  await expired();
  const second = work();
  clock.step(36_000_000);
  allowed = 6;
  await until(() => measured === 6, "its first results");
  clock.move(1_800_000);
  allowed = 12;
  await until(() => measured === 12, "more results");
  await until(async () => (await wallSeconds()) >= 1_800, "the report of half an hour");
  await second();

  // Another half an hour in which it searches ends the suite.
  await expired();
  const third = work();
  clock.step(-72_000_000);
  allowed = 16;
  await until(() => measured === 16, "results of the third");
  clock.move(1_800_000);
  await until(async () => {
    allowed++;
    return (await kept()).endedCount === 3;
  }, "the end of the suite");
  await third();
  const { tasks } = await kept();
  expect(tasks.map(({ ended }) => ended)).toEqual(["budget", "budget", "budget"]);
  // What was outstanding when it ended, and no more.
  expect(measured).toBeLessThan(trials);
  const wall = await wallSeconds();
  expect(wall).toBeGreaterThanOrEqual(3_600);
  expect(wall).toBeLessThan(3_600 + 1_800);
});

it("leaves no folder behind when it is stopped as soon as it has claimed tasks", async () => {
  const { address, client } = await farm();
  const c = client();
  const base = folder();
  const to = { suites: c.tracker.suites, address, requestId: "suite" };
  const plan = suitePlan({ tasks: [taskOf(64)], budget: { wallMs: 3_600_000 } });
  await detach(to, new SuiteDirectory(join(base, "suite")), plan);
  const end = new AbortController();
  const write = (text: string) => {
    if (text.startsWith("claimed")) end.abort(new Error("stopped"));
    return true;
  };
  const { TMPDIR } = process.env;
  process.env.TMPDIR = folder();
  onTestFinished(() => {
    if (TMPDIR === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = TMPDIR;
  });
  await expect(workIn(base, c, address, { clock: systemClock, signal: end.signal, write })).rejects.toThrow("stopped");
  expect(readdirSync(process.env.TMPDIR)).toEqual([]);
});
