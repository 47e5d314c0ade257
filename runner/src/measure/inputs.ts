/**
 * The contents of input buffers: Philox4x32-10 by (seed, buffer number, element) as in common/philox.ts, with the same bits on
 * every device.
 */
import {
  bfloat16Bits,
  type DType,
  dtypeBytes,
  type Fill,
  fillFor,
  fillValue,
  float8Bits,
  float16Bits,
  type InputKind,
  invariant,
  type ManifestBuffer,
  normalValue,
  permutationKeys,
  permuted,
  philoxBits,
  rangeValue,
} from "@warpfarm/common";

export const elementCount = (spec: Pick<ManifestBuffer, "shape">): number =>
  spec.shape.reduce((product, extent) => product * extent, 1);

type Write = (index: number, value: number) => void;
type ValueOf = (index: number) => number;

/** Fills an input as its spec says, and otherwise as `inputs` does. */
export function fillBytes(spec: ManifestBuffer, bytes: Uint8Array, seed: number, number: number, inputs: InputKind): void {
  const { dtype, fill: said } = spec;
  const fill = fillFor(dtype, typeof said === "object" && said.kind === "blob" ? undefined : said, inputs);
  invariant(said === undefined || fill === said, "a blob is written, not made from a seed");
  if (fill === "zeros") bytes.fill(0);
  else fillElements(dtype, bytes, elementCount(spec), seed, number, fill && valuesOf(spec, fill, seed, number));
}

function valuesOf(spec: ManifestBuffer, fill: Fill, seed: number, number: number): ValueOf {
  switch (fill.kind) {
    case "constant": {
      const value = Number(fill.value);
      return () => value;
    }
    case "range": {
      const [from, to] = [Number(fill.from), Number(fill.to)];
      return (i) => rangeValue(spec.dtype, from, to, philoxBits(seed, number, i));
    }
    case "normal": {
      const [mean, deviation] = [Number(fill.mean), Number(fill.deviation)];
      return (i) => mean + deviation * normalValue(philoxBits(seed, number, i));
    }
    case "permutation": {
      const n = spec.shape.at(-1) ?? 1;
      let [row, keys] = [-1, [] as readonly number[]];
      return (i) => {
        const mine = Math.floor(i / n);
        if (mine !== row) [row, keys] = [mine, permutationKeys(seed, number, mine)];
        return permuted(i - mine * n, n, keys);
      };
    }
  }
}

/** Writes `count` elements of buffer `number`: common's fillValue of seeded bits, or the given values. */
export function fillElements(
  dtype: DType,
  bytes: Uint8Array,
  count: number,
  seed: number,
  number: number,
  given?: ValueOf,
): void {
  const write = writerOf(dtype, bytes, count);
  if (given !== undefined) for (let i = 0; i < count; i++) write(i, given(i));
  else for (let i = 0; i < count; i++) write(i, fillValue(dtype, philoxBits(seed, number, i)));
}

export function elementBytes(dtype: DType, value: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(new ArrayBuffer(8));
  writerOf(dtype, bytes, 1)(0, value);
  return bytes.slice(0, dtypeBytes(dtype));
}

/** Stores an element, rounded to the dtype (float16 and bfloat16 through float32). Packed words are zeroed first. */
function writerOf(dtype: DType, bytes: Uint8Array, count: number): Write {
  const { buffer, byteOffset } = bytes;
  const plain =
    (out: Float32Array | Float64Array | Int8Array | Int32Array | Uint8Array): Write =>
    (i, v) => {
      out[i] = v;
    };
  const half = (bitsOf: (value: number) => number): Write => {
    const out = new Uint16Array(buffer, byteOffset, count);
    return (i, v) => {
      out[i] = bitsOf(v);
    };
  };
  switch (dtype) {
    case "float32":
      return plain(new Float32Array(buffer, byteOffset, count));
    case "float64":
      return plain(new Float64Array(buffer, byteOffset, count));
    case "float16":
      return half((v) => float16Bits(Math.fround(v)));
    case "bfloat16":
      return half(bfloat16Bits);
    case "float8_e4m3fn":
    case "float8_e5m2":
      return (i, v) => {
        bytes[i] = float8Bits(dtype, v);
      };
    case "int8":
      return plain(new Int8Array(buffer, byteOffset, count));
    case "int32":
      return plain(new Int32Array(buffer, byteOffset, count));
    case "int64": {
      const out = new BigInt64Array(buffer, byteOffset, count);
      return (i, v) => {
        out[i] = BigInt(v);
      };
    }
    case "uint8":
    case "bool":
      return plain(bytes);
    // In a little-endian word the first elements are in the last byte.
    case "int4":
      bytes.fill(0);
      return (i, v) => {
        bytes[(i >> 1) ^ 3] = (bytes[(i >> 1) ^ 3] ?? 0) | ((v & 15) << (i % 2 === 0 ? 4 : 0));
      };
    case "int1":
      bytes.fill(0);
      return (i, v) => {
        bytes[(i >> 3) ^ 3] = (bytes[(i >> 3) ^ 3] ?? 0) | (v << (7 - (i & 7)));
      };
  }
}
