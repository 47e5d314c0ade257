/** The flags of `tune` as fields of a search: only what was said, so that it can be held against the search of a log. */
import { defined, durationWords } from "@warpfarm/common";
import { type SearchSpec, wholeFinalists } from "../../search/search-spec.ts";
import type { TuneFlags } from "../commands/tune.ts";

/** Words of `--transfer` that are about the farm's records. The others name logs. */
const startWords = ["farm", "none"] as const;
export const startWord = (transfer: readonly string[] = []): "farm" | "none" | undefined =>
  transfer.length === 1 ? startWords.find((word) => word === transfer[0]) : undefined;

/** Of `--transfer`. */
export const logsNamed = ({ transfer = [] }: Pick<TuneFlags, "transfer">): readonly string[] =>
  startWord(transfer) === undefined ? transfer : [];

export function askedBy(flags: TuneFlags): Omit<SearchSpec, "version" | "task"> {
  const time = (ms: number | undefined) => (ms === undefined ? undefined : durationWords(ms));
  const { tuner, seed, trials, patience, finalists, rounds, priority, weight, keep, reuse, features, limits, where } = flags;
  const budget = {
    ...defined({ trials, patience, device_time: time(flags.deviceTime), wall_time: time(flags.wallTime) }),
    ...defined({ give_up: time(flags.giveUp) }),
  };
  const finals = defined({ count: finalists, rounds, idle: time(flags.idle) });
  wholeFinalists(finals); // refuses too few rounds before a farm is started
  const { measure = {} } = flags;
  return {
    ...defined({ tuner, seed, in_flight: flags.inFlight, start: startWord(flags.transfer), features, limits, where }),
    ...defined({ priority, weight, keep, reuse, retry_failures: flags.retryFailures }),
    ...(Object.keys(budget).length > 0 ? { budget } : {}),
    ...(Object.keys(finals).length > 0 ? { finalists: finals } : {}),
    ...(Object.keys(measure).length > 0 ? { measure } : {}),
  };
}
