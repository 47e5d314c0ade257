/** Real children, the real compiler. Needs the compiled package (`npm run build`). */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { digestOf, FarmError } from "@warpfarm/common";
import { encodeFrame, LockPatience } from "@warpfarm/common/process";
import { decodeManifest } from "@warpfarm/proto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { bundled } from "../../test-support/bundles.ts";
import { has, needs } from "../../test-support/needs.ts";
import { isAlive, leftOf } from "../../test-support/processes.ts";
import { until } from "../../test-support/until.ts";
import { type BuildResult, LocalBuildExecutor } from "./build-executor.ts";
import { endlessText, fixture, goodText, testProgram } from "./builds.testing.ts";
import { installations } from "./local-builder.ts";
import { koffi, layerAlone } from "./sandboxes.testing.ts";
import { findToolchains } from "./toolchain/index.ts";
import type { ToolchainFacts } from "./toolchain/toolchain.ts";
import type { BuildLimits } from "./worker/messages.ts";

const { PATH = "" } = process.env;
const found = await findToolchains(PATH, tmpdir());
const cc = found.toolchains.find(({ kind }) => kind === "cc");
/** Who decides about text of ours. */
const onText = `${cc?.id} on text of warpfarm 0`;

/** How many filters of system calls hold for a process. */
const filtersOf = (pid: number): number =>
  Number(/^Seccomp_filters:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);

/** Compilers that run in a folder of this builder; other builds on this machine do not matter. */
function compilersIn(folder: string, program = "cc1"): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return (
          readlinkSync(`/proc/${pid}/cwd`).startsWith(folder) && readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(program)
        );
      } catch {
        return false;
      }
    })
    .map(Number)
    .filter(isAlive);
}

const ours = (lockDirectory: string) => ({ compilerVersion: "0", lockDirectory });

describe("limits of a build", () => {
  const base = mkdtempSync(join(tmpdir(), "warpfarm-build-limits-"));
  afterAll(() => rmSync(base, { recursive: true, force: true }));
  beforeEach((ctx) => needs(ctx, "cc"));

  async function built(limits: Partial<BuildLimits>, text: string): Promise<BuildResult> {
    const workDirectory = mkdtempSync(join(base, "work-"));
    const toolchains = cc === undefined ? [] : [cc];
    const module = bundled("build-child");
    await using executor = new LocalBuildExecutor({ ...ours(base), toolchains, workDirectory, module, limits });
    return await executor.build({ program: testProgram({ text }), timeoutMs: 300_000 });
  }
  const refused = (rule: string, message: string) => ({ kind: "failed", result: { errorNo: 3, rule, message } });

  test("a file larger than a build may write is refused, and named as that; the default has room for it", async () => {
    const text = `char large[1 << 20] = {1};\n${goodText}`;
    const words = "the compiler wrote a file of more than the 0 MiB that a build may write";
    expect(await built({ fileBytes: 2 ** 16 }, text)).toMatchObject(refused("build_files", words));
    expect(await built({}, text)).toMatchObject({ kind: "built" });
  });

  test("so is a compiler that takes more memory than it may", async () => {
    const macros = Array.from({ length: 6 }, (_, i) => `#define ${"BCDEFG"[i]} ${`${"ABCDEF"[i]} `.repeat(14)}`).join("\n");
    const text = `#define A x,\n${macros}\nint x;\nvoid kernel(void *const *args) { int large[] = {G 0}; *(int *)args[0] = large[x]; }`;
    const words = "the compiler needed more memory than the 128 MiB that a build may take";
    expect(await built({ memoryBytes: 2 ** 27 }, text)).toMatchObject(refused("build_memory", words));
  });
});

describe.each(["landlock", "bubblewrap"] as const)("builds in %s alone", (name) => {
  const base = mkdtempSync(join(tmpdir(), "warpfarm-build-sandbox-"));
  afterAll(() => rmSync(base, { recursive: true, force: true }));

  test("compile, are refused with the compiler's words, are killed with it at the build timeout, and make a lock anew", async (ctx) => {
    needs(ctx, "cc");
    const toolchains = cc === undefined ? [] : [cc];
    const [workDirectory, lockDirectory] = [join(base, "work"), mkdtempSync(join(base, "lock-"))];
    const sandbox = { layers: layerAlone(ctx, name), koffi, readable: installations(toolchains, []) };
    const module = fixture("child.mjs");
    await using executor = new LocalBuildExecutor({ ...ours(lockDirectory), toolchains, workDirectory, module, sandbox });
    const build = (text: string, timeoutMs = 300_000) => executor.build({ program: testProgram({ text }), timeoutMs });
    expect(await build(goodText)).toMatchObject({ kind: "built" });
    // The launcher's filter of system calls, and the child's own.
    if (name === "landlock") expect(compilersIn(workDirectory, "child.mjs").map(filtersOf)).toEqual([filtersOf(process.pid) + 2]);
    const wrong = await build("void kernel(void *const *args) { undeclared(; }");
    expect(wrong).toMatchObject({ kind: "failed", result: { log: expect.stringContaining("kernel.c:1:"), toolchain: onText } });
    // A busy machine may take longer until the compiler runs.
    for (let timeoutMs = 500, by: string | undefined; by !== onText; timeoutMs *= 2) {
      const late = await build(endlessText, timeoutMs);
      expect(late).toMatchObject({ kind: "failed", result: { rule: "build_timeout" } });
      by = late.kind === "failed" ? late.result.toolchain : undefined;
    }
    await until(() => compilersIn(workDirectory).length === 0, "the compiler to end");
    // Somebody cleaned the lock's files away: the next build makes and holds them.
    for (const file of readdirSync(lockDirectory)) rmSync(join(lockDirectory, file));
    expect(await build(goodText)).toMatchObject({ kind: "built" });
    expect(readdirSync(lockDirectory)).toHaveLength(2);
  });
});

describe("builds in children", () => {
  const base = mkdtempSync(join(tmpdir(), "warpfarm-build-test-"));
  const workDirectory = join(base, "work");
  let executor: LocalBuildExecutor;
  const heldUp: string[] = [];
  const toolchains: readonly ToolchainFacts[] = cc === undefined ? [] : [cc];

  beforeAll(async () => {
    if (!has("cc")) return undefined;
    const patience: LockPatience = new LockPatience({
      directory: base,
      patienceMs: 1_000,
      onChange: () => heldUp.push(patience.trouble),
    });
    executor = new LocalBuildExecutor({
      compilerVersion: "0",
      toolchains,
      lockDirectory: base,
      workDirectory,
      module: bundled("build-child"),
      patience,
    });
    await executor.start();
    return () => executor[Symbol.asyncDispose]();
  });
  afterAll(() => rmSync(base, { recursive: true, force: true }));
  beforeEach((ctx) => needs(ctx, "cc"));

  const build = (fields: Record<string, unknown>, timeoutMs = 120_000, signal?: AbortSignal): Promise<BuildResult> =>
    executor.build({ program: testProgram(fields), timeoutMs }, signal === undefined ? {} : { signal });
  /** What must hold after anything. */
  async function expectsGood(): Promise<void> {
    expect(await build({ text: goodText })).toMatchObject({ kind: "built" });
    expect(readdirSync(workDirectory).flatMap((child) => readdirSync(join(workDirectory, child)))).toEqual([]);
  }

  test("gives a shared object and a manifest that agree with each other, and the same bytes again", async () => {
    const first = await build({ text: goodText });
    const second = await build({ text: goodText });
    if (first.kind !== "built" || second.kind !== "built") throw new Error(JSON.stringify(first));
    const { manifest, manifestBytes, code, digest } = first.artifact;
    expect(Buffer.from(code.subarray(0, 4)).toString("latin1")).toBe("\x7fELF");
    expect(manifest.code).toBe(digestOf(code));
    expect(digest).toBe(digestOf(manifestBytes));
    expect(decodeManifest(manifestBytes)).toEqual({ ok: true, value: manifest });
    expect(manifest).toMatchObject({
      program: testProgram({ text: goodText }).digest,
      target: "cpu/x86-64-v1",
      format: "so",
      toolchain: cc?.id,
    });
    expect(first.buildMs).toBeGreaterThan(0);
    expect(second.artifact.digest).toBe(digest);
  });

  test("each level gets its own instructions, and no level those of this machine", async () => {
    if (!toolchains[0]?.targets.includes("cpu/x86-64-v4")) return console.log("SKIP: the compiler is not one for x86-64-v4");
    const text = "void kernel(void *const *args) { float *y = args[0]; for (int i = 0; i < 4096; i++) y[i] = y[i] * y[i] + 1; }";
    const widest = new Map<string, string>();
    for (const level of ["v1", "v3", "v4"]) {
      const built = await build({ text, target: `cpu/x86-64-${level}` });
      if (built.kind !== "built") throw new Error(JSON.stringify(built));
      const file = join(base, `${level}.so`);
      writeFileSync(file, built.artifact.code);
      const listing = execFileSync("objdump", ["-d", file], { encoding: "utf8" });
      widest.set(
        level,
        /zmm|\{%k|v(?:r|e)?cvt.*evex|%[xy]mm(?:1[6-9]|[23]\d)/.test(listing) ? "avx512" : /%ymm/.test(listing) ? "avx" : "sse",
      );
      expect(/vfmadd/.test(listing), level).toBe(level !== "v1");
    }
    expect(widest.get("v1")).toBe("sse");
    expect(widest.get("v3")).toBe("avx");
  });

  test("a refusal by the schedule is INSTANTIATION_ERROR with its rule", async () => {
    expect(await build({ refuse: "factors do not cover" })).toMatchObject({
      kind: "failed",
      result: { errorNo: 1, rule: "split.cover", message: "factors do not cover", toolchain: "warpfarm 0" },
    });
  });

  test("a manifest that the tracker would refuse is the compiler's bug, told at once with the place in it", async () => {
    expect(await build({ text: goodText, buffer: "conv.rf" })).toMatchObject({
      kind: "failed",
      result: {
        errorNo: 2,
        rule: "internal_error",
        message: "the compiler made a manifest that no tracker takes: manifest.kernels[0].args[0]: a name [A-Za-z_]\\w{0,63}",
        log: expect.stringContaining('"name":"conv.rf"'),
      },
    });
    await expectsGood();
  });

  test("a manifest with text that no document can carry is told, and the builder goes on", async () => {
    const message = expect.stringContaining("lone surrogate");
    expect(await build({ text: goodText, buffer: "LONE" })).toMatchObject({ kind: "failed", result: { errorNo: 2, message } });
    await expectsGood();
  });

  test.each([
    ["garbage", [Buffer.alloc(64, 0xa5)], "a frame of 2779096485 bytes was announced"],
    ["a second begin, which would give it more time", ["begun"], 'it said "begun" more than 1 times'],
  ] as const)("a child that writes %s into its channel is ended, its program fails, and the builder goes on", async (_, writes, words) => {
    // The fixture repeats what the child said when it began: it cannot know the request's id, so the host's own is fixed here.
    const bytes = writes.map((write) =>
      write === "begun" ? encodeFrame({ kind: "progress", id: "one", value: { begun: true } }) : write,
    );
    const fixed = join(base, `fixed-${writes.length}-${words.length}`);
    await using another = new LocalBuildExecutor({
      ...{ compilerVersion: "0", toolchains, lockDirectory: base, workDirectory: fixed, module: bundled("build-child") },
      newId: () => "one",
    });
    const garble = bytes.map((write) => write.toString("base64"));
    const outcome = await another.build({ program: testProgram({ text: goodText, garble }), timeoutMs: 120_000 });
    expect(outcome).toMatchObject({
      kind: "failed",
      result: { errorNo: 2, rule: "channel", message: expect.stringContaining(words) },
    });
    expect(await another.build({ program: testProgram({ text: goodText }), timeoutMs: 120_000 })).toMatchObject({
      kind: "built",
    });
  });

  test("tensor maps of a text stand in its manifest", async () => {
    const maps = [{ buffer: "y", type: "float32" }];
    expect(await build({ text: goodText, maps })).toMatchObject({
      kind: "failed",
      result: {
        message: expect.stringContaining("manifest.maps[0].dims"),
        log: expect.stringMatching(/"maps":\[\{"buffer":"y","type":"float32"\}\].*"version":1/),
      },
    });
  });

  test("a refusal by the compiler is COMPILE_DEVICE with its words, and without paths of this machine", async () => {
    const result = await build({ text: "void kernel(void *const *args) { undeclared(; }" });
    expect(result).toMatchObject({
      kind: "failed",
      result: { errorNo: 3, rule: "toolchain", log: expect.stringContaining("kernel.c:1:"), toolchain: onText },
    });
    if (result.kind !== "failed") return;
    expect(result.result.message).toContain("error");
    expect(result.result.log).not.toContain(workDirectory);
    expect(result.result.log).not.toMatch(/\/usr|\/tmp/);
  });

  test("no header is found, not even a standard one", async () => {
    expect(await build({ text: `#include <stdio.h>\n${goodText}` })).toMatchObject({ kind: "failed", result: { errorNo: 3 } });
  });

  test("a log is cut at 64 KiB", async () => {
    const text = Array.from({ length: 1_000 }, (_, i) => `int f${i}(void) { return undeclared${i}; }`).join("\n");
    const result = await build({ text });
    if (result.kind !== "failed") throw new Error("built");
    const bytes = Buffer.byteLength(result.result.log ?? "");
    expect(bytes).toBeGreaterThan(50_000);
    expect(bytes).toBeLessThanOrEqual(65_536);
    await expectsGood();
  });

  test("a compile that runs away is killed with its compiler at the build timeout", async () => {
    // A busy machine may take longer until the compiler runs.
    let hasRun = false;
    for (let timeoutMs = 500; !hasRun; timeoutMs *= 2) {
      let isOver = false;
      const running = build({ text: endlessText }, timeoutMs).finally(() => {
        isOver = true;
      });
      await until(() => {
        hasRun ||= compilersIn(workDirectory).length > 0;
        return hasRun || isOver;
      }, "the compiler, or the timeout");
      const limit = timeoutMs < 1_000 ? `${timeoutMs}ms` : `${timeoutMs / 1_000}s`;
      const words = `not built within the build timeout of ${limit}; a longer build_timeout allows more`;
      expect(await running).toMatchObject({ kind: "failed", result: { errorNo: 6, rule: "build_timeout", message: words } });
    }
    await until(() => compilersIn(workDirectory).length === 0, "the compiler to end");
    await expectsGood();
  });

  test("so is a lowering that does not end", async () => {
    expect(await build({ loop: true }, 300)).toMatchObject({ kind: "failed", result: { errorNo: 6 } });
    await expectsGood();
  });

  test("a bug of the lowering is COMPILE_HOST with its stack in the log, and the child is replaced", async () => {
    const result = await build({ bug: "invariant broken" });
    expect(result).toMatchObject({
      kind: "failed",
      result: {
        errorNo: 2,
        rule: "internal_error",
        message: "invariant broken",
        log: expect.stringMatching(/invariant broken\n +at /),
      },
    });
    await expectsGood();
  });

  test.each([
    "SIGKILL",
    "SIGSEGV",
  ])("a child that dies by %s is no verdict on the program: the build is to be tried elsewhere", async (die) => {
    const error = await build({ die }).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(FarmError);
    expect(error).toMatchObject({ code: "UNAVAILABLE", message: expect.stringContaining(die) });
    await expectsGood();
  });

  test("a full disk is the builder's trouble and no verdict on the program", async () => {
    const error = await build({ text: "#error No space left on device\n" }).catch((e: unknown) => e);
    expect(error).toMatchObject({ message: expect.stringMatching(/^the disk of .* is full: /) });
    await expectsGood();
  });

  test("a target no toolchain of this builder has is no verdict either", async () => {
    await expect(build({ text: goodText, target: "cpu/riscv" })).rejects.toMatchObject({ code: "FAILED_PRECONDITION" });
  });

  test("cancelled: the compile goes, and the reason comes back", async () => {
    const controller = new AbortController();
    const reason = new FarmError("CANCELLED", "lease called back");
    const running = expect(build({ text: endlessText }, 120_000, controller.signal)).rejects.toBe(reason);
    await until(() => compilersIn(workDirectory).length > 0, "the compiler");
    controller.abort(reason);
    await running;
    await until(() => compilersIn(workDirectory).length === 0, "the compiler to end");
    await expectsGood();
  });

  test("a compile waits while a kernel is timed: it has not begun, its timeout does not run, and who makes it wait long is said", async () => {
    const locker = join(import.meta.dirname, "../../test-support/fixtures/locker.mjs");
    // The compile itself must take less than its timeout, however busy the machine is.
    for (let timeoutMs = 1_500, isBuilt = false; !isBuilt; timeoutMs *= 2) {
      const timing = spawn(process.execPath, [locker, base, "exclusive"], { stdio: ["pipe", "pipe", "inherit"] });
      try {
        let said = "";
        timing.stdout.on("data", (text) => {
          said += text;
        });
        await until(() => said.includes("held"), "the lock");
        heldUp.splice(0); // builds of the tests before may have waited, too
        let isDone = false;
        let begun = 0;
        const onBegin = () => begun++;
        const running = executor.build({ program: testProgram({ text: goodText }), timeoutMs }, { onBegin }).finally(() => {
          isDone = true;
        });
        await new Promise((resolve) => setTimeout(resolve, timeoutMs + 500));
        await until(() => heldUp.length > 0 || isDone, "a word about who holds the lock");
        expect(isDone).toBe(false);
        expect(begun).toBe(0);
        expect(heldUp.splice(0)).toEqual([expect.stringContaining(`process ${timing.pid} holds it`)]);
        timing.stdin.write("\n");
        const outcome = await running;
        expect(begun).toBe(1);
        expect(heldUp.splice(0)).toEqual([""]);
        isBuilt = outcome.kind === "built";
        if (!isBuilt) expect(outcome).toMatchObject({ kind: "failed", result: { rule: "build_timeout" } });
      } finally {
        timing.kill("SIGKILL");
      }
    }
  });

  test("after kill -9 of the builder neither compile child nor compiler remains", async () => {
    const script = fixture("builder.mjs");
    const folder = join(base, "killed");
    const builder = spawn(
      process.execPath,
      [script, JSON.stringify({ toolchains, lockDirectory: base, workDirectory: folder, text: endlessText })],
      {
        stdio: ["ignore", "pipe", "inherit"],
      },
    );
    try {
      const [line] = await once(builder.stdout, "data");
      const child = Number(String(line));
      await until(() => compilersIn(folder).length > 0, "the compiler");
      const compilers = compilersIn(folder);
      builder.kill("SIGKILL");
      expect(await leftOf([child, ...compilers])).toEqual([]);
    } finally {
      builder.kill("SIGKILL");
    }
  });
});
