/** Sessions that take what others measured, over real loopback gRPC: once per program, reference, selector and options. */
import { type MeasureOptions, type MeasureResult, measureErrorNo } from "@warpfarm/common";
import { describe, expect, it } from "vitest";
import { useFarms } from "../../test-support/farm/farms.ts";
import { builder, cpu, programOf, runner, timed, timedResult } from "../../test-support/farm/scripted.ts";
import type { ScriptedClient } from "../../test-support/farm/scripted-client.ts";
import { until } from "../../test-support/until.ts";

const { farm } = useFarms();

describe("reuse", () => {
  it("measures once what is in flight, and gives to those who come later what is there", async () => {
    const { address, start, measuring } = await farm();
    const b = start(builder(address));
    const r = start(runner(address, 1, () => "keep"));
    const c = await measuring(1, {}, { reuse: true });
    await until(() => r.jobs.length === 1, "the measurement to run");
    const second = await measuring(1, {}, { reuse: true });
    second.send(2, programOf("p1")); // and once more in one session
    await until(() => second.acceptedThrough === 2, "acceptance");
    const alone = await measuring(1);
    await until(() => alone.acceptedThrough === 1, "acceptance");
    r.measured(0, 7);
    await until(() => c.results.size === 1 && second.results.size === 2, "the results");
    const later = await measuring(1, {}, { reuse: true });
    await until(() => later.results.size === 1, "the result that was there");
    for (const result of [c.results.get(1), second.results.get(1), second.results.get(2), later.results.get(1)])
      expect(result).toMatchObject({ kind: "timed", costs: [7] });
    // Who does not allow it is measured for itself.
    await until(() => r.jobs.length === 2, "the other measurement");
    expect([b.jobs.length, alone.results.size]).toEqual([1, 0]);
    for (const s of [c, second, later]) await s.finish();
    expect([c.deliveries, second.deliveries.toSorted(), later.deliveries]).toEqual([[1], [1, 2], [1]]);
  });

  it("is of equal options, selectors and references only", async () => {
    const { address, start, measuring } = await farm();
    start(builder(address));
    const r = start(runner(address, 1));
    const sessions = [
      await measuring(1, {}, { reuse: true }),
      await measuring(1, { repeat: 7 }, { reuse: true }),
      await measuring(1, {}, { reuse: true, selector: "cpu/x86-64-v2+" }),
    ];
    for (const name of ["r1", "r2", "r2"]) {
      const c = await measuring(0, { check: "reference" }, { reuse: true });
      c.send(1, programOf("p1"), programOf(name));
      sessions.push(c);
    }
    for (const c of sessions) await c.finish();
    for (const c of sessions) expect(c.results.get(1)).toMatchObject({ kind: "timed" });
    expect(r.jobs).toHaveLength(5);
  });

  it("of a judged time without an audit is for nobody else", async () => {
    const { address, start, measuring } = await farm();
    start(builder(address));
    const device = cpu(1);
    const [commitment, secret] = ["ab".repeat(32), "cd".repeat(32)];
    const r = start(
      runner(address, 1, ({ job }) => {
        if (job.kind !== "run") throw new Error("not a run");
        const audit = r.jobs.length < 2 ? {} : { audit: { sets: 3, secret, scored: [1] } };
        const result = { ...timedResult(r.jobs.length, device, job.artifact), judged: { sets: 3, commitment, ...audit } };
        return { kind: "run", result: result as MeasureResult };
      }),
    );
    const costs: unknown[] = [];
    for (let i = 0; i < 3; i++) {
      const c = await measuring(0, { judged: true, check: "reference" }, { reuse: true });
      c.send(1, programOf("p1"), programOf("r1"));
      await until(() => c.results.size === 1, "the result");
      costs.push((c.results.get(1) as { readonly costs?: unknown }).costs);
    }
    expect(costs).toEqual([[1], [2], [2]]);
  });

  it("of one that ended early is for those who would have ended it too", async () => {
    const { address, start, measuring } = await farm();
    start(builder(address));
    const device = cpu(1);
    const r = start(
      runner(address, 1, ({ job }) => {
        if (job.kind !== "run") throw new Error("not a run");
        const ended = timedResult(r.jobs.length, device, job.artifact);
        if (ended.kind !== "timed" || job.incumbentMs === undefined) return { kind: "run", result: ended };
        return { kind: "run", result: { ...ended, kind: "slower", atLeast: 2 } };
      }),
    );
    const asked = async (best: number | undefined, options: Partial<MeasureOptions> = { incumbent: "best" }, of = device) => {
      const c = await measuring(0, options, { reuse: true });
      if (best !== undefined) c.races(of, best);
      c.send(1, programOf("p1"));
      await until(() => c.results.size === 1, "the result");
      return { jobs: r.jobs.length, result: c.results.get(1) };
    };
    const early = { kind: "slower", atLeast: 2, costs: [1] };
    expect(await asked(1)).toMatchObject({ jobs: 1, result: early });
    // 1.1 times this is below 2, and of the next one it is not.
    expect(await asked(1.81)).toMatchObject({ jobs: 1, result: early });
    expect(await asked(undefined, { incumbent: 1.81 })).toMatchObject({ jobs: 1, result: early });
    expect(await asked(1.82)).toMatchObject({ jobs: 2, result: { ...early, costs: [2] } });
    expect(await asked(1, undefined, { ...device, name: "another kind" })).toMatchObject({ jobs: 3, result: { kind: "timed" } });
    // Once there is a time, it is for all.
    for (const best of [1, 1.82, undefined]) expect(await asked(best)).toMatchObject({ jobs: 3, result: { costs: [3] } });
    expect(await asked(undefined, {})).toMatchObject({ jobs: 3, result: { kind: "timed", costs: [3] } });
  });

  it("of one that ended early is not for who waits for it, and the next of them is measured", async () => {
    const { address, start, measuring } = await farm();
    start(builder(address));
    const r = start(runner(address, 1, () => "keep"));
    const sessions: ScriptedClient[] = [];
    for (const best of [1, 1.9]) {
      const c = await measuring(0, { incumbent: "best" }, { reuse: true });
      c.races(cpu(1), best);
      c.send(1, programOf("p1"));
      await until(() => c.acceptedThrough === 1, "acceptance");
      sessions.push(c);
    }
    await until(() => r.jobs.length === 1, "the first measurement");
    const finish = (n: number, more: object) => {
      const [job] = r.jobs.slice(n - 1);
      if (job?.job.kind !== "run") throw new Error("no run");
      const result = { ...timedResult(n, cpu(1), job.job.artifact), ...more } as MeasureResult;
      r.finish(job, { kind: "run", result });
    };
    finish(1, { kind: "slower", atLeast: 2 });
    await until(() => r.jobs.length === 2, "the second measurement");
    finish(2, {});
    await until(() => sessions.every((c) => c.results.size === 1), "both results");
    expect(sessions.map((c) => c.results.get(1)?.kind)).toEqual(["slower", "timed"]);
  });

  it("goes to the next who waits when the first is gone, and when the farm gave the first up", async () => {
    const { address, start, measuring } = await farm({ policy: { maxFaults: 1 } });
    start(builder(address));
    let faults = 1;
    const r = start(
      runner(address, 1, (given) => {
        if (r.jobs.length === 1) return "keep";
        if (faults-- > 0) return { kind: "fault", message: "no", suspect: false };
        return timed(given, 3);
      }),
    );
    const first = await measuring(1, {}, { reuse: true });
    await until(() => r.jobs.length === 1, "the measurement to run");
    const others = [await measuring(1, {}, { reuse: true }), await measuring(1, {}, { reuse: true })];
    await until(() => others.every((c) => c.acceptedThrough === 1), "acceptance");
    await first.tracker.farm.closeSession(first.session as NonNullable<typeof first.session>);
    await until(() => others.every((c) => c.results.size === 1), "both results");
    expect(others.map((c) => c.results.get(1)?.kind).toSorted()).toEqual(["failed", "timed"]);
    expect(r.jobs).toHaveLength(3);
  });

  it.each([
    ["a program's failure, once", measureErrorNo.RUNTIME_DEVICE, 1],
    ["a failure that says nothing of the program, each time", measureErrorNo.UNKNOWN_ERROR, 2],
  ])("measures %s", async (_what, errorNo, jobs) => {
    const { address, start, measuring } = await farm();
    start(builder(address));
    const failed = { kind: "failed" as const, errorNo, message: "no", buildMs: 1, runMs: 1, attempt: 1, device: cpu(1) };
    const result = () => ({ ...failed, toolchain: "scripted", timestampMs: Date.now() });
    const r = start(runner(address, 1, () => ({ kind: "run", result: result() })));
    for (let i = 0; i < 2; i++) {
      const c = await measuring(1, {}, { reuse: true });
      await until(() => c.results.size === 1, "the result");
      expect(c.results.get(1)).toMatchObject({ errorNo, message: "no" });
    }
    expect(r.jobs).toHaveLength(jobs);
  });

  it("goes on when the first is gone before anything was built", async () => {
    const { address, start, measuring } = await farm();
    const first = await measuring(1, {}, { reuse: true });
    await until(() => first.acceptedThrough === 1, "acceptance");
    const second = await measuring(1, {}, { reuse: true });
    await until(() => second.acceptedThrough === 1, "acceptance");
    await first.tracker.farm.closeSession(first.session as NonNullable<typeof first.session>);
    const b = start(builder(address));
    start(runner(address, 1));
    await until(() => second.results.size === 1, "the result");
    expect(b.jobs).toHaveLength(1);
  });

  it("of a program that cannot be built is its builder's words, for all", async () => {
    const { address, start, measuring } = await farm();
    const words = {
      kind: "failed",
      errorNo: 3,
      message: "cc said no",
      buildMs: 3,
      runMs: 0,
      timestampMs: 1,
      attempt: 1,
    } as const;
    let go = () => {};
    const bothWait = new Promise<void>((resolve) => {
      go = resolve;
    });
    const b = start(
      builder(address, async () => {
        await bothWait;
        return { kind: "build_failed", result: words, buildMs: 3, cached: false };
      }),
    );
    const sessions = [await measuring(1, {}, { reuse: true }), await measuring(1, {}, { reuse: true })];
    await until(() => sessions.every((c) => c.acceptedThrough === 1), "both to be accepted");
    go();
    await until(() => sessions.every((c) => c.results.size === 1), "both verdicts");
    for (const c of sessions) expect(c.results.get(1)).toMatchObject({ errorNo: 3, message: "cc said no" });
    expect(b.jobs).toHaveLength(1);
  });
});
