/** Files of tensors: vectors that NumPy 1.24 and safetensors' format make, what NumPy writes now, and files that are broken. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { needs } from "../../../test-support/needs.ts";
import { misfit, readNpy, readSafetensors } from "./tensor-file.ts";

const from = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, "base64"));
/** numpy.save of NumPy 1.24.2: [[1.5, -2, 0.25], [3, 4, 5]] as float32; 7.5 as a float64 without dimensions. */
const matrix = from(
  "k05VTVBZAQB2AHsnZGVzY3InOiAnPGY0JywgJ2ZvcnRyYW5fb3JkZXInOiBGYWxzZSwgJ3NoYXBlJzogKDIsIDMpLCB9ICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgIAoAAMA/AAAAwAAAgD4AAEBAAACAQAAAoEA=",
);
const scalar = from(
  "k05VTVBZAQB2AHsnZGVzY3InOiAnPGY4JywgJ2ZvcnRyYW5fb3JkZXInOiBGYWxzZSwgJ3NoYXBlJzogKCksIH0gICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgIAoAAAAAAAAeQA==",
);
/** The same matrix in Fortran's order as float64, and two big-endian floats. */
const fortran = from(
  "k05VTVBZAQB2AHsnZGVzY3InOiAnPGY4JywgJ2ZvcnRyYW5fb3JkZXInOiBUcnVlLCAnc2hhcGUnOiAoMiwgMyksIH0gICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgIAoAAAAAAAAAAAAAAAAAAAhAAAAAAAAA8D8AAAAAAAAQQAAAAAAAAABAAAAAAAAAFEA=",
);
const bigEndian = from(
  "k05VTVBZAQB2AHsnZGVzY3InOiAnPmY0JywgJ2ZvcnRyYW5fb3JkZXInOiBGYWxzZSwgJ3NoYXBlJzogKDIsKSwgfSAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgIAo/gAAAQAAAAA==",
);
/** numpy.lib.format.write_array of NumPy 2.4.6, version (2, 0) and (3, 0): [1.5, -2, 0.25] as float32. */
const later = [
  "k05VTVBZAgB0AAAAeydkZXNjcic6ICc8ZjQnLCAnZm9ydHJhbl9vcmRlcic6IEZhbHNlLCAnc2hhcGUnOiAoMywpLCB9ICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgIAoAAMA/AAAAwAAAgD4=",
  "k05VTVBZAwB0AAAAeydkZXNjcic6ICc8ZjQnLCAnZm9ydHJhbl9vcmRlcic6IEZhbHNlLCAnc2hhcGUnOiAoMywpLCB9ICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgIAoAAMA/AAAAwAAAgD4=",
].map(from);

const floats = (bytes: Uint8Array): number[] => [...new Float32Array(Uint8Array.from(bytes).buffer)];
function value<T>(result: { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: string }): T {
  if (!result.ok) throw new Error(result.error);
  return result.value;
}
const changed = (bytes: Uint8Array, old: string, fresh: string): Uint8Array =>
  Buffer.from(Buffer.from(bytes).toString("latin1").replace(old, fresh), "latin1");

describe(".npy", () => {
  it("gives type, shape and elements of what NumPy wrote", () => {
    const read = value(readNpy(matrix));
    expect([read.type, read.dtypes, read.shape, floats(read.bytes)]).toEqual([
      "<f4",
      ["float32"],
      [2, 3],
      [1.5, -2, 0.25, 3, 4, 5],
    ]);
    const one = value(readNpy(scalar));
    expect([one.dtypes, one.shape, new Float64Array(Uint8Array.from(one.bytes).buffer)[0]]).toEqual([["float64"], [], 7.5]);
  });

  it("of format 2 and 3 has a header whose length takes four bytes", () => {
    for (const file of later) {
      const { dtypes, shape, bytes } = value(readNpy(file));
      expect([dtypes, shape, floats(bytes)]).toEqual([["float32"], [3], [1.5, -2, 0.25]]);
    }
  });

  it.each<[string, Uint8Array, RegExp]>([
    [
      "of format 4",
      Uint8Array.from(matrix, (byte, at) => (at === 6 ? 4 : byte)),
      /^is of version 4 of \.npy; 1, 2 and 3 are read$/,
    ],
    [
      "cut short within the elements",
      matrix.subarray(0, -1),
      /^is cut short: <f4\[2, 3\] takes 24 bytes of data, and there are 23$/,
    ],
    ["cut short within the header", matrix.subarray(0, 50), /^is cut short: its header has 128 bytes, the file 50$/],
    ["cut short before its header", matrix.subarray(0, 8), /^is cut short: its 8 bytes do not hold a header$/],
    ["with more behind", Buffer.concat([matrix, Buffer.of(0)]), /^has more bytes behind its elements: .* there are 25$/],
    ["another file", Buffer.from("PK\x03\x04 a zip"), /^is not a \.npy file/],
    ["of a later version", changed(matrix, "NUMPY\x01", "NUMPY\x04"), /^is of version 4 of \.npy; 1, 2 and 3 are read$/],
    ["complex", changed(matrix, "<f4", "<c8"), /^holds <c8; taken are <f2, <f4/],
    ["of records", changed(matrix, "'<f4'", "[('a')]"), /^holds records of several fields/],
    ["in Fortran's order", fortran, /^is in Fortran's order; save it with numpy\.ascontiguousarray/],
    ["big-endian", bigEndian, /^is big-endian \(>f4\); save it with/],
  ])("%s is told", (_, bytes, message) => {
    const read = readNpy(bytes);
    expect(read.ok ? "was read" : read.error).toMatch(message);
  });

  it("reads each type and each format that Debian's NumPy writes", (ctx) => {
    needs(ctx, "numpy");
    const folder = mkdtempSync(join(tmpdir(), "warpfarm-npy-"));
    const script = `
import numpy as np
types = ["f2", "f4", "f8", "i1", "u1", "i4", "u4", "i8", "u8", "?"]
for i, t in enumerate(types):
    np.save(f"{i}.npy", (np.arange(6) % 2).reshape(3, 2).astype(t))
for major in (1, 2, 3):
    with open(f"v{major}.npy", "wb") as f:
        np.lib.format.write_array(f, np.arange(5, dtype="f4"), version=(major, 0))
`;
    try {
      execFileSync("/usr/bin/python3", ["-c", script], { cwd: folder });
      const read = (name: string) => value(readNpy(readFileSync(join(folder, `${name}.npy`))));
      const types = Array.from({ length: 10 }, (_, i) => read(`${i}`));
      expect(types.map(({ dtypes }) => dtypes[0])).toEqual([
        ...["float16", "float32", "float64", "int8", "uint8", "int32", "int32", "int64", "int64", "bool"],
      ]);
      for (const { shape } of types) expect(shape).toEqual([3, 2]);
      expect(floats((types[1] as (typeof types)[0]).bytes)).toEqual([0, 1, 0, 1, 0, 1]);
      for (const major of [1, 2, 3]) expect(floats(read(`v${major}`).bytes)).toEqual([0, 1, 2, 3, 4]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

/** As safetensors' format says: the header's length in 8 bytes, JSON, the elements. */
function safetensors(head: object | string, data: Uint8Array): Uint8Array {
  const text = Buffer.from(typeof head === "string" ? head : JSON.stringify(head));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(text.length));
  return Buffer.concat([length, text, data]);
}
const two = {
  __metadata__: { format: "pt" },
  a: { dtype: "F32", shape: [2], data_offsets: [0, 8] },
  "layer.0.weight": { dtype: "BF16", shape: [1, 2], data_offsets: [8, 12] },
};
const data = Buffer.concat([Buffer.from(new Float32Array([1, 2]).buffer), Buffer.of(0x80, 0x3f, 0, 0x40)]);

describe(".safetensors", () => {
  it("gives its tensors by name", () => {
    const tensors = value(readSafetensors(safetensors(two, data)));
    expect([...tensors.keys()]).toEqual(["a", "layer.0.weight"]);
    const [a, weight] = [...tensors.values()].map(value);
    expect([a?.type, a?.shape, floats(a?.bytes ?? new Uint8Array())]).toEqual(["F32", [2], [1, 2]]);
    expect([weight?.dtypes, weight?.shape, [...(weight?.bytes ?? [])]]).toEqual([["bfloat16"], [1, 2], [0x80, 0x3f, 0, 0x40]]);
  });

  it.each<[string, Uint8Array, RegExp]>([
    ["cut short", safetensors(two, data.subarray(0, 6)), /^is cut short: its data ends at byte 8, the file's at 6$/],
    [
      "a shape that its data has not",
      safetensors({ a: { ...two.a, shape: [3] } }, data),
      /^is cut short: F32\[3\] takes 12 bytes/,
    ],
    ["of another type", safetensors({ a: { ...two.a, dtype: "C64" } }, data), /^holds C64; taken are F16, BF16/],
    ["without offsets", safetensors({ a: { dtype: "F32", shape: [2] } }, data), /^has no dtype, shape and data_offsets$/],
    ["with a shape below nothing", safetensors({ a: { ...two.a, shape: [-2] } }, data), /^has no dtype, shape and/],
  ])("a tensor that is %s is told", (_, bytes, message) => {
    const first = value(readSafetensors(bytes)).get("a");
    expect(first?.ok ? "was read" : first?.error).toMatch(message);
  });

  it.each<[string, Uint8Array, RegExp]>([
    ["cut short before its header", Buffer.of(1, 2), /^is cut short: its 2 bytes/],
    ["cut short within its header", safetensors(two, data).subarray(0, 40), /^is cut short, or no \.safetensors file/],
    ["another file", safetensors("not json", data), /its header is not JSON$/],
  ])("a file that is %s is told", (_, bytes, message) => {
    const read = readSafetensors(bytes);
    expect(read.ok ? "was read" : read.error).toMatch(message);
  });
});

it("a tensor takes what has its shape and its bits", () => {
  const wanted = { name: "c", dtype: "int32", shape: [2, 3] } as const;
  expect(misfit({ type: "<u4", dtypes: ["int32"], shape: [2, 3] }, wanted)).toBeUndefined();
  expect(misfit({ type: "<f4", dtypes: ["float32"], shape: [2, 3] }, wanted)).toBe(
    "holds <f4[2, 3], and the tensor c is int32[2, 3]",
  );
  expect(misfit({ type: "<i4", dtypes: ["int32"], shape: [6] }, wanted)).toBe("holds <i4[6], and the tensor c is int32[2, 3]");
});
