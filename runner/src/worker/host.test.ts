/** The supervisor with its real child and real native code. Needs the compiled child (`npm run build`). */
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type DType, defaultMeasureOptions, type MeasureOptions } from "@warpfarm/common";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { bundled } from "../../../test-support/bundles.ts";
import { some } from "../../../test-support/campaign.ts";
import { KernelFolder, tensor } from "../../../test-support/kernels.ts";
import { has, needs } from "../../../test-support/needs.ts";
import { until } from "../../../test-support/until.ts";
import { DeviceHost, type DeviceHostOptions, type JobOutcome } from "./host.ts";
import type { ChildSettings, LocalArtifact } from "./messages.ts";

const N = 1000;
const options: MeasureOptions = { ...defaultMeasureOptions("cpu"), repeat: 3, minRepeatMs: 1, runTimeoutMs: 120_000 };

const once = { attempt: 1, buildMs: 0, owner: "alice" } as const;
const child = () => bundled("runner/dist/worker/child");

describe("one device with its child", () => {
  const locks = mkdtempSync(join(tmpdir(), "warpfarm-host-"));
  const kernels = new KernelFolder();
  const lines: string[] = [];
  let host: DeviceHost;

  beforeAll(async () => {
    if (!has("cc")) return undefined;
    const settings = { device: "cpu", threads: 2, lockDirectory: locks, addressSpaceBytes: 2 ** 40, keepBytes: 2 ** 28 } as const;
    host = new DeviceHost({ node: "test-node", settings, module: child(), onLine: (line) => lines.push(line) });
    await host.start();
    return () => host[Symbol.asyncDispose]();
  });
  afterAll(() => {
    kernels[Symbol.dispose]();
    rmSync(locks, { recursive: true });
  });
  beforeEach((ctx) => needs(ctx, "cc"));

  // out = 2 * in + 1, by different kernels.
  const specs = (dtype: DType = "float32") => [tensor("x", "in", dtype, [N]), tensor("y", "out", dtype, [N])];
  const loop = (statement: string, type = "float", n = N) =>
    `${type} *x = (${type} *)a0, *y = (${type} *)a1; for (int i = 0; i < ${n}; i++) ${statement};`;
  const good = "y[i] = 2 * x[i] + 1";
  let reference: LocalArtifact | undefined;
  const referenceOf = () => (reference ??= kernels.build(specs(), loop(good)));

  async function run(body: string, over: Partial<MeasureOptions> = {}, before = ""): Promise<JobOutcome> {
    const artifact = kernels.build(specs(), body, { before });
    return host.run({
      artifact,
      reference: referenceOf(),
      options: { ...options, ...over },
      attempt: 1,
      buildMs: 5,
      owner: "alice",
    });
  }
  /** A device host of one test's own. */
  async function anotherHost(over: Partial<DeviceHostOptions>, more: Partial<ChildSettings> = {}): Promise<DeviceHost> {
    const settings = { device: "cpu", threads: 2, lockDirectory: locks, addressSpaceBytes: 2 ** 40, keepBytes: 2 ** 28, ...more };
    const made = new DeviceHost({ node: "test-node", settings, module: child(), ...over });
    await made.start();
    return made;
  }
  /** A good kernel gives its result, whatever came before. */
  async function expectsGood(): Promise<void> {
    const outcome = await run(loop("y[i] = x[i] + x[i] + 1"));
    expect(outcome).toMatchObject({ kind: "result", result: { kind: "timed", checked: true } });
  }
  const failed = (result: Record<string, unknown>) => ({ kind: "result", result: { kind: "failed", attempt: 1, ...result } });

  test("a right kernel is timed: as many costs as repeats, all positive, batches at least as long as asked", async () => {
    const outcome = await run(loop("y[i] = x[i] + x[i] + 1"));
    if (outcome.kind !== "result" || outcome.result.kind !== "timed") throw new Error(JSON.stringify(outcome));
    const { costs, number, busyMs, checked, buildMs, device, toolchain } = outcome.result;
    expect(costs).toHaveLength(3);
    for (const cost of costs) expect(cost * number * 1e3).toBeGreaterThanOrEqual(1);
    expect(busyMs).toBeGreaterThanOrEqual(3);
    expect({ checked, buildMs, device }).toEqual({ checked: true, buildMs: 5, device: host.facts });
    expect(toolchain).toBe(referenceOf().manifest.toolchain);
    expect(device?.node).toBe("test-node");
    expect(device?.key).toMatch(/^cpu\/(x86-64-v[1-4]|arm64)$/);
  });

  /** The first once more at the end. */
  async function runInTurns(bodies: readonly string[], over: Partial<MeasureOptions> = {}): Promise<JobOutcome> {
    const [artifact, ...more] = bodies.map((body, i) => {
      const made = kernels.build(specs(), body);
      return { ...made, manifest: { ...made.manifest, toolchain: `cc ${i + 1}` } };
    });
    if (!artifact) throw new Error("no body");
    const others = [...more, artifact];
    return host.run({
      ...{ artifact, reference: referenceOf(), options: { ...options, ...over }, attempt: 1, buildMs: 5, owner: "alice" },
      paired: { others, options: { rounds: 4, idleMs: 1 } },
    });
  }

  test("interleaved kernels have as many costs as rounds each, under their own artifacts", async () => {
    const twice = "for (int again = 0; again < 60; again++) ";
    const outcome = await runInTurns([loop(good), loop(`${twice}{ volatile float v = 2 * x[i] + 1; y[i] = v; }`)]);
    if (outcome.kind !== "result" || outcome.result.kind !== "timed") throw new Error(JSON.stringify(outcome));
    const { paired = [], costs, number, artifact } = outcome.result;
    expect(paired.map((each) => each.costs.length)).toEqual([4, 4, 4]);
    expect(paired[0]).toEqual({ costs, number, artifact });
    expect(new Set(paired.map((each) => each.artifact)).size).toBe(2);
    expect(paired[2]?.artifact).toBe(artifact);
  });

  test("of interleaved kernels the one that crashes, hangs or is wrong is named, and the next job is served", async () => {
    const crash = `${loop(good)} *(volatile int *)0 = 1;`;
    const inTurns = (failedProgram: number, more: Record<string, unknown>) =>
      failed({ failedProgram, toolchain: `cc ${failedProgram + 1}`, ...more });
    expect(await runInTurns([loop(good), crash])).toMatchObject(
      inTurns(1, { errorNo: 4, rule: "SIGSEGV", message: expect.stringMatching(/^program 2 of 3 interleaved: /) }),
    );
    const hang = `${loop(good)} for (volatile int i = 0; i < 1; ) ;`;
    expect(await runInTurns([loop(good), loop(good), hang], { runTimeoutMs: 300 })).toMatchObject(
      inTurns(2, { errorNo: 7, rule: "run_timeout" }),
    );
    expect(await runInTurns([loop("y[i] = x[i]"), loop(good)])).toMatchObject(inTurns(0, { errorNo: 5 }));
    await expectsGood();
  });

  test("OpenMP has the threads it was told", async () => {
    const outcome = await run(
      `${loop(good)} extern int omp_get_max_threads(void); if (omp_get_max_threads() != 2) y[0] = -1e9f;`,
      {},
    );
    expect(outcome).toMatchObject({ kind: "result", result: { kind: "timed" } });
  });

  test("wrong in only its last element: that index, expected and got", async () => {
    const outcome = await run(`${loop(good)} y[${N - 1}] += 0.5f;`);
    if (outcome.kind !== "result" || outcome.result.kind !== "failed") throw new Error(JSON.stringify(outcome));
    const { errorNo, mismatch, message } = outcome.result;
    expect(errorNo).toBe(5);
    expect(mismatch).toMatchObject({ buffer: "y", index: N - 1, count: 1 });
    expect((mismatch?.got ?? 0) - (mismatch?.expected ?? 0)).toBe(0.5);
    expect(message).toContain(`the worst is element ${N - 1}`);
  });

  test("writes nothing: every element is wrong", async () => {
    expect(await run("")).toMatchObject(failed({ errorNo: 5, mismatch: { buffer: "y", index: 0, got: Number.NaN, count: N } }));
  });

  test("writes NaN in one place: that index", async () => {
    expect(await run(`${loop(good)} y[77] = 0.0f / 0.0f;`)).toMatchObject(
      failed({ errorNo: 5, mismatch: { buffer: "y", index: 77, got: Number.NaN, count: 1 } }),
    );
  });

  test("adds to what is there instead of writing: seen, although the first run might have found zeroes", async () => {
    expect(await run(loop("y[i] += 2 * x[i] + 1"))).toMatchObject(failed({ errorNo: 5, mismatch: { count: N } }));
  });

  test("right the first time and wrong later: seen by the second comparison", async () => {
    const outcome = await run(`static int runs; ${loop(good)} if (runs++ > 0) y[3] = 0;`);
    expect(outcome).toMatchObject(failed({ errorNo: 5, mismatch: { index: 3, count: 1 } }));
  });

  test.each([
    "int8",
    "int32",
    "uint8",
  ] as const)("%s: a kernel that writes nothing is wrong even where all bits are set", async (dtype) => {
    const type = { int8: "signed char", int32: "int", uint8: "unsigned char" }[dtype];
    const allOnes = kernels.build(specs(dtype), loop("y[i] = i % 2 ? -1 : 7", type));
    const nothing = kernels.build(specs(dtype), "");
    const job = { options, ...once, reference: allOnes };
    expect(await host.run({ ...job, artifact: nothing })).toMatchObject(failed({ errorNo: 5, mismatch: { count: N } }));
    expect(await host.run({ ...job, artifact: allOnes })).toMatchObject({ kind: "result", result: { kind: "timed" } });
  });

  test("an endless loop is killed at its deadline, and the next result is right", async () => {
    const outcome = await run("for (volatile int i = 0;; i++);", { runTimeoutMs: 400 });
    expect(outcome).toMatchObject(failed({ errorNo: 7, rule: "run_timeout" }));
    await expectsGood();
  });

  const crashes: readonly (readonly [signal: string, body: string])[] = [
    ["SIGSEGV", "*(volatile int *)8 = 1;"],
    ["SIGFPE", "volatile int z = 0; z = 7 / z;"],
    ["SIGABRT", "extern void abort(void); abort();"],
    ["SIGILL", "__builtin_trap();"],
  ];
  // In npm test one by the processor and one by the kernel itself.
  test.each(some(crashes, 0, 2))("a crash by %s is named, and the next result is right", async (signal, body) => {
    expect(await run(body)).toMatchObject(failed({ errorNo: 4, rule: signal, message: expect.stringContaining(signal) }));
    await expectsGood();
  });

  test("a kernel that exits is named", async () => {
    expect(await run("extern void _exit(int); _exit(3);")).toMatchObject(failed({ errorNo: 4, rule: "exit" }));
    await expectsGood();
  });

  test("a crash while the code is loaded is the candidate's too", async () => {
    const outcome = await run(loop(good), {}, "__attribute__((constructor)) static void crash(void) { *(volatile int *)8 = 1; }");
    expect(outcome).toMatchObject(failed({ errorNo: 4, rule: "SIGSEGV" }));
  });

  test("code that does not load is named with the loader's words", async () => {
    const outcome = await run(`extern void not_there(void); not_there(); ${loop(good)}`);
    expect(outcome).toMatchObject(failed({ errorNo: 4, rule: "dlopen", message: expect.stringContaining("not_there") }));
  });

  test("a write far behind a buffer faults", async () => {
    expect(await run(`${loop(good)} y[${N + 2048}] = 1;`)).toMatchObject(failed({ errorNo: 4, rule: "SIGSEGV" }));
  });

  test.each([
    ["y", "just behind", "y", N],
    ["y", "just before", "y", -1],
  ])("a write %s %s a buffer is named with the buffer", async (_, _where, buffer, index) => {
    const outcome = await run(`${loop(good)} y[${index}] = 1;`);
    expect(outcome).toMatchObject(
      failed({ errorNo: 4, rule: "out_of_bounds_write", message: expect.stringContaining(`"${buffer}"`) }),
    );
    await expectsGood();
  });

  test("a write into an input faults, so the next candidate finds its inputs whole", async () => {
    expect(await run(`${loop(good)} x[5] = 1;`)).toMatchObject(failed({ errorNo: 4, rule: "SIGSEGV" }));
    await expectsGood();
  });

  test("a kernel cannot put a byte into a file", async () => {
    const path = join(locks, "loot");
    const body = `${loop(good)} extern int open(const char *, int, ...); extern long write(int, const void *, unsigned long); write(open("${path}", 0101, 0600), "x", 1);`;
    await run(body);
    expect(statSync(path).size).toBe(0);
  });

  test("what a kernel prints reaches the log and not the protocol", async () => {
    const outcome = await run(
      `${loop(good)} extern int puts(const char *); extern int fflush(void *); puts("hello"); fflush((void *)0);`,
    );
    expect(outcome).toMatchObject({ kind: "result", result: { kind: "timed" } });
    // The pipe of its output is separate from that of its answers.
    await until(() => lines.includes("hello"), "its words");
  });

  test("without a check nothing is compared, and the result says so", async () => {
    const artifact = kernels.build(specs(), "");
    const outcome = await host.run({ artifact, options: { ...options, check: "none" }, attempt: 2, buildMs: 0, owner: "alice" });
    expect(outcome).toMatchObject({ kind: "result", result: { kind: "timed", checked: false, attempt: 2 } });
  });

  test("a reference with other tensors is the program's failure", async () => {
    const artifact = kernels.build([tensor("x", "in", "float32", [N]), tensor("y", "out", "float32", [N / 2])], "");
    const outcome = await host.run({ artifact, reference: referenceOf(), options, ...once });
    expect(outcome).toMatchObject(failed({ errorNo: 4, rule: "tensors", message: expect.stringContaining("float32[500]") }));
  });

  /** A kernel that never ends and makes a file when it begins. */
  function endless(name: string) {
    const path = join(locks, name);
    return {
      body: `extern int creat(const char *, int); creat("${path}", 0600); for (;;);`,
      runs: () => until(() => existsSync(path), "the kernel to run"),
    };
  }

  test("cancelled: the child goes, and the next result is right", async () => {
    const controller = new AbortController();
    const { body, runs } = endless("cancelled");
    const job = { artifact: kernels.build(specs(), body), reference: referenceOf(), options, ...once };
    const outcome = host.run(job, { signal: controller.signal });
    await runs();
    controller.abort();
    expect(await outcome).toEqual({ kind: "cancelled" });
    await expectsGood();
  });

  test("the node's own kernels are timed, and candidates go on", async () => {
    const times = await host.timeOwn();
    expect(Math.min(times?.arithmetic ?? 0, times?.memory ?? 0)).toBeGreaterThan(0);
    await expectsGood();
  });

  test("killed from outside: nobody's fault but the node's, and the node is not suspect", async () => {
    const { body, runs } = endless("killed");
    const outcome = run(body);
    await runs();
    if (host.childPid === undefined) throw new Error("no child");
    process.kill(host.childPid, "SIGKILL");
    expect(await outcome).toMatchObject({ kind: "fault", suspect: false });
    expect(host.trouble).toBe("");
    await expectsGood();
  });

  const other = (name: string, body: string) => kernels.build([...specs(), tensor(name, "in", "float32", [1])], body);
  test.each([
    ["touches memory that is not its own", "*(volatile int *)8 = 1;", {}, "reference.SIGSEGV"],
    ["divides an integer by zero", "volatile int z = 0; z = 7 / z;", {}, "reference.SIGFPE"],
    ["never ends", "for (volatile int i = 0;; i++);", { reference: 300 }, "reference.run_timeout"],
  ] as const)("a reference that %s is the task's fault, told at once, and the node goes on", async (_, body, limits, rule) => {
    const bad = other(rule.replace(".", "_"), body);
    await using here = await anotherHost({ limits });
    const outcome = await here.run({ artifact: bad, reference: bad, options: { ...options, runTimeoutMs: 50 }, ...once });
    const message = expect.stringMatching(
      /^the computation of y \(float32\[1000\]\) from x .* the node's own kernels run well after it$/,
    );
    expect(outcome).toMatchObject(failed({ errorNo: 8, rule, message }));
    expect(here.trouble).toBe("");
    const good = { artifact: referenceOf(), reference: referenceOf(), options, ...once };
    expect(await here.run(good)).toMatchObject({ kind: "result", result: { kind: "timed" } });
  });

  test("a reference has four times the run timeout when that is more than its own limit", async () => {
    const pause = other("slow", `extern int usleep(unsigned); usleep(300000); ${loop(good)}`);
    await using here = await anotherHost({ limits: { reference: 1 } });
    const job = { artifact: pause, reference: pause, options: { ...options, number: 1, minRepeatMs: 0 }, ...once };
    expect(await here.run(job)).toMatchObject({ kind: "result", result: { kind: "timed" } });
  });

  test("code that never ends while it is loaded is killed at the limit of loading", async () => {
    const artifact = kernels.build(specs(), loop(good), {
      before: "__attribute__((constructor)) static void spin(void) { for (volatile int i = 0;; i++); }",
    });
    await using here = await anotherHost({ limits: { load: 300 } });
    const message = "loading its code did not end within 300ms, a limit of the runner that no flag raises";
    const outcome = await here.run({ artifact, reference: referenceOf(), options, ...once });
    expect(outcome).toMatchObject(failed({ errorNo: 7, rule: "run_timeout", message }));
    expect(here.trouble).toBe("");
  });

  test.each([
    ["float32", 2 ** 31 - 1, "at most"],
    ["int8", 2 ** 31 - 1, "refused"],
  ] as const)("inputs of %s larger than the runner can have are the program's fault", async (dtype, count, words) => {
    const huge = kernels.build([tensor("x", "in", dtype, [count])], "");
    await using here = await anotherHost({}, { dataBytes: 1.5 * 2 ** 30 });
    const refused = await here.run({ artifact: huge, options: { ...options, check: "none" }, ...once });
    expect(refused).toMatchObject(failed({ errorNo: 4, rule: "out_of_memory", message: expect.stringContaining(words) }));
    const checked = await here.run({ artifact: huge, reference: huge, options, ...once });
    expect(checked).toMatchObject(failed({ errorNo: 8, rule: "reference.out_of_memory" }));
    expect(here.trouble).toBe("");
  });

  test("a kernel that takes all memory runs out of its own before the host does", async () => {
    const body = `extern void *malloc(unsigned long); extern void abort(void);
      for (;;) { char *p = malloc(1 << 22); if (!p) abort(); for (int i = 0; i < (1 << 22); i += 4096) p[i] = 1; }`;
    await using here = await anotherHost({}, { dataBytes: 2 ** 30 });
    const artifact = kernels.build(specs(), body);
    const outcome = await here.run({ artifact, reference: referenceOf(), options, ...once });
    expect(outcome).toMatchObject(failed({ errorNo: 4, rule: "SIGABRT" }));
    expect(here.trouble).toBe("");
  });

  /** Own kernels that run well until a candidate makes a file: a node that breaks between two runs. */
  function breaking(fault: string) {
    const flag = join(locks, "broken");
    const source = readFileSync(new URL("../device/cpu/own.c", import.meta.url), "utf8").replace(
      "void memory(",
      "static void right(",
    );
    const memory = `extern int access(const char *, int);
      void memory(void *const *args) { right(args); if (access("${flag}", 0) == 0) { ${fault} } }`;
    const ownCode = kernels.build([], "", { before: `${source}\n${memory}` }).codePath;
    const body = `extern int creat(const char *, int); creat("${flag}", 0600); *(volatile int *)8 = 1;`;
    const job = () => ({ artifact: kernels.build(specs(), body), reference: referenceOf(), options, ...once });
    return { ownCode, job, mend: () => rmSync(flag) };
  }

  test.each([
    ["crash", "*(volatile int *)8 = 1;", "was ended by SIGSEGV"],
    ["give another answer", "((u32 *)args[1])[7] ^= 1;", 'word 7 of its kernel "memory" is'],
    ["never end", "for (volatile int i = 0;; i++);", "did not end within 2000 ms"],
  ])("no verdict is final when the node's own kernels %s: the node is suspect until they run well again", async (_, fault, words) => {
    const { ownCode, job, mend } = breaking(fault);
    await using here = await anotherHost({ limits: { own: 2_000 } }, { ownCode });
    const outcome = await here.run(job());
    expect(outcome).toMatchObject({ kind: "fault", suspect: true, message: expect.stringContaining(words) });
    await here.recheck();
    expect(here.trouble).toContain(words);
    mend();
    await here.recheck();
    expect(here.trouble).toBe("");
  });

  test("the node's own kernels killed from outside say nothing of the node", async () => {
    const { body, runs } = endless("own-killed");
    const { ownCode, job, mend } = breaking(body);
    await using here = await anotherHost({}, { ownCode });
    const outcome = here.run(job());
    await runs();
    if (here.childPid === undefined) throw new Error("no child");
    process.kill(here.childPid, "SIGKILL");
    expect(await outcome).toMatchObject({ kind: "fault", suspect: false });
    expect(here.trouble).toBe("");
    mend();
  });
});
