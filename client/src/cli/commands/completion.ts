/** `completion`: a script that completes commands, flags and tasks in bash, zsh or fish, made from the commands themselves. */

import { templates } from "@warpfarm/templates";
import { Argument, type Command } from "commander";
import type { RegisterCommand } from "../context.ts";
import { sharedOf } from "../flags/shared-flags.ts";

const shells = ["bash", "zsh", "fish"] as const;
type Shell = (typeof shells)[number];

interface Completed {
  readonly name: string;
  readonly about: string;
  readonly flags: readonly { readonly flag: string; readonly about: string }[];
  readonly takesTask: boolean;
}

const treeOf = (program: Command): Completed[] =>
  program.commands.map((command) => ({
    name: command.name(),
    about: command.description(),
    flags: [...command.options, ...sharedOf(command)].map(({ long, short, description }) => ({
      flag: long ?? short ?? "",
      about: description,
    })),
    takesTask: command.registeredArguments.some((argument) => argument.name() === "task"),
  }));

const taskWords = (): string => templates.flatMap(({ name, aliases }) => [name, ...aliases]).join(" ");

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** Words for the present command; files where a flag or an argument may be one. */
function bash(tree: readonly Completed[]): string {
  const cases = tree.map(({ name, flags, takesTask }) => {
    const words = [...flags.map(({ flag }) => flag), "--help", "--help-all"].join(" ");
    return `    ${name}) words=${quoted(words)}; tasks=${takesTask ? quoted(taskWords()) : "''"} ;;`;
  });
  return `# warpfarm completion bash: put into ~/.bashrc the line  source <(warpfarm completion bash)
_warpfarm() {
  local current="\${COMP_WORDS[COMP_CWORD]}" words tasks
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W ${quoted([...tree.map(({ name }) => name), "help", "--help", "--help-all", "--version"].join(" "))} -- "$current"))
    return
  fi
  case "\${COMP_WORDS[1]}" in
${cases.join("\n")}
    help) words=${quoted(tree.map(({ name }) => name).join(" "))}; tasks='' ;;
    *) return ;;
  esac
  if [[ "$current" == -* || "\${COMP_WORDS[1]}" == help ]]; then
    COMPREPLY=($(compgen -W "$words" -- "$current"))
  else
    COMPREPLY=($(compgen -W "$tasks" -- "$current") $(compgen -f -- "$current"))
  fi
}
complete -o filenames -F _warpfarm warpfarm
`;
}

/** zsh runs bash's completions as they are. */
const zsh = (tree: readonly Completed[]): string =>
  `#compdef warpfarm
# warpfarm completion zsh: put into ~/.zshrc, after compinit, the line  source <(warpfarm completion zsh)
autoload -U +X bashcompinit && bashcompinit
${bash(tree).split("\n").slice(1).join("\n")}`;

function fish(tree: readonly Completed[]): string {
  const lines = ["# warpfarm completion fish: warpfarm completion fish > ~/.config/fish/completions/warpfarm.fish"];
  const words = (text: string) => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
  for (const { name, about } of tree)
    lines.push(`complete -c warpfarm -n __fish_use_subcommand -f -a ${name} -d ${words(about)}`);
  for (const { name, flags, takesTask } of tree) {
    const here = `complete -c warpfarm -n ${words(`__fish_seen_subcommand_from ${name}`)}`;
    if (takesTask) lines.push(`${here} -a ${words(taskWords())}`);
    for (const { flag, about } of flags)
      lines.push(`${here} ${flag.startsWith("--") ? "-l" : "-s"} ${flag.replace(/^-+/, "")} -d ${words(about)}`);
  }
  return `${lines.join("\n")}\n`;
}

const scripts: Readonly<Record<Shell, (tree: readonly Completed[]) => string>> = { bash, zsh, fish };

export const register: RegisterCommand = (program, context) => {
  program
    .command("completion")
    .addArgument(new Argument("<shell>", "for which shell").choices(shells))
    .action((shell: Shell) => {
      context.stdout.write(scripts[shell](treeOf(program)));
    });
};
