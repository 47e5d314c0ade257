/** Kernels as tasks: the program of a config, worked out by hand, and what a spec's expressions may not use. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Json } from "@warpfarm/common";
import { type CudaSourceProgram, decodeProgram, gpuLimits } from "@warpfarm/compiler";
import type { Task } from "@warpfarm/templates";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createKernelTask, type KernelSource } from "./kernel-task.ts";
import { loadKernel } from "./load-kernel.ts";
import { readSpec } from "./spec.ts";

const target = "cuda/sm_90";
const example = fileURLToPath(new URL("../../../examples/vector_add.cu", import.meta.url));

function sourceOf(change: object = {}): KernelSource {
  const read = readSpec({
    problem: { n: 1000 },
    tunables: { BLOCK: [32, 64, 128], FAST: [false, true] },
    constraints: ["BLOCK <= n // 10"],
    args: [
      { name: "c", dtype: "float32", shape: ["n"], role: "out" },
      { name: "a", dtype: "float32", shape: ["n", 2] },
      { scalar: "int32", value: "n" },
    ],
    kernels: [{ entry: "f", grid: ["(n + BLOCK - 1) // BLOCK"], block: ["BLOCK", 2], shared_bytes: "4 * BLOCK" }],
    flops: "3 * n",
    ...change,
  });
  if (!read.ok) throw new Error(read.error);
  const targets = [{ kind: "cuda" }];
  return { kind: "cuda_source", name: "f", word: "./f.cu", targets, spec: read.value, files: { "f.cu": "// f" } };
}
const taskOf = (change: object = {}, args?: Json): Task => createKernelTask(sourceOf(change), args, target);
function programOf(task: Task, values: Readonly<Record<string, unknown>>): CudaSourceProgram {
  for (let rank = 0; rank < task.space.valid.count; rank++) {
    const index = task.space.toIndex(task.space.valid.nth(rank));
    const at = task.space.get(index).values;
    if (!Object.entries(values).every(([name, value]) => at.get(name) === value)) continue;
    const made = task.instantiate(index);
    const decoded = made.ok ? decodeProgram(made.value.program.bytes) : undefined;
    if (decoded?.ok && decoded.value.kind === "cuda_source") return decoded.value;
    throw new Error(made.ok ? "not decoded" : made.error.message);
  }
  throw new Error("no such config");
}

describe("a kernel's task", () => {
  it("has the spec's values as knobs, its constraints over them and the sizes", () => {
    const task = taskOf();
    expect(task.space.knobs.map(({ name, size }) => [name, size])).toEqual([
      ["BLOCK", 3],
      ["FAST", 2],
    ]);
    expect(task.space.valid.count).toBe(4); // 128 is more than a tenth of 1000
    expect(taskOf({}, { n: 2000 }).space.valid.count).toBe(6);
    expect(task.flops).toBe(3000);
    expect(task.tensorBytes).toBe(4 * (1000 + 1000 + 2000));
  });

  it("makes programs with each value in its place", () => {
    expect(
      programOf(taskOf({ flags: ["--maxrregcount={BLOCK}"], defines: { TWICE: "{2 * BLOCK}" } }), { BLOCK: 64, FAST: true }),
    ).toEqual({
      version: 1,
      kind: "cuda_source",
      target,
      files: { "f.cu": "// f" },
      defines: { BLOCK: "64", FAST: "1", TWICE: "128" },
      flags: ["--maxrregcount=64"],
      args: [
        { name: "c", dtype: "float32", shape: [1000], role: "out", fill: "zeros" },
        { name: "a", dtype: "float32", shape: [1000, 2], role: "in", fill: "random" },
      ],
      kernels: [
        {
          entry: "f",
          grid: [16, 1, 1],
          block: [64, 2, 1],
          cluster: [1, 1, 1],
          shared_bytes: 256,
          args: ["c", "a", { scalar: "int32", value: "1000" }],
        },
      ],
    });
  });

  it("compares outputs in parts by their sums, and refuses by name another shape that a tunable changes", () => {
    const args = (more: object) => [
      { name: "c", dtype: "float32", shape: ["n // BLOCK", 2], role: "out", ...more },
      { name: "a", dtype: "float32", shape: ["n"] },
    ];
    const task = taskOf({ args: args({ sum_over: [0] }) });
    expect(programOf(task, { BLOCK: 64 })).toMatchObject({ version: 1, args: [{ shape: [15, 2], sum_over: [0] }, {}] });
    expect(decodeProgram(task.reference.bytes)).toMatchObject({ value: { args: [{ shape: [31, 2], sum_over: [0] }, {}] } });
    const changes = "args.c.shape[0]: it is 31 in the default config and 15 where BLOCK is 64";
    expect(() => taskOf({ args: args({}) })).toThrow(`${changes}; outputs of all configs are compared`);
    expect(() => taskOf({ args: args({ sum_over: [1] }) })).toThrow(`${changes}; outputs of all configs are compared`);
    expect(() => taskOf({ args: args({}) })).toThrow("added up before that with sum_over: [0]");
    expect(() =>
      taskOf({ args: [...args({ role: "workspace" }), { name: "d", dtype: "float32", shape: [1], role: "out" }] }),
    ).not.toThrow();
    const input = [
      { name: "c", dtype: "float32", shape: [4], role: "out" },
      { name: "a", dtype: "float32", shape: ["2 * BLOCK"] },
    ];
    expect(() => taskOf({ args: input })).toThrow(
      "args.a.shape[0]: it is 64 in the default config and 128 where BLOCK is 64; inputs",
    );
    for (const [more, why] of [
      [{ sum_over: [2] }, "there is no axis 2; the tensor has 2"],
      [{ sum_over: [0, 0] }, "axis 0 is there twice"],
      [{ sum_over: [0], role: "inout" }, 'its role is "inout"; only an output is compared'],
    ] as const)
      expect(() => taskOf({ args: args(more) })).toThrow(`args.c.sum_over: ${why}`);
  });

  it("says of an output that every run writes the same bits, and of no other tensor", () => {
    const args = (more: object) => [
      { name: "c", dtype: "float32", shape: ["n"], role: "out", ...more },
      { name: "a", dtype: "float32", shape: ["n"] },
    ];
    const task = taskOf({ args: args({ deterministic: true }) });
    expect(programOf(task, {})).toMatchObject({ args: [{ name: "c", deterministic: true }, { name: "a" }] });
    expect(programOf(taskOf({ args: args({}) }), {}).args[0]).not.toHaveProperty("deterministic");
    for (const role of ["in", "inout", "workspace"])
      expect(() => taskOf({ args: [...args({ role, deterministic: true }), { ...args({})[0], name: "d" }] })).toThrow(
        `args.c.deterministic: its role is "${role}"; only an output that a kernel does not read takes it`,
      );
    expect(() => taskOf({ args: args({ deterministic: false }) })).toThrow("true, or left out");
  });

  it("asks for a cooperative launch of the kernels that wait for their grid", () => {
    const kernels = [false, true].map((cooperative) => ({ entry: "f", grid: [4], block: ["BLOCK"], cooperative }));
    const made = programOf(taskOf({ kernels }), { BLOCK: 32 });
    expect(made).toMatchObject({ version: 1, kernels: [{ entry: "f" }, { entry: "f", cooperative: true }] });
    expect(made.kernels[0]).not.toHaveProperty("cooperative");
  });

  it("may ask for a compiler, which may be a tunable", () => {
    const tunables = { BLOCK: [32], COMPILER: ["nvcc", "nvrtc"] };
    const task = taskOf({ tunables, compiler: "{COMPILER}", flags: ["--ptxas-options=-O3"] });
    for (const compiler of ["nvcc", "nvrtc"] as const)
      expect(programOf(task, { COMPILER: compiler })).toMatchObject({ version: 1, compiler, defines: { COMPILER: compiler } });
    expect(programOf(taskOf({ compiler: "nvcc" }), { BLOCK: 32 })).toMatchObject({ version: 1, compiler: "nvcc" });
    expect(() => taskOf({ compiler: "clang" })).toThrow(
      './f.cu: the default config: compiler: "clang"; there are nvcc and nvrtc',
    );
  });

  it("takes flags as nvcc spells them, and refuses what no builder accepts", () => {
    const flags = [
      "-maxrregcount={BLOCK}",
      "--use_fast_math",
      "-std=c++20",
      "-Xptxas -O2",
      "-fmad=false",
      "--generate-line-info",
    ];
    const read = programOf(taskOf({ flags }), { BLOCK: 64 }).flags;
    const one = ["--maxrregcount=64", "-use_fast_math", "--std=c++20", "--ptxas-options=-O2", "--fmad=false", "-lineinfo"];
    expect(read).toEqual(one);
    const task = taskOf({ flags: ["--maxrregcount={BLOCK * 4}"] });
    expect(task.instantiate(task.space.toIndex(0))).toMatchObject({ ok: true });
    const refused = {
      ok: false,
      error: { rule: "kernel.spec", message: expect.stringContaining('flags[0]: "--maxrregcount=256"; allowed') },
    };
    expect(task.instantiate(task.space.toIndex(1))).toMatchObject(refused);
  });

  it("is compared with its default config, of which the spec may name a part", () => {
    const reference = (task: Task) => {
      const decoded = decodeProgram(task.reference.bytes);
      return decoded.ok && decoded.value.kind === "cuda_source" ? decoded.value.defines : undefined;
    };
    expect(reference(taskOf())).toEqual({ BLOCK: "32", FAST: "0" });
    expect(reference(taskOf({ default: { BLOCK: 64 } }))).toEqual({ BLOCK: "64", FAST: "0" });
    expect(() => taskOf({ default: { BLOCK: 65 } })).toThrow("./f.cu: default.BLOCK: 65 is not one of the tunable's values");
    expect(() => taskOf({ default: { BLOCK: 128 } })).toThrow("the constraints allow no config with these values");
  });

  it("refuses before building what no device could launch", () => {
    const task = taskOf({ tunables: { BLOCK: [256, 1024] }, constraints: [] });
    const refused = [0, 1].map((index) => task.validate(task.space.toIndex(index), gpuLimits(target)).map(({ rule }) => rule));
    expect(refused).toEqual([[], ["gpu.threads"]]);
  });

  it("knows itself again by its text: a log of another one is refused", () => {
    const { args } = taskOf();
    expect(taskOf({}, [...args]).args).toEqual(args);
    expect(() => taskOf({ flops: 1 }, [...args])).toThrow(/the log is of another text or spec of this kernel/);
  });

  it.each<[string, object, Json | undefined, string]>([
    ["an unknown size", {}, { m: 1 }, "problem has no size m; it has n"],
    ["a size that is text", {}, { n: "1" }, '--args: n is "1"; sizes are numbers'],
    ["a list of sizes", {}, 7, "--args takes an object of sizes by name"],
    ["a constraint of unknown names", { constraints: ["BLOK < 3"] }, undefined, "BLOK"],
    ["constraints that allow nothing", { constraints: ["BLOCK > 999"] }, undefined, "constraints: they allow no config"],
    [
      "a grid of unknown names",
      { kernels: [{ entry: "f", grid: ["m"], block: [1] }] },
      undefined,
      'kernels[0].grid[0]: "m" uses m',
    ],
    [
      "a grid of a half",
      { kernels: [{ entry: "f", grid: ["n / 3"], block: [1] }] },
      undefined,
      "kernels[0].grid[0]: n / 3 is 333.3",
    ],
    ["an expression that is none", { flops: "3 *" }, undefined, "flops: "],
    [
      "a scalar beyond its type",
      {
        args: [
          { name: "c", dtype: "float32", shape: [1], role: "out" },
          { scalar: "int8", value: "n" },
        ],
      },
      undefined,
      "n is 1000; int8 holds whole numbers from -128 to 127",
    ],
  ])("with %s is refused in words", (_, change, args, words) => {
    expect(() => taskOf(change, args)).toThrow(words);
  });

  it("is for targets that take text", () => {
    expect(() => createKernelTask(sourceOf(), undefined, "cpu/x86-64-v3")).toThrow(
      "./f.cu: its text is CUDA, and cpu/x86-64-v3 is not",
    );
  });
});

describe("a kernel's files", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "warpfarm-kernel-"));
  });
  afterEach(() => rmSync(folder, { recursive: true }));
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text);

  it("are the text and the headers beside it that it includes, however deep", async () => {
    const { files, name } = await loadKernel({ path: example, word: "examples/vector_add.cu" });
    expect([name, Object.keys(files).sort()]).toEqual(["vector_add", ["items.cuh", "vector_add.cu"]]);
  });

  it("may name a template's default schedule as the reference, with tensors and sizes of the kernel", async () => {
    const gemm = await loadKernel({ path: example.replace("vector_add", "gemm"), word: "gemm.cu" });
    for (const n of [256, 512]) {
      const task = createKernelTask(gemm, { n }, target);
      const decoded = decodeProgram(task.reference.bytes);
      if (!decoded.ok || decoded.value.kind !== "schedule") throw new Error("no schedule");
      const { inputs, outputs } = decoded.value.graph;
      const tensors = [...outputs, ...inputs].map(({ name, dtype, shape }) => ({ name, dtype, shape: [...shape] }));
      const made = task.instantiate(task.space.toIndex(task.space.valid.nth(0)));
      const program = made.ok ? decodeProgram(made.value.program.bytes) : undefined;
      const own = program?.ok && program.value.kind === "cuda_source" ? program.value : undefined;
      expect(own?.args.map(({ name, dtype, shape }) => ({ name, dtype, shape }))).toEqual(tensors);
      expect(own?.kernels[0]?.entry).toMatch(/^gemm<\d+, \d+, \d+, \d+, \d+>$/);
      expect(own?.defines).toEqual({});
    }
  });

  it("may name another kernel's default config, or a Program document; the log's identity holds which", async () => {
    const spec = (more: object) =>
      JSON.stringify({
        problem: { n: 8 },
        tunables: { B: [32, 64] },
        args: [{ name: "c", dtype: "float32", shape: ["n"], role: "out" }],
        kernels: [{ entry: "f", grid: ["n"], block: ["B"] }],
        ...more,
      });
    write("plain.cu", "// plain");
    write("plain.json", spec({ default: { B: 64 } }));
    write("k.cu", "// k");
    const load = async (reference?: object) => {
      write("k.json", spec(reference === undefined ? {} : { reference }));
      return createKernelTask(await loadKernel({ path: join(folder, "k.cu"), word: "./k.cu" }), { n: 16 }, target);
    };
    const task = await load({ kernel: "./plain.cu" });
    const decoded = decodeProgram(task.reference.bytes);
    expect(decoded).toMatchObject({
      ok: true,
      value: { files: { "plain.cu": "// plain" }, defines: { B: "64" }, kernels: [{ grid: [16, 1, 1] }] },
    });
    write("p.json", Buffer.from(task.reference.bytes).toString());
    const byDocument = await load({ program: "./p.json" });
    expect(byDocument.reference.digest).toBe(task.reference.digest);
    const own = await load();
    expect(own.reference.digest).not.toBe(task.reference.digest);
    expect(new Set([task, byDocument, own].map(({ args }) => args[1])).size).toBe(3);
    await expect(load({ kernel: "./plain.cu", task: "matmul_derived" })).rejects.toThrow(
      /^reference: takes one of kernel, task, program, file and config/,
    );
    await expect(load({ program: "./k.cu" })).rejects.toThrow(/^reference: \.\/k\.cu is not JSON/);
    await expect(load({ kernel: "./none.cu" })).rejects.toThrow(/none\.cu needs a spec/);
  });

  it("that lack a spec, or have a broken one, say which", async () => {
    const files = { path: join(folder, "k.cu"), word: "./k.cu" };
    write("k.cu", "");
    await expect(loadKernel(files)).rejects.toThrow(
      /^\.\/k\.cu needs a spec, .*: k\.yaml or k\.yml or k\.json beside it, or --spec FILE$/,
    );
    await expect(loadKernel({ ...files, specPath: join(folder, "x.yaml") })).rejects.toThrow(/--spec: there is no .*x\.yaml$/);
    write("k.yaml", "args: [");
    await expect(loadKernel(files)).rejects.toThrow(/^k\.yaml is not YAML: .* line 1/);
    write("k.yaml", "args: []");
    await expect(loadKernel(files)).rejects.toThrow(/^k\.yaml:1: args: /);
  });

  it.each<[string, string, string, string]>([
    ["of a field that a kernel lacks", "entry: vector_add, ", "", "vector_add.yaml:14: kernels[0].entry: "],
    ["of a list's entry", "role: out", "role: owt", "vector_add.yaml:9: args[0].role: "],
    [
      "of an expression in a config",
      "block: [BLOCK]",
      "block: [BLOK]",
      "vector_add.yaml:14: the default config: kernels[0].block[0]: ",
    ],
    [
      "of a tensor by its name",
      "{name: a, dtype: float32, shape: [n]",
      "{name: a, dtype: float32, shape: [m]",
      "vector_add.yaml:10: the default config: args.a.shape[0]: ",
    ],
    ["of a constraint that it quotes", "<= 1024", "<= <1024", 'vector_add.yaml:6: "<" where a value'],
    ["of a value that is none", "BLOCK: 128", "BLOCK: 129", "vector_add.yaml:7: default.BLOCK: 129"],
    [
      "of a flag that no builder accepts",
      "flops: n",
      "flags: [--dlink-time-opt]",
      'vector_add.yaml:15: the default config: flags[0]: "--dlink-time-opt"; allowed are',
    ],
    ["of nothing, where the field is missing", "kernels:", "kernel:", "vector_add.yaml: kernels: "],
  ])("have a spec whose faults are told with the line %s", async (_, was, is, words) => {
    write("vector_add.cu", "");
    write("vector_add.yaml", readFileSync(example.replace(/cu$/, "yaml"), "utf8").replace(was, is));
    const made = loadKernel({ path: join(folder, "vector_add.cu"), word: "k" }).then((k) =>
      createKernelTask(k, undefined, target),
    );
    await expect(made).rejects.toThrow(words);
  });

  it.each([
    ["a list's entry", (text: string) => text.replace('"out"', '"owt"'), "args.json:2: args[0].role: "],
    [
      "a scalar",
      (text: string) => text.replace('"value": 3', '"value": "x"'),
      "args.json:3: the default config: kernels[0].args[1]: ",
    ],
    ["a tensor's size", (text: string) => text.replace("[4]", "[0]"), "args.json:2: the default config: args[0].shape[0]: "],
  ])("without a spec have arguments from a file whose faults are told with the line of %s", async (_, change, words) => {
    write("k.cu", "");
    const given = '[\n  {"name": "c", "dtype": "float32", "shape": [4], "role": "out"},\n  {"scalar": "int32", "value": 3}\n]\n';
    const text = change(given);
    const argsFile = { name: "args.json", text };
    const launch = {
      entry: "f",
      grid: [1],
      block: [8],
      shared_bytes: 0,
      cluster: [1],
      cooperative: false,
      flags: [],
      args: JSON.parse(text),
      argsFile,
    };
    const made = loadKernel({ path: join(folder, "k.cu"), word: "k", launch }).then((k) =>
      createKernelTask(k, undefined, target),
    );
    await expect(made).rejects.toThrow(words);
  });

  it("may have any name; a header beside it whose name a program cannot hold travels in a bundle", async () => {
    write("2-d stencil.cu", '#include "my-tile.cuh"\n');
    write("my-tile.cuh", '#include "plain.h"\n');
    write("plain.h", "");
    const spec = (more: object) => {
      const args = [{ name: "c", dtype: "float32", shape: [8], role: "out" }];
      write("2-d stencil.json", JSON.stringify({ args, kernels: [{ entry: "f", grid: [1], block: [8] }], ...more }));
      return loadKernel({ path: join(folder, "2-d stencil.cu"), word: "k" });
    };
    await expect(spec({})).rejects.toThrow(
      /^2-d stencil\.json: the text includes my-tile\.cuh, whose name .* write includes: \[\.\]/,
    );
    const kernel = await spec({ includes: ["."] });
    expect(kernel.files).toEqual({ "_2_d_stencil.cu": '#include "my-tile.cuh"\n' });
    expect(Buffer.from(kernel.bundles?.[0]?.bytes ?? []).toString()).toContain('"my-tile.cuh"');
    expect(createKernelTask(kernel, undefined, target).instantiate(0 as never)).toMatchObject({ ok: true });
  });
});
