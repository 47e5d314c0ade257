/** The flags of `tune` as fields of a search: only what was said, so that it can be held against the search of a log. */
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { defined, durationWords, unreadable } from "@warpfarm/common";
import { readSearchSpec, type SearchSpec, wholeFinalists } from "../../search/search-spec.ts";
import type { TuneFlags } from "../commands/tune.ts";
import { json } from "../flags/parse.ts";

const startWords = ["farm", "none"] as const;
const startWord = (transfer: readonly string[] = []): "farm" | "none" | undefined =>
  transfer.length === 1 ? startWords.find((word) => word === transfer[0]) : undefined;

/** The logs of `--transfer`. */
export const logsNamed = ({ transfer = [] }: Pick<TuneFlags, "transfer">): readonly string[] =>
  startWord(transfer) === undefined ? transfer : [];

/**
 * The fields of the file of `--search`, overridden by flags. Its arguments, target and conditions become flags. Throws bad input
 * that names the file.
 */
export async function askedWithFile(
  flags: TuneFlags,
  cwd: string,
): Promise<{ readonly asked: ReturnType<typeof askedBy>; readonly flags: TuneFlags }> {
  const { search } = flags;
  if (search === undefined) return { asked: askedBy(flags), flags };
  const what = `the file ${JSON.stringify(search)} of --search`;
  const text = await readFile(resolve(cwd, search), "utf8").catch(unreadable(what));
  // The command names the task.
  const fields = { ...(json(what, text) as object), version: 1, task: { template: "named beside" } };
  const { version: _, task: __, key: ___, args, target, where, ...rest } = readSearchSpec(fields, what);
  const all = { ...defined({ args: args && JSON.stringify(args), target, where }), ...flags };
  const said = askedBy(all);
  const both = (name: "budget" | "finalists" | "measure") =>
    rest[name] || said[name] ? { [name]: { ...rest[name], ...said[name] } } : {};
  return { asked: { ...rest, ...said, ...both("budget"), ...both("finalists"), ...both("measure") }, flags: all };
}

export function askedBy(flags: TuneFlags): Omit<SearchSpec, "version" | "task"> {
  const time = (ms: number | undefined) => (ms === undefined ? undefined : durationWords(ms));
  const { tuner, seed, trials, patience, until, finalists, rounds, priority, weight, keep, reuse, limits, where } = flags;
  const budget = {
    ...defined({ trials, patience, until, device_time: time(flags.deviceTime), wall_time: time(flags.wallTime) }),
    ...defined({ give_up: time(flags.giveUp) }),
  };
  const finals = defined({ count: finalists, rounds, idle: time(flags.idle) });
  wholeFinalists(finals); // refuses too few rounds before a farm is started
  const { measure = {} } = flags;
  return {
    ...defined({ tuner, seed, in_flight: flags.inFlight, start: startWord(flags.transfer), limits, where }),
    ...defined({ priority, weight, keep, reuse }),
    ...(Object.keys(budget).length > 0 ? { budget } : {}),
    ...(Object.keys(finals).length > 0 ? { finalists: finals } : {}),
    ...(Object.keys(measure).length > 0 ? { measure } : {}),
  };
}
