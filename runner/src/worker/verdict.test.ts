/**
 * Who is blamed for an end, phase by phase, with a child that ends as it is told: a program, the task, the node or nobody.
 */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ArtifactManifest, defaultMeasureOptions, toArtifactDigest, toDigest, toProgramDigest } from "@warpfarm/common";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { bundled } from "../../../test-support/bundles.ts";
import { isFull } from "../../../test-support/campaign.ts";
import { tensor } from "../../../test-support/kernels.ts";
import type { Phase } from "../measure/measure.ts";
import { DeviceHost, inDoubt } from "./host.ts";
import type { ChildAnswer, LocalArtifact } from "./messages.ts";
import { blameFor, parseOomKills, referenceBlame } from "./verdict.ts";

const digest = `sha256:${"1".repeat(64)}`;
const manifest: ArtifactManifest = {
  version: 1,
  program: toProgramDigest(digest),
  target: "cpu/x86-64-v1",
  format: "so",
  code: toDigest(digest),
  kernels: [],
  buffers: [tensor("idx", "in", "int32", [8]), tensor("y", "out", "float32", [2, 4])],
  resources: { registers: 0, spill_bytes: 0, static_shared_bytes: 0 },
  toolchain: "scripted",
  notes: [],
};
const order = ["fill", "reference", "load", "lock", "run", "check"] as const satisfies readonly Phase[];
type JobPhase = (typeof order)[number];

test.each([
  // [phase, run timeout, what was left of the phase's limit, words]
  ["run", 60_000, 18_725, "the kernel did not end within the run timeout of 1m; a longer run_timeout allows more"],
  ["run", 10_000, 1_392.4, "the kernel did not end within the run timeout of 10s; a longer run_timeout allows more"],
  ["reference", 10_000, 3, "the reference kernel did not end within 1m; a run_timeout above 15s allows more"],
  [
    "fill",
    20_000,
    80_000,
    "filling the inputs did not end within 80s, four times the run timeout; a longer run_timeout allows more",
  ],
  ["check", 10_000, 60_000, "comparing the outputs did not end within 1m, a limit of the runner that no flag raises"],
] as const)("a kill in phase %s names the limit that the user set, %d ms", (phase, runTimeoutMs, deadlineMs, words) => {
  const referenceMs = Math.max(60_000, 4 * runTimeoutMs);
  const facts = { phase, hasReference: true, runTimeoutMs, referenceMs, outOfMemory: false };
  expect(blameFor({ kind: "killed", deadlineMs }, facts)).toMatchObject({ rule: "run_timeout", message: words });
});

test("of a judged job, references run in phase check, whose limit the run timeout raises", () => {
  const facts = { phase: "check", hasReference: true, isJudged: true, runTimeoutMs: 20_000, referenceMs: 80_000 } as const;
  expect(blameFor({ kind: "killed", deadlineMs: 80_000 }, { ...facts, outOfMemory: false })).toMatchObject({
    on: "candidate",
    message: "comparing the outputs did not end within 80s, four times the run timeout; a longer run_timeout allows more",
  });
});

describe("an end of the child", () => {
  const directory = mkdtempSync(join(tmpdir(), "warpfarm-verdict-"));
  const broken = join(directory, "broken");
  /** How many more kills each reading of the system's count finds. */
  let oomKills = 0;
  let counted = 0;
  /** `hasty` kills soon what hangs. The other one gives everything else all the time that it needs, on a busy machine too. */
  let hasty: DeviceHost;
  let host: DeviceHost;
  const module = bundled("scripted-child");
  const settings = {
    device: "cpu",
    threads: 1,
    lockDirectory: directory,
    addressSpaceBytes: 2 ** 40,
    keepBytes: 0,
    ownCode: broken,
  } as const;
  beforeAll(async () => {
    host = new DeviceHost({ node: "n", settings, module, oomKills: () => (counted += oomKills) });
    hasty = new DeviceHost({ node: "n", settings, module, limits: { reference: 200, load: 200, check: 200 } });
    await Promise.all([host.start(), hasty.start()]);
    return () => Promise.all([host[Symbol.asyncDispose](), hasty[Symbol.asyncDispose]()]);
  });
  afterAll(() => rmSync(directory, { recursive: true }));
  beforeEach(() => {
    oomKills = 0;
    if (existsSync(broken)) rmSync(broken);
  });

  test("a device that yields and is busy leaves its node in no doubt: the job goes back, and nothing comes until it is free", async () => {
    const busy = job({ phases: ["fill"], answer: { kind: "fault", message: "device busy", busy: true } }, { checked: false });
    const fault = { kind: "fault", message: "device busy" };
    // Without the flag a child has no such word.
    expect(await host.run(busy)).toEqual({ ...fault, suspect: true });
    await host.recheck();
    await using yielding = new DeviceHost({ node: "n", settings: { ...settings, yieldToOthers: true }, module });
    await yielding.start();
    expect(await yielding.run(busy)).toEqual({ ...fault, suspect: false });
    const pid = yielding.childPid;
    expect(await yielding.run(busy)).toEqual({ ...fault, suspect: false });
    expect(yielding.childPid).toBe(pid);
    expect([yielding.trouble, yielding.busy]).toEqual(["device busy", "device busy"]);
    writeFileSync(broken, "busy");
    await yielding.recheck();
    expect([yielding.trouble, yielding.busy]).toEqual(["the node's own kernels: no", "the node's own kernels: no"]);
    rmSync(broken);
    await yielding.recheck();
    expect([yielding.trouble, yielding.busy, host.trouble]).toEqual(["", "", ""]);
  });

  const artifact = (script: object): LocalArtifact => ({
    digest: toArtifactDigest(digest),
    manifest,
    codePath: JSON.stringify(script),
  });
  const job = (
    script: object,
    { checked, runTimeoutMs = 60_000 }: { readonly checked: boolean; readonly runTimeoutMs?: number },
  ) => ({
    artifact: artifact(script),
    ...(checked ? { reference: artifact({}) } : {}),
    options: { ...defaultMeasureOptions("cpu"), runTimeoutMs },
    attempt: 1,
    buildMs: 0,
    owner: "alice",
  });
  const dies = (at: JobPhase, end: string, checked = true) =>
    (end === "hangs" ? hasty : host).run(
      job(
        { phases: order.slice(0, order.indexOf(at) + 1), end },
        // A reference has four times the run timeout.
        { checked, ...(end === "hangs" ? { runTimeoutMs: at === "run" || at === "check" ? 200 : 50 } : {}) },
      ),
    );
  const said = async (at: JobPhase, end: string, checked?: boolean): Promise<string> => {
    const outcome = await dies(at, end, checked);
    if (outcome.kind === "result" && outcome.result.kind === "failed") {
      const { errorNo, rule, message, attempt } = outcome.result;
      expect([attempt, host.trouble, hasty.trouble]).toEqual([1, "", ""]);
      return `${errorNo} ${rule}: ${message}`;
    }
    return outcome.kind === "fault" ? `fault, ${outcome.suspect ? "suspect" : "well"}: ${outcome.message}` : outcome.kind;
  };

  const task = "the computation of y (float32[2, 4]) from idx (int32[8]) fails in its plain form: ";
  const after = "; the node's own kernels run well after it";
  test.each([
    // [phase, end, errorNo and rule, message]
    ["fill", "SIGABRT", "8 reference.SIGABRT", `${task}filling the inputs was ended by SIGABRT: it aborted${after}`],
    [
      "fill",
      "hangs",
      "8 reference.run_timeout",
      `${task}filling the inputs did not end within 200ms, four times the run timeout; a longer run_timeout allows more${after}`,
    ],
    ["fill", "throws", "8 reference.runner", `${task}filling the inputs failed: a bug of ours${after}`],
    [
      "reference",
      "SIGFPE",
      "8 reference.SIGFPE",
      `${task}the reference kernel was ended by SIGFPE: it divided an integer by zero${after}`,
    ],
    ["reference", "exits", "8 reference.exit", `${task}the reference kernel ended its process with exit code 3${after}`],
    ["load", "hangs", "7 run_timeout", "loading its code did not end within 200ms, a limit of the runner that no flag raises"],
    ["load", "SIGILL", "4 SIGILL", "loading its code was ended by SIGILL: it ran an instruction that this processor lacks"],
    ["lock", "SIGSEGV", "4 SIGSEGV", expect.stringContaining("the kernel was ended by SIGSEGV: it touched memory")],
    ["run", "hangs", "7 run_timeout", "the kernel did not end within the run timeout of 200ms; a longer run_timeout allows more"],
    ["run", "exits", "4 exit", "the kernel ended its process with exit code 3"],
    [
      "check",
      "hangs",
      "7 run_timeout",
      "comparing the outputs did not end within 200ms, a limit of the runner that no flag raises",
    ],
    ["check", "throws", "4 runner", "comparing the outputs failed: a bug of ours"],
  ] as const)("in phase %s by %s is the program's while the node's own kernels run well", async (at, end, rule, message) => {
    const whole = await said(at, end);
    expect(whole.split(/^\d \S+: /)[1]).toEqual(message);
    expect(whole).toMatch(new RegExp(`^${rule}: `));
  });

  test.each([
    "reference",
    "run",
  ] as const)("in phase %s without room for threads is nobody's fault: the job goes elsewhere", async (at) => {
    const why = `the device's child in phase ${at} exited with code 1: the system gave it no more threads`;
    expect(await said(at, "lacks threads")).toBe(`fault, well: ${why}`);
  });

  test("a reference that hangs is killed at its limit, whatever of it filling took", async () => {
    expect(await said("reference", "hangs")).toMatch(
      /^8 reference\.run_timeout: .*the reference kernel did not end within 200ms, four times the run timeout; a longer run_timeout allows more/,
    );
  });

  test("without a reference the inputs are the candidate's affair", async () => {
    expect(await said("fill", "SIGABRT", false)).toBe("4 SIGABRT: filling the inputs was ended by SIGABRT: it aborted");
  });

  test.each(order)("in phase %s from outside is nobody's fault: the job goes elsewhere, the node is well", async (at) => {
    // In npm test both signals in one phase.
    for (const signal of isFull || at === "run" ? ["SIGKILL", "SIGTERM"] : ["SIGKILL"])
      expect(await said(at, signal)).toBe(`fault, well: the device's child in phase ${at} was ended by ${signal}`);
    expect(host.trouble).toBe("");
  });

  test("by the out-of-memory killer is that of the program in whose hands the memory was", async () => {
    oomKills = 1;
    const words = "was ended by the system's out-of-memory killer: it took more memory than this node has";
    expect(await said("run", "SIGKILL")).toBe(`4 out_of_memory: the kernel ${words}`);
    expect(await said("reference", "SIGKILL")).toBe(`8 reference.out_of_memory: ${task}the reference kernel ${words}${after}`);
  });

  test.each([
    "run",
    "reference",
  ] as const)("in phase %s is withheld when the node's own kernels then fail: the node is suspect until they run well", async (at) => {
    writeFileSync(broken, "");
    expect(await said(at, "SIGSEGV")).toMatch(
      /^fault, suspect: the .*kernel was ended by SIGSEGV.*; then the node's own kernels: no$/,
    );
    expect(host.trouble).toBe(inDoubt);
    await host.recheck();
    expect(host.trouble).toBe("the node's own kernels: no");
    rmSync(broken);
    await host.recheck();
    expect(host.trouble).toBe("");
  });

  test("hardware that failed: the job goes elsewhere, and the node's own kernels say whether the node is well", async () => {
    const answer: ChildAnswer = { kind: "fault", message: "ECC", hardware: true };
    const failed = () => host.run(job({ phases: order, answer }, { checked: true }));
    expect(await failed()).toEqual({ kind: "fault", message: "ECC", suspect: false });
    writeFileSync(broken, "");
    expect(await failed()).toEqual({ kind: "fault", message: "ECC; then the node's own kernels: no", suspect: true });
    rmSync(broken);
    await host.recheck();
  });

  test("a library that the reference needs and this node lacks: the job goes elsewhere", async () => {
    const answer: ChildAnswer = {
      kind: "failed",
      errorNo: 4,
      rule: "dlopen",
      message: "no libgomp",
      tainted: false,
      ofReference: true,
    };
    expect(await host.run(job({ phases: order, answer }, { checked: true }))).toEqual({
      kind: "fault",
      message: "the reference's code does not load: no libgomp",
      suspect: false,
    });
  });

  test("does not begin with a node whose own kernels fail: it says so, or waits until they run well", async () => {
    writeFileSync(broken, "");
    await using other = new DeviceHost({ node: "n", settings, module });
    await expect(other.start()).rejects.toMatchObject({ code: "FAILED_PRECONDITION", message: "the node's own kernels: no" });
    await other.start({ wait: true });
    expect(other.trouble).toBe("the node's own kernels: no");
    rmSync(broken);
    await other.recheck();
    expect(other.trouble).toBe("");
  });
});

test("the system's count of what its out-of-memory killer ended", () => {
  expect(parseOomKills("pgfault 7\noom_kill 12\ndrop_pagecache 0\n")).toBe(12);
  expect(parseOomKills("pgfault 7\n")).toBeUndefined();
});

test("a computation of many tensors is named by the first few", () => {
  const buffers = [..."abcdef"].map((name) => tensor(name, name < "c" ? "out" : "in", "int8", [1]));
  const blame = { errorNo: 4, rule: "exit", message: "gone", on: "reference" } as const;
  const inputs = [tensor("g", "in", "int8", [1])];
  const { message } = referenceBlame(
    blame,
    { digest: toArtifactDigest(digest), codePath: "", manifest: { ...manifest, buffers: [...buffers, ...inputs] } },
    false,
  );
  expect(message).toBe(
    "the computation of a (int8[1]), b (int8[1]) from c (int8[1]), d (int8[1]), e (int8[1]), f (int8[1]), 1 more fails in its plain form: gone",
  );
});
