/** Shows a search while it runs: its progress and its messages. */
import { relative } from "node:path";
import { countWords, invariant } from "@warpfarm/common";
import { type ConfigSpace, configNamed } from "@warpfarm/compiler/language";
import type { OpenSearch } from "../../search/open-search.ts";
import type { OperatorSearch } from "../../search/operator-search.ts";
import type { TuneEvent, TuneSummary } from "../../search/tune-events.ts";
import type { CliContext } from "../context.ts";
import { openProgress } from "../terminal/progress.ts";
import type { IndexOf } from "./finalists-report.ts";

export async function showSearch(
  context: CliContext,
  search: OpenSearch,
  heard: (event: TuneEvent) => Promise<void>,
): Promise<TuneSummary> {
  const { log, spec, more } = search;
  const { stderr } = context;
  for (const warning of log?.warnings ?? []) stderr.write(`${warning}\n`);
  const progress = openProgress(stderr, context.clock);
  // No config is proposed twice, so a small space has fewer trials.
  const most = () => Math.min(spec.budget.trials + more.count, spaceOf(search));
  let replayed = 0;
  let current: number | undefined;
  let summary: TuneSummary | undefined;
  try {
    for await (const event of search.events()) {
      await heard(event);
      switch (event.kind) {
        case "resumed":
          replayed = event.trials;
          stderr.write(`continuing from ${countWords(event.trials, "trial")} in ${shown(context, log?.path ?? "")}\n`);
          if (event.strange > 0) stderr.write(`${event.strange} of them are not in this space and are left out\n`);
          if (event.diverged > 0) stderr.write(`${event.diverged} of them differ from what the tuner would propose now\n`);
          break;
        case "default":
          if (event.score) stderr.write(`default schedule: ${event.score.gflops.toFixed(2)} GFLOPS\n`);
          else if (event.result.kind === "failed") stderr.write(`default schedule: ${event.result.message}\n`);
          break;
        case "trial":
          current = event.score?.gflops ?? current;
          progress.show({ trials: most(), done: event.done, replayed, current, best: event.best?.gflops, errors: event.errors });
          break;
        case "finalists":
          progress.stop();
          stderr.write(
            `measuring the fastest ${event.configs.length} again, interleaved: index ${event.configs.map(indexIn(search.task.space)).join(", ")}\n`,
          );
          break;
        case "finished":
          progress.stop();
          summary = event.summary;
          break;
        default:
          event satisfies never;
      }
    }
  } finally {
    progress.stop();
  }
  if (!summary) throw new Error("the search ended without a summary");
  return summary;
}

/** Of an operator's search those of all its templates. */
const spaceOf = (search: OpenSearch & { readonly arms?: OperatorSearch["arms"] }): number =>
  (search.arms ?? [search]).reduce((sum, { task }) => sum + task.space.valid.count, 0);

export const indexIn =
  (space: ConfigSpace): IndexOf =>
  (config) => {
    const found = configNamed(space, config);
    invariant(found.ok, "a finalist is a config of its space");
    return found.value;
  };

export const shown = (context: Pick<CliContext, "cwd">, path: string): string => {
  const near = relative(context.cwd, path);
  return near.startsWith("..") ? path : near;
};
