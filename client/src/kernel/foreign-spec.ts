/**
 * Other tuners' specs in our form: T1 files (Kernel Tuner, BAT, benchmark_hub) and KTT's tuning scripts, which share most of
 * their words. Files are taken unchanged. Neither names a reference, so the outputs of the default config are what the others are
 * compared with.
 *
 * Sizes of T1 are expressions of ProblemSize and of `max(parameter)`, the largest of its values. The grid is ProblemSize over
 * GridDiv, rounded up, as Kernel Tuner takes it, else GlobalSize, in blocks or, of GlobalSizeType OpenCL, in threads. FillType
 * Random with FillValue v are numbers from 0 to v. FillType Generator's DataSource is an expression of an element's number `i`.
 */
import { type DType, err, ok, own, type Result } from "@warpfarm/common";
import { problemSpace } from "@warpfarm/compiler/language";
import { z } from "@warpfarm/records/schema";
import { generatedValues } from "./generated-values.ts";
import { accumulatedIn } from "./signature.ts";
import type { TensorValues, ValuesByName } from "./tensor-values.ts";

const value = z.union([z.number(), z.string()]);
const parameter = z.looseObject({
  Name: z.string(),
  Values: z.union([z.string(), z.array(z.union([z.number(), z.string(), z.boolean()]))]),
  Default: z.unknown().optional(),
});
const argument = z.looseObject({
  Name: z.string().optional(),
  Type: z.string(),
  MemoryType: z.enum(["Vector", "Scalar", "Local", "Symbol"]).default("Vector"),
  AccessType: z.enum(["ReadOnly", "WriteOnly", "ReadWrite"]).optional(),
  MemType: z.string().optional(),
  FillType: z
    .enum(["Constant", "Random", "Generator"], {
      error: ({ input }) => `${JSON.stringify(input)} is not supported; Constant, Random and Generator are`,
    })
    .optional(),
  FillValue: z.number().optional(),
  DataSource: z.string().optional(),
  Size: value.optional(),
  Output: z.union([z.number(), z.boolean()]).optional(),
});
const size = z.looseObject({ X: value, Y: value.default(1), Z: value.default(1) });
const listOf = <T extends z.ZodType>(item: T) => z.union([z.array(item), item.transform((one) => [one])]);
const divisors = listOf(value).optional();
const limits = {
  TargetName: z.string().optional(),
  ValidationMethod: z.string().optional(),
  ValidationThreshold: z.number().min(0).optional(),
};
const foreign = z.looseObject({
  ConfigurationSpace: z.looseObject({
    TuningParameters: z.array(parameter).min(1),
    Conditions: z.array(z.union([z.string(), z.looseObject({ Expression: z.string() })])).default([]),
  }),
  KernelSpecification: z.looseObject({
    KernelName: z.string(),
    CompilerOptions: listOf(z.string()).default([]),
    LocalSize: size,
    GlobalSize: size.optional(),
    GlobalSizeType: z.string().default("CUDA"),
    GridDivX: divisors,
    GridDivY: divisors,
    GridDivZ: divisors,
    ProblemSize: listOf(value).optional(),
    SharedMemory: value.nullish(),
    Arguments: z.array(argument).min(1),
    ReferenceArguments: z.array(z.looseObject(limits)).optional(),
  }),
});
type Foreign = z.output<typeof foreign>;
type Argument = Foreign["KernelSpecification"]["Arguments"][number];

/** Whether it is such a document. */
export const isForeign = (json: unknown): boolean =>
  typeof json === "object" && json !== null && "ConfigurationSpace" in json && "KernelSpecification" in json;

const dtypes: Readonly<Record<string, DType>> = {
  bool: "int8",
  char: "int8",
  int8: "int8",
  uchar: "uint8",
  uint8: "uint8",
  int: "int32",
  int32: "int32",
  uint: "int32",
  uint32: "int32",
  long: "int64",
  int64: "int64",
  uint64: "int64",
  half: "float16",
  float: "float32",
  double: "float64",
};

interface ForeignSpec {
  readonly json: unknown;
  /** The author's default may break the author's own conditions. The first config is taken then. */
  readonly lenientDefault: true;
  readonly values: ValuesByName;
  readonly notes: readonly string[];
}

/** The error names the field. */
/** `text`: the kernel's text, in which constant memory is searched for. An argument without a match is a plain one. */
export function fromForeign(document: unknown, text: string): Result<ForeignSpec, string> {
  const read = foreign.safeParse(document);
  if (!read.success) {
    const [first] = read.error.issues;
    return err(`${first?.path.map(String).join(".") ?? ""}: ${first?.message ?? "cannot be read"}`);
  }
  const { ConfigurationSpace: space, KernelSpecification: kernel } = read.data;
  const values = valuesOf(space.TuningParameters);
  if (!values.ok) return values;
  const words = new Words(values.value, kernel.ProblemSize ?? []);
  const args: object[] = [];
  const constants: Record<string, string> = {};
  const launched: unknown[] = [];
  const generated: Record<string, TensorValues> = {};
  const { given, filled } = withSumsFilled(kernel, text);
  for (const [i, one] of given.entries()) {
    const at = `KernelSpecification.Arguments.${i}`;
    const name = (one.Name ?? "")
      .replace(/\W/g, "_")
      .replace(/^(?=\d|$)/, `a${i}_`)
      .slice(0, 64);
    const dtype = own(dtypes, one.Type);
    if (dtype === undefined) return err(`${at}.Type: ${one.Type}; known are ${Object.keys(dtypes).join(", ")}`);
    if (one.MemoryType === "Local" || one.MemoryType === "Symbol")
      return err(`${at}.MemoryType: ${one.MemoryType} is not supported; Vector and Scalar are`);
    if (one.MemoryType === "Scalar") launched.push({ scalar: dtype, value: one.FillValue ?? 0 });
    else {
      if (one.Size === undefined) return err(`${at}.Size is missing`);
      const size = words.expression(one.Size);
      args.push({ name, dtype, shape: [size], ...holds(one), ...toleranceOf(one, kernel.ReferenceArguments) });
      if (one.FillType === "Generator") {
        const made = generatedValues(one.DataSource ?? "", dtype, size);
        if (!made.ok) return err(`${at}.${made.error}`);
        generated[name] = made.value;
      }
      launched.push(name);
      const symbol = new RegExp(`__constant__[^;]*\\b${name}\\b`);
      if (one.MemType === "Constant" && symbol.test(text)) constants[name] = name;
    }
  }
  const grid = gridOf(kernel, words);
  if (!grid.ok) return grid;
  const { LocalSize: local } = kernel;
  const block = [local.X, local.Y, local.Z].map((each) => words.expression(each));
  const named = new Set(space.TuningParameters.map(({ Name }) => Name));
  const blocks = ["x", "y", "z"].map((axis, i) => [`block_size_${axis}`, `{${block[i]}}`] as const);
  const json = {
    tunables: Object.fromEntries(space.TuningParameters.map(({ Name, Values }) => [Name, Values])),
    constraints: space.Conditions.map((each) => (typeof each === "string" ? each : each.Expression)),
    default: Object.fromEntries(
      space.TuningParameters.flatMap(({ Name, Default }) =>
        Default !== undefined && values.value.get(Name)?.includes(Default) ? [[Name, Default]] : [],
      ),
    ),
    // As Kernel Tuner defines them.
    defines: { kernel_tuner: 1, ...Object.fromEntries(blocks.filter(([name]) => !named.has(name))) },
    flags: kernel.CompilerOptions.flatMap(flagOf),
    args,
    // These tuners compile the text as extern "C". Here the symbol is requested by name.
    kernels: [
      {
        entry: `::${kernel.KernelName}`,
        grid: grid.value,
        block,
        shared_bytes: words.expression(kernel.SharedMemory ?? 0),
        args: launched,
      },
    ],
    ...(Object.keys(constants).length > 0 ? { constants } : {}),
  };
  return ok({
    json,
    lenientDefault: true,
    values: generated,
    notes: [
      `${kernel.ReferenceArguments ? "of the spec's ReferenceArguments only the thresholds are read" : "the spec names no reference"}: every config is compared with the outputs of the default one`,
      ...filled.map((name) => `${name} is WriteOnly, but the kernel adds to it: it is filled before each run`),
    ],
  });
}

type Values = ReadonlyMap<string, readonly unknown[]>;

function valuesOf(parameters: Foreign["ConfigurationSpace"]["TuningParameters"]): Result<Values, string> {
  const space = problemSpace({ ConfigurationSpace: { TuningParameters: parameters } });
  if (!space.ok) return space;
  return ok(new Map(space.value.knobs.map((knob) => [knob.name, Array.from({ length: knob.size }, (_, i) => knob.decode(i))])));
}

/** T1's expressions in our words. */
class Words {
  readonly #values: Values;
  readonly #problem: readonly (number | string)[];
  constructor(values: Values, problem: readonly (number | string)[]) {
    this.#values = values;
    this.#problem = problem;
  }

  expression(given: number | string): number | string {
    if (typeof given === "number") return given;
    const ends = (_: string, which: string, name: string): string => {
      const numbers = (this.#values.get(name) ?? []).map(Number);
      return numbers.length === 0 ? `${which}(${name})` : String(Math[which as "max" | "min"](...numbers));
    };
    const text = given
      .replace(/\bProblemSize\s*\[\s*(\d)\s*\]/g, (whole, i: string) => String(this.#problem[Number(i)] ?? whole))
      .replace(/\b(max|min)\s*\(\s*([A-Za-z_]\w*)\s*\)/g, ends);
    return /^\d+$/.test(text) ? Number(text) : text;
  }

  problem(axis: number): number | string | undefined {
    const given = this.#problem[axis];
    return given === undefined ? undefined : this.expression(given);
  }
}

function gridOf(kernel: Foreign["KernelSpecification"], words: Words): Result<(number | string)[], string> {
  const { GridDivX, GridDivY, GridDivZ, GlobalSize, LocalSize, GlobalSizeType } = kernel;
  const by = [GridDivX, GridDivY, GridDivZ];
  const isDivided = by.some((each) => each !== undefined) && words.problem(0) !== undefined;
  if (!isDivided && GlobalSize === undefined)
    return err("KernelSpecification: there is neither GlobalSize nor ProblemSize with GridDivX");
  const [global, local] = [GlobalSize, LocalSize].map((each) => [each?.X ?? 1, each?.Y ?? 1, each?.Z ?? 1] as const);
  return ok(
    [0, 1, 2].map((axis) => {
      const divisor = (by[axis] ?? []).map((each) => `(${words.expression(each)})`).join("*") || "1";
      if (isDivided) return `(${words.problem(axis) ?? 1} + ${divisor} - 1) // (${divisor})`;
      const whole = words.expression(global?.[axis] ?? 1);
      return GlobalSizeType.toLowerCase() === "opencl" ? `(${whole}) // (${words.expression(local?.[axis] ?? 1)})` : whole;
    }),
  );
}

/** KTT fills WriteOnly arguments too, and kernels rely on it: here they begin as NaN. */
function withSumsFilled({ Arguments: given, KernelName: name }: Foreign["KernelSpecification"], text: string) {
  const accumulated = accumulatedIn(text, name);
  const isSum = ({ AccessType }: Argument, i: number): boolean => AccessType === "WriteOnly" && accumulated.includes(i);
  return {
    given: given.map((one, i) => (isSum(one, i) ? { ...one, AccessType: "ReadWrite" as const } : one)),
    filled: given.flatMap((one, i) => (isSum(one, i) ? [one.Name ?? `argument ${i + 1}`] : [])),
  };
}

/** KTT's methods that judge each element; its others judge sums of differences. */
function toleranceOf({ Name }: Argument, limits: Foreign["KernelSpecification"]["ReferenceArguments"] = []): object {
  const limit = limits.find(({ TargetName }) => TargetName !== undefined && TargetName === Name);
  const { ValidationMethod: method = "", ValidationThreshold: threshold } = limit ?? {};
  if (threshold === undefined) return {};
  if (method === "SideBySideComparison") return { tolerance: { atol: threshold, rtol: 0 } };
  return method === "SideBySideRelativeComparison" ? { tolerance: { atol: 0, rtol: threshold } } : {};
}

function holds({ AccessType, FillType, FillValue = 0, Output, Type }: Argument): object {
  const isRead = AccessType !== "WriteOnly";
  const isWritten = AccessType === "WriteOnly" || AccessType === "ReadWrite" || Boolean(Output);
  if (!isRead) return { role: "out" };
  if (FillType === "Generator") return { role: isWritten ? "inout" : "in" };
  const isWhole = !/^(?:half|float|double)$/.test(Type);
  const range = { range: [0, isWhole ? Math.max(0, Math.floor(FillValue)) : FillValue] };
  const fill = FillType === "Random" && FillValue > 0 ? range : { constant: FillValue };
  return { role: isWritten ? "inout" : "in", fill };
}

/** The standard in use contains older ones. Flags of OpenCL are ignored. */
function flagOf(flag: string): readonly string[] {
  if (flag.trim() === "" || flag.startsWith("-cl-") || /^--?std=c\+\+(?:03|11)$/.test(flag)) return [];
  return [flag.replace(/^-std=/, "--std=")];
}
