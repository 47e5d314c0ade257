/** `tasks`: the tasks that come with Warpfarm, their targets and arguments. */
import { type Json, needWords } from "@warpfarm/common";
import {
  findOperator,
  findTemplate,
  type Operator,
  operators,
  readArgs,
  type Template,
  tailWords,
  templates,
  writeArgs,
} from "@warpfarm/templates";
import type { RegisterCommand } from "../context.ts";
import { takes } from "../flags/shared-flags.ts";
import { columns } from "../terminal/words.ts";

const defaultsOf = ({ name, args }: Pick<Template, "name" | "args">) => writeArgs(args, readArgs(name, args, undefined));

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

const argWords = (args: Template["args"], defaults: readonly Json[]): string =>
  Object.keys(args)
    .map((arg, i) => (defaults[i] === undefined ? `${arg} unset` : `${arg}=${JSON.stringify(defaults[i])}`))
    .join(", ");

const operatorWords = (operator: Operator): string =>
  `${operator.name}, an operator for tune\n${columns([
    ["  is", operator.summary],
    ["  args", argWords(operator.args, defaultsOf(operator))],
    ["  by", operator.templates.map(({ name }) => name).join(", ")],
  ])}`;

function words(template: Template): string {
  const { name, aliases, summary, targets, args } = template;
  const defaults = defaultsOf(template);
  const shown = argWords(args, defaults);
  const also = aliases.length === 0 ? "" : ` (also ${aliases.join(", ")})`;
  return `${name}${also}\n${columns([
    ["  for", `${targets.map(needWords).join(", ")}: ${summary}`],
    ["  args", shown],
  ])}`;
}

const epilogueWords = (): string =>
  `An epilogue follows any of them: --epilogue, or the argument epilogue, takes a list of\n${columns(tailWords.map(([written, does]) => [`  ${written}`, does] as const))}`;

export const register: RegisterCommand = (program, context) => {
  takes(program.command("tasks"), "json")
    .argument("[task]", "only this one")
    .action((name: string | undefined, flags: { readonly json?: boolean }) => {
      const operator = name === undefined ? undefined : findOperator(name);
      const shown = name === undefined ? templates : (operator?.templates ?? [findTemplate(name)]);
      const above = name === undefined ? operators : operator ? [operator] : [];
      const text = `${[...above.map(operatorWords), ...shown.map(words)].join("\n")}\n${epilogueWords()}\nA file of your own is a task too: docs/writing-a-template.md\n`;
      context.stdout.write(flags.json ? `${JSON.stringify(shown.map(toJson))}\n` : text);
    });
};
