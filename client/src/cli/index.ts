/**
 * The command line's frame, and the client's commands by name, for the program that composes the whole (deploy). Loads nothing native, and
 * no command before it is asked for: what commands share is in `cli/farm`.
 */
import type { LoadCommand } from "./run.ts";

export type * from "./context.ts";
export { badInput, CliError, type ExitCode, exitCode, exitCodeOf, Interrupted, sentenceOf } from "./exit.ts";
export { defaultTracker } from "./farm-flags.ts";
export { makeDirectory } from "./make-directory.ts";
export * as parse from "./parse.ts";
export { createProgram, type LoadCommand, registerCommands, runProgram } from "./run.ts";
export { readSettings, type Settings } from "./settings.ts";

export const clientCommands: Readonly<Record<string, LoadCommand>> = {
  tune: () => import("./tune.ts"),
  measure: () => import("./measure.ts"),
  score: () => import("./score.ts"),
  space: () => import("./space.ts"),
  lower: () => import("./lower.ts"),
  build: () => import("./build.ts"),
  best: () => import("./best.ts"),
  nodes: () => import("./nodes.ts"),
  sessions: () => import("./sessions.ts"),
  drain: () => import("./drain.ts"),
  gc: () => import("./gc.ts"),
  doctor: () => import("./doctor.ts"),
};
