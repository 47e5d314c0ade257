/** The command line's frame, and the client's commands by name, for the program that composes everything (deploy). */
import type { CommandList } from "./run.ts";

export type * from "./context.ts";
export { CliError, exitCode, exitCodeOf, Interrupted, sentenceOf } from "./exit.ts";
export * as parse from "./flags/parse.ts";
export { readSettings, type Settings } from "./flags/settings.ts";
export { connection, defaultTracker, sharedOf, takes } from "./flags/shared-flags.ts";
export { makeDirectory } from "./make-directory.ts";
export { type CommandList, createProgram, registerCommands, runProgram } from "./run.ts";
export { targetWords } from "./terminal/table.ts";

export const clientCommands: CommandList = {
  tasks: {
    about: "list the tasks that come with Warpfarm, with their arguments and defaults",
    load: () => import("./commands/tasks.ts"),
  },
  tune: {
    about:
      "search the space of a task, or of an operator's templates, which share the trials; every candidate is built, checked and timed on a farm",
    load: () => import("./commands/tune.ts"),
  },
  suite: {
    about: "search many tasks under one budget: run, from-onnx, settle, verify, status, report, table, resume, cancel, work",
    load: () => import("./commands/suite.ts"),
  },
  measure: {
    about: "measure one config and show everything about it",
    load: () => import("./commands/measure.ts"),
  },
  check: {
    about:
      "run configs in an interpreter (races, bounds, unwritten reads, the definition); compile kernels of your own and check their arguments; needs no device",
    load: () => import("./commands/check.ts"),
  },
  score: {
    about: "score a tuner on a recorded space: a file of any form that records import reads, gzipped or not",
    load: () => import("./commands/score.ts"),
  },
  space: {
    about: "show a task's config space, or one config of it",
    load: () => import("./commands/space.ts"),
  },
  lower: {
    about: "print what a config becomes: its trace, loop nest, launch or device text",
    load: () => import("./commands/lower.ts"),
  },
  build: {
    about: "compile one config on this machine; writes the code, and its manifest as FILE.manifest.json",
    load: () => import("./commands/build.ts"),
  },
  best: {
    about: "print the best record of each task and kind of device of a log: its config, or its kernel as C or CUDA text",
    load: () => import("./commands/best.ts"),
  },
  export: {
    about: "write a kernel for use without Warpfarm: CUDA or C with a launcher and a self-test, a cubin, PTX, a Python module",
    load: () => import("./commands/export.ts"),
  },
  records: {
    about: "find and exchange results of measurements: query, best, diff, show, receipt, import, export, share, prune",
    load: () => import("./commands/records.ts"),
  },
  verify: {
    about: "check a receipt's signatures and digests; with --replay measure again and compare the time",
    load: () => import("./commands/verify.ts"),
  },
  nodes: {
    about: "list the builders and runners registered at a tracker, by match key",
    load: () => import("./commands/nodes.ts"),
  },
  sessions: {
    about:
      "list the sessions of a farm: what waits, why and until when, what runs and is done; or pause, extend or end a session",
    load: () => import("./commands/sessions.ts"),
  },
  drain: {
    about: "let a node finish its jobs and give it no new ones; --undo gives it work again",
    load: () => import("./commands/drain.ts"),
  },
  gc: {
    about: "delete artifacts and received requests; keeps what was in use lately",
    load: () => import("./commands/gc.ts"),
  },
  doctor: {
    about: "list what is installed and what is missing: compilers, libraries, devices, tracker, directories",
    load: () => import("./commands/doctor.ts"),
  },
  completion: {
    about: "print a script that completes commands, flags and tasks: source <(warpfarm completion bash)",
    load: () => import("./commands/completion.ts"),
  },
};
