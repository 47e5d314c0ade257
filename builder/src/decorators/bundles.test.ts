/** Bundles as folders of a builder: fetched once, complete, checked, and evicted. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Bundle, encodeBundle, FarmError, randomId } from "@warpfarm/common";
import { encodeDocument } from "@warpfarm/compiler";
import { expect, it, onTestFinished } from "vitest";
import type { BuildRequest } from "../build-executor.ts";
import { BundleFolders, withBundles } from "./bundles.ts";

function bundleOf(files: Readonly<Record<string, string>>): Bundle {
  const made = encodeBundle(new Map(Object.entries(files)));
  if (!made.ok) throw new Error(made.error);
  return made.value;
}

/** A farm that has these bundles. */
function builderOf(bundles: readonly Bundle[]) {
  const directory = mkdtempSync(join(tmpdir(), "warpfarm-bundles-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const fetched: string[] = [];
  let ms = 0;
  const fetch = async (digest: string) => {
    fetched.push(digest);
    const found = bundles.find((bundle) => bundle.digest === digest);
    if (!found) throw new FarmError("NOT_FOUND", `no artifact ${digest}`);
    return found.bytes;
  };
  const asked: BuildRequest[] = [];
  const folders = new BundleFolders(directory, fetch, { clock: { now: () => (ms += 10_000) }, newId: randomId });
  const failed = { kind: "failed", errorNo: 3, message: "", buildMs: 0, runMs: 0, timestampMs: 0, attempt: 1 } as const;
  const inner = {
    build: async (request: BuildRequest) => {
      asked.push(request);
      return { kind: "failed", result: failed } as const;
    },
    async [Symbol.asyncDispose]() {},
  };
  return { builder: withBundles(inner, folders), folders, fetched, asked, directory };
}

const programOf = (bundles: readonly string[]) =>
  encodeDocument({
    version: 1,
    kind: "cuda_source",
    target: "cuda/sm_90",
    files: { "k.cu": "" },
    defines: {},
    flags: [],
    args: [{ name: "c", dtype: "float32", shape: [1], role: "out", fill: "zeros" }],
    kernels: [{ entry: "f", grid: [1, 1, 1], block: [1, 1, 1], cluster: [1, 1, 1], shared_bytes: 0 }],
    ...(bundles.length > 0 ? { bundles } : {}),
  });

it("are fetched once for all builds, and stand in the order of the program", async () => {
  const [a, b] = [bundleOf({ "x/a.h": "// a", "b.h": "// b" }), bundleOf({ "c.h": "// c" })];
  const { builder, asked, fetched, directory } = builderOf([a, b]);
  const program = programOf([b.digest, a.digest]);
  await Promise.all([1, 2, 3].map(() => builder.build({ program, timeoutMs: 1 })));
  await builder.build({ program, timeoutMs: 1 });
  await builder.build({ program: programOf([]), timeoutMs: 1 });
  expect(fetched.sort()).toEqual([a.digest, b.digest].sort());
  expect(asked.map(({ includes = [] }) => includes.map((folder) => readdirSync(folder).sort()))).toEqual([
    ...Array(4).fill([["c.h"], ["b.h", "x"]]),
    [],
  ]);
  expect(readFileSync(join(asked[0]?.includes?.[1] ?? "", "x/a.h"), "utf8")).toBe("// a");
  expect(readdirSync(directory)).toHaveLength(2);
});

it("are not believed, and missed in words; nothing of them stays", async () => {
  const a = bundleOf({ "a.h": "" });
  const wrong = { digest: a.digest, bytes: bundleOf({ "a.h": "other" }).bytes };
  const other = builderOf([wrong]);
  await expect(other.builder.build({ program: programOf([a.digest]), timeoutMs: 1 })).rejects.toMatchObject({
    rule: "source.bundle",
    message: expect.stringContaining("has other bytes"),
  });
  const none = builderOf([]);
  await expect(none.builder.build({ program: programOf([a.digest]), timeoutMs: 1 })).rejects.toMatchObject({ code: "NOT_FOUND" });
  expect([...readdirSync(other.directory), ...readdirSync(none.directory)]).toEqual([]);
});

it("of which the least recently used go, once there are 64", async () => {
  const bundles = Array.from({ length: 65 }, (_, i) => bundleOf({ "a.h": String(i) }));
  const { folders, fetched, directory } = builderOf(bundles);
  const [first, second] = bundles;
  for (const { digest } of bundles.slice(0, 64)) await folders.folderOf(digest);
  if (!first || !second) throw new Error("there are 65");
  await folders.folderOf(first.digest);
  await folders.folderOf((bundles.at(-1) as Bundle).digest);
  const left = readdirSync(directory);
  expect(left).toHaveLength(64);
  expect([left.includes(first.digest.slice(7)), left.includes(second.digest.slice(7))]).toEqual([true, false]);
  expect(fetched).toHaveLength(65);
});

it("a build that waits for a folder waits no longer when it is cancelled, and another does", async () => {
  const bundle = bundleOf({ "a.h": "// a" });
  const { builder, asked, directory } = builderOf([bundle]);
  let arrive = (_: Uint8Array) => {};
  const fetched = new Promise<Uint8Array>((resolve) => {
    arrive = resolve;
  });
  let fetches = 0;
  const slow = new BundleFolders(
    directory,
    () => {
      fetches++;
      return fetched;
    },
    {
      clock: { now: () => 1 },
      newId: randomId,
    },
  );
  const slowly = withBundles({ build: (request) => builder.build(request), [Symbol.asyncDispose]: async () => {} }, slow);
  const program = programOf([bundle.digest]);
  const controller = new AbortController();
  const given = slowly.build({ program, timeoutMs: 1 }, { signal: controller.signal });
  const kept = slowly.build({ program, timeoutMs: 1 });
  controller.abort(new FarmError("CANCELLED", "called back"));
  await expect(given).rejects.toMatchObject({ code: "CANCELLED" });
  expect(asked).toEqual([]);
  arrive(bundle.bytes);
  await kept;
  expect([asked.length, fetches]).toEqual([1, 1]);
});
