/** The runner as a process, against a tracker over loopback. Needs the compiled package (`npm run build`). */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defaultMeasureOptions, FarmError, type LeaseId } from "@warpfarm/common";
import { encodeManifest, type RunJob } from "@warpfarm/proto";
import { beforeEach, describe, expect, test } from "vitest";
import { bundled } from "../../test-support/bundles.ts";
import { KernelFolder, tensor } from "../../test-support/kernels.ts";
import { needs } from "../../test-support/needs.ts";
import { leftOf } from "../../test-support/processes.ts";
import { descendants, Spawned } from "../../test-support/spawned.ts";
import { TestTracker } from "../../test-support/tracker.ts";
import { runnerMain } from "./main.ts";
import type { LocalArtifact } from "./worker/messages.ts";

describe("the runner process", () => {
  let base: string;
  let tracker: TestTracker;
  let kernels: KernelFolder;
  let started: Spawned[];

  beforeEach(async (ctx) => {
    needs(ctx, "cc");
    base = mkdtempSync(join(tmpdir(), "warpfarm-runner-test-"));
    tracker = await TestTracker.start();
    kernels = new KernelFolder();
    started = [];
    return async () => {
      for (const process of started) process.kill();
      await Promise.all(started.map((process) => process.ended));
      await tracker[Symbol.asyncDispose]();
      kernels[Symbol.dispose]();
      rmSync(base, { recursive: true, force: true });
    };
  });

  function spawnRunner(options: Record<string, unknown> = {}, env: Record<string, string> = {}): Spawned {
    const all = { tracker: tracker.address, device: "cpu", threads: 2, cacheDirectory: join(base, "cache"), ...options };
    const runner = new Spawned(bundled("runner"), [JSON.stringify(all)], { XDG_RUNTIME_DIR: base, ...env });
    started.push(runner);
    return runner;
  }
  /** Puts an artifact where runners can fetch it. */
  function publish({ manifest, codePath }: LocalArtifact) {
    const { digest, bytes } = encodeManifest(manifest);
    tracker.blobs.set(digest, bytes).set(manifest.code, readFileSync(codePath));
    return digest;
  }
  const specs = [tensor("x", "in", "float32", [64]), tensor("y", "out", "float32", [64])];
  const good = "float *x = (float *)a0, *y = (float *)a1; for (int i = 0; i < 64; i++) y[i] = x[i] + 1;";
  function assign(body: string, runTimeoutMs = 120_000): LeaseId {
    const reference = publish(kernels.build(specs, good));
    const artifact = publish(kernels.build(specs, body));
    const options = { ...defaultMeasureOptions("cpu"), minRepeatMs: 1, runTimeoutMs };
    const job: RunJob = {
      kind: "run",
      device: 0,
      artifact,
      reference,
      options,
      attempt: 1,
      buildMs: 3,
      queueMs: 2,
      owner: "alice",
    };
    return tracker.assign(job);
  }
  const endless = "for (volatile int i = 0;; i++);";
  const timed = { kind: "run", result: { kind: "timed", checked: true, buildMs: 3, attempt: 1 } };
  /** Resolves when a child works: its lease runs and its kernel uses processor time. */
  const running = (lease: LeaseId) =>
    tracker.until(() => tracker.calls.find(({ running }) => running.includes(lease)), `a call that names lease ${lease}`);

  test("ends when the probe of the sandbox is killed again and again, and runs kernels without one only if that is asked for", async () => {
    const killed = mkdtempSync(join(base, "killed-"));
    writeFileSync(join(killed, "bwrap"), "#!/bin/sh\nkill -9 $$\n", { mode: 0o755 });
    const path = `${killed}:${process.env.PATH}`;
    const refused = spawnRunner({}, { PATH: path });
    await refused.says(/refused: UNAVAILABLE: could not find out .*SIGKILL.*--no-sandbox/);
    expect(await refused.ended).toMatchObject({ code: 2 });
    expect(tracker.registrations).toEqual([]);
    const without = spawnRunner({ withoutSandbox: true }, { PATH: path });
    await without.says(/^runner ready /m);
    expect(await tracker.outcome(assign(good))).toMatchObject(timed);
  });

  test("registers with what it is, says so, measures what it is given, and ends with 0 on SIGTERM", async () => {
    const runner = spawnRunner({ labels: { rack: "7" }, node: "box" });
    const [, worker, key] = await runner.says(/^runner ready (\S+) (cpu\/\S+) at \S+: .+$/m);
    const [registration] = tracker.registrations;
    expect(registration).toMatchObject({
      node: "box",
      labels: { rack: "7" },
      role: { kind: "runner", devices: [{ limits: { threads: 2 }, facts: { key } }] },
    });
    expect(worker).toBe(`w-${registration?.instanceId}`);
    const [first, second] = [assign(good), assign(`${good} y[63] = 0;`)];
    expect(await tracker.outcome(first)).toMatchObject(timed);
    expect(await tracker.outcome(second)).toMatchObject({
      kind: "run",
      result: { kind: "failed", errorNo: 5, mismatch: { index: 63, got: 0 } },
    });
    runner.kill("SIGTERM");
    expect(await runner.ended).toEqual({ code: 0, signal: null });
  });

  test("a lease called back stops its kernel; the next job is right; SIGTERM hands the next one without end back, nothing remains", async () => {
    const runner = spawnRunner();
    const stopped = assign(endless);
    await running(stopped);
    tracker.callBack(stopped);
    expect(await tracker.outcome(assign(good))).toMatchObject(timed);
    expect(tracker.outcomes.has(stopped)).toBe(false);

    const says = 'extern int puts(const char *), fflush(void *); puts("it began"); fflush((void *)0);';
    const lease = assign(`${says} ${endless}`);
    await runner.says(/it began/);
    const children = descendants(runner.pid);
    expect(children.length).toBeGreaterThanOrEqual(2);
    runner.kill("SIGTERM");
    expect(await runner.ended).toEqual({ code: 0, signal: null });
    expect(await tracker.outcome(lease)).toMatchObject({
      kind: "fault",
      suspect: false,
      leaving: true,
      message: expect.stringContaining("shutting down"),
    });
    expect(tracker.calls.at(-1)).toMatchObject({ leaving: true, running: [], free: [{ count: 0 }] });
    expect(await leftOf(children)).toEqual([]);
  });

  test("a tracker that dies and comes back gets the outcome, from the same registration", async () => {
    const runner = spawnRunner({}, { WARPFARM_DEBUG: "1" });
    const says = 'extern int puts(const char *), fflush(void *); puts("it began"); fflush((void *)0);';
    const lease = assign(`${says} extern int usleep(unsigned); usleep(300000); ${good}`);
    await runner.says(/it began/); // it has what it needs from the tracker
    await tracker.die();
    await runner.says(/lost the tracker/);
    await runner.says(/"msg":"timed"/); // the outcome is there, and nobody to tell
    await tracker.revive();
    expect(await tracker.outcome(lease)).toMatchObject(timed);
    expect(await tracker.outcome(assign(good))).toMatchObject(timed);
    expect(tracker.registrations).toHaveLength(1);
  });

  test("a second runner of the processor says which one serves it and ends; asked to wait it begins when that one has ended", async () => {
    const first = spawnRunner();
    await first.says(/^runner ready/m);
    const second = spawnRunner({ node: "two" });
    await second.says(
      new RegExp(
        `refused: FAILED_PRECONDITION: cpu of this machine has a runner already, .* process ${first.pid}, .*; end that one, or let warpfarm runner --wait wait`,
      ),
    );
    expect(await second.ended).toEqual({ code: 2, signal: null });
    const patient = spawnRunner({ node: "three", wait: true });
    await patient.says(/waiting: cpu of this machine has a runner already/);
    // A runner that lives as long as a command is admitted, and takes turns.
    const passing = spawnRunner({ under: true, exitWithParent: true, node: "four" });
    await passing.says(/^runner ready/m);
    expect(tracker.registrations.map(({ node }) => node)).not.toContain("three");
    first.kill("SIGTERM");
    await patient.says(/^runner ready/m);
    const never = spawnRunner({ wait: true });
    await never.says(/waiting: cpu/);
    never.kill("SIGTERM");
    expect((await never.ended).signal).toBe(null);
  });

  test("started before its tracker it waits for it", async () => {
    await tracker.die();
    const runner = spawnRunner();
    await runner.says(/could not register/);
    await tracker.revive();
    await runner.says(/^runner ready/m);
  });

  test("after kill -9 of the process that started it nothing remains, also no kernel without end", async () => {
    const parent = spawnRunner({ under: true, exitWithParent: true });
    const [, pid] = await parent.says(/^pid (\d+)$/m);
    await running(assign(endless));
    const all = [Number(pid), ...descendants(Number(pid))];
    expect(all.length).toBeGreaterThanOrEqual(3);
    parent.kill("SIGKILL");
    expect(await leftOf(all)).toEqual([]);
  });

  test("after kill -9 of the runner its children go", async () => {
    const runner = spawnRunner();
    await running(assign(endless));
    const children = descendants(runner.pid);
    runner.kill("SIGKILL");
    expect(await leftOf(children)).toEqual([]);
  });
});

test.each([
  [{ device: "tpu" }, 'device "tpu" is not known'],
  [{ threads: 0 }, "--threads 0: an integer from 1 to 1024"],
  [{ tracker: "nowhere" }, 'address "nowhere" is not host:port'],
  [{ tokenFile: "/does/not/exist" }, "--token-file /does/not/exist cannot be read"],
  [{ tlsCa: "/does/not/exist" }, "--tls-ca /does/not/exist cannot be read"],
  [{ cacheDirectory: "/dev/null/x" }, "cache directory /dev/null/x"],
  [{ cacheDirectory: "/sys" }, "cache directory /sys: nothing can be written there"],
])("refuses %j in one sentence", async (options, sentence) => {
  const error = await runnerMain({ tracker: "127.0.0.1:1", device: "cpu", ...options }).catch((e: unknown) => e);
  expect(error).toBeInstanceOf(FarmError);
  expect((error as FarmError).message).toContain(sentence);
});
