/**
 * Runs a commander program by these rules: bad usage is exit 2; every error is one sentence on stderr that begins with the
 * command's name; with `--json` stdout has exactly one line, also on failure (`{"error":{...}}`).
 */
import { renamedFlag } from "@warpfarm/common";
import { Command, CommanderError } from "commander";
import { signalsHeard } from "../signals-heard.ts";
import type { CliContext, RegisterCommand } from "./context.ts";
import { type ExitCode, exitCode, exitCodeOf, sentenceOf } from "./exit.ts";

/** The root command. Subcommands inherit how errors leave it. */
export function createProgram(context: CliContext, version: string): Command {
  return new Command("warpfarm")
    .description("A distributed measurement farm and autotuner for GPU and CPU kernels")
    .version(version)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => context.stdout.write(text),
      writeErr: (text) => context.stderr.write(text),
      outputError: () => {},
    })
    .showSuggestionAfterError()
    .helpCommand("help [command]", "show a command's purpose and flags")
    .addHelpText(
      "after",
      "\nExit codes: 0 ok, 1 no valid result, 2 bad input, 3 farm unreachable or lost, 4 check failed, 130/143 signals.",
    );
}

/** A command for help, with its module, which is loaded on demand. */
export interface ListedCommand {
  /** One line, equal to the module's own description. */
  readonly about: string;
  readonly load: () => Promise<{ readonly register: RegisterCommand }>;
}
export type CommandList = Readonly<Record<string, ListedCommand>>;

/** The first word that is not a flag; after `help`, the command whose help is requested. */
function commandOf(argv: readonly string[]): string | undefined {
  const [first, second] = argv.filter((word) => !word.startsWith("-"));
  return first === "help" ? second : first;
}

/**
 * Registers the command that `argv` names, and loads nothing else. Others are listed only by their lines, for help and
 * suggestions. `completion` works on the whole tree.
 */
export async function registerCommands(
  program: Command,
  context: CliContext,
  commands: CommandList,
  argv: readonly string[],
): Promise<void> {
  const asked = commandOf(argv);
  for (const [name, { about, load }] of Object.entries(commands)) {
    if (name === asked || asked === "completion") (await load()).register(program, context);
    else program.command(name).description(about);
  }
}

function usageSentence({ message }: CommanderError, command: string): string {
  const [, flag = ""] = /unknown option '(--[^'=]+)/.exec(message) ?? [];
  const plain = message
    .replace(/^error: /, "")
    .replace(/\s+/g, " ")
    .trim()
    .replace(/\.$/, "");
  return `${renamedFlag(flag) ?? plain}; see ${command} --help`;
}

/** Never throws. The exit code also reflects what a command set through the context. */
export async function runProgram(program: Command, argv: readonly string[], context: CliContext): Promise<ExitCode> {
  const name = commandOf(argv);
  const known = program.commands.some((command) => command.name() === name);
  const command = known ? `warpfarm ${name}` : "warpfarm";
  try {
    await program.parseAsync([...argv], { from: "user" });
    return exitCode.ok;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return exitCode.ok;
    // Bare `warpfarm`: commander has printed the help on stderr.
    if (error instanceof CommanderError && error.code === "commander.help") return exitCode.badInput;
    await signalsHeard();
    const usage = error instanceof CommanderError;
    const code = usage ? exitCode.badInput : exitCodeOf(error, context.signal);
    const reason = context.signal.aborted && code >= exitCode.interrupted ? context.signal.reason : error;
    const sentence = usage ? usageSentence(error, command) : sentenceOf(reason);
    context.stderr.write(`${command}: ${sentence}\n`);
    if (Number(context.env.WARPFARM_DEBUG ?? 0) >= 1 && error instanceof Error && error.stack)
      context.stderr.write(`${error.stack}\n`);
    if (argv.includes("--json")) context.stdout.write(`${JSON.stringify({ error: { message: sentence, exit_code: code } })}\n`);
    return code;
  }
}
