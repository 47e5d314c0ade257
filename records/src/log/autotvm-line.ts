/**
 * One log line: AutoTVM 0.2 JSON (docs/reference/autotvm.md 2.1), or 0.1. Our lines add an object `warpfarm` with what AutoTVM
 * has no field for.
 *   {"input": [target, task, args, {}], "config": {...}, "result": [costs, error_no, all_cost, timestamp], "version": 0.2,
 *    "tvm_version": "...", "warpfarm": {...}}
 * AutoTVM's tools read our lines and we read theirs. Only the AutoTVM field writes a failure as [1e9], and the costs of a program
 * that ended early as those of any other. When a line has both, the `warpfarm` object is the truth.
 */
import { defined, isDigest, isTarget, type Json, type MeasureErrorNo, medianSeconds, toProgramDigest } from "@warpfarm/common";
import { isFields, parseJson } from "../json-text.ts";
import {
  failedSchema,
  optionsForm,
  resultFromJson,
  resultToJson,
  slowerSchema,
  timedSchema,
  timesRead,
} from "../measure-json.ts";
import { timesAsResult } from "../measured-time.ts";
import { z } from "../schema.ts";
import type { ConfigJson } from "../tuning-record.ts";
import { wellFormed } from "../well-formed.ts";
import type { LogRecord, TrialRecord } from "./record.ts";
import { autotvmTarget } from "./target-text.ts";

const writer = "warpfarm 0.1";

const isJson = (value: unknown): boolean =>
  typeof value === "object" && value !== null
    ? Object.values(value).every(isJson)
    : typeof value !== "number" || Number.isFinite(value);
/** What JSON.parse gave, except numbers that are too large to be written again. */
const jsonSchema = z.unknown().refine(isJson, "is no JSON value") as unknown as z.ZodType<Json>;

const trialParts = {
  version: z.literal(1),
  session: z.string(),
  sequence: z.number().int().positive(),
  told: z.number().int().nonnegative(),
  tuner: z.string(),
  seed: z.number().int(),
  target: z.string().refine(isTarget, "is no build target"),
  program: z.string().refine(isDigest, "is no digest").optional(),
  /** 0: the duplicate of the default schedule, which is measured before any trial. */
  duplicate_of: z.number().int().min(0).optional(),
  /** The median of the costs, for people. */
  seconds: z.number().nullable().optional(),
  searched_ms: z.number().nonnegative().optional(),
  options: optionsForm.schema,
};
const entityEntry = z.tuple([z.string(), z.enum(["sp", "re", "an", "ot"]), jsonSchema]);
/** Costs, error number, all_cost and timestamp. Which costs are times of a run is known to measured-time.ts. */
const resultTuple = z.tuple([z.array(z.unknown()), z.number().int().min(0).max(8), z.unknown(), z.unknown()]);
export const lineSchema = z.object({
  input: z.tuple([z.string(), z.string(), z.array(jsonSchema), z.looseObject({})]),
  config: z.object({
    index: z.number().int().nonnegative(),
    code_hash: z.string().nullable(),
    entity: z.array(entityEntry),
  }),
  result: resultTuple,
  version: z.literal(0.2),
  tvm_version: z.string(),
  warpfarm: z
    .discriminatedUnion("kind", [
      z.object({ ...trialParts, ...timedSchema.shape }),
      z.object({ ...trialParts, ...slowerSchema.shape }),
      z.object({ ...trialParts, ...failedSchema.shape }),
    ])
    .optional(),
});

const isLine = wellFormed(lineSchema);

export function encodeTrial(trial: TrialRecord): string {
  const { run, result, config } = trial;
  const costs = result.kind === "failed" ? [1e9] : result.costs;
  return JSON.stringify({
    input: [autotvmTarget(run.target), run.task, run.args, {}],
    config,
    result: [
      costs,
      result.kind === "failed" ? result.errorNo : 0,
      (result.buildMs + result.runMs) / 1000,
      result.timestampMs / 1000,
    ],
    version: 0.2,
    tvm_version: writer,
    warpfarm: {
      version: 1,
      session: trial.session,
      sequence: trial.sequence,
      told: trial.told,
      tuner: run.tuner,
      seed: run.seed,
      target: run.target,
      ...defined({ program: trial.program, duplicate_of: trial.duplicateOf }),
      seconds: result.kind === "timed" ? medianSeconds(costs) : null,
      ...defined({ searched_ms: trial.searchedMs }),
      options: optionsForm.to(trial.options),
      ...resultToJson(result),
    },
  });
}

/** AutoTVM's version 0.1, of TVM up to 0.6, with its fields under the names of 0.2. */
const oldSchema = z.object({
  i: z.tuple([
    z.string(),
    z.string(),
    z.array(jsonSchema),
    jsonSchema,
    jsonSchema,
    z.object({
      i: z.number().int().nonnegative(),
      t: jsonSchema.optional(),
      c: z.string().nullable(),
      e: z.array(entityEntry),
    }),
  ]),
  r: resultTuple,
  v: z.literal(0.1),
});

/** A parsed line. Throws Error. */
export function decodeLine(text: string): LogRecord {
  const read = parseJson(text);
  const json = isFields(read) && "warpfarm" in read ? { ...read, warpfarm: timesRead(read.warpfarm as Json) } : read;
  if (typeof json === "object" && json !== null && "v" in json && !("version" in json)) return decodeOld(json);
  const line = isLine(json) ? (json as z.infer<typeof lineSchema>) : parsed(lineSchema, json);
  const { input, result, warpfarm, tvm_version: tvmVersion } = line;
  const [targetText, task, args] = input as [string, string, Json[], object];
  const config: ConfigJson = line.config;
  if (!warpfarm) return { kind: "autotvm", trial: { task, args, targetText, config, ...measuredOf(result), tvmVersion } };
  const { tuner, seed, target, session, sequence, told, duplicate_of, program, searched_ms } = warpfarm;
  return {
    kind: "warpfarm",
    trial: {
      run: { task, args, target, tuner, seed },
      session,
      sequence,
      told,
      config,
      ...(program === undefined ? {} : { program: toProgramDigest(program) }),
      ...defined({ duplicateOf: duplicate_of, searchedMs: searched_ms }),
      options: optionsForm.from(warpfarm.options),
      result: resultFromJson(warpfarm),
    },
  };
}

function decodeOld(json: unknown): LogRecord {
  const { i, r } = parsed(oldSchema, json);
  const [targetText, task, args, kwargs, workload, { i: index, t, c: code_hash, e: entity }] = i;
  const { more, ...measured } = measuredOf(r);
  const trial = { task, args, targetText, config: { index, code_hash, entity }, ...measured, tvmVersion: "0.6 or older" };
  return { kind: "autotvm", trial: { ...trial, more: { ...more, kwargs, workload, ...defined({ template_key: t }) } } };
}

/** The costs of a failure are a stub such as 1e9, and those of other lines times of a run, or the line is a failure too. */
function measuredOf([costs, error, allCost, timestamp]: z.infer<typeof resultTuple>) {
  const of = error === 0 ? timesAsResult(costs, 1000) : undefined;
  const noTime = of?.kind === "failed" ? of.message : undefined;
  const isKept = of?.kind !== "timed" && costs.length > 0 && costs.every((cost) => typeof cost === "number");
  return {
    costs: of?.kind === "timed" ? of.costs : [],
    errorNo: (of?.kind === "failed" ? of.errorNo : error) as MeasureErrorNo,
    ...defined({ noTime }),
    allCost: typeof allCost === "number" && allCost > 0 ? allCost : 0,
    timestamp: typeof timestamp === "number" && timestamp > 0 ? timestamp : 0,
    more: isKept ? { costs: costs as readonly number[] } : {},
  };
}

function parsed<T>(schema: z.ZodType<T>, json: unknown): T {
  const { data, error } = schema.safeParse(json);
  if (error === undefined) return data as T;
  const [issue] = error.issues;
  throw new Error(`${issue?.path.join(".") || "the line"}: ${issue?.message}`);
}
