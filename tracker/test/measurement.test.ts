/** A measurement through the tracker, over real loopback gRPC, with scripted builders, runners and clients. */
import { defaultMeasureOptions, isTaskFault, type MeasureResult, systemClock } from "@warpfarm/common";
import { describe, expect, it } from "vitest";
import { codeOf, stoppable, useFarms } from "../../test-support/farm/farms.ts";
import { type Answer, build, builder, builtFor, programOf, runner, target } from "../../test-support/farm/scripted.ts";
import { until } from "../../test-support/until.ts";

const { farm } = useFarms();

describe("a measurement", () => {
  it("is built, run and delivered; equal programs are built once; the reference is built and named", async () => {
    const { address, start, measuring } = await farm();
    const b = start(builder(address));
    const r = start(runner(address, 1));
    const c = await measuring(0, { check: "reference" });
    const reference = programOf("reference");
    for (let i = 1; i <= 20; i++) c.send(i, programOf(`p${i % 4}`), reference);
    await c.finish();
    expect(c.error).toBeUndefined();
    expect([...c.results.keys()].sort((x, y) => x - y)).toEqual(Array.from({ length: 20 }, (_, i) => i + 1));
    expect(c.deliveries).toHaveLength(20);
    expect(b.jobs).toHaveLength(5); // four programs and the reference
    expect(r.jobs).toHaveLength(20);
    const references = new Set(r.jobs.map((a) => a.job.kind === "run" && a.job.reference));
    expect(references.size).toBe(1);
    for (const result of c.results.values()) expect(result).toMatchObject({ kind: "timed", costs: [1], buildMs: 5, attempt: 1 });
    await until(() => r.acknowledged.length === 20, "every outcome to be acknowledged");
  });

  it("reaches an idle worker at once: no polling interval in the way", async () => {
    const { options, stop } = stoppable();
    const { address, start, measuring } = await farm(options);
    const b = start(builder(address));
    const r = start(runner(address, 1));
    const c = await measuring(0);
    c.send(1, programOf("p1"));
    await until(() => c.results.size === 1, "the first result");
    stop();
    for (let i = 2; i <= 11; i++) {
      c.send(i, programOf(`p${i}`));
      await until(() => c.results.has(i), `result ${i}`);
    }
    expect([b.jobs.length, r.jobs.length]).toEqual([11, 11]);
    // No call went on by its deadline.
    expect([...b.errors, ...r.errors]).toEqual([]);
  });

  it("counts though the store's clock was set back while its device ran", async () => {
    const { address, start, measuring, store } = await farm();
    start(builder(address));
    const r = start(runner(address, 1, () => "keep"));
    const c = await measuring(0);
    c.send(1, programOf("p1"));
    await until(() => r.jobs.length === 1, "the run in the runner's hands");
    await store.query("update leases set granted_at = now() + interval '1 hour'");
    r.measured(0);
    await c.finish();
    expect(c.results.get(1)).toMatchObject({ kind: "timed", costs: [1] });
    expect(r.errors).toEqual([]);
  });

  it("that cannot be built is told with the builder's words; one whose reference cannot be built is not blamed", async () => {
    const { address, start, measuring } = await farm();
    const bad = programOf("bad");
    start(
      builder(address, (assignment, worker) => {
        if (assignment.job.kind !== "build" || assignment.job.program.digest !== bad.digest) return build(assignment, worker);
        const result = {
          kind: "failed",
          errorNo: 3,
          message: "cc said no",
          log: "line 7",
          toolchain: "scripted",
          buildMs: 3,
          runMs: 0,
          timestampMs: 1,
          attempt: 1,
        } as const;
        return { kind: "build_failed", result, buildMs: 3, cached: false };
      }),
    );
    start(runner(address, 1));
    const c = await measuring(0, { check: "reference" });
    c.send(1, bad, programOf("reference"));
    c.send(2, programOf("good"), bad);
    c.send(3, programOf("good"), programOf("reference"));
    await until(() => c.results.size === 3, "three results");
    expect(c.results.get(1)).toMatchObject({ kind: "failed", errorNo: 3, message: "cc said no", log: "line 7" });
    expect(c.results.get(2)).toMatchObject({ kind: "failed", errorNo: 8, rule: "reference.build", log: "line 7" });
    expect(c.results.get(3)).toMatchObject({ kind: "timed" });
    expect(isTaskFault(c.results.get(2) as MeasureResult)).toBe(true);
    // Known to fail: it is answered at once, without a builder.
    c.send(4, bad, programOf("reference"));
    await until(() => c.results.has(4), "the fourth");
    expect(c.results.get(4)).toMatchObject({ errorNo: 3 });
    await c.finish();
  });

  it("whose build ran out of a shorter session's time is built again with that of a longer one", async () => {
    const { address, start, measuring } = await farm();
    const asked: number[] = [];
    let release = () => {};
    const held = new Promise<void>((r) => {
      release = r;
    });
    const slow: Answer = async (a, t) => {
      if (a.job.kind !== "build") throw new Error();
      asked.push(a.job.timeoutMs);
      if (asked.length === 1) await held;
      if (a.job.timeoutMs >= 5_000) return build(a, t);
      return {
        kind: "build_failed",
        buildMs: a.job.timeoutMs,
        cached: false,
        result: {
          kind: "failed",
          errorNo: 6,
          rule: "build_timeout",
          message: "late",
          buildMs: a.job.timeoutMs,
          runMs: 0,
          timestampMs: systemClock.now(),
          attempt: 1,
        },
      };
    };
    start(builder(address, slow, 1));
    start(runner(address, 1));
    const a = await measuring(1, { buildTimeoutMs: 1_000 });
    await until(() => asked.length === 1, "the build");
    const b = await measuring(1, { buildTimeoutMs: 5_000 });
    await until(() => b.acceptedThrough === 1, "acceptance");
    release();
    await b.finish();
    expect([asked, b.results.get(1)?.kind]).toEqual([[1_000, 5_000], "timed"]);
    await a.finish();
    expect(a.results.get(1)?.kind).toBe("timed");
  });

  it("goes to devices the selector names, by key, label and memory", async () => {
    const { address, start, client, measuring } = await farm();
    start(builder(address));
    const v3 = start(runner(address, 1));
    const v4 = start(runner(address, 2, undefined, { key: "cpu/x86-64-v4", labels: { zone: "a" } }));
    const b = start(runner(address, 3, undefined, { key: "cpu/x86-64-v4", labels: { zone: "b" } }));
    const large = start(runner(address, 4, undefined, { labels: { zone: "c" }, memoryBytes: 40.5e9 }));
    await until(() => [v3, v4, b, large].every((w) => w.registered), "registration");
    const c = await measuring(6, {}, { selector: "cpu/x86-64-v2+,zone=b" });
    await c.finish();
    const took = () => [v3, v4, b, large].map((w) => w.jobs.length);
    expect(took()).toEqual([0, 0, 6, 0]);
    await (await measuring(4, {}, { selector: "cpu/*,memory>=40GB" })).finish();
    expect(took()).toEqual([0, 0, 6, 4]);
    const ambiguous = await codeOf(client().open({}, { selector: "cpu" }));
    expect(ambiguous.code).toBe("FAILED_PRECONDITION");
    expect(ambiguous.message).toContain("cpu/x86-64-v3, cpu/x86-64-v4");
    const none = await codeOf(client().open(defaultMeasureOptions("cuda"), { selector: "cuda" }));
    expect(none).toMatchObject({ code: "FAILED_PRECONDITION", message: "selector cuda: no cuda device is registered" });
  });

  it("of code for sm_90a goes to devices of 9.0 alone, which also run sm_90's", async () => {
    const { address, start, measuring } = await farm();
    for (const target of ["cuda/sm_90", "cuda/sm_90a"]) start(builder(address, builtFor(target), 4, undefined, [target]));
    const later = start(runner(address, 1, undefined, { key: "cuda/sm_100" }));
    const hopper = start(runner(address, 2, undefined, { key: "cuda/sm_90" }));
    await until(() => later.registered !== undefined && hopper.registered !== undefined, "registration");
    const options = { ...defaultMeasureOptions("cuda"), check: "none" } as const;
    const c = await measuring(0, options, { selector: "cuda/sm_80+" });
    for (let i = 1; i <= 6; i++) c.send(i, programOf(`p${i}`, i % 2 === 0 ? "cuda/sm_90" : "cuda/sm_90a"));
    await c.finish();
    expect([...c.results.values()].map(({ kind }) => kind)).toEqual(Array(6).fill("timed"));
    expect([later.jobs.length, hopper.jobs.length]).toEqual([0, 6]);
    // No device of the selector could ever run it.
    const never = await measuring(0, options, { selector: "cuda/sm_100+" });
    never.send(1, programOf("q", "cuda/sm_90a"));
    await until(() => never.error !== undefined, "a refusal");
    expect(never.error?.message).toContain("target cuda/sm_90a does not run on the session's cuda/sm_100+");
  });

  it("`cpu` alone is the one key present", async () => {
    const { address, start, client } = await farm();
    const r = start(runner(address, 1));
    await until(() => r.registered !== undefined, "registration");
    expect((await client().open({}, { selector: "cpu" })).selector).toBe(target);
  });
});
