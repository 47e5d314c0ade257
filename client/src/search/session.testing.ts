import {
  defaultMeasureOptions,
  digestOf,
  type MeasureInput,
  type MeasureResult,
  ok,
  type ProgramBytes,
  systemClock,
  toProgramDigest,
} from "@warpfarm/common";
import { type ConfigIndex, SpaceBuilder } from "@warpfarm/compiler";
import type { TrialRecord } from "@warpfarm/records/logs";
import { failedResult, scriptedMeasurer, timedResult } from "../measure/scripted.testing.ts";
import { type TunerName, tuners } from "../tuner/index.ts";
import type { WholeSpec } from "./search-spec.ts";
import { type TunableTask, type TuneOptions, tune } from "./session.ts";
import type { TuneEvent, TuneSummary } from "./tune-events.ts";

export const programOf = (text: string): ProgramBytes => {
  const bytes = new TextEncoder().encode(text);
  return { digest: toProgramDigest(digestOf(bytes)), bytes };
};
export const builder = new SpaceBuilder();
builder.split("tile", { loop: "l0", extent: 4096 }, { parts: 4 });
builder.choice("unroll", [0, 1, 2]);
export const space = builder.build();
export const isValid = (index: ConfigIndex) => index % 4 !== 1;

/** A task whose programs are the texts that `textOf` gives. */
export const taskOf = (textOf: (index: ConfigIndex) => string = (i) => `program ${i}`): TunableTask => ({
  name: "toy",
  args: [4096],
  target: "cpu/x86-64-v3",
  flops: 2e9,
  space,
  reference: programOf("default"),
  instantiate: (index) => ok({ program: programOf(textOf(index)) }),
});
export const textOf = ({ program }: MeasureInput) => new TextDecoder().decode(program.bytes);
export const indexOf = (input: MeasureInput) => Number(textOf(input).split(" ")[1]);
export const answer = (input: MeasureInput): MeasureResult => {
  if (textOf(input) === "default") return timedResult(1);
  const index = indexOf(input);
  return index % 7 === 0 ? failedResult(4, "crashed") : timedResult(0.1 + index / 1000);
};

export const optionsOf = (
  change: Partial<TuneOptions> & { readonly name?: TunerName; readonly seed?: number } = {},
): TuneOptions => {
  const { name = "random", seed = 5, ...rest } = change;
  return {
    task: taskOf(),
    tuner: { name, seed, tuner: tuners[name]({ space, seed, isValid }) },
    measurer: scriptedMeasurer(answer),
    options: defaultMeasureOptions("cpu"),
    trials: 40,
    inFlight: 8,
    session: "s-1",
    clock: systemClock,
    signal: new AbortController().signal,
    ...rest,
  };
};
/** The search of that task, for its log. */
export const specFor = (
  { name, args, target }: Pick<TunableTask, "name" | "args" | "target"> = taskOf(),
  tuner: TunerName = "random",
  seed = 5,
): WholeSpec => ({
  ...{ version: 1, task: { template: name }, args: [...args], target, key: target, tuner, seed, in_flight: 8 },
  ...{ budget: { trials: 40, give_up: "10m" }, finalists: { count: 0, rounds: 24, idle: "20ms" } },
  ...{ start: "none", limits: "device" },
});
export const collect = async (options: TuneOptions) => {
  const events: TuneEvent[] = [];
  for await (const event of tune(options)) events.push(event);
  return events;
};
export const trialsOf = (events: readonly TuneEvent[]) => events.flatMap((e) => (e.kind === "trial" ? [e] : []));
export const summaryOf = (events: readonly TuneEvent[]): TuneSummary => {
  const last = events.at(-1);
  if (last?.kind !== "finished") throw new Error("the last event is not the summary");
  return last.summary;
};

/** Of the trials within the noise of the fastest, that whose values sort first; written anew from docs/records.md. */
export function bestByRule(trials: readonly { readonly trial: TrialRecord }[]): number {
  const median = (costs: readonly number[]) => costs.toSorted((a, b) => a - b)[costs.length >> 1] as number;
  const timed = trials.flatMap(({ trial: { config, result } }) =>
    result.kind === "timed" ? [{ seconds: median(result.costs), costs: result.costs, text: JSON.stringify(config.entity) }] : [],
  );
  const [fastest] = timed.toSorted((a, b) => a.seconds - b.seconds) as [(typeof timed)[number]];
  const spread = (Math.max(...fastest.costs) - Math.min(...fastest.costs)) / fastest.seconds / 2;
  const limit = fastest.seconds * (1 + Math.min(0.05, Math.max(0.01, spread)));
  const tied = timed.filter(({ seconds }) => seconds <= limit).sort((a, b) => (a.text < b.text ? -1 : 1));
  return tied[0]?.seconds as number;
}
