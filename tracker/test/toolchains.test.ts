/** A failure is one of its toolchain: it is given back while every builder of the target has that toolchain, and for a week. */
import { type FailedResult, systemClock } from "@warpfarm/common";
import { describe, expect, it } from "vitest";
import { useFarms } from "../../test-support/farm/farms.ts";
import {
  type Answer,
  build,
  cpu,
  programOf,
  runner,
  ScriptedWorker,
  target,
  timedResult,
} from "../../test-support/farm/scripted.ts";
import type { ScriptedClient } from "../../test-support/farm/scripted-client.ts";
import type { Told } from "../../test-support/farm/told.ts";
import { until } from "../../test-support/until.ts";
import { runFailuresStand } from "../src/store/sql/verdicts.ts";

const { farm } = useFarms();
const gcc12 = ["gcc 12.2.0", "nvrtc 13.0"];
const gcc13 = ["gcc 13.1.0", "nvrtc 13.0"];

const failure = (change: Partial<FailedResult>): FailedResult => ({
  ...{ kind: "failed", errorNo: 3, message: "no", buildMs: 3, runMs: 0, timestampMs: 1_750_000_000_000, attempt: 1 },
  ...change,
});
const refuses =
  (toolchain: string | undefined): Answer =>
  () => {
    const result = failure(toolchain === undefined ? {} : { toolchain });
    return { kind: "build_failed", result, buildMs: 3, cached: false };
  };
/** Takes nothing: it is only there. */
const idle: Answer = () => "keep";

function builderWith(
  address: string,
  toolchains: readonly string[],
  answer: Answer,
  { compilerVersion = "0", targets = [target], slots = 4 } = {},
) {
  return new ScriptedWorker(
    address,
    { kind: "builder", slots, targets, toolchains, compilerVersion, programVersions: [1] },
    answer,
  );
}

/** Opens a session, sends p1, and resolves with its result. */
async function resultFor(
  measuring: (n: number, ...s: Parameters<ScriptedClient["open"]>) => Promise<ScriptedClient>,
  reuse = false,
) {
  const c = await measuring(1, {}, reuse ? { reuse } : {});
  await until(() => c.results.size === 1, "the result");
  return c.results.get(1);
}

describe("a failed build", () => {
  it("is not tried again while all builders of its target have its toolchain", async () => {
    const { address, start, measuring, store } = await farm();
    const b = start(builderWith(address, gcc12, refuses("gcc 12.2.0")));
    expect(await resultFor(measuring)).toMatchObject({ errorNo: 3, toolchain: "gcc 12.2.0" });
    expect(await resultFor(measuring)).toMatchObject({ errorNo: 3, toolchain: "gcc 12.2.0" });
    // One for other targets has nothing to say.
    const other = start(builderWith(address, gcc13, idle, { targets: ["cpu/arm64"] }));
    await until(() => other.registered !== undefined, "its registration");
    await resultFor(measuring);
    expect(b.jobs).toHaveLength(1);
    const newer = start(builderWith(address, gcc13, refuses("gcc 13.1.0")));
    await until(() => newer.registered !== undefined, "its registration");
    await resultFor(measuring);
    expect(b.jobs.length + newer.jobs.length).toBe(2);
    // The older one is gone: the verdict of the newer one counts, the other's does not.
    await store.query("update workers set lost = true where worker_id = $1", [b.registered?.workerId ?? ""]);
    await store.query("update builds set toolchain = 'gcc 12.2.0'");
    expect(await resultFor(measuring)).toMatchObject({ toolchain: "gcc 13.1.0" });
    expect(await resultFor(measuring)).toMatchObject({ toolchain: "gcc 13.1.0" });
    expect(b.jobs.length + newer.jobs.length).toBe(3);
  });

  it("is tried again after a week, and when nobody builds for the target meanwhile", async () => {
    const { address, start, measuring, store } = await farm();
    const b = start(builderWith(address, gcc12, refuses("gcc 12.2.0")));
    await resultFor(measuring);
    const ago = (span: string) => store.query(`update builds set finished_at = now() - interval '${span}'`);
    await ago("6 days 23 hours");
    await resultFor(measuring);
    expect(b.jobs).toHaveLength(1);
    await ago("7 days");
    await resultFor(measuring);
    expect(b.jobs).toHaveLength(2);
    await store.query("update workers set lost = true");
    const c = await measuring(1);
    await until(() => c.acceptedThrough === 1, "acceptance");
    expect(c.results.size).toBe(0);
  });

  it.each([
    ["that names no toolchain, as older builders", undefined],
    ["whose builder did not register the toolchain", "gcc 99"],
  ])("%s is tried again", async (_what, named) => {
    const { address, start, measuring } = await farm();
    const b = start(builderWith(address, gcc12, refuses(named)));
    expect(await resultFor(measuring)).not.toHaveProperty("toolchain");
    await resultFor(measuring);
    expect(b.jobs).toHaveLength(2);
  });

  it("of the lowering is one of Warpfarm's compiler, and of a client's cubin of nobody's", async () => {
    const { address, start, measuring } = await farm();
    const b = start(builderWith(address, gcc12, refuses("warpfarm 1+ab"), { compilerVersion: "1+ab" }));
    await resultFor(measuring);
    await resultFor(measuring);
    expect(b.jobs).toHaveLength(1);
    const other = start(builderWith(address, gcc12, refuses("none: the client's cubin"), { compilerVersion: "2+cd" }));
    await until(() => other.registered !== undefined, "its registration");
    b.trouble = "away"; // the next build is the other's
    await until(async () => (await nodeOf(measuring, b)) === "SUSPECT", "the trouble");
    expect(await resultFor(measuring)).toMatchObject({ toolchain: "none: the client's cubin" });
    expect(await resultFor(measuring)).toMatchObject({ toolchain: "none: the client's cubin" });
    expect([b.jobs.length, other.jobs.length]).toEqual([1, 1]);
  });
});

it("a failure of text that Warpfarm wrote is tried again by another version of Warpfarm", async () => {
  const { address, start, measuring, store } = await farm();
  const said = "gcc 12.2.0 on text of warpfarm 1+ab";
  const b = start(builderWith(address, gcc12, refuses(said), { compilerVersion: "1+ab" }));
  expect(await resultFor(measuring)).toMatchObject({ toolchain: said });
  expect(await resultFor(measuring)).toMatchObject({ toolchain: said });
  expect(b.jobs).toHaveLength(1);
  await store.query("update workers set lost = true where worker_id = $1", [b.registered?.workerId ?? ""]);
  const mended = start(builderWith(address, gcc12, refuses("gcc 12.2.0 on text of warpfarm 2+cd"), { compilerVersion: "2+cd" }));
  await until(() => mended.registered !== undefined, "its registration");
  expect(await resultFor(measuring)).toMatchObject({ toolchain: "gcc 12.2.0 on text of warpfarm 2+cd" });
  expect(b.jobs.length + mended.jobs.length).toBe(2);
});

async function nodeOf(measuring: (n: number) => Promise<ScriptedClient>, worker: ScriptedWorker) {
  const c = await measuring(0);
  const { nodes } = await c.tracker.farm.listNodes();
  return nodes.find(({ workerId }) => workerId === worker.registered?.workerId)?.state;
}

describe("a failed run of another session", () => {
  const facts = cpu(1);
  const crashes =
    (toolchain: string | undefined): Answer =>
    () => ({
      kind: "run",
      result: failure({ errorNo: 4, device: facts, ...(toolchain === undefined ? {} : { toolchain }) }),
    });

  it("is given while all builders have the toolchain of its code, all devices its driver, and for a week", async () => {
    const { address, start, measuring, store } = await farm();
    start(builderWith(address, gcc12, build));
    const r = start(runner(address, 1, crashes("gcc 12.2.0")));
    for (let i = 0; i < 2; i++) expect(await resultFor(measuring, true)).toMatchObject({ errorNo: 4, toolchain: "gcc 12.2.0" });
    expect(r.jobs).toHaveLength(1);
    const set = (what: string) => store.query(`update workers set facts = ${what}`);
    const driver = (value: string) => set(`jsonb_set(facts, '{devices,0,facts,driver}', '"${value}"', false)`);
    await driver("another");
    await resultFor(measuring, true);
    expect(r.jobs).toHaveLength(2);
    await driver(facts.driver);
    await resultFor(measuring, true);
    expect(r.jobs).toHaveLength(2);
    const newer = start(builderWith(address, gcc13, idle));
    await until(() => newer.registered !== undefined, "its registration");
    const now = systemClock.now();
    const aged = (ms: number) => {
      const result = failure({ errorNo: 4, device: facts, toolchain: "nvrtc 13.0", timestampMs: now - ms });
      return { result, target, selector: target };
    };
    const week = 7 * 24 * 3_600_000;
    expect(await runFailuresStand(store, [aged(0), aged(week - 1), aged(week)], now)).toEqual([true, true, false]);
    await resultFor(measuring, true);
    expect(r.jobs).toHaveLength(3);
  });

  it("that names no toolchain, as older runners, is measured again", async () => {
    const { address, start, measuring } = await farm();
    start(builderWith(address, gcc12, build));
    const r = start(runner(address, 1, crashes(undefined)));
    await resultFor(measuring, true);
    await resultFor(measuring, true);
    expect(r.jobs).toHaveLength(2);
  });
});

const provenance: Told = { task: "matmul", args: [1] };

it("records name the toolchain of what was built, what was not, and what failed; nodes those of their builders", async () => {
  const { address, start, client } = await farm();
  const built = builderWith(address, ["scripted", "gcc 12.2.0"], (assignment, worker) => {
    if (assignment.job.kind === "build" && assignment.job.program.digest === programOf("p2").digest)
      return refuses("gcc 12.2.0")(assignment, worker);
    return build(assignment, worker);
  });
  start(built);
  const r = start(
    runner(address, 1, ({ job }) => {
      if (job.kind !== "run") throw new Error("not a run");
      const result = timedResult(1, cpu(1), job.artifact);
      return {
        kind: "run",
        result: r.jobs.length === 1 ? result : failure({ errorNo: 5, device: cpu(1), toolchain: "scripted" }),
      };
    }),
  );
  const c = client();
  await c.open({}, { provenance });
  c.stream();
  c.send(1, programOf("p1"));
  await until(() => c.results.size === 1, "a time");
  c.send(2, programOf("p2"));
  c.send(3, programOf("p3"));
  await until(() => c.results.size === 3, "the failures");
  const { nodes } = await c.tracker.farm.listNodes();
  expect(nodes.find(({ role }) => role === "builder")?.toolchains).toEqual([
    "scripted",
    "gcc 12.2.0",
    "scripted on text of warpfarm 0",
    "gcc 12.2.0 on text of warpfarm 0",
    "warpfarm 0",
    "none: the client's cubin",
  ]);
  await until(async () => (await c.tracker.records.query({})).records.length === 3, "the records");
  const { records } = await c.tracker.records.query({});
  const named = new Map(records.map(({ program, toolchain }) => [program as string, toolchain]));
  expect([1, 2, 3].map((i) => named.get(programOf(`p${i}`).digest))).toEqual(["scripted", "gcc 12.2.0", "scripted"]);
});
