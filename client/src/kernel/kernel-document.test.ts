/** A kernel that travelled equals the kernel that was read: the same task, programs, reference and bundles. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Digest, FarmError } from "@warpfarm/common";
import { expect, it, onTestFinished } from "vitest";
import { decodeKernel, encodeKernel } from "./kernel-document.ts";
import { createKernelTask } from "./kernel-task.ts";
import { loadKernel } from "./load-kernel.ts";

const spec = (more: object = {}) =>
  JSON.stringify({
    problem: { n: 64 },
    tunables: { B: [32, 64], F: [true, false] },
    constraints: ["B <= n"],
    defines: { TWICE: "{2 * B}" },
    flags: ["-O{3}"],
    args: [
      { name: "C", dtype: "float32", shape: ["n", "n"], role: "out", tolerance: { atol: 0.5, rtol: 0 } },
      { name: "A", dtype: "float32", shape: ["n", "n"], fill: { range: [0, 1] } },
      { name: "B_", dtype: "float32", shape: ["n", "n"] },
      { scalar: "int32", value: "n" },
    ],
    kernels: [{ entry: "f", grid: ["n"], block: ["B"] }],
    ...more,
  });

function folderOf(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), "warpfarm-document-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, "inc"));
  for (const [name, text] of Object.entries({ "inc/a.h": "// a", "k.cu": '#include "own.h"', "own.h": "// own", ...files }))
    writeFileSync(join(folder, name), text);
  return folder;
}

it.each<[string, Record<string, string>]>([
  ["nothing but its spec", { "k.json": spec() }],
  ["folders of headers", { "k.json": spec({ includes: ["inc"] }) }],
  [
    "another kernel as the reference, with headers of its own",
    { "k.json": spec({ reference: { kernel: "plain.cu" } }), "plain.cu": "// plain", "plain.json": spec({ includes: ["inc"] }) },
  ],
  [
    "a template as the reference",
    { "k.json": spec({ reference: { task: "matmul_simt", args: { M: "n", N: "n", K: "n", layout: "NN" } } }) },
  ],
])("with %s", async (_, files) => {
  const folder = folderOf(files);
  const read = await loadKernel({ path: join(folder, "k.cu"), word: "./k.cu" });
  const before = createKernelTask(read, { n: 32 }, "cuda/sm_90");
  const blobs = new Map((before.uploads ?? []).map(({ digest, bytes }) => [digest, bytes]));
  const fetch = async (digest: Digest) => blobs.get(digest) ?? Promise.reject(new FarmError("NOT_FOUND", digest));
  const after = createKernelTask(await decodeKernel(encodeKernel(read), fetch), [...before.args], "cuda/sm_90");
  expect([after.name, after.word, after.args]).toEqual([before.name, before.word, before.args]);
  expect(after.reference.digest).toBe(before.reference.digest);
  expect(after.uploads).toEqual(before.uploads);
  const programs = [before, after].map(({ space, instantiate }) =>
    Array.from({ length: space.valid.count }, (_, rank) => {
      const made = instantiate(space.toIndex(space.valid.nth(rank)));
      return made.ok ? made.value.program.digest : made.error.message;
    }),
  );
  expect(programs[1]).toEqual(programs[0]);
});

it("a document that is none is refused, and a template of one's own does not travel", async () => {
  const none = async () => new Uint8Array();
  await expect(decodeKernel(Buffer.from("{"), none)).rejects.toThrow("not a kernel document: it is not JSON");
  await expect(decodeKernel(Buffer.from('{"version":2}'), none)).rejects.toThrow("it is not a kernel document");
  const folder = folderOf({ "k.json": spec() });
  const read = await loadKernel({ path: join(folder, "k.cu"), word: "./k.cu" });
  const template = { name: "t", file: "./t.ts" } as never;
  expect(() => encodeKernel({ ...read, referenceSource: { template } })).toThrow(
    "its reference is the template file ./t.ts, which",
  );
});
