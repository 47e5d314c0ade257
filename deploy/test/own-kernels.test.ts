/** A user's own kernel with the real command line and real builders: nvcc compiles the example's every config. */
import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { blobOf, type Digest } from "@warpfarm/common";
import { connect, decodeManifest } from "@warpfarm/proto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isFull, some } from "../../test-support/campaign.ts";
import { has, needs } from "../../test-support/needs.ts";
import { nvccSays, textsIn } from "../../test-support/nvcc.ts";
import { until } from "../../test-support/until.ts";
import { command } from "./command.testing.ts";
import { examples, KernelFarm } from "./kernel-farm.testing.ts";
import { bin, Place } from "./warpfarm-process.ts";

let farm: KernelFarm;
beforeAll(async () => {
  if (has("nvcc")) farm = await KernelFarm.start();
});
afterAll(() => farm?.[Symbol.asyncDispose]());

/** BLOCK * ITEMS <= 1024 admits all but the largest. In npm test nvcc compiles the four at the ends of the example's space. */
function exampleSpace(place: Place): number {
  if (isFull) return 11;
  const text = readFileSync(place.path("vector_add.yaml"), "utf8");
  const short = text.replace("[64, 128, 256, 512]", "[128, 512]").replace("range(3)", "range(0, 3, 2)");
  expect(short.length).toBeLessThan(text.length);
  writeFileSync(place.path("vector_add.yaml"), short);
  return 3;
}

test("the example is tuned: every config is compiled, the best is kept as text that nvcc takes, the log goes on", {
  timeout: 600_000,
}, async (ctx) => {
  needs(ctx, "nvcc");
  const { place, tracker, jobs } = farm.forTest();
  const configs = exampleSpace(place);
  const search = ["tune", "./vector_add.cu", "--tracker", tracker, "--tuner", "grid", "--trials", "20", "--log", "out.jsonl"];
  const tuned = await command(place, [...search, "--finalists", "0"]);
  expect(tuned.code, tuned.stderr).toBe(0);
  const lines = readFileSync(place.path("out.jsonl"), "utf8").split("\n");
  const trials = lines.filter((line) => line.startsWith("{")).map((line) => JSON.parse(line));
  // The default is one of them, so its time is measured once.
  expect(trials.map(({ result }) => result[1])).toEqual(Array(trials.length).fill(0));
  expect(new Set(trials.map(({ config }) => JSON.stringify(config.entity))).size).toBe(trials.length);
  expect([trials.length, jobs().length]).toEqual([configs, configs]);
  const kept = readFileSync(place.path("out.best.cu"), "utf8");
  expect(kept).toMatch(
    /^\/\/ vector_add\.cu as it was measured\n\/\/ {3}vector_add<<<\(\d+,1,1\), \(\d+,1,1\), 0>>>\n#define BLOCK \d+\n#define ITEMS \d+\n/,
  );

  const best = await command(place, ["best", "out.jsonl", "--task", "./vector_add.cu", "--emit", "cuda"]);
  expect([best.code, best.stdout]).toEqual([0, kept]);
  const shown = await command(place, ["lower", "./vector_add.cu", "--index", "1", "--emit", "launch"]);
  expect(shown.stdout).toContain('"args":["c","a","b",{"scalar":"int32","value":"1000003"}]');
  const nest = await command(place, ["lower", "./vector_add.cu", "--index", "1", "--emit", "ir"]);
  expect([nest.code, nest.stderr]).toEqual([2, expect.stringContaining("a kernel of your own has cuda and launch")]);

  // A search of another size begins with the farm's records of the same text and spec, and not with those of another text. The
  // record of the default names no config.
  const again = ["tune", "./vector_add.cu", "--tracker", tracker, "--trials", "1", "--finalists", "0", "--args", '{"n": 4096}'];
  await using connection = connect({ address: tracker });
  const recorded = async () => (await connection.records.query({ limit: 100 })).records.length >= configs;
  await until(recorded, "the search's records");
  const warm = await command(place, [...again, "--log", "warm.jsonl"]);
  expect([warm.code, warm.stderr]).toEqual([
    0,
    expect.stringContaining(`warm start: ${configs - 1} results of the farm's records`),
  ]);
  writeFileSync(place.path("vector_add.cu"), `${readFileSync(place.path("vector_add.cu"), "utf8")}// changed\n`);
  const cold = await command(place, [...again, "--log", "cold.jsonl"]);
  expect([cold.code, cold.stderr]).toEqual([0, expect.not.stringContaining("warm start")]);

  writeFileSync(place.path("items.cuh"), "#error changed\n");
  const changed = await command(place, ["tune", "--resume", "out.jsonl", "--tracker", tracker]);
  expect([changed.code, changed.stderr]).toEqual([2, expect.stringMatching(/has vector_add\.cu with digest .* has changed/)]);
});

test("what is wrong with the text is said by the compiler, with its line, and with the spec by its field", {
  timeout: 600_000,
}, async (ctx) => {
  needs(ctx, "nvcc");
  const { place, tracker } = farm.forTest();
  const text = readFileSync(place.path("vector_add.cu"), "utf8");
  writeFileSync(place.path("vector_add.cu"), text.replace("c[i] = a[i] + b[i];", "c[i] = a[i] + d[i];"));
  // Compared with itself, because a separate reference would also fail and might be reported first.
  const broken = await command(place, ["measure", "./vector_add.cu", "--index", "0", "--reference", "0", "--tracker", tracker]);
  expect([broken.code, broken.stdout]).toEqual([
    1,
    expect.stringMatching(/COMPILE_DEVICE[\s\S]*vector_add\.cu\(9\): error: identifier "d" is undefined/),
  ]);
  const checked = await command(place, ["check", "./vector_add.cu", "--samples", "1"]);
  expect([checked.code, checked.stdout, checked.stderr]).toEqual([
    4,
    expect.stringMatching(/^config 1: faulty: COMPILE_DEVICE: vector_add\.cu\(9\): error: .*\n.*0 sound, 1 faulty/),
    expect.stringContaining('vector_add.cu(9): error: identifier "d" is undefined'),
  ]);
  writeFileSync(place.path("vector_add.yaml"), "tunables: {BLOCK: [64]}\n");
  const spec = await command(place, ["tune", "./vector_add.cu", "--tracker", tracker]);
  expect([spec.code, spec.stderr]).toEqual([2, expect.stringMatching(/^warpfarm tune: vector_add\.yaml: args: /)]);
  const alone = await command(place, ["tune", "./nothing.cu", "--tracker", tracker]);
  expect([alone.code, alone.stderr]).toEqual([2, expect.stringMatching(/\.\/nothing\.cu needs a spec/)]);
});

const ptx = (body: string): string =>
  `.version 7.8\n.target sm_90\n.address_size 64\n.visible .entry add(.param .u64 c, .param .u64 a, .param .u32 n) {\n${body}  ret;\n}\n`;
const tensors = [
  { name: "c", dtype: "float32", shape: [64], role: "out" },
  { name: "a", dtype: "float32", shape: [64] },
  { scalar: "int32", value: 64 },
];

test("PTX and cubins are measured by their launch: built by a builder, compared with what is named", {
  timeout: 600_000,
}, async (ctx) => {
  needs(ctx, "nvcc");
  const { place, tracker, jobs } = farm.forTest();
  writeFileSync(place.path("args.json"), JSON.stringify(tensors));
  writeFileSync(place.path("k.ptx"), ptx("  .reg .b32 %r<2>;\n  mov.u32 %r1, %tid.x;\n"));
  writeFileSync(place.path("other.ptx"), ptx(""));
  writeFileSync(place.path("other.json"), JSON.stringify({ args: tensors, kernels: [{ entry: "add", grid: [1], block: [64] }] }));
  const shape = "grid=2x3,block=64,shared_bytes=512,cluster=2,cooperative=true";
  const launch = ["--launch", `entry=add,${shape}`, "--args", "args.json"];
  const measure = (file: string, ...more: readonly string[]) =>
    command(place, ["measure", file, ...launch, "--tracker", tracker, "--json", ...more]);

  const alone = await measure("./k.ptx");
  expect([alone.code, alone.stderr]).toEqual([
    2,
    expect.stringMatching(/one config and no reference; .*--reference.*--measure check=none/),
  ]);
  const measured = await measure("./k.ptx", "--reference", "./other.ptx", "--launch", "flags=-O1 --maxrregcount=64");
  expect(measured.code, measured.stderr).toBe(0);
  const [first] = jobs().map(({ job }) => job);
  expect(first?.kind === "run" && first.reference !== undefined && first.reference !== first.artifact).toBe(true);

  const built = await command(place, ["build", "./k.ptx", ...launch, "-o", "k.cubin"]);
  const attributes = [{ kind: "cooperative" }];
  expect(built.code, built.stderr).toBe(0);
  expect(JSON.parse(readFileSync(place.path("k.cubin.manifest.json"), "utf8"))).toMatchObject({
    format: "cubin",
    kernels: [{ name: "add", grid: [2, 3, 1], block: [64, 1, 1], cluster: [2, 1, 1], dynamic_shared_bytes: 512, attributes }],
  });
  const cubin = await measure("./k.cubin", "--measure", "check=none");
  expect(cubin.code, cubin.stderr).toBe(0);

  const short = await command(place, [
    "measure",
    "./k.cubin",
    ...launch.with(-1, JSON.stringify(tensors.slice(0, 2))),
    "--tracker",
    tracker,
    "--measure",
    "check=none",
  ]);
  expect([short.code, short.stdout]).toEqual([
    1,
    expect.stringMatching(/cubin\.kernel\]: add takes 3 parameters of 8, 8, 4 bytes; the program gives it 2/),
  ]);
  writeFileSync(place.path("wrong.ptx"), ptx("  mov.u33 %r1, 1;\n"));
  const wrong = await measure("./wrong.ptx", "--measure", "check=none");
  expect([wrong.code, wrong.stdout]).toEqual([1, expect.stringMatching(/kernel\.ptx, line 5/)]);
});

test("ptxas's flags are tunables, and so are template arguments, whose instance is found by its name", {
  timeout: 600_000,
}, async (ctx) => {
  needs(ctx, "nvcc");
  const { place, tracker } = farm.forTest();
  writeFileSync(place.path("k.ptx"), ptx("  .reg .b32 %r<2>;\n  mov.u32 %r1, %tid.x;\n"));
  const spec = { tunables: { OPT: [0, 3], REGS: [32, 64] }, flags: ["-O{OPT}", "--maxrregcount={REGS}"], args: tensors };
  writeFileSync(place.path("k.json"), JSON.stringify({ ...spec, kernels: [{ entry: "add", grid: [1], block: [64] }] }));
  const search = ["--tracker", tracker, "--tuner", "grid", "--trials", "9", "--finalists", "0", "--log", "out.jsonl"];
  const tuned = await command(place, ["tune", "./k.ptx", ...search]);
  expect(tuned.code, tuned.stderr).toBe(0);
  expect(readFileSync(place.path("out.best.ptx"), "utf8")).toMatch(
    /^\/\/ PTX as it was measured\n.*\n\/\/ flags: -O[03] --maxrregcount=(32|64)\n\n\.version/,
  );
  const lines = readFileSync(place.path("out.jsonl"), "utf8").split("\n");
  const trials = lines.filter((line) => line.startsWith("{")).map((line) => JSON.parse(line));
  expect(trials.map(({ result }) => result[1])).toEqual([0, 0, 0, 0]);

  writeFileSync(
    place.path("t.cu"),
    "namespace own {\ntemplate <int N, bool F> __global__ void fill(float *c) { c[threadIdx.x] = F ? N : -N; }\n}\n",
  );
  writeFileSync(
    place.path("t.yaml"),
    "tunables: {N: [1, 2], F: [true, false]}\nargs: [{name: c, dtype: float32, shape: [64], role: out}]\nkernels: [{entry: 'own::fill<{N}, {F}>', grid: [1], block: [64]}]\n",
  );
  const built = await command(place, ["build", "./t.cu", "--index", "3", "-o", "t.cubin"]);
  expect(built.code, built.stderr).toBe(0);
  expect(JSON.parse(readFileSync(place.path("t.cubin.manifest.json"), "utf8")).kernels[0].name).toBe(
    "_ZN3own4fillILi2ELb0EEEvPf",
  );
  writeFileSync(place.path("t.yaml"), readFileSync(place.path("t.yaml"), "utf8").replace("own::fill", "own::full"));
  const missing = await command(place, ["build", "./t.cu", "--index", "0", "-o", "t.cubin"]);
  expect([missing.code, missing.stderr]).toEqual([1, expect.stringMatching(/entry 1\(1\): error: .*full/)]);
});

test("a folder of headers travels once, as a bundle that builders fetch; what is wrong in it is told by its path", {
  timeout: 600_000,
}, async (ctx) => {
  needs(ctx, "nvcc");
  const { place, tracker } = farm.forTest();
  mkdirSync(place.path("inc/lib/detail"), { recursive: true });
  const plus = (body: string) => `#pragma once\n__device__ inline float plus(float x, float y) { return ${body}; }\n`;
  writeFileSync(place.path("inc/lib/add.hpp"), '#pragma once\n#include "detail/plus.h"\n#define NAME(a, b) a##b\n');
  writeFileSync(place.path("inc/lib/detail/plus.h"), plus("x + y"));
  const text = readFileSync(place.path("vector_add.cu"), "utf8").replace(
    "c[i] = a[i] + b[i];",
    "c[i] = NAME(pl, us)(a[i], b[i]);",
  );
  writeFileSync(place.path("vector_add.cu"), `#include <lib/add.hpp>\n${text}`);
  writeFileSync(place.path("vector_add.yaml"), `${readFileSync(place.path("vector_add.yaml"), "utf8")}includes: [./inc]\n`);
  const search = ["--tuner", "grid", "--trials", "2", "--finalists", "0", "--log", "out.jsonl", "--tracker", tracker];
  const tuned = await command(place, ["tune", "./vector_add.cu", ...search]);
  expect(tuned.code, tuned.stderr).toBe(0);
  const headers = readdirSync(farm.bundles)
    .map((folder) => join(farm.bundles, folder, "lib/detail/plus.h"))
    .filter((path) => existsSync(path));
  expect(headers.map((path) => readFileSync(path, "utf8"))).toEqual([plus("x + y")]);

  writeFileSync(place.path("inc/lib/detail/plus.h"), plus("x + z"));
  const other = await command(place, ["tune", "--resume", "out.jsonl", "--tracker", tracker]);
  expect([other.code, other.stderr]).toEqual([2, expect.stringMatching(/has vector_add\.cu with digest .* has changed/)]);
  const broken = await command(place, ["measure", "./vector_add.cu", "--index", "0", "--tracker", tracker]);
  // The failure of the config or of the reference, whichever is built first.
  expect(broken.code).not.toBe(0);
  expect(broken.stdout + broken.stderr).toMatch(/lib\/detail\/plus\.h\(2\): error: identifier "z" is undefined/);
});

test("a suite that a farm keeps has its kernels too: who works on it needs none of their files", {
  timeout: 600_000,
}, async (ctx) => {
  needs(ctx, "nvcc");
  const { place, tracker } = farm.forTest();
  mkdirSync(place.path("mine/inc"), { recursive: true });
  mkdirSync(place.path("elsewhere"));
  for (const name of ["vector_add.cu", "items.cuh"]) renameSync(place.path(name), place.path(`mine/${name}`));
  writeFileSync(
    place.path("mine/inc/plus.h"),
    "#pragma once\n__device__ inline float plus(float x, float y) { return x + y; }\n",
  );
  const spec = readFileSync(place.path("vector_add.yaml"), "utf8");
  writeFileSync(place.path("mine/own.yaml"), `${spec}includes: [./inc]\nreference: {kernel: ./plain.cu}\n`);
  writeFileSync(place.path("mine/plain.yaml"), spec);
  const text = readFileSync(place.path("mine/vector_add.cu"), "utf8");
  writeFileSync(place.path("mine/plain.cu"), text);
  writeFileSync(place.path("mine/vector_add.cu"), `#include <plus.h>\n${text.replace("a[i] + b[i]", "plus(a[i], b[i])")}`);
  // nvcc compiles each.
  const [each, shapes] = isFull ? [3, ["{n: 4096}", "{n: 8192}"]] : [1, ["{n: 4096}"]];
  writeFileSync(
    place.path("mine/s.yaml"),
    `name: own\ntasks: [{task: ./vector_add.cu, spec: ./own.yaml, shapes: [${shapes}]}]\nbudget: {trials: ${each}}\ntuner: random\nfinalists: 0\n`,
  );
  const handed = await command(place, ["suite", "run", "mine/s.yaml", "--dir", "state", "--detach", "--tracker", tracker]);
  expect(handed.code, handed.stderr).toBe(0);
  rmSync(place.path("mine"), { recursive: true });
  const waits = JSON.parse((await command(place, ["suite", "status", "state", "--json"])).stdout).tasks;
  expect(waits.map((task: { waits_for: unknown }) => task.waits_for)).toEqual(shapes.map(() => null));
  const worked = await command(place, ["suite", "work", "--once", "--tracker", tracker], place.path("elsewhere"));
  expect(worked.code, worked.stderr).toBe(0);
  const { tasks } = JSON.parse((await command(place, ["suite", "status", "state", "--json"])).stdout);
  expect(tasks.map(({ state, trials }: { state: string; trials: number }) => [state, trials])).toEqual(
    shapes.map(() => ["ended", each]),
  );
  const logs = readdirSync(place.path("state/logs")).map((name) => readFileSync(place.path(`state/logs/${name}`), "utf8"));
  const trials = logs.flatMap((log) => log.split("\n").filter((line) => line.startsWith("{")));
  expect(trials.map((line) => JSON.parse(line).result[1])).toEqual(Array(shapes.length * each).fill(0));
});

test("inputs and outputs of files reach the farm as blobs, and what did not fit says which file and tensor", {
  timeout: 600_000,
}, async (ctx) => {
  needs(ctx, "nvcc", "numpy");
  const { place, tracker, jobs } = farm.forTest();
  const script = `import numpy as np
a, b = np.arange(64, dtype="f4"), np.ones(64, dtype="f4")
for name, array in [("a", a), ("c", a + b), ("short", a[:9]), ("whole", a.astype("i4"))]: np.save(f"{name}.npy", array)`;
  execFileSync("/usr/bin/python3", ["-c", script], { cwd: place.directory });
  const spec = readFileSync(place.path("vector_add.yaml"), "utf8").replace(
    "{name: a, dtype: float32, shape: [n]}",
    "{name: a, dtype: float32, shape: [n], fill: {file: ./a.npy}}",
  );
  expect(spec).toContain("a.npy");
  writeFileSync(place.path("vector_add.yaml"), spec);
  const measure = (...more: readonly string[]) =>
    command(place, ["measure", "./vector_add.cu", "--index", "3", "--args", '{"n": 64}', "--tracker", tracker, ...more]);
  const measured = await measure("--reference", "./c.npy");
  const sends = "sends vector_add.cu, items.cuh\nsends ./a.npy for a (1 KiB)\n";
  expect([measured.code, measured.stderr]).toEqual([0, `${sends}sends ./c.npy for c (1 KiB)\n`]);

  const [job] = jobs().map((each) => each.job);
  if (job?.kind !== "run" || job.reference === undefined) throw new Error("no reference");
  await using connection = connect({ address: tracker });
  const held = new Float32Array(64).map((_, i) => i);
  const contents = async (digest: Digest, buffer: string) => {
    const manifest = decodeManifest(await connection.artifacts.download(digest));
    const found = manifest.ok ? manifest.value.buffers.find(({ name }) => name === buffer) : undefined;
    const bytes = await connection.artifacts.download(blobOf(found?.fill) as Digest);
    return new Float32Array(Uint8Array.from(bytes).buffer);
  };
  expect(await contents(job.artifact, "a")).toEqual(held);
  expect(await contents(job.reference, "a")).toEqual(held);
  expect(await contents(job.reference, "recorded_c")).toEqual(held.map((value) => value + 1));

  const short = await measure("--reference", "./short.npy");
  expect([short.code, short.stderr]).toEqual([
    2,
    expect.stringMatching(
      /\.\/vector_add\.cu: reference\.file: \.\/short\.npy holds <f4\[9\], and the tensor c is float32\[64\]/,
    ),
  ]);
  const whole = await measure("--reference", "./whole.npy");
  expect([whole.code, whole.stderr]).toEqual([
    2,
    expect.stringMatching(/whole\.npy holds <i4\[64\], and the tensor c is float32/),
  ]);

  const another = await measure("--reference", "5");
  expect([another.code, another.stderr, another.stdout]).toEqual([
    0,
    sends,
    expect.stringContaining("agrees with the reference"),
  ]);
  const itself = await measure("--reference", "3");
  expect([itself.code, itself.stderr]).toEqual([
    0,
    `${sends}note: config 3 is the reference; its outputs are compared with nothing\n`,
  ]);
  const references = jobs().map((each) => each.job.kind === "run" && each.job.reference !== undefined);
  expect(references).toEqual([true, true, false]);
});

test("a compiler that is asked for is taken, and a builder without it says which it has", { timeout: 600_000 }, async (ctx) => {
  needs(ctx, "nvcc");
  using place = new Place();
  const text = 'extern "C" __global__ void f(float *c) { c[threadIdx.x] = BLOCK; }\n';
  const spec = (compiler: string) =>
    JSON.stringify({
      tunables: { BLOCK: [32] },
      compiler,
      args: [{ name: "c", dtype: "float32", shape: [32], role: "out" }],
      kernels: [{ entry: "f", grid: [1], block: ["BLOCK"] }],
    });
  writeFileSync(place.path("k.cu"), text);
  writeFileSync(place.path("k.json"), spec("nvcc"));
  const built = await command(place, ["build", "./k.cu", "--index", "0", "-o", "k.cubin"]);
  expect(built.code, built.stderr).toBe(0);
  expect(JSON.parse(readFileSync(place.path("k.cubin.manifest.json"), "utf8")).toolchain).toMatch(/^nvcc /);
  writeFileSync(place.path("k.json"), spec("nvrtc"));
  const asked = await command(place, ["build", "./k.cu", "--index", "0", "-o", "k.cubin"]);
  if (asked.code !== 0) expect(asked.stderr).toMatch(/the program asks for nvrtc; this builder has nvcc [\d.]+/);
  else expect(JSON.parse(readFileSync(place.path("k.cubin.manifest.json"), "utf8")).toolchain).toMatch(/^nvrtc /);
  writeFileSync(place.path("p.ptx"), "");
  writeFileSync(place.path("p.json"), spec("nvcc"));
  const ptxSpec = await command(place, ["build", "./p.ptx", "--index", "0", "-o", "k.cubin"]);
  expect([ptxSpec.code, ptxSpec.stderr]).toEqual([2, expect.stringMatching(/p\.json:1: compiler is for CUDA text only/)]);
});

test("the other examples compile, in configs at both ends of their spaces", { timeout: 600_000 }, async (ctx) => {
  needs(ctx, "nvcc");
  using place = new Place();
  const ends = [
    ["stencil", "2"],
    ["stencil", "95"],
    ["gemm", "0"],
    ["gemm", "242"],
  ] as const;
  for (const [name, index] of some(ends, 1, 2)) {
    const config = [join(examples, `${name}.cu`), "--index", index];
    const [text, launch] = await Promise.all(
      ["cuda", "launch"].map(async (part) => (await command(place, ["lower", ...config, "--emit", part])).stdout),
    );
    expect(text).toContain("__global__");
    const headers = Object.entries(textsIn(examples)).filter(([path]) => path.endsWith(".cuh"));
    const child = { cwd: place.directory, env: { ...place.env }, encoding: "utf8", stdio: "pipe" } as const;
    const build = () => execFileSync(process.execPath, [bin(), "build", ...config, "-o", "out.cubin"], child);
    // Throws with what the command says when it does not end well.
    expect(nvccSays([text, launch, headers], () => build() !== "")).toBe(true);
  }
});

test("the example of PTX is measured by its launch, against the example in CUDA", { timeout: 600_000 }, async (ctx) => {
  needs(ctx, "nvcc");
  const { place, tracker, jobs } = farm.forTest();
  for (const name of ["add.ptx", "add.args.json"]) copyFileSync(join(examples, name), place.path(name));
  const [, words = ""] = /npx warpfarm (measure .*)/.exec(readFileSync(place.path("add.ptx"), "utf8")) ?? [];
  const line = words.replaceAll("examples/", "./").split(" ");
  const measured = await command(place, [...line, "--tracker", tracker, "--target", "cuda/sm_90", "--json"]);
  expect(measured.code, measured.stderr).toBe(0);
  const [first] = jobs().map(({ job }) => job);
  expect(first?.kind === "run" && first.reference !== undefined && first.reference !== first.artifact).toBe(true);
});
