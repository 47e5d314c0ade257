/**
 * One log line: AutoTVM 0.2 JSON (docs/reference/autotvm.md 2.1). Our lines add an object `warpfarm` with what AutoTVM has no
 * field for.
 *   {"input": [target, task, args, {}], "config": {...}, "result": [costs, error_no, all_cost, timestamp], "version": 0.2,
 *    "tvm_version": "...", "warpfarm": {...}}
 * AutoTVM's tools read our lines and we read theirs. Only the AutoTVM field writes a failure as [1e9]. When a line has both, the
 * `warpfarm` object is the truth.
 */
import { defined, isDigest, isTarget, type Json, type MeasureErrorNo, medianSeconds, toProgramDigest } from "@warpfarm/common";
import { z } from "zod";
import type { ConfigJson } from "../tuning-record.ts";
import { wellFormed } from "../well-formed.ts";
import type { LogRecord, TrialRecord } from "./record.ts";
import { optionsFromJson, optionsSchema, optionsToJson, resultFromJson, resultSchema, resultToJson } from "./result-json.ts";
import { autotvmTarget } from "./target-text.ts";

const writer = "warpfarm 0.1";

const isJson = (value: unknown): boolean =>
  typeof value === "object" && value !== null
    ? Object.values(value).every(isJson)
    : typeof value !== "number" || Number.isFinite(value);
/** What JSON.parse gave, but for numbers that are too large for JSON to be written again. */
export const jsonSchema = z.unknown().refine(isJson, "is no JSON value") as unknown as z.ZodType<Json>;

const trialSchema = z.object({
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
  options: optionsSchema,
});
export const lineSchema = z.object({
  input: z.tuple([z.string(), z.string(), z.array(jsonSchema), z.looseObject({})]),
  config: z.object({
    index: z.number().int().nonnegative(),
    code_hash: z.string().nullable(),
    entity: z.array(z.tuple([z.string(), z.enum(["sp", "re", "an", "ot"]), jsonSchema])),
  }),
  result: z.tuple([z.array(z.number()), z.number().int().min(0).max(8), z.number(), z.number()]),
  version: z.literal(0.2),
  tvm_version: z.string(),
  warpfarm: z.intersection(trialSchema, resultSchema).optional(),
});

const isLine = wellFormed(lineSchema);

export function encodeTrial(trial: TrialRecord): string {
  const { run, result, config } = trial;
  const timed = result.kind === "timed";
  return JSON.stringify({
    input: [autotvmTarget(run.target), run.task, run.args, {}],
    config,
    result: [
      timed ? result.costs : [1e9],
      timed ? 0 : result.errorNo,
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
      seconds: timed ? medianSeconds(result.costs) : null,
      options: optionsToJson(trial.options),
      ...resultToJson(result),
    },
  });
}

/**
 * A parsed line, or undefined for a row of AutoTVM's version 0.1, which AutoTVM skips too. Throws Error that says what is wrong.
 */
export function decodeLine(text: string): LogRecord | undefined {
  const json: unknown = JSON.parse(text);
  if (typeof json === "object" && json !== null && "v" in json && json.v === 0.1) return undefined;
  const line = isLine(json) ? (json as z.infer<typeof lineSchema>) : parsed(json);
  const { input, result, warpfarm, tvm_version } = line;
  const [targetText, task, args] = input as [string, string, Json[], object];
  const config: ConfigJson = line.config;
  if (!warpfarm) {
    const [costs, errorNo, allCost, timestamp] = result;
    const trial = {
      task,
      args,
      targetText,
      config,
      costs: errorNo === 0 ? costs : [],
      errorNo: errorNo as MeasureErrorNo,
      allCost,
      timestamp,
    };
    return { kind: "autotvm", trial: { ...trial, tvmVersion: tvm_version } };
  }
  const { tuner, seed, target, session, sequence, told, duplicate_of, program } = warpfarm;
  return {
    kind: "warpfarm",
    trial: {
      run: { task, args, target, tuner, seed },
      session,
      sequence,
      told,
      config,
      ...(program === undefined ? {} : { program: toProgramDigest(program) }),
      ...defined({ duplicateOf: duplicate_of }),
      options: optionsFromJson(warpfarm.options),
      result: resultFromJson(warpfarm),
    },
  };
}

function parsed(json: unknown): z.infer<typeof lineSchema> {
  const { data, error } = lineSchema.safeParse(json);
  if (data) return data;
  const [issue] = error.issues;
  throw new Error(`${issue?.path.join(".") || "the line"}: ${issue?.message}`);
}
