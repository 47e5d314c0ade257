/**
 * Runs a commander program by the rules of design §3a: bad usage is exit 2, every error is one sentence on stderr that begins with the
 * command's name, and with `--json` stdout carries exactly one line, in failure too (`{"error":{...}}`).
 */
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
    .helpCommand(false)
    .addHelpText(
      "after",
      "\nExit codes: 0 ok, 1 no valid result, 2 bad input, 3 farm unreachable or lost, 4 check failed, 130/143 signals.",
    );
}

/** Loads a command's module. */
export type LoadCommand = () => Promise<{ readonly register: RegisterCommand }>;

/** The first word that is no flag. */
const commandOf = (argv: readonly string[]): string | undefined => argv.find((word) => !word.startsWith("-"));

/** Registers the command that `argv` names, so that nothing else is loaded; all of them when it names none, for help and suggestions. */
export async function registerCommands(
  program: Command,
  context: CliContext,
  commands: Readonly<Record<string, LoadCommand>>,
  argv: readonly string[],
): Promise<void> {
  const named = Object.entries(commands).filter(([name]) => name === commandOf(argv));
  const wanted = named.length > 0 ? named : Object.entries(commands);
  for (const { register } of await Promise.all(wanted.map(([, load]) => load()))) register(program, context);
}

const usageSentence = (error: CommanderError, command: string): string =>
  `${error.message
    .replace(/^error: /, "")
    .replace(/\s+/g, " ")
    .trim()
    .replace(/\.$/, "")}; see ${command} --help`;

/** Never throws; the exit code also honours what a command set through the context. */
export async function runProgram(program: Command, argv: readonly string[], context: CliContext): Promise<ExitCode> {
  const name = commandOf(argv);
  const known = program.commands.some((command) => command.name() === name);
  const command = known ? `warpfarm ${name}` : "warpfarm";
  try {
    await program.parseAsync([...argv], { from: "user" });
    return exitCode.ok;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return exitCode.ok;
    // Bare `warpfarm`: commander has shown the help on stderr.
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
