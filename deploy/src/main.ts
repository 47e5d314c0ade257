/**
 * The composition root of the command line: the client's commands, the farm's processes and the demo in one program. Each command loads
 * what it needs when it runs, so a machine without a C compiler, koffi or PGlite can still do everything that needs none of them.
 */
import {
  badInput,
  clientCommands,
  createProgram,
  exitCode,
  exitCodeOf,
  type LoadCommand,
  registerCommands,
  runProgram,
  sentenceOf,
} from "@warpfarm/client/cli";
import { parseDebug } from "@warpfarm/common";
import { surroundings } from "./cli/surroundings.ts";

const commands: Readonly<Record<string, LoadCommand>> = {
  ...clientCommands,
  tracker: () => import("./cli/tracker.ts"),
  builder: () => import("./cli/builder.ts"),
  runner: () => import("./cli/runner.ts"),
  demo: () => import("./cli/demo.ts"),
};

/** Runs one command line; `bin` is the executable script, for starting further processes. Resolves with the exit code. */
export async function main(argv: readonly string[], bin: string, version: string): Promise<number> {
  try {
    parseDebug(process.env);
  } catch (error) {
    process.stderr.write(`warpfarm: ${sentenceOf(badInput((error as Error).message))}\n`);
    return exitCode.badInput;
  }
  const { context, askedCode } = surroundings(bin);
  const program = createProgram(context, version);
  await registerCommands(program, context, commands, argv);
  const code = await runProgram(program, argv, context);
  // A server that a signal ended has done nothing wrong, and still its exit says so (design §3a).
  if (code === 0 && context.signal.aborted) return exitCodeOf(context.signal.reason);
  return code === 0 ? (askedCode() ?? 0) : code;
}
