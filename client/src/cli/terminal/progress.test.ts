import { ManualClock } from "@warpfarm/common";
import { describe, expect, test } from "vitest";
import { openProgress, type ProgressState, progressWords } from "./progress.ts";

const start: ProgressState = { trials: 10, done: 0, replayed: 0, current: undefined, best: undefined, errors: {} };

describe("progress", () => {
  test("says trial, current and best, errors by kind, rate and time left", () => {
    const state = { ...start, done: 5, current: 5, best: 20.04, errors: { NO_ERROR: 3, WRONG_ANSWER: 2 } };
    expect(progressWords(state, 2000)).toBe(
      "trial 5/10 | current 5.00 best 20.0 GFLOPS | errors WRONG_ANSWER 2 | 2.5/s | 2 s left",
    );
  });
  test("replayed trials count as done but not for the rate", () => {
    expect(progressWords({ ...start, done: 6, replayed: 5 }, 1000)).toContain(
      "trial 6/10 | current - best - GFLOPS | no errors | 1.0/s | 4 s left",
    );
    expect(progressWords(start, 0)).toContain("time left unknown");
  });
  test("without a terminal: a line at once, then at most one per period, and the last state at the end", () => {
    const clock = new ManualClock();
    let text = "";
    const view = openProgress({ write: (t) => (text += t) }, clock, 1000);
    for (let i = 1; i <= 10; i++) {
      view.show({ ...start, done: i });
      clock.advance(250);
    }
    view.stop();
    view.stop();
    expect(text.match(/trial \d+/g)).toEqual(["trial 1", "trial 5", "trial 9", "trial 10"]);
  });
});
