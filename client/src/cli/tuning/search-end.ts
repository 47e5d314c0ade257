/** How a search of a command ends: with its report and the files that it leaves, or early. */
import { FarmError } from "@warpfarm/common";
import type { OpenSearch, OpenSearchOptions } from "../../search/open-search.ts";
import type { TuneSummary } from "../../search/tune-events.ts";
import type { CliContext } from "../context.ts";
import { CliError, exitCode } from "../exit.ts";
import type { FarmAccess } from "../farm/farm-access.ts";
import { keepBest } from "./keep-best.ts";
import { indexIn } from "./show-search.ts";
import { type SummaryFacts, type TuneReport, tuneReport } from "./tune-report.ts";

export interface FarmEnd {
  /** With the search that it is of. */
  readonly report: TuneReport & { readonly search: OpenSearch["spec"] };
  readonly facts: Omit<SummaryFacts, "files">;
  readonly files: readonly (readonly [what: string, path: string])[];
}

export async function endOf(
  { task, logPath }: Pick<OpenSearchOptions, "task"> & { readonly logPath: string },
  search: OpenSearch["spec"],
  summary: TuneSummary,
): Promise<FarmEnd> {
  const { best, finals } = summary;
  const indexOf = indexIn(task.space);
  const files: [string, string][] = [["log", logPath]];
  if (best) files.push(["kernel", await keepBest(task, best.trial.config.index, logPath)]);
  const { result } = best?.trial ?? {};
  const device = result?.kind === "timed" ? `${result.device.name} (${result.device.key})` : search.key;
  const title = `${task.name} ${JSON.stringify(task.args)}`;
  const checked = result?.kind === "timed" && result.checked;
  return {
    report: { ...tuneReport(summary, logPath, indexOf), search },
    facts: { title, device, checked, finals, indexOf },
    files,
  };
}

/** A refused input, and a log that cannot be written, say themselves what to do. */
export const saysAll = (error: unknown): boolean =>
  error instanceof FarmError &&
  (error.code === "INVALID_ARGUMENT" || error.code === "ABORTED" || error.rule === "log.unwritable");

/** The input was accepted before, so where it is refused now somebody ended the session. */
export const ended = (error: unknown): unknown =>
  error instanceof FarmError && error.code === "FAILED_PRECONDITION"
    ? new CliError(exitCode.farmLost, error.message, { cause: error })
    : error;

/** An abort comes from the user, who has an exit code of their own, or from the farm. */
export function stopReason(context: CliContext, farm: FarmAccess): unknown {
  if (context.signal.aborted) return context.signal.reason;
  const why: unknown = farm.signal.reason;
  return new CliError(exitCode.farmLost, `the farm was lost: ${why instanceof Error ? why.message : String(why)}`, {
    cause: why,
  });
}
