/**
 * A kernel somebody brings: CUDA text with tunable macros, PTX or a cubin, and how it is launched. The spec is data (YAML or
 * JSON), read here as it stands:
 *
 *   problem: {n: 10000000}
 *   tunables: {BLOCK: [64, 128, 256], ITEMS: [1, 2, 4]}
 *   constraints: ["BLOCK * ITEMS <= 512"]
 *   args:
 *     - {name: c, dtype: float32, shape: [n], role: out}
 *     - {name: a, dtype: float32, shape: [n]}
 *     - {scalar: int32, value: n}
 *   kernels:
 *     - {entry: vector_add, grid: ["(n + BLOCK*ITEMS - 1) // (BLOCK*ITEMS)"], block: [BLOCK]}
 *
 * Wherever a number may stand, an expression of the problem's sizes and the tunables may (Python's operators, as in constraints).
 * Each tunable is given to the compiler of CUDA text as a macro of its name, or stands in braces in an entry's template
 * arguments.
 */
import { dtypes, err, ok, type Result, sumsFault, undetermined, unnamable, unnamableWords } from "@warpfarm/common";
import { z } from "@warpfarm/records/schema";
import { specScalars, structScalars } from "./spec-scalars.ts";

const word = z
  .string()
  .regex(/^(?!__proto__$)[A-Za-z_]\w{0,63}$/, "a name: a letter or _, then at most 63 letters, digits and _; not __proto__");
const number = z.union([z.number(), z.string().min(1).max(1000)], { error: "a number, or an expression as text" });
const axes = z.array(number).min(1).max(3);
const scalarValue = z.union([z.number(), z.string().max(128), z.boolean()]);
const values = z.union([z.array(scalarValue).min(1), z.string().max(10_000)], {
  error: "a list of values, or an expression that gives one",
});
const fill = z.union(
  [
    z.enum(["random", "zeros"]),
    z.strictObject({ range: z.tuple([z.number(), z.number()]) }),
    z.strictObject({ constant: z.number() }),
    z.strictObject({ permutation: z.literal(true) }),
    /** Mean and standard deviation. */
    z.strictObject({ normal: z.tuple([z.number(), z.number().positive()]) }),
    /** .npy, or .safetensors with the tensor's name there, from the folder of the spec. */
    z.strictObject({ file: z.string().min(1).max(4096), tensor: z.string().min(1).max(1024).optional() }),
  ],
  {
    error:
      "random, zeros, {range: [from, to]}, {constant: value}, {permutation: true}, {normal: [mean, deviation]} or {file: name}",
  },
);

const typeOf = <T extends string>(types: readonly T[]) =>
  z.string().refine((text) => text.includes("{") || (types as readonly string[]).includes(text), {
    error: `one of ${types.join(", ")}, or an expression in braces that gives one`,
  });
const tensor = z.strictObject({
  name: word,
  dtype: typeOf(dtypes),
  shape: z.array(number).max(8),
  role: z.enum(["in", "out", "inout", "workspace"]).default("in"),
  fill: fill.optional(),
  tolerance: z.strictObject({ atol: z.number().min(0), rtol: z.number().min(0) }).optional(),
  /** An output holds parts of a sum along these axes, as many as each config makes; it is compared after they are added up. */
  sum_over: z.array(z.int().min(0).max(7)).min(1).optional(),
  /** Every run writes the same bits into this output; a judged measurement refuses a config that does not. */
  deterministic: z.literal(true, { error: "true, or left out" }).optional(),
});
const scalar = z.strictObject({ scalar: typeOf(specScalars), value: z.union([number, z.boolean()]) });

/** Passed by value. Fields lie in memory as in C, each at a multiple of its size. */
const field = z.strictObject({
  scalar: typeOf(structScalars),
  value: z.union([
    number,
    z.boolean(),
    z
      .array(z.union([number, z.boolean()]))
      .min(1)
      .max(1024),
  ]),
});
const struct = z.strictObject({
  struct: z.record(word, field).refine((all) => Object.keys(all).length > 0, "at least one field"),
});

/** One field decides between the three, so errors are those of the right one. */
const arg = z
  .looseObject({}, { error: "a tensor {name, dtype, shape, role}, a scalar {scalar, value} or a structure {struct}" })
  .transform((value, context) => {
    const read = ("scalar" in value ? scalar : "struct" in value ? struct : tensor).safeParse(value);
    if (read.success) return read.data;
    for (const issue of read.error.issues) context.addIssue({ ...issue } as Parameters<typeof context.addIssue>[0]);
    return z.NEVER;
  });

/** A symbol; or text in which {expression} is replaced, a C++ name of an instance: `gemm<{BM}, {BN}, float>`. */
const entry = z.string().min(1).max(1024);

const kernel = z.strictObject({
  entry,
  grid: axes,
  block: axes,
  shared_bytes: number.default(0),
  cluster: axes.default([1]),
  /** The kernel waits for its whole grid: all blocks run at once. */
  cooperative: z.boolean().default(false),
  /** Names of tensors, and scalars, in the order of the parameters; absent: all of the spec's. */
  args: z
    .array(z.union([word, scalar, struct]))
    .max(256)
    .optional(),
});

const reference = z.strictObject({
  /** A kernel's file, relative to this spec's folder, with its spec: its default config. */
  kernel: z.string().min(1).optional(),
  spec: z.string().min(1).optional(),
  /** A template's default schedule. */
  task: z.string().min(1).optional(),
  args: z.union([z.array(z.json()), z.record(z.string(), z.json())]).optional(),
  program: z.string().min(1).optional(),
  /** Recorded outputs: .npy for a single one, .safetensors by the outputs' names, or a file for each. */
  file: z.union([z.string().min(1), z.record(word, z.string().min(1))]).optional(),
  /** Another config of this kernel: its index, or values of tunables. Missing ones are the default's. */
  config: z.union([z.int().min(0), z.record(word, scalarValue)]).optional(),
});

const document = z.strictObject({
  name: z
    .string()
    .regex(/^[\w./-]{1,128}$/, "1 to 128 letters, digits, _ . / -")
    .optional(),
  problem: z.record(word, z.number()).default({}),
  tunables: z.record(word, values).default({}),
  constraints: z.array(z.string().max(10_000)).max(1000).default([]),
  /** The reference config. A tunable that is missing has its first value. */
  default: z.record(word, scalarValue).default({}),
  /** Folders of headers, relative to this spec's folder. Each travels once, completely, and the text includes from it. */
  includes: z.array(z.string().min(1).max(4096)).max(8).optional(),
  defines: z.record(word, z.union([z.number(), z.string().max(1000)])).default({}),
  flags: z.array(z.string().max(200)).max(16).default([]),
  /** nvcc or nvrtc, or text in which {expression} is replaced; absent: the builder's choice. */
  compiler: z.string().min(1).max(200).optional(),
  args: z.array(arg).min(1).max(256),
  kernels: z.array(kernel).min(1).max(64),
  constants: z.record(z.string().min(1).max(1024), word).optional(),
  flops: number.optional(),
  /** The reference of every config; absent: the default config. */
  reference: reference.optional(),
});

export type KernelSpec = z.output<typeof document>;
export type KernelSpecInput = Omit<z.input<typeof document>, "args"> & {
  args: (z.input<typeof tensor> | z.input<typeof scalar> | z.input<typeof struct>)[];
};
export type SpecTensor = z.output<typeof tensor>;
export type SpecScalar = z.output<typeof scalar>;
export type SpecStruct = z.output<typeof struct>;
/** An entry of a spec's `args` is a value, a structure or a tensor. */
export const isTensor = (arg: SpecTensor | SpecScalar | SpecStruct): arg is SpecTensor => "name" in arg;
export type SpecReference = z.output<typeof reference>;
export type SpecFill = z.output<typeof fill>;

/** The spec, or one sentence that names the field. */
export function readSpec(json: unknown): Result<KernelSpec, string> {
  const unnamed = unnamable(json);
  if (unnamed !== undefined) return err(`${unnamed}: ${unnamableWords}`);
  const read = document.safeParse(json);
  if (!read.success) {
    const [first] = read.error.issues;
    const at = (first?.path ?? []).map((part) => (typeof part === "number" ? `[${part}]` : `.${String(part)}`)).join("");
    // The reason for an invalid name is inside the issue.
    const [reason] = first?.code === "invalid_key" ? first.issues : [first];
    return err(`${at.replace(/^\./, "") || "the spec"}: ${reason?.message ?? "cannot be read"}`);
  }
  const { problem, tunables, args, kernels } = read.data;
  const twice = Object.keys(tunables).find((name) => Object.hasOwn(problem, name));
  if (twice !== undefined) return err(`tunables.${twice}: problem has a size of that name`);
  const names = args.flatMap((arg) => (isTensor(arg) ? [arg.name] : []));
  const repeated = names.find((name, i) => names.indexOf(name) !== i);
  if (repeated !== undefined) return err(`args: two are named ${repeated}`);
  if (!args.some((arg) => isTensor(arg) && (arg.role === "out" || arg.role === "inout")))
    return err("args: none has the role out or inout; a kernel without an output cannot be checked");
  for (const arg of args)
    if (isTensor(arg) && arg.fill !== undefined && arg.role !== "in" && arg.role !== "inout")
      return err(
        `args.${arg.name}.fill: its role is "${arg.role}", and only in and inout are filled; others hold noise when a run begins. ` +
          "Give inout to a tensor that the kernel adds to. Use reference to say what outputs must be",
      );
  for (const arg of args) {
    const why = isTensor(arg) ? sumsFault(arg, arg.sum_over) : undefined;
    if (isTensor(arg) && why !== undefined) return err(`args.${arg.name}.sum_over: ${why}`);
    if (isTensor(arg) && arg.deterministic && arg.role !== "out")
      return err(`args.${arg.name}.deterministic: ${undetermined(arg.role)}`);
  }
  for (const [symbol, tensor] of Object.entries(read.data.constants ?? {}))
    if (!names.includes(tensor))
      return err(`constants.${symbol}: ${tensor} is not a tensor of args; they are ${names.join(", ")}`);
  for (const [k, { args: own = [] }] of kernels.entries())
    for (const [i, arg] of own.entries())
      if (typeof arg === "string" && !names.includes(arg))
        return err(`kernels[${k}].args[${i}]: ${arg} is not a tensor of args; they are ${names.join(", ")}`);
  return ok(read.data);
}
