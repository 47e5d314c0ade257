/** The builder's note on tunables of a kernel's default config without effect: `tune` shows it once, as `check` does. */
import type { MeasureResult } from "@warpfarm/common";
import { type ArtifactClient, decodeManifest } from "@warpfarm/proto";
import { isTemplateTask, type Task } from "@warpfarm/templates";
import type { TuneEvent } from "../../search/tune-events.ts";
import type { TextSink } from "../context.ts";
import { tunablesRule } from "./check-kernel.ts";
import { indexIn } from "./show-search.ts";

/** Called with each event of a search. The note is a courtesy: where the artifact cannot be had, `check` still tells it. */
export function tunablesNote(
  artifacts: Pick<ArtifactClient, "download">,
  task: Task,
  stderr: TextSink,
): (event: TuneEvent) => Promise<void> {
  let isTold = isTemplateTask(task) || task.space.size === 1;
  return async (event) => {
    const result = isTold ? undefined : ofDefault(event, task);
    if (result?.kind !== "timed") return;
    const bytes = await artifacts.download(result.artifact).catch(() => undefined);
    const manifest = bytes && decodeManifest(bytes);
    for (const { rule, message } of manifest?.ok ? manifest.value.notes : []) {
      if (rule !== tunablesRule) continue;
      isTold = true;
      stderr.write(`note: ${message}\n`);
    }
  };
}

/** The default is measured before the trials; where the reference is another kernel, that one is, and ours may be a trial. */
function ofDefault(event: TuneEvent, { space, standard }: Task): MeasureResult | undefined {
  if (event.kind === "default") return event.result;
  return event.kind === "trial" && indexIn(space)(event.trial.config.entity) === standard ? event.trial.result : undefined;
}
