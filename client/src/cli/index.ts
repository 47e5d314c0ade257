/** The client's commands, for the program that composes the whole command line (deploy). Loads nothing native. */
import type { Command } from "commander";
import * as best from "./best.ts";
import * as build from "./build.ts";
import type { CliContext } from "./context.ts";
import * as doctor from "./doctor.ts";
import * as lower from "./lower.ts";
import * as measure from "./measure.ts";
import * as nodes from "./nodes.ts";
import * as space from "./space.ts";
import * as tune from "./tune.ts";

export type * from "./context.ts";
export { badInput, CliError, type ExitCode, exitCode, exitCodeOf, Interrupted, sentenceOf } from "./exit.ts";
export { chooseKey, type FarmAccess, openFarm } from "./farm-access.ts";
export { addDeviceFlag, type DeviceFlags } from "./farm-flags.ts";
export { makeDirectory } from "./make-directory.ts";
export * as parse from "./parse.ts";
export { createProgram, runProgram } from "./run.ts";
export { readSettings, type Settings } from "./settings.ts";

export { taskOf } from "./task-flags.ts";
export { tuneOnFarm } from "./tune-on-farm.ts";
export { defaultLogName, summaryWords } from "./tune-report.ts";
export { shown } from "./tune-run.ts";

const commands = [tune, measure, space, lower, build, best, nodes, doctor];

export function registerClientCommands(program: Command, context: CliContext): void {
  for (const command of commands) command.register(program, context);
}
