/**
 * A suite: tasks x shapes x devices x budget, as a file of YAML or JSON.
 *
 *   name: my-model
 *   tasks:
 *     - task: matmul_mma            # a template, ./my-template.ts or ./my-kernel.cu
 *       args: {dtype: float16}      # of every shape below
 *       epilogue: [bias, relu]      # operations that the kernel applies to its result
 *       shapes:                     # a list, {ranges: ...}, or a file: shapes.csv, shapes.jsonl
 *         - {M: 512, N: 4096, K: 4096, count: 32}
 *       weight: 2
 *   targets: [cuda/sm_90]           # default: every device kind of the farm that can run the task
 *   budget: {trials: 64, total_device_time: 2h}
 *
 * Only what the file says is read here; shapes.ts and plan.ts make tasks of it.
 */
import { isMatchKey, type Json, parseDuration, unnamable, unnamableWords } from "@warpfarm/common";
import { z } from "@warpfarm/records/schema";
import { budgetFields, condition, issueWordsOf, measureShape, searchFields } from "@warpfarm/records/search";

const dayMs = 86_400_000;

const time = z.string().transform((text, context) => {
  const ms = parseDuration("it", text, { lowMs: 1, highMs: 100 * dayMs });
  if (ms.ok) return ms.value;
  context.addIssue({ code: "custom", message: ms.error });
  return z.NEVER;
});
const trials = z.number().int().min(1).max(10_000_000);

/** The budget of each task. */
const budget = budgetFields.omit({ wall_time: true, give_up: true });
const wholeBudget = budget.extend({
  total_trials: trials.optional(),
  total_device_time: time.optional(),
  wall_time: time.optional(),
});

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
  spec: z.string().min(1).optional(),
  args: z.record(z.string(), value).optional(),
  epilogue: z.array(z.string()).min(1).optional(),
  shapes: shapes.optional(),
  weight: weight.default(1),
  targets: targets.optional(),
  where: z.array(condition).min(1).optional(),
  budget: budget.optional(),
});

/** Whose operators took `library_us` of the shapes; without it, a shape takes no time there. `from-onnx` writes it. */
const framework = z.strictObject({
  name: z.string().min(1).max(200),
  device: z.string().min(1).max(200),
  key: z.string().refine(isMatchKey, { error: "a kind of device, such as cuda/sm_90" }),
});

const document = z.strictObject({
  name: z.string().regex(/^[\w.-]{1,64}$/, "1 to 64 letters, digits, _ . -"),
  about: z.string().max(1000).optional(),
  framework: framework.optional(),
  tasks: z.array(task).min(1).max(1_000),
  targets: targets.optional(),
  where: z.array(condition).min(1).optional(),
  budget: wholeBudget.default({}),
  ...searchFields,
  start: z.enum(["farm", "none"]).optional(),
});

export type SuiteFile = z.output<typeof document>;
export type SuiteTask = SuiteFile["tasks"][number];
export type ShapesOf = NonNullable<SuiteTask["shapes"]>;

/** The suite, or one sentence that names the field. */
export function readSuiteFile(
  json: unknown,
): { readonly ok: true; readonly value: SuiteFile } | { readonly ok: false; readonly error: string } {
  const unnamed = unnamable(json);
  if (unnamed !== undefined) return { ok: false, error: `${unnamed}: ${unnamableWords}` };
  const read = document.safeParse(json);
  if (read.success) return { ok: true, value: read.data };
  return { ok: false, error: issueWordsOf(read.error, "the suite", fieldsAt) };
}

function fieldsAt(at: string): object {
  if (at === "") return document.shape;
  if (/^\.tasks\[\d+\]$/.test(at)) return task.shape;
  if (at === ".framework") return framework.shape;
  if (at === ".measure") return measureShape;
  return at === ".budget" ? wholeBudget.shape : budget.shape;
}
