/**
 * racecheck after a result, by a stand-in for compute-sanitizer that behaves as its manual says: it runs the program, prints a
 * summary, and ends with the number asked for when it found errors, else as the program does. Kernels run on this processor
 * (`npm run build`).
 */
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { defaultMeasureOptions, type JudgedOutcome, type TimedResult } from "@warpfarm/common";
import { afterAll, describe, expect, test, vi } from "vitest";
import { timedResult } from "../../../test-support/farm/scripted.ts";
import { KernelFolder, tensor } from "../../../test-support/kernels.ts";
import { needs } from "../../../test-support/needs.ts";
import type { DeviceJob } from "./host.ts";
import { racecheckWith } from "./racecheck.ts";

const folder = mkdtempSync(join(tmpdir(), "warpfarm-racecheck-test-"));
const kernels = new KernelFolder();
afterAll(() => {
  kernels[Symbol.dispose]();
  rmSync(folder, { recursive: true });
});
const asked = join(folder, "asked");
const ran = join(folder, "ran");

/** FOUND: errors that the tool finds. */
const standIn = `#!/bin/sh
echo "$@" >> ${asked}
while [ "\${1#--}" != "$1" ]; do
  if [ "$1" = --error-exitcode ]; then code=$2; fi
  shift 2
done
"$@" || exit
if [ "$FOUND" = silent ]; then exit 0; fi
echo "========= RACECHECK SUMMARY: \${FOUND:-0} hazards displayed (\${FOUND:-0} errors, 0 warnings)"
if [ "\${FOUND:-0}" -gt 0 ]; then exit "$code"; fi
`;
const tool = join(folder, "compute-sanitizer");
writeFileSync(tool, standIn);
chmodSync(tool, 0o755);
const searchPath = [join(folder, "none"), folder, dirname(process.execPath), process.env.PATH].join(":");

const io = [tensor("x", "in", "float32", [16]), tensor("y", "out", "float32", [16])];
const body = `float *x = (float *)a0, *y = (float *)a1; for (int i = 0; i < 16; i++) y[i] = 2 * x[i];`;
/** Leaves what it read, so that the test sees that it ran on inputs. */
const tells = `${body} FILE *f = fopen("${ran}", "a"); fprintf(f, "%g\\n", x[3]); fclose(f);`;
const build = (text: string) => kernels.build(io, text, { before: "#include <stdio.h>" });

const options = { ...defaultMeasureOptions("cpu", "as_asked"), judged: true } as const;
const jobOf = (text: string, others: readonly string[] = []): DeviceJob => ({
  ...{ artifact: build(text), options, attempt: 1, buildMs: 0, owner: "alice" },
  ...(others.length === 0 ? {} : { paired: { others: others.map(build), options: { rounds: 2, idleMs: 0 } } }),
});
const audit = { sets: 3, secret: "5e".repeat(32), scored: [1] };
const audited: JudgedOutcome = { sets: 3, commitment: "1a".repeat(32), audit };

function resultOf(job: DeviceJob, judged: JudgedOutcome | undefined): TimedResult {
  const device = { key: "cpu/x86-64-v1", name: "", uuid: "", driver: "", node: "n" };
  const paired =
    job.paired && [job.artifact, ...job.paired.others].map(({ digest }) => ({ costs: [1], number: 1, artifact: digest }));
  const timed = timedResult(1, device, job.artifact.digest) as TimedResult;
  return { ...timed, ...(judged && { judged }), ...(paired && { paired }) };
}

interface Asked {
  readonly found?: string;
  readonly limitMs?: number;
  readonly path?: string;
  readonly signal?: AbortSignal;
  readonly judged?: JudgedOutcome | undefined;
}
async function outcomeOf(job: DeviceJob, given: Asked = {}) {
  const { found = "0", limitMs = 300_000, path = searchPath, signal = new AbortController().signal } = given;
  rmSync(asked, { force: true });
  rmSync(ran, { force: true });
  const check = racecheckWith({ searchPath: path, device: "cpu", threads: 1, env: { FOUND: found }, limitMs });
  const result = resultOf(job, "judged" in given ? given.judged : audited);
  const after = await check(job, result, signal);
  return { result, after, racecheck: (after as { judged?: { racecheck?: string } }).judged?.racecheck };
}

describe("what was audited", () => {
  test.for([
    ["0", "no hazards"],
    ["3", "hazards"],
    ["silent", "not run: it failed"],
  ] as const)("is looked at by the tool, which finds %s: %s", async ([found, outcome], ctx) => {
    needs(ctx, "cc");
    const { result, after, racecheck } = await outcomeOf(jobOf(tells), { found });
    expect(racecheck).toBe(outcome);
    expect(after).toEqual({ ...result, judged: { ...audited, racecheck: outcome } });
    // It ran once, on inputs.
    expect(readFileSync(ran, "utf8")).toMatch(/^-?\d*\.?\d+\n$/);
    expect(readFileSync(asked, "utf8")).toMatch(
      /^--tool racecheck --error-exitcode 86 --kernel-name kernel_substring=kernel \S+ \S+racecheck-run\.js \S+\n$/,
    );
  });

  test("whose kernel crashes beside the tool is not said to have hazards", async (ctx) => {
    needs(ctx, "cc");
    expect((await outcomeOf(jobOf("*(volatile int *)0 = 1;"), { found: "0" })).racecheck).toBe("not run: it failed");
  });

  test("that takes too long is stopped, and nothing of it goes on", async (ctx) => {
    needs(ctx, "cc");
    const endless = `${tells} for (;;) { FILE *g = fopen("${ran}", "a"); fclose(g); }`;
    const { racecheck } = await outcomeOf(jobOf(endless), { limitMs: 1 });
    expect(racecheck).toBe("not run: time limit");
    const signal = AbortSignal.abort();
    expect((await outcomeOf(jobOf(endless), { signal })).racecheck).toBe("not run: time limit");
    expect(existsSync(ran)).toBe(false);
  });

  test("keeps its result where nothing can be written beside it", async (ctx) => {
    needs(ctx, "cc");
    const job = jobOf(tells);
    vi.stubEnv("TMPDIR", join(folder, "gone"));
    try {
      expect((await outcomeOf(job)).racecheck).toBe("not run: it failed");
    } finally {
      vi.unstubAllEnvs();
    }
    expect(existsSync(ran)).toBe(false);
  });

  test("says so where there is no tool, or one that cannot be executed", async (ctx) => {
    needs(ctx, "cc");
    expect((await outcomeOf(jobOf(body), { path: join(folder, "none") })).racecheck).toBe("not run: no compute-sanitizer");
    const plain = mkdtempSync(join(folder, "plain-"));
    writeFileSync(join(plain, "compute-sanitizer"), standIn, { mode: 0o644 });
    expect((await outcomeOf(jobOf(body), { path: plain })).racecheck).toBe("not run: no compute-sanitizer");
  });
});

test("of finalists each is looked at, and the worst is told", async (ctx) => {
  needs(ctx, "cc");
  const judged = { sets: 3, commitment: "1a".repeat(32) };
  const clean = await outcomeOf(jobOf(body, [tells]), { judged });
  expect(clean.racecheck).toBe("no hazards");
  expect(readFileSync(asked, "utf8").split("\n")).toHaveLength(3);
  const crash = "*(volatile int *)0 = 1;";
  expect((await outcomeOf(jobOf(body, [crash]), { judged })).racecheck).toBe("not run: it failed");
  expect((await outcomeOf(jobOf(crash, [body]), { judged, found: "1" })).racecheck).toBe("hazards");
});

test.for([
  ["was not audited", { sets: 3, commitment: "1a".repeat(32) }],
  ["is not judged", { not: "in-out" }],
  ["was not to be judged", undefined],
] as const)("what %s is left alone", async ([, judged], ctx) => {
  needs(ctx, "cc");
  const { result, after } = await outcomeOf(jobOf(tells), { judged });
  expect(after).toBe(result);
  expect(existsSync(asked)).toBe(false);
});
