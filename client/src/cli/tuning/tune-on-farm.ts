/**
 * One search of a command on an open farm: what is said while it runs, the files that it leaves, and how an early end goes on.
 */
import { countWords, shellWord } from "@warpfarm/common";
import { connect } from "@warpfarm/proto";
import type { FarmRecords } from "../../search/farm-records.ts";
import { type OpenSearch, type OpenSearchOptions, openSearch, type SearchFarm } from "../../search/open-search.ts";
import { checkBuilders } from "../../search/reach.ts";
import type { CliContext } from "../context.ts";
import type { FarmAccess } from "../farm/farm-access.ts";
import { fewerWords } from "../terminal/words.ts";
import { ended, endOf, type FarmEnd, saysAll, stopReason } from "./search-end.ts";
import { searchFarm } from "./search-farm.ts";
import { followControl } from "./session-control.ts";
import { shown, showSearch } from "./show-search.ts";
import { silenceOf } from "./silence.ts";
import { tunablesNote } from "./tunables-note.ts";

interface AskedSearch extends Pick<OpenSearch, "spec">, Pick<OpenSearchOptions, "task" | "resume" | "paths" | "sources"> {
  readonly logPath: string;
  readonly again: string;
  /** Asked before the farm was there. Absent: the farm's are asked. */
  readonly records?: FarmRecords | undefined;
}

/** Of a template or a kernel. Throws when the search was stopped or the farm was lost. Results so far are in the log. */
export const tuneOnFarm = async (
  context: CliContext,
  farm: FarmAccess,
  { spec, again, ...asked }: AskedSearch,
): Promise<FarmEnd> =>
  (await searchOnFarm(context, farm, { ...asked, spec, again }, (place, options) => openSearch(place, spec, options))).end;

type AskedOf<S extends OpenSearch> = (
  place: SearchFarm,
  options: Omit<AskedSearch, "spec" | "again" | "records"> & Omit<OpenSearchOptions, "task" | "logPath">,
) => Promise<S>;

/** Any search, with what was opened for it. `spec` and `task` say what is shown; of an operator its first template's. */
export async function searchOnFarm<S extends OpenSearch>(
  context: CliContext,
  farm: FarmAccess,
  { spec, again, records, ...asked }: AskedSearch,
  open: AskedOf<S>,
): Promise<{ readonly end: FarmEnd; readonly search: S }> {
  const { task, logPath } = asked;
  const { stderr } = context;
  checkBuilders(farm, task.target, (message) => void stderr.write(`${message}\n`));
  await using tracker = connect(farm.channel);
  using silence = silenceOf(context, tracker);
  const noteTunables = tunablesNote(tracker.artifacts, task, stderr);
  let isOpen = false;
  const place = searchFarm(context, farm, tracker, records);
  const goOn = (isSafe: string) => {
    const path = shown(context, logPath);
    stderr.write(`${isSafe} safe in ${path}; continue with:\n  npx warpfarm tune --resume ${shellWord(path)}${again}\n`);
  };
  try {
    await using search = await open(place, {
      ...asked,
      cwd: context.cwd,
      say: (message) => void stderr.write(`${message}\n`),
      onSession: (id) => {
        isOpen = true;
        silence.follow(id);
      },
      onTakeOver: (n) => n > 0 && stderr.write(`taking over ${countWords(n, "measurement")} of the previous run\n`),
      onFewer: (allowed) => void stderr.write(fewerWords("--in-flight", spec.in_flight, allowed)),
      onControl: followControl(stderr, silence, spec.budget.trials),
      signal: farm.signal,
    });
    const summary = await showSearch(context, search, (event) => {
      silence.heard();
      return noteTunables(event);
    });
    if (summary.reason !== "aborted" && !farm.signal.aborted) {
      return { end: await endOf({ task: search.task, logPath }, spec, summary), search };
    }
    isOpen = false;
    goOn(`${countWords(summary.trials, "trial")} ${summary.trials === 1 ? "is" : "are"}`);
    throw stopReason(context, farm);
  } catch (error) {
    if (isOpen && !saysAll(error)) goOn("results are");
    throw isOpen ? ended(error) : error;
  }
}
