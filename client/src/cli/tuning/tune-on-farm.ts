/**
 * A tuning run on an open farm: measurer, session, the best kernel's text, and messages of an early end. Shared by `tune` and the
 * demo.
 */
import { join } from "node:path";
import {
  anySignal,
  backendOf,
  defaultMeasureOptions,
  defined,
  FarmError,
  type MeasureOptions,
  Random,
  type SessionId,
} from "@warpfarm/common";
import { decodeProgram, languageOf, lowerProgram } from "@warpfarm/compiler";
import { connect } from "@warpfarm/proto";
import type { RecordStore } from "@warpfarm/records";
import { isTemplateTask, type Task } from "@warpfarm/templates";
import { sendUploads } from "../../kernel/bundles.ts";
import { codeAsMeasured } from "../../kernel/source-text.ts";
import { type InTurnsOptions, inTurns } from "../../measure/in-turns.ts";
import { type RemoteMeasurerOptions, remoteMeasurer } from "../../measure/remote.ts";
import { defaultSeed, defaultTrials, defaultTuner } from "../../search/defaults.ts";
import { FarmRecords, orUsual, warmStartWords } from "../../search/farm-records.ts";
import { finalsPaired } from "../../search/finalists.ts";
import { knownFailures } from "../../search/known-failures.ts";
import { MoreTrials } from "../../search/more-trials.ts";
import { provenanceOf, timesOf } from "../../search/provenance.ts";
import { openSearchInputs, searchIdentity, type TransferLogs, usesFarm } from "../../search/search-inputs.ts";
import type { TuningLog } from "../../search/tuning-log.ts";
import { warmStartOf } from "../../search/warm-start-note.ts";
import { optionsOfRecords } from "../../tuner/outlined.ts";
import type { StopRules } from "../../tuner/stop-rules.ts";
import type { ShareSource } from "../../tuner/tuner.ts";
import type { TuneFlags } from "../commands/tune.ts";
import type { CliContext } from "../context.ts";
import { CliError, exitCode } from "../exit.ts";
import { checkBuilders, type FarmAccess, limitsReached, selectorFor } from "../farm/farm-access.ts";
import { measureOptionsOf } from "../flags/measure-flags.ts";
import { limitsOf, programOf } from "../flags/task-flags.ts";
import { recordsHere } from "../records/source.ts";
import { fewerWords } from "../terminal/words.ts";
import { defaultGiveUpMs, GiveUp } from "./give-up.ts";
import { resumeCommand } from "./resume-command.ts";
import { followControl } from "./session-control.ts";
import { silenceOf } from "./silence.ts";
import type { SummaryFacts, TuneReport } from "./tune-report.ts";
import { indexIn, keepKernel, runTune, shown, type TuneEnd, type TuneRun } from "./tune-run.ts";

export interface FarmRun {
  readonly task: Task;
  /** Match key of the device. */
  readonly key: string;
  readonly flags: TuneFlags;
  readonly logPath: string;
  /** What --transfer names, read. */
  readonly transfer?: TransferLogs;
}

export interface FarmEnd {
  readonly report: TuneReport;
  readonly facts: Omit<SummaryFacts, "files">;
  readonly files: readonly (readonly [what: string, path: string])[];
}

/** Throws when the run was stopped or the farm was lost. Results so far are in the log. */
export async function tuneOnFarm(context: CliContext, farm: FarmAccess, asked: FarmRun): Promise<FarmEnd> {
  const { task, key, flags, logPath, transfer = { sources: [], digests: [] } } = asked;
  checkBuilders(context, farm, task.target);
  const options = measureOptionsOf(flags, backendOf(key));
  const seed = flags.seed ?? defaultSeed;
  const inFlight = flags.inFlight ?? 16;
  const selector = selectorFor(farm, { key, where: flags.where, task });
  const limits = limitsOf(flags, task.target, limitsReached(farm, selector));
  const tuner = flags.tuner ?? defaultTuner;
  const search = searchIdentity(flags, transfer, tuner, isTemplateTask(task));
  await using inputs = await openSearchInputs(context, task, flags, transfer, tuner);
  await using tracker = connect(farm.channel);
  const warmStart = await warmStartFor(context, farm, tracker.records, asked);
  await sendUploads(tracker.artifacts, task, farm.signal);
  const ask = { task, selector, options, clock: context.clock, signal: farm.signal };
  const failed = farm.embedded || flags.retryFailures ? new Map() : await knownFailures(tracker.records, farm, ask);
  let opened = false;
  using silence = silenceOf(context, tracker, { selector, target: task.target });
  using giveUp = new GiveUp(context.clock, flags.giveUp ?? defaultGiveUpMs);
  const trials = flags.trials ?? defaultTrials;
  const more = new MoreTrials();
  const common = {
    farm: tracker.farm,
    task: `${task.name} ${JSON.stringify(task.args)}`.slice(0, 256),
    selector,
    options,
    ...defined({ priority: flags.priority, weight: flags.weight }),
    provenance: provenanceOf(task, { tuner, seed, trials }),
    ...defined({ keep: flags.keep }),
    clock: context.clock,
    random: new Random(seed),
    onLost: (error: FarmError, retryInMs: number) =>
      void context.stderr.write(`lost the tracker (${error.message}); trying again in ${(retryInMs / 1000).toFixed(1)} s\n`),
  };
  const measurer = (log: TuningLog) =>
    remoteMeasurer({
      ...common,
      provenance: { ...common.provenance, ...timesOf(log.defaultResult) },
      onControl: followControl(context.stderr, [silence, giveUp], { trials, more }),
      more,
      ...sessionsIn(log, context, (_session) => {
        opened = true;
      }),
      maxInFlight: inFlight + 1,
      onFewer: (allowed) => void context.stderr.write(fewerWords("--in-flight", inFlight, allowed)),
      ...(flags.reuse ? { reuse: true } : {}),
    });
  const end = await runTune(context, {
    task,
    isValid: (index) => task.validate(task.space.toIndex(index), limits).length === 0,
    measurer,
    options,
    tuner,
    seed,
    trials,
    more,
    inFlight,
    ...finalistsOf(asked, { ...common, onControl: followControl(context.stderr, [silence, giveUp]) }, (words) =>
      context.stderr.write(`${words}\n`),
    ),
    inputs: { ...inputs.options, ...optionsOfRecords(task, warmStart) },
    ...{ warmStart, knownFailures: failed },
    ...defined({ search }),
    stop: stopRules(flags),
    logPath,
    resume: flags.resume ?? false,
    signal: anySignal(farm.signal, giveUp.signal),
    onResult: () => {
      silence.heard();
      giveUp.heard();
    },
  }).catch((error: unknown) => {
    throw opened ? cutShort(context, farm, withMore(asked, trials, more), error) : error;
  });
  stoppedEarly(context, farm, end, withMore(asked, trials, more), giveUp.signal);
  return farmEnd(asked, end);
}

/** The log keeps the run's sessions. `opened` is called for each, and for the last one when it continues. */
function sessionsIn(
  log: TuningLog,
  { stderr }: CliContext,
  opened: (session: SessionId) => void,
): Pick<RemoteMeasurerOptions, "leftBehind" | "onSession" | "onTakeOver"> {
  return {
    leftBehind: log.farmSessions,
    onSession: (session) => {
      opened(session);
      return log.appendFarmSession(session);
    },
    onTakeOver: (measurements) => {
      const session = log.farmSessions.at(-1);
      if (session !== undefined) opened(session);
      if (measurements > 0) stderr.write(`taking over ${measurements} measurements of the previous run\n`);
    },
  };
}

/** Measures the fastest again, interleaved, on request. */
function finalistsOf(
  { key, flags }: FarmRun,
  session: Omit<InTurnsOptions, "paired" | "nodes">,
  tell: (words: string) => void,
): Pick<TuneRun, "finalists"> {
  const count = flags.finalists ?? 0;
  const paired = finalsPaired({ rounds: flags.rounds, idleMs: flags.idle }, count, { tell });
  const options = finalOptions(session.options, backendOf(key));
  const measure = inTurns({ ...session, options, paired, nodes: 2 });
  return count === 0 ? {} : { finalists: { count, paired, options, measure } };
}

/** The run with the trials that it was given meanwhile. */
const withMore = (run: FarmRun, trials: number, { count }: MoreTrials): FarmRun => ({
  ...run,
  flags: { ...run.flags, trials: trials + count },
});

/** A continued log begins as it began. */
async function warmStartFor(
  context: CliContext,
  farm: FarmAccess,
  records: RecordStore,
  { task, flags, logPath }: FarmRun,
): Promise<readonly ShareSource[]> {
  const { transfer, resume, tuner = defaultTuner } = flags;
  const warn = (message: string) => void context.stderr.write(`${message}\n`);
  if (transfer !== undefined && !usesFarm(flags)) return [];
  const isAsked = transfer !== undefined;
  const found = resume
    ? await warmStartOf(logPath, task.space)
    : await withStore(context, farm, records, (store) =>
        new FarmRecords(store, context.clock, warn).of(task, tuner, farm.signal),
      ).catch((error: unknown) => {
        if (isAsked || !(error instanceof FarmError)) throw error;
        farm.signal.throwIfAborted();
        warn(`this machine's records cannot be read (${error.message}); the search begins without them`);
        return [];
      });
  const begun = resume ? found : orUsual(found, task, tuner);
  if (begun.length > 0) context.stderr.write(warmStartWords(begun));
  if (found.length === 0 && isAsked && !resume)
    warn(`--transfer farm: the farm has no records of ${task.name} that apply to this space`);
  return begun;
}

/** An embedded farm uses this machine's records, which its tracker does not open. If there are none, nothing is opened. */
async function withStore(
  context: CliContext,
  { embedded }: FarmAccess,
  records: RecordStore,
  work: (store: RecordStore) => Promise<readonly ShareSource[]>,
): Promise<readonly ShareSource[]> {
  if (!embedded) return work(records);
  const { hasLocalRecords } = await import("@warpfarm/records");
  const directory = join(embedded.dataDir, "records");
  if (!(await hasLocalRecords(directory))) return [];
  await using store = await recordsHere(context, directory);
  return await work(store);
}

async function farmEnd({ task, key, logPath }: FarmRun, end: TuneEnd): Promise<FarmEnd> {
  const { best } = end.summary;
  const files: [string, string][] = [["log", logPath]];
  if (best) files.push(["kernel", await keepBest(task, best.trial.config.index, logPath)]);
  const { result } = best?.trial ?? {};
  const device = result?.kind === "timed" ? `${result.device.name} (${result.device.key})` : key;
  const facts = {
    title: `${task.name} ${JSON.stringify(task.args)}`,
    device,
    checked: result?.kind === "timed" && result.checked,
    finals: end.summary.finals,
    indexOf: indexIn(task.space),
  };
  return { report: end.report, facts, files };
}

/** Repeats have their usual length, however short those of the search are, and there is no cut-off. */
function finalOptions({ cutoffSeconds: _, ...options }: MeasureOptions, backend: string): MeasureOptions {
  return { ...options, minRepeatMs: Math.max(options.minRepeatMs, defaultMeasureOptions(backend).minRepeatMs) };
}

export const stopRules = ({ patience, deviceTime, wallTime }: TuneFlags): StopRules => ({
  ...defined({ patience }),
  ...(deviceTime === undefined ? {} : { deviceSeconds: deviceTime / 1000 }),
  ...(wallTime === undefined ? {} : { wallSeconds: wallTime / 1000 }),
});

/** Says how to continue a run whose session was open. Returns what to throw. */
function cutShort(context: CliContext, farm: FarmAccess, run: FarmRun, error: unknown): unknown {
  // A log that cannot be written says so itself.
  const saysAll =
    error instanceof FarmError &&
    (error.code === "INVALID_ARGUMENT" || error.code === "ABORTED" || error.rule === "log.unwritable");
  const path = shown(context, run.logPath);
  if (!saysAll) context.stderr.write(`results are safe in ${path}; continue with:\n  ${resumeCommand(context, run, farm)}\n`);
  // The input was accepted before, so somebody ended the session.
  if (error instanceof FarmError && error.code === "FAILED_PRECONDITION")
    return new CliError(exitCode.farmLost, error.message, { cause: error });
  return error;
}

/** An abort comes from the user, and has its own exit code and a way to continue; or it comes from the farm. */
function stoppedEarly(context: CliContext, farm: FarmAccess, { summary }: TuneEnd, run: FarmRun, givenUp: AbortSignal): void {
  if (!farm.signal.aborted && summary.reason !== "aborted") return;
  const path = shown(context, run.logPath);
  context.stderr.write(`${summary.trials} trials are safe in ${path}; continue with:\n  ${resumeCommand(context, run, farm)}\n`);
  if (context.signal.aborted) throw context.signal.reason;
  if (!farm.signal.aborted) throw givenUp.reason;
  const reason: unknown = farm.signal.reason;
  throw new CliError(exitCode.farmLost, `the farm was lost: ${reason instanceof Error ? reason.message : String(reason)}`, {
    cause: reason,
  });
}

async function keepBest(task: Task, index: number, logPath: string): Promise<string> {
  const decoded = decodeProgram(programOf(task, task.space.toIndex(index)).bytes);
  if (decoded.ok && decoded.value.kind !== "schedule") {
    const { extension, bytes } = codeAsMeasured(decoded.value);
    return keepKernel(logPath, extension, bytes);
  }
  if (!decoded.ok || decoded.value.kind !== "schedule") throw new Error("the program does not decode to a schedule");
  const { name, extension } = languageOf(task.target);
  const text = lowerProgram(decoded.value, { emit: name });
  if (!text.ok) throw new Error(`the best config cannot be printed: ${text.error.message}`);
  return keepKernel(logPath, extension, text.value);
}
