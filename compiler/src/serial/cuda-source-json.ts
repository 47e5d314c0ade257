/**
 * A program that brings its own CUDA text. It is compiled by the builder as it is, so what surrounds the text is narrow: plain
 * file names, defines that are identifiers or numbers, compiler flags from a list. Launch shapes are numbers; the client
 * evaluates expressions.
 */
import {
  type BufferRole,
  backendOf,
  backends,
  type DType,
  dtypes,
  type Fill,
  fillFault,
  type Json,
  type ScalarType,
  type StatedTolerance,
  scalarTypes,
  textBackends,
} from "@warpfarm/common";
import { fail, readFields, readInt, readList, readName, readObject, readOneOf, readString, show } from "../json/read-json.ts";
import { readFill, readShape, readTolerance } from "./graph-json.ts";

export interface CudaSourceKernel {
  readonly entry: string;
  readonly grid: readonly [number, number, number];
  readonly block: readonly [number, number, number];
  /** Dynamic shared memory. */
  readonly shared_bytes: number;
  readonly cluster: readonly [number, number, number];
  /** In the order of its parameters; absent: all of the program's, in order. Version 3. */
  readonly args?: readonly KernelArg[];
}

/** A tensor of the program by its name, or a value of so many bits. */
export type KernelArg = string | { readonly scalar: ScalarType; readonly value: string };

export interface CudaSourceArg {
  readonly name: string;
  readonly dtype: DType;
  readonly shape: readonly number[];
  readonly role: BufferRole;
  /** `random`: Philox values; `zeros`; else as it says, which needs version 2. */
  readonly fill: "random" | "zeros" | Fill;
  /** Of an output, version 2: how far it may be from the reference. */
  readonly tolerance?: StatedTolerance;
}

/** The lowest that can say it. */
export function sourceVersion({ args, kernels }: Pick<CudaSourceProgram, "args" | "kernels">): 1 | 2 | 3 {
  if (kernels.some(({ args }) => args !== undefined)) return 3;
  return args.some(({ fill, tolerance }) => typeof fill === "object" || tolerance !== undefined) ? 2 : 1;
}

export interface CudaSourceProgram {
  readonly version: 1 | 2 | 3;
  readonly kind: "cuda_source";
  readonly target: string;
  /** File name to text. Exactly one .cu is compiled; the others are headers it may include. */
  readonly files: { readonly [name: string]: string };
  /** Launched in order. */
  readonly kernels: readonly CudaSourceKernel[];
  readonly defines: { readonly [name: string]: string };
  readonly flags: readonly string[];
  readonly args: readonly CudaSourceArg[];
}

const FILE = /^[A-Za-z_]\w{0,63}\.(?:cu|cuh|h|hpp)$/;
const DEFINE = /^[\w.+-]{0,128}$/;
const FLAG =
  /^(?:-use_fast_math|--fmad=(?:true|false)|-O[0-3]|--maxrregcount=(?:1[6-9]|[2-9]\d|1\d\d|2[0-4]\d|25[0-5])|-lineinfo|--extra-device-vectorization)$/;

type Triple = readonly [number, number, number];

function readTriple(value: Json, path: string, most: Triple): Triple {
  const [x, y, z, ...rest] = readList(value, path, (item) => item, 3);
  if (rest.length > 0 || z === undefined) fail(path, "takes three numbers: x, y, z");
  return [readInt(x, `${path}[0]`, 1, most[0]), readInt(y, `${path}[1]`, 1, most[1]), readInt(z, `${path}[2]`, 1, most[2])];
}

/** Bounds of the CUDA programming model, all capabilities; the device's own are checked with its facts. */
function readKernel(json: Json, path: string): CudaSourceKernel {
  const k = readFields(json, path, ["entry", "grid", "block", "shared_bytes", "cluster"], ["args"]);
  return {
    ...(k.args === undefined ? {} : { args: readList(k.args, `${path}.args`, readKernelArg, 256) }),
    entry: readName(k.entry, `${path}.entry`),
    grid: readTriple(k.grid, `${path}.grid`, [2 ** 31 - 1, 65535, 65535]),
    block: readTriple(k.block, `${path}.block`, [1024, 1024, 64]),
    shared_bytes: readInt(k.shared_bytes, `${path}.shared_bytes`, 0, 2 ** 20),
    cluster: readTriple(k.cluster, `${path}.cluster`, [16, 16, 16]),
  };
}

function readKernelArg(json: Json, path: string): KernelArg {
  if (typeof json === "string") return readName(json, path);
  const { scalar, value } = readFields(json, path, ["scalar", "value"]);
  const type = readOneOf(scalar, `${path}.scalar`, scalarTypes);
  const text = readString(value, `${path}.value`);
  const fault = fillFault(type, [1], { kind: "constant", value: text });
  if (fault !== undefined) fail(`${path}.value`, fault);
  return { scalar: type, value: text };
}

function readArg(json: Json, path: string): CudaSourceArg {
  const a = readFields(json, path, ["name", "dtype", "shape", "role", "fill"], ["tolerance"]);
  const dtype = readOneOf(a.dtype, `${path}.dtype`, dtypes);
  const shape = readShape(a.shape, `${path}.shape`);
  const role = readOneOf(a.role, `${path}.role`, ["in", "out", "inout", "workspace"]);
  const fill =
    typeof a.fill === "object" ? readFill(a.fill, `${path}.fill`) : readOneOf(a.fill, `${path}.fill`, ["random", "zeros"]);
  const unfit = typeof fill === "object" ? fillFault(dtype, shape, fill) : undefined;
  if (unfit !== undefined) fail(`${path}.fill`, unfit);
  if (a.tolerance !== undefined && role !== "out" && role !== "inout")
    fail(`${path}.tolerance`, `its role is "${role}"; a tolerance is of an output`);
  const tolerance = a.tolerance === undefined ? {} : { tolerance: readTolerance(a.tolerance, `${path}.tolerance`, dtype) };
  return { name: readName(a.name, `${path}.name`), dtype, shape, role, fill, ...tolerance };
}

function readTexts(json: Json, path: string, name: RegExp, what: string): { readonly [name: string]: string } {
  return Object.fromEntries(
    Object.entries(readObject(json, path)).map(([key, text]) => {
      if (!name.test(key)) fail(path, `${show(key)} is not ${what}`);
      return [key, readString(text, `${path}.${key}`)];
    }),
  );
}

const FIELDS = ["version", "kind", "target", "files", "kernels", "defines", "flags", "args"] as const;

export function decodeCudaSource(json: Json, target: string): CudaSourceProgram {
  const doc = readFields(json, "program", FIELDS);
  if (!backends.of(backendOf(target)).takesText)
    fail("target", `${show(target)}; CUDA source is accepted for ${textBackends().join(" and ")} targets only`);
  const files = readTexts(doc.files, "files", FILE, "a file name: a name with .cu, .cuh, .h or .hpp, no folders");
  const units = Object.keys(files).filter((name) => name.endsWith(".cu"));
  if (units.length !== 1) fail("files", `holds ${units.length} .cu files; exactly one is compiled`);
  const defines = readTexts(doc.defines, "defines", /^[A-Za-z_]\w{0,63}$/, "a name");
  for (const [name, value] of Object.entries(defines))
    if (!DEFINE.test(value)) fail(`defines.${name}`, `${show(value)}; at most 128 letters, digits, _ . + -`);
  const flags = readList(doc.flags, "flags", readString, 16);
  flags.forEach((flag, i) => {
    if (!FLAG.test(flag))
      fail(
        `flags[${i}]`,
        `${show(flag)}; allowed are -use_fast_math --fmad=true|false -O0..-O3 --maxrregcount=16..255 -lineinfo --extra-device-vectorization`,
      );
  });
  const kernels = readList(doc.kernels, "kernels", readKernel, 64);
  if (kernels.length === 0) fail("kernels", "is empty; at least one is launched");
  const args = readList(doc.args, "args", readArg, 256);
  const names = args.map((a) => a.name);
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined) fail("args", `two are named "${twice}"`);
  for (const [k, kernel] of kernels.entries())
    for (const [i, arg] of (kernel.args ?? []).entries())
      if (typeof arg === "string" && !names.includes(arg))
        fail(`kernels[${k}].args[${i}]`, `${show(arg)} is no argument of the program; they are ${names.join(", ")}`);
  return { version: sourceVersion({ args, kernels }), kind: "cuda_source", target, files, kernels, defines, flags, args };
}
