/**
 * Runs C text on this machine: a small main around the kernels reads the buffers from a file, calls them in order, writes the buffers back.
 * Shares nothing with the runner: it is what the text's ABI says (common/artifact.ts), spelled out once more.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DType, ManifestBuffer } from "@warpfarm/common";
import { createData, type TensorData } from "../src/interp/numeric.ts";
import type { DeviceText } from "../src/target/index.ts";

const bits = new DataView(new ArrayBuffer(8));

/** A float16 from its bits and back, by the definition: sign, 5 bits of exponent, 10 of fraction. */
function halfToNumber(h: number): number {
  const sign = h & 0x8000 ? -1 : 1;
  const exponent = (h >> 10) & 31;
  const fraction = h & 1023;
  if (exponent === 31) return fraction ? Number.NaN : sign * Number.POSITIVE_INFINITY;
  return sign * (exponent === 0 ? fraction * 2 ** -24 : (1024 + fraction) * 2 ** (exponent - 25));
}
function numberToHalf(x: number): number {
  for (let h = 0; h < 0x7c00; h++) {
    if (halfToNumber(h) === Math.abs(x)) return h | (Object.is(Math.abs(x), x) ? 0 : 0x8000);
  }
  throw new Error(`${x} is no float16`);
}

function encode(dtype: DType, data: TensorData): Buffer {
  if (dtype === "float16") return Buffer.from(Uint16Array.from(data, numberToHalf).buffer);
  if (dtype === "bfloat16") {
    const words = Uint16Array.from(data, (x) => {
      bits.setFloat32(0, x);
      return bits.getUint16(0);
    });
    return Buffer.from(words.buffer);
  }
  if (dtype === "int64") return Buffer.from(BigInt64Array.from([...data].map(BigInt)).buffer);
  return Buffer.from(data.buffer, data.byteOffset, data.byteLength);
}

function decode(dtype: DType, bytes: Buffer): TensorData {
  const memory = new Uint8Array(bytes).buffer;
  if (dtype === "float16") return Float32Array.from(new Uint16Array(memory), halfToNumber);
  if (dtype === "bfloat16") {
    return Float32Array.from(new Uint16Array(memory), (word) => {
      bits.setUint32(0, word << 16);
      return bits.getFloat32(0);
    });
  }
  if (dtype === "int64") return Float64Array.from(new BigInt64Array(memory), Number);
  const made = createData(dtype, 0).constructor as new (memory: ArrayBuffer) => TensorData;
  return new made(memory);
}

function mainText({ kernels, buffers }: DeviceText): string {
  const slot = new Map(buffers.map((buffer, i) => [buffer.name, i]));
  const calls = kernels.map(
    ({ name, args }) => `  { void *args[] = {${args.map((arg) => `buffers[${slot.get(arg)}]`).join(", ")}}; ${name}(args); }`,
  );
  return `#include <stdio.h>
#include <stdlib.h>
#include <string.h>
${kernels.map(({ name }) => `void ${name}(void *const *args);`).join("\n")}
int main(int argc, char **argv) {
  const size_t bytes[] = {${buffers.map((b) => b.bytes).join(", ")}};
  void *buffers[${buffers.length}];
  FILE *in = fopen(argv[1], "rb");
  for (int i = 0; i < ${buffers.length}; ++i) {
    buffers[i] = aligned_alloc(64, (bytes[i] + 63) / 64 * 64);
    if (fread(buffers[i], 1, bytes[i], in) != bytes[i]) return 1;
  }
${calls.join("\n")}
  FILE *out = fopen(argv[2], "wb");
  for (int i = 0; i < ${buffers.length}; ++i) fwrite(buffers[i], 1, bytes[i], out);
  fclose(out);
  return argc - 3;
}
`;
}

/** All buffers after one run. Buffers that are not given start as 0xff bytes: NaN, -1. */
export function runC(
  text: DeviceText,
  given: ReadonlyMap<string, TensorData>,
  flags: readonly string[] = [],
): Map<string, TensorData> {
  const dir = mkdtempSync(join(tmpdir(), "warpfarm-c-"));
  try {
    const path = (name: string) => join(dir, name);
    writeFileSync(path("kernel.c"), text.text);
    writeFileSync(path("main.c"), mainText(text));
    const warnings = ["-Wall", "-Wextra", "-Werror", "-Wno-unknown-pragmas", "-Wno-psabi"];
    execFileSync("cc", ["-O2", "-fopenmp", ...warnings, ...flags, "-o", path("run"), path("kernel.c"), path("main.c"), "-lm"]);
    const initial = (b: ManifestBuffer) => {
      const data = given.get(b.name);
      return data ? encode(b.dtype, data) : Buffer.alloc(b.bytes, 0xff);
    };
    writeFileSync(path("in"), Buffer.concat(text.buffers.map(initial)));
    execFileSync(path("run"), [path("in"), path("out")], {
      env: { ...process.env, OMP_NUM_THREADS: "2", OMP_WAIT_POLICY: "passive" },
    });
    const out = readFileSync(path("out"));
    const result = new Map<string, TensorData>();
    let offset = 0;
    for (const { name, dtype, bytes } of text.buffers) {
      result.set(name, decode(dtype, out.subarray(offset, offset + bytes)));
      offset += bytes;
    }
    return result;
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

/** Assembly of the text, as this machine's compiler makes it for a target's level. */
export function assemblyOf(text: DeviceText, level: string): string {
  const dir = mkdtempSync(join(tmpdir(), "warpfarm-c-"));
  try {
    writeFileSync(join(dir, "kernel.c"), text.text);
    execFileSync("cc", ["-O3", "-fopenmp", `-march=${level}`, "-S", "-o", join(dir, "kernel.s"), join(dir, "kernel.c")]);
    return readFileSync(join(dir, "kernel.s"), "utf8");
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}
