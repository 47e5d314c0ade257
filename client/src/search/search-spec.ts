/**
 * A search whose task and device are known: every field that determines its proposals has a value. Differences of two searches.
 * The value is declared in records (search-spec.ts), because farms and pages read it too.
 */
import { badInput, canonicalJson, defined, type Json, leastRoundsOf } from "@warpfarm/common";
import type { RunIdentity } from "@warpfarm/records/logs";
import {
  finalistLimits,
  nameOfTask,
  type PlacedSpec,
  type SearchBudget,
  type SearchSpec,
  searchDefaults,
} from "@warpfarm/records/search";
import type { Task } from "@warpfarm/templates";
import { isTunerName, type TunerName, tuners, usesRecords } from "../tuner/index.ts";

export {
  finalistLimits,
  nameOfTask,
  type PlacedSpec,
  readSearchSpec,
  type SearchSpec,
  type SearchTask,
  searchDefaults,
  trialsOf,
  untilLimits,
} from "@warpfarm/records/search";

/** A search with all fields that determine its proposals. */
export interface WholeSpec extends PlacedSpec {
  readonly tuner: TunerName;
  readonly seed: number;
  readonly budget: SearchBudget & { readonly trials: number; readonly give_up: string };
  readonly in_flight: number;
  readonly finalists: { readonly count: number; readonly rounds: number; readonly idle: string };
  readonly start: NonNullable<SearchSpec["start"]>;
  readonly limits: "device" | "autotvm";
}

/** Throws FarmError INVALID_ARGUMENT for what the tuner cannot do. */
export function wholeSpec(spec: SearchSpec, task: Task, key: string): WholeSpec {
  const { version, task: searched, args: _, target: __, key: ___, ...rest } = spec;
  const { tuner = searchDefaults.tuner, start = searchDefaults.start } = rest;
  return {
    version,
    task: searched,
    args: [...task.args],
    target: task.target,
    key,
    ...defined({ derived: task.derived?.digest }),
    ...rest,
    tuner: tunerNamed(tuner),
    seed: spec.seed ?? searchDefaults.seed,
    budget: { ...searchDefaults.budget, ...defined(spec.budget ?? {}) },
    in_flight: spec.in_flight ?? searchDefaults.in_flight,
    finalists: wholeFinalists(spec.finalists),
    start,
    limits: spec.limits ?? searchDefaults.limits,
  };
}

/**
 * With the usual rounds, or more where a verdict on so many finalists takes more. Throws FarmError INVALID_ARGUMENT where
 * somebody asks for fewer.
 */
export function wholeFinalists(asked: SearchSpec["finalists"] = {}): WholeSpec["finalists"] {
  const whole = { ...searchDefaults.finalists, ...defined(asked) };
  const least = whole.count < finalistLimits.least ? 1 : leastRoundsOf(whole.count);
  if (whole.rounds >= least) return whole;
  const rounds = "rounds" in asked ? asked.rounds : undefined;
  if (rounds === undefined) return { ...whole, rounds: least };
  throw badInput(
    `--rounds (finalists.rounds) is ${rounds}; a verdict on ${whole.count} finalists takes at least ${least}: give ${least}, or fewer finalists`,
  );
}

function tunerNamed(name: string): TunerName {
  if (isTunerName(name)) return name;
  throw badInput(`tuner is ${JSON.stringify(name)}; there are ${Object.keys(tuners).join(", ")}`);
}

/** Refuses what the tuner cannot use, in the words of flags. `asked`: what was said, without defaults. */
export function checkTuner({ tuner = searchDefaults.tuner, start }: Pick<SearchSpec, "tuner" | "start">): void {
  const named = tunerNamed(tuner);
  if (start === "farm" && !usesRecords.includes(named))
    throw badInput(`--transfer farm is for searches by ${usesRecords.join(", ")}`);
  if (typeof start === "object" && !usesRecords.includes(named))
    throw badInput(`--transfer is for ${usesRecords.join(", ")}; ${named} cannot use other logs`);
}

/** The search as each line of its log names it. */
export const runOf = ({ task, args, target, tuner, seed }: WholeSpec): RunIdentity => ({
  task: nameOfTask(task),
  args,
  target,
  tuner,
  seed,
});

/** A field in which two specs differ: its name, and both values as JSON. */
interface Difference {
  readonly field: string;
  readonly there: string;
  readonly here: string;
}

/** The fields in which `asked` differs from the spec. Absent fields are no difference. */
export function differences(spec: SearchSpec, asked: Partial<SearchSpec>, at = ""): readonly Difference[] {
  return Object.entries(asked).flatMap(([name, here]): readonly Difference[] => {
    const there = (spec as Readonly<Record<string, unknown>>)[name];
    const field = at === "" ? name : `${at}.${name}`;
    if (here === undefined) return [];
    const isWhole = name === "task" || name === "args" || name === "start";
    if (isFieldsOf(here) && isFieldsOf(there) && !isWhole)
      return differences(there as SearchSpec, here as Partial<SearchSpec>, field);
    const [a, b] = [there ?? null, here].map((value) => canonicalJson(value as Json));
    return a === b ? [] : [{ field, there: there === undefined ? "not set" : (a as string), here: b as string }];
  });
}
const isFieldsOf = (value: unknown): value is object => typeof value === "object" && value !== null && !Array.isArray(value);

/** How long a search lasts may change while it is continued. Everything else is another search. */
export const mayChange = ({ field }: Difference): boolean => field.startsWith("budget.");
