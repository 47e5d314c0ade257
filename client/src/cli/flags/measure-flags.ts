/** The flags of MeasureOptions, shared by tune, measure and the demo. Absent flags have the defaults of the device's backend. */
import {
  backends,
  defaultPaired,
  defined,
  durationWords,
  type MeasureOptions,
  type PairedOptions,
  pairedLimits,
} from "@warpfarm/common";
import type { SearchMeasure } from "@warpfarm/records/search";
import type { Command } from "commander";
import { measureOptionsFor } from "../../search/spec-options.ts";
import { duration, integer, oneOf } from "./parse.ts";

export interface MeasureFlags {
  readonly number?: number;
  readonly repeat?: number;
  /** Times are in milliseconds. */
  readonly minRepeat?: number;
  readonly buildTimeout?: number;
  readonly runTimeout?: number;
  readonly cooldown?: number;
  readonly l2?: MeasureOptions["l2"];
  readonly timer?: MeasureOptions["timer"];
  readonly check?: MeasureOptions["check"];
  readonly cutoff?: number;
}

/** For interleaved programs. */
export interface PairedFlags {
  readonly rounds?: number;
  /** Milliseconds. */
  readonly idle?: number;
}

export const addPairedFlags = (command: Command): Command =>
  command
    .option(
      "--rounds <n>",
      `for interleaved programs: repeats of each (default ${defaultPaired.rounds})`,
      integer("--rounds", pairedLimits.rounds.least, pairedLimits.rounds.most),
    )
    .option(
      "--idle <time>",
      `for interleaved programs: pause before each repeat (default ${durationWords(defaultPaired.idleMs)})`,
      duration("--idle", { highMs: pairedLimits.idleMs, usual: "ms" }),
    );

export const pairedOptionsOf = ({ rounds, idle }: PairedFlags): PairedOptions => ({
  rounds: rounds ?? defaultPaired.rounds,
  idleMs: idle ?? defaultPaired.idleMs,
});

/** `20ms on cpu, 100ms on cuda`. */
const defaultRepeats = (): string =>
  backends.names.map((name) => `${durationWords(backends.of(name).minRepeatMs)} on ${name}`).join(", ");

const longest = { highMs: 600_000 };

export const addMeasureFlags = (command: Command): Command =>
  command
    .option("--number <n>", "runs per repeat, 0 = calibrate (default 0)", integer("--number", 0, 1_000_000))
    .option("--repeat <n>", "repeats, all kept (default 3)", integer("--repeat", 1, 1000))
    .option(
      "--min-repeat <time>",
      `least length of one repeat (default ${defaultRepeats()})`,
      duration("--min-repeat", { highMs: 60_000, usual: "ms" }),
    )
    .option("--build-timeout <time>", "limit for compiling one candidate (default 30s)", duration("--build-timeout", longest))
    .option(
      "--run-timeout <time>",
      "limit from the first launch to the last timed repeat (default 10s)",
      duration("--run-timeout", longest),
    )
    .option(
      "--cooldown <time>",
      "pause between the repeats of a candidate (default 0ms)",
      duration("--cooldown", { highMs: 60_000 }),
    )
    .option("--l2 <state>", "warm or flushed cache (default warm)", oneOf("--l2", ["warm", "flushed"]))
    .option(
      "--timer <kind>",
      "cuda_graph, events or wall (default by device)",
      oneOf("--timer", ["cuda_graph", "events", "wall"]),
    )
    .option("--check <what>", "reference or none (default reference)", oneOf("--check", ["reference", "none"]))
    .option(
      "--cutoff <time>",
      "stop a candidate that is clearly slower than this, such as 80us",
      duration("--cutoff", { lowMs: 1e-6, highMs: 1e6, isFine: true }),
    );

/** As a search has them: only what was said. */
export const measureOf = (flags: MeasureFlags): SearchMeasure => {
  const { number, repeat, l2, timer, check } = flags;
  const time = (ms: number | undefined) => (ms === undefined ? undefined : durationWords(ms));
  return {
    ...defined({ number, repeat, min_repeat: time(flags.minRepeat), build_timeout: time(flags.buildTimeout) }),
    ...defined({ run_timeout: time(flags.runTimeout), cooldown: time(flags.cooldown), l2, timer, check }),
    ...defined({ cutoff: time(flags.cutoff) }),
  };
};

export const measureOptionsOf = (flags: MeasureFlags, backend: string): MeasureOptions =>
  measureOptionsFor(measureOf(flags), backend);
