/**
 * `check`: runs configs of a task in the compiler's interpreter, which finds races, accesses out of bounds and reads of what
 * nobody wrote, and compares what comes out with the task's definition. It needs no compiler, no device and no farm. Inputs are
 * small whole numbers, so that sums are exact in any order.
 */
import { FarmError, parseTarget, Random } from "@warpfarm/common";
import {
  type ConfigIndex,
  createData,
  evaluate,
  type Graph,
  InterpError,
  infer,
  interpretKernels,
  type Limits,
  lowerVerified,
  type TensorData,
} from "@warpfarm/compiler";
import { signalsHeard } from "../../signals-heard.ts";
import type { Template } from "../../task/define-template.ts";
import { createTask, type TemplateTask } from "../../task/task.ts";
import { userCall } from "../../task/user-call.ts";
import type { CliContext, RegisterCommand } from "../context.ts";
import { badInput, exitCode, withRule } from "../exit.ts";
import { integer } from "../flags/parse.ts";
import { readSettings } from "../flags/settings.ts";
import { addTaskFlags, indexOf, limitsOf, type TaskFlags, targetOf, templateOf, templateTaskOf } from "../flags/task-flags.ts";

interface CheckFlags extends TaskFlags {
  readonly index?: string;
  readonly samples?: number;
  readonly json?: boolean;
}

/** What is found of a config: nothing wrong, a fault, or that a device would not run it. */
interface Verdict {
  readonly index: number;
  readonly state: "sound" | "faulty" | "refused";
  readonly message?: string;
}

/** The interpreter does some millions of operations a second; one config may take this many. */
const mostFlops = 2 ** 22;
/** For one config; the interpreter is slower where threads wait for each other. */
const limitMs = 120_000;
const defaultSamples = 8;

function inputsOf(graph: Graph): Map<string, TensorData> {
  const random = new Random(0);
  return new Map(
    graph.inputs.map(({ name, shape, dtype }): [string, TensorData] => {
      const size = shape.reduce((product, extent) => product * extent, 1);
      const data = createData(dtype, size);
      const [low, values] = dtype === "int1" || dtype === "bool" ? [0, 2] : dtype === "uint8" ? [0, 6] : [-2, 6];
      for (let i = 0; i < size; i++) data[i] = low + random.below(values);
      return [name, data];
    }),
  );
}

/**
 * The first element that is not as defined: exactly for whole numbers, to what a float can keep of functions such as exp
 * otherwise.
 */
function difference(name: string, got: TensorData, expected: TensorData): string | undefined {
  const at = expected.findIndex((value, i) => {
    const found = got[i] as number;
    return !(Object.is(found, value) || Math.abs(found - value) <= 1e-3 * Math.abs(value) + 1e-5);
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
    const ran = interpretKernels(kernels.value, inputsOf(task.graph));
    for (const [name, values] of expected) {
      const got = ran.data.get(name);
      const wrong = got ? difference(name, got, values) : `${name} is not written`;
      if (wrong !== undefined) return { index, state: "faulty", message: `${wrong} [check.differs]` };
    }
    return { index, state: "sound" };
  } catch (error) {
    if (error instanceof InterpError) return { index, state: "faulty", message: error.message };
    throw error;
  }
}

/** The task itself, or, where that is too large for an interpreter, with its largest numbers halved until it is not. */
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

/** Configs that the static check refuses by one rule: how many, and the first of them. */
interface PassedOver {
  readonly rule: string;
  readonly count: number;
  readonly index: ConfigIndex;
  readonly message: string;
}

/**
 * Random configs that the static check lets through, each once; fewer when hardly any do. And what it says of the others, which a
 * search never tries.
 */
function sampled(
  task: TemplateTask,
  limits: Limits,
  count: number,
): { readonly found: readonly ConfigIndex[]; readonly passedOver: readonly PassedOver[] } {
  const random = new Random(0);
  const seen = new Set<ConfigIndex>();
  const found: ConfigIndex[] = [];
  const passedOver = new Map<string, PassedOver>();
  for (let tries = 0; tries < 100 * count && found.length < count && seen.size < task.space.valid.count; tries++) {
    const index = task.space.random(random);
    if (seen.has(index)) continue;
    seen.add(index);
    const [violation] = task.validate(index, limits);
    if (violation === undefined) found.push(index);
    else {
      const { rule } = violation;
      const before = passedOver.get(rule) ?? { rule, count: 0, index, message: withRule(violation) };
      passedOver.set(rule, { ...before, count: before.count + 1 });
    }
  }
  const [first] = passedOver.values();
  if (found.length === 0)
    throw badInput(
      `none of ${seen.size} random configs of ${task.name} passes the static check; config ${first?.index}: ${first?.message}`,
    );
  return { found, passedOver: [...passedOver.values()] };
}

async function check(context: CliContext, name: string, flags: CheckFlags): Promise<void> {
  if (flags.index !== undefined && flags.samples !== undefined) throw badInput("--index and --samples: give one of them");
  const template = await templateOf(name, context);
  const asked = templateTaskOf(template, flags, await targetOf(template, flags, await readSettings(context), context));
  const words = (task: TemplateTask) => `${task.name} ${JSON.stringify(task.args)}`;
  const size = `${(asked.flops / 1e6).toFixed(0)} Mflop, more than the ${(mostFlops / 1e6).toFixed(0)} that the interpreter can take`;
  const task = flags.index === undefined ? smallEnough(template, asked) : asked;
  if (task.flops > mostFlops) throw badInput(`${words(asked)} takes ${size}; give smaller shapes with --args`);
  if (task !== asked) context.stderr.write(`${words(asked)} takes ${size}: ${words(task)} is checked instead\n`);
  const limits = limitsOf(flags, task.target);
  const { found: indices, passedOver } =
    flags.index === undefined
      ? sampled(task, limits, flags.samples ?? defaultSamples)
      : { found: [indexOf(task, flags.index)], passedOver: [] };
  const within = <T>(what: string, run: () => T): T => userCall(`${what} of ${words(task)}`, run, limitMs);
  const expected = within("the definition", () => evaluate(task.defaultSchedule.graph, inputsOf(task.graph)));
  const outputs = new Map([...expected].filter(([output]) => task.graph.outputs.some((buffer) => buffer.name === output)));
  const verdicts: Verdict[] = [];
  for (const index of indices) {
    await signalsHeard();
    context.signal.throwIfAborted();
    const verdict = within(`config ${index}`, () => verdictOf(task, index, limits, outputs));
    verdicts.push(verdict);
    const { state, message } = verdict;
    if (!flags.json) context.stdout.write(`config ${index}: ${state}${message === undefined ? "" : `: ${message}`}\n`);
  }
  const count = (state: Verdict["state"]) => verdicts.filter((verdict) => verdict.state === state).length;
  const [sound, faulty] = [count("sound"), count("faulty")];
  const refused = passedOver.reduce((sum, each) => sum + each.count, count("refused"));
  if (!flags.json)
    for (const { count, index, message } of passedOver)
      context.stdout.write(`config ${index}${count > 1 ? ` and ${count - 1} more` : ""}: refused: ${message}\n`);
  if (flags.json)
    context.stdout.write(
      `${JSON.stringify({ task: task.name, args: task.args, sound, faulty, refused, configs: verdicts, passed_over: passedOver })}\n`,
    );
  else
    context.stdout.write(
      `${words(task)} for ${task.target}: ${sound} sound, ${faulty} faulty, ${refused} refused by the static check\n`,
    );
  if (faulty > 0) context.setExitCode(exitCode.checkFailed);
  else if (sound === 0) context.setExitCode(exitCode.noResult);
}

export const register: RegisterCommand = (program, context) => {
  addTaskFlags(
    program
      .command("check")
      .description("run configs in an interpreter: races, bounds, unwritten reads, and the definition; needs no device"),
  )
    .option("--index <n>", "only this config, a number or `published`")
    .option("--samples <k>", `random configs (default ${defaultSamples})`, integer("--samples", 1, 100_000))
    .option("--json", "one line of JSON on stdout")
    .action((name: string, flags: CheckFlags) => check(context, name, flags));
};
