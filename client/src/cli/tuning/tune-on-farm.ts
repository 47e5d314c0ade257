/** One search of a command on an open farm: its messages, its files, and how an early end can be continued. */
import { FarmError } from "@warpfarm/common";
import { connect } from "@warpfarm/proto";
import { poolOf } from "../../search/farm-there.ts";
import { type OpenSearch, type OpenSearchOptions, openSearch } from "../../search/open-search.ts";
import { checkBuilders } from "../../search/reach.ts";
import type { CliContext } from "../context.ts";
import { CliError, exitCode } from "../exit.ts";
import type { FarmAccess } from "../farm/farm-access.ts";
import { fewerWords } from "../terminal/words.ts";
import { keepBest } from "./keep-best.ts";
import { searchFarm } from "./search-farm.ts";
import { followControl } from "./session-control.ts";
import { indexIn, shown, showSearch } from "./show-search.ts";
import { silenceOf } from "./silence.ts";
import { tunablesNote } from "./tunables-note.ts";
import { type SummaryFacts, type TuneReport, tuneReport } from "./tune-report.ts";

interface AskedSearch extends Pick<OpenSearch, "spec">, Pick<OpenSearchOptions, "task" | "resume" | "paths" | "sources"> {
  readonly logPath: string;
  readonly again: string;
}

export interface FarmEnd {
  readonly report: TuneReport & { readonly search: OpenSearch["spec"] };
  readonly facts: Omit<SummaryFacts, "files">;
  readonly files: readonly (readonly [what: string, path: string])[];
}

/** Throws when the search was stopped or the farm was lost. Results so far are in the log. */
export async function tuneOnFarm(
  context: CliContext,
  farm: FarmAccess,
  { spec, again, ...asked }: AskedSearch,
): Promise<FarmEnd> {
  const { task, logPath } = asked;
  const { stderr } = context;
  checkBuilders(farm, task.target, (message) => void stderr.write(`${message}\n`));
  await using tracker = connect(farm.channel);
  using silence = silenceOf(context, tracker, { selector: poolOf(spec), target: task.target });
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
      onSession: () => {
        isOpen = true;
      },
      onTakeOver: (n) => n > 0 && stderr.write(`taking over ${n} measurements of the previous run\n`),
      onFewer: (allowed) => void stderr.write(fewerWords("--in-flight", spec.in_flight, allowed)),
      onControl: followControl(stderr, silence, spec.budget.trials),
      signal: farm.signal,
    });
    const summary = await showSearch(context, search, (event) => {
      silence.heard();
      return noteTunables(event);
    });
    if (summary.reason !== "aborted" && !farm.signal.aborted)
      return await endOf(asked, spec, tuneReport(summary, logPath, indexIn(asked.task.space)), summary);
    isOpen = false;
    goOn(`${summary.trials} trials are`);
    throw stopReason(context, farm);
  } catch (error) {
    if (isOpen && !saysAll(error)) goOn("results are");
    throw isOpen ? ended(error) : error;
  }
}

async function endOf(
  { task, logPath }: Pick<AskedSearch, "task" | "logPath">,
  search: OpenSearch["spec"],
  report: TuneReport,
  { best, finals }: Awaited<ReturnType<typeof showSearch>>,
): Promise<FarmEnd> {
  const files: [string, string][] = [["log", logPath]];
  if (best) files.push(["kernel", await keepBest(task, best.trial.config.index, logPath)]);
  const { result } = best?.trial ?? {};
  const device = result?.kind === "timed" ? `${result.device.name} (${result.device.key})` : search.key;
  const title = `${task.name} ${JSON.stringify(task.args)}`;
  const checked = result?.kind === "timed" && result.checked;
  return { report: { ...report, search }, facts: { title, device, checked, finals, indexOf: indexIn(task.space) }, files };
}

const saysAll = (error: unknown): boolean =>
  error instanceof FarmError &&
  (error.code === "INVALID_ARGUMENT" || error.code === "ABORTED" || error.rule === "log.unwritable");

/** The input was accepted before, so if it is refused now, somebody ended the session. */
const ended = (error: unknown): unknown =>
  error instanceof FarmError && error.code === "FAILED_PRECONDITION"
    ? new CliError(exitCode.farmLost, error.message, { cause: error })
    : error;

/** An abort comes from the user, who has an exit code of their own, or from the farm. */
function stopReason(context: CliContext, farm: FarmAccess): unknown {
  if (context.signal.aborted) return context.signal.reason;
  const why: unknown = farm.signal.reason;
  return new CliError(exitCode.farmLost, `the farm was lost: ${why instanceof Error ? why.message : String(why)}`, {
    cause: why,
  });
}
