/** `measure`: one config, built, checked and timed on a farm, with everything that is known about it. */
import {
  assertNever,
  backendOf,
  type MeasureInput,
  type MeasureResult,
  measureErrorName,
  medianSeconds,
  Random,
} from "@warpfarm/common";
import { refusingTask } from "../../measure/decorators/refuse-task.ts";
import { remoteMeasurer } from "../../measure/remote.ts";
import { resultToJson } from "../../record/result-json.ts";
import { fittingTarget } from "../../task/fitting-target.ts";
import type { Task } from "../../task/task.ts";
import type { CliContext, RegisterCommand } from "../context.ts";
import { CliError, type ExitCode, exitCode, withRule } from "../exit.ts";
import {
  backendFor,
  checkBuilders,
  checkWhere,
  chooseKey,
  deviceFor,
  type FarmAccess,
  keysWhere,
  limitsReached,
  openFarm,
  selectorFor,
} from "../farm/farm-access.ts";
import { addDeviceFlag, addFarmFlags, addWhereFlag, channelOf, type DeviceFlags, type FarmFlags } from "../farm/farm-flags.ts";
import { addMeasureFlags, type MeasureFlags, measureOptionsOf } from "../flags/measure-flags.ts";
import { readSettings } from "../flags/settings.ts";
import {
  addTaskFlags,
  indexOf,
  limitsOf,
  namedTarget,
  type TaskFlags,
  targetOf,
  taskOf,
  templateOf,
} from "../flags/task-flags.ts";
import { silenceOf } from "../tuning/silence.ts";
import { columns, configWords, timeWords } from "../tuning/tune-report.ts";

interface Flags extends TaskFlags, FarmFlags, DeviceFlags, MeasureFlags {
  readonly index: string;
  readonly json?: boolean;
}

export const register: RegisterCommand = (program, context) => {
  const command = addTaskFlags(
    program.command("measure").description("measure one config and show everything about it"),
  ).requiredOption("--index <n>", "the config, a number or `published`");
  addWhereFlag(addDeviceFlag(addFarmFlags(addMeasureFlags(command), "default: an embedded farm")))
    .option("--json", "one line of JSON on stdout")
    .action((name: string, flags: Flags) => measureCommand(context, name, flags));
};

async function measureCommand(context: CliContext, name: string, flags: Flags): Promise<void> {
  const settings = await readSettings(context);
  const template = await templateOf(name, context);
  const channel = channelOf(flags, settings, context);
  const backend = backendFor(template.targets, flags);
  const device = deviceFor(backend, channel, flags.device);
  checkWhere(channel, flags.where);
  // Before a farm is started. How many configs there are may depend on the device, so an index is judged here only when that is known.
  const usual = taskOf(template, flags, await targetOf(template, flags, settings, context));
  if (namedTarget(flags.target) !== undefined || !channel) indexOf(usual, flags.index);
  await using farm = await openFarm(context, settings, channel, device);
  const key = chooseKey(keysWhere(farm, flags.where), backend, flags.target);
  const task = taskOf(template, flags, namedTarget(flags.target) ?? fittingTarget(template.targets, key));
  const index = indexOf(task, flags.index);
  const selector = selectorFor(farm, { key, where: flags.where, graph: task.graph });
  const [violation] = task.validate(index, limitsOf(flags, task.target, limitsReached(farm, selector)));
  const instance = task.instantiate(index);
  if (violation || !instance.ok) {
    const { rule, message } = violation ?? (instance.ok ? { rule: "", message: "" } : instance.error);
    throw new CliError(exitCode.noResult, `config ${index} cannot run on ${task.target}: ${withRule({ message, rule })}`);
  }
  checkBuilders(context, farm, task.target);
  const result = await measureOne(context, farm, task, selector, flags, {
    sequence: 1,
    program: instance.value.program,
    reference: task.reference,
  });
  const config = Object.fromEntries(task.space.get(index).values);
  const seconds = result.kind === "timed" ? medianSeconds(result.costs) : null;
  const gflops = seconds === null ? null : task.flops / seconds / 1e9;
  if (flags.json)
    context.stdout.write(
      `${JSON.stringify({ index, config, program: instance.value.program.digest, seconds, gflops, result: resultToJson(result) })}\n`,
    );
  else context.stdout.write(columns([["config", `index ${index}: ${configWords(config)}`], ...details(result, gflops)]));
  const code = codeOf(result);
  if (code !== exitCode.ok) context.setExitCode(code);
}

async function measureOne(
  context: CliContext,
  farm: FarmAccess,
  task: Task,
  selector: string,
  flags: MeasureFlags,
  input: MeasureInput,
): Promise<MeasureResult> {
  const { connect } = await import("@warpfarm/proto");
  await using tracker = connect(farm.channel);
  const options = measureOptionsOf(flags, backendOf(task.target));
  const measurer = remoteMeasurer({
    farm: tracker.farm,
    task: task.name,
    selector,
    options,
    maxInFlight: 1,
    clock: context.clock,
    random: new Random(0),
  });
  async function* inputs() {
    yield input;
  }
  using _silence = silenceOf(context, tracker, { selector, target: task.target });
  const asked = refusingTask(measurer, `${task.name} ${JSON.stringify(task.args)}`);
  for await (const { result } of asked.measure(inputs(), { signal: farm.signal })) return result;
  throw new CliError(exitCode.farmLost, "the farm gave no result");
}

function codeOf(result: MeasureResult): ExitCode {
  if (result.kind === "timed") return exitCode.ok;
  return measureErrorName(result.errorNo) === "WRONG_ANSWER" ? exitCode.checkFailed : exitCode.noResult;
}

const ms = (value: number): string => `${value.toFixed(1)} ms`;

function details(result: MeasureResult, gflops: number | null): [string, string][] {
  const phases: [string, string][] = [
    ["build", result.buildMs === 0 ? "cached" : ms(result.buildMs)],
    ["at the runner", `${ms(result.runMs)}, attempt ${result.attempt}`],
  ];
  switch (result.kind) {
    case "timed":
      return [
        ["time", `${timeWords(medianSeconds(result.costs))}${gflops === null ? "" : `, ${gflops.toFixed(2)} GFLOPS`}`],
        ["repeats", `${result.costs.map(timeWords).join(", ")} (${result.number} runs each)`],
        ["check", result.checked ? "every output agrees with the reference" : "not checked"],
        ["device", `${result.device.name} (${result.device.key}) on ${result.device.node}`],
        ["artifact", result.artifact],
        ...Object.entries(result.observations).map(([name, value]): [string, string] => [name, String(value)]),
        ...phases,
      ];
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
