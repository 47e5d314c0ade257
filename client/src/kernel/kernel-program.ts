/** From a kernel spec and a config to a program: launch shapes, arguments and macros are evaluated here. */
import {
  type Bundle,
  defined,
  dtypes,
  err,
  type Fill,
  intRanges,
  invariant,
  type Json,
  ok,
  own,
  type ProgramBytes,
  type Result,
} from "@warpfarm/common";
import {
  type CodeProgram,
  type CudaCompiler,
  type CudaSourceArg,
  type CudaSourceKernel,
  type CudaSourceProgram,
  cudaCompilers,
  decodeProgram,
  encodeDocument,
  type KernelArg,
  ProgramError,
  type Varied,
} from "@warpfarm/compiler/language";
import { type Environment, numberOf, textWith, wholeOrNumberOf } from "./evaluate.ts";
import { isTensor, type KernelSpec, type SpecFill, type SpecScalar, type SpecStruct, type SpecTensor } from "./spec.ts";
import { specScalars, structScalars } from "./spec-scalars.ts";
import { misfit } from "./tensor-file.ts";
import type { ValuesByName } from "./tensor-values.ts";

export interface KernelCode {
  readonly kind: CodeProgram["kind"];
  readonly spec: KernelSpec;
  /** Texts by name: exactly one .cu with the headers that it includes, or one .ptx, or one .cubin in base64. */
  readonly files: Readonly<Record<string, string>>;
  readonly bundles?: readonly Bundle[];
  readonly values?: ValuesByName;
}

/** The code of a config's program, or the spec's fault there. */
export function programOf(code: KernelCode, target: string, at: Environment): Result<ProgramBytes, string> {
  const made = documentOf(code, target, at);
  return made.ok ? encoded(made.value) : made;
}

/**
 * That of the default config. It also says what other values of each tunable change, because a builder looks whether they change
 * the text. `others`: by tunable.
 */
export function defaultProgramOf(
  code: KernelCode,
  target: string,
  at: Environment,
  others: ReadonlyMap<string, readonly Json[]>,
): Result<ProgramBytes, string> {
  const made = documentOf(code, target, at);
  if (!made.ok) return made;
  const standard = made.value;
  if (standard.kind !== "cuda_source") return encoded(standard);
  const tunables: Record<string, Varied> = {};
  for (const [name, values] of others) {
    const changed = values.map((value) => documentOf(code, target, { ...at, [name]: value }));
    // An impossible program elsewhere is a difference too.
    const programs = changed.flatMap((one) => (one.ok && one.value.kind === "cuda_source" ? [one.value] : []));
    const launch = programs.length < changed.length || programs.some((one) => besideMacros(one) !== besideMacros(standard));
    const defines = programs.map((one) =>
      Object.fromEntries(Object.entries(one.defines).filter(([macro, text]) => standard.defines[macro] !== text)),
    );
    tunables[name] = { launch, defines: defines.filter((one) => Object.keys(one).length > 0) };
  }
  return encoded(Object.keys(tunables).length === 0 ? standard : { ...standard, tunables });
}

const besideMacros = ({ defines: _, ...program }: CudaSourceProgram): string => JSON.stringify(program);

function documentOf(
  { kind, spec, files, bundles = [], values }: KernelCode,
  target: string,
  at: Environment,
): Result<CodeProgram, string> {
  const args = tensorsOf(spec, at, values);
  if (!args.ok) return args;
  const kernels = kernelsOf(spec, at);
  if (!kernels.ok) return kernels;
  const flags: string[] = [];
  for (const [i, flag] of spec.flags.entries()) {
    const text = textWith(flag, at);
    if (!text.ok) return err(`flags[${i}]: ${text.error}`);
    flags.push(spelled(text.value));
  }
  const defines = definesOf(spec, at);
  if (!defines.ok) return defines;
  const { constants } = spec;
  const launched = { target, kernels: kernels.value, args: args.value, ...defined({ constants }) };
  const [code = ""] = Object.values(files);
  switch (kind) {
    case "ptx":
      return ok({ version: 1, kind, text: code, flags, ...launched });
    case "cubin":
      return ok({ version: 1, kind, code, ...launched });
    default: {
      const compiler = compilerOf(spec, at);
      if (!compiler.ok) return compiler;
      const text = { files: unrolled(files, defines.value), defines: defines.value, flags };
      const included = bundles.length === 0 ? {} : { bundles: bundles.map(({ digest }) => digest) };
      return ok({ version: 1, kind, ...text, ...included, ...defined({ compiler: compiler.value }), ...launched });
    }
  }
}

/** nvcc takes some flags in several spellings, programs have one. */
const spelled = (flag: string): string =>
  flag
    .trim()
    .replace(/^-(?=(?:std|maxrregcount|fmad|ftz|prec-div|prec-sqrt|restrict|extra-device-vectorization)\b)/, "--")
    .replace(/^--(?=(?:use_fast_math)$)/, "-")
    .replace(/^--generate-line-info$/, "-lineinfo")
    .replace(/^-Xptxas[= ]\s*/, "--ptxas-options=");

/** The document, if a farm reads it: what it would refuse is a fault of the spec, such as a flag that builders do not accept. */
function encoded(program: CodeProgram): Result<ProgramBytes, string> {
  try {
    const made = encodeDocument(program);
    const read = decodeProgram(made.bytes);
    return read.ok ? ok(made) : err(read.error.message);
  } catch (error) {
    if (error instanceof ProgramError) return err(error.message);
    throw error;
  }
}

/**
 * `#pragma unroll NAME` with the macro's value, because compilers do not expand macros there. 0 leaves the choice to the
 * compiler, as in Kernel Tuner.
 */
function unrolled(files: KernelCode["files"], defines: Readonly<Record<string, string>>): Record<string, string> {
  const pragma = /^([ \t]*#[ \t]*pragma[ \t]+unroll[ \t]+)([A-Za-z_]\w*)(?=[ \t]*(?:\/[/*].*)?\r?$)/gm;
  const mended = (text: string): string =>
    text.replace(pragma, (line, head: string, name: string) => {
      const value = own(defines, name);
      if (value === undefined || !/^\d+$/.test(value)) return line;
      return value === "0" ? "" : head + value;
    });
  return Object.fromEntries(Object.entries(files).map(([name, text]) => [name, mended(text)]));
}

function compilerOf({ compiler }: KernelSpec, at: Environment): Result<CudaCompiler | undefined, string> {
  if (compiler === undefined) return ok(undefined);
  const text = textWith(compiler, at);
  if (!text.ok) return err(`compiler: ${text.error}`);
  const found = cudaCompilers.find((name) => name === text.value);
  return found === undefined
    ? err(`compiler: ${JSON.stringify(text.value)}; there are ${cudaCompilers.join(" and ")}`)
    : ok(found);
}

/**
 * The spec's own macros, and one for each tunable that is not a template argument of an entry (which often has that name too).
 */
function definesOf(spec: KernelSpec, at: Environment): Result<Record<string, string>, string> {
  const defines: Record<string, string> = {};
  for (const [name, value] of Object.entries(spec.defines)) {
    const text = textWith(String(value), at);
    if (!text.ok) return err(`defines.${name}: ${text.error}`);
    defines[name] = text.value;
  }
  for (const name of macrosOf(spec)) defines[name] = macroText(own(at, name));
  return ok(defines);
}

export function macrosOf({ kernels, tunables }: KernelSpec): readonly string[] {
  const templates = kernels.flatMap(({ entry }) =>
    [...entry.matchAll(/\{([^{}]*)\}/g)].flatMap(([, inner]) => inner?.match(/\w+/g)),
  );
  return Object.keys(tunables).filter((name) => !templates.includes(name));
}

export function kernelsOf(spec: KernelSpec, at: Environment): Result<readonly CudaSourceKernel[], string> {
  const whole = spec.args.every(isTensor) ? undefined : spec.args;
  const kernels: CudaSourceKernel[] = [];
  for (const [i, kernel] of spec.kernels.entries()) {
    const made = kernelOf(kernel, whole, at);
    if (!made.ok) return err(`kernels[${i}].${made.error}`);
    kernels.push(made.value);
  }
  return ok(kernels);
}

const macroText = (value: Environment[string] | undefined): string =>
  typeof value === "boolean" ? String(Number(value)) : String(value);

function kernelOf(
  kernel: KernelSpec["kernels"][number],
  whole: KernelSpec["args"] | undefined,
  at: Environment,
): Result<CudaSourceKernel, string> {
  const triple = (name: "grid" | "block" | "cluster"): Result<readonly [number, number, number], string> => {
    const values: number[] = [];
    for (const [i, axis] of kernel[name].entries()) {
      const value = numberOf(axis, at);
      if (!value.ok) return err(`${name}[${i}]: ${value.error}`);
      if (!Number.isInteger(value.value) || value.value < 1)
        return err(`${name}[${i}]: ${axis} is ${value.value}; a whole number from 1 on`);
      values.push(value.value);
    }
    const [x = 1, y = 1, z = 1] = values;
    return ok([x, y, z]);
  };
  const [grid, block, cluster] = [triple("grid"), triple("block"), triple("cluster")];
  if (!grid.ok) return grid;
  if (!block.ok) return block;
  if (!cluster.ok) return cluster;
  const entry = textWith(kernel.entry, at);
  if (!entry.ok) return err(`entry: ${entry.error}`);
  const shared = numberOf(kernel.shared_bytes, at);
  if (!shared.ok) return err(`shared_bytes: ${shared.error}`);
  const listed = kernel.args ?? whole?.map((arg) => (isTensor(arg) ? arg.name : arg));
  const args: KernelArg[] = [];
  for (const [i, arg] of (listed ?? []).entries()) {
    const made = typeof arg === "string" ? ok(arg) : "struct" in arg ? structOf(arg, at) : scalarOf(arg, at);
    if (!made.ok) return err(`args[${i}]: ${made.error}`);
    args.push(made.value);
  }
  return ok({
    entry: entry.value,
    grid: grid.value,
    block: block.value,
    cluster: cluster.value,
    shared_bytes: shared.value,
    ...(kernel.cooperative ? { cooperative: true as const } : {}),
    ...(listed === undefined ? {} : { args }),
  });
}

function scalarOf({ scalar, value }: SpecScalar, at: Environment): Result<KernelArg, string> {
  const type = typeIn(scalar, specScalars, at);
  if (!type.ok) return type;
  const found = wholeOrNumberOf(value, at);
  if (!found.ok) return found;
  const range = scalarRanges[type.value];
  const [number, text] = [Number(found.value), String(found.value)];
  if (range !== undefined && !(typeof found.value === "bigint" && found.value >= range[0] && found.value <= range[1]))
    return err(`${value} is ${text}; ${type.value} holds whole numbers from ${range[0]} to ${range[1]}`);
  if (type.value === "uint32") return ok({ scalar: "int32", value: String(number | 0) });
  return ok({ scalar: type.value === "bool" ? "uint8" : type.value, value: String(number) });
}

const scalarRanges: Readonly<Partial<Record<(typeof specScalars)[number], readonly [number, number]>>> = {
  ...intRanges,
  uint32: [0, 2 ** 32 - 1],
  bool: [0, 1],
};

type Writer = readonly [bytes: number, write: (view: DataView, at: number, value: number | bigint) => void];
const writers: Readonly<Record<(typeof structScalars)[number], Writer>> = {
  bool: [1, (view, at, value) => view.setUint8(at, Number(value))],
  int8: [1, (view, at, value) => view.setInt8(at, Number(value))],
  uint8: [1, (view, at, value) => view.setUint8(at, Number(value))],
  int32: [4, (view, at, value) => view.setInt32(at, Number(value), true)],
  uint32: [4, (view, at, value) => view.setUint32(at, Number(value), true)],
  int64: [8, (view, at, value) => view.setBigInt64(at, BigInt(value), true)],
  uint64: [8, (view, at, value) => view.setBigUint64(at, BigInt(value), true)],
  float32: [4, (view, at, value) => view.setFloat32(at, Number(value), true)],
  float64: [8, (view, at, value) => view.setFloat64(at, Number(value), true)],
};
const mostStructBytes = 4096;

/** Lays it out as C does: each field at a multiple of its size, the whole a multiple of the largest. */
function structOf({ struct }: SpecStruct, at: Environment): Result<KernelArg, string> {
  const view = new DataView(new ArrayBuffer(mostStructBytes));
  let [end, align] = [0, 1];
  for (const [name, { scalar, value }] of Object.entries(struct)) {
    const type = typeIn(scalar, structScalars, at);
    if (!type.ok) return err(`struct.${name}: ${type.error}`);
    const [size, write] = writers[type.value];
    align = Math.max(align, size);
    end = Math.ceil(end / size) * size;
    for (const one of Array.isArray(value) ? value : [value]) {
      const found = wholeOrNumberOf(one, at);
      if (!found.ok) return err(`struct.${name}: ${found.error}`);
      const range = structRanges[type.value];
      if (range && !(typeof found.value === "bigint" && found.value >= range[0] && found.value <= range[1]))
        return err(`struct.${name}: ${one} is ${found.value}; ${type.value} holds whole numbers from ${range[0]} to ${range[1]}`);
      if (end + size > mostStructBytes) return err(`struct.${name}: the structure has over ${mostStructBytes} bytes`);
      write(view, end, found.value);
      end += size;
    }
  }
  const bytes = new Uint8Array(view.buffer, 0, Math.ceil(end / align) * align);
  return ok({ bytes: Buffer.from(bytes).toString("hex") });
}

const structRanges: Readonly<Partial<Record<(typeof structScalars)[number], readonly [number | bigint, number | bigint]>>> = {
  ...scalarRanges,
  int64: [-(2n ** 63n), 2n ** 63n - 1n],
  uint64: [0, 2n ** 64n - 1n],
};

function typeIn<T extends string>(text: string, types: readonly T[], at: Environment): Result<T, string> {
  const name = textWith(text, at);
  if (!name.ok) return name;
  const found = types.find((type) => type === name.value);
  return found === undefined ? err(`${JSON.stringify(name.value)} is no type here; there are ${types.join(", ")}`) : ok(found);
}

export function tensorsOf({ args }: KernelSpec, at: Environment, values: ValuesByName = {}): Result<CudaSourceArg[], string> {
  const made: CudaSourceArg[] = [];
  for (const arg of args) {
    if (!isTensor(arg)) continue;
    const shape: number[] = [];
    for (const [d, extent] of arg.shape.entries()) {
      const value = numberOf(extent, at);
      if (!value.ok) return err(`args.${arg.name}.shape[${d}]: ${value.error}`);
      shape.push(value.value);
    }
    const dtype = typeIn(arg.dtype, dtypes, at);
    if (!dtype.ok) return err(`args.${arg.name}.dtype: ${dtype.error}`);
    const given = own(values, arg.name);
    const why = given && misfit(given, { name: arg.name, dtype: dtype.value, shape });
    if (given && why !== undefined) return err(`args.${arg.name}.fill: ${given.word} ${why}`);
    const fill = given ? ({ kind: "blob", digest: given.digest } as const) : fillOf(arg);
    made.push({
      name: arg.name,
      dtype: dtype.value,
      shape,
      role: arg.role,
      fill,
      ...toleranceOf(arg),
      ...defined({ sum_over: arg.sum_over, deterministic: arg.deterministic }),
    });
  }
  return ok(made);
}

const toleranceOf = ({ tolerance }: SpecTensor): Pick<CudaSourceArg, "tolerance"> =>
  tolerance === undefined ? {} : { tolerance: { atol: String(tolerance.atol), rtol: String(tolerance.rtol) } };

function fillOf({ fill, role }: SpecTensor): CudaSourceArg["fill"] {
  if (fill === undefined) return role === "in" || role === "inout" ? "random" : "zeros";
  return typeof fill === "string" ? fill : statedFill(fill);
}

function statedFill(fill: Exclude<SpecFill, string>): Fill {
  invariant(!("file" in fill), "a tensor that a file fills has values");
  if ("range" in fill) return { kind: "range", from: String(fill.range[0]), to: String(fill.range[1]) };
  if ("normal" in fill) return { kind: "normal", mean: String(fill.normal[0]), deviation: String(fill.normal[1]) };
  return "constant" in fill ? { kind: "constant", value: String(fill.constant) } : { kind: "permutation" };
}
