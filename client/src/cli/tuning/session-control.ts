/** Changes of a search's session at the tracker: prints them and adapts the search's budget. */
import { countWords } from "@warpfarm/common";
import type { SessionControl } from "@warpfarm/proto";
import type { MoreTrials } from "../../search/more-trials.ts";
import type { TextSink } from "../context.ts";

/** Told while no result can come, so that it does not report silence. */
interface Waiting {
  held(isHeld: boolean): void;
}

export function followControl(
  stderr: TextSink,
  waiting: readonly Waiting[],
  budget?: { readonly trials: number; readonly more: MoreTrials },
): (control: SessionControl) => void {
  let isPaused = false;
  return ({ paused, moreTrials }) => {
    if (paused !== isPaused) {
      isPaused = paused;
      for (const each of waiting) each.held(paused);
      stderr.write(
        paused
          ? "the session is paused at the tracker: nothing more is measured until it is resumed (warpfarm sessions --resume ID, or the page)\n"
          : "the session goes on\n",
      );
    }
    if (!budget) return;
    const added = moreTrials - budget.more.count;
    if (added <= 0) return;
    budget.more.set(moreTrials);
    stderr.write(`${countWords(added, "more trial")} from the tracker: ${budget.trials + moreTrials} in all\n`);
  };
}
