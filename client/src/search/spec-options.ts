/** Fields of a search as options of its parts: measurements, finalists, and rules of its end. */
import {
  backends,
  badInput,
  defaultMeasureOptions,
  defined,
  type MeasureOptions,
  type PairedOptions,
  parseDuration,
  usualPower,
  whyNoBurst,
} from "@warpfarm/common";
import type { SearchBudget, SearchMeasure } from "@warpfarm/records/search";
import type { StopRules } from "../tuner/stop-rules.ts";
import type { WholeSpec } from "./search-spec.ts";

function msOf(text: string): number {
  const ms = parseDuration("it", text, { highMs: Number.POSITIVE_INFINITY, isFine: true });
  if (!ms.ok) throw new Error(`a spec was not read: ${ms.error}`);
  return ms.value;
}
const msIn = (text: string | undefined): number | undefined => (text === undefined ? undefined : msOf(text));

/**
 * Throws FarmError INVALID_ARGUMENT when bursts are asked for, and repeats that are none.
 *
 * `isKernel`: a client brought the code, which is then judged unless the measurement says something else or is not checked.
 * `isSearch`: programs race against the best so far, unless all are to be measured as asked.
 */
export function measureOptionsFor(
  measure: SearchMeasure = {},
  backend: string,
  { isKernel = false, isSearch = false }: { readonly isKernel?: boolean; readonly isSearch?: boolean } = {},
): MeasureOptions {
  const { min_repeat, build_timeout, run_timeout, cooldown, cutoff, judged, ...same } = measure;
  const repeats = defined({ number: same.number, minRepeatMs: msIn(min_repeat), cooldownMs: msIn(cooldown) });
  const power = same.power ?? usualPower(repeats, backend);
  const noBurst = power === "burst" ? whyNoBurst(repeats, backends.of(backend)) : undefined;
  if (noBurst !== undefined) throw badInput(noBurst);
  return {
    ...defaultMeasureOptions(backend, power),
    ...defined(same),
    ...repeats,
    ...defined({ buildTimeoutMs: msIn(build_timeout), runTimeoutMs: msIn(run_timeout) }),
    ...((judged ?? (isKernel && same.check !== "none")) ? { judged: true } : {}),
    ...incumbentOf(cutoff ?? (isSearch && power !== "as_asked" ? "best" : "none")),
  };
}

const incumbentOf = (cutoff: string): Pick<MeasureOptions, "incumbent"> =>
  cutoff === "none" ? {} : { incumbent: cutoff === "best" ? cutoff : msOf(cutoff) / 1000 };

/** Repeats of finalists have their usual length, however short those of the search are, and none ends early. */
export function finalOptions({ incumbent: _, ...options }: MeasureOptions, backend: string): MeasureOptions {
  return { ...options, minRepeatMs: Math.max(options.minRepeatMs, defaultMeasureOptions(backend, options.power).minRepeatMs) };
}

export const pairedFor = ({ rounds, idle }: WholeSpec["finalists"]): PairedOptions => ({
  rounds,
  idleMs: msOf(idle),
  sequential: true,
});

export function stopRulesOf({ patience, until, device_time, wall_time }: SearchBudget): StopRules {
  const seconds = (text: string | undefined) => (text === undefined ? undefined : msOf(text) / 1000);
  return defined({ patience, until, deviceSeconds: seconds(device_time), wallSeconds: seconds(wall_time) });
}

export const giveUpMsOf = ({ give_up }: WholeSpec["budget"]): number => msOf(give_up);
