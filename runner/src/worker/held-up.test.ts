/**
 * A device, or the timing lock, that another process has: what the supervisor does and reports meanwhile, and that it continues
 * afterwards.
 */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type ArtifactManifest, defaultMeasureOptions, toArtifactDigest, toDigest, toProgramDigest } from "@warpfarm/common";
import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest";
import { bundled } from "../../../test-support/bundles.ts";
import { KernelFolder, tensor } from "../../../test-support/kernels.ts";
import { needs } from "../../../test-support/needs.ts";
import { until } from "../../../test-support/until.ts";
import { lockDevice } from "../device/device-lock.ts";
import { DeviceHost, type DeviceHostOptions } from "./host.ts";
import type { LocalArtifact } from "./messages.ts";

const slow = { timeout: 120_000 };
const digest = `sha256:${"1".repeat(64)}`;
const manifest: ArtifactManifest = {
  version: 1,
  program: toProgramDigest(digest),
  target: "cuda/sm_90",
  format: "cubin",
  code: toDigest(digest),
  kernels: [],
  buffers: [],
  resources: { registers: 0, spill_bytes: 0, static_shared_bytes: 0 },
  toolchain: "scripted",
  notes: [],
};
let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "warpfarm-held-up-"));
});
afterEach(() => rmSync(directory, { recursive: true }));

const hostOf = (device: string, options: Partial<DeviceHostOptions> = {}) =>
  new DeviceHost({
    node: "n",
    settings: { device, threads: 1, lockDirectory: directory, addressSpaceBytes: 2 ** 40, keepBytes: 0 },
    ...options,
  });
const single = () => hostOf("cuda:0", { module: bundled("single-device") });
const artifact: LocalArtifact = { digest: toArtifactDigest(digest), manifest, codePath: "" };
const measured = (host: DeviceHost) =>
  host.run({ artifact, options: defaultMeasureOptions("cuda"), attempt: 1, buildMs: 0, owner: "alice" });
const inUse = "device cuda:0: in use by process 7";
/** The child ends, and with it what it had. */
async function endChild(host: DeviceHost): Promise<void> {
  process.kill(host.childPid as number, "SIGKILL");
  await until(() => host.childPid === undefined, "the child's end");
}
/** Somebody else has the device. */
function otherHolder(name = "one"): Disposable {
  const lock = lockDevice(name, directory);
  if (!lock.ok) throw new Error(lock.error.message);
  return lock.value;
}
/** While another process is there, the job is returned and the node says why. Afterwards both continue. */
async function handsBackBeside(host: DeviceHost, other?: string): Promise<void> {
  {
    using _other = otherHolder(other);
    expect(await measured(host)).toEqual({ kind: "fault", message: inUse, suspect: true });
    await host.recheck();
    expect(host.trouble).toBe(inUse);
  }
  await goesOn(host);
}
async function goesOn(host: DeviceHost): Promise<void> {
  await host.recheck();
  expect(host.trouble).toBe("");
  expect(await measured(host)).toMatchObject({ kind: "result", result: { message: "measured" } });
}

test(
  "on a device that takes a single process the spare, which came too early, is replaced: nobody is suspect",
  slow,
  async () => {
    await using host = single();
    expect((await host.start()).facts.name).toBe("one");
    for (let turn = 0; turn < 2; turn++) {
      await endChild(host);
      expect(await measured(host)).toMatchObject({ kind: "result", result: { message: "measured" } });
    }
    expect(host.trouble).toBe("");
  },
);

test("a device that is taken at the start is said, and by whom; whoever waits for it has it when it is free", slow, async () => {
  await using host = single();
  {
    using _taken = otherHolder();
    await expect(host.start()).rejects.toMatchObject({ code: "FAILED_PRECONDITION", message: inUse });
    expect((await host.start({ wait: true })).facts.name).toBe("one");
    await host.recheck();
    expect(host.trouble).toBe(inUse);
  }
  await goesOn(host);
});

test("a device taken while its child was away: the node says so, and goes on when it is free", slow, async () => {
  await using host = single();
  await host.start();
  await endChild(host);
  await handsBackBeside(host);
});

test(
  "somebody who comes while a child has the device: the job is handed back, and the node goes on when it is alone",
  slow,
  async () => {
    await using host = single();
    await host.start();
    await handsBackBeside(host, "beside");
  },
);

test(
  "the timing lock in another's hands: the node says whose while it waits, and measures when it is free",
  slow,
  async (ctx) => {
    needs(ctx, "cc");
    const script = fileURLToPath(new URL("../../../test-support/fixtures/locker.mjs", import.meta.url));
    const locker = spawn(process.execPath, [script, directory, "exclusive"], { stdio: ["pipe", "pipe", "inherit"] });
    onTestFinished(() => void locker.kill("SIGKILL"));
    let said = "";
    locker.stdout.on("data", (text: Buffer) => {
      said += text.toString();
    });
    await until(() => said.includes("held"), "the lock to be held");
    const troubles: string[] = [];
    await using host = hostOf("cpu", { patienceMs: 50, onHeldUp: () => troubles.push(host.trouble) });
    await host.start();
    using kernels = new KernelFolder();
    const right = kernels.build([tensor("y", "out", "float32", [1])], "*(float *)a0 = 1;");
    const options = { ...defaultMeasureOptions("cpu"), minRepeatMs: 0, runTimeoutMs: 120_000 };
    const outcome = host.run({ artifact: right, reference: right, options, attempt: 1, buildMs: 0, owner: "alice" });
    await until(() => troubles.length > 0, "trouble");
    expect(troubles[0]).toMatch(
      new RegExp(`^${directory}/warpfarm-timing.lock has not been free for 0.05 s: process ${locker.pid} holds it; end what is`),
    );
    locker.stdin.write("\n");
    expect(await outcome).toMatchObject({ kind: "result", result: { kind: "timed" } });
    expect([troubles.length, host.trouble]).toEqual([2, ""]);
  },
);
