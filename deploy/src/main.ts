/**
 * The composition root of the command line: the client's commands, the farm's processes and the demo in one program. Each command loads
 * what it needs when it runs, so a machine without a C compiler, koffi or PGlite can still do everything that needs none of them.
 */
import {
  badInput,
  createProgram,
  exitCode,
  exitCodeOf,
  registerClientCommands,
  runProgram,
  sentenceOf,
} from "@warpfarm/client/cli";
import { parseDebug } from "@warpfarm/common";
import * as builder from "./cli/builder.ts";
import * as demo from "./cli/demo.ts";
import * as runner from "./cli/runner.ts";
import { surroundings } from "./cli/surroundings.ts";
import * as tracker from "./cli/tracker.ts";

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
  registerClientCommands(program, context);
  for (const command of [tracker, builder, runner, demo]) command.register(program, context);
  const code = await runProgram(program, argv, context);
  // A server that a signal ended has done nothing wrong, and still its exit says so (design §3a).
  if (code === 0 && context.signal.aborted) return exitCodeOf(context.signal.reason);
  return code === 0 ? (askedCode() ?? 0) : code;
}
