/** `measure`: builds, checks and times one config on a farm, and prints everything known about it. */
import { writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import {
  allConditions,
  assertNever,
  backendOf,
  badInput,
  configWords,
  countWords,
  defined,
  l2Of,
  type MeasureInput,
  type MeasureOptions,
  type MeasureResult,
  measureErrorName,
  medianSeconds,
  type ProgramBytes,
  type SessionId,
  type TimedResult,
  timeWords,
  unwritable,
} from "@warpfarm/common";
import type { ConfigIndex, Limits } from "@warpfarm/compiler";
import { resultToJson } from "@warpfarm/records/logs";
import { fittingTarget, type Task } from "@warpfarm/templates";
import { refusingTask } from "../../measure/decorators/refuse-task.ts";
import { type SessionsOf, sessionMeasurer, sessionsOf } from "../../search/farm-measurer.ts";
import { backendThere, chooseKey, keysWhere, limitsOf, limitsReached, selectorFor } from "../../search/farm-there.ts";
import { provenanceOf } from "../../search/provenance.ts";
import { checkBuilders } from "../../search/reach.ts";
import { measureOptionsFor } from "../../search/spec-options.ts";
import { taskOfSource } from "../../search/task-of-source.ts";
import { isKernel, sourceOf, type TaskSource } from "../../search/task-source.ts";
import type { CliContext, RegisterCommand } from "../context.ts";
import { CliError, type ExitCode, exitCode, withRule } from "../exit.ts";
import { backendFor, type FarmAccess, openFarm, placeOf } from "../farm/farm-access.ts";
import { addDeviceFlag, addWhereFlag, type DeviceFlags, type FarmFlags } from "../farm/farm-flags.ts";
import { inGroup } from "../flags/groups.ts";
import { addKeepFlag, type KeepFlags } from "../flags/keep-flag.ts";
import {
  addGateFlags,
  addLaunchFlags,
  checkGate,
  type GateFlags,
  type LaunchFlags,
  launchGroup,
  launchOf,
} from "../flags/launch-flags.ts";
import {
  addMeasureFlag,
  addPairedFlags,
  type GivenMeasure,
  type PairedFlags,
  pairedOptionsOf,
  readMeasure,
} from "../flags/measure-flags.ts";
import { readSettings, type Settings } from "../flags/settings.ts";
import { connection, takes } from "../flags/shared-flags.ts";
import {
  addTaskFlags,
  argsOf,
  indexOf,
  namedTarget,
  type TaskFlags,
  targetOf,
  tellNotes,
  tellSent,
} from "../flags/task-flags.ts";
import { buildWords, columns } from "../terminal/words.ts";
import { kernelBase, type OtherProgram, otherProgram, refuseOther } from "../tuning/other-program.ts";
import { pairedLines, pairedReport } from "../tuning/paired-report.ts";
import { gateOfResult, gateWords, junitXml } from "../tuning/regression-gate.ts";
import { silenceOf } from "../tuning/silence.ts";

interface Flags extends KeepFlags, TaskFlags, LaunchFlags, GateFlags, FarmFlags, DeviceFlags, GivenMeasure, PairedFlags {
  readonly index?: string;
  readonly paired?: string;
  readonly json?: boolean;
}

export const register: RegisterCommand = (program, context) => {
  const command = addTaskFlags(program.command("measure"))
    .option("--index <n>", "the config, a number, `published` or values as JSON; optional when there is only one")
    .option(
      "--paired <other>",
      "measure interleaved with another: a config, published, default (the default schedule), sha256:... of an artifact, a kernel's file (its default config) or another file; prints the ratio with its interval",
    );
  addDeviceFlag(addMeasureFlag(command));
  inGroup(command, "Interleaved with another:", (paired) => addPairedFlags(addGateFlags(paired)));
  inGroup(command, launchGroup, addLaunchFlags);
  inGroup(command, "On a farm:", (place) => addKeepFlag(addWhereFlag(place)));
  takes(command, ...connection).action((name: string, flags: Flags) => measureCommand(context, name, flags));
};

async function measureCommand(context: CliContext, name: string, given: Flags): Promise<void> {
  const { launch, flags } = launchOf(name, given, context);
  const measure = await readMeasure(given.measure, context.cwd);
  const settings = await readSettings(context);
  const source = await sourceOf(name, flags, context, launch);
  tellNotes(source, context);
  tellSent(source, context);
  const backend = backendFor(source.targets, flags);
  const place = placeOf(context, settings, flags, backend);
  const { paired: base } = flags;
  checkGate(flags);
  const ofKernel = base === undefined ? undefined : await kernelBase(base, source, launch, flags, context);
  if (base !== undefined && !ofKernel) refuseOther(base, context);
  if (base === undefined && (flags.rounds !== undefined || flags.idle !== undefined))
    throw badInput("--rounds and --idle are for interleaved programs; name the other program with --paired");
  // Before a farm is started.
  // Where only the farm knows the device, it decides which configs there are.
  const isKnown = !place.channel || namedTarget(flags.target) !== undefined;
  const usual = firstTask(source, flags, await targetsOf(source, backend, flags, settings, context), (task) => {
    if (isKnown) indexOf(task, flags.index);
    if (isKnown && base !== undefined && !ofKernel) otherProgram(base, task, context);
  });
  if (usual.comparesWithItself && !ofKernel && measure.check !== "none")
    throw badInput(
      `${name} has one config and no reference; give one with --reference, or skip the comparison with --measure check=none`,
    );
  await using farm = await openFarm(context, settings, place);
  const keys = keysWhere(farm, flags.where);
  const key = chooseKey(keys, backend ?? backendThere(source.targets, keys), flags.target);
  const task = taskOfSource(source, argsOf(flags), namedTarget(flags.target) ?? fittingTarget(source.targets, key));
  const index = indexOf(task, flags.index);
  const selector = selectorFor(farm, { key, where: flags.where, task });
  const limits = limitsOf(flags, task.target, limitsReached(farm, selector));
  const program = runnable(task, index, limits);
  const other = base === undefined ? undefined : (ofKernel?.(task.target) ?? otherProgram(base, task, context));
  if (other?.index !== undefined) runnable(task, task.space.toIndex(other.index), limits);
  checkBuilders(farm, task.target, (message) => void context.stderr.write(`${message}\n`));
  // Without another base, the base is the reference of the outputs.
  const reference = task.comparesWithItself && other && "bytes" in other.program ? other.program : task.reference;
  const input = { sequence: 1, program, reference };
  // A program compared with itself always agrees, which would look like a check.
  const isItself = other === undefined && program.digest === reference.digest && measure.check !== "none";
  if (isItself) context.stderr.write(`note: config ${index} is the reference; its outputs are compared with nothing\n`);
  const said = { ...measure, ...(isItself ? { check: "none" as const, judged: false } : {}) };
  const options = measureOptionsFor(said, backendOf(task.target), { isKernel: isKernel(source) });
  const asked = other ? { ...input, others: [other.program] } : input;
  const result = await measureOne(context, farm, { task, selector, options, provenance: provenanceOf(task) }, flags, asked);
  await keepJunit(context, task, flags, base, result);
  if (other && result.kind === "timed") return tellPaired(context, task, index, { program, result, other, flags });
  const config = Object.fromEntries(task.space.get(index).values);
  const seconds = result.kind === "timed" ? medianSeconds(result.costs) : null;
  const gflops = seconds === null ? null : task.flops / seconds / 1e9;
  // As in records, `build_ms` is absent where nothing was compiled.
  const json = { ...resultToJson(result), ...(result.buildMs > 0 ? {} : { build_ms: undefined }) };
  if (flags.json)
    context.stdout.write(`${JSON.stringify({ index, config, program: program.digest, seconds, gflops, result: json })}\n`);
  else context.stdout.write(columns([["config", `index ${index}: ${configWords(config)}`], ...details(result, options, gflops)]));
  const code = codeOf(result);
  if (code !== exitCode.ok) context.setExitCode(code);
}

/** A target of each kind of device on which it may come to run. */
function targetsOf(
  source: TaskSource,
  backend: string | undefined,
  flags: Flags,
  settings: Settings,
  context: CliContext,
): Promise<readonly string[]> {
  const kinds = backend === undefined ? new Set(source.targets.map(({ kind }) => kind)) : [flags.target];
  return Promise.all([...kinds].map((target) => targetOf(source, { ...flags, ...defined({ target }) }, settings, context)));
}

/** The task on the first of the targets that refuses neither it nor what `read` reads. Throws the first refusal if all refuse. */
function firstTask(source: TaskSource, flags: Flags, targets: readonly string[], read: (task: Task) => void): Task {
  const refusals: unknown[] = [];
  for (const target of targets) {
    try {
      const task = taskOfSource(source, argsOf(flags), target);
      read(task);
      return task;
    } catch (error) {
      refusals.push(error);
    }
  }
  throw refusals[0];
}

function runnable(task: Task, index: ConfigIndex, limits: Limits): ProgramBytes {
  const [violation] = task.validate(index, limits);
  const instance = task.instantiate(index);
  if (!violation && instance.ok) return instance.value.program;
  const { rule, message } = violation ?? (instance.ok ? { rule: "", message: "" } : instance.error);
  throw new CliError(exitCode.noResult, `config ${index} cannot run on ${task.target}: ${withRule({ message, rule })}`);
}

interface Paired {
  readonly program: ProgramBytes;
  readonly result: TimedResult;
  readonly other: OtherProgram;
  readonly flags: Flags;
}

function tellPaired(context: CliContext, task: Task, index: ConfigIndex, { program, result, other, flags }: Paired): void {
  const config = Object.fromEntries(task.space.get(index).values);
  const paired = pairedOptionsOf(flags);
  const gate = flags.failAbove === undefined ? undefined : gateOfResult(result, flags.failAbove);
  const verdict = gate ? { gate: { verdict: gate.verdict, fail_above: gate.failAbove } } : {};
  const report = {
    index,
    config,
    program: program.digest,
    ...pairedReport(result, other, paired),
    ...verdict,
    device: result.device,
  };
  if (gate?.verdict === "regression") context.setExitCode(exitCode.checkFailed);
  if (flags.json) context.stdout.write(`${JSON.stringify(report)}\n`);
  else
    context.stdout.write(
      columns([
        ["config", `index ${index}: ${configWords(config)}`],
        ...pairedLines(result, other, paired),
        ...(gate ? [["gate", gateWords(gate)] as const] : []),
      ]),
    );
}

async function keepJunit(
  context: CliContext,
  task: Task,
  { failAbove, junit }: GateFlags,
  base: string | undefined,
  result: MeasureResult,
): Promise<void> {
  if (junit === undefined || failAbove === undefined) return;
  const outcome = result.kind === "timed" ? gateOfResult(result, failAbove) : result;
  const seconds = result.kind === "timed" ? medianSeconds(result.costs) : 0;
  const timestamp = new Date(context.clock.now());
  const text = junitXml({ name: `${task.name} ${JSON.stringify(task.args)}`, against: base ?? "", seconds, timestamp, outcome });
  await writeFile(resolve(context.cwd, junit), text).catch(unwritable(`--junit names ${JSON.stringify(junit)}, which`));
}

async function measureOne(
  context: CliContext,
  farm: FarmAccess,
  of: SessionsOf,
  flags: KeepFlags & PairedFlags,
  input: MeasureInput,
): Promise<MeasureResult> {
  const { connect } = await import("@warpfarm/proto");
  await using tracker = connect(farm.channel);
  const { task } = of;
  const sessions = await sessionsOf({ tracker, clock: context.clock }, of, farm.signal);
  const paired = input.others ? pairedOptionsOf(flags) : undefined;
  using silence = silenceOf(context, tracker);
  const onSession = async (id: SessionId) => silence.follow(id);
  const measurer = sessionMeasurer(sessions, 1, { onSession, ...defined({ keep: flags.keep, paired }) });
  async function* inputs() {
    yield input;
  }
  const asked = refusingTask(measurer, `${task.name} ${JSON.stringify(task.args)}`);
  for await (const { result } of asked.measure(inputs(), { signal: farm.signal })) return result;
  throw new CliError(exitCode.farmLost, "the farm gave no result");
}

function codeOf(result: MeasureResult): ExitCode {
  if (result.kind !== "failed") return result.kind === "timed" ? exitCode.ok : exitCode.noResult;
  return measureErrorName(result.errorNo) === "WRONG_ANSWER" ? exitCode.checkFailed : exitCode.noResult;
}

function judgedRows({ judged }: TimedResult): [string, string][] {
  if (judged === undefined) return [];
  if ("not" in judged) return [["judged", `not judged: ${judged.not}`]];
  const { sets, audit, racecheck } = judged;
  const words = audit
    ? `audited on ${audit.sets} sets of inputs; ${timeWords(medianSeconds(audit.scored))} on ${sets} in turn`
    : `on ${sets} sets of inputs in turn; not audited`;
  const unlike = audit?.unlike ? `; not bit-stable: ${audit.unlike} runs beside other work gave other bits` : "";
  const races: [string, string][] = racecheck === undefined ? [] : [["racecheck", `${racecheck} (it sees shared memory only)`]];
  return [["judged", `${words}${unlike}`], ...races];
}

const leaseRows = ({ lease }: MeasureResult): [string, string][] =>
  lease ? [["lease", `queue ${ms(lease.queueMs)}, transfer ${ms(lease.transferMs)}, held ${ms(lease.heldMs)}`]] : [];

const ms = (value: number): string => `${value.toFixed(1)} ms`;

function details(result: MeasureResult, options: MeasureOptions, gflops: number | null): [string, string][] {
  const phases: [string, string][] = [
    ...(result.kind === "failed" && result.device === undefined && result.buildMs === 0
      ? []
      : [["build", buildWords(result.buildMs)] as [string, string]]),
    ["at the runner", `${ms(result.runMs)}, attempt ${result.attempt}`],
    ...leaseRows(result),
  ];
  switch (result.kind) {
    case "timed":
      return [
        ["time", `${timeWords(medianSeconds(result.costs))}${gflops === null ? "" : `, ${gflops.toFixed(2)} GFLOPS`}`],
        ["repeats", `${result.costs.map((seconds) => timeWords(seconds)).join(", ")} (${result.number} runs each)`],
        ...judgedRows(result),
        ["conditions", allConditions(options, l2Of(options, result.judged))],
        ["check", result.checked ? "every output agrees with the reference" : "not checked"],
        ["device", `${result.device.name} (${result.device.key}) on ${result.device.node}`],
        ["artifact", result.artifact],
        ...Object.entries(result.observations).map(([name, value]): [string, string] => [name, String(value)]),
        ...phases,
      ];
    case "slower": {
      const repeats = `it ended after ${countWords(result.costs.length, "repeat")}`;
      return [["slower", `at least ${timeWords(result.atLeast)} a run, so the cutoff wins; ${repeats}`], ...phases];
    }
    case "failed": {
      const { mismatch } = result;
      return [
        ["failed", `${measureErrorName(result.errorNo)}${result.rule ? ` [${result.rule}]` : ""}: ${result.message}`],
        ...(mismatch
          ? [
              [
                "worst",
                `${mismatch.buffer}[${mismatch.index}] is ${mismatch.got}, not ${mismatch.expected}; ${mismatch.count} differ`,
              ] as [string, string],
            ]
          : []),
        ...(result.log ? [["log", result.log.trimEnd()] as [string, string]] : []),
        ...phases,
      ];
    }
    default:
      return assertNever(result);
  }
}
