/**
 * `space`: the knobs and size of a task's config space, or one config and whether it can run. With `--stats`: how
 * large it is, and how much of it can run.
 */
import { resolve } from "node:path";
import { badInput, configWords } from "@warpfarm/common";
import { createTask, isTemplateTask, type Task } from "@warpfarm/templates";
import { limitsOf } from "../../search/farm-there.ts";
import { isKernel, sourceOf } from "../../search/task-source.ts";
import type { RegisterCommand } from "../context.ts";
import { withRule } from "../exit.ts";
import { readSettings } from "../flags/settings.ts";
import { addTaskFlags, argsOf, indexOf, type TaskFlags, targetOf } from "../flags/task-flags.ts";

import { columns } from "../terminal/words.ts";
import type { SpaceStats } from "../tuning/space-stats.ts";

interface SpaceFlags extends TaskFlags {
  readonly index?: string;
  readonly stats?: boolean;
  readonly explain?: boolean;
  readonly json?: boolean;
}

const isSpaceFile = (word: string): boolean => /\.(json|gz)$/.test(word);

/** Which rule took each stage of a task whose schedule is derived. */
function explained({ name, derived }: Task, isJson: boolean): string {
  if (!derived) throw badInput(`${name} has a schedule of its own; --explain is for tasks whose schedule is derived`);
  if (isJson) return `${JSON.stringify({ digest: derived.digest, stages: derived.explained })}\n`;
  return columns(derived.explained.map(({ stage, rule, why }) => [stage, why === undefined ? rule : `${rule}: ${why}`] as const));
}

interface Tensor {
  readonly name: string;
  readonly dtype: string;
  readonly shape: readonly number[];
}

/** What a kernel of the task takes and gives, in order; those of its epilogue included. Empty for a kernel of one's own. */
function tensorsOf(task: Task): { readonly inputs: readonly Tensor[]; readonly outputs: readonly Tensor[] } {
  const { inputs, outputs } = isTemplateTask(task) ? task.graph : { inputs: [], outputs: [] };
  const facts = ({ name, dtype, shape }: Tensor): Tensor => ({ name, dtype, shape });
  return { inputs: inputs.map(facts), outputs: outputs.map(facts) };
}

/** The space and the tensors of a task, as JSON and as lines. */
function spaceOf(task: Task) {
  const knobs = task.space.knobs.map((knob) => ({ name: knob.name, size: knob.size }));
  const tensors = tensorsOf(task);
  const report = { size: task.space.size, flop: task.flops, knobs, ...tensors };
  const lines = [
    ["task", `${task.name} ${JSON.stringify(task.args)} for ${task.target}`],
    ["size", String(report.size)],
    ["flop", String(report.flop)],
  ] as const;
  const words = ([what, of]: readonly [string, readonly Tensor[]]) =>
    of.map(({ name, dtype, shape }) => [what, `${name} ${dtype} (${shape.join(", ")})`] as const);
  const shown = [["input", tensors.inputs] as const, ["output", tensors.outputs] as const].flatMap(words);
  const text = columns([
    ...lines,
    ...shown,
    ...knobs.map((knob) => [knob.name, `${knob.size} ${knob.size === 1 ? "entry" : "entries"}`] as const),
  ]);
  return { report, text };
}

export const register: RegisterCommand = (program, context) => {
  addTaskFlags(program.command("space"))
    .option("--index <n>", "show this config, a number, `published` or values as JSON")
    .option(
      "--stats",
      "print size and share that can run, of records also time and odds; TASK may then be a recorded space or a T1 or KTT problem file",
    )
    .option("--explain", "say which rule took each stage of a computation without a schedule of its own, and why none did")
    .action(async (name: string, flags: SpaceFlags) => {
      const sayStats = async (stats: SpaceStats) => {
        const { statsWords } = await import("../tuning/space-stats.ts");
        context.stdout.write(flags.json ? `${JSON.stringify(stats)}\n` : columns(statsWords(stats)));
      };
      if (flags.stats && flags.index !== undefined)
        throw badInput("--stats is for the whole space, --index for one config; give one of them");
      const alone = flags.explain ? (["stats", "index"] as const).find((flag) => flags[flag] !== undefined) : undefined;
      if (alone) throw badInput(`--explain and --${alone} each show something else; give one of them`);
      if (isSpaceFile(name)) {
        if (!flags.stats)
          throw badInput(
            `${JSON.stringify(name)} is the file of a space, which needs --stats; without --stats, space takes a task`,
          );
        const ofTasks = (["args", "epilogue", "target", "limits"] as const).find((flag) => flags[flag] !== undefined);
        if (ofTasks) throw badInput(`--${ofTasks} is for tasks; ${name} is a file of a space`);
        const { fileStats } = await import("../tuning/space-stats.ts");
        await sayStats(await fileStats(resolve(context.cwd, name), name, (words) => void context.stderr.write(`${words}\n`)));
        return;
      }
      const source = await sourceOf(name, flags, context);
      const target = await targetOf(source, flags, await readSettings(context), context);
      const task = isKernel(source)
        ? (await import("../../search/task-of-source.ts")).taskOfSource(source, argsOf(flags), target)
        : createTask(source, argsOf(flags), target);
      if (flags.explain) {
        context.stdout.write(explained(task, flags.json === true));
        return;
      }
      if (flags.stats) {
        const { taskStats } = await import("../tuning/space-stats.ts");
        await sayStats(taskStats(task, limitsOf(flags, target)));
        return;
      }
      if (flags.index === undefined) {
        const { report, text } = spaceOf(task);
        context.stdout.write(flags.json ? `${JSON.stringify(report)}\n` : text);
        return;
      }
      const index = indexOf(task, flags.index);
      const violations = task.validate(index, limitsOf(flags, target)).map(({ rule, message }) => ({ rule, message }));
      const config = Object.fromEntries(task.space.get(index).values);
      const valid = violations.length === 0;
      if (flags.json) context.stdout.write(`${JSON.stringify({ index, config, valid, violations })}\n`);
      else {
        const verdict = valid ? "yes" : violations.map(withRule).join("; ");
        context.stdout.write(
          columns([
            ["index", String(index)],
            ["config", configWords(config)],
            [valid ? "valid" : "refused", verdict],
          ]),
        );
      }
    });
};
