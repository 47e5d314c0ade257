/** The launch of a program with its own code: kernels with their shapes and arguments, tensors with their contents. */
import {
  type BlobFill,
  type BufferRole,
  type DType,
  dtypes,
  type Fill,
  fillFault,
  isDigest,
  type Json,
  type ScalarType,
  type StatedTolerance,
  type StructArg,
  scalarTypes,
  structBytes,
  sumsFault,
  undetermined,
} from "@warpfarm/common";
import { fail, readFields, readInt, readList, readName, readObject, readOneOf, readString, show } from "../json/read-json.ts";
import { readFill, readShape, readTolerance } from "./graph-json.ts";

export interface CudaSourceKernel {
  /** A symbol; or, for source, a C++ name such as `gemm<64, float>`. */
  readonly entry: string;
  readonly grid: readonly [number, number, number];
  readonly block: readonly [number, number, number];
  readonly shared_bytes: number;
  readonly cluster: readonly [number, number, number];
  /** All blocks run at once and may wait for one another. Absent = no. */
  readonly cooperative?: true;
  /** In the order of its parameters; absent: all of the program's, in order. */
  readonly args?: readonly KernelArg[];
}

/** A tensor of the program by its name, a value of a number of bits, or a structure. */
export type KernelArg = string | { readonly scalar: ScalarType; readonly value: string } | StructArg;

export interface CudaSourceArg {
  readonly name: string;
  readonly dtype: DType;
  readonly shape: readonly number[];
  readonly role: BufferRole;
  /** `random`: Philox values; `zeros`; else as it says. */
  readonly fill: "random" | "zeros" | Fill | BlobFill;
  /** For an output: the allowed difference from the reference. */
  readonly tolerance?: StatedTolerance;
  /** For an output that holds parts of a sum along these axes: it is compared after they are added up. */
  readonly sum_over?: readonly number[];
  /** For an output: every run writes the same bits. */
  readonly deterministic?: true;
}

type Triple = readonly [number, number, number];

function readTriple(value: Json, path: string, most: Triple): Triple {
  const [x, y, z, ...rest] = readList(value, path, (item) => item, 3);
  if (rest.length > 0 || z === undefined) fail(path, "takes three numbers: x, y, z");
  return [readInt(x, `${path}[0]`, 1, most[0]), readInt(y, `${path}[1]`, 1, most[1]), readInt(z, `${path}[2]`, 1, most[2])];
}

/** Checks the bounds of the CUDA programming model for all capabilities. */
function readKernel(json: Json, path: string, entry: (json: Json | undefined, path: string) => string): CudaSourceKernel {
  const k = readFields(json, path, ["entry", "grid", "block", "shared_bytes", "cluster"], ["args", "cooperative"]);
  if (k.cooperative !== undefined && k.cooperative !== true)
    fail(`${path}.cooperative`, `${show(k.cooperative)}; it is true, or left out`);
  return {
    ...(k.cooperative === undefined ? {} : { cooperative: true as const }),
    ...(k.args === undefined ? {} : { args: readList(k.args, `${path}.args`, readKernelArg, 256) }),
    entry: entry(k.entry, `${path}.entry`),
    grid: readTriple(k.grid, `${path}.grid`, [2 ** 31 - 1, 65535, 65535]),
    block: readTriple(k.block, `${path}.block`, [1024, 1024, 64]),
    shared_bytes: readInt(k.shared_bytes, `${path}.shared_bytes`, 0, 2 ** 20),
    cluster: readTriple(k.cluster, `${path}.cluster`, [16, 16, 16]),
  };
}

function readKernelArg(json: Json, path: string): KernelArg {
  if (typeof json === "string") return readName(json, path);
  if (Object.hasOwn(readObject(json, path), "bytes")) {
    const bytes = readString(readFields(json, path, ["bytes"]).bytes, `${path}.bytes`);
    return structBytes.test(bytes) ? { bytes } : fail(`${path}.bytes`, "is not 1 to 4096 bytes in lower-case hexadecimal digits");
  }
  const { scalar, value } = readFields(json, path, ["scalar", "value"]);
  const type = readOneOf(scalar, `${path}.scalar`, scalarTypes);
  const text = readString(value, `${path}.value`);
  const fault = fillFault(type, [1], { kind: "constant", value: text });
  if (fault !== undefined) fail(`${path}.value`, fault);
  return { scalar: type, value: text };
}

function readContents(json: Json, path: string): Fill | BlobFill {
  if (readObject(json, path).kind !== "blob") return readFill(json, path);
  const digest = readString(readFields(json, path, ["kind", "digest"]).digest, `${path}.digest`);
  if (!isDigest(digest)) fail(`${path}.digest`, `${show(digest)} is not a digest, which is sha256: and 64 hex digits`);
  return { kind: "blob", digest };
}

function readArg(json: Json, path: string): CudaSourceArg {
  const a = readFields(json, path, ["name", "dtype", "shape", "role", "fill"], ["tolerance", "sum_over", "deterministic"]);
  const dtype = readOneOf(a.dtype, `${path}.dtype`, dtypes);
  const shape = readShape(a.shape, `${path}.shape`);
  const role = readOneOf(a.role, `${path}.role`, ["in", "out", "inout", "workspace"]);
  const fill =
    typeof a.fill === "object" ? readContents(a.fill, `${path}.fill`) : readOneOf(a.fill, `${path}.fill`, ["random", "zeros"]);
  const unfit =
    typeof fill !== "object"
      ? undefined
      : fill.kind !== "blob"
        ? fillFault(dtype, shape, fill)
        : role === "out"
          ? "an output cannot be filled; a blob fills an input or a workspace"
          : undefined;
  if (unfit !== undefined) fail(`${path}.fill`, unfit);
  if (a.tolerance !== undefined && role !== "out" && role !== "inout")
    fail(`${path}.tolerance`, `its role is "${role}"; only an output takes a tolerance`);
  const tolerance = a.tolerance === undefined ? {} : { tolerance: readTolerance(a.tolerance, `${path}.tolerance`, dtype) };
  const sums = a.sum_over === undefined ? {} : { sum_over: readAxes(a.sum_over, `${path}.sum_over`, { shape, role }) };
  if (a.deterministic !== undefined && a.deterministic !== true)
    fail(`${path}.deterministic`, `${show(a.deterministic)}; it is true, or left out`);
  if (a.deterministic && role !== "out") fail(`${path}.deterministic`, undetermined(role));
  const same = a.deterministic === undefined ? {} : { deterministic: true as const };
  return { name: readName(a.name, `${path}.name`), dtype, shape, role, fill, ...tolerance, ...sums, ...same };
}

function readAxes(json: Json, path: string, tensor: Pick<CudaSourceArg, "shape" | "role">): readonly number[] {
  const axes = readList(json, path, (axis, at) => readInt(axis, at, 0, 15), 16);
  if (axes.length === 0) fail(path, "is empty; at least one axis, or leave it out");
  const fault = sumsFault(tensor, axes);
  return fault === undefined ? axes : fail(path, fault);
}

export interface Launches {
  readonly kernels: readonly CudaSourceKernel[];
  readonly args: readonly CudaSourceArg[];
  /** Constant memory by its symbol, with the tensor that fills it; absent = none. */
  readonly constants?: { readonly [symbol: string]: string };
}

const symbolPattern = /^[A-Za-z_$][\w$.]{0,1023}$/;

/** Symbols as compilers make them of C++ names. */
export function readSymbol(json: Json | undefined, path: string): string {
  const symbol = readString(json, path);
  return symbolPattern.test(symbol)
    ? symbol
    : fail(path, `${show(symbol)} is not a symbol; a symbol is a letter, _ or $, then up to 1023 letters, digits, _, $ or .`);
}

function readConstants(json: Json, tensors: readonly string[]): { readonly [symbol: string]: string } {
  const entries = Object.entries(readObject(json, "constants"));
  if (entries.length === 0 || entries.length > 64) fail("constants", `has ${entries.length} entries; 1 to 64, or leave it out`);
  return Object.fromEntries(
    entries.map(([symbol, tensor]) => {
      readSymbol(symbol, "constants");
      if (typeof tensor !== "string" || !tensors.includes(tensor))
        fail(`constants.${symbol}`, `${show(tensor)} is not an argument of the program; they are ${tensors.join(", ")}`);
      return [symbol, tensor as string];
    }),
  );
}

/** `entry` reads a kernel's name. */
export function readLaunches(
  doc: { readonly kernels: Json; readonly args: Json; readonly constants?: Json },
  entry: (json: Json | undefined, path: string) => string,
): Launches {
  const kernels = readList(doc.kernels, "kernels", (json, path) => readKernel(json, path, entry), 64);
  if (kernels.length === 0) fail("kernels", "is empty; at least one is launched");
  const args = readList(doc.args, "args", readArg, 256);
  const names = args.map((a) => a.name);
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined) fail("args", `two are named "${twice}"`);
  for (const [k, kernel] of kernels.entries())
    for (const [i, arg] of (kernel.args ?? []).entries())
      if (typeof arg === "string" && !names.includes(arg))
        fail(`kernels[${k}].args[${i}]`, `${show(arg)} is not an argument of the program; they are ${names.join(", ")}`);
  return { kernels, args, ...(doc.constants === undefined ? {} : { constants: readConstants(doc.constants, names) }) };
}

/** Flags of ptxas that change code, in one spelling each. */
export const ptxasFlag =
  /^(?:-O[0-3]|--maxrregcount=(?:1[6-9]|[2-9]\d|1\d\d|2[0-4]\d|25[0-5])|--fmad=(?:true|false)|--allow-expensive-optimizations=(?:true|false)|--register-usage-level=(?:\d|10)|--def-load-cache=(?:ca|cg|cv|cs)|--def-store-cache=(?:wb|cg|cs|wt)|--disable-optimizer-constants|--dont-merge-basicblocks|--optimize-float-atomics|-lineinfo)$/;
export const ptxasFlagWords =
  "-O0..-O3 --maxrregcount=16..255 --fmad=true|false --allow-expensive-optimizations=true|false --register-usage-level=0..10 " +
  "--def-load-cache=ca|cg|cv|cs --def-store-cache=wb|cg|cs|wt --disable-optimizer-constants --dont-merge-basicblocks " +
  "--optimize-float-atomics -lineinfo";

export function readFlags(json: Json, isAllowed: (flag: string) => boolean, words: string): string[] {
  const flags = readList(json, "flags", readString, 16);
  flags.forEach((flag, i) => {
    if (!isAllowed(flag)) fail(`flags[${i}]`, `${show(flag)}; allowed are ${words}`);
  });
  return flags;
}
