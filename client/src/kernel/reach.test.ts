/**
 * A file from elsewhere (a spec, a text, a suite, a record) names only files of its own folder, or of folders that the user
 * named.
 */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { decodeBundle, digestOf, FarmError, toDigest } from "@warpfarm/common";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { plannedTask } from "../../../test-support/suite-plan.ts";
import { Sources } from "../cli/suite/sources.ts";
import { readSuiteFile } from "../suite/format.ts";
import { headersWords, readBundle } from "./bundles.ts";
import { encodeKernel } from "./kernel-document.ts";
import { loadKernel } from "./load-kernel.ts";
import { allowedFolders } from "./reach.ts";

let root: string;
let folder: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "warpfarm-reach-")));
  folder = join(root, "theirs");
});
afterEach(() => rmSync(root, { recursive: true }));

function write(files: Readonly<Record<string, string | Uint8Array>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
}
const link = (to: string, name: string) => symlinkSync(join(root, to), join(root, name));
const spec = (more: object = {}) =>
  JSON.stringify({
    tunables: { B: [32, 64] },
    args: [{ name: "c", dtype: "float32", shape: [64], role: "out" }],
    kernels: [{ entry: "f", grid: [1], block: ["B"] }],
    ...more,
  });
const load = async (allowed: readonly string[] = []) =>
  loadKernel({ path: join(folder, "k.cu"), word: "./k.cu", allowed: await allowedFolders(allowed, root) });
const text = 'extern "C" __global__ void f(float *c) {}';
const npy = (() => {
  const head = "{'descr': '<f4', 'fortran_order': False, 'shape': (64,), }".padEnd(117, " ");
  const bytes = Buffer.alloc(128 + 256);
  bytes.write("\x93NUMPY\x01\x00", "latin1");
  bytes.writeUInt16LE(118, 8);
  bytes.write(`${head}\n`, 10);
  return bytes;
})();

const outside = {
  "mine/a.h": "#pragma once\n",
  "mine/x.npy": npy,
  "mine/k.cu": text,
  "mine/k.json": spec(),
  "mine/p.json": "{}",
};
const input = { name: "a", dtype: "float32", shape: [64] };
const out = { name: "c", dtype: "float32", shape: [64], role: "out" };

describe("a spec", () => {
  it.each<readonly [string, { readonly absolute?: boolean; readonly [field: string]: unknown }, RegExp]>([
    [
      "includes",
      { includes: ["../mine"] },
      /^k\.json:1: includes: \.\.\/mine is outside the spec's folder; .*--allow-include \//,
    ],
    ["includes", { includes: ["."], absolute: true }, /^k\.json:1: includes: \/.*\/mine is outside the spec's folder/],
    [
      "a tensor",
      { args: [{ ...input, fill: { file: "../mine/x.npy" } }, out] },
      /^k\.json:1: args\.a\.fill: \.\.\/mine\/x\.npy is outside/,
    ],
    ["recorded outputs", { reference: { file: "../mine/x.npy" } }, /^reference\.file: \.\.\/mine\/x\.npy is outside/],
    ["a reference kernel", { reference: { kernel: "../mine/k.cu" } }, /^reference: \.\.\/mine\/k\.cu is outside/],
    [
      "a reference's spec",
      { reference: { kernel: "./other.cu", spec: "../mine/k.json" } },
      /^reference: \.\.\/mine\/k\.json is outside/,
    ],
    ["a reference program", { reference: { program: "../mine/p.json" } }, /^reference: \.\.\/mine\/p\.json is outside/],
    [
      "a reference template, which would run",
      { reference: { task: "../mine/t.ts" } },
      /^reference: \.\.\/mine\/t\.ts is outside/,
    ],
  ])("that names %s outside its folder is refused", async (_, {
    absolute,
    ...more
  }: { absolute?: boolean; includes?: string[] }, why) => {
    const said = absolute ? { ...more, includes: [join(root, "mine")] } : more;
    write({
      ...outside,
      "mine/t.ts": "throw new Error('it ran')",
      "theirs/k.cu": text,
      "theirs/k.json": spec(said),
      "theirs/other.cu": text,
    });
    await expect(load()).rejects.toThrow(why);
    await expect(load(["theirs"])).rejects.toThrow(why);
  });

  it("may name them once the user named their folder", async () => {
    write({
      ...outside,
      "theirs/k.cu": text,
      "theirs/k.json": spec({
        includes: ["../mine", "./own"],
        args: [{ ...input, fill: { file: "../mine/x.npy" } }, out],
        reference: { kernel: "../mine/k.cu" },
      }),
      "theirs/own/b.h": "#pragma once\n",
    });
    const { bundles = [], sent } = await load(["mine"]);
    expect(bundles).toHaveLength(2);
    expect(sent).toEqual([
      "k.cu",
      "2 headers of ../mine (1 KiB): a.h, k.cu",
      "1 header of ./own (1 KiB): b.h",
      "../mine/x.npy for a (1 KiB)",
      "k.cu",
    ]);
    await expect(load(["mine/a.h"])).rejects.toThrow('--allow-include names "mine/a.h", which is not a folder; give one');
    await expect(load(["nowhere"])).rejects.toThrow('--allow-include names "nowhere", which is not a folder');
  });

  it("reaches nothing through a link, in no folder beside it that has its name in front, and no hidden one", async () => {
    write({ ...outside, "theirs/k.cu": text, "theirs/.ssh/id": "#pragma once\n", "theirs2/a.h": "#pragma once\n" });
    link("mine", "theirs/inc");
    const withIncludes = (...includes: string[]) => write({ "theirs/k.json": spec({ includes }) });
    withIncludes("./inc");
    await expect(load()).rejects.toThrow(`includes: ./inc leads to ${join(root, "mine")}, which is outside the spec's folder`);
    expect((await load(["mine"])).bundles).toHaveLength(1);
    withIncludes("../theirs2");
    await expect(load()).rejects.toThrow("includes: ../theirs2 is outside");
    withIncludes(".ssh");
    await expect(load()).rejects.toThrow("includes: .ssh is in a hidden folder");
    await expect(load(["theirs"])).rejects.toThrow("includes: .ssh is in a hidden folder");
    expect((await load(["theirs/.ssh"])).bundles).toHaveLength(1);
    withIncludes("..");
    await expect(load()).rejects.toThrow("includes: .. is outside");
  });

  it("in a folder that is itself hidden, or reached by a link, names what is in it", async () => {
    write({ ".their/k.cu": text, ".their/k.json": spec({ includes: ["."] }), ".their/a.h": "#pragma once\n" });
    link(".their", "theirs");
    expect((await load()).bundles).toHaveLength(1);
  });

  it("of other tuners brings no folder by a flag", async () => {
    const t1 = (flag: string) => ({
      ConfigurationSpace: { TuningParameters: [{ Name: "B", Values: "[32, 64]" }] },
      KernelSpecification: {
        KernelName: "f",
        CompilerOptions: [flag],
        LocalSize: { X: "B" },
        GlobalSize: { X: 1 },
        Arguments: [{ Name: "c", Type: "float", MemoryType: "Vector", AccessType: "WriteOnly", Size: 64 }],
      },
    });
    for (const flag of ["-I/etc", "-include=/etc/passwd", "--options-file=/etc/passwd"]) {
      write({ "theirs/k.cu": text, "theirs/k.json": JSON.stringify(t1(flag)) });
      const { createKernelTask } = await import("./kernel-task.ts");
      const source = await load();
      expect(source.bundles).toEqual([]);
      expect(() => createKernelTask(source, undefined, "cuda/sm_90")).toThrow(/flag/);
    }
  });
});

it("a text includes nothing through a link that leads out of its folder, in quotes or by way of another header", async () => {
  write({
    "mine/key": "secret",
    "theirs/k.cu": `#include "b.h"\n${text}`,
    "theirs/b.h": '#include "c.h"\n',
    "theirs/k.json": spec(),
  });
  link("mine/key", "theirs/c.h");
  await expect(load()).rejects.toThrow(`k.cu: c.h leads to ${join(root, "mine/key")}, which is outside the text's folder`);
  expect((await load(["mine"])).files).toMatchObject({ "c.h": "secret" });
});

describe("a folder of headers", () => {
  it("has headers by name and content alone, and names without a dot that begin as headers do", async () => {
    const guard = "// (c)\n/* more */\n#ifndef X\n#define X\n#endif\n";
    write({
      ...{ "h/atomic": guard, "h/Core": '#include "src/Core.h"\n', "h/version": "#pragma once\n", "h/a.def": "X(1)\n" },
      ...{
        "h/id_rsa": "-----BEGIN OPENSSH PRIVATE KEY-----\n",
        "h/hosts": "# define the hosts here\n",
        "h/script": "#!/bin/sh\n",
      },
      ...{
        "h/known_hosts": "github.com ssh-ed25519 A\n",
        "h/npmrc": "//registry/:_authToken=x\n",
        "h/empty": "",
        "h/comments": "/* * */ // x\n".repeat(5_000),
      },
      ...{
        "h/latin.h": Buffer.from([0x23, 0xe9, 0x0a]),
        "h/binary.h": Buffer.from([0x23, 0, 0x0a]),
        "h/shadow-": "#pragma once\n",
      },
    });
    const { bytes, paths } = await readBundle(join(root, "h"), "h");
    const read = decodeBundle(bytes);
    expect(read.ok && [...read.value.keys()].sort()).toEqual(["Core", "a.def", "atomic", "version"]);
    expect(paths).toEqual(["Core", "a.def", "atomic", "version"]);
  });

  it("is listed by names, and a large one by the folders in it", () => {
    const made = (count: number) => Array.from({ length: count }, (_, i) => `lib/${i}.h`);
    const words = (paths: readonly string[]) =>
      headersWords({ digest: "sha256:" as never, bytes: new Uint8Array(1025), paths }, "inc");
    expect(words(["a.h", ...made(99)])).toContain("100 headers of inc (2 KiB): a.h, lib/0.h,");
    expect(words(["a.h", ...made(100)])).toBe("101 headers of inc (2 KiB): a.h, lib/ (100)");
  });
});

describe("a suite", () => {
  const sources = (allowed: readonly string[] = []) => new Sources(folder, { allowed: allowed.map((name) => join(root, name)) });
  it("names kernels, their specs and its shapes below its folder", async () => {
    write({ ...outside, "theirs/k.cu": text, "theirs/k.json": spec(), "mine/shapes.csv": "n\n1\n" });
    expect((await sources().forPlan({ task: "./k.cu" })).name).toBe("k");
    for (const named of [{ task: "../mine/k.cu" }, { task: "./k.cu", spec: "../mine/k.json" }, { task: "../mine/t.ts" }]) {
      write({ "mine/t.ts": "throw new Error('it ran')" });
      await expect(sources().forPlan(named)).rejects.toThrow(/is outside the suite's folder/);
    }
    await expect(sources().read("../mine/shapes.csv")).rejects.toThrow(
      "shapes: ../mine/shapes.csv is outside the suite's folder",
    );
    expect(await sources(["mine"]).read("../mine/shapes.csv")).toBe("n\n1\n");
    expect((await sources(["mine"]).forPlan({ task: "../mine/k.cu" })).name).toBe("k");
    expect(readSuiteFile({ name: "s", tasks: [{ task: "x" }] }).ok).toBe(true);
  });

  it("of another user's plan runs no file without its digest, and a worker reads only files that it was given", async () => {
    write({ "theirs/k.cu": text, "theirs/k.json": spec() });
    const on = (await sources().forPlan({ task: "./k.cu" })).on({}, "cuda/sm_90");
    const planned = plannedTask("t", "", { ...on, key: "cuda/sm_90" }, { file: "./k.cu" });
    expect((await sources().task(planned)).args).toEqual(on.args);
    write({ "theirs/k.cu": `${text}\n// another` });
    await expect(sources().task(planned)).rejects.toThrow(/^needs template k\.cu sha256:\w+; the file here is sha256:/);
    const { file: _, ...nowhere } = planned;
    await expect(sources().task(nowhere)).rejects.toThrow("the plan does not say where k is");
    const only = new Sources(folder, { only: new Set([join(root, "mine/k.cu")]) });
    await expect(only.forPlan({ task: "./k.cu" })).rejects.toThrow(
      "needs ./k.cu, a file of the suite's author; --template names your copy",
    );
  });

  it("loads again what could not be loaded, and what could be once", async () => {
    const from = new Sources(folder);
    await expect(from.forPlan({ task: "./late.cu" })).rejects.toThrow("late.cu");
    write({ "theirs/late.cu": text, "theirs/late.json": spec() });
    const on = (await from.forPlan({ task: "./late.cu" })).on({}, "cuda/sm_90");

    const document = encodeKernel(await loadKernel({ path: join(folder, "late.cu"), word: "./late.cu" }));
    let downloads = 0;
    const download = async () => {
      if (++downloads === 1) throw new FarmError("UNAVAILABLE", "the tracker is away");
      return document;
    };
    const farm = new Sources(folder, { artifacts: { download, upload: async () => toDigest(digestOf(document)) } });
    const planned = plannedTask("t", "", { ...on, key: "cuda/sm_90" }, { document: digestOf(document) });
    await expect(farm.task(planned)).rejects.toThrow("the tracker is away");
    for (let i = 0; i < 2; i++) expect((await farm.task(planned)).args).toEqual(on.args);
    expect(downloads).toBe(2);
  });

  it("tells of a kernel once, when it is loaded", async () => {
    write({ "theirs/k.cu": text, "theirs/k.json": spec() });
    const told: unknown[] = [];
    const from = new Sources(folder, { onLoaded: (source) => told.push("sent" in source && source.sent) });
    await from.forPlan({ task: "./k.cu" });
    await from.forPlan({ task: "./k.cu" });
    expect(told).toEqual([["k.cu"]]);
  });
});
