/** Programs that ask for a compiler, on builders that have it and on others. Needs the compiled package. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { FarmError, toLeaseId } from "@warpfarm/common";
import { type CudaSourceProgram, encodeDocument } from "@warpfarm/compiler";
import { afterAll, expect, test } from "vitest";
import { bundled } from "../../test-support/bundles.ts";
import { needs } from "../../test-support/needs.ts";
import { type BuildExecutor, LocalBuildExecutor } from "./build-executor.ts";
import { BuilderRole } from "./builder-role.ts";
import { testProgram } from "./builds.testing.ts";
import { findToolchains, toolchains } from "./toolchain/index.ts";
import type { ToolchainFacts } from "./toolchain/toolchain.ts";

const { PATH = "", CUDA_HOME } = process.env;
const base = mkdtempSync(join(tmpdir(), "warpfarm-chosen-"));
afterAll(() => rmSync(base, { recursive: true, force: true }));

/** Never opened but to compile. */
const nvrtc: ToolchainFacts = {
  kind: "nvrtc",
  id: "nvrtc 0.1",
  path: "/nowhere/libnvrtc.so",
  searchPath: PATH,
  targets: ["cuda/sm_90"],
};
const programOf = (over: Partial<CudaSourceProgram>) =>
  encodeDocument({
    version: 1,
    kind: "cuda_source",
    target: "cuda/sm_90",
    files: { "k.cu": 'extern "C" __global__ void f(float *c) { c[threadIdx.x] = 1; }\n' },
    kernels: [{ entry: "f", grid: [1, 1, 1], block: [32, 1, 1], shared_bytes: 0, cluster: [1, 1, 1] }],
    defines: {},
    flags: [],
    args: [{ name: "c", dtype: "float32", shape: [32], role: "out", fill: "zeros" }],
    ...over,
  });

test("the compiler asked for is taken, wherever it stands; without one the first", async (ctx) => {
  needs(ctx, "nvcc");
  const found = (await findToolchains(PATH, tmpdir(), CUDA_HOME?.split(delimiter))).toolchains.find(
    ({ kind }) => kind === "nvcc",
  );
  expect(found).toBeDefined();
  const nvcc = found as ToolchainFacts;
  const built = async (able: readonly ToolchainFacts[], over: Partial<CudaSourceProgram>) => {
    const workDirectory = mkdtempSync(join(base, "work-"));
    await using executor = new LocalBuildExecutor({
      ...{ compilerVersion: "0", toolchains: able, lockDirectory: base, workDirectory, clientText: "all" },
      module: bundled("builder/dist/worker/child"),
    });
    return await executor.build({ program: programOf(over), timeoutMs: 300_000 });
  };
  const byChoice = await built([nvrtc, nvcc], { compiler: "nvcc" });
  expect(byChoice.kind === "built" && byChoice.artifact.manifest.toolchain).toBe(nvcc.id);
  expect(await built([nvrtc, nvcc], {})).toMatchObject({
    kind: "failed",
    result: { message: expect.stringContaining("/nowhere/libnvrtc.so") },
  });
  await expect(built([nvcc], { compiler: "nvrtc" })).rejects.toMatchObject({
    rule: "source.compiler",
    message: `the program asks for nvrtc; this builder has ${nvcc.id}`,
  });
});

test("tunables of a kernel are looked at before it is compiled, and an entry is found by its C++ name", async (ctx) => {
  needs(ctx, "nvcc");
  const nvcc = (await findToolchains(PATH, tmpdir(), CUDA_HOME?.split(delimiter))).toolchains.find(({ kind }) => kind === "nvcc");
  const workDirectory = mkdtempSync(join(base, "work-"));
  await using executor = new LocalBuildExecutor({
    ...{ compilerVersion: "0", toolchains: [nvcc as ToolchainFacts], lockDirectory: base, workDirectory, clientText: "all" },
    module: bundled("builder/dist/worker/child"),
  });
  const built = async (text: string, names: readonly string[]) => {
    const tunables = Object.fromEntries(names.map((name) => [name, { launch: false, defines: [{ [name]: "2" }] }]));
    const defines = Object.fromEntries(names.map((name) => [name, "1"]));
    const program = programOf({ version: 1, files: { "k.cu": text }, tunables, defines });
    const made = await executor.build({ program, timeoutMs: 300_000 });
    return made.kind === "built" ? made.artifact.manifest : made.result;
  };
  const kernel = "namespace a { __global__ void f(float *c) { c[threadIdx.x] = USED; } }\n";
  expect(await built(kernel, ["USED", "IDLE"])).toMatchObject({
    kernels: [{ name: "_ZN1a1fEPf" }],
    notes: [{ rule: "source.tunables", message: "the tunable IDLE changes neither the text nor the launch" }],
  });
  // What the compiler says of the text is not asked.
  expect(await built(`#define USED 3\n${kernel} int x = y;`, ["USED"])).toMatchObject({
    ...{ kind: "failed", errorNo: 3, rule: "source.tunables" },
    message: expect.stringMatching(/^k\.cu:1 defines USED, which is a tunable/),
  });
});

test("nvcc is looked for beside NVRTC, and not twice", async (ctx) => {
  needs(ctx, "nvcc");
  const places = { path: PATH, temporary: tmpdir(), cudaHomes: CUDA_HOME?.split(delimiter) ?? [] };
  const cuda = toolchains.of("cuda");
  expect(await cuda.findByChoice?.(places, nvrtc)).toMatchObject({ ok: true, value: { kind: "nvcc" } });
  expect(await cuda.findByChoice?.(places, { ...nvrtc, kind: "nvcc" })).toMatchObject({ ok: false });
});

test("a builder without it hands the job back, and is as well as before", async () => {
  const error = new FarmError("FAILED_PRECONDITION", "the program asks for nvrtc; this builder has nvcc", {
    rule: "source.compiler",
  });
  const troubles: string[] = [];
  const role: BuilderRole = new BuilderRole({
    node: "n",
    labels: {},
    facts: { kind: "builder", slots: 1, targets: ["cuda/sm_90"], toolchains: [], compilerVersion: "0", programVersions: [1] },
    executor: { build: () => Promise.reject(error) } as unknown as BuildExecutor,
    replay: () => Promise.reject(error),
    artifacts: { upload: () => Promise.reject(error) },
    hasRoom: async () => true,
    onTrouble: () => troubles.push(role.trouble()),
  });
  const job = { kind: "build" as const, program: testProgram({}), timeoutMs: 1_000 };
  const signal = new AbortController().signal;
  const outcome = await role.work({ leaseId: toLeaseId("l"), epoch: 1, ttlMs: 1_000, job }, { signal, begin: () => {} });
  expect(outcome).toEqual({ kind: "fault", message: error.message, suspect: false });
  expect([role.trouble(), troubles]).toEqual(["", []]);
});
