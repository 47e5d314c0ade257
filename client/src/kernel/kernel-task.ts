/**
 * A kernel spec as a task: its tunables are the space, a config is a program of kind cuda_source, and the default config's
 * outputs are the reference.
 */
import {
  type Bundle,
  backendOf,
  badInput,
  canonicalJson,
  comparedShape,
  defined,
  digestOf,
  dtypeBytes,
  err,
  FarmError,
  isTarget,
  type Json,
  ok,
  type ProgramBytes,
  parseTarget,
  type Refusal,
  type Result,
  type TargetNeed,
  targetWords,
  textBackends,
} from "@warpfarm/common";
import {
  type ConfigIndex,
  ConfigSpace,
  type CudaSourceArg,
  type CudaSourceKernel,
  problemSpace,
  verifyLimits,
} from "@warpfarm/compiler/language";
import type { Task, Template } from "@warpfarm/templates";
import { type Environment, numberOf } from "./evaluate.ts";
import { identifierFault } from "./identifiers.ts";
import { defaultProgramOf, type KernelCode, kernelsOf, macrosOf, programOf, tensorsOf } from "./kernel-program.ts";
import { recordedOutputs } from "./recorded-outputs.ts";
import type { KernelSpec } from "./spec.ts";
import type { PlaceOf } from "./spec-lines.ts";
import type { ValuesByName } from "./tensor-values.ts";

/**
 * The reference, read: another kernel, a template with its arguments, a program, recorded outputs, or a config of this kernel.
 */
export type ReferenceSource =
  | { readonly kernel: KernelSource }
  | { readonly template: string | Template; readonly args?: Json | undefined }
  | { readonly program: ProgramBytes }
  | OwnReference;

/** References that only the kernel's own task can make. */
type OwnReference =
  | { readonly outputs: ValuesByName }
  | { readonly config: number | Readonly<Record<string, number | string | boolean>> };

export type ReferenceOf = (target: string, problem: Environment) => ProgramBytes;

export interface KernelSource extends KernelCode {
  readonly name: string;
  readonly targets: readonly TargetNeed[];
  readonly word: string;
  /** Absent: the default config, or what `referenceSource` says about this kernel itself. */
  readonly reference?: ReferenceOf;
  readonly referenceSource?: ReferenceSource;
  readonly uploadsOfReference?: readonly Bundle[];
  /** The default is another author's and need not be in the space. The first config is taken then. */
  readonly lenientDefault?: true;
  readonly notes?: readonly string[];
  /** The user's files that a farm gets. Absent: the kernel came in a document. */
  readonly sent?: readonly string[];
  /** Where a message's field is in the spec's file. Absent: the spec came in a document. */
  readonly placeOf?: PlaceOf;
}

export const isOwn = (source: ReferenceSource): source is OwnReference => "outputs" in source || "config" in source;

/** Folders of headers, inputs and recorded outputs: blobs that a farm needs before it builds or runs the programs. */
export function uploadsOf({
  bundles = [],
  values = {},
  referenceSource,
  uploadsOfReference = [],
}: KernelSource): readonly Bundle[] {
  const recorded = referenceSource && "outputs" in referenceSource ? referenceSource.outputs : {};
  const tensors = [...Object.values(values), ...Object.values(recorded)].map(({ digest, bytes }) => ({ digest, bytes }));
  return [...bundles, ...tensors, ...uploadsOfReference];
}

const digestsOf = (values: ValuesByName): Json =>
  Object.fromEntries(Object.entries(values).map(([name, { digest }]) => [name, digest]));

/** The identity of the kernel in a log: another digest is another kernel. */
function identityOf(source: KernelSource, target: string): Json {
  const { files, spec, bundles = [], values, referenceSource, reference } = source;
  const own = referenceSource && isOwn(referenceSource) ? referenceSource : undefined;
  const compared = own
    ? { reference: "outputs" in own ? digestsOf(own.outputs) : { config: own.config } }
    : defined({ reference: reference?.(target, spec.problem).digest });
  return {
    files: { ...files },
    spec: JSON.parse(JSON.stringify(spec)) as Json,
    ...compared,
    ...(bundles.length > 0 ? { bundles: bundles.map((bundle) => bundle.digest) } : {}),
    ...(values ? { values: digestsOf(values) } : {}),
  };
}

/**
 * `args`: sizes that replace the problem's, or the list in a log's lines. The task's reference is the default config's program.
 * Throws FarmError INVALID_ARGUMENT with one sentence.
 */
export function createKernelTask(source: KernelSource, args: Json | undefined, target: string): Task {
  const { name, word, spec } = source;
  const refuse = (why: string): never => {
    throw badInput(`${word}: ${why}`);
  };
  const placed = (why: string): string => {
    const place = source.placeOf?.(why);
    return place === undefined ? why : `${place}: ${why}`;
  };
  const refuseSpec = (why: string) => refuse(placed(why));
  if (!isTarget(target)) refuse(`${JSON.stringify(target)} is not a target; known are ${targetWords()}`);
  if (!textBackends().includes(backendOf(target)))
    refuse(`its text is CUDA, and ${target} is not; give a target of ${textBackends().join(" or ")}`);
  const sent = new Map(uploadsOf(source).map((blob) => [blob.digest, blob]));
  const digest = digestOf(canonicalJson(identityOf(source, target)));
  const problem = { ...spec.problem, ...sizesOf(spec, digest, args, refuse) };
  unwrap(macrosAreFree(source), refuseSpec);
  const space = unwrap(spaceOf(spec, problem), refuseSpec);
  const environmentOf = (index: ConfigIndex): Environment => ({
    ...problem,
    ...(Object.fromEntries(space.get(index).values) as Environment), // choices are numbers, words and truth values
  });
  if (unwrap(validCount(space), refuseSpec) === 0) refuseSpec("constraints: they allow no config");
  const asked = configOf(spec, space, problem, "default", spec.default);
  const standard = !asked.ok && source.lenientDefault ? space.toIndex(space.valid.nth(0)) : unwrap(asked, refuseSpec);
  const programAt = (index: ConfigIndex) =>
    index === standard
      ? defaultProgramOf(source, target, environmentOf(index), otherValues(space, index))
      : programOf(source, target, environmentOf(index));
  const own = programAt(standard);
  if (!own.ok) return refuseSpec(`the default config: ${own.error}`);
  const tensors = unwrap(tensorsOf(spec, environmentOf(standard), source.values), refuseSpec);
  unwrap(shapesAreOne(source, tensors, environmentOf(standard), otherValues(space, standard)), refuseSpec);
  const { referenceSource: compared } = source;
  const reference =
    compared && "outputs" in compared
      ? unwrap(recordedOutputs(target, tensors, compared.outputs), (why) => refuseSpec(`reference.file: ${why}`))
      : compared && "config" in compared
        ? unwrap(configProgram(spec, space, problem, compared.config, programAt), refuseSpec)
        : (source.reference?.(target, problem) ?? own.value);
  const bytes = tensors.map(({ dtype, shape, role }) => {
    const size = dtypeBytes(
      dtype,
      shape.reduce((n, extent) => n * extent, 1),
    );
    return role === "out" || role === "inout" ? 2 * size : size;
  });
  return {
    name,
    word,
    version: digest,
    args: [{ ...problem }, digest],
    target,
    space,
    flops: unwrap(numberOf(spec.flops ?? 0, environmentOf(standard)), (why) => refuseSpec(`flops: ${why}`)),
    tensorBytes: bytes.reduce((sum, size) => sum + size, 0),
    reference,
    standard,
    ...(compared && isOwn(compared) ? { base: own.value } : {}),
    ...(sent.size > 0 ? { uploads: [...sent.values()] } : {}),
    ...(space.size === 1 && reference.digest === own.value.digest ? { comparesWithItself: true } : {}),
    published: undefined,
    instantiate(index) {
      const program = programAt(index);
      return program.ok ? ok({ program: program.value }) : err({ rule: "kernel.spec", message: placed(program.error) });
    },
    validate(index, limits) {
      const kernels = kernelsOf(spec, environmentOf(index));
      if (!kernels.ok) return [{ rule: "kernel.spec", message: placed(kernels.error) }];
      const launches = kernels.value.map(({ entry, grid, block }) => ({ name: entry, grid, block }));
      const allocations = kernels.value.map(
        ({ shared_bytes: bytes }, launch) => ({ bytes, scope: "shared", inTiles: false, launch }) as const,
      );
      return [
        ...kernels.value.flatMap((kernel) => clusterFaults(kernel, target)),
        ...verifyLimits({ launches, allocations, vectors: [] }, limits),
      ];
    },
  };
}

function macrosAreFree({ kind, spec, files }: KernelSource): Result<void, string> {
  for (const name of kind === "cuda_source" ? macrosOf(spec) : []) {
    const why = identifierFault(files, name);
    if (why !== undefined)
      return err(
        `tunables.${name}: each tunable is a macro of its name, and ${why}: the text would not compile; rename one of the two`,
      );
  }
  return ok(undefined);
}

/** Checks that outputs of configs have one shape, except for axes whose parts are added up first. */
function shapesAreOne(
  { spec, values }: KernelSource,
  standard: readonly CudaSourceArg[],
  at: Environment,
  others: ReadonlyMap<string, readonly Json[]>,
): Result<void, string> {
  for (const [name, each] of others)
    for (const value of each) {
      const made = tensorsOf(spec, { ...at, [name]: value }, values);
      for (const [i, tensor] of (made.ok ? made.value : []).entries()) {
        const own = standard[i];
        if (own === undefined || tensor.role === "workspace") continue;
        const [here, there] = [comparedShape(own), comparedShape(tensor)];
        if (here.join() === there.join()) continue;
        const axis = tensor.shape.findIndex((extent, d) => extent !== own.shape[d] && !tensor.sum_over?.includes(d));
        const what = `args.${tensor.name}.shape[${axis}]: it is ${own.shape[axis]} in the default config and ${tensor.shape[axis]} where ${name} is ${value}`;
        return err(
          tensor.role === "out"
            ? `${what}; outputs of all configs are compared, so they have one shape. Parts of a sum are added up before that with sum_over: [${axis}]; ` +
                "what is not an output has the role workspace"
            : `${what}; inputs of all configs have one shape`,
        );
      }
    }
  return ok(undefined);
}

/** By knob, values besides the config's: the next, the last and one between. */
function otherValues(space: ConfigSpace, index: ConfigIndex): ReadonlyMap<string, readonly Json[]> {
  const { values } = space.get(index);
  const others = space.knobs.map((knob) => {
    const own = knob.find(values.get(knob.name)) ?? 0;
    const digits = [(own + 1) % knob.size, knob.size - 1, Math.floor(knob.size / 2), 0].filter((digit) => digit !== own);
    return [knob.name, [...new Set(digits)].slice(0, 3).map((digit) => knob.decode(digit) as Json)] as const;
  });
  return new Map(others.filter(([, each]) => each.length > 0));
}

/** Clusters need compute capability 9.0, have at most 16 blocks, and must divide the grid. */
function clusterFaults({ entry, grid, cluster }: CudaSourceKernel, target: string): readonly Refusal[] {
  const blocks = cluster[0] * cluster[1] * cluster[2];
  if (blocks === 1) return [];
  const refuse = (why: string): readonly Refusal[] => [
    { rule: "kernel.cluster", message: `the cluster of "${entry}" is ${cluster.join(" x ")}; ${why}` },
  ];
  if (parseTarget(target).level < 90) return refuse(`${target} has no clusters; sm_90 and later have them`);
  if (blocks > 16) return refuse("a cluster has 16 blocks at most");
  const at = grid.findIndex((extent, axis) => extent % (cluster[axis] as number) !== 0);
  return at < 0 ? [] : refuse(`its grid is ${grid.join(" x ")}, which is not a multiple of the cluster`);
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

/** Uses the words of T1's section. Sizes of the problem are constants in constraints. */
function spaceOf({ tunables, constraints }: KernelSpec, problem: Environment): Result<ConfigSpace, string> {
  if (Object.keys(tunables).length === 0) return ok(new ConfigSpace([]));
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

/** A space may have constraints that cannot be counted. */
function validCount(space: ConfigSpace): Result<number, string> {
  try {
    return ok(space.valid.count);
  } catch (error) {
    if (error instanceof FarmError) return err(error.message);
    throw error;
  }
}

function configOf(
  spec: KernelSpec,
  space: ConfigSpace,
  problem: Environment,
  field: string,
  values: KernelSpec["default"],
): Result<ConfigIndex, string> {
  for (const [name, value] of Object.entries(values)) {
    const knob = space.knobs.find((one) => one.name === name);
    if (knob === undefined) return err(`${field}.${name}: there is no tunable ${name}`);
    if (knob.find(value) === undefined)
      return err(`${field}.${name}: ${JSON.stringify(value)} is not one of the tunable's values`);
  }
  const given = Object.entries(values).map(([name, value]) => `${name} == ${JSON.stringify(value)}`);
  const left = spaceOf({ ...spec, constraints: [...spec.constraints, ...given] }, problem);
  if (!left.ok) return left;
  const count = validCount(left.value);
  if (!count.ok) return count;
  if (count.value === 0) return err(`${field}: the constraints allow no config with these values`);
  return ok(space.toIndex(left.value.valid.nth(0)));
}

/** The program of the reference config: by its index, or by values that replace the default's. */
function configProgram(
  spec: KernelSpec,
  space: ConfigSpace,
  problem: Environment,
  config: number | KernelSpec["default"],
  programAt: (index: ConfigIndex) => Result<ProgramBytes, string>,
): Result<ProgramBytes, string> {
  const field = "reference.config";
  let index: ConfigIndex;
  if (typeof config === "number") {
    if (!space.contains(config)) return err(`${field}: ${config}; the configs are 0 to ${space.size - 1}`);
    if (!space.valid.has(config)) return err(`${field}: the constraints do not allow config ${config}`);
    index = config;
  } else {
    const found = configOf(spec, space, problem, field, { ...spec.default, ...config });
    if (!found.ok) return found;
    index = found.value;
  }
  const made = programAt(index);
  return made.ok ? made : err(`${field}: config ${index}: ${made.error}`);
}
