/**
 * Tensors as files: NumPy's .npy (format 1 to 3) and .safetensors. The result is the elements as they lie in memory, row by row
 * and little-endian, as on a device. Errors continue a sentence that begins with the file's name.
 */
import { type DType, dtypeBytes, err, ok, type Result } from "@warpfarm/common";

export interface StoredTensor {
  readonly type: string;
  /** Types of tensors that it can fill bit for bit. A farm has no unsigned integers of 32 and 64 bits. */
  readonly dtypes: readonly DType[];
  readonly shape: readonly number[];
  readonly bytes: Uint8Array;
}

const npyTypes: Readonly<Record<string, readonly DType[]>> = {
  "<f2": ["float16"],
  "<f4": ["float32"],
  "<f8": ["float64"],
  "|i1": ["int8"],
  "|u1": ["uint8"],
  "<i4": ["int32"],
  "<u4": ["int32"],
  "<i8": ["int64"],
  "<u8": ["int64"],
  "|b1": ["bool", "int8", "uint8"],
  // The types with which ml_dtypes has NumPy write bfloat16, and floats of 8 bits.
  "<V2": ["bfloat16"],
  "|V2": ["bfloat16"],
  "<V1": ["float8_e4m3fn"],
  "<f1": ["float8_e5m2"],
};
const safetensorsTypes: Readonly<Record<string, readonly DType[]>> = {
  F16: ["float16"],
  BF16: ["bfloat16"],
  F8_E4M3: ["float8_e4m3fn"],
  F8_E5M2: ["float8_e5m2"],
  F32: ["float32"],
  F64: ["float64"],
  I8: ["int8"],
  U8: ["uint8"],
  I32: ["int32"],
  U32: ["int32"],
  I64: ["int64"],
  U64: ["int64"],
  BOOL: ["bool", "int8", "uint8"],
};

const countOf = (shape: readonly number[]): number => shape.reduce((product, extent) => product * extent, 1);
const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
const textOf = (bytes: Uint8Array): string => new TextDecoder("latin1").decode(bytes);

export function readNpy(bytes: Uint8Array): Result<StoredTensor, string> {
  if (textOf(bytes.subarray(0, 6)) !== "\x93NUMPY") return err("is not a .npy file: it does not begin with \\x93NUMPY");
  const [major = 0] = bytes.subarray(6, 7);
  if (major < 1 || major > 3) return err(`is of version ${major} of .npy; 1, 2 and 3 are read`);
  const headAt = major === 1 ? 10 : 12;
  if (bytes.length < headAt) return err(`is cut short: its ${bytes.length} bytes do not hold a header`);
  const from = headAt + (major === 1 ? viewOf(bytes).getUint16(8, true) : viewOf(bytes).getUint32(8, true));
  if (bytes.length < from) return err(`is cut short: its header has ${from} bytes, the file ${bytes.length}`);
  const head = textOf(bytes.subarray(headAt, from));
  const shapeText = /'shape':\s*\(([\d,\s]*)\)/.exec(head)?.[1];
  const order = /'fortran_order':\s*(True|False)/.exec(head)?.[1];
  const type = /'descr':\s*'([^']*)'/.exec(head)?.[1];
  if (shapeText === undefined || order === undefined) return err("has a header without shape or fortran_order");
  if (type === undefined) return err("holds records of several fields; arrays of numbers are taken");
  if (order === "True") return err("is in Fortran's order; save it with numpy.ascontiguousarray(array)");
  if (/^>/.test(type)) return err(`is big-endian (${type}); save it with array.astype(array.dtype.newbyteorder("<"))`);
  const shape = (shapeText.match(/\d+/g) ?? []).map(Number);
  return stored(type, npyTypes, shape, bytes.subarray(from));
}

export function readSafetensors(bytes: Uint8Array): Result<ReadonlyMap<string, Result<StoredTensor, string>>, string> {
  if (bytes.length < 8) return err(`is cut short: its ${bytes.length} bytes do not hold a header`);
  const from = 8 + Number(viewOf(bytes).getBigUint64(0, true));
  if (bytes.length < from)
    return err(`is cut short, or no .safetensors file: its header has ${from} bytes, the file ${bytes.length}`);
  let head: unknown;
  try {
    head = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes.subarray(8, from)));
  } catch {
    return err("is not a .safetensors file: its header is not JSON");
  }
  const entries = Object.entries(Object(head) as Record<string, unknown>).filter(([name]) => name !== "__metadata__");
  return ok(new Map(entries.map(([name, entry]) => [name, storedAt(entry, bytes.subarray(from))])));
}

function storedAt(entry: unknown, data: Uint8Array): Result<StoredTensor, string> {
  const { dtype, shape, data_offsets: offsets } = Object(entry) as Record<string, unknown>;
  const areNumbers = (list: unknown): list is number[] =>
    Array.isArray(list) && list.every((one) => Number.isSafeInteger(one) && one >= 0);
  if (typeof dtype !== "string" || !areNumbers(shape) || !areNumbers(offsets)) return err("has no dtype, shape and data_offsets");
  const [begin = 0, end = 0] = offsets;
  if (end > data.length) return err(`is cut short: its data ends at byte ${end}, the file's at ${data.length}`);
  return stored(dtype, safetensorsTypes, shape, data.subarray(begin, end));
}

function stored(
  type: string,
  types: Readonly<Record<string, readonly DType[]>>,
  shape: readonly number[],
  bytes: Uint8Array,
): Result<StoredTensor, string> {
  const dtypes = Object.hasOwn(types, type) ? (types[type] as readonly DType[]) : [];
  const [first] = dtypes;
  if (first === undefined) return err(`holds ${type}; taken are ${Object.keys(types).join(", ")}`);
  const need = dtypeBytes(first, countOf(shape));
  if (bytes.length !== need) {
    const why = bytes.length < need ? "is cut short" : "has more bytes behind its elements";
    return err(`${why}: ${type}[${shape.join(", ")}] takes ${need} bytes of data, and there are ${bytes.length}`);
  }
  return ok({ type, dtypes, shape, bytes });
}

/** Why a tensor cannot hold it, as the end of a sentence; undefined when it can. */
export function misfit(
  { type, dtypes, shape }: Pick<StoredTensor, "type" | "dtypes" | "shape">,
  wanted: { readonly name: string; readonly dtype: DType; readonly shape: readonly number[] },
): string | undefined {
  const isSame = shape.length === wanted.shape.length && shape.every((extent, i) => extent === wanted.shape[i]);
  return isSame && dtypes.includes(wanted.dtype)
    ? undefined
    : `holds ${type}[${shape.join(", ")}], and the tensor ${wanted.name} is ${wanted.dtype}[${wanted.shape.join(", ")}]`;
}
