/**
 * Runs C text, and CUDA text without PTX, on this machine: a small main around the kernels reads the buffers from a file, calls
 * them in order, writes the buffers back.
 * Shares nothing with the runner: it is what the text's ABI says (common/artifact.ts), spelled out once more.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type DType, float8Bits, float8ToNumber, isFloat8, type ManifestArg, type ManifestBuffer } from "@warpfarm/common";
import { createData, type DeviceText, type TensorData } from "@warpfarm/compiler";

const bits = new DataView(new ArrayBuffer(8));

/** A float16 from its bits and back, by the definition: sign, 5 bits of exponent, 10 of fraction. */
function halfToNumber(h: number): number {
  const sign = h & 0x8000 ? -1 : 1;
  const exponent = (h >> 10) & 31;
  const fraction = h & 1023;
  if (exponent === 31) return fraction ? Number.NaN : sign * Number.POSITIVE_INFINITY;
  return sign * (exponent === 0 ? fraction * 2 ** -24 : (1024 + fraction) * 2 ** (exponent - 25));
}
const halves = new Map<number, number>();
function numberToHalf(x: number): number {
  const known = halves.get(x) ?? findHalf(x);
  halves.set(x, known);
  return known;
}
function findHalf(x: number): number {
  for (let h = 0; h < 0x7c00; h++) {
    if (halfToNumber(h) === Math.abs(x)) return h | (Object.is(Math.abs(x), x) ? 0 : 0x8000);
  }
  throw new Error(`${x} is no float16`);
}

/** int4 and int1 in 32-bit words, the first element in the most significant bits. */
function packWords(width: number, data: TensorData): Buffer {
  const perWord = 32 / width;
  const words = new Uint32Array(Math.ceil(data.length / perWord));
  data.forEach((value: number, i: number) => {
    const place = 32 - width * ((i % perWord) + 1);
    words[Math.floor(i / perWord)] = ((words[Math.floor(i / perWord)] as number) | ((value & (2 ** width - 1)) << place)) >>> 0;
  });
  return Buffer.from(words.buffer);
}
function unpackWords(width: number, words: Uint32Array, count: number): number[] {
  const perWord = 32 / width;
  return Array.from({ length: count }, (_, i) => {
    const bits = ((words[Math.floor(i / perWord)] as number) << (width * (i % perWord))) >>> (32 - width);
    return width === 4 ? (bits << 28) >> 28 : bits;
  });
}

function encode(dtype: DType, data: TensorData): Buffer {
  if (dtype === "int4") return packWords(4, data);
  if (dtype === "int1") return packWords(1, data);
  if (dtype === "float16") return Buffer.from(Uint16Array.from(data, numberToHalf).buffer);
  if (dtype === "bfloat16") {
    const words = Uint16Array.from(data, (x) => {
      bits.setFloat32(0, x);
      return bits.getUint16(0);
    });
    return Buffer.from(words.buffer);
  }
  if (isFloat8(dtype)) return Buffer.from(Uint8Array.from(data, (x) => float8Bits(dtype, x)));
  if (dtype === "int64") return Buffer.from(BigInt64Array.from([...data].map(BigInt)).buffer);
  return Buffer.from(data.buffer, data.byteOffset, data.byteLength);
}

function decode(dtype: DType, bytes: Buffer, count: number): TensorData {
  const memory = new Uint8Array(bytes).buffer;
  if (dtype === "int4") return Int8Array.from(unpackWords(4, new Uint32Array(memory), count));
  if (dtype === "int1") return Uint8Array.from(unpackWords(1, new Uint32Array(memory), count));
  if (dtype === "float16") return Float32Array.from(new Uint16Array(memory), halfToNumber);
  if (dtype === "bfloat16") {
    return Float32Array.from(new Uint16Array(memory), (word) => {
      bits.setUint32(0, word << 16);
      return bits.getFloat32(0);
    });
  }
  if (isFloat8(dtype)) return Float32Array.from(bytes, (byte) => float8ToNumber(dtype, byte));
  if (dtype === "int64") return Float64Array.from(new BigInt64Array(memory), Number);
  const made = createData(dtype, 0).constructor as new (memory: ArrayBuffer) => TensorData;
  return new made(memory);
}

/** All buffers as they are before a run, one after the other: those that are not given as 0xff bytes. */
export function encodeAll({ buffers }: DeviceText, given: ReadonlyMap<string, TensorData>): Buffer {
  const initial = ({ name, dtype, bytes }: ManifestBuffer) => {
    const data = given.get(name);
    return data ? encode(dtype, data) : Buffer.alloc(bytes, 0xff);
  };
  return Buffer.concat(buffers.map(initial));
}
export function decodeAll({ buffers }: DeviceText, memory: Buffer): Map<string, TensorData> {
  const result = new Map<string, TensorData>();
  let offset = 0;
  for (const { name, dtype, bytes, shape } of buffers) {
    const count = shape.reduce((x, y) => x * y, 1);
    result.set(name, decode(dtype, memory.subarray(offset, offset + bytes), count));
    offset += bytes;
  }
  return result;
}

/** A main that reads all buffers from its first argument, runs `calls`, and writes them to its second. */
export function mainText(
  { buffers }: DeviceText,
  calls: readonly string[],
  declaration = `void *buffers[${buffers.length}];`,
): string {
  return `int main(int argc, char **argv) {
  const size_t bytes[] = {${buffers.map((b) => b.bytes).join(", ")}};
  ${declaration}
  FILE *in = fopen(argv[1], "rb");
  for (int i = 0; i < ${buffers.length}; ++i) {
    buffers[i] = aligned_alloc(64, (bytes[i] + 63) / 64 * 64);
    if (fread(buffers[i], 1, bytes[i], in) != bytes[i]) return 1;
  }
${calls.join("\n")}
  FILE *out = fopen(argv[2], "wb");
  for (int i = 0; i < ${buffers.length}; ++i) fwrite(buffers[i], 1, bytes[i], out);
  fclose(out);
  return argc < 3;
}
`;
}
// Without the definition C++'s forms of these headers include its templates, which take most of a compile.
export const hostHeaders =
  "#define _GLIBCXX_INCLUDE_NEXT_C_HEADERS\n#include <math.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n";

/** Of each kernel, its arguments as places in `buffers`; below 0 are maps, -1 the first. */
export function slotsOf({ kernels, buffers }: DeviceText): readonly (readonly number[])[] {
  const slot = new Map(buffers.map((buffer, i) => [buffer.name, i]));
  const numberOf = (arg: ManifestArg) =>
    typeof arg === "object" && "map" in arg ? -1 - arg.map : (slot.get(String(arg)) as number);
  return kernels.map(({ args }) => args.map(numberOf));
}

/** All buffers after one run. Buffers that are not given start as 0xff bytes: NaN, -1. */
export function runC(
  text: DeviceText,
  given: ReadonlyMap<string, TensorData>,
  flags: readonly string[] = [],
): Map<string, TensorData> {
  const slots = slotsOf(text).map((of) => of.map((slot) => `buffers[${slot}]`));
  const calls = text.kernels.map(({ name }, i) => `  { void *args[] = {${slots[i]?.join(", ")}}; ${name}(args); }`);
  const declarations = text.kernels.map(({ name }) => `void ${name}(void *const *args);`).join("\n");
  const warnings = ["-Wall", "-Wextra", "-Werror", "-Wno-unknown-pragmas", "-Wno-psabi"];
  const files = { "kernel.c": text.text, "main.c": `${hostHeaders}${declarations}\n${mainText(text, calls)}` };
  return runOnHost(text, given, files, ["cc", "-O2", "-fopenmp", ...warnings, ...flags]);
}

/**
 * What CUDA text uses of the language, on one thread of this machine: the threads of a block are contexts that give way to the
 * next one at a barrier, from the first to the last or, with a third argument, the other way round.
 */
const cudaOnHost = `${hostHeaders}#include <ucontext.h>
#define __global__
#define __device__
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __align__(n) __attribute__((aligned(n)))
#define __shared__ static
#define __constant__ static const
struct Place { int x, y, z; };
static Place blockIdx, threadIdx;
static float __int_as_float(unsigned x) { float y; memcpy(&y, &x, 4); return y; }
static float __uint_as_float(unsigned x) { return __int_as_float(x); }
static unsigned __float_as_uint(float x) { unsigned y; memcpy(&y, &x, 4); return y; }
static unsigned atomicAnd(unsigned *p, unsigned x) { unsigned old = *p; *p &= x; return old; }
static unsigned atomicOr(unsigned *p, unsigned x) { unsigned old = *p; *p |= x; return old; }
struct Any { void *p; Any &operator=(void *q) { p = q; return *this; } operator void *() { return p; } template <class T> operator T *() { return (T *)p; } };
static Any buffers[64];

enum State { running, waiting, ended };
static State states[1024];
static ucontext_t scheduler, contexts[1024];
static int current;
static bool backwards;
static void (*kernel)();
static void enter() { kernel(); states[current] = ended; }
static void __syncthreads() { states[current] = waiting; swapcontext(&contexts[current], &scheduler); }
// All warps come to it, so the block may wait for all of them.
static void __syncwarp() { __syncthreads(); }
static void runBlock(int x, int y, int z) {
  static char stacks[1024][1 << 16];
  const int n = x * y * z;
  for (int t = 0; t < n; ++t) {
    getcontext(&contexts[t]);
    contexts[t].uc_stack = {stacks[t], 0, sizeof stacks[t]};
    contexts[t].uc_link = &scheduler;
    makecontext(&contexts[t], enter, 0);
  }
  do {
    for (int i = 0; i < n; ++i) {
      current = backwards ? n - 1 - i : i;
      threadIdx = {current % x, current / x % y, current / x / y};
      states[current] = running;
      swapcontext(&scheduler, &contexts[current]);
    }
    for (int t = 0; t < n; ++t)
      if (states[t] != states[0]) { fprintf(stderr, "threads 0 and %d are not at the same barrier\\n", t); exit(2); }
  } while (states[0] == waiting);
}
`;

/**
 * CUDA text on this machine's processor, block by block. Throws when the order of a block's threads changes the result: they
 * race. PTX in the text cannot be run.
 */
export function runCudaOnHost(
  text: DeviceText,
  given: ReadonlyMap<string, TensorData>,
  flags: readonly string[] = [],
): Map<string, TensorData> {
  const slots = slotsOf(text).map((of) => of.map((slot) => `buffers[${slot}]`));
  const calls = text.kernels.map(({ name, grid, block }, i) => {
    const loop = (axis: string, extent = 1) => `for (blockIdx.${axis} = 0; blockIdx.${axis} < ${extent}; ++blockIdx.${axis})`;
    const loops = `${loop("x", grid[0])} ${loop("y", grid[1])} ${loop("z", grid[2])}`;
    return `  kernel = [] { ${name}(${slots[i]?.join(", ")}); };\n  ${loops} runBlock(${block.join(", ")});`;
  });
  const files = { "main.cpp": `${cudaOnHost}${text.text}\n${mainText(text, ["  backwards = argc > 3;", ...calls], "")}` };
  return runOnHost(text, given, files, ["c++", "-O0", "-Wno-unknown-pragmas", ...flags], [["backwards"]]);
}

export function runOnHost(
  text: DeviceText,
  given: ReadonlyMap<string, TensorData>,
  files: Readonly<Record<string, string>>,
  [compiler = "", ...flags]: readonly string[],
  others: readonly (readonly string[])[] = [],
): Map<string, TensorData> {
  const dir = mkdtempSync(join(tmpdir(), "warpfarm-c-"));
  try {
    const path = (name: string) => join(dir, name);
    for (const [name, content] of Object.entries(files)) writeFileSync(path(name), content);
    execFileSync(compiler, [...flags, "-o", path("run"), ...Object.keys(files).map(path), "-lm"]);
    writeFileSync(path("in"), encodeAll(text, given));
    const output = (more: readonly string[]): Buffer => {
      const env = { ...process.env, OMP_NUM_THREADS: "2", OMP_WAIT_POLICY: "passive" };
      execFileSync(path("run"), [path("in"), path("out"), ...more], { env });
      return readFileSync(path("out"));
    };
    const out = output([]);
    for (const other of others)
      if (!output(other).equals(out)) throw new Error(`the result is another when run ${other.join(" ")}`);
    return decodeAll(text, out);
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
