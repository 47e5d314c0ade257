import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ArtifactManifest, digestOf, FarmError, toArtifactDigest } from "@warpfarm/common";
import { FileCache } from "@warpfarm/common/process";
import { encodeManifest } from "@warpfarm/proto";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { until } from "../../../test-support/until.ts";
import type { BuildExecutor, BuildOptions, BuildRequest, BuildResult } from "../build-executor.ts";
import { testProgram } from "../builds.testing.ts";
import { type BuildIdentity, CachingBuildExecutor, cacheEntryPattern } from "./caching.ts";
import { withSlots } from "./slots.ts";

let directory: string;
/** That were answered. */
let reads: number;
class CountedCache extends FileCache {
  override async read(name: string) {
    const bytes = await super.read(name);
    reads++;
    return bytes;
  }
}
beforeEach(() => {
  reads = 0;
  directory = mkdtempSync(join(tmpdir(), "warpfarm-builds-"));
});
afterEach(() => rmSync(directory, { recursive: true }));

/** Finishes each build when the test says so, with the result that it gives. */
class Inner implements BuildExecutor {
  readonly started: BuildRequest[] = [];
  finish: ((how: "built" | "refused" | "timeout" | FarmError) => void)[] = [];
  mostAtOnce = 0;
  #now = 0;
  async build(request: BuildRequest, { signal, onBegin }: BuildOptions = {}): Promise<BuildResult> {
    this.started.push(request);
    onBegin?.();
    this.mostAtOnce = Math.max(this.mostAtOnce, ++this.#now);
    try {
      const how = await new Promise<"built" | "refused" | "timeout" | FarmError>((resolve, reject) => {
        this.finish.push(resolve);
        signal?.addEventListener("abort", () => reject(signal.reason));
      });
      if (how instanceof FarmError) throw how;
      if (how === "built") return { kind: "built", artifact: artifactOf(request), buildMs: 7, cached: false };
      const words = { errorNo: how === "refused" ? (3 as const) : (6 as const), message: how };
      return { kind: "failed", result: { kind: "failed", ...words, buildMs: 7, runMs: 0, timestampMs: 0, attempt: 1 } };
    } finally {
      this.#now--;
    }
  }
  async [Symbol.asyncDispose](): Promise<void> {}
}

function artifactOf({ program }: BuildRequest) {
  const code = Buffer.from(`code of ${program.digest}`);
  const manifest: ArtifactManifest = {
    version: 1,
    program: program.digest,
    target: "cpu/x86-64-v1",
    format: "so",
    code: digestOf(code),
    kernels: [{ name: "k", grid: [1, 1, 1], block: [1, 1, 1], dynamic_shared_bytes: 0, cluster: [1, 1, 1], args: [] }],
    buffers: [],
    resources: { registers: 0, spill_bytes: 0, static_shared_bytes: 0 },
    toolchain: "gcc 12.2.0",
    notes: [],
  };
  const { digest, bytes: manifestBytes } = encodeManifest(manifest);
  return { digest: toArtifactDigest(digest), manifest, manifestBytes, code };
}

const gcc: BuildIdentity = { compiler: "1", toolchain: "gcc 12.2.0", flags: ["-O3"] };
async function open(inner: BuildExecutor, identity: BuildIdentity = gcc, maxBytes = 1e6): Promise<CachingBuildExecutor> {
  const files = new CountedCache({ directory, maxBytes, pattern: cacheEntryPattern });
  await files.open();
  return new CachingBuildExecutor(inner, { files, identityOf: (target) => (target.startsWith("cpu/") ? identity : undefined) });
}
const request = (id: number, target = "cpu/x86-64-v1"): BuildRequest => ({
  program: testProgram({ trace: [id], target }),
  timeoutMs: 1000,
});
/** Resolves when `count` builds of the inner executor are waiting. */
const waiting = (inner: Inner, count = 1) => until(() => inner.finish.length === count, `${count} running builds`);
/** Until the cache was asked so often. */
const asked = (count: number) => until(() => reads === count, `${count} looks into the cache`);

/** Builds it once, so that it is kept. */
async function keep(cache: CachingBuildExecutor, inner: Inner, id: number): Promise<void> {
  const built = cache.build(request(id));
  await waiting(inner);
  inner.finish.pop()?.("built");
  await built;
}

describe("what was built is not built again", () => {
  test("not in the same process, and not by a later one", async () => {
    const inner = new Inner();
    const cache = await open(inner);
    await keep(cache, inner, 1);
    const again = { kind: "built", artifact: artifactOf(request(1)), buildMs: 0, cached: true };
    expect(await cache.build(request(1))).toEqual(again);
    expect(await (await open(inner)).build(request(1))).toEqual(again);
    expect(inner.started).toHaveLength(1);
  });

  test.each([
    ["compiler", { ...gcc, compiler: "2" }],
    ["toolchain", { ...gcc, toolchain: "gcc 13.1.0" }],
    ["flags", { ...gcc, flags: ["-O2"] }],
  ])("but is with another %s", async (_, other) => {
    const inner = new Inner();
    await keep(await open(inner), inner, 1);
    void (await open(inner, other)).build(request(1)).catch(() => {});
    await waiting(inner);
    expect(inner.started).toHaveLength(2);
  });

  test("an entry that rotted, was cut or names another program is thrown away", async () => {
    const inner = new Inner();
    const cache = await open(inner);
    await keep(cache, inner, 1);
    await keep(cache, inner, 2);
    const [a, b] = readdirSync(directory).map((name) => join(directory, name));
    if (a === undefined || b === undefined) throw new Error("no entries");
    const whole = [a, b].map((path) => readFileSync(path));
    for (const rot of [
      whole[0]?.subarray(0, -1),
      whole[0]?.map((byte, i) => (i === 200 ? byte ^ 1 : byte)),
      whole[1],
      Buffer.alloc(0),
    ]) {
      writeFileSync(a, rot ?? "");
      const before = inner.started.length;
      const [first, second] = [cache.build(request(1)), cache.build(request(2))];
      // The disk decides when the rot is seen.
      await until(() => inner.started.length === before + 1, "the build");
      inner.finish.pop()?.("built");
      expect((await first).kind).toBe("built");
      expect((await second).kind).toBe("built");
    }
  });

  test("the least recently used go when there is no room", async () => {
    const inner = new Inner();
    const cache = await open(inner, gcc, 1_500);
    for (const id of [1, 2, 3, 4]) await keep(cache, inner, id);
    expect(readdirSync(directory).length).toBeLessThan(4);
    expect(await cache.build(request(4))).toMatchObject({ cached: true });
  });
});

test("what was kept, or is another's to build, never begins", async () => {
  const inner = new Inner();
  const cache = await open(inner);
  let begun = 0;
  const onBegin = () => begun++;
  const both = [cache.build(request(1), { onBegin }), cache.build(request(1), { onBegin })];
  await asked(2);
  inner.finish.pop()?.("built");
  await Promise.all(both);
  await cache.build(request(1), { onBegin });
  expect(begun).toBe(1);
});

describe("equal builds at the same time", () => {
  test("are one compile", async () => {
    const inner = new Inner();
    const cache = await open(inner);
    const all = [cache.build(request(1))];
    await waiting(inner);
    for (let i = 1; i < 5; i++) all.push(cache.build(request(1)));
    await asked(5);
    expect(inner.started).toHaveLength(1);
    inner.finish.pop()?.("built");
    expect((await Promise.all(all)).map((r) => r.kind === "built" && r.cached)).toEqual([false, true, true, true, true]);
  });

  test("share a refusal, which is not kept for later", async () => {
    const inner = new Inner();
    const cache = await open(inner);
    const both = [cache.build(request(1)), cache.build(request(1))];
    await asked(2);
    inner.finish.pop()?.("refused");
    expect(await Promise.all(both)).toMatchObject([{ kind: "failed" }, { kind: "failed" }]);
    void cache.build(request(1)).catch(() => {});
    await waiting(inner);
    expect(inner.started).toHaveLength(2);
  });

  test.each([
    ["ran out of its time", "timeout" as const],
    ["could not be carried out", new FarmError("UNAVAILABLE", "child died")],
  ])("try for themselves when the first %s", async (_, how) => {
    const inner = new Inner();
    const cache = await open(inner);
    const first = cache.build(request(1)).catch(() => {});
    await waiting(inner);
    const second = cache.build(request(1));
    await asked(2);
    inner.finish.pop()?.(how);
    await first;
    await waiting(inner);
    expect(inner.started).toHaveLength(2);
    inner.finish.pop()?.("built");
    expect(await second).toMatchObject({ kind: "built", cached: false });
  });

  test("one that waits for another and is cancelled waits no longer", async () => {
    const inner = new Inner();
    const cache = await open(inner);
    const first = cache.build(request(1));
    await waiting(inner);
    const controller = new AbortController();
    const second = cache.build(request(1), { signal: controller.signal });
    await asked(2);
    controller.abort(new FarmError("CANCELLED", "called back"));
    await expect(second).rejects.toMatchObject({ code: "CANCELLED" });
    expect(inner.started).toHaveLength(1);
    inner.finish[0]?.("built");
    expect(await first).toMatchObject({ kind: "built" });
  });

  test("one that is cancelled leaves the other to build", async () => {
    const inner = new Inner();
    const cache = await open(inner);
    const controller = new AbortController();
    const first = cache.build(request(1), { signal: controller.signal });
    await waiting(inner);
    const second = cache.build(request(1));
    await asked(2);
    controller.abort(new FarmError("CANCELLED", "called back"));
    await expect(first).rejects.toMatchObject({ code: "CANCELLED" });
    await waiting(inner, 2);
    inner.finish.at(-1)?.("built");
    expect(await second).toMatchObject({ kind: "built" });
  });
});

test("a build that waits for an equal one is given up at once when it is cancelled, and the equal one is built", async () => {
  const inner = new Inner();
  const cache = await open(inner);
  const first = cache.build(request(1));
  await waiting(inner);
  const controller = new AbortController();
  const second = cache.build(request(1), { signal: controller.signal });
  await asked(2);
  const gone = new FarmError("CANCELLED", "called back");
  controller.abort(gone);
  await expect(second).rejects.toBe(gone);
  inner.finish.pop()?.("built");
  expect(await first).toMatchObject({ kind: "built" });
  expect(inner.started).toHaveLength(1);
});

test("slots: no more at once than told, all in the end", async () => {
  const inner = new Inner();
  const slots = withSlots(inner, 2);
  const all = [1, 2, 3, 4, 5].map((id) => slots.build(request(id)));
  for (let i = 0; i < 5; i++) {
    await waiting(inner, Math.min(2, 5 - i));
    inner.finish.shift()?.("built");
  }
  expect((await Promise.all(all)).every((r) => r.kind === "built")).toBe(true);
  expect(inner.mostAtOnce).toBe(2);
});

test("slots: a build that waits for one is given up at once when it is cancelled, one that runs frees its slot, and others are built", async () => {
  const inner = new Inner();
  const slots = withSlots(inner, 1);
  const [running, waits] = [new AbortController(), new AbortController()];
  const gone = new FarmError("CANCELLED", "called back");
  const all = [running.signal, waits.signal, undefined].map((signal, id) => slots.build(request(id), signal ? { signal } : {}));
  const [first, second, third] = all as [Promise<BuildResult>, Promise<BuildResult>, Promise<BuildResult>];
  await waiting(inner);
  waits.abort(gone);
  const atOnce = new Promise((resolve) => setImmediate(resolve, "it still waits"));
  expect(await Promise.race([second.catch((error: unknown) => error), atOnce])).toBe(gone);
  expect(inner.started).toEqual([request(0)]);
  await expect(slots.build(request(3), { signal: AbortSignal.abort(gone) })).rejects.toBe(gone);
  running.abort(gone);
  await expect(first).rejects.toBe(gone);
  await waiting(inner, 2);
  inner.finish.pop()?.("built");
  expect(await third).toMatchObject({ kind: "built" });
  expect(inner.started).toEqual([request(0), request(2)]);
});
