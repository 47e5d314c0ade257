/** What a spec gives a kernel: scalars of types that programs lack, types by tunable, and what its tunables change. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type CudaSourceKernel, decodeProgram, type Program } from "@warpfarm/compiler/language";
import { describe, expect, it } from "vitest";
import { needs } from "../../../test-support/needs.ts";
import { createKernelTask, type KernelSource } from "./kernel-task.ts";
import { argumentFaults } from "./signature.ts";
import { readSpec } from "./spec.ts";

const out = { name: "c", dtype: "float32", shape: [64], role: "out" };
const kernel = { entry: "f", grid: [1], block: [32] };

function programOf(spec: object, text = "", index = 0): Program {
  const read = readSpec({ args: [out], kernels: [kernel], ...spec });
  if (!read.ok) throw new Error(read.error);
  const files = { "f.cu": text };
  const source: KernelSource = {
    kind: "cuda_source",
    name: "f",
    word: "./f.cu",
    targets: [{ kind: "cuda" }],
    spec: read.value,
    files,
  };
  const task = createKernelTask(source, undefined, "cuda/sm_90");
  const made = task.instantiate(task.space.toIndex(index));
  const program = made.ok ? decodeProgram(made.value.program.bytes) : undefined;
  if (!program?.ok) throw new Error(made.ok ? "not decoded" : made.error.message);
  return program.value;
}
const scalarOf = (scalar: string, value: unknown): unknown => {
  const program = programOf({ args: [out, { scalar, value }], problem: { n: 3 } });
  return program.kind === "schedule" ? undefined : program.kernels[0]?.args?.[1];
};

describe("a scalar", () => {
  // The bits are those of C.
  it.each([
    ["uint32", 0, "int32", "0"],
    ["uint32", 2 ** 31 - 1, "int32", "2147483647"],
    ["uint32", 2 ** 31, "int32", "-2147483648"],
    ["uint32", "0xFFFFFFFF", "int32", "-1"],
    ["uint32", "n << 30", "int32", "-1073741824"],
    ["bool", true, "uint8", "1"],
    ["bool", "n > 5", "uint8", "0"],
    ["bool", 1, "uint8", "1"],
    ["float32", "n / 2", "float32", "1.5"],
    ["int32", "n / 3", "int32", "1"],
    ["int64", "2**53 - 1", "int64", "9007199254740991"],
  ])("%s %s is %s %s", (type, value, scalar, text) => expect(scalarOf(type, value)).toEqual({ scalar, value: text }));

  it.each([
    ["uint32", -1, /-1 is -1; uint32 holds whole numbers from 0 to 4294967295/],
    ["uint32", "2**32", /is 4294967296; uint32 holds/],
    ["uint32", 1.5, /is 1\.5; uint32 holds/],
    ["bool", 2, /2 is 2; bool holds whole numbers from 0 to 1/],
    ["int64", "2**60", /is 1152921504606846976; int64 holds/],
    ["uint64", 1, /args\[1\]\.scalar: one of uint32, bool, float16/],
    ["{n}", 1, /"3" is no type here; there are uint32, bool/],
  ])("%s %s is refused", (type, value, message) => expect(() => scalarOf(type, value)).toThrow(message));
});

const fields = {
  flag: { scalar: "bool", value: "n > 2" },
  count: { scalar: "int32", value: -2 },
  small: { scalar: "int8", value: [-1, 2, "n"] },
  wide: { scalar: "float64", value: "n / 2" },
  scales: { scalar: "float32", value: [0.1, -2.5, "1 / n"] },
  big: { scalar: "uint64", value: "0xFFFFFFFFFFFFFFFF" },
  least: { scalar: "int64", value: "-2**63" },
  last: { scalar: "uint32", value: "0xFFFFFFFE" },
  end: { scalar: "uint8", value: 255 },
};
const structArg = (struct: object): unknown => {
  const program = programOf({ args: [out, { struct }], problem: { n: 3 } });
  return program.kind === "schedule" ? undefined : program.kernels[0]?.args?.[1];
};

describe("a structure", () => {
  it("has the bytes that a C compiler gives it", (ctx) => {
    needs(ctx, "cc");
    const folder = mkdtempSync(join(tmpdir(), "warpfarm-struct-"));
    const file = join(folder, "s.c");
    const c = `#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
static struct { bool flag; int count; int8_t small[3]; double wide; float scales[3]; uint64_t big; int64_t least; uint32_t last; uint8_t end; }
s = { true, -2, {-1, 2, 3}, 1.5, {0.1, -2.5, 1.0 / 3}, UINT64_MAX, INT64_MIN, 0xFFFFFFFE, 255 };
int main(void) { for (unsigned i = 0; i < sizeof s; i++) printf("%02x", ((unsigned char *)&s)[i]); return 0; }`;
    writeFileSync(file, c);
    execFileSync("cc", ["-o", join(folder, "s"), file]);
    const bytes = execFileSync(join(folder, "s"), { encoding: "utf8" });
    rmSync(folder, { recursive: true });
    expect(bytes).toMatch(/^[\da-f]{128}$/);
    expect(structArg(fields)).toEqual({ bytes });
  });

  it.each([
    ["bool alone", { a: { scalar: "bool", value: true } }, "01"],
    [
      "a last field that fills nothing",
      { a: { scalar: "int32", value: 1 }, b: { scalar: "uint8", value: 2 } },
      "0100000002000000",
    ],
    ["of 4096 bytes", { a: { scalar: "int32", value: new Array(1024).fill(0) } }, "00".repeat(4096)],
  ])("%s", (_, struct, bytes) => expect(structArg(struct)).toEqual({ bytes }));

  it.each([
    [{}, /args\[1\]\.struct: at least one field/],
    [{ a: { scalar: "float16", value: 1 } }, /args\[1\]\.struct\.a\.scalar: one of bool, int8/],
    [{ a: { scalar: "int32", value: [] } }, /args\[1\]\.struct\.a\.value/],
    [
      { a: { scalar: "uint8", value: [1, 256] } },
      /kernels\[0\]\.args\[1\]: struct\.a: 256 is 256; uint8 holds whole numbers from 0 to 255/,
    ],
    [{ a: { scalar: "uint64", value: "-1" } }, /uint64 holds whole numbers from 0 to 18446744073709551615/],
    [{ a: { scalar: "int32", value: "m" } }, /struct\.a: "m" uses m/],
    [
      { a: { scalar: "int64", value: new Array(512).fill(0) }, b: { scalar: "int8", value: 1 } },
      /struct\.b: the structure has over 4096 bytes/,
    ],
    [{ "a b": { scalar: "int32", value: 1 } }, /a name: a letter or _/],
  ])("%j is refused", (struct, message) => expect(() => structArg(struct)).toThrow(message));

  it("is compared with the parameter that the text declares", () => {
    const kernel: CudaSourceKernel = {
      entry: "f",
      grid: [1, 1, 1],
      block: [1, 1, 1],
      cluster: [1, 1, 1],
      shared_bytes: 0,
      args: [{ bytes: "0102" }],
    };
    const faults = (parameter: string) => argumentFaults({ "f.cu": `__global__ void f(${parameter}) {}` }, kernel, []);
    expect(faults("Params p")).toEqual([]);
    expect(faults("const struct Params p")).toEqual([]);
    expect(faults("int n")).toEqual(["parameter 1 of f is int n, and the spec gives it a structure of 2 bytes"]);
    expect(faults("Params *p")).toEqual(["parameter 1 of f is Params *p, and the spec gives it a structure of 2 bytes"]);
    expect(faults("Params p, int n")[0]).toMatch(/has 2 parameters .*the spec gives it 1 \(a structure\)/);
  });
});

describe("a type by tunable", () => {
  const spec = {
    tunables: { T: ["float32", "float16"], I: ["int32", "uint32"] },
    args: [
      out,
      { name: "w", dtype: "{T}", shape: [4], role: "workspace" },
      { scalar: "{I}", value: "2**31 if I == 'uint32' else 7" },
    ],
  };
  it("is the config's", () => {
    expect(programOf(spec, "", 1)).toMatchObject({ args: [{}, { dtype: "float16" }], defines: { T: "float16" } });
    expect(programOf(spec, "", 2)).toMatchObject({
      args: [{}, { dtype: "float32" }],
      kernels: [{ args: ["c", "w", { value: "-2147483648" }] }],
    });
  });
  it.each([
    [{ ...spec, tunables: { T: ["float31"], I: ["int32"] } }, /args\.w\.dtype: "float31" is no type here; there are float16/],
    [{ args: [{ ...out, dtype: "floot32" }] }, /args\[0\]\.dtype: one of float16, .*or an expression in braces/],
    [{ args: [{ ...out, dtype: "{U}" }] }, /args\.c\.dtype: "U" uses U/],
  ])("%j is refused", (change, message) => expect(() => programOf(change)).toThrow(message));
});

describe("the default config's program", () => {
  it("says of each tunable what other values change, and that of other configs does not", () => {
    const spec = {
      tunables: { TEXT: [1, 2, 3, 4, 5, 6], LAUNCH: [32, 64], UNROLL: [1, 2], FLAG: [16, 32], NAME: [1, 2], ONE: [7] },
      defines: { TWICE: "{2 * TEXT}" },
      flags: ["--maxrregcount={FLAG}"],
      kernels: [{ entry: "f<{NAME}>", grid: [1], block: ["LAUNCH"] }],
      default: { TEXT: 2 },
    };
    const text = "#pragma unroll UNROLL\nfor (;;) {}";
    const standard = programOf(spec, text, 1);
    expect(standard).toMatchObject({
      version: 1,
      tunables: {
        TEXT: {
          launch: false,
          defines: [
            { TEXT: "3", TWICE: "6" },
            { TEXT: "6", TWICE: "12" },
            { TEXT: "4", TWICE: "8" },
          ],
        },
        LAUNCH: { launch: true, defines: [{ LAUNCH: "64" }] },
        UNROLL: { launch: true, defines: [{ UNROLL: "2" }] },
        FLAG: { launch: true, defines: [{ FLAG: "32" }] },
        NAME: { launch: true, defines: [] },
      },
    });
    expect(Object.keys("tunables" in standard ? (standard.tunables ?? {}) : {})).toHaveLength(5);
    expect(programOf(spec, text, 0)).not.toHaveProperty("tunables");
    expect(programOf({}, text)).not.toHaveProperty("tunables");
  });

  it("is not made where the text declares a tunable itself", () => {
    expect(() => programOf({ tunables: { n: [1, 2] } }, "\nvoid f(float *c, int n) {}")).toThrow(
      "./f.cu: tunables.n: each tunable is a macro of its name, and f.cu:2 declares it (int n): the text would not compile; rename one of the two",
    );
    expect(() => programOf({ tunables: { blockIdx: [1, 2] } })).toThrow("blockIdx is a word of C++ or CUDA");
    const template = { tunables: { n: [1, 2] }, kernels: [{ ...kernel, entry: "f<{n}>" }] };
    expect(programOf(template, "template <int n> void f() {}")).toMatchObject({ kernels: [{ entry: "f<1>" }] });
  });
});
