/** Folders of headers: which files travel, how a program and a log name them, and what cannot be a bundle. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type Digest, decodeBundle, digestOf } from "@warpfarm/common";
import { decodeProgram } from "@warpfarm/compiler";
import { afterEach, beforeEach, expect, it } from "vitest";
import { readBundle, sendUploads } from "./bundles.ts";
import { createKernelTask } from "./kernel-task.ts";
import { loadKernel } from "./load-kernel.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "warpfarm-includes-"));
});
afterEach(() => rmSync(folder, { recursive: true }));
function write(files: Readonly<Record<string, string | Uint8Array>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}
const spec = (more: object = {}) =>
  JSON.stringify({
    tunables: { B: [32, 64] },
    args: [{ name: "c", dtype: "float32", shape: [64], role: "out" }],
    kernels: [{ entry: "f", grid: [1], block: ["B"] }],
    ...more,
  });
const load = (name = "k.cu") => loadKernel({ path: join(folder, name), word: `./${name}` });

it("takes headers by their names, and nothing that is hidden, built or elsewhere", async () => {
  write({
    "inc/lib/a.hpp": "// a",
    "inc/lib/algorithm": "#pragma once // no dot",
    "inc/b.cuh": "// b",
    "inc/.git/c.h": "",
    "inc/README.md": "",
    "inc/tool": Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0]),
    "inc/two words.h": "",
    "outside/d.h": "",
  });
  symlinkSync(join(folder, "outside"), join(folder, "inc/link"));
  const { bytes, digest } = await readBundle(join(folder, "inc"), "./inc");
  const read = decodeBundle(bytes);
  expect(read.ok && [...read.value].sort()).toEqual([
    ["b.cuh", "// b"],
    ["lib/a.hpp", "// a"],
    ["lib/algorithm", "#pragma once // no dot"],
  ]);
  expect(digest).toBe(digestOf(bytes));
});

it("is named by programs and by the log, and sent once, the reference's too", async () => {
  write({ "inc/a.h": "// a", "more/b.h": "// b", "k.cu": "#include <a.h>", "k.json": spec({ includes: ["./inc"] }) });
  const alone = createKernelTask(await load(), undefined, "cuda/sm_90");
  const [own] = alone.uploads ?? [];
  const made = alone.instantiate(alone.space.toIndex(1));
  const program = made.ok ? decodeProgram(made.value.program.bytes) : undefined;
  expect(program).toMatchObject({ ok: true, value: { version: 1, bundles: [own?.digest], files: { "k.cu": "#include <a.h>" } } });

  write({ "plain.cu": "", "plain.json": spec({ includes: ["inc", "more"] }) });
  write({ "k.json": spec({ includes: ["./inc"], reference: { kernel: "./plain.cu" } }) });
  const task = createKernelTask(await load(), undefined, "cuda/sm_90");
  const sent: Digest[] = [];
  const upload = async (bytes: Uint8Array) => {
    sent.push(digestOf(bytes));
    return digestOf(bytes);
  };
  await sendUploads({ upload }, task, new AbortController().signal);
  expect(sent).toEqual([own?.digest, digestOf(Buffer.from('{"files":{"b.h":"// b"},"version":1}'))]);

  write({ "k.json": spec({ includes: ["./inc"] }) });
  expect(createKernelTask(await load(), [...alone.args], "cuda/sm_90").args).toEqual(alone.args);
  write({ "inc/a.h": "// changed" });
  const changed = await load();
  expect(() => createKernelTask(changed, [...alone.args], "cuda/sm_90")).toThrow("the log is of another text or spec");
});

it.each<[string, object, RegExp]>([
  ["a folder that is not there", { includes: ["./no"] }, /^includes: \.\/no cannot be read: there is no such file or folder$/],
  ["a folder without headers", { includes: ["./docs"] }, /^includes: \.\/docs has no headers \(/],
  ["headers in a folder that nobody names", {}, /^k\.json: the text includes inc\/a\.h, which .* write includes: \[\.\]/],
])("%s is said", async (_, more, message) => {
  write({ "docs/x.md": "", "inc/a.h": "", "k.cu": '#include "inc/a.h"\n', "k.json": spec(more) });
  await expect(load()).rejects.toThrow(message);
});

it("headers below the text travel when the folder is named, and PTX includes nothing", async () => {
  write({
    "inc/a.h": "",
    "k.cu": '#include "inc/a.h"\n',
    "k.json": spec({ includes: ["."] }),
    "p.ptx": "",
    "p.json": spec({ includes: ["."] }),
  });
  expect(Object.keys((await load()).files)).toEqual(["k.cu"]);
  await expect(load("p.ptx")).rejects.toThrow("p.json:1: includes are for CUDA text only");
});
