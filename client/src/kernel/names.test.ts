/** Names that objects have by themselves: as names of tunables, sizes, macros, tensors, constants and labels. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseSelector, selects, unnamable } from "@warpfarm/common";
import { decodeProgram } from "@warpfarm/compiler/language";
import { recordFromJson } from "@warpfarm/records";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { readSuiteFile } from "../suite/format.ts";
import { createKernelTask } from "./kernel-task.ts";
import { loadKernel } from "./load-kernel.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "warpfarm-names-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const out = { name: "c", dtype: "float32", shape: [64], role: "out" };
const kernels = [{ entry: "f", grid: [1], block: [32] }];
const named = (name: string, value: unknown) => JSON.parse(`{${JSON.stringify(name)}: ${JSON.stringify(value)}}`) as object;
const specs = (name: string): Readonly<Record<string, object>> => ({
  tunables: { tunables: named(name, [1, 2]), args: [out], kernels },
  problem: { problem: named(name, 64), args: [{ ...out, shape: [name] }], kernels },
  defines: { defines: named(name, 5), args: [out], kernels },
  args: { args: [{ ...out, name }], kernels },
  constants: { constants: named(name, "c"), args: [out], kernels },
  default: { tunables: named(name, [1, 2]), default: named(name, 2), args: [out], kernels },
  "reference.config": { tunables: named(name, [1, 2]), reference: { config: named(name, 2) }, args: [out], kernels },
});
async function programOf(spec: object, form: "yaml" | "json", text = 'extern "C" __global__ void f(float *c) {}') {
  const own = join(folder, form);
  mkdirSync(own, { recursive: true });
  writeFileSync(join(own, "k.cu"), text);
  writeFileSync(join(own, "k.yaml"), form === "json" ? JSON.stringify(spec) : stringify(spec));
  const task = createKernelTask(await loadKernel({ path: join(own, "k.cu"), word: "./k.cu" }), undefined, "cuda/sm_90");
  const made = task.instantiate(task.standard ?? task.space.toIndex(0));
  const read = made.ok ? decodeProgram(made.value.program.bytes) : undefined;
  return { task, program: read?.ok ? JSON.parse(JSON.stringify(read.value)) : undefined };
}

describe.each(["yaml", "json"] as const)("in a spec as %s", (form) => {
  it.each(Object.keys(specs("x")))("%s: __proto__ is refused by its place", async (where) => {
    const path =
      where === "args"
        ? /args\[0\]\.name: a name: .*not __proto__/
        : new RegExp(`(${where}|tunables)\\.__proto__: no field may have this name`);
    await expect(programOf(specs("__proto__")[where] as object, form)).rejects.toThrow(path);
  });

  it.each(["constructor", "toString", "valueOf", "hasOwnProperty"])("%s is a name like any other", async (name) => {
    const of = (where: string) => programOf(specs(name)[where] as object, form);
    expect((await of("tunables")).task.space.size).toBe(2);
    expect((await of("default")).program.defines).toEqual(named(name, "2"));
    expect((await of("problem")).program.args[0].shape).toEqual([64]);
    expect((await of("defines")).program.defines).toEqual(named(name, "5"));
    expect((await of("args")).program.args[0]).toMatchObject({ name, fill: "zeros" });
    expect((await of("constants")).program.constants).toEqual(named(name, "c"));
    expect((await of("reference.config")).task.space.size).toBe(2);
  });
});

it("an expression says that such a name is no size and no tunable", async () => {
  const spec = { args: [{ ...out, shape: ["constructor"] }], kernels };
  await expect(programOf(spec, "json")).rejects.toThrow('"constructor" uses constructor, which is neither a tunable nor a size');
});

it("an unrolled loop keeps a name that is no macro", async () => {
  const text = '#pragma unroll constructor\nextern "C" __global__ void f(float *c) {}';
  expect((await programOf({ args: [out], kernels }, "json", text)).program.files["k.cu"]).toBe(text);
});

describe("in files of others", () => {
  it("a T1 file's parameter __proto__, a type `constructor` and a %RANGE% of __proto__ are told", async () => {
    const t1 = (name: string, type: string) => ({
      ConfigurationSpace: { TuningParameters: [{ Name: name, Values: "[32, 64]" }] },
      KernelSpecification: {
        KernelName: "f",
        LocalSize: { X: 32 },
        GlobalSize: { X: 1 },
        Arguments: [{ Name: "c", Type: type, MemoryType: "Vector", AccessType: "WriteOnly", Size: 64 }],
      },
    });
    await expect(programOf(t1("__proto__", "float"), "json")).rejects.toThrow(/tunables\.__proto__: no field may have this name/);
    await expect(programOf(t1("B", "constructor"), "json")).rejects.toThrow(/Arguments\.0\.Type: constructor; known are/);
    expect((await programOf(t1("constructor", "float"), "json")).task.space.size).toBe(2);
    const ranged = '// %RANGE% __proto__ x 1:4:1\nextern "C" __global__ void f(float *c) {}';
    await expect(programOf({ args: [out], kernels }, "json", ranged)).rejects.toThrow(/tunables\.__proto__: no field/);
  });

  it("a suite's arguments and a record's labels", () => {
    const suite = JSON.parse('{"name": "s", "tasks": [{"task": "x", "args": {"__proto__": 1}}]}');
    expect(readSuiteFile(suite)).toEqual({
      ok: false,
      error: "tasks[0].args.__proto__: no field may have this name; choose another",
    });
    const record = (labels: string) =>
      JSON.parse(
        `{"version":1,"id":"a/1","origin":{"kind":"measured","by":"x"},"task":"t","args":[],"target":"","kind":"failed","error_no":1,"message":"","timestamp_ms":1,"labels":${labels}}`,
      );
    expect(() => recordFromJson(record('{"__proto__":"x"}'))).toThrow("labels.__proto__: no field may have this name");
    expect(recordFromJson(record('{"constructor":"x"}')).labels).toEqual({ constructor: "x" });
  });
});

it("a selector's label __proto__ is refused, and a device without the label `constructor` has none", () => {
  expect(() => parseSelector("cpu/*,__proto__=x")).toThrow("no label is named __proto__");
  const device = { key: "cpu/arm64", labels: {}, memoryBytes: 0 };
  expect(selects(parseSelector("cpu/*,constructor=x"), device)).toBe(false);
  expect(selects(parseSelector("cpu/*,constructor=x"), { ...device, labels: { constructor: "x" } })).toBe(true);
});

it("__proto__ is found at any depth, and as a value it is none", () => {
  expect(unnamable(JSON.parse('{"a":[1,{"b":{"__proto__":2}}]}'))).toBe("a[1].b.__proto__");
  expect(unnamable({ a: "__proto__", b: [null, "x"] })).toBeUndefined();
  expect(unnamable(JSON.parse('{"__proto__":1}'))).toBe("__proto__");
});
