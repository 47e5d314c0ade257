/** nvcc and NVRTC behind one contract, each where it is installed; and NVRTC's options with a scripted library. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import type { CudaSourceProgram, DeviceText } from "@warpfarm/compiler";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { some } from "../../../../test-support/campaign.ts";
import { lacks } from "../../../../test-support/needs.ts";
import type { ClientText, Compiled, Toolchain } from "../toolchain.ts";
import { filesOf, type ToolkitPlaces } from "./find-libraries.ts";
import { findNvcc, NvccToolchain } from "./nvcc.ts";
import { findNvrtc, NvrtcToolchain, openNvrtcToolchain } from "./nvrtc.ts";
import type { NvrtcRequest } from "./nvrtc-library.ts";

const scratch = mkdtempSync(join(tmpdir(), "warpfarm-cuda-"));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));
const { PATH = "", CUDA_HOME } = process.env;
const places: ToolkitPlaces = { homes: CUDA_HOME === undefined ? [] : CUDA_HOME.split(delimiter), list: filesOf };

const emitted = (text: string): DeviceText => ({ language: "cuda", text, kernels: [], buffers: [], notes: [] });
const program = (over: Partial<CudaSourceProgram>): CudaSourceProgram => ({
  version: 1,
  kind: "cuda_source",
  target: "cuda/sm_90",
  files: {},
  kernels: [],
  defines: {},
  flags: [],
  args: [],
  ...over,
});
const kernel = (body: string): string => `extern "C" __global__ void k(float *a) { ${body} }\n`;
const elfMachineCuda = 190;

function toolchainContract(name: string, need: "nvcc" | "nvrtc", find: () => Promise<Toolchain | string>): void {
  describe(`${name}, where it is installed`, () => {
    let found: Toolchain | string;
    beforeAll(async () => {
      found = await find();
    });
    const toolchain = (ctx: { skip(note?: string): never }): Toolchain => (typeof found === "string" ? lacks(ctx, need) : found);
    const compile = async (
      from: Toolchain,
      text: string,
      target = "cuda/sm_90",
      source?: CudaSourceProgram,
      clientText: ClientText = "checked",
    ): Promise<Compiled> => {
      const directory = await mkdtemp(join(scratch, "job-"));
      const job = { text: emitted(text), clientText, target, directory, timeoutMs: 600_000 };
      return from.compile(source === undefined ? job : { ...job, source });
    };
    const compileFiles = (
      from: Toolchain,
      files: CudaSourceProgram["files"],
      over: Partial<CudaSourceProgram> = {},
      clientText: ClientText = "checked",
    ) => compile(from, "", "cuda/sm_90", program({ files, ...over }), clientText);

    it("names itself and its targets", (ctx) => {
      const { facts } = toolchain(ctx);
      expect(facts.id).toMatch(/^(?:nvrtc|nvcc) \d+\.\d+/);
      expect(facts.targets).toContain("cuda/sm_80");
      expect(facts.targets).not.toContain("cuda/sm_80a");
    });

    const targets = ["cuda/sm_75", "cuda/sm_80", "cuda/sm_90", "cuda/sm_90a", "cuda/sm_100"];
    it.for(some(targets, 3))("makes a cubin for %s", async (target, ctx) => {
      const from = toolchain(ctx);
      if (!from.facts.targets.includes(target)) ctx.skip(`${from.facts.id} does not build for ${target}`);
      const built = await compile(
        from,
        kernel("__shared__ float s[100]; s[threadIdx.x] = *a; __syncthreads(); *a = s[99 - threadIdx.x];"),
        target,
      );
      if (!built.ok) throw new Error(built.log);
      expect([...built.code.subarray(0, 4)]).toEqual([0x7f, 0x45, 0x4c, 0x46]);
      expect(built.code[18]).toBe(elfMachineCuda);
      expect(built.resources).toMatchObject({ spill_bytes: 0, static_shared_bytes: 400 });
      expect(built.resources.registers).toBeGreaterThan(4);
    });

    it("reports spills", async (ctx) => {
      const body =
        "float r[200];\n#pragma unroll\nfor (int i = 0; i < 200; ++i) r[i] = a[i];\n__syncthreads();\n#pragma unroll\nfor (int i = 0; i < 200; ++i) a[i] = r[199 - i] * r[i];";
      const built = await compileFiles(toolchain(ctx), { "k.cu": kernel(body) }, { flags: ["--maxrregcount=32"] });
      if (!built.ok) throw new Error(built.log);
      expect(built.resources.registers).toBeLessThanOrEqual(32);
      expect(built.resources.spill_bytes).toBeGreaterThan(100);
    });

    it("says what the compiler said", async (ctx) => {
      const refused = await compile(toolchain(ctx), kernel("undeclared = 1;"));
      expect(refused).toMatchObject({ ok: false, rule: "front_end" });
      if (refused.ok) throw new Error("built");
      expect(refused.message).toContain('identifier "undeclared" is undefined');
      expect(refused.log).not.toContain(scratch);
    });

    it("tells resources apart", async (ctx) => {
      const refused = await compile(
        toolchain(ctx),
        kernel("__shared__ float s[20000]; s[threadIdx.x] = *a; __syncthreads(); *a = s[7];"),
      );
      expect(refused).toMatchObject({
        ok: false,
        rule: "ptxas.resources",
        message: expect.stringContaining("too much shared data"),
      });
    });

    it("builds a client's text with its headers, defines, flags and the toolkit's headers", async (ctx) => {
      const files = {
        "main.cu": `#include <cuda_fp16.h>\n#include "tile.cuh"\n${kernel("a[0] = TILE * SCALE + __half2float(__float2half(a[1]));")}`,
        "tile.cuh": "#define TILE 8\n",
      };
      const from = toolchain(ctx);
      if (from.facts.kind === "nvrtc" && (from.facts.includes ?? []).length === 0) ctx.skip("no headers of a CUDA toolkit here");
      const built = await compileFiles(from, files, {
        defines: { SCALE: "-2.5f" },
        flags: ["-use_fast_math", "-O2", "-lineinfo", "--fmad=false", "--extra-device-vectorization"],
      });
      expect(built).toMatchObject({ ok: true });
    });

    it("finds a header beside the one that includes it, in a bundle and in the toolkit, and none beside the text", async (ctx) => {
      const from = toolchain(ctx);
      if (from.facts.kind === "nvrtc" && (from.facts.includes ?? []).length === 0) ctx.skip("no headers of a CUDA toolkit here");
      const directory = await mkdtemp(join(scratch, "job-"));
      const bundle = join(directory, "bundle");
      mkdirSync(join(bundle, "lib/deep"), { recursive: true });
      writeFileSync(join(bundle, "lib/first.h"), '#include "second.h"\n#include "deep/third.h"\n');
      writeFileSync(join(bundle, "lib/second.h"), "#define SECOND 2\n");
      writeFileSync(join(bundle, "lib/deep/third.h"), '#include "../fourth.h"\n');
      writeFileSync(join(bundle, "lib/fourth.h"), "#define FOURTH 4\n");
      const build = (text: string) =>
        from.compile({
          text: emitted(""),
          source: program({ files: { "main.cu": text } }),
          clientText: "all",
          target: "cuda/sm_90",
          directory,
          includes: [bundle],
          timeoutMs: 600_000,
        });
      const text = `#include <mma.h>\n#include "lib/first.h"\n${kernel("*a = SECOND + FOURTH;")}`;
      expect(await build(text)).toMatchObject({ ok: true });
      const none = await build(`#include "second.h"\n${text}`);
      expect(none).toMatchObject({ ok: false, rule: "front_end", log: expect.stringMatching(/^main\.cu.*second\.h/) });
    });

    it("reads no other file of the builder", async (ctx) => {
      const from = toolchain(ctx);
      const include = await compileFiles(from, { "main.cu": `#include "/etc/passwd"\n${kernel("")}` });
      expect(include).toMatchObject({ ok: false, rule: "source.include", log: "" });
      const incbin = await compileFiles(from, { "main.cu": kernel('asm(".incbin \\"/etc/passwd\\";");') }, {}, "all");
      expect(incbin).toMatchObject({ ok: false, rule: "ptxas" });
      const global = await compileFiles(
        from,
        { "main.cu": `asm(".incbin \\"/etc/passwd\\"");\n${kernel("*a = 1;")}` },
        {},
        "all",
      );
      for (const outcome of [include, incbin, global]) expect(JSON.stringify(outcome)).not.toContain("root:x:0");
      if (global.ok) expect(Buffer.from(global.code).includes("root:x:0")).toBe(false);
    });

    it("makes the instance of a template that an entry names, and tells its symbol", async (ctx) => {
      const from = toolchain(ctx);
      const launch = { grid: [1, 1, 1], block: [1, 1, 1], shared_bytes: 0, cluster: [1, 1, 1] } as const;
      const text = `namespace own { template <int N> __global__ void f(float *a) { *a = N; } }
        template <int N> __global__ void ff(float *a) { *a = N; }
        __global__ void fAbcdefghij(float *a) { *a = 1; }
        __global__ void counted(int n, float *a) { *a = n; }\n`;
      const kernels = ["own::f<3>", "ff<4>", "::counted"].map((entry) => ({ entry, ...launch }));
      const built = await compileFiles(from, { "main.cu": text }, { kernels, flags: ["--std=c++20"] });
      const symbols = { "own::f<3>": "_ZN3own1fILi3EEEvPf", "ff<4>": "_Z2ffILi4EEvPf", "::counted": "_Z7countediPf" };
      expect(built).toMatchObject({ ok: true, symbols });
      const none = await compileFiles(from, { "main.cu": text }, { kernels: [{ entry: "own::g<3>", ...launch }] });
      expect(none).toMatchObject({ ok: false, rule: "front_end" });
    });

    it("takes a define as a value, whatever it looks like", async (ctx) => {
      const from = toolchain(ctx);
      const refused = await compileFiles(from, { "main.cu": kernel("*a = X;") }, { defines: { X: "-include" } });
      expect(refused).toMatchObject({ ok: false, rule: "front_end" });
    });
  });
}

toolchainContract("nvcc", "nvcc", async () => {
  const facts = await findNvcc(PATH, places, scratch);
  return facts.ok ? new NvccToolchain(facts.value) : facts.error;
});

toolchainContract("NVRTC", "nvrtc", async () => {
  const facts = findNvrtc(PATH, places);
  return facts.ok ? openNvrtcToolchain(facts.value) : facts.error;
});

it("nvcc compiles for the very architecture of the target", () => {
  const nvcc = new NvccToolchain({ kind: "nvcc", id: "nvcc 12.4", path: "nvcc", searchPath: "", targets: [] });
  expect(nvcc.flags("cuda/sm_90a")).toContain("-arch=sm_90a");
  expect(nvcc.flags("cuda/sm_90")).toContain("-arch=sm_90");
});

describe("NVRTC's options", () => {
  it("are the target, the report, the toolkit's folders, then the program's own", async () => {
    const asked: NvrtcRequest[] = [];
    const facts = {
      kind: "nvrtc",
      id: "nvrtc 13.0",
      path: "",
      searchPath: "",
      includes: ["/cuda/include"],
      targets: [],
    } as const;
    const nvrtc = {
      version: "13.0",
      architectures: [],
      compile: (request: NvrtcRequest) => {
        asked.push(request);
        return { log: `${request.fileName}(1): error: no\n/cuda/include/a.h(2): error: also\n` };
      },
    };
    const toolchain = new NvrtcToolchain(facts, () => nvrtc);
    const launch = { grid: [1, 1, 1], block: [1, 1, 1], shared_bytes: 0, cluster: [1, 1, 1] } as const;
    const kernels = ["own::f<1>", "g", "own::f<1>"].map((entry) => ({ entry, ...launch }));
    const source = program({
      files: { "main.cu": "x", "b.cuh": "y" },
      defines: { A: "1" },
      flags: ["-O1", "-use_fast_math"],
      kernels,
    });
    const answer = await toolchain.compile({
      text: emitted(""),
      source,
      clientText: "checked",
      target: "cuda/sm_90a",
      directory: "/nowhere",
      timeoutMs: 1,
    });
    expect(asked).toEqual([
      {
        text: "x",
        fileName: "/nonexistent/warpfarm/main.cu",
        headers: { "b.cuh": "y" },
        expressions: ["own::f<1>"],
        options: [
          "--gpu-architecture=sm_90a",
          "--std=c++17",
          "--ptxas-options=-v",
          "--include-path=/cuda/include",
          "-DA=1",
          "--ptxas-options=-O1",
          "-use_fast_math",
        ],
      },
    ]);
    expect(answer).toEqual({
      ok: false,
      rule: "front_end",
      message: "main.cu(1): error: no",
      log: "main.cu(1): error: no\n<cuda>/a.h(2): error: also",
    });
  });
});
