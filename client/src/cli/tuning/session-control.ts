/** Changes of a search's session at the tracker, in words. */
import { countWords } from "@warpfarm/common";
import type { SessionControl } from "@warpfarm/proto";
import type { TextSink } from "../context.ts";

/** Called while no result can come, so that it does not report silence. */
interface Waiting {
  held(isHeld: boolean): void;
}

/** `trials`: the number with which the search began. */
export function followControl(stderr: TextSink, waiting: Waiting, trials: number): (control: SessionControl) => void {
  let isPaused = false;
  let more = 0;
  return ({ paused, moreTrials }) => {
    if (paused !== isPaused) {
      isPaused = paused;
      waiting.held(paused);
      stderr.write(
        paused
          ? "the session is paused at the tracker: nothing more is measured until it is resumed (warpfarm sessions --resume ID, or the page)\n"
          : "the session goes on\n",
      );
    }
    if (moreTrials <= more) return;
    const added = moreTrials - more;
    more = moreTrials;
    stderr.write(`${countWords(added, "more trial")} from the tracker: ${trials + moreTrials} in all\n`);
  };
}
