/** `space`: the knobs and size of a task's config space, or one config of it and whether it can run. */
import type { RegisterCommand } from "./context.ts";
import { readSettings } from "./settings.ts";
import { addTaskFlags, indexOf, limitsOf, type TaskFlags, targetOf, taskOf, templateOf } from "./task-flags.ts";
import { columns, configWords } from "./tune-report.ts";

interface SpaceFlags extends TaskFlags {
  readonly index?: string;
  readonly json?: boolean;
}

export const register: RegisterCommand = (program, context) => {
  addTaskFlags(program.command("space").description("show a task's config space, or one config of it"))
    .option("--index <n>", "show this config, a number or `published`")
    .option("--json", "one line of JSON on stdout")
    .action(async (name: string, flags: SpaceFlags) => {
      const template = await templateOf(name, context);
      const target = await targetOf(template, flags, await readSettings(context), context);
      const task = taskOf(template, flags, target);
      if (flags.index === undefined) {
        const knobs = task.space.knobs.map((knob) => ({ name: knob.name, size: knob.size }));
        const report = { size: task.space.size, flop: task.flops, knobs };
        const lines = [
          ["task", `${task.name} ${JSON.stringify(task.args)} for ${target}`],
          ["size", String(report.size)],
          ["flop", String(report.flop)],
        ] as const;
        const text = columns([...lines, ...knobs.map((knob) => [knob.name, `${knob.size} entries`] as const)]);
        context.stdout.write(flags.json ? `${JSON.stringify(report)}\n` : text);
        return;
      }
      const index = indexOf(task, flags.index);
      const violations = task.validate(index, limitsOf(flags, target)).map(({ rule, message }) => ({ rule, message }));
      const config = Object.fromEntries(task.space.get(index).values);
      const valid = violations.length === 0;
      if (flags.json) context.stdout.write(`${JSON.stringify({ index, config, valid, violations })}\n`);
      else {
        const verdict = valid ? "yes" : violations.map(({ rule, message }) => `${message} [${rule}]`).join("; ");
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
