/** Tunables without effect: what is told of them, by a scripted compiler, and by nvcc on texts that hide them in several ways. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CudaSourceProgram, DeviceText } from "@warpfarm/compiler";
import { afterAll, describe, expect, it } from "vitest";
import { needs } from "../../../../test-support/needs.ts";
import type { CompileJob, Toolchain } from "../toolchain.ts";
import { NvccToolchain } from "./nvcc.ts";
import { NvrtcToolchain } from "./nvrtc.ts";
import type { Nvrtc } from "./nvrtc-library.ts";
import { definitionAmong, definitionIn, lookAtTunables } from "./tunables.ts";

const scratch = mkdtempSync(join(tmpdir(), "warpfarm-tunables-"));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

type Tunables = NonNullable<CudaSourceProgram["tunables"]>;
const jobOf = (files: CudaSourceProgram["files"], tunables: Tunables, directory = scratch): CompileJob => ({
  text: { language: "cuda", text: "", kernels: [], buffers: [], notes: [] } satisfies DeviceText,
  clientText: "all",
  target: "cuda/sm_90",
  directory,
  timeoutMs: 600_000,
  source: {
    ...{ version: 1, kind: "cuda_source", target: "cuda/sm_90", files, kernels: [], flags: [], args: [], tunables },
    defines: Object.fromEntries(Object.keys(tunables).map((name) => [name, "1"])),
  },
});
const varied = (name: string, launch = false, ...values: readonly string[]): Tunables => ({
  [name]: { launch, defines: (values.length > 0 ? values : ["2"]).map((value) => ({ [name]: value })) },
});

describe("by a compiler that replaces macros in one text", () => {
  const asked: string[] = [];
  const compiler = (text: string, place?: string): Pick<Toolchain, "expand"> => ({
    expand: async ({ source }) => {
      const defines = Object.entries(source?.defines ?? {});
      asked.push(JSON.stringify(source?.defines));
      if (defines.some(([, value]) => value === "bad")) return { digest: undefined, definitionOf: async () => undefined };
      return {
        digest: defines.reduce((made, [name, value]) => made.replaceAll(name, value), text),
        definitionOf: async () => place,
      };
    },
  });
  const looked = async (text: string, tunables: Tunables, place?: string) => {
    const found = await lookAtTunables(compiler(text, place), jobOf({}, tunables));
    return found.ok ? found.value.map(({ message }) => message) : found.error.message;
  };

  it.each<[string, string, Tunables, string | readonly string[]]>([
    ["a used one", "AA", varied("AA"), []],
    ["one used in the launch", "", varied("AA", true), []],
    [
      "an idle one beside a used one",
      "AA",
      { ...varied("AA"), ...varied("BB") },
      ["the tunable BB changes neither the text nor the launch"],
    ],
    [
      "two idle ones beside a used one",
      "",
      { ...varied("AA"), ...varied("BB"), ...varied("CC", true) },
      ["the tunables AA, BB change neither the text nor the launch"],
    ],
    [
      "an idle one alone",
      "",
      varied("AA"),
      "the tunable AA changes neither the text nor the launch: all configs are one program; use it in the text or in the launch [source.tunables]",
    ],
    ["one whose third value matters", "AA", varied("AA", false, "1", "1", "3"), []],
    ["one that another value breaks", "", varied("AA", false, "bad"), []],
    ["one that is no macro", "", { AA: { launch: true, defines: [] } }, []],
  ])("%s", async (_, text, tunables, expected) => expect(await looked(text, tunables)).toEqual(expected));

  it("one that the text defines is refused by its place, though the launch uses it", async () => {
    expect(await looked("", varied("AA", true), "k.cu:7")).toBe(
      "k.cu:7 defines AA, which is a tunable: its values never reach the text; put #ifndef AA and #endif around the definition [source.tunables]",
    );
    expect(await looked("AA", varied("AA", true), "k.cu:7")).toEqual([]);
  });

  it("each is asked until a value differs, and nothing where no tunable is told or the text does not compile", async () => {
    asked.length = 0;
    await looked("AA BB", { ...varied("AA", false, "2", "3"), ...varied("BB", false, "1", "4") });
    expect(asked).toEqual(['{"AA":"1","BB":"1"}', '{"AA":"2","BB":"1"}', '{"AA":"1","BB":"1"}', '{"AA":"1","BB":"4"}']);
    const { source } = jobOf({}, {});
    const { tunables: _, ...untold } = source as CudaSourceProgram;
    expect(await lookAtTunables(compiler("", "k.cu:1"), { ...jobOf({}, {}), source: untold })).toEqual({ ok: true, value: [] });
    const broken = {
      ...jobOf({}, varied("AA")),
      source: { ...(source as CudaSourceProgram), tunables: varied("AA"), defines: { AA: "bad" } },
    };
    expect(await lookAtTunables(compiler(""), broken)).toEqual({ ok: true, value: [] });
  });
});

describe("by nvcc", () => {
  const kernel = 'extern "C" __global__ void k(float *c) { c[threadIdx.x] = BLOCK; }\n';
  it.for<[string, CudaSourceProgram["files"], string | undefined]>([
    ["a definition in the text", { "k.cu": `// first\n#define BLOCK 128\n${kernel}` }, "k.cu:2"],
    ["#undef before it", { "k.cu": `#undef BLOCK\n\n# define BLOCK 128\n${kernel}` }, "k.cu:3"],
    ["a header", { "k.cu": `#include "a.cuh"\n${kernel}`, "a.cuh": "#pragma once\n#define BLOCK 128\n" }, "a.cuh:2"],
    ["a default for those without a tunable", { "k.cu": `#ifndef BLOCK\n#define BLOCK 128\n#endif\n${kernel}` }, undefined],
    [
      "a definition that uses it",
      { "k.cu": `constexpr int told = BLOCK;\n#undef BLOCK\n#define BLOCK told\n${kernel}` },
      undefined,
    ],
  ])("%s", async ([, files, place], ctx) => {
    needs(ctx, "nvcc");
    const facts = { kind: "nvcc", id: "nvcc", path: "nvcc", searchPath: process.env.PATH ?? "", targets: ["cuda/sm_90"] };
    const directory = await mkdtemp(join(scratch, "job-"));
    const found = await lookAtTunables(new NvccToolchain(facts), jobOf(files, varied("BLOCK", true, "64"), directory));
    if (place === undefined) expect(found).toEqual({ ok: true, value: [] });
    else expect(found.ok ? "" : found.error.message).toContain(`${place} defines BLOCK`);
  });
});

it("text for the very architecture of the target is read as for it, and text for any device of its level is not", async (ctx) => {
  needs(ctx, "nvcc");
  const facts = { kind: "nvcc", id: "nvcc", path: "nvcc", searchPath: process.env.PATH ?? "", targets: ["cuda/sm_90a"] };
  const looked = async (target: string, text: string) => {
    const directory = await mkdtemp(join(scratch, "job-"));
    const job = jobOf({ "k.cu": `extern "C" __global__ void k(float *c) {\n${text}\n}\n` }, varied("BLOCK"), directory);
    return lookAtTunables(new NvccToolchain(facts), { ...job, target });
  };
  const only = (macro: string) => `#ifdef ${macro}\nc[threadIdx.x] = BLOCK;\n#endif`;
  const found = { ok: true, value: [] };
  expect(await looked("cuda/sm_90a", only("__CUDA_ARCH_FEAT_SM90_ALL"))).toEqual(found);
  expect(await looked("cuda/sm_90", only("__CUDA_ARCH_FEAT_SM90_ALL"))).toMatchObject({ error: { rule: "source.tunables" } });
  for (const target of ["cuda/sm_90", "cuda/sm_90a"]) expect(await looked(target, only("__CUDA_ARCH__"))).toEqual(found);
});

it("a definition in a folder of headers is found by nvcc, and named as logs name such folders", async (ctx) => {
  needs(ctx, "nvcc");
  const facts = { kind: "nvcc", id: "nvcc", path: "nvcc", searchPath: process.env.PATH ?? "", targets: ["cuda/sm_90"] };
  const directory = await mkdtemp(join(scratch, "job-"));
  const bundle = await mkdtemp(join(scratch, "bundle-"));
  mkdirSync(join(bundle, "lib"));
  writeFileSync(join(bundle, "lib/a.h"), "\n#define BLOCK 128\n");
  const files = { "k.cu": '#include <lib/a.h>\nextern "C" __global__ void k(float *c) { c[0] = BLOCK; }\n' };
  const job = { ...jobOf(files, varied("BLOCK", true, "64"), directory), includes: [bundle] };
  const found = await lookAtTunables(new NvccToolchain(facts), job);
  expect(found.ok ? "" : found.error.message).toMatch(/^<bundle>\/lib\/a\.h:2 defines BLOCK, which is a tunable/);
});

it("where NVRTC compiles, codes are compared, and definitions are looked for in the files", async () => {
  const library: Nvrtc = {
    version: "13.0",
    architectures: [90],
    compile: ({ text, options }) => {
      const values = options.flatMap((option) => /^-DBLOCK=(\w+)$/.exec(option)?.[1] ?? []);
      if (text.includes("broken")) return { log: "error: broken" };
      return {
        cubin: new TextEncoder().encode(text.includes("#define") ? text : text.replaceAll("BLOCK", values.join())),
        log: "",
      };
    },
  };
  const facts = { kind: "nvrtc", id: "nvrtc 13.0", path: "", searchPath: "", targets: ["cuda/sm_90"] };
  const looked = (text: string, launch: boolean) =>
    lookAtTunables(new NvrtcToolchain(facts, () => library), jobOf({ "k.cu": text }, varied("BLOCK", launch, "64")));
  expect(await looked("int x = BLOCK;", false)).toEqual({ ok: true, value: [] });
  expect(await looked("int x;", true)).toEqual({ ok: true, value: [] });
  expect(await looked("broken", false)).toEqual({ ok: true, value: [] });
  expect(await looked("int x;", false)).toMatchObject({ ok: false, error: { rule: "source.tunables" } });
  expect(await looked("\n#define BLOCK 128\nint x = BLOCK;", true)).toMatchObject({
    ok: false,
    error: { message: expect.stringMatching(/^k\.cu:2 defines BLOCK/) },
  });
});

it("places of definitions are found in a preprocessor's output, and in files", () => {
  const output =
    '# 0 "k.cu"\n# 0 "<command-line>"\n#define B 1\n# 1 "k.cu"\nint x;\n#define BB 2\n#define B 3\n# 7 "h.cuh" 1\n#define C\n';
  expect(["B", "BB", "C", "D"].map((macro) => definitionAmong(output, macro))).toEqual([
    "k.cu:3",
    "k.cu:2",
    "h.cuh:7",
    undefined,
  ]);
  const files = { "k.cu": "int B;\n  #  define B 2\n", "a.cuh": "#ifndef G\n#define G 1\n#endif" };
  expect(["B", "G", "int"].map((macro) => definitionIn(files, macro))).toEqual(["k.cu:2", undefined, undefined]);
});
