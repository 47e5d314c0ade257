/**
 * A kernel spec as a task: its tunables are the space, a config is a program of kind cuda_source, the default config's outputs
 * are the reference.
 */
import {
  backendOf,
  canonicalJson,
  digestOf,
  dtypeBytes,
  err,
  FarmError,
  type Fill,
  intRanges,
  isTarget,
  type Json,
  ok,
  type ProgramBytes,
  type Result,
  type ScalarType,
  type TargetNeed,
  targetWords,
  textBackends,
} from "@warpfarm/common";
import {
  type ConfigIndex,
  type ConfigSpace,
  type CudaSourceArg,
  type CudaSourceKernel,
  encodeDocument,
  type KernelArg,
  ProgramError,
  problemSpace,
  verifyLimits,
} from "@warpfarm/compiler/language";
import type { Task } from "../task/task.ts";
import { type Environment, isScalar, numberOf, textWith } from "./evaluate.ts";
import type { KernelSpec, SpecFill, SpecScalar, SpecTensor } from "./spec.ts";

/** Does this word on the command line name a kernel's text? */
export const isKernelFile = (word: string): boolean => word.endsWith(".cu");

export interface KernelSource {
  readonly name: string;
  readonly targets: readonly TargetNeed[];
  /** What a command line calls it. */
  readonly word: string;
  readonly spec: KernelSpec;
  /** Names to texts: exactly one .cu, and the headers it includes. */
  readonly files: Readonly<Record<string, string>>;
}

/**
 * `args`: sizes that replace the problem's, or the list that a log's lines have. The task's reference is the default config's
 * program. Throws FarmError INVALID_ARGUMENT in one sentence.
 */
export function createKernelTask(source: KernelSource, args: Json | undefined, target: string): Task {
  const { name, word, spec } = source;
  const refuse = (why: string): never => {
    throw new FarmError("INVALID_ARGUMENT", `${word}: ${why}`);
  };
  if (!isTarget(target)) refuse(`${JSON.stringify(target)} is not a target; known are ${targetWords()}`);
  if (!textBackends().includes(backendOf(target)))
    refuse(`its text is CUDA, and ${target} is not; give a target of ${textBackends().join(" or ")}`);
  const digest = digestOf(canonicalJson({ files: source.files, spec }));
  const problem = { ...spec.problem, ...sizesOf(spec, digest, args, refuse) };
  const space = unwrap(spaceOf(spec, problem), refuse);
  const environmentOf = (index: ConfigIndex): Environment => ({
    ...problem,
    ...(Object.fromEntries(space.get(index).values) as Environment), // choices are numbers, words and truth values
  });
  if (space.valid.count === 0) refuse("constraints: they allow no config");
  const standard = unwrap(defaultOf(spec, space, problem), refuse);
  const programAt = (index: ConfigIndex) => programOf(source, target, environmentOf(index));
  const reference = programAt(standard);
  if (!reference.ok) return refuse(`the default config: ${reference.error}`);
  const tensors = unwrap(tensorsOf(spec, environmentOf(standard)), refuse);
  const bytes = tensors.map(({ dtype, shape, role }) => {
    const size = dtypeBytes(
      dtype,
      shape.reduce((n, extent) => n * extent, 1),
    );
    return role === "out" || role === "inout" ? 2 * size : size;
  });
  const flops = spec.flops === undefined ? ok(0) : numberOf(spec.flops, environmentOf(standard));
  return {
    name,
    word,
    args: [{ ...problem }, digest],
    target,
    space,
    flops: unwrap(flops, (why) => refuse(`flops: ${why}`)),
    tensorBytes: bytes.reduce((sum, size) => sum + size, 0),
    reference: reference.value,
    published: undefined,
    instantiate(index) {
      const program = programAt(index);
      return program.ok ? ok({ program: program.value }) : err({ rule: "kernel.spec", message: program.error });
    },
    validate(index, limits) {
      const kernels = kernelsOf(spec, environmentOf(index));
      if (!kernels.ok) return [{ rule: "kernel.spec", message: kernels.error }];
      const launches = kernels.value.map(({ entry, grid, block }) => ({ name: entry, grid, block }));
      const allocations = kernels.value.map(
        ({ shared_bytes: bytes }, launch) => ({ bytes, scope: "shared", inTiles: false, launch }) as const,
      );
      return verifyLimits({ launches, allocations, vectors: [] }, limits);
    },
  };
}

function sizesOf(
  { problem }: KernelSpec,
  digest: string,
  args: Json | undefined,
  refuse: (why: string) => never,
): Readonly<Record<string, number>> {
  const [sizes = {}, of = digest] = Array.isArray(args) ? (args as readonly Json[]) : [args];
  if (of !== digest) refuse(`the log is of another text or spec of this kernel (${String(of)}; these are ${digest})`);
  if (typeof sizes !== "object" || sizes === null || Array.isArray(sizes))
    return refuse("--args takes an object of sizes by name");
  const entries = Object.entries(sizes);
  for (const [size, value] of entries) {
    if (!Object.hasOwn(problem, size)) refuse(`problem has no size ${size}; it has ${Object.keys(problem).join(", ") || "none"}`);
    if (typeof value !== "number") refuse(`--args: ${size} is ${JSON.stringify(value)}; sizes are numbers`);
  }
  return Object.fromEntries(entries) as Record<string, number>;
}

function unwrap<T>(result: Result<T, string>, refuse: (why: string) => never): T {
  return result.ok ? result.value : refuse(result.error);
}

/** The spec's own words are those of T1's section. Sizes of the problem are constants in constraints. */
function spaceOf({ tunables, constraints }: KernelSpec, problem: Environment): Result<ConfigSpace, string> {
  return problemSpace(
    {
      ConfigurationSpace: {
        TuningParameters: Object.entries(tunables).map(([Name, Values]) => ({ Name, Values })),
        Conditions: constraints.map((Expression) => ({ Expression })),
      },
    },
    problem,
  );
}

/** The first config with the default's values. */
function defaultOf(spec: KernelSpec, space: ConfigSpace, problem: Environment): Result<ConfigIndex, string> {
  for (const [name, value] of Object.entries(spec.default)) {
    const knob = space.knobs.find((one) => one.name === name);
    if (knob === undefined) return err(`default.${name}: there is no tunable ${name}`);
    if (knob.find(value) === undefined) return err(`default.${name}: ${JSON.stringify(value)} is none of the tunable's values`);
  }
  const given = Object.entries(spec.default).map(([name, value]) => `${name} == ${JSON.stringify(value)}`);
  const left = spaceOf({ ...spec, constraints: [...spec.constraints, ...given] }, problem);
  if (!left.ok) return left;
  if (left.value.valid.count === 0) return err("default: the constraints allow no config with these values");
  return ok(space.toIndex(left.value.valid.nth(0)));
}

function programOf({ spec, files }: KernelSource, target: string, at: Environment): Result<ProgramBytes, string> {
  const args = tensorsOf(spec, at);
  if (!args.ok) return args;
  const kernels = kernelsOf(spec, at);
  if (!kernels.ok) return kernels;
  const defines: Record<string, string> = {};
  for (const [name, value] of Object.entries(spec.defines)) {
    const text = textWith(String(value), at);
    if (!text.ok) return err(`defines.${name}: ${text.error}`);
    defines[name] = text.value;
  }
  for (const name of Object.keys(spec.tunables)) defines[name] = macroText(at[name]);
  const flags: string[] = [];
  for (const [i, flag] of spec.flags.entries()) {
    const text = textWith(flag, at);
    if (!text.ok) return err(`flags[${i}]: ${text.error}`);
    flags.push(text.value);
  }
  try {
    // The version is the lowest that can say it: encoding finds it.
    return ok(
      encodeDocument({
        version: 1,
        kind: "cuda_source",
        target,
        files,
        kernels: kernels.value,
        defines,
        flags,
        args: args.value,
      }),
    );
  } catch (error) {
    if (error instanceof ProgramError) return err(error.message);
    throw error;
  }
}

function kernelsOf(spec: KernelSpec, at: Environment): Result<readonly CudaSourceKernel[], string> {
  const whole = spec.args.some(isScalar) ? spec.args : undefined;
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
  const shared = numberOf(kernel.shared_bytes, at);
  if (!shared.ok) return err(`shared_bytes: ${shared.error}`);
  const listed = kernel.args ?? whole?.map((arg) => (isScalar(arg) ? arg : arg.name));
  const args: KernelArg[] = [];
  for (const [i, arg] of (listed ?? []).entries()) {
    const made = typeof arg === "string" ? ok(arg) : scalarOf(arg, at);
    if (!made.ok) return err(`args[${i}]: ${made.error}`);
    args.push(made.value);
  }
  return ok({
    entry: kernel.entry,
    grid: grid.value,
    block: block.value,
    cluster: cluster.value,
    shared_bytes: shared.value,
    ...(listed === undefined ? {} : { args }),
  });
}

function scalarOf({ scalar, value }: SpecScalar, at: Environment): Result<KernelArg, string> {
  const found = numberOf(value, at);
  if (!found.ok) return found;
  const range = intRanges[scalar as keyof typeof intRanges];
  if (range !== undefined && !(Number.isInteger(found.value) && found.value >= range[0] && found.value <= range[1]))
    return err(`${value} is ${found.value}; ${scalar} holds whole numbers from ${range[0]} to ${range[1]}`);
  return ok({ scalar: scalar as ScalarType, value: String(found.value) });
}

function tensorsOf({ args }: KernelSpec, at: Environment): Result<CudaSourceArg[], string> {
  const made: CudaSourceArg[] = [];
  for (const arg of args) {
    if (isScalar(arg)) continue;
    const shape: number[] = [];
    for (const [d, extent] of arg.shape.entries()) {
      const value = numberOf(extent, at);
      if (!value.ok) return err(`args.${arg.name}.shape[${d}]: ${value.error}`);
      shape.push(value.value);
    }
    made.push({ name: arg.name, dtype: arg.dtype, shape, role: arg.role, fill: fillOf(arg), ...toleranceOf(arg) });
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
  if ("range" in fill) return { kind: "range", from: String(fill.range[0]), to: String(fill.range[1]) };
  return "constant" in fill ? { kind: "constant", value: String(fill.constant) } : { kind: "permutation" };
}
