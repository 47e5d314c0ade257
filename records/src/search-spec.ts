/**
 * A search as a value: what is searched, on what, how and for how long. A command's flags, a task of a suite, the first line of a
 * log, the provenance of a session and the page's view of a run are this one JSON value.
 *
 *   {"version": 1, "task": {"template": "matmul_mma"}, "args": [512, 4096, 4096, "float16", "NN"], "target": "cuda/sm_90",
 *    "key": "cuda/sm_90", "tuner": "auto", "seed": 0, "budget": {"trials": 64}, "in_flight": 16, "start": "farm"}
 *
 * A field that is absent has its default (searchDefaults). A file has its base name and the digest of its
 * contents: paths, addresses and tokens belong to a machine and not to a search. Times are texts with a unit, as in flags.
 */
import {
  badInput,
  type DurationRange,
  defaultPaired,
  defined,
  durationWords,
  inputKinds,
  isDigest,
  isTarget,
  type Json,
  mostPrecision,
  pairedLimits,
  parseDuration,
  parseSelector,
  powerStates,
  unnamable,
  unnamableWords,
  whyUnrecordable,
} from "@warpfarm/common";
import { indexedText } from "./indexed-texts.ts";
import { z } from "./schema.ts";

/** The most bytes of a spec as text: on the wire, and in a log. */
const mostSpecBytes = 16 * 1024;

const dayMs = 86_400_000;
/** A time with its unit, in its usual words: `1000ms` reads as `1s`. */
export const timeText = (range: DurationRange) =>
  z.string().transform((text, context) => {
    const ms = parseDuration("it", text, range);
    if (ms.ok) return durationWords(ms.value);
    context.addIssue({ code: "custom", message: ms.error });
    return z.NEVER;
  });
const budgetTime = timeText({ lowMs: 1, highMs: 100 * dayMs });
const longest = { highMs: 600_000 };
const count = (most: number) => z.number().int().min(1).max(most);
const trials = count(10_000_000);
const value = z.json() as z.ZodType<Json>;

/** `label=value` or `memory>=40GB`, several with commas between. */
export const condition = z
  .string()
  .max(1024)
  .refine((text) => isCondition(text), "takes label=value or memory>=40GB, several with commas between");
function isCondition(text: string): boolean {
  try {
    parseSelector(`cpu/*,${text}`);
    return true;
  } catch {
    return false;
  }
}

const cutoffTime = timeText({ lowMs: 1e-6, highMs: 1e6, isFine: true });
/** The time to beat: the best so far, none, or a time. */
const cutoffText = z.string().transform((text, context) => {
  if (text === "best" || text === "none") return text;
  const { data, error } = cutoffTime.safeParse(text);
  if (data !== undefined) return data;
  context.addIssue(`${error?.issues[0]?.message}, or best or none`);
  return z.NEVER;
});

export const measureShape = {
  number: z.number().int().min(0).max(1_000_000).optional(),
  repeat: count(1000).optional(),
  precision: z.number().min(0).max(mostPrecision).optional(),
  min_repeat: timeText({ highMs: 60_000, usual: "ms" }).optional(),
  build_timeout: timeText(longest).optional(),
  run_timeout: timeText(longest).optional(),
  cooldown: timeText({ highMs: 60_000, usual: "ms" }).optional(),
  l2: z.enum(["warm", "flushed"]).optional(),
  timer: z.enum(["cuda_graph", "events", "wall"]).optional(),
  check: z.enum(["reference", "none"]).optional(),
  inputs: z.enum(inputKinds).optional(),
  power: z.enum(powerStates).optional(),
  judged: z.boolean().optional(),
  cutoff: cutoffText.optional(),
};

/**
 * How each candidate is measured by a name. `autotvm`: what its LocalBuilder and LocalRunner do by default (TVM 0.8,
 * autotvm/measure/measure_methods.py: timeout 10, number 4, repeat 3, min_repeat_ms 0). Its cooldown_interval of 0.1 s lies
 * between candidates, `cooldown` between repeats, so the preset has none.
 */
export const measurePresets = {
  quick: { repeat: 3, min_repeat: "1ms" },
  thorough: { repeat: 50, precision: 0, run_timeout: "1m" },
  autotvm: { number: 4, repeat: 3, min_repeat: "0ms", build_timeout: "10s", run_timeout: "10s", power: "as_asked" },
} as const;

const isPreset = (given: unknown): given is keyof typeof measurePresets =>
  typeof given === "string" && Object.hasOwn(measurePresets, given);

/** How each candidate is measured: a preset's name, or fields. Absent fields have the defaults of the device's backend. */
export const measureFields = z.preprocess(
  (given) => (isPreset(given) ? measurePresets[given] : given),
  z.strictObject(measureShape, {
    error: ({ code }) =>
      code === "invalid_type" ? `${Object.keys(measurePresets).join(", ")}, or an object of fields` : undefined,
  }),
);

const { programs, rounds } = pairedLimits;
/** The default schedule takes one place of their measurement. */
export const finalistLimits = { least: programs.least, most: programs.most - 1 } as const;
/** A gain of 2 % is found within so many rounds. */
const mostFinalRounds = 60;
const finalistCount = z
  .number()
  .int()
  .refine(
    (n) => n === 0 || (n >= finalistLimits.least && n <= finalistLimits.most),
    `takes ${finalistLimits.least} to ${finalistLimits.most}, or 0 for none`,
  );
const finalistFields = z.strictObject({
  count: finalistCount.optional(),
  rounds: z.number().int().min(rounds.least).max(rounds.most).optional(),
  idle: timeText({ highMs: pairedLimits.idleMs }).optional(),
});

/** Of `until`: a smaller share ends no search earlier, and a greater one is within the noise of one measurement. */
export const untilLimits = { least: 0.5, most: 0.999 } as const;
const { least: leastShare, most: mostShare } = untilLimits;
const share = z
  .number({ error: `a number from ${leastShare} to ${mostShare}` })
  .min(leastShare)
  .max(mostShare);

/** When a search ends. Trials include those of its log. */
export const budgetFields = z.strictObject({
  trials: trials.optional(),
  device_time: budgetTime.optional(),
  wall_time: budgetTime.optional(),
  patience: trials.optional(),
  until: share.optional(),
  give_up: timeText({ lowMs: 1_000, highMs: 30 * dayMs }).optional(),
});

const digest = z.string().refine(isDigest, "is no digest");
const word = z.string().min(1).max(400);
const baseName = z.string().regex(/^(?!\.{1,2}$)[^/\\\0]{1,255}$/, "takes a file's name without its folder");
const fileFields = z.strictObject({ file: baseName, digest });

/** How a search is made, whatever its task: a suite says it once for all its tasks. */
export const searchFields = {
  tuner: z
    .string()
    .regex(/^[\w .-]{1,64}$/, "is no tuner's name")
    .optional(),
  seed: z
    .number()
    .int()
    .min(-(2 ** 31))
    .max(2 ** 31 - 1)
    .optional(),
  in_flight: count(1024).optional(),
  measure: measureFields.optional(),
  /** How many of the fastest are measured again, interleaved, and how. A number alone is their count. */
  finalists: z
    .union([finalistCount.transform((n) => ({ count: n })), finalistFields], {
      error: `${finalistLimits.least} to ${finalistLimits.most} or 0, or an object of count, rounds and idle`,
    })
    .optional(),
  /** Where it starts: the farm's records of its template, nothing, or the results in these logs. */
  start: z
    .union([z.enum(["farm", "none"]), z.strictObject({ logs: z.array(fileFields).min(1).max(64) })], {
      error: "farm, none, or an object of logs with their digests",
    })
    .optional(),
  /** A candidate must keep these limits. */
  limits: z.enum(["device", "autotvm"]).optional(),
  priority: z.number().int().min(-100).max(100).optional(),
  weight: count(1000).optional(),
  keep: z.enum(["shared", "private", "none"]).optional(),
  /** Takes results that another such search has measured. */
  reuse: z.boolean().optional(),
};

export const taskFields = z.union(
  [
    z.strictObject({ template: word, version: word.optional() }),
    z.strictObject({ operator: word }),
    z.strictObject({ file: baseName, digest, name: word.optional() }),
    /** A user's kernel. The digest is of its text, its spec, its headers and its reference. */
    z.strictObject({ kernel: baseName, digest, name: word.optional() }),
  ],
  { error: "{template}, {operator}, {file, digest} or {kernel, digest}" },
);

const document = z.strictObject({
  version: z.literal(1),
  task: taskFields,
  args: z.union([z.array(value), z.record(z.string(), value)], { error: "a list of arguments, or an object by name" }).optional(),
  target: z.string().max(200).refine(isTarget, "is no target").optional(),
  key: z.string().max(100).refine(isTarget, "is no match key").optional(),
  where: condition.optional(),
  /**
   * Digest of the space where it was derived from the computation: with other rules a log's configs are found by their values.
   */
  derived: digest.optional(),
  budget: budgetFields.optional(),
  ...searchFields,
});

export type SearchSpec = z.output<typeof document>;
export type SearchTask = SearchSpec["task"];
export type SearchMeasure = NonNullable<SearchSpec["measure"]>;
export type SearchBudget = NonNullable<SearchSpec["budget"]>;

export const searchDefaults = {
  tuner: "auto",
  seed: 0,
  in_flight: 16,
  budget: { trials: 64, give_up: "10m" },
  finalists: { count: 5, rounds: mostFinalRounds, idle: durationWords(defaultPaired.idleMs) },
  start: "farm",
  limits: "device",
} as const;

export const trialsOf = ({ budget }: Pick<SearchSpec, "budget">): number => budget?.trials ?? searchDefaults.budget.trials;

export interface PlacedSpec extends SearchSpec {
  readonly args: Json[];
  readonly target: string;
  readonly key: string;
}

/** Throws FarmError, as readSearchSpec. */
export function readPlacedSpec(json: unknown, what?: string): PlacedSpec {
  const { args, target, key, ...rest } = readSearchSpec(json, what);
  if (Array.isArray(args) && target !== undefined && key !== undefined) return { ...rest, args, target, key };
  throw badInput(`${what ?? "the search"}: args, target and key are not all known`, {
    rule: "search.spec",
  });
}

export function nameOfTask(task: SearchTask): string {
  if ("template" in task) return task.template;
  if ("operator" in task) return task.operator;
  return task.name ?? ("file" in task ? task.file : task.kernel);
}

/** `seed: it is "x"; it takes a number`. `what` names the value. Throws FarmError INVALID_ARGUMENT. */
export function readSearchSpec(json: unknown, what = "the search"): SearchSpec {
  const refuse = (why: string): never => {
    throw badInput(`${what}: ${why}`, { rule: "search.spec" });
  };
  const unnamed = unnamable(json);
  if (unnamed !== undefined) return refuse(`${unnamed}: ${unnamableWords}`);
  const why = json === undefined ? undefined : whyUnrecordable(json as Json);
  if (why !== undefined) return refuse(`it has ${why}; allowed: whole characters, finite numbers, at most 64 levels`);
  const bytes = new TextEncoder().encode(JSON.stringify(json) ?? "").length;
  if (bytes > mostSpecBytes) return refuse(`it has ${bytes} bytes; allowed: at most ${mostSpecBytes}`);
  const read = document.safeParse(json);
  if (read.success) {
    indexedText("task", nameOfTask(read.data.task), `${what}: the task's name`);
    return read.data;
  }
  return refuse(issueWordsOf(read.error, "the search", (at) => fieldsAt(at)));
}

/** What a search says of each of its records. */
export function saidOfRecords({ task, args, tuner, seed = searchDefaults.seed, budget }: SearchSpec) {
  const name = nameOfTask(task);
  return {
    ...{ task: name, template: name, args: Array.isArray(args) ? (args as readonly Json[]) : [] },
    ...defined({ templateVersion: "digest" in task ? task.digest : "version" in task ? task.version : undefined }),
    ...(tuner === undefined ? {} : { tuner, seed }),
    ...defined({ trials: budget?.trials }),
  };
}

/** The searches in a log's notes, in order. Those of a later version are left out. */
export const searchesIn = (notes: readonly unknown[]): readonly SearchSpec[] =>
  notes.flatMap((note) => {
    const { data } = z.object({ search: document }).safeParse(note);
    return data ? [data.search] : [];
  });

/**
 * The notes of one search: of a template in an operator's log those that follow a search of that template, up to the next search.
 * All notes of any other log are of its one search.
 */
export function notesOf(notes: readonly unknown[], { task }: Pick<SearchSpec, "task">): readonly unknown[] {
  if (operatorIn(notes) === undefined) return notes;
  let name: string | undefined;
  return notes.filter((note) => {
    const [search] = searchesIn([note]);
    if (search) name = nameOfTask(search.task);
    return name === nameOfTask(task);
  });
}

/** The operator whose log it is. Its search has no results of its own; the searches of its templates follow it. */
export const operatorIn = (
  notes: readonly unknown[],
): (SearchSpec & { readonly task: { readonly operator: string } }) | undefined =>
  searchesIn(notes).findLast((each): each is SearchSpec & { task: { operator: string } } => "operator" in each.task);

/** By task: the version of the template that it was searched with, of a log's notes. A log without its search says none. */
export const templateVersionsIn = (notes: readonly unknown[]): ReadonlyMap<string, string> =>
  new Map(
    searchesIn(notes).flatMap(({ task }) =>
      "template" in task && task.version !== undefined ? [[task.template, task.version] as const] : [],
    ),
  );

/** The first fault of a document: its field, what is wrong, and for an unknown field which there are. */
export function issueWordsOf(error: z.ZodError, whole: string, fields: (at: string) => object): string {
  const [issue] = error.issues;
  const at = (issue?.path ?? []).map((part) => (typeof part === "number" ? `[${part}]` : `.${String(part)}`)).join("");
  const where = at.replace(/^\./, "") || whole;
  if (issue?.code !== "unrecognized_keys") return `${where}: ${issue?.message ?? "cannot be read"}`;
  return `${where}: ${issue.keys.join(", ")} is no field of it; fields are ${Object.keys(fields(at)).join(", ")}`;
}

function fieldsAt(at: string): object {
  if (at === ".measure") return measureShape;
  if (at === ".budget") return budgetFields.shape;
  if (at.startsWith(".finalists")) return finalistFields.shape;
  return document.shape;
}
