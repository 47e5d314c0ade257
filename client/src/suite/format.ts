/**
 * A suite: tasks x shapes x devices x budget, as a file of YAML or JSON.
 *
 *   name: my-model
 *   tasks:
 *     - task: matmul_mma            # a template, ./my-template.ts or ./my-kernel.cu
 *       args: {dtype: float16}      # of every shape below
 *       shapes:                     # a list, {ranges: ...}, or a file: shapes.csv, shapes.jsonl
 *         - {M: 512, N: 4096, K: 4096, count: 32}
 *       weight: 2
 *   targets: [cuda/sm_90]           # default: every device kind of the farm that can run the task
 *   budget: {trials: 64, total_device_time: 2h}
 *
 * Only what the file says is read here; shapes.ts and plan.ts make tasks of it.
 */
import { type Json, pairedLimits, parseDuration, parseSelector, unnamable, unnamableWords } from "@warpfarm/common";
import { z } from "@warpfarm/records/schema";
import { defaultFinalists, defaultSeed, defaultTuner } from "../search/defaults.ts";

const dayMs = 86_400_000;

/** A time with its unit, in milliseconds. */
const time = z.string().transform((text, context) => {
  const ms = parseDuration("it", text, { lowMs: 1, highMs: 100 * dayMs });
  if (ms.ok) return ms.value;
  context.addIssue({ code: "custom", message: ms.error });
  return z.NEVER;
});
const count = (most: number) => z.number().int().min(1).max(most);
const trials = count(10_000_000);

const budget = z.strictObject({
  /** Of each task. */
  trials: trials.optional(),
  device_time: time.optional(),
  patience: trials.optional(),
});
const wholeBudget = budget.extend({
  /** Of all tasks together. */
  total_trials: trials.optional(),
  total_device_time: time.optional(),
  wall_time: time.optional(),
});

const condition = z
  .string()
  .refine((text) => isCondition(text), "takes label=value or memory>=40GB, several with commas between");
function isCondition(text: string): boolean {
  try {
    parseSelector(`cpu/*,${text}`);
    return true;
  } catch {
    return false;
  }
}

const value = z.json() as z.ZodType<Json>;
const values = z.union(
  [
    z.array(value).min(1),
    z.strictObject({ from: z.number().int(), to: z.number().int(), step: z.number().int().min(1) }),
    z.strictObject({ from: z.number().int().min(1), to: z.number().int(), times: z.number().int().min(2) }),
  ],
  { error: "a list of values, {from, to, step} or {from, to, times}" },
);
const shape = z.union([z.array(value), z.record(z.string(), value)], {
  error: "a list of arguments in their order, or an object by name",
});
const shapes = z.union([z.array(shape).min(1), z.string().min(1), z.strictObject({ ranges: z.record(z.string(), values) })], {
  error: "a list of shapes, {ranges: {name: values}}, or a file that ends in .csv, .tsv, .jsonl or .json",
});

const weight = z.number().positive().max(1e9);
const targets = z.array(z.string().min(1)).min(1);

const task = z.strictObject({
  task: z.string().min(1).max(4096),
  /** Of a kernel: what is tuned and how it is launched. */
  spec: z.string().min(1).optional(),
  args: z.record(z.string(), value).optional(),
  shapes: shapes.optional(),
  weight: weight.default(1),
  targets: targets.optional(),
  where: z.array(condition).min(1).optional(),
  budget: budget.optional(),
});

const measure = z.strictObject({
  number: z.number().int().min(0).max(1_000_000).optional(),
  repeat: count(1000).optional(),
  min_repeat: time.optional(),
  build_timeout: time.optional(),
  run_timeout: time.optional(),
  l2: z.enum(["warm", "flushed"]).optional(),
  timer: z.enum(["cuda_graph", "events", "wall"]).optional(),
  check: z.enum(["reference", "none"]).optional(),
});

const document = z.strictObject({
  name: z.string().regex(/^[\w.-]{1,64}$/, "1 to 64 letters, digits, _ . -"),
  about: z.string().max(1000).optional(),
  tasks: z.array(task).min(1).max(1_000),
  targets: targets.optional(),
  where: z.array(condition).min(1).optional(),
  budget: wholeBudget.default({}),
  tuner: z.string().default(defaultTuner),
  seed: z
    .number()
    .int()
    .min(-(2 ** 31))
    .max(2 ** 31 - 1)
    .default(defaultSeed),
  /** The start of a search: the farm's records of its template, or nothing. */
  transfer: z.enum(["farm", "none"]).default("farm"),
  /** How many of the fastest configs of each task are measured again; 0 = none. */
  finalists: z.number().int().min(0).max(pairedLimits.programs.most).default(defaultFinalists),
  /** Candidates of one task outstanding at once. */
  in_flight: count(1024).default(16),
  measure: measure.default({}),
});

export type SuiteFile = z.output<typeof document>;
export type SuiteTask = SuiteFile["tasks"][number];
export type TaskBudget = z.output<typeof budget>;
export type SuiteBudget = z.output<typeof wholeBudget>;
export type SuiteMeasure = z.output<typeof measure>;
export type ShapesOf = NonNullable<SuiteTask["shapes"]>;

/** The suite, or one sentence that names the field. */
export function readSuiteFile(
  json: unknown,
): { readonly ok: true; readonly value: SuiteFile } | { readonly ok: false; readonly error: string } {
  const unnamed = unnamable(json);
  if (unnamed !== undefined) return { ok: false, error: `${unnamed}: ${unnamableWords}` };
  const read = document.safeParse(json);
  if (read.success) return { ok: true, value: read.data };
  const [issue] = read.error.issues;
  const at = (issue?.path ?? []).map((part) => (typeof part === "number" ? `[${part}]` : `.${String(part)}`)).join("");
  const unknown = issue?.code === "unrecognized_keys" ? `${issue.keys.join(", ")} is no field of it; ` : "";
  return {
    ok: false,
    error: `${at.replace(/^\./, "") || "the suite"}: ${unknown}${unknown === "" ? (issue?.message ?? "cannot be read") : fieldsOf(at)}`,
  };
}

/** What may stand there. */
function fieldsOf(at: string): string {
  const shapeOf = (of: { readonly shape: object }) => `fields are ${Object.keys(of.shape).join(", ")}`;
  if (at === "") return shapeOf(document);
  if (/^\.tasks\[\d+\]$/.test(at)) return shapeOf(task);
  if (at === ".measure") return shapeOf(measure);
  return at === ".budget" ? shapeOf(wholeBudget) : shapeOf(budget);
}
