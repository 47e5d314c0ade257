/** Kernels whose inputs and references come from files, or whose reference is another of their configs. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Digest, digestOf, FarmError } from "@warpfarm/common";
import { type CudaSourceProgram, decodeProgram } from "@warpfarm/compiler";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { decodeKernel, encodeKernel } from "./kernel-document.ts";
import { createKernelTask } from "./kernel-task.ts";
import { loadKernel } from "./load-kernel.ts";

const target = "cuda/sm_90";
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "warpfarm-values-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const bytesOf = (...values: number[]): Buffer => Buffer.from(new Float32Array(values).buffer);
function npy(values: readonly number[], shape = `(${values.length},)`): Buffer {
  const head = `{'descr': '<f4', 'fortran_order': False, 'shape': ${shape}, }`;
  const length = Buffer.alloc(2);
  length.writeUInt16LE(head.length);
  return Buffer.concat([Buffer.from("\x93NUMPY\x01\x00", "latin1"), length, Buffer.from(head), bytesOf(...values)]);
}
function safetensors(tensors: Readonly<Record<string, readonly number[]>>): Buffer {
  let at = 0;
  const head = Object.fromEntries(
    Object.entries(tensors).map(([name, values]) => {
      const begin = at;
      at += 4 * values.length;
      return [name, { dtype: "F32", shape: [values.length], data_offsets: [begin, at] }];
    }),
  );
  const text = Buffer.from(JSON.stringify(head));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(text.length));
  return Buffer.concat([length, text, ...Object.values(tensors).map((values) => bytesOf(...values))]);
}

const out = { name: "c", dtype: "float32", shape: ["n"], role: "out", tolerance: { atol: 0.5, rtol: 0 } };
const input = { name: "a", dtype: "float32", shape: ["n"] };
function write(change: object, files: Readonly<Record<string, Uint8Array>> = {}): void {
  const spec = {
    problem: { n: 3 },
    tunables: { B: [32, 64, 128], F: [1, 2] },
    constraints: ["B * F <= 128"],
    args: [out, input],
    kernels: [{ entry: "f", grid: ["n"], block: ["B"] }],
    ...change,
  };
  for (const [name, content] of Object.entries({ "k.json": JSON.stringify(spec), "k.cu": "// k", ...files }))
    writeFileSync(join(folder, name), content);
}
const load = () => loadKernel({ path: join(folder, "k.cu"), word: "./k.cu" });
const taskOf = async (args?: Parameters<typeof createKernelTask>[1]) => createKernelTask(await load(), args, target);
function programIn({ bytes }: { readonly bytes: Uint8Array }): CudaSourceProgram {
  const read = decodeProgram(bytes);
  if (!read.ok || read.value.kind !== "cuda_source") throw new Error(read.ok ? read.value.kind : read.error.message);
  return read.value;
}

describe("an input that a file fills", () => {
  it("is named by each program, and sent to the farm once", async () => {
    write({ args: [out, { ...input, fill: { file: "./a.npy" } }] }, { "a.npy": npy([1, 2, 3]) });
    const task = await taskOf();
    const digest = digestOf(bytesOf(1, 2, 3));
    for (const index of [0, 1]) {
      const made = task.instantiate(task.space.toIndex(index));
      const program = made.ok ? programIn(made.value.program) : undefined;
      expect(program?.args[1]).toEqual({ ...input, shape: [3], role: "in", fill: { kind: "blob", digest } });
      expect(program?.version).toBe(1);
    }
    expect(task.uploads?.map((blob) => [blob.digest, Buffer.from(blob.bytes)])).toEqual([[digest, bytesOf(1, 2, 3)]]);
  });

  it("changes the log's kernel when the file changes", async () => {
    write({ args: [out, { ...input, fill: { file: "a.npy" } }] }, { "a.npy": npy([1, 2, 3]) });
    const { args } = await taskOf();
    expect((await taskOf([...args])).args).toEqual(args);
    writeFileSync(join(folder, "a.npy"), npy([1, 2, 4]));
    await expect(taskOf([...args])).rejects.toThrow("the log is of another text or spec");
  });

  it("may have another name in a file of several", async () => {
    const fill = { file: "w.safetensors", tensor: "layer.0.weight" };
    write({ args: [out, { ...input, fill }] }, { "w.safetensors": safetensors({ a: [9, 9, 9], "layer.0.weight": [1, 2, 3] }) });
    expect((await taskOf()).uploads?.map(({ digest }) => digest)).toEqual([digestOf(bytesOf(1, 2, 3))]);
  });

  it.each<[string, object, Uint8Array | undefined, RegExp]>([
    [
      "is not there",
      { file: "a.npy" },
      undefined,
      /^k\.json:1: args\.a\.fill: a\.npy cannot be read: there is no such file or folder$/,
    ],
    [
      "is none",
      { file: "k.cu" },
      undefined,
      /^k\.json:1: args\.a\.fill: k\.cu is not a file of tensors; \.npy and \.safetensors/,
    ],
    [
      "is cut short",
      { file: "a.npy" },
      npy([1, 2, 3]).subarray(0, -2),
      /^k\.json:1: args\.a\.fill: a\.npy is cut short: <f4\[3\]/,
    ],
    [
      "has another size",
      { file: "a.npy" },
      npy([1, 2]),
      /args\.a\.fill: a\.npy holds <f4\[2\], and the tensor a is float32\[3\]$/,
    ],
    ["has another shape", { file: "a.npy" }, npy([1, 2, 3], "(3, 1)"), /a\.npy holds <f4\[3, 1\], and the tensor a is/],
    [
      "has another type",
      { file: "a.npy" },
      Buffer.from(npy([1, 2, 3]).toString("latin1").replace("<f4", "<i4"), "latin1"),
      /args\.a\.fill: a\.npy holds <i4\[3\], and the tensor a is float32\[3\]$/,
    ],
  ])("and whose file %s is refused", async (_, fill, content, message) => {
    write({ args: [out, { ...input, fill }] }, content ? { "a.npy": content } : {});
    await expect(taskOf()).rejects.toThrow(message);
  });

  it("and that a file of tensors has not is refused with those it has; an output is filled by none", async () => {
    write({ args: [out, { ...input, fill: { file: "w.safetensors" } }] }, { "w.safetensors": safetensors({ b: [1], c: [2] }) });
    await expect(taskOf()).rejects.toThrow("args.a.fill: w.safetensors has no tensor a; it has b, c");
    write({ args: [{ ...out, fill: { file: "a.npy" } }, input] });
    await expect(taskOf()).rejects.toThrow('k.json:1: args.c.fill: its role is "out", and only in and inout are filled');
    write({ args: [{ ...out, fill: "zeros" }, input] });
    await expect(taskOf()).rejects.toThrow("Give inout to a tensor that the kernel adds to");
  });

  it("has a config refused whose tensor has another shape", async () => {
    const args = [out, { ...input, shape: ["n * F"], fill: { file: "a.npy" } }];
    write({ args }, { "a.npy": npy([1, 2, 3]) });
    const task = await taskOf();
    const found = [...Array(task.space.size).keys()].map((index) => task.instantiate(task.space.toIndex(index)));
    expect(found.filter((made) => made.ok)).toHaveLength(3);
    expect(found.find((made) => !made.ok)).toMatchObject({
      error: { message: expect.stringContaining("the tensor a is float32[6]") },
    });
  });
});

describe("outputs of a file", () => {
  it("are copied by the program that others are compared with; the default's time is the default config's", async () => {
    write({ reference: { file: "c.npy" } }, { "c.npy": npy([4, 5, 6]) });
    const task = await taskOf();
    const program = programIn(task.reference);
    const digest = digestOf(bytesOf(4, 5, 6));
    expect(program.args).toEqual([
      { ...out, shape: [3], fill: "zeros", tolerance: { atol: "0.5", rtol: "0" } },
      { ...input, shape: [3], role: "in", fill: "random" },
      { name: "recorded_c", dtype: "float32", shape: [3], role: "workspace", fill: { kind: "blob", digest } },
    ]);
    expect(program.kernels.map(({ entry, args }) => [entry, args])).toEqual([
      ["recorded", ["c", "recorded_c", { scalar: "int64", value: "12" }]],
    ]);
    expect(task.uploads?.map((blob) => blob.digest)).toEqual([digest]);
    const standard = task.instantiate(task.standard ?? task.space.toIndex(0));
    expect(standard.ok && task.base?.digest === standard.value.program.digest).toBe(true);
    expect(task.comparesWithItself).toBeUndefined();
  });

  it("may be several, of one file by their names, or of a file each", async () => {
    const args = [out, { ...out, name: "d", role: "inout" }, input];
    write({ args, reference: { file: "both.safetensors" } }, { "both.safetensors": safetensors({ d: [1, 2, 3], c: [4, 5, 6] }) });
    const byName = await taskOf();
    write({ args, reference: { file: { c: "c.npy", d: "d.npy" } } }, { "c.npy": npy([4, 5, 6]), "d.npy": npy([1, 2, 3]) });
    const each = await taskOf();
    expect(each.reference.digest).toBe(byName.reference.digest);
    expect(programIn(each.reference).kernels.map((kernel) => kernel.args?.slice(0, 2))).toEqual([
      ["c", "recorded_c"],
      ["d", "recorded_d"],
    ]);
  });

  it.each<[string, unknown, RegExp]>([
    ["one tensor for two outputs", "c.npy", /c\.npy holds one tensor, and the kernel has the outputs c, d; name a file for each/],
    ["no file for one", { c: "c.npy" }, /^reference\.file: the output d has no values; name a file for it$/],
    ["what is no output", { c: "c.npy", a: "c.npy" }, /^reference\.file: a is not an output of the kernel; they are c, d$/],
    [
      "another size",
      { c: "c.npy", d: "short.npy" },
      /reference\.file: short\.npy holds <f4\[2\], and the tensor d is float32\[3\]$/,
    ],
  ])("that are %s are refused", async (_, file, message) => {
    write(
      { args: [out, { ...out, name: "d" }, input], reference: { file } },
      { "c.npy": npy([4, 5, 6]), "short.npy": npy([1, 2]) },
    );
    await expect(taskOf()).rejects.toThrow(message);
  });

  it("serve a kernel with one config, and other sizes are refused", async () => {
    write({ tunables: { B: [32] }, constraints: [], reference: { file: "c.npy" } }, { "c.npy": npy([4, 5, 6]) });
    expect((await taskOf()).comparesWithItself).toBeUndefined();
    await expect(taskOf({ n: 4 })).rejects.toThrow("c.npy holds <f4[3], and the tensor c is float32[4]");
  });
});

describe("another config as the reference", () => {
  it("is named by its index or by values, beside the default's", async () => {
    write({ default: { F: 2 } });
    const plain = await taskOf();
    const at = (values: Readonly<Record<string, number>>) => {
      const index = [...Array(plain.space.size).keys()].find((i) =>
        Object.entries(values).every(([name, value]) => plain.space.get(i).values.get(name) === value),
      );
      return index ?? -1;
    };
    const wanted = at({ B: 64, F: 2 });
    write({ default: { F: 2 }, reference: { config: wanted } });
    const byIndex = await taskOf();
    write({ default: { F: 2 }, reference: { config: { B: 64 } } });
    const byValues = await taskOf();
    const made = plain.instantiate(plain.space.toIndex(wanted));
    expect(made.ok && made.value.program.digest).toBe(byIndex.reference.digest);
    expect(byValues.reference.digest).toBe(byIndex.reference.digest);
    expect([byIndex.base?.digest, plain.base]).toEqual([plain.reference.digest, undefined]);
    expect(byIndex.args).not.toEqual(byValues.args);
  });

  it.each<[unknown, RegExp]>([
    [6, /reference\.config: 6; the configs are 0 to 5$/],
    [{ B: 128, F: 2 }, /reference\.config: the constraints allow no config with these values$/],
    [{ B: 33 }, /reference\.config\.B: 33 is not one of the tunable's values$/],
    [{ C: 1 }, /reference\.config\.C: there is no tunable C$/],
  ])("%j is refused", async (config, message) => {
    write({ reference: { config } });
    await expect(taskOf()).rejects.toThrow(message);
  });

  it("that the constraints do not allow is refused", async () => {
    write({});
    const { space } = await taskOf();
    const refused = [...Array(space.size).keys()].find((index) => !space.valid.has(index));
    write({ reference: { config: refused } });
    await expect(taskOf()).rejects.toThrow(`reference.config: the constraints do not allow config ${refused}`);
  });
});

it.each<[string, object, object]>([
  ["files", { file: "c.npy" }, { file: "a.npy" }],
  ["another config", { config: { B: 64 } }, { file: "a.npy" }],
])("a kernel that is compared with %s travels as a document", async (_, reference, fill) => {
  write({ reference, args: [out, { ...input, fill }] }, { "a.npy": npy([1, 2, 3]), "c.npy": npy([4, 5, 6]) });
  const read = await load();
  const before = createKernelTask(read, undefined, target);
  const blobs = new Map((before.uploads ?? []).map(({ digest, bytes }) => [digest, bytes]));
  const fetch = async (digest: Digest) => blobs.get(digest) ?? Promise.reject(new FarmError("NOT_FOUND", digest));
  const after = createKernelTask(await decodeKernel(encodeKernel(read), fetch), [...before.args], target);
  expect(after.reference.digest).toBe(before.reference.digest);
  expect(after.args).toEqual(before.args);
  expect(after.uploads?.map(({ digest }) => digest)).toEqual(before.uploads?.map(({ digest }) => digest));
  const [first, second] = [before, after].map((task) => task.instantiate(task.space.toIndex(0)));
  expect(second).toEqual(first);
});

it("a T1 file, which names no reference, is compared with what the command names; else its default config is, and that is said", async () => {
  const t1 = {
    ConfigurationSpace: { TuningParameters: [{ Name: "block_size_x", Type: "int", Values: "[32, 64]", Default: 64 }] },
    KernelSpecification: {
      KernelName: "add",
      ProblemSize: [3],
      GridDivX: ["block_size_x"],
      LocalSize: { X: "block_size_x" },
      Arguments: [
        { Name: "c", Type: "float", MemoryType: "Vector", AccessType: "WriteOnly", Size: 3 },
        { Name: "a", Type: "float", MemoryType: "Vector", AccessType: "ReadOnly", FillType: "Random", FillValue: 1, Size: 3 },
      ],
    },
  };
  for (const [name, content] of Object.entries({ "k.json": JSON.stringify(t1), "k.cu": "// k", "c.npy": npy([4, 5, 6]) }))
    writeFileSync(join(folder, name), content);
  const alone = await load();
  expect(alone.notes).toEqual([expect.stringContaining("every config is compared with the outputs of the default one")]);
  const standard = createKernelTask(alone, undefined, target);
  const named = async (said: object) =>
    loadKernel({ path: join(folder, "k.cu"), word: "./k.cu", reference: { said, cwd: folder } });
  const byFile = await named({ file: "./c.npy" });
  expect(byFile.notes).toBeUndefined();
  expect(programIn(createKernelTask(byFile, undefined, target).reference).kernels.map(({ entry }) => entry)).toEqual([
    "recorded",
  ]);
  const byConfig = createKernelTask(await named({ config: 0 }), undefined, target);
  expect([standard.standard, byConfig.standard]).toEqual([1, 1]);
  expect(byConfig.base?.digest).toBe(standard.reference.digest);
  expect(byConfig.reference.digest).not.toBe(standard.reference.digest);
});
