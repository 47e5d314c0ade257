import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ArtifactDigest, type Digest, digestOf, FarmError, toArtifactDigest, toProgramDigest } from "@warpfarm/common";
import { encodeManifest } from "@warpfarm/proto";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ArtifactCache } from "./artifact-cache.ts";

let directory: string;
/** What the tracker has, and what it was asked for. */
let remote: Map<Digest, Uint8Array>;
let asked: Digest[];

beforeEach(() => {
  directory = join(mkdtempSync(join(tmpdir(), "warpfarm-cache-")), "artifacts");
  remote = new Map();
  asked = [];
});
afterEach(() => rmSync(join(directory, ".."), { recursive: true }));

/** `blobs` fill its buffers. */
function publish(content: string, codeBytes = 100, blobs: readonly Uint8Array[] = []): ArtifactDigest {
  const code = Buffer.alloc(codeBytes, content);
  for (const blob of blobs) remote.set(digestOf(blob), blob);
  const { digest, bytes } = encodeManifest({
    version: 1,
    program: toProgramDigest(digestOf(content)),
    target: blobs.length > 0 ? "cuda/sm_90" : "cpu/x86-64-v1",
    format: blobs.length > 0 ? "cubin" : "so",
    code: digestOf(code),
    kernels: [{ name: "k", grid: [1, 1, 1], block: [1, 1, 1], dynamic_shared_bytes: 0, cluster: [1, 1, 1], args: [] }],
    buffers: blobs.map((blob, i) => ({
      name: `x${i}`,
      dtype: "uint8",
      shape: [blob.length],
      bytes: blob.length,
      align: 64,
      role: "in",
      reduction: 1,
      fill: { kind: "blob", digest: digestOf(blob) },
    })),
    resources: { registers: 0, spill_bytes: 0, static_shared_bytes: 0 },
    toolchain: "gcc 12.2.0",
    notes: [],
  });
  remote.set(digest, bytes).set(digestOf(code), code);
  return digest;
}

async function open(maxBytes = 1e6): Promise<ArtifactCache> {
  const download = async (digest: Digest, { signal }: { readonly signal?: AbortSignal }) => {
    asked.push(digest);
    await new Promise((resolve) => setTimeout(resolve, 10));
    signal?.throwIfAborted();
    const bytes = remote.get(digest);
    if (bytes === undefined) throw new FarmError("NOT_FOUND", `no blob ${digest}`);
    return bytes;
  };
  const cache = new ArtifactCache({ directory, maxBytes, download });
  await cache.open();
  return cache;
}

test("an artifact is downloaded once, also by two who ask at the same time", async () => {
  const a = publish("a");
  const cache = await open();
  const [first, second] = await Promise.all([cache.get(a), cache.get(a)]);
  expect(second).toEqual(first);
  await cache.get(a);
  expect(asked).toHaveLength(2);
  expect(digestOf(new Uint8Array(remote.get(first.manifest.code) ?? []))).toBe(first.manifest.code);
});

test("it survives a restart", async () => {
  const a = publish("a");
  await (await open()).get(a);
  const again = await open();
  await again.get(a);
  expect(asked).toHaveLength(2);
});

test("bytes that rotted on disk are fetched again", async () => {
  const a = publish("a");
  const { codePath } = await (await open()).get(a);
  writeFileSync(codePath, "rot");
  const cache = await open();
  await cache.get(a);
  expect(statSync(codePath).size).toBe(100);
  expect(asked).toHaveLength(3);
});

test("over the limit the least recently used go", async () => {
  const [a, b, c] = [publish("a", 4000), publish("b", 4000), publish("c", 4000)];
  const cache = await open(11_000);
  await cache.get(a);
  await cache.get(b);
  await cache.get(a);
  await cache.get(c);
  const { codePath } = await cache.get(c);
  expect(statSync(codePath).size).toBe(4000);
  asked.length = 0;
  for (const kept of [a, c]) await cache.get(kept);
  expect(asked).toEqual([]);
  await cache.get(b);
  expect(asked.length).toBeGreaterThan(0);
});

test("an artifact larger than the limit is still usable", async () => {
  const a = publish("a", 4000);
  const { codePath } = await (await open(10)).get(a);
  expect(statSync(codePath).size).toBe(4000);
});

test("what is not there is NOT_FOUND, a manifest that is none DATA_LOSS, other bytes DATA_LOSS; nothing of it stays", async () => {
  const cache = await open();
  await expect(cache.get(toArtifactDigest(`sha256:${"0".repeat(64)}`))).rejects.toMatchObject({ code: "NOT_FOUND" });
  const notManifest = Buffer.from("{}");
  remote.set(digestOf(notManifest), notManifest);
  await expect(cache.get(toArtifactDigest(digestOf(notManifest)))).rejects.toMatchObject({ code: "DATA_LOSS" });
  const a = publish("a");
  remote.set(a, Buffer.from("swapped"));
  await expect(cache.get(a)).rejects.toMatchObject({ code: "DATA_LOSS" });
  expect(readdirSync(directory).filter((name) => name.startsWith(a.slice(7, 20)))).toEqual([]);
});

test("one who gives up does not take the download from another", async () => {
  const a = publish("a");
  const cache = await open();
  const controller = new AbortController();
  const first = cache.get(a, { signal: controller.signal });
  const second = cache.get(a);
  controller.abort(new FarmError("CANCELLED", "lease called back"));
  await expect(first).rejects.toMatchObject({ code: "CANCELLED" });
  expect((await second).digest).toBe(a);
});

test("one who waits for another's download and gives up does so at once; the download goes on", async () => {
  const a = publish("a");
  let go = () => {};
  const held = new Promise<void>((resolve) => (go = resolve));
  const download = async (digest: Digest) => {
    asked.push(digest);
    await held;
    return remote.get(digest) as Uint8Array;
  };
  const cache = new ArtifactCache({ directory, maxBytes: 1e6, download });
  await cache.open();
  const first = cache.get(a);
  const [before, later] = [new AbortController(), new AbortController()];
  before.abort(new FarmError("CANCELLED", "called back before"));
  await expect(cache.get(a, { signal: before.signal })).rejects.toThrow("called back before");
  const second = cache.get(a, { signal: later.signal });
  await new Promise(setImmediate);
  later.abort(new FarmError("CANCELLED", "called back"));
  await expect(second).rejects.toThrow("called back");
  go();
  expect((await first).digest).toBe(a);
  expect(asked).toHaveLength(2);
});

test("parts that a killed process left are removed after an hour, fresh ones and foreign files are left", async () => {
  await open();
  const old = join(directory, "x.part");
  writeFileSync(old, "");
  utimesSync(old, 1, 1);
  writeFileSync(join(directory, "y.part"), "");
  writeFileSync(join(directory, "README"), "");
  await open();
  expect(readdirSync(directory).sort()).toEqual(["README", "y.part"]);
});

test("a directory that cannot be used is named", async () => {
  writeFileSync(directory, "a file");
  await expect(open()).rejects.toMatchObject({ code: "FAILED_PRECONDITION", message: expect.stringContaining(directory) });
});

test("what fills its buffers comes with it: once, checked, and again when it is gone or not what its name says", async () => {
  const [x, y] = [Buffer.from("xxxx"), Buffer.from("yyyy")];
  const a = publish("a", 100, [x, y]);
  const b = publish("b", 100, [y]);
  const cache = await open();
  const { blobPaths = {} } = await cache.get(a);
  expect(Object.keys(blobPaths)).toEqual([digestOf(x), digestOf(y)]);
  expect(readFileSync(blobPaths[digestOf(y)] ?? "").toString()).toBe("yyyy");
  await cache.get(b);
  await cache.get(a);
  expect(asked.filter((digest) => digest === digestOf(y))).toHaveLength(1);

  rmSync(blobPaths[digestOf(y)] ?? "");
  await cache.get(b);
  expect(asked.filter((digest) => digest === digestOf(y))).toHaveLength(2);
  // Other bytes of the same length: the next process must notice by the digest.
  writeFileSync(blobPaths[digestOf(x)] ?? "", "wwww");
  const later = await open();
  expect(readFileSync((await later.get(a)).blobPaths?.[digestOf(x)] ?? "").toString()).toBe("xxxx");
});
