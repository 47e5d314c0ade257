/** `completion`: a script that completes commands, flags and tasks in bash, zsh or fish, made from the commands themselves. */

import { operators, templates } from "@warpfarm/templates";
import { Argument, type Command } from "commander";
import type { RegisterCommand } from "../context.ts";
import { sharedOf } from "../flags/shared-flags.ts";

const shells = ["bash", "zsh", "fish"] as const;
type Shell = (typeof shells)[number];

interface Completed {
  /** `suite run` of a command in a group. */
  readonly path: string;
  readonly about: string;
  readonly flags: readonly { readonly flag: string; readonly about: string }[];
  /** The commands of a group. */
  readonly commands: readonly string[];
  readonly tasks: string;
}

const treeOf = (group: Command, before = ""): readonly Completed[] =>
  group.commands.flatMap((command) => {
    const path = `${before}${command.name()}`;
    const here = {
      path,
      about: command.description(),
      flags: [...command.options, ...sharedOf(command)].map(({ long, short, description }) => ({
        flag: long ?? short ?? "",
        about: description,
      })),
      commands: command.commands.map((one) => one.name()),
      tasks: command.registeredArguments.some((argument) => argument.name() === "task") ? taskWords(path) : "",
    };
    return [here, ...treeOf(command, `${path} `)];
  });

/** `tune` and `tasks` take operators too. */
const taskWords = (command: string): string =>
  [...(["tasks", "tune"].includes(command) ? operators : []), ...templates]
    .flatMap(({ name, ...rest }) => [name, ...("aliases" in rest ? rest.aliases : [])])
    .join(" ");

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
const isTop = ({ path }: Completed): boolean => !path.includes(" ");
const isGroup = ({ commands }: Completed): boolean => commands.length > 0;
const groupsOf = (tree: readonly Completed[]): readonly string[] => tree.filter(isGroup).map(({ path }) => path);

/** Words for the present command; files where a flag or an argument may be one, which a group's first word is not. */
function bash(tree: readonly Completed[]): string {
  const cases = tree.map(({ path, flags, commands, tasks }) => {
    const words = [...commands, ...flags.map(({ flag }) => flag), "--help", "--help-all"].join(" ");
    return `    ${quoted(path)}) words=${quoted(words)}; tasks=${quoted(tasks)}; files=${quoted(commands.length > 0 ? "" : "yes")} ;;`;
  });
  const top = tree.filter(isTop).map(({ path }) => path);
  return `# warpfarm completion bash: put into ~/.bashrc the line  source <(warpfarm completion bash)
_warpfarm() {
  local current="\${COMP_WORDS[COMP_CWORD]}" command="\${COMP_WORDS[1]}" words tasks files
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W ${quoted([...top, "help", "--help", "--help-all", "--version"].join(" "))} -- "$current"))
    return
  fi
  if [ "$COMP_CWORD" -gt 2 ]; then
    case "$command" in ${groupsOf(tree).join("|")}) command="$command \${COMP_WORDS[2]}" ;; esac
  fi
  case "$command" in
${cases.join("\n")}
    help) words=${quoted(top.join(" "))} ;;
    *) return ;;
  esac
  if [[ "$current" == -* || -z "$files" ]]; then
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
  const seen = (path: string) => path.split(" ").map((word) => `__fish_seen_subcommand_from ${word}`);
  for (const { path, about } of tree) {
    const [group, name] = path.split(" ");
    const siblings = tree.find((one) => one.path === group)?.commands.join(" ");
    const where =
      name === undefined ? "__fish_use_subcommand" : `${seen(group ?? "")}; and not __fish_seen_subcommand_from ${siblings}`;
    lines.push(`complete -c warpfarm -n ${words(where)} -f -a ${name ?? group} -d ${words(about)}`);
  }
  // Commands of groups are named like others: `records best`.
  const alone = `not __fish_seen_subcommand_from ${groupsOf(tree).join(" ")}`;
  for (const command of tree) {
    const { path, flags, tasks } = command;
    const where = isTop(command) && !isGroup(command) ? [...seen(path), alone] : seen(path);
    const here = `complete -c warpfarm -n ${words(where.join("; and "))}`;
    if (tasks !== "") lines.push(`${here} -a ${words(tasks)}`);
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
