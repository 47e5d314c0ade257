/** `tasks`: the tasks that come with Warpfarm, what they run on and what arguments they take. */
import { needWords } from "@warpfarm/common";
import type { Template } from "../../task/define-template.ts";
import { findTemplate } from "../../task/task.ts";
import { readArgs, writeArgs } from "../../task/template-args.ts";
import { templates } from "../../task/templates/index.ts";
import type { RegisterCommand } from "../context.ts";
import { columns } from "../tuning/words.ts";

const defaultsOf = ({ name, args }: Template) => writeArgs(args, readArgs(name, args, undefined));

const toJson = (template: Template) => {
  const { name, aliases, summary, targets, args } = template;
  const defaults = defaultsOf(template);
  return {
    name,
    aliases,
    summary,
    targets: targets.map(needWords),
    args: Object.entries(args).map(([arg, { allowed }], i) => ({ name: arg, default: defaults[i], allowed })),
  };
};

function words(template: Template): string {
  const { name, aliases, summary, targets, args } = template;
  const defaults = defaultsOf(template);
  const shown = Object.keys(args).map((arg, i) => `${arg}=${JSON.stringify(defaults[i])}`);
  const also = aliases.length === 0 ? "" : ` (also ${aliases.join(", ")})`;
  return `${name}${also}\n${columns([
    ["  for", `${targets.map(needWords).join(", ")}: ${summary}`],
    ["  args", shown.join(", ")],
  ])}`;
}

export const register: RegisterCommand = (program, context) => {
  program
    .command("tasks")
    .description("list the tasks that come with Warpfarm, with their arguments and defaults")
    .argument("[task]", "only this one")
    .option("--json", "one line of JSON on stdout")
    .action((name: string | undefined, flags: { readonly json?: boolean }) => {
      const shown = name === undefined ? templates : [findTemplate(name)];
      const text = `${shown.map(words).join("\n")}\nA file of your own is a task too: docs/writing-a-template.md\n`;
      context.stdout.write(flags.json ? `${JSON.stringify(shown.map(toJson))}\n` : text);
    });
};
