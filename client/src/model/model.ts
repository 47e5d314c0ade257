/** A network as it is read: tensors whose elements are known, and nodes in the words of ONNX. */
import { bfloat16Bits, type DType, float16Bits, float16ToNumber, type Json } from "@warpfarm/common";
import { createData, type TensorData } from "@warpfarm/compiler";
import { sizeOf } from "@warpfarm/templates";

/** What a model was captured from, where its nodes have times. */
export interface Framework {
  /** With its version. */
  readonly name: string;
  readonly device: string;
  /** Of the device's kind. */
  readonly key: string;
}

/** Elements little-endian and row-major. */
export interface ModelTensor {
  readonly dtype: DType;
  readonly shape: readonly number[];
  readonly bytes: Uint8Array;
}

export interface TensorKind {
  readonly dtype: DType;
  readonly shape: readonly number[];
}

export interface ModelNode {
  readonly op: string;
  /** "" is ONNX's own. */
  readonly domain: string;
  readonly name: string;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly attributes: { readonly [name: string]: Json };
  /** In the framework, where it was timed. */
  readonly seconds?: number;
}

export interface Model {
  readonly name: string;
  readonly opset: number;
  readonly framework?: Framework;
  readonly inputs: readonly (TensorKind & { readonly name: string })[];
  readonly outputs: readonly string[];
  readonly nodes: readonly ModelNode[];
  readonly constants: ReadonlyMap<string, ModelTensor>;
  /** What the file says of tensors inside, where it is known. */
  readonly stated: ReadonlyMap<string, TensorKind>;
}

/** A copy that is aligned. */
const aligned = (bytes: Uint8Array): ArrayBuffer => Uint8Array.from(bytes).buffer as ArrayBuffer;

export function numbersOf({ dtype, shape, bytes }: ModelTensor): TensorData {
  const data = createData(dtype, sizeOf(shape));
  const buffer = aligned(bytes);
  if (dtype === "float16" || dtype === "bfloat16") {
    const wide = new Uint32Array(1);
    const word = new Float32Array(wide.buffer);
    for (const [i, bits] of new Uint16Array(buffer).entries()) {
      wide[0] = bits << 16;
      data[i] = dtype === "float16" ? float16ToNumber(bits) : (word[0] as number);
    }
    return data;
  }
  data.set(new (data.constructor as Float64ArrayConstructor)(buffer));
  return data;
}

export function tensorOf(dtype: DType, shape: readonly number[], numbers: ArrayLike<number>): ModelTensor {
  if (dtype === "float16" || dtype === "bfloat16") {
    const bitsOf = dtype === "float16" ? (x: number) => float16Bits(Math.fround(x)) : bfloat16Bits;
    return { dtype, shape, bytes: new Uint8Array(Uint16Array.from(numbers, bitsOf).buffer) };
  }
  const data = createData(dtype, sizeOf(shape));
  data.set(numbers);
  return { dtype, shape, bytes: new Uint8Array(data.buffer, data.byteOffset, data.byteLength) };
}
