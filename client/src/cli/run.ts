/**
 * Runs a commander program by these rules: bad usage is exit 2; every error is one sentence on stderr that begins with the
 * command's name; with `--json` stdout has exactly one line, also on failure (`{"error":{...}}`).
 */
import { badInput, didYouMean } from "@warpfarm/common";
import { Command, CommanderError, Help } from "commander";
import { signalsHeard } from "../search/signals-heard.ts";
import type { CliContext, RegisterCommand } from "./context.ts";
import { type ExitCode, exitCode, exitCodeOf, sentenceOf } from "./exit.ts";
import { declareShared, plainWords, sharedOf } from "./flags/shared-flags.ts";

/** The root command. Subcommands inherit how errors leave it, and their help. */
export function createProgram(context: CliContext, version: string): Command {
  const program = new Command("warpfarm")
    .description("A distributed measurement farm and autotuner for GPU and CPU kernels")
    .version(version)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => context.stdout.write(text),
      writeErr: (text) => context.stderr.write(text),
      outputError: () => {},
    })
    .configureHelp({ formatHelp: helpOf })
    .showSuggestionAfterError()
    .helpCommand(false)
    .option("--help-all", "show all flags of a command, by group; without a command those that many commands take");
  return declareShared(program);
}

const showingAll = new WeakSet<Command>();
const programOf = (command: Command): Command => (command.parent ? programOf(command.parent) : command);

/** `--help`: flags without a group. `--help-all`: all, by group. The last lines name the others. */
function helpOf(command: Command, helper: Help): string {
  const isProgram = command.parent === null;
  const isAll = showingAll.has(programOf(command));
  const hidden = isAll || isProgram ? [] : command.options.filter(({ helpGroupHeading }) => helpGroupHeading !== undefined);
  const own = {
    // The program's own flags would be longer than the list of its commands.
    visibleOptions: (of: Command) =>
      isProgram && !isAll ? [] : helper.visibleOptions(of).filter((each) => each.long !== "--help" && !hidden.includes(each)),
    subcommandDescription: (of: Command) => (isAll ? of.description() : (of.description().split(/[:;,(]/, 1)[0] as string)),
    commandDescription: (of: Command) => (isProgram && !isAll ? "" : helper.commandDescription(of)),
  };
  const shown = Object.assign(Object.create(helper) as Help, own);
  const text = Help.prototype.formatHelp.call(shown, command, shown);
  if (isProgram) return `${text}\nExit codes: 0 ok, 1 no result, 2 bad input, 3 farm lost, 4 check failed.\n`;
  const more = hidden.length > 0 ? `${spelled(command)} --help-all shows ${hidden.length} more flags. ` : "";
  const last = `${more}${sharedWords(command)}`;
  return last === "" ? text : `${text}\n${helper.boxWrap(last, helper.helpWidth ?? 80)}\n`;
}

/** `It also takes --tracker, --token-file, --tls-*, --json (warpfarm --help-all).` */
function sharedWords(command: Command): string {
  const names = sharedOf(command).map(({ long }) => `${long}`.replace(/^--tls-.*/, "--tls-*"));
  return names.length === 0 ? "" : `It also takes ${[...new Set(names)].join(", ")} (warpfarm --help-all).`;
}

interface ListedCommand {
  readonly about: string;
  readonly load: () => Promise<{ readonly register: RegisterCommand }>;
}
export type CommandList = Readonly<Record<string, ListedCommand>>;

/** The first word that is not a flag; after `help`, the command whose help is requested. */
function commandOf(argv: readonly string[]): string | undefined {
  const [first, second] = plainWords(argv);
  return first === "help" ? second : first;
}

/** Registers the command that `argv` names, and loads nothing else. */
export async function registerCommands(
  program: Command,
  context: CliContext,
  commands: CommandList,
  argv: readonly string[],
): Promise<void> {
  const asked = commandOf(argv);
  for (const [name, { about, load }] of Object.entries(commands)) {
    if (name === asked || asked === "completion") (await load()).register(program, context);
    else program.command(name);
    program.commands.at(-1)?.description(about);
  }
}

function named(program: Command, argv: readonly string[]): { readonly command: Command; readonly rest: readonly string[] } {
  let command = program;
  const words = plainWords(argv);
  for (const [at, word] of words.entries()) {
    const next = command.commands.find((one) => one.name() === word || one.aliases().includes(word));
    if (next === undefined) return { command, rest: words.slice(at) };
    command = next;
  }
  return { command, rest: [] };
}

const spelled = (command: Command): string => (command.parent ? `${spelled(command.parent)} ${command.name()}` : command.name());

function noCommand(command: Command, word: string): string {
  const names = command.commands.map((one) => one.name());
  const whose = command.parent ? ` of ${command.name()}` : "";
  if (names.length === 0) return `${JSON.stringify(word)} is no command${whose}, which has none; see ${spelled(command)} --help`;
  return `there is no command ${JSON.stringify(word)}${whose}${didYouMean(word, names)}; there are ${names.join(", ")}`;
}

/** Shows the help of `help records import`, a command at any depth; with `--help-all` all of its flags. */
function showHelp(program: Command, argv: readonly string[]): boolean {
  const isAll = argv.includes("--help-all");
  const [first, ...others] = plainWords(argv);
  if (first !== "help" && !isAll) return false;
  const { command, rest } = named(program, first === "help" ? others : plainWords(argv));
  const [word] = rest;
  if (word !== undefined && (first === "help" || command.commands.length > 0)) throw badInput(noCommand(command, word));
  if (isAll) showingAll.add(program);
  command.outputHelp();
  return true;
}

function excessWords(program: Command, argv: readonly string[]): string {
  const { command } = named(program, argv);
  const taken = command.registeredArguments.map((argument) => `<${argument.name()}>`);
  const extra = command.args.slice(taken.length).map((word) => JSON.stringify(word));
  const files = command.options.filter(({ flags }) => /<(file|csv|path)/i.test(flags)).map(({ long }) => long);
  const byFlag = taken.length === 0 && files.length > 0 ? `; a file is given with a flag: ${files.join(", ")}` : "";
  return `${command.name()} takes ${taken.length === 0 ? "no arguments" : `${taken.join(" and ")} alone`}, and ${extra.join(" ")} ${extra.length === 1 ? "is" : "are"} too many${byFlag}`;
}

function usageSentence(error: CommanderError, program: Command, argv: readonly string[]): string {
  const at = named(program, argv);
  const help = `see ${spelled(at.command)} --help`;
  if (error.code === "commander.unknownCommand") return noCommand(at.command, at.rest[0] ?? "");
  if (error.code === "commander.excessArguments") return `${excessWords(program, argv)}; ${help}`;
  const plain = error.message
    .replace(/^error: /, "")
    .replace(/\s+/g, " ")
    .trim()
    .replace(/\.$/, "");
  return `${plain}; ${help}`;
}

/** Never throws. The exit code also reflects what a command set through the context. */
export async function runProgram(program: Command, argv: readonly string[], context: CliContext): Promise<ExitCode> {
  const name = commandOf(argv);
  const known = program.commands.some((command) => command.name() === name);
  const command = known ? `warpfarm ${name}` : "warpfarm";
  try {
    if (showHelp(program, argv)) return exitCode.ok;
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
    const sentence = usage ? usageSentence(error, program, argv) : sentenceOf(reason);
    context.stderr.write(`${command}: ${sentence}\n`);
    if (Number(context.env.WARPFARM_DEBUG ?? 0) >= 1 && error instanceof Error && error.stack)
      context.stderr.write(`${error.stack}\n`);
    if (argv.includes("--json")) context.stdout.write(`${JSON.stringify({ error: { message: sentence, exit_code: code } })}\n`);
    return code;
  }
}
