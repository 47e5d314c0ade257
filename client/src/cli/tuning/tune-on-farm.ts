/**
 * One search of a command on an open farm: what is said while it runs, the files that it leaves, and how an early end goes on.
 */
import { connect } from "@warpfarm/proto";
import { type OpenSearch, type OpenSearchOptions, openSearch } from "../../search/open-search.ts";
import type { Pace } from "../../search/pace.ts";
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
  /** Of a template whose operator divides the trials. */
  readonly pace?: Pace;
}

/** Throws when the search was stopped or the farm was lost. Results so far are in the log. */
export async function tuneOnFarm(
  context: CliContext,
  farm: FarmAccess,
  { spec, again, pace, ...asked }: AskedSearch,
): Promise<FarmEnd> {
  const { task, logPath } = asked;
  const { stderr } = context;
  checkBuilders(farm, task.target, (message) => void stderr.write(`${message}\n`));
  await using tracker = connect(farm.channel);
  using silence = silenceOf(context, tracker);
  const noteTunables = tunablesNote(tracker.artifacts, task, stderr);
  let isOpen = false;
  const place = searchFarm(context, farm, tracker);
  const goOn = (isSafe: string) => {
    const path = shown(context, logPath);
    stderr.write(`${isSafe} safe in ${path}; continue with:\n  npx warpfarm tune --resume ${path}${again}\n`);
  };
  try {
    await using search = await openSearch(place, spec, {
      ...asked,
      cwd: context.cwd,
      say: (message) => void stderr.write(`${message}\n`),
      onSession: (id) => {
        isOpen = true;
        silence.follow(id);
      },
      onTakeOver: (n) => n > 0 && stderr.write(`taking over ${n} measurements of the previous run\n`),
      onFewer: (allowed) => void stderr.write(fewerWords("--in-flight", spec.in_flight, allowed)),
      onControl: followControl(stderr, silence, spec.budget.trials),
      signal: farm.signal,
    });
    const summary = await showSearch(
      context,
      search,
      (event) => {
        silence.heard();
        return noteTunables(event);
      },
      pace,
    );
    if (summary.reason !== "aborted" && !farm.signal.aborted) return await endOf(asked, spec, summary);
    isOpen = false;
    goOn(`${summary.trials} trials are`);
    throw stopReason(context, farm);
  } catch (error) {
    if (isOpen && !saysAll(error)) goOn("results are");
    throw isOpen ? ended(error) : error;
  }
}
