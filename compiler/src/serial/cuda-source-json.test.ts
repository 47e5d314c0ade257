/** What a kernel's default config says of its tunables: read as written, and refused by its path. */
import type { Json } from "@warpfarm/common";
import { describe, expect, it } from "vitest";
import type { CudaSourceProgram } from "./cuda-source-json.ts";
import { decodeProgram, encodeDocument } from "./program.ts";

const varied = { launch: true, defines: [{ B: "2", TWICE: "4" }, { B: "8" }] };
const program = (change: object): CudaSourceProgram => ({
  version: 1,
  kind: "cuda_source",
  target: "cuda/sm_90",
  files: { "k.cu": "" },
  kernels: [{ entry: "k", grid: [1, 1, 1], block: [1, 1, 1], shared_bytes: 0, cluster: [1, 1, 1] }],
  defines: { B: "1" },
  flags: [],
  args: [{ name: "a", dtype: "float32", shape: [4], role: "out", fill: "zeros" }],
  ...change,
});

describe("tunables of a program", () => {
  it("are read as they were written", () => {
    const made = encodeDocument(program({ tunables: { B: varied } }));
    const read = decodeProgram(made.bytes);
    expect(read.ok && read.value).toEqual(program({ tunables: { B: varied } }));
  });

  it.each<[string, Json, RegExp]>([
    ["none", {}, /^tunables: has 0 entries; 1 to 64/],
    ["sixty-five", Object.fromEntries(Array.from({ length: 65 }, (_, i) => [`B${i}`, varied])), /^tunables: has 65 entries/],
    ["one of no name", { "1": varied }, /^tunables: "1"/],
    ["one without a launch", { B: { defines: [] } }, /^tunables\.B/],
    ["a launch that is no truth", { B: { ...varied, launch: 1 } }, /^tunables\.B\.launch: 1 is not true or false/],
    ["a macro of no name", { B: { ...varied, defines: [{ "-D": "1" }] } }, /^tunables\.B\.defines\[0\]: "-D" is not a name/],
    ["a macro with a blank", { B: { ...varied, defines: [{ B: "1" }, { B: "a b" }] } }, /^tunables\.B\.defines\[1\]\.B: "a b"/],
    ["five sets", { B: { ...varied, defines: new Array(5).fill({}) } }, /^tunables\.B\.defines: .*4/],
  ])("%s: refused", (_, tunables, message) => {
    const read = decodeProgram(encodeDocument(program({ tunables })).bytes);
    expect(read.ok ? "read" : read.error.message).toMatch(message);
  });
});

describe("a structure among a kernel's arguments", () => {
  const withBytes = (arg: Json) => {
    const kernels = program({}).kernels.map((kernel) => ({ ...kernel, args: ["a", arg] as never }));
    return decodeProgram(encodeDocument(program({ kernels })).bytes);
  };
  it.each(["00", "0aff".repeat(2048)])("has %s", (bytes) => {
    const read = withBytes({ bytes });
    expect(read.ok && read.value).toMatchObject({ kernels: [{ args: ["a", { bytes }] }] });
  });
  it.each(["", "0", "0A", "zz", "00".repeat(4097)])("has not %s", (bytes) => {
    const read = withBytes({ bytes });
    expect(read.ok ? "read" : read.error.message).toMatch(/^kernels\[0\]\.args\[1\]\.bytes: is not 1 to 4096 bytes/);
  });
});
