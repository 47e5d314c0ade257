/**
 * A builder when the tracker's store, or its own disk, is full: nobody is blamed, and it takes nothing more until there is room.
 */
import { FarmError, toArtifactDigest, toLeaseId } from "@warpfarm/common";
import { afterEach, expect, test, vi } from "vitest";
import type { BuildExecutor } from "./build-executor.ts";
import { BuilderRole } from "./builder-role.ts";
import { testProgram } from "./builds.testing.ts";

const digest = toArtifactDigest(`sha256:${"a".repeat(64)}`);
const full = "the artifact store is full";

/** `refuse`: the tracker's answer to each upload, by its number from 1. */
function roleOn(
  refuse: (upload: number) => FarmError | undefined,
  own: { readonly hasRoom?: () => Promise<boolean>; readonly builds?: () => void } = {},
  begin = () => {},
) {
  const uploaded: string[] = [];
  const troubles: string[] = [];
  let uploads = 0;
  const artifact = { digest, code: Buffer.from("code"), manifestBytes: Buffer.from("manifest"), manifest: {} };
  const build: BuildExecutor["build"] = async (_, { onBegin } = {}) => {
    own.builds?.();
    onBegin?.();
    return { kind: "built", artifact: artifact as never, buildMs: 7, cached: false };
  };
  const executor = { build } as unknown as BuildExecutor;
  const role: BuilderRole = new BuilderRole({
    node: "n",
    labels: {},
    facts: { kind: "builder", slots: 2, targets: ["cpu/x86-64-v1"], toolchains: [], compilerVersion: "0", programVersions: [1] },
    executor,
    replay: async () => ({ kind: "replay_refused", message: "no" }),
    artifacts: {
      upload: async (bytes) => {
        const error = refuse(++uploads);
        if (error) throw error;
        uploaded.push(Buffer.from(bytes).toString());
        return digest;
      },
    },
    hasRoom: own.hasRoom ?? (async () => true),
    onTrouble: () => troubles.push(role.trouble()),
  });
  const work = (signal: AbortSignal) => {
    const job = { kind: "build" as const, program: testProgram({}), timeoutMs: 1_000 };
    return role.work({ leaseId: toLeaseId("l"), epoch: 1, ttlMs: 1_000, job }, { signal, begin });
  };
  return { role, work, uploaded, troubles };
}

test("a job begins when the executor says so, not when it comes", async () => {
  const told: string[] = [];
  const { work } = roleOn(
    () => undefined,
    { builds: () => told.push("asked") },
    () => told.push("begun"),
  );
  await work(new AbortController().signal);
  expect(told).toEqual(["asked", "begun"]);
});

test("what is built waits for room in the tracker's store, and says so", async () => {
  const { work, uploaded, troubles } = roleOn((n) => (n === 1 ? new FarmError("RESOURCE_EXHAUSTED", full) : undefined));
  const outcome = await work(new AbortController().signal);
  expect(outcome).toEqual({ kind: "built", artifact: digest, buildMs: 7, cached: false });
  expect(uploaded).toEqual(["code", "manifest"]);
  expect(troubles).toEqual([full, ""]);
});

test("a lease called back ends the waiting, and the trouble with it, but not another's", async () => {
  const { role, work, troubles } = roleOn(() => new FarmError("RESOURCE_EXHAUSTED", full));
  const [first, second] = [new AbortController(), new AbortController()];
  const works = [work(first.signal), work(second.signal)].map((w) => expect(w).rejects.toThrow("called back"));
  await expect.poll(() => troubles.length).toBe(2);
  first.abort(new Error("called back"));
  await works[0];
  expect(role.trouble()).toBe(full);
  second.abort(new Error("called back"));
  await works[1];
  expect(troubles).toEqual([full, full, full, ""]);
});

test("an artifact that the tracker will never take is the program's failure at once, and not tried again", async () => {
  let uploads = 0;
  const { work, troubles } = roleOn(() => {
    uploads++;
    return new FarmError("INVALID_ARGUMENT", "too large");
  });
  expect(await work(new AbortController().signal)).toMatchObject({
    kind: "build_failed",
    result: { errorNo: 2, rule: "artifact.refused", message: "the tracker refuses the artifact: too large" },
    buildMs: 7,
  });
  expect([uploads, troubles]).toEqual([1, []]);
});

afterEach(() => {
  vi.useRealTimers();
});

test("a builder whose own disk is full looks every five seconds whether there is room again", async () => {
  vi.useFakeTimers();
  let hasRoom = false;
  let looks = 0;
  const own = {
    hasRoom: async () => {
      looks++;
      return hasRoom;
    },
    builds: () => {
      if (!hasRoom) throw new FarmError("RESOURCE_EXHAUSTED", "no space left");
    },
  };
  const { role, work, troubles } = roleOn(() => undefined, own);
  const stop = new AbortController();
  const rechecking = role.recheck({ signal: stop.signal });
  await vi.advanceTimersByTimeAsync(60_000);
  expect(looks).toBe(0);

  expect(await work(stop.signal)).toEqual({ kind: "fault", message: "no space left", suspect: false });
  expect(troubles).toEqual(["no space left"]);
  await vi.advanceTimersByTimeAsync(15_000);
  expect(looks).toBe(3);
  expect(role.trouble()).toBe("no space left");

  hasRoom = true;
  await vi.advanceTimersByTimeAsync(5_000);
  expect(troubles).toEqual(["no space left", ""]);
  expect(await work(stop.signal)).toMatchObject({ kind: "built" });
  await vi.advanceTimersByTimeAsync(60_000);
  expect(looks).toBe(4);
  stop.abort();
  await vi.advanceTimersByTimeAsync(0);
  await rechecking;
});
