/** The runner's own kernels (helper.cu, own.cu), played by the TypeScript that defines their meaning. */
import { createHash } from "node:crypto";
import { type DType, dtypeBytes, type Fill, filledValue, fillValue, float16Bits, philoxBits } from "@warpfarm/common";
import { contentsOf, worstMismatch } from "../../measure/check.ts";
import type { KernelParam, LaunchShape, PreparedLaunch } from "./driver-types.ts";

export interface Launch extends PreparedLaunch {
  readonly shape: LaunchShape;
  readonly params: readonly KernelParam[];
}
/** The bytes from the address to the end of its allocation. */
type Memory = (pointer: bigint) => Uint8Array;

export const addressOf = (param: KernelParam | undefined): bigint => (param?.kind === "u64" ? param.value : 0n);

export function playHelper({ name, shape, params }: Launch, at: Memory): void {
  const number = (i: number): number => Number(params[i]?.value ?? 0);
  const memory = (i: number): Uint8Array => at(addressOf(params[i]));
  const [, verb = "", word = ""] = /^(fill|compare|contents)_(\w+)$/.exec(name) ?? [];
  const dtype = word as DType;
  if (name === "compare_finish") return;
  if (verb === "fill") {
    const [seed, buffer] = [number(2) + number(3) * 2 ** 32, number(4)];
    const given = word.startsWith("given_") ? givenOf(number(5), number(6), number(7)) : undefined;
    const of = word.replace("given_", "") as DType;
    fill(memory(0), of, number(1), (i) =>
      given ? filledValue({ dtype: of, shape: [number(1)] }, given, seed, buffer, i) : fillValue(of, philoxBits(seed, buffer, i)),
    );
  } else if (verb === "compare") {
    const verdict = at(addressOf(params[5]) - 40n);
    compare(dtype, memory(0), memory(1), number(2), { atol: number(3), rtol: number(4) }, verdict);
  } else if (verb === "contents") contents(dtype, memory(0), number(1), memory(2), shape.grid[0]);
  else if (name === "invert")
    memory(0).set(
      memory(1)
        .subarray(0, number(2))
        .map((byte) => ~byte),
    );
  else if (name === "digest") {
    const table = memory(0);
    const regions = new BigUint64Array(table.buffer, table.byteOffset, 2 * number(1));
    for (let i = 0; i < number(1); i++) {
      const bytes = at(regions[2 * i] ?? 0n).subarray(0, Number(regions[2 * i + 1]));
      memory(2).set(createHash("md5").update(bytes).digest(), 16 * i);
    }
  } else throw new Error(`no script for kernel ${name}`);
}

/** The node's own kernels; if the device `isBroken`, one word is wrong. */
export function playOwn({ name, shape, params }: Launch, at: Memory, isBroken: boolean): void {
  const count = shape.grid[0] * shape.block[0];
  const bytes = at(addressOf(params.at(-1)));
  const words = new Uint32Array(bytes.buffer, bytes.byteOffset, count);
  const f = new Float32Array(1);
  const bits = new Uint32Array(f.buffer);
  for (let i = 0; i < count; i++)
    if (name === "memory") words[i] = Math.imul(i, 0x9e3779b1);
    else if (i >= 256) words[i] = words[i - 256] ?? 0;
    else {
      let u = i;
      f[0] = i / 256;
      for (let round = 0; round < 4096; round++) {
        u = (Math.imul(u ^ (u >>> 15), 0x2c1b3c6d) + 1) >>> 0;
        const square = Math.fround((f[0] ?? 0) * (f[0] ?? 0));
        f[0] = 1.9375 - square;
      }
      words[i] = u ^ (bits[0] ?? 0);
    }
  if (isBroken) words[count - 1] = (words[count - 1] ?? 0) ^ 1;
}

/** The first block sees all, the others nothing. */
function contents(dtype: DType, data: Uint8Array, count: number, partial: Uint8Array, blocks: number): void {
  const held = contentsOf({ dtype, shape: [count] }, data.subarray(0, dtypeBytes(dtype, count)));
  const finite = count - held.nan - held.infinite;
  const view = new DataView(partial.buffer, partial.byteOffset);
  for (let block = 0; block < blocks; block++) {
    const isEmpty = block > 0 || finite === 0;
    const sums = isEmpty
      ? [Infinity, -Infinity, Infinity, 0, 0]
      : [held.low, held.high, held.nearest, held.mean * finite, held.rms ** 2 * finite];
    for (const [i, value] of sums.entries()) view.setFloat64(56 * block + 8 * i, value, true);
    view.setBigUint64(56 * block + 40, BigInt(block > 0 ? 0 : held.nan), true);
    view.setBigUint64(56 * block + 48, BigInt(block > 0 ? 0 : held.infinite), true);
  }
}

/** Writes the final verdict, which is in front of the partial ones. */
function compare(
  dtype: DType,
  got: Uint8Array,
  ref: Uint8Array,
  count: number,
  tolerance: { readonly atol: number; readonly rtol: number },
  to: Uint8Array,
): void {
  const spec = { name: "", dtype, shape: [count], bytes: 0, align: 64, role: "out", reduction: 1 } as const;
  const worst = worstMismatch(spec, got.slice(), ref.slice(), tolerance);
  const verdict = new DataView(new ArrayBuffer(40));
  verdict.setBigUint64(8, BigInt(worst?.index ?? 0), true);
  verdict.setBigUint64(16, BigInt(worst?.count ?? 0), true);
  verdict.setFloat64(24, worst?.got ?? 0, true);
  verdict.setFloat64(32, worst?.expected ?? 0, true);
  to.set(new Uint8Array(verdict.buffer));
}

/** A fill from its kernel's arguments. No test here needs the other kinds. */
function givenOf(kind: number, mean: number, deviation: number): Fill {
  if (kind === 2) return { kind: "constant", value: String(mean) };
  if (kind !== 3) throw new Error(`this device has no script for fills of kind ${kind}`);
  return { kind: "normal", mean: String(mean), deviation: String(deviation) };
}

/** Fills by common's definition, element by element. The tests need only float32, float16 and int8. */
function fill(to: Uint8Array, dtype: DType, count: number, valueAt: (index: number) => number): void {
  const view = new DataView(to.buffer, to.byteOffset, to.byteLength);
  for (let i = 0; i < count; i++) {
    const value = valueAt(i);
    if (dtype === "float32") view.setFloat32(4 * i, value, true);
    else if (dtype === "float16") view.setUint16(2 * i, float16Bits(Math.fround(value)), true);
    else if (dtype === "int8") view.setInt8(i, value);
    else throw new Error(`no scripted fill for ${dtype}`);
  }
}
