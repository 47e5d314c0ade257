/**
 * The builder as a process, against a tracker over loopback, with the real compiler. Needs the compiled package (`npm run
 * build`).
 */
import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FarmError, type LeaseId, type ProgramBytes, toDigest } from "@warpfarm/common";
import { noSandbox } from "@warpfarm/common/process";
import { add, at, compute, defaultSchedule, encodeProgram, graphOf, placeholder } from "@warpfarm/compiler";
import { decodeManifest } from "@warpfarm/proto";
import { beforeEach, describe, expect, test } from "vitest";
import { bundled } from "../../test-support/bundles.ts";
import { needs } from "../../test-support/needs.ts";
import { leftOf } from "../../test-support/processes.ts";
import { descendants, Spawned } from "../../test-support/spawned.ts";
import { TestTracker } from "../../test-support/tracker.ts";
import { openLocalBuilder } from "./local-builder.ts";
import { builderMain } from "./main.ts";
import { ccFlags } from "./toolchain/cc.ts";
import { findToolchains } from "./toolchain/index.ts";

const { toolchains } = await findToolchains(process.env.PATH ?? "", tmpdir());
const cc = toolchains.find(({ kind }) => kind === "cc");
const target = cc?.targets[0] ?? "cpu/x86-64-v1";

/** y = x + addend over n elements, by its default schedule. */
function program(n: number, addend = 1): ProgramBytes {
  const x = placeholder("x", [n]);
  const y = compute("y", [["i", n]], (i) => add(at(x, i), addend));
  const graph = graphOf([x], [y]);
  return encodeProgram(graph, defaultSchedule(graph, target).trace, target);
}

describe("the builder process", () => {
  let base: string;
  let tracker: TestTracker;
  let started: Spawned[];

  beforeEach(async (ctx) => {
    needs(ctx, "cc");
    base = mkdtempSync(join(tmpdir(), "warpfarm-builder-test-"));
    tracker = await TestTracker.start();
    started = [];
    return async () => {
      for (const process of started) process.kill();
      await Promise.all(started.map((process) => process.ended));
      await tracker[Symbol.asyncDispose]();
      rmSync(base, { recursive: true, force: true });
    };
  });

  function spawnBuilder(options: Record<string, unknown> = {}, env: Record<string, string> = {}): Spawned {
    const all = { tracker: tracker.address, slots: 2, cacheDirectory: join(base, "cache"), ...options };
    const builder = new Spawned(bundled("builder"), [JSON.stringify(all)], { XDG_RUNTIME_DIR: base, TMPDIR: base, ...env });
    started.push(builder);
    return builder;
  }
  const assign = (bytes: ProgramBytes, timeoutMs = 120_000): LeaseId =>
    tracker.assign({ kind: "build", program: bytes, timeoutMs });
  const running = (lease: LeaseId) =>
    tracker.until(() => tracker.calls.find(({ running }) => running.includes(lease)), `a call that names lease ${lease}`);

  test("ends when the probe of the sandbox is killed again and again, and compiles without a sandbox only if that is asked for", async () => {
    const killed = mkdtempSync(join(base, "killed-"));
    writeFileSync(join(killed, "bwrap"), "#!/bin/sh\nkill -9 $$\n", { mode: 0o755 });
    const path = `${killed}:${process.env.PATH}`;
    const refused = spawnBuilder({}, { PATH: path });
    await refused.says(/refused: UNAVAILABLE: could not find out .*SIGKILL.*--no-sandbox/);
    expect(await refused.ended).toMatchObject({ code: 2 });
    expect(tracker.registrations).toEqual([]);
    const without = spawnBuilder({ withoutSandbox: true }, { PATH: path });
    await without.says(/^builder ready /m);
    expect(await tracker.outcome(assign(program(100)))).toMatchObject({ kind: "built" });
  });

  test("registers with what it builds for, says so, builds, uploads, and ends with 0 on SIGTERM; the next one has it cached", async () => {
    const builder = spawnBuilder({ node: "box" });
    await builder.says(/^builder ready \S+ at \S+: 2 slots, .+$/m);
    expect(tracker.registrations).toMatchObject([
      {
        node: "box",
        role: {
          kind: "builder",
          slots: 2,
          targets: expect.arrayContaining([target]),
          toolchains: expect.arrayContaining([cc?.id]),
        },
      },
    ]);
    const built = await tracker.outcome(assign(program(100)));
    if (built.kind !== "built") throw new Error(JSON.stringify(built));
    expect(built.cached).toBe(false);
    const manifest = decodeManifest(tracker.blobs.get(built.artifact) ?? new Uint8Array());
    if (!manifest.ok) throw new Error(manifest.error.message);
    expect(manifest.value).toMatchObject({ program: program(100).digest, target, format: "so", toolchain: cc?.id });
    expect(
      Buffer.from(tracker.blobs.get(toDigest(manifest.value.code)) ?? "")
        .subarray(1, 4)
        .toString(),
    ).toBe("ELF");
    builder.kill("SIGTERM");
    expect(await builder.ended).toEqual({ code: 0, signal: null });

    tracker.blobs.clear();
    spawnBuilder();
    expect(await tracker.outcome(assign(program(100)))).toMatchObject({
      kind: "built",
      artifact: built.artifact,
      cached: true,
      buildMs: 0,
    });
    expect(tracker.blobs.size).toBe(2);
    const [{ role } = { role: undefined }] = tracker.registrations;
    const made = [program(100).digest, role?.kind === "builder" && role.compilerVersion, cc?.id, ccFlags(target)];
    const name = createHash("sha256").update(JSON.stringify(made)).digest("hex");
    expect(readdirSync(join(base, "cache"))).toContain(`${name}.build`);
  });

  test("looks for room where builds write, and leaves nothing there", async () => {
    const temporaryDirectory = mkdtempSync(join(base, "room-"));
    await using builder = await openLocalBuilder({
      ...{ slots: 1, fromNetwork: false, searchPath: process.env.PATH ?? "", lockDirectory: base, layers: noSandbox },
      ...{ cacheDirectory: join(base, "cache"), temporaryDirectory, module: bundled("build-child") },
    });
    const files = () => readdirSync(temporaryDirectory, { recursive: true });
    const before = files();
    expect(before.length).toBeGreaterThan(0);
    expect(await builder.hasRoom()).toBe(true);
    expect(files()).toEqual(before);
    rmSync(temporaryDirectory, { recursive: true });
    expect(await builder.hasRoom()).toBe(false);
  });

  test("both slots work at once, and every outcome arrives; a program that is none is refused with the path in the document", async () => {
    spawnBuilder();
    const leases = Array.from({ length: 6 }, (_, i) => assign(program(10 + i)));
    const { bytes, digest } = program(20);
    const broken = assign({ digest, bytes: Buffer.from(Buffer.from(bytes).toString().replace('"axes"', '"axis"')) });
    for (const lease of leases) expect(await tracker.outcome(lease)).toMatchObject({ kind: "built" });
    expect(Math.max(...tracker.calls.map((call) => call.running.length))).toBe(2);
    expect(await tracker.outcome(broken)).toMatchObject({
      kind: "build_failed",
      result: { errorNo: 1, rule: "program", message: expect.stringMatching(/ops.*axis/) },
    });
  });

  test("SIGTERM hands back what a compiler has, and leaves out what waits for a kernel to be timed", async () => {
    const locker = join(import.meta.dirname, "../../test-support/fixtures/locker.mjs");
    const builder = spawnBuilder();
    await builder.says(/builder ready/);
    await tracker.outcome(assign(program(10)));
    const timing = new Spawned(locker, [base, "exclusive"], {});
    started.push(timing);
    await timing.says(/held/);
    const lease = assign(program(11));
    await running(lease);
    builder.kill("SIGTERM");
    expect(await builder.ended).toEqual({ code: 0, signal: null });
    expect(tracker.calls.at(-1)).toMatchObject({ leaving: true, running: [], outcomes: [], free: [{ count: 0 }] });
    expect(tracker.outcomes.has(lease)).toBe(false);
  });

  test("a tracker that dies and comes back gets the outcome", async () => {
    const builder = spawnBuilder();
    await builder.says(/builder ready/);
    await tracker.outcome(assign(program(10)));
    const lease = assign(program(11));
    await running(lease);
    await tracker.die();
    await builder.says(/lost the tracker/);
    await tracker.revive();
    expect(await tracker.outcome(lease)).toMatchObject({ kind: "built" });
    expect(tracker.registrations).toHaveLength(1);
  });

  test("after kill -9 of the process that started it nothing remains", async () => {
    const parent = spawnBuilder({ under: true, exitWithParent: true });
    const [, pid] = await parent.says(/^pid (\d+)$/m);
    await tracker.outcome(assign(program(10)));
    const all = [Number(pid), ...descendants(Number(pid))];
    expect(all.length).toBeGreaterThanOrEqual(2);
    parent.kill("SIGKILL");
    expect(await leftOf(all)).toEqual([]);
  });

  test("without a compiler it says what to install, in one sentence", async () => {
    const builder = spawnBuilder({}, { PATH: base });
    // Where a CUDA compiler has a folder of its own, the builder continues with it.
    await builder.says(/no working C compiler: looked for cc, gcc, clang in PATH; install one, for instance/);
    expect(builder.said).not.toContain("    at ");
  });
});

test.each([
  [{ slots: 0 }, "--slots 0: an integer from 1 to 1024"],
  [{ tracker: "x:99999" }, 'address "x:99999" is not host:port'],
  [{ tlsCa: "/does/not/exist" }, "--tls-ca /does/not/exist cannot be read"],
])("refuses %j in one sentence", async (options, sentence) => {
  const error = await builderMain({ tracker: "127.0.0.1:1", ...options }).catch((e: unknown) => e);
  expect(error).toBeInstanceOf(FarmError);
  expect((error as FarmError).message).toContain(sentence);
});

test.each(["/dev/null/x", "/sys"])("a cache directory that cannot be used is named: %s", async (cacheDirectory) => {
  const options = { slots: 1, fromNetwork: false, searchPath: "", lockDirectory: tmpdir(), cacheDirectory };
  const error = await openLocalBuilder(options).catch((e: unknown) => e);
  expect(error).toMatchObject({
    code: "FAILED_PRECONDITION",
    message: expect.stringContaining(`cache directory ${cacheDirectory}`),
  });
});
