/**
 * The best config of one computation on one kind of device under one set of conditions: the one rule for `tune`, `best LOG`,
 * `records best`, `export`, suites and the page.
 *
 * A kernel's time is the median of its measurements' times, so a lucky minimum does not win. Where the kernel of the least time
 * was measured interleaved with others, the rounds of that measurement decide among them (paired/verdict.ts). Otherwise the
 * kernels whose times are within the noise of the fastest's are tied with it. Of tied kernels the one whose config comes first by
 * the canonical text of its values is the best, so equal measurements give everybody the same config, in whatever order they
 * came.
 */
import {
  backendOf,
  backends,
  canonicalJson,
  defined,
  isTarget,
  type Json,
  l2Of,
  l2Words,
  leastLaunchSeconds,
  medianSeconds,
  type Rounds,
  type Seconds,
  shortNameOf,
} from "@warpfarm/common";
import { groupBy } from "./group-by.ts";
import { type Verdict, verdictOf } from "./paired/verdict.ts";
import type { BestQuery, BestRecord, Conditions } from "./query.ts";
import { kernelOf, nameOfConfig, type TuningRecord } from "./tuning-record.ts";

/**
 * On a quiet GPU two measurements of one kernel differ by `leastNoise`. No spread of repeats makes more than `mostNoise` tied.
 */
export const leastNoise = 0.01;
export const mostNoise = 0.05;

export const tieWords = "of tied configs the one whose values sort first as canonical JSON wins";

export const tieRule =
  `rounds measured interleaved decide where the fastest has some, or else medians within the noise are tied; ${tieWords}; noise ` +
  `is half of the fastest's spread of repeats, at least ${leastNoise * 100} % and at most ${mostNoise * 100} %`;

export interface Timed<T> {
  readonly of: T;
  /** Its own name. It orders measurements that are equal in all else. */
  readonly id: string;
  /** Names what was measured: the program, or else the config. */
  readonly kernel: string;
  /** nameOfConfig; absent for the default schedule, and where nobody told it. */
  readonly values: string | undefined;
  readonly costs: readonly Seconds[];
  /** As in a record. The measurements of one run belong together where all `of` of them are there. */
  readonly interleaved?: TuningRecord["interleaved"] | undefined;
  /** Unix time; later runs count before earlier ones. */
  readonly atMs: number;
}

export interface Kernel<T> {
  readonly kernel: string;
  readonly values: string | undefined;
  /** The measurement whose time is nearest to `seconds`, preferably one with the config. */
  readonly nearest: Timed<T>;
  /** Median over the kernel's measurements; of those measured interleaved only where there are no others. */
  readonly seconds: Seconds;
  readonly measurements: number;
}

export interface Best<T> {
  readonly best: Kernel<T>;
  readonly tied: readonly Kernel<T>[];
  readonly kernels: readonly Kernel<T>[];
  /** Kernels whose times are within this share of the fastest's are tied where no rounds decide. */
  readonly noise: number;
  readonly fastest: Seconds;
  /** The fastest of the others, by the rounds or by medians; absent where there is one kernel. */
  readonly runnerUp?: Kernel<T>;
  /** The rounds that decided; absent where medians did. */
  readonly rounds?: { readonly verdict: Verdict; readonly kernels: readonly Kernel<T>[] };
}

/** Expects measurements that may be compared. Undefined when there are none. */
export function bestOf<T>(timed: readonly Timed<T>[]): Best<T> | undefined {
  const all = [...groupBy(timed, ({ kernel }) => kernel).values()].map(kernelFrom);
  const named = all.filter(({ values }) => values !== undefined);
  const kernels = (named.length > 0 ? named : all).sort(inOrder);
  const [first] = kernels;
  if (first === undefined) return undefined;
  const fastest = kernels.reduce((a, b) => (b.seconds < a.seconds ? b : a), first);
  const noise = noiseOf(fastest.nearest.costs);
  const near = kernels.filter(({ seconds }) => seconds <= fastest.seconds * (1 + noise));
  const decided = decidedBy(timed, kernels, fastest, near);
  if (decided === undefined) {
    const best = near[0] as Kernel<T>;
    const others = kernels.filter((each) => each !== best).sort((a, b) => a.seconds - b.seconds);
    return { best, tied: near, kernels, noise, fastest: fastest.seconds, ...defined({ runnerUp: others[0] }) };
  }
  const { verdict, kernels: among } = decided;
  const kernelAt = ({ at }: { readonly at: number }) => among[at] as Kernel<T>;
  const best = kernelAt(verdict.winner);
  const tied = [best, ...verdict.tied.map(kernelAt).sort(inOrder)];
  return { best, tied, kernels, noise, fastest: fastest.seconds, runnerUp: kernelAt(verdict.runnerUp), rounds: decided };
}

function kernelFrom<T>(all: readonly Timed<T>[]): Kernel<T> {
  const alone = all.filter(({ interleaved }) => interleaved === undefined);
  const counted = (alone.length > 0 ? alone : all).map((each) => ({ each, seconds: medianSeconds(each.costs) }));
  const seconds = medianSeconds(counted.map((each) => each.seconds));
  const values = all.reduce<string | undefined>((least, { values: text }) => (isFirst(text, least) ? text : least), undefined);
  const place = (at: (typeof counted)[number]) => [at.each.values === values ? 0 : 1, Math.abs(at.seconds - seconds)];
  const nearest = counted.reduce((a, b) => ((compare(place(b), place(a)) || (b.each.id < a.each.id ? -1 : 1)) < 0 ? b : a)).each;
  return { kernel: (all[0] as Timed<T>).kernel, values, nearest, seconds, measurements: counted.length };
}

const isFirst = (text: string | undefined, least: string | undefined): boolean =>
  text !== undefined && (least === undefined || text < least);
function compare(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((value, i) => value !== b[i]);
  return at < 0 ? 0 : (a[at] as number) - (b[at] as number);
}
/** Two versions of a template may give programs of one config. */
const inOrder = <T>(a: Kernel<T>, b: Kernel<T>): number =>
  a.values === b.values ? a.seconds - b.seconds || (a.kernel < b.kernel ? -1 : 1) : isFirst(a.values, b.values) ? -1 : 1;

function decidedBy<T>(
  timed: readonly Timed<T>[],
  kernels: readonly Kernel<T>[],
  fastest: Kernel<T>,
  near: readonly Kernel<T>[],
): Best<T>["rounds"] {
  const known = new Map(kernels.map((each) => [each.kernel, each]));
  const sets = new Map<string, { readonly kernels: readonly Kernel<T>[]; readonly runs: Rounds[][]; atMs: number }>();
  const inRuns = timed.filter(({ interleaved }) => interleaved !== undefined);
  for (const run of groupBy(inRuns, ({ interleaved }) => interleaved?.run ?? "").values()) {
    const costs = new Map(run.map((each) => [each.kernel, each.costs]));
    const isWhole = new Set(run.map(({ interleaved }) => interleaved?.place)).size === run[0]?.interleaved?.of;
    const among = [...costs.keys()].flatMap((kernel) => known.get(kernel) ?? []).sort(inOrder);
    if (!isWhole || among.length < 2 || !among.includes(fastest)) continue;
    const key = canonicalJson(among.map(({ kernel }) => kernel));
    const set = sets.get(key) ?? { kernels: among, runs: [], atMs: 0 };
    set.runs.push(among.map(({ kernel }) => costs.get(kernel) as Rounds));
    set.atMs = Math.max(set.atMs, ...run.map(({ atMs }) => atMs));
    sets.set(key, set);
  }
  const worth = ({ kernels: among, atMs }: { readonly kernels: readonly Kernel<T>[]; readonly atMs: number }) => [
    -among.filter((each) => near.includes(each)).length,
    -among.length,
    -atMs,
  ];
  const [first] = [...sets].sort(([a, x], [b, y]) => compare(worth(x), worth(y)) || (a < b ? -1 : 1));
  return first && { verdict: verdictOf(first[1].runs), kernels: first[1].kernels };
}

/** The values of the most frequent kind; of equally frequent kinds the one that came first. */
export function ofOneKind<T>(all: readonly T[], kindOf: (each: T) => string): readonly T[] {
  return [...groupBy(all, kindOf).values()].reduce<readonly T[]>((a, b) => (b.length > a.length ? b : a), []);
}

function noiseOf(costs: readonly Seconds[]): number {
  const spread = (Math.max(...costs) - Math.min(...costs)) / medianSeconds(costs);
  return Math.min(mostNoise, Math.max(leastNoise, spread / 2));
}

/** No launch is shorter. Trackers know the program's document, and so a stricter bound (leastSeconds). */
export const canBeTrue = (costs: readonly Seconds[]): boolean => costs.every((seconds) => seconds >= leastLaunchSeconds);

/** Whether a record can be the best, on whatever device. */
export function counts(record: TuningRecord, query: BestQuery): boolean {
  const { result } = record;
  const { origin = "measured", unchecked = false } = query;
  if (
    result.kind !== "timed" ||
    !canBeTrue(result.costs) ||
    !conditionsAsked(query).includes(conditionsOfRecord(record)) ||
    !hasUsualTimer(record)
  )
    return false;
  if (origin !== "any" && record.origin.kind !== origin) return false;
  return unchecked || record.origin.kind === "imported" || result.checked === true;
}

/** Times by another timer have other overheads. */
const hasUsualTimer = ({ options, target }: Pick<TuningRecord, "options" | "target">): boolean =>
  [undefined, usualTimer(target) ?? options?.timer].includes(options?.timer);
const usualTimer = (target: string): string | undefined =>
  isTarget(target) ? backends.of(backendOf(target)).timers[0] : undefined;

const listed = (words: readonly string[]): string => words.filter((word) => word !== "").join(", ");

/**
 * What is unusual about the conditions, in words; empty where nothing is. Times under other conditions are not comparable. What
 * an option does not say is usual.
 */
export const conditionsOf = ({ l2 = "warm", inputs = "full", power = "burst" }: Conditions = {}): string =>
  listed([
    l2 === "warm" ? "" : `L2 ${l2Words(l2)}`,
    inputs === "full" ? "" : `${inputs} inputs`,
    power === "burst" ? "" : `power ${power.replace("_", " ")}`,
  ]);

/** Each of the conditions for which a query wants a best. */
export const conditionsAsked = ({ l2, ...others }: Conditions): readonly string[] =>
  (l2 === undefined ? usualL2 : [l2]).map((state) => conditionsOf({ ...others, l2: state }));
const usualL2 = ["warm", "rotated"] as const;

/** Of a result with these options. `judged`: its outcome, where it has one. */
export const conditionsOfRecord = ({ options = {}, judged }: Pick<TuningRecord, "options" | "judged">): string =>
  conditionsOf({ ...options, l2: l2Of(options, judged) });

/** The same, with the timer where it is not the target's usual one. */
export const conditionWords = (of: Pick<TuningRecord, "options" | "judged" | "target">): string => {
  const timer = of.options?.timer;
  return listed([conditionsOfRecord(of), timer === undefined || timer === usualTimer(of.target) ? "" : `timer ${timer}`]);
};

export const deviceOf = ({ device }: TuningRecord): string => canonicalJson([device?.key ?? "", device?.name ?? ""]);

/** Names kind of device, computation and conditions, in the order of all three. */
export const kindOf = (record: TuningRecord): string =>
  `${deviceOf(record)} ${record.computation === undefined ? "" : shortNameOf(record.computation)} ${conditionsOfRecord(record)}`;

/** Undefined for a failure. */
export function timedOf(record: TuningRecord): Timed<TuningRecord> | undefined {
  const { result, origin, config, trace, interleaved, timestampMs } = record;
  if (result.kind !== "timed") return undefined;
  // A farm's record without a config is of the default schedule. Some formats have a trace in place of a config.
  const isTrace = config === undefined && origin.kind === "imported" && trace !== undefined;
  const values = isTrace ? canonicalJson(trace as Json) : config && nameOfConfig(config.entity);
  return { of: record, id: record.id, kernel: kernelOf(record), values, costs: result.costs, interleaved, atMs: timestampMs };
}

/** Expects records of one kind of device and one computation that count. Undefined when none of them was timed. */
export const chooseBest = (records: readonly TuningRecord[]): ChosenRecord | undefined =>
  chooseOf(records.flatMap((record) => timedOf(record) ?? []));

/** `fastest`: the least median time of all kernels. */
type ChosenRecord = BestRecord & { readonly fastest: Seconds };
export function chooseOf(timed: readonly Timed<TuningRecord>[]): ChosenRecord | undefined {
  const found = bestOf(timed);
  if (!found) return undefined;
  const { noise, fastest, rounds } = found;
  const tied = found.tied.map(({ nearest, seconds, measurements }) => ({ record: nearest.of, seconds, measurements }));
  const [chosen] = tied as [(typeof tied)[number]];
  const { computation, device: { key = "", name = "" } = {} } = chosen.record;
  return {
    ...chosen,
    device: { key, name },
    ...(computation === undefined ? {} : { computation }),
    noise,
    fastest,
    tied,
    ...(rounds === undefined ? {} : { interleaved: rounds.kernels.length }),
  };
}
