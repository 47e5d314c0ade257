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
    expect(progressWords({ ...start, done: 6, replayed: 2 }, 4000)).toContain(
      "trial 6/10 | current - best - GFLOPS | no errors | 1.0/s | 4 s left",
    );
    expect(progressWords(start, 0)).toContain("time left unknown");
  });
  test("the first time left comes with the fourth result and leaves out what was before the first", () => {
    const clock = new ManualClock();
    let text = "";
    const view = openProgress({ write: (t) => (text += t) }, clock, 0);
    view.show({ ...start, trials: 100, done: 20, replayed: 20 });
    clock.advance(60_000); // the farm starts
    for (let done = 21; done <= 24; done++) {
      view.show({ ...start, trials: 100, done, replayed: 20 });
      clock.advance(500);
    }
    expect(text.match(/[^|]*left.*/g)?.map((words) => words.trim())).toEqual([
      ...new Array<string>(4).fill("time left unknown"),
      "38 s left",
    ]);
  });
  test.each([
    [99, "99 s left"],
    [121, "2 min left"],
    [5_880, "98 min left"],
    [9_000, "2.5 h left"],
  ])("%d s", (seconds, words) => {
    expect(progressWords({ ...start, trials: seconds + 3, done: 3 }, 3_000)).toMatch(new RegExp(`\\| ${words}$`));
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
