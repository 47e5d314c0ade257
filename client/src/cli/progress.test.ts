import { type DeviceFacts, ManualClock, type MeasureResult, toArtifactDigest } from "@warpfarm/common";
import { describe, expect, test } from "vitest";
import { advance, openProgress, type ProgressState, progressWords } from "./progress.ts";

const device: DeviceFacts = { key: "cpu/x86-64-v3", name: "n", uuid: "u", node: "here", driver: "" };
const phases = { buildMs: 0, runMs: 1, timestampMs: 0, attempt: 1 };
const timed = (seconds: number): MeasureResult => ({
  ...phases,
  kind: "timed",
  costs: [seconds, seconds, seconds],
  number: 1,
  busyMs: 1,
  checked: true,
  device,
  observations: {},
  artifact: toArtifactDigest(`sha256:${"0".repeat(64)}`),
});
const failed: MeasureResult = { ...phases, kind: "failed", errorNo: 5, message: "wrong" };
const start: ProgressState = { trials: 10, done: 0, replayed: 0, errors: {} };
const flop = 2e9;

describe("progress", () => {
  test("best is the best so far, current the last timed, errors are counted by kind", () => {
    const state = [timed(0.2), timed(0.1), failed, timed(0.4), failed].reduce((s, r) => advance(s, r, flop), start);
    expect(state).toMatchObject({ done: 5, current: 5, best: 20, errors: { WRONG_ANSWER: 2 } });
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
