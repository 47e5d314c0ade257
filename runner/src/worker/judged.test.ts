/** Kernels that want to look faster than they are, as real C on the CPU device, measured plainly and judged. */
import { defaultMeasureOptions, type ManifestBuffer, type MeasureOptions, systemClock } from "@warpfarm/common";
import { afterAll, describe, expect, it } from "vitest";
import { KernelFolder, tensor } from "../../../test-support/kernels.ts";
import { CpuDevice } from "../device/cpu/cpu-device.ts";
import { commitmentTo } from "../measure/draws.ts";
import { carryOut } from "./measure-job.ts";
import type { ChildAnswer, LocalArtifact } from "./messages.ts";
import { Workloads } from "./workloads.ts";

const folder = new KernelFolder();
afterAll(() => folder[Symbol.dispose]());

const count = 2048;
const io = [tensor("x", "in", "float32", [count]), tensor("y", "out", "float32", [count])];
const work = "float *x = (float *)a0, *y = (float *)a1; for (int i = 0; i < 2048; i++) y[i] = 2 * x[i] + 1;";
const reference = folder.build(io, work);

const secret = "5e".repeat(32);
/** Draws of lengths follow from it, so what is caught is the same in every run. */
const leaseSecret = (seed: number): string => seed.toString(16).padStart(64, "0");
const options: MeasureOptions = { ...defaultMeasureOptions("cpu"), minRepeatMs: 1, repeat: 3 };

function measured(
  artifact: LocalArtifact,
  judged: { readonly seed: number; readonly auditBelowMs?: number } | undefined,
  against = reference,
  over: Partial<MeasureOptions> = {},
  others: readonly LocalArtifact[] = [],
): Promise<ChildAnswer> {
  const device = new CpuDevice();
  const jobOptions = { ...options, ...over };
  return carryOut(
    {
      ...{ kind: "measure", artifact, reference: against },
      options: judged === undefined ? jobOptions : { ...jobOptions, judged: true },
      ...(others.length === 0 ? {} : { paired: { others, options: { rounds: 2, idleMs: 0 } } }),
      // No time is below 0, so nothing is audited.
      ...(judged === undefined
        ? {}
        : { judged: { secret, leaseSecret: leaseSecret(judged.seed), auditBelowMs: judged.auditBelowMs ?? 0 } }),
    },
    {
      device,
      description: { facts: { key: "cpu/x86-64-v1", name: "", uuid: "", driver: "" }, memoryBytes: 1 << 30, limits: {} },
      workloads: new Workloads(device, 1 << 30),
      clock: systemClock,
      enter: async () => {},
      hold: () => ({ [Symbol.dispose]() {} }),
    },
  );
}

const kernel = (before: string, body: string, buffers: readonly ManifestBuffer[] = io) => folder.build(buffers, body, { before });
const clock = `#include <time.h>
static long now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec * 1000000000L + t.tv_nsec; }
static long last;`;

const cheats: readonly (readonly [string, LocalArtifact])[] = [
  ["computes its first launches only", kernel("static int launches;", `if (launches++ < 4) { ${work} }`)],
  ["skips work when launches follow each other closely", kernel(clock, `if (now() - last > 2000000) { ${work} } last = now();`)],
  ["computes every other launch", kernel("static int launches;", `if (launches++ % 2 == 0) { ${work} }`)],
  [
    "keeps its first answer in static memory and copies it",
    kernel(
      "#include <string.h>\nstatic float kept[2048]; static int there;",
      `${work} if (there) memcpy(a1, kept, sizeof kept); else { memcpy(kept, a1, sizeof kept); there = 1; }`,
    ),
  ],
  [
    "computes again only when it sees another input or output pointer than in most launches",
    kernel(
      "static void *seen[64]; static int n;",
      `for (int i = 0; i < n; i++) if (seen[i] == (void *)a0) return; seen[n++ & 63] = a0; ${work}`,
    ),
  ],
];

describe("a judged measurement", () => {
  it("of an honest kernel is timed and checked, on three sets", async () => {
    const answer = await measured(folder.build(io, work), { seed: 1 });
    expect(answer).toMatchObject({
      kind: "timed",
      checked: true,
      judged: { sets: 3, commitment: commitmentTo(secret) },
    });
    expect(answer.kind === "timed" && answer.costs).toHaveLength(3);
  });

  it.each(cheats)("catches one that %s, which a plain one lets pass", async (_, artifact) => {
    expect(await measured(artifact, undefined)).toMatchObject({ kind: "timed", checked: true });
    for (const seed of [1, 2])
      expect(await measured(artifact, { seed })).toMatchObject({
        kind: "failed",
        errorNo: 5,
        rule: "judged.reference",
        message: expect.stringContaining("in a timed repeat, on set "),
      });
  });

  const always = { seed: 5, auditBelowMs: 1e9 };
  // As long as a product of matrices, so that a copy is much faster.
  const slow =
    "float *x = (float *)a0, *y = (float *)a1; for (int i = 0; i < 2048; i++) { float s = x[i]; for (int j = 0; j < 64; j++) s = s * 0.99f + 0.1f; y[i] = s; }";
  const slowReference = folder.build(io, slow);

  it("of an honest kernel has the audit's times when it was audited, and the scored ones beside them", async () => {
    const answer = await measured(folder.build(io, slow), always, slowReference);
    if (answer.kind !== "timed" || answer.judged === undefined || !("sets" in answer.judged))
      throw new Error(JSON.stringify(answer));
    const { audit } = answer.judged;
    expect(answer.costs).toHaveLength(3);
    expect(audit).toMatchObject({ sets: 64, secret: leaseSecret(5) });
    expect(audit?.scored).toHaveLength(3);
    expect(audit?.scored).not.toEqual(answer.costs);
  });

  it("audits only times below the one that it is told", async () => {
    const artifact = folder.build(io, work);
    for (const auditBelowMs of [0, 1e9]) {
      const answer = await measured(artifact, { seed: 1, auditBelowMs });
      expect(answer.kind === "timed" && answer.judged && "audit" in answer.judged).toBe(auditBelowMs > 0);
    }
  });

  it("audits none that ended early, which can be no best", async () => {
    const answer = await measured(folder.build(io, work), always, reference, { incumbent: 1e-12 });
    expect(answer).toMatchObject({ kind: "timed", atLeast: expect.any(Number), judged: { sets: 3 } });
    expect(answer.kind === "timed" && answer.judged).not.toHaveProperty("audit");
  });

  it.each([
    ["for each input that it saw", "float", "*(float *)a0"],
    ["for each pointer", "void *", "a0"],
  ])("suspects one that keeps an answer %s: it is right, and too fast", async (_, type, key) => {
    const remembers = kernel(
      `#include <string.h>\nstatic ${type} keys[8]; static float kept[8][2048]; static int n;`,
      `${type} k = ${key}; for (int i = 0; i < n; i++) if (keys[i] == k) { memcpy(a1, kept[i], sizeof kept[i]); return; }
       ${slow} if (n < 8) { keys[n] = k; memcpy(kept[n++], a1, sizeof kept[0]); }`,
    );
    // Of 500 launches three compute.
    const long = { number: 500, minRepeatMs: 0, runTimeoutMs: 120_000 };
    expect(await measured(remembers, { seed: 5 }, slowReference, long)).toMatchObject({ kind: "timed", checked: true });
    expect(await measured(remembers, always, slowReference, long)).toMatchObject({
      ...{ kind: "failed", errorNo: 5, rule: "CHEAT_SUSPECTED", tainted: false },
      message: expect.stringMatching(/takes [\d.]+ us when inputs come again, and at least [\d.]+ us on 64 sets/),
    });
  });

  // What is slow beside others may hide what is remembered: by its times alone a cheat is told in most runs.
  it("audits each finalist by its own times", { retry: 3 }, async () => {
    const remembers = kernel(
      "#include <string.h>\nstatic float keys[8], kept[8][2048]; static int n;",
      `float k = *(float *)a0; for (int i = 0; i < n; i++) if (keys[i] == k) { memcpy(a1, kept[i], sizeof kept[i]); return; }
       ${slow} if (n < 8) { keys[n] = k; memcpy(kept[n++], a1, sizeof kept[0]); }`,
    );
    const long = { number: 500, minRepeatMs: 0, runTimeoutMs: 120_000 };
    const pair = (other: LocalArtifact) => measured(folder.build(io, slow), always, slowReference, long, [other]);
    expect(await pair(remembers)).toMatchObject({ kind: "failed", rule: "CHEAT_SUSPECTED", failedProgram: 1 });
    expect(await pair(folder.build(io, slow))).toMatchObject({ kind: "timed", checked: true, paired: [{}, {}] });
  });

  it("catches in an audit one that puts its work off to a launch that never comes", async () => {
    // Where outputs are the same it is honest. Otherwise it computes eight launches in the eighth.
    const batches = kernel(
      "static char *xs[8], *ys[8], *y0; static int n, launches;",
      `if (launches++ == 0 || a1 == y0) { ${slow} y0 = a1; return; }
       xs[n] = a0; ys[n++] = a1; if (n < 8) return;
       for (int k = 0; k < 8; k++) { a0 = xs[k]; a1 = ys[k]; ${slow} } n = 0;`,
    );
    expect(await measured(batches, { seed: 5 }, slowReference)).toMatchObject({ kind: "timed", checked: true });
    expect(await measured(batches, always, slowReference)).toMatchObject({
      ...{ kind: "failed", errorNo: 5, rule: "audit.reference" },
      message: expect.stringContaining("in an audit, on set "),
    });
  });

  it("begins each repeat with variables as they were at first", async () => {
    // Right for 3,000 launches of a process, which all repeats together exceed and one does not.
    const artifact = kernel("static int launches;", `${work} if (++launches > 3000) ((float *)a1)[7] = 0;`);
    const fixed = { number: 1_000, minRepeatMs: 0, repeat: 8 };
    expect(await measured(artifact, undefined, reference, fixed)).toMatchObject({ kind: "failed" });
    expect(await measured(artifact, { seed: 3 }, reference, fixed)).toMatchObject({ kind: "timed" });
  });

  it("says that it cannot judge a computation that writes what it reads, and is then not checked", async () => {
    const buffers = [tensor("x", "in", "float32", [count]), tensor("y", "inout", "float32", [count])];
    const adds = folder.build(buffers, "float *x = (float *)a0, *y = (float *)a1; for (int i = 0; i < 2048; i++) y[i] += x[i];");
    expect(await measured(adds, { seed: 1 }, adds)).toMatchObject({
      kind: "timed",
      checked: false,
      judged: { not: "in-out" },
    });
  });

  it("says so of a computation whose output is the same for all inputs", async () => {
    const numbers = folder.build(io, "float *y = (float *)a1; for (int i = 0; i < 2048; i++) y[i] = i;");
    expect(await measured(numbers, { seed: 1 }, numbers)).toMatchObject({
      kind: "timed",
      checked: false,
      judged: { not: "outputs alike" },
    });
  });

  it("is refused of a task that zeros, one value or a copy pass, by its reference", async () => {
    const bodies = { "an output of zeros": "0", "an output of one value": "7", 'a copy of input "x"': "((float *)a0)[i]" };
    for (const [answer, value] of Object.entries(bodies)) {
      const trivial = folder.build(io, `float *y = (float *)a1; for (int i = 0; i < 2048; i++) y[i] = ${value};`);
      expect(await measured(trivial, { seed: 1 }, trivial)).toMatchObject({
        ...{ kind: "failed", rule: "task.trivial", ofReference: true, tainted: false },
        message: expect.stringContaining(`the task is trivial: ${answer} is within the tolerance`),
      });
      expect(await measured(trivial, undefined, trivial)).toMatchObject({ kind: "timed", checked: true });
    }
  });

  it("is refused, judged or not, of a task whose reference computes NaN", async () => {
    const root = folder.build(
      io,
      "float *y = (float *)a1; for (int i = 0; i < 2048; i++) y[i] = __builtin_sqrtf(((float *)a0)[i]);",
    );
    for (const judged of [undefined, { seed: 1 }])
      expect(await measured(root, judged, root)).toMatchObject({
        ...{ kind: "failed", rule: "task.nan", ofReference: true, tainted: false },
        message: expect.stringMatching(
          /it computes NaN, with which no output agrees, in \d+ elements of "y"; say how the inputs/,
        ),
      });
  });
});
