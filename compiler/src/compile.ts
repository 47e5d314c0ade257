/** From a program to the text that a toolchain compiles: replay the trace, infer, check, lower, print. A refusal is a value. */

import type { Refusal } from "@warpfarm/common";
import {
  comparedShape,
  defined,
  err,
  isFloat,
  type ManifestNote,
  ok,
  parseTarget,
  type Result,
  type Target,
} from "@warpfarm/common";
import type { Kernel, PrimFunc } from "./ir/prim-func.ts";
import { printFunc } from "./ir/print.ts";
import type { LoweringLog } from "./lowering-log.ts";
import type { ScheduleError } from "./schedule/error.ts";
import { type Inferred, infer } from "./schedule/infer.ts";
import { replay, type Schedule } from "./schedule/schedule.ts";
import { noAnnotations, type Stage, type State } from "./schedule/state.ts";
import { snakeCase, type TraceStep } from "./schedule/trace.ts";
import type { CudaSourceArg } from "./serial/launch-json.ts";
import type { CodeProgram, Program, ScheduleProgram } from "./serial/program.ts";
import { isReferenceTrace } from "./target/default-schedule.ts";
import { gpuLimits } from "./target/gpu-limits.ts";
import { type DeviceText, emit, lowerUntil, lowerVerified, manifestBuffer, passNames } from "./target/index.ts";
import { targets } from "./target/targets.ts";
import { stageModels } from "./te/stage-models.ts";
import { verifyLimits } from "./verify/limits.ts";
import { verifyScheduled } from "./verify/scheduled.ts";

export interface CompileError extends Refusal {
  /** 1 INSTANTIATION_ERROR: the schedule was refused. 2 COMPILE_HOST: lowering was. */
  readonly errorNo: 1 | 2;
}

export interface CompileOptions {
  readonly log?: LoweringLog;
  readonly remarks?: readonly string[];
}

const ofSchedule = (error: ScheduleError): CompileError => ({ errorNo: 1, rule: error.rule, message: error.message });
const ofRefusal = (errorNo: 1 | 2, { rule, message }: Refusal): CompileError => ({
  errorNo,
  rule,
  message: `${message} [${rule}]`,
});

interface Scheduled {
  readonly inferred: Inferred;
  readonly target: Target;
}

/** Ten times as many as the longest tutorial needs. */
const maxTraceSteps = 1000;

function replayed(program: ScheduleProgram): Result<Schedule, CompileError> {
  const steps = program.trace.length;
  if (steps > maxTraceSteps) {
    const message = `the schedule has ${steps} steps; at most ${maxTraceSteps} [trace.length]`;
    return err({ errorNo: 1, rule: "trace.length", message });
  }
  const made = replay(program.graph, program.trace, program.intrinsics);
  return made.ok ? made : err(ofSchedule(made.error));
}

const logged = <T>(log: LoweringLog | undefined, name: string, run: () => T): T => (log ? log.step(name, run) : run());

function scheduled(program: ScheduleProgram, log: LoweringLog | undefined): Result<Scheduled, CompileError> {
  log?.trace(program.trace.map(stepText));
  const schedule = logged(log, "replay", () => replayed(program));
  if (!schedule.ok) return schedule;
  const inferred = logged(log, "infer", () => infer(schedule.value.state));
  if (!inferred.ok) return err(ofSchedule(inferred.error));
  const [limit] = verifyLimits(inferred.value, gpuLimits(program.target));
  if (limit) return err(ofRefusal(1, limit));
  return ok({ inferred: inferred.value, target: parseTarget(program.target) });
}

interface Lowered {
  readonly func: PrimFunc<"scheduled">;
  readonly kernels: readonly Kernel[];
}

function lowered({ inferred, target }: Scheduled, log: LoweringLog | undefined): Result<Lowered, CompileError> {
  const func = logged(log, "nest", () => inferred.func());
  const [wrong] = verifyScheduled(func);
  if (wrong) return err(ofRefusal(1, wrong));
  log?.nest(func);
  const kernels = logged(log, "lower", () => lowerVerified(func, target, log?.hooks));
  if (!kernels.ok) {
    const first = kernels.error[0] as Refusal;
    return err(ofRefusal(first.rule.startsWith("tensorize.") ? 1 : 2, first));
  }
  return ok({ func, kernels: kernels.value });
}

/** Text, launches and buffers of a program. */
export function compileProgram(program: Program, options: CompileOptions = {}): Result<DeviceText, CompileError> {
  if (program.kind !== "schedule") return codeText(program);
  const { log } = options;
  const nest = scheduled(program, log);
  if (!nest.ok) return nest;
  const made = lowered(nest.value, log);
  if (!made.ok) return made;
  const remarks = [...(options.remarks ?? []), ...program.trace.map(stepText)];
  const { kernels, func } = made.value;
  const text = logged(log, "emit", () => emit(kernels, func.params, nest.value.target, { graph: program.graph, remarks }));
  log?.text(languageOf(program.target).extension, text.text);
  const stages = isReference(program) ? stageModels(program.graph) : [];
  return ok(stages.length === 0 ? text : { ...text, stages });
}

/** Is this the schedule of references? All its stages are buffers then, which a runner can examine. */
const isReference = ({ graph, trace, target }: ScheduleProgram): boolean =>
  graph.outputs.some((output) => isFloat(output.dtype)) && isReferenceTrace(graph, target, trace);

function codeOf(program: CodeProgram): readonly [language: string, text: string] {
  switch (program.kind) {
    case "ptx":
      return ["ptx", program.text];
    case "cubin":
      return ["cubin", program.code];
    default:
      return [languageOf(program.target).name, Object.entries(program.files).find(([name]) => name.endsWith(".cu"))?.[1] ?? ""];
  }
}

function codeText(program: CodeProgram): Result<DeviceText, CompileError> {
  const [language, text] = codeOf(program);
  return ok({
    language,
    text,
    kernels: program.kernels.map((kernel) => ({
      name: kernel.entry,
      grid: kernel.grid,
      block: kernel.block,
      dynamic_shared_bytes: kernel.shared_bytes,
      cluster: kernel.cluster,
      args: kernel.args ?? program.args.map((arg) => arg.name),
      ...(kernel.cooperative ? { attributes: [{ kind: "cooperative" as const }] } : {}),
    })),
    ...(program.constants === undefined
      ? {}
      : { constants: Object.entries(program.constants).map(([symbol, buffer]) => ({ symbol, buffer })) }),
    buffers: program.args.map(({ name, dtype, shape, role, fill, tolerance, sum_over, deterministic }) => ({
      ...manifestBuffer(name, dtype, shape, role, sum_over ? termsOf({ shape, sum_over }, program.args) : 1),
      ...(fill === "random" ? {} : { fill }),
      ...defined({ tolerance, sum_over, deterministic }),
    })),
    notes: [],
  });
}

function termsOf(output: Pick<CudaSourceArg, "shape" | "sum_over">, args: CodeProgram["args"]): number {
  const inputs = args.filter(({ role }) => role === "in" || role === "inout").map(({ shape }) => elementsIn(shape));
  return Math.max(1, Math.ceil(Math.max(0, ...inputs) / elementsIn(comparedShape(output))));
}

const elementsIn = (shape: readonly number[]): number => shape.reduce((product, extent) => product * extent, 1);

const stepText = ({ op, in: given, args, out }: TraceStep): string => {
  const values = Object.entries(args).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  return `  ${[op, ...given, ...values].join(" ")}${out.length > 0 ? ` -> ${out.join(" ")}` : ""}`;
};

export const languageOf = (target: string): { readonly name: string; readonly extension: string } =>
  targets.of(parseTarget(target).kind).language;

export const languages = (): readonly string[] => targets.all.map(({ language }) => language.name);

/** What `warpfarm lower` can show: the loop nest, text in one of the languages, launches, the trace. */
export const lowerForms = (): readonly string[] => ["ir", ...languages(), "launch", "trace"];

export interface LowerOptions {
  readonly emit: string;
  readonly until?: string;
  /** With emit "ir": the name of a lowering pass, to show the function after it. Unset = the nest before all passes. */
  readonly after?: string;
  readonly log?: LoweringLog;
  readonly onNotes?: (notes: readonly ManifestNote[]) => void;
}

/** A program, or its beginning, in one of the forms, as text. */
export function lowerProgram(program: ScheduleProgram, options: LowerOptions): Result<string, CompileError> {
  const shortened = options.until === undefined ? ok(program) : upTo(program, options.until);
  if (!shortened.ok) return shortened;
  switch (options.emit) {
    case "trace":
      return ok(shortened.value.trace.map((step) => `${JSON.stringify(step)}\n`).join(""));
    case "ir":
      return irText(shortened.value, options);
    case "launch":
      return launchText(shortened.value, options);
    default: {
      const made = compileProgram(shortened.value, logOf(options));
      if (made.ok && made.value.language !== options.emit) {
        const message = `a program for ${program.target} is printed as ${made.value.language}, not as ${options.emit}`;
        return err({ errorNo: 2, rule: "lower.language", message: `${message} [lower.language]` });
      }
      if (made.ok) options.onNotes?.(made.value.notes);
      return made.ok ? ok(made.value.text) : made;
    }
  }
}

const logOf = ({ log }: LowerOptions): CompileOptions => (log === undefined ? {} : { log });

function upTo(program: ScheduleProgram, primitive: string): Result<ScheduleProgram, CompileError> {
  const word = snakeCase(primitive);
  const last = program.trace.findLastIndex((step) => step.op === word);
  if (last < 0) {
    const used = [...new Set(program.trace.map((step) => step.op))].join(", ");
    const message = `the schedule has no step ${JSON.stringify(word)}; it has ${used || "no steps"}`;
    return err({ errorNo: 1, rule: "lower.until", message: `${message} [lower.until]` });
  }
  return ok({ ...program, trace: program.trace.slice(0, last + 1) });
}

/** Not checked against the target's limits, because a partial schedule may exceed them. */
function irText(program: ScheduleProgram, { until, after, log }: LowerOptions): Result<string, CompileError> {
  const schedule = replayed(program);
  if (!schedule.ok) return schedule;
  const { state } = schedule.value;
  const inferred = infer(until === undefined ? state : unplacedAsGlobal(state));
  if (!inferred.ok) return err(ofSchedule(inferred.error));
  const func = inferred.value.func();
  if (after === undefined) return ok(printFunc(func));
  const target = parseTarget(program.target);
  const passes = passNames(target);
  if (!passes.includes(after)) {
    const message = `there is no lowering pass ${JSON.stringify(after)}; there are ${passes.join(", ")}`;
    return err({ errorNo: 2, rule: "lower.after", message: `${message} [lower.after]` });
  }
  log?.nest(func);
  return ok(printFunc(lowerUntil(func, target, after, log?.hooks)));
}

function unplacedAsGlobal(state: State): State {
  const stages = state.stages.map(
    (s): Stage =>
      s.placement.kind === "root" && s.scope !== "global" ? { ...s, scope: "global", annotations: noAnnotations } : s,
  );
  return { ...state, stages };
}

/** One line of JSON per kernel (name, grid, block, dynamic shared bytes, arguments), then one line with the buffers. */
function launchText(program: ScheduleProgram, options: LowerOptions): Result<string, CompileError> {
  const made = compileProgram(program, logOf(options));
  if (!made.ok) return made;
  const { kernels, buffers, maps, notes } = made.value;
  options.onNotes?.(notes);
  return ok(
    [...kernels.map((kernel) => ({ kernel })), { buffers, ...defined({ maps }) }]
      .map((line) => `${JSON.stringify(line)}\n`)
      .join(""),
  );
}
