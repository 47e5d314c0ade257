/**
 * `check`: runs configs of a task in the compiler's two interpreters. The generated one finds accesses out of bounds, misaligned
 * vectors and reads of unwritten elements, and its results are compared with the task's definition. In the first and the
 * last blocks the direct one finds races, whatever order the threads would run in. It needs no compiler, no device and no farm.
 * Configs of a user's kernel are compiled instead.
 */
import { badInput, FarmError, machineEpsilon, parseTarget, shellWord } from "@warpfarm/common";
import {
  type ConfigIndex,
  evaluate,
  findRaces,
  type Graph,
  InterpError,
  infer,
  interpretKernels,
  type Limits,
  lowerVerified,
  type TensorData,
} from "@warpfarm/compiler";
import { createTask, isTemplateTask, type Task, type Template, type TemplateTask } from "@warpfarm/templates";
import type { KernelSource } from "../../kernel/kernel-task.ts";
import { limitsOf } from "../../search/farm-there.ts";
import { signalsHeard } from "../../search/signals-heard.ts";
import { taskOfSource } from "../../search/task-of-source.ts";
import { isKernel, sourceOf } from "../../search/task-source.ts";
import { userCall } from "../../task/user-call.ts";
import type { BuiltHere, CliContext, RegisterCommand } from "../context.ts";
import { exitCode, withRule } from "../exit.ts";
import { integer } from "../flags/parse.ts";
import { readSettings, type Settings } from "../flags/settings.ts";
import { addTaskFlags, argsOf, indexOf, programOf, type TaskFlags, targetOf, tellNotes } from "../flags/task-flags.ts";
import { inputsOf } from "../tuning/check-inputs.ts";
import { faultInSpec, specRule, tunablesRule, type Verdict, verdictOfBuild } from "../tuning/check-kernel.ts";
import { type PassedOver, sampled } from "../tuning/sampled.ts";

interface CheckFlags extends TaskFlags {
  readonly index?: string;
  readonly samples?: number;
  readonly json?: boolean;
}

/** The interpreter does some million operations a second; one config may take this many. */
const mostFlops = 2 ** 22;
/** Limit for one config. The interpreter is slower where threads wait for each other. */
const limitMs = 120_000;
const defaultSamples = 8;

/**
 * The first element that differs from the definition: exactly for integers, otherwise by what a float can keep of functions such
 * as exp, by the tolerance that the computation states, or by what it keeps of its stages: two schedules may round at other
 * places, as a softmax does whose weights are halves.
 */
function difference(name: string, got: TensorData, expected: TensorData, { ops, tolerances }: Graph): string | undefined {
  const stated = tolerances?.[name];
  const epsilonOf = (wanted: (op: string) => boolean) =>
    Math.max(0, ...ops.filter(({ output }) => wanted(output.name)).map(({ output }) => machineEpsilon(output.dtype)));
  const largest = Array.from(expected, Math.abs).reduce((a, b) => (b > a && b < Number.POSITIVE_INFINITY ? b : a), 0);
  const rtol = Math.max(1e-3, 4 * epsilonOf((op) => op === name), Number(stated?.rtol ?? 0));
  const atol = Math.max(1e-5, epsilonOf(() => true) * largest, Number(stated?.atol ?? 0));
  const at = expected.findIndex((value, i) => {
    const found = got[i] as number;
    return !(Object.is(found, value) || Math.abs(found - value) <= rtol * Math.abs(value) + atol);
  });
  if (at < 0) return undefined;
  return `${name}[${at}] is ${got[at]}, the definition says ${expected[at]}`;
}

function verdictOf(task: TemplateTask, index: ConfigIndex, limits: Limits, expected: ReadonlyMap<string, TensorData>): Verdict {
  const [violation] = task.validate(index, limits);
  const instance = task.instantiate(index);
  if (violation || !instance.ok) {
    const { rule, message } = violation ?? (instance.ok ? { rule: "", message: "" } : instance.error);
    return { index, state: "refused", message: withRule({ message, rule }) };
  }
  const inferred = infer(instance.value.schedule.state);
  if (!inferred.ok) return { index, state: "refused", message: withRule(inferred.error) };
  const kernels = lowerVerified(inferred.value.func(), parseTarget(task.target));
  if (!kernels.ok) return { index, state: "faulty", message: kernels.error.map(withRule).join("; ") };
  try {
    const ran = interpretKernels(kernels.value, inputsOf(task.defaultSchedule.graph));
    for (const [name, values] of expected) {
      const got = ran.data.get(name);
      const wrong = got ? difference(name, got, values, task.defaultSchedule.graph) : `${name} is not written`;
      if (wrong !== undefined) return { index, state: "faulty", message: `${wrong} [check.differs]` };
    }
    findRaces(
      kernels.value.map(({ func }) => func),
      ran.data,
    );
    return { index, state: "sound" };
  } catch (error) {
    if (error instanceof InterpError) return { index, state: "faulty", message: error.message };
    throw error;
  }
}

/** What the task computes. Its graph is the user's, so what cannot be computed there is a fault of the graph. */
function definitionOf(task: TemplateTask): ReadonlyMap<string, TensorData> {
  try {
    return evaluate(task.defaultSchedule.graph, inputsOf(task.defaultSchedule.graph));
  } catch (error) {
    if (!(error instanceof InterpError)) throw error;
    throw badInput(`${taskWords(task)} cannot be computed from the inputs that its fills give: ${error.message}`);
  }
}

const taskWords = ({ name, args }: Task): string => `${name} ${JSON.stringify(args)}`;

/** The task; if it is too large for the interpreter, with its largest numbers halved until it fits. */
export function smallEnough(template: Template, task: TemplateTask): TemplateTask {
  let small = task;
  const fixed = new Set<number>();
  while (small.flops > mostFlops) {
    const sizes = small.args.map((value, at) => (typeof value === "number" && value > 1 && !fixed.has(at) ? value : 0));
    const at = sizes.indexOf(Math.max(...sizes));
    if (at < 0 || sizes[at] === 0) break;
    try {
      const halved = small.args.map((value, i) => (i === at ? Math.ceil((value as number) / 2) : value));
      small = createTask(template, halved, task.target);
    } catch (error) {
      if (!(error instanceof FarmError)) throw error;
      fixed.add(at);
    }
  }
  return small;
}

/** Two numbers with as few digits as tell them apart. */
export function apart(a: number, b: number): readonly [string, string] {
  let digits = 0;
  while (digits < 6 && a.toFixed(digits) === b.toFixed(digits)) digits++;
  return [a.toFixed(digits), b.toFixed(digits)];
}

async function check(context: CliContext, name: string, flags: CheckFlags): Promise<void> {
  if (flags.index !== undefined && flags.samples !== undefined) throw badInput("--index and --samples: give one of them");
  const template = await sourceOf(name, flags, context);
  if (isKernel(template)) return ofKernel(context, template, flags);
  const asked = createTask(template, argsOf(flags), await targetOf(template, flags, await readSettings(context), context));
  const [takes, most] = apart(asked.flops / 1e6, mostFlops / 1e6);
  const size = `${takes} Mflop, more than the ${most} that the interpreter can take`;
  const task = flags.index === undefined ? smallEnough(template, asked) : asked;
  const where = Object.keys(template.args).length === 0 ? "in its file, which takes no arguments" : "with --args";
  if (task.flops > mostFlops) throw badInput(`${taskWords(asked)} takes ${size}; give smaller shapes ${where}`);
  if (task !== asked) context.stderr.write(`${taskWords(asked)} takes ${size}: ${taskWords(task)} is checked instead\n`);
  const limits = limitsOf(flags, task.target);
  const { found: indices, passedOver } = configsAsked(task, limits, flags);
  const within = <T>(what: string, run: () => T): T => userCall(`${what} of ${taskWords(task)}`, run, limitMs);
  const expected = within("the definition", () => definitionOf(task));
  const outputs = new Map([...expected].filter(([output]) => task.graph.outputs.some((buffer) => buffer.name === output)));
  const verdicts: Verdict[] = [];
  for (const index of indices) {
    await signalsHeard();
    context.signal.throwIfAborted();
    verdicts.push(within(`config ${index}`, () => verdictOf(task, index, limits, outputs)));
    if (!flags.json) tellVerdict(context, verdicts.at(-1) as Verdict);
  }
  tellAll(context, task, flags, { verdicts, passedOver });
}

const configsAsked = (task: Task, limits: Limits, { index, samples }: CheckFlags): ReturnType<typeof sampled> =>
  index === undefined ? sampled(task, limits, samples ?? defaultSamples) : { found: [indexOf(task, index)], passedOver: [] };

/** The default config, which is the reference of the others, and random ones. */
async function ofKernel(context: CliContext, source: KernelSource, flags: CheckFlags): Promise<void> {
  tellNotes(source, context);
  const settings = await readSettings(context);
  const task = taskOfSource(source, argsOf(flags), await targetOf(source, flags, settings, context));
  const limits = limitsOf(flags, task.target);
  const { found, passedOver } = configsAsked(task, limits, flags);
  const standard = flags.index === undefined && task.standard !== undefined ? [task.standard] : [];
  const indices = [...new Set([...standard, ...found])].slice(0, flags.samples ?? defaultSamples);
  // Checks without a compiler cover all configs, even where there is none.
  const verdicts = indices.flatMap((index) => faultInSpec(task, index, limits) ?? []);
  if (!flags.json) for (const verdict of verdicts) tellVerdict(context, verdict);
  const builds = new Map<ConfigIndex, BuiltHere>();
  const build = async (index: ConfigIndex): Promise<BuiltHere> => {
    const made = builds.get(index) ?? (await built(context, task, index, settings));
    builds.set(index, made);
    return made;
  };
  const ofTunables = verdicts.length > 0 ? undefined : await tunablesVerdict(context, task, limits, build);
  if (ofTunables) {
    verdicts.push(ofTunables);
    if (!flags.json) tellVerdict(context, ofTunables);
  }
  for (const index of ofTunables ? [] : indices) {
    if (verdicts.some((verdict) => verdict.index === index)) continue;
    await signalsHeard();
    context.signal.throwIfAborted();
    const verdict = verdictOfBuild(index, await build(index), limits);
    verdicts.push(verdict);
    if (flags.json) continue;
    tellVerdict(context, verdict);
    if (verdict.log) context.stderr.write(`${verdict.log.trimEnd()}\n`);
  }
  tellAll(context, task, flags, { verdicts, passedOver });
  if (!flags.json)
    context.stdout.write(
      `no config was run: code for ${task.target} runs only on such a device; warpfarm measure ${shellWord(source.word)} --index N compares its outputs on a farm\n`,
    );
}

/** Whether the tunables have an effect is a question about all configs. */
async function tunablesVerdict(
  context: CliContext,
  task: Task,
  limits: Limits,
  build: (index: ConfigIndex) => Promise<BuiltHere>,
): Promise<Verdict | undefined> {
  const { standard } = task;
  if (standard === undefined || task.space.size === 1 || faultInSpec(task, standard, limits)) return undefined;
  const made = await build(standard);
  if (made.kind === "failed") return made.result.rule === tunablesRule ? verdictOfBuild(standard, made, limits) : undefined;
  for (const { rule, message } of made.manifest.notes) if (rule === tunablesRule) context.stderr.write(`note: ${message}\n`);
  return undefined;
}

const buildTimeoutMs = 120_000;

const built = (context: CliContext, task: Task, index: ConfigIndex, { cacheDir }: Settings) =>
  context.buildHere(programOf(task, index), {
    timeoutMs: buildTimeoutMs,
    cacheDir,
    signal: context.signal,
    ...(task.uploads ? { bundles: task.uploads } : {}),
  });

const tellVerdict = ({ stdout }: CliContext, { index, state, message }: Verdict): unknown =>
  stdout.write(`config ${index}: ${state}${message === undefined ? "" : `: ${message}`}\n`);

interface Found {
  readonly verdicts: readonly Verdict[];
  readonly passedOver: readonly PassedOver[];
}

function tellAll(context: CliContext, task: Task, flags: CheckFlags, { verdicts, passedOver }: Found): void {
  const isFault = ({ rule }: PassedOver) => rule === specRule;
  const passed = (which: (each: PassedOver) => boolean) => passedOver.filter(which).reduce((sum, each) => sum + each.count, 0);
  const count = (state: Verdict["state"]) => verdicts.filter((verdict) => verdict.state === state).length;
  const sound = count("sound");
  const faulty = count("faulty") + passed(isFault);
  const refused = count("refused") + passed((each) => !isFault(each));
  if (flags.json)
    context.stdout.write(
      `${JSON.stringify({ task: task.name, args: task.args, sound, faulty, refused, configs: verdicts, passed_over: passedOver })}\n`,
    );
  else {
    for (const each of passedOver)
      context.stdout.write(
        `config ${each.index}${each.count > 1 ? ` and ${each.count - 1} more` : ""}: ${isFault(each) ? "faulty" : "refused"}: ${each.message}\n`,
      );
    context.stdout.write(
      `${taskWords(task)} for ${task.target}: ${sound} sound, ${faulty} faulty, ${refused} refused by ${isTemplateTask(task) ? "the static check" : "limits"}\n`,
    );
  }
  if (faulty > 0) context.setExitCode(exitCode.checkFailed);
  else if (sound === 0) context.setExitCode(exitCode.noResult);
}

export const register: RegisterCommand = (program, context) => {
  addTaskFlags(program.command("check"))
    .option("--index <n>", "only this config, a number, `published` or values as JSON")
    .option("--samples <k>", `random configs (default ${defaultSamples})`, integer("--samples", 1, 100_000))
    .action((name: string, flags: CheckFlags) => check(context, name, flags));
};
