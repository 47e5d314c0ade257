/** Output of a run that gets no results. The test controls time. */
import { ManualClock, toSessionId } from "@warpfarm/common";
import type { SessionStatus } from "@warpfarm/proto";
import { expect, test } from "vitest";
import { Silence } from "./silence.ts";

const status = (id: string, more: Partial<SessionStatus> = {}): SessionStatus => ({
  ...{ sessionId: toSessionId(id), principal: "ada", task: "t", selector: "cuda/sm_90", priority: 0, weight: 1 },
  ...{
    accepted: 9,
    building: 2,
    ready: 3,
    running: 1,
    deviceMs: 0,
    queueMs: 0,
    buildMs: 0,
    transferMs: 0,
    timedMs: 0,
    ageMs: 0,
    streaming: true,
    expiresInMs: 0,
  },
  ...{ paused: false, moreTrials: 0, takesTrials: false },
  ...more,
});
const holds = [{ kind: "no_builder", what: "no builder is registered" }];

test("is said after ten seconds, then after twice as long each time, and from the start again after a result", async () => {
  const clock = new ManualClock();
  const said: string[] = [];
  const whole: string[] = [];
  let isAway = false;
  const ask = async () => {
    if (isAway) throw new Error("no tracker");
    return [status("s0"), status("s1", { waiting: { holds, share: 0, due: 1 } })];
  };
  const say = (sentence: string) => {
    whole.push(sentence);
    said.push(sentence.replace(/:.*/, ""));
  };
  const silence = new Silence({ ask, say, clock });
  /** Second by second. */
  const pass = async (seconds: number) => {
    said.length = 0;
    for (let i = 0; i < seconds; i++) {
      clock.advance(1_000);
      await new Promise((resolve) => setImmediate(resolve));
    }
    return [...said];
  };
  expect(await pass(9)).toEqual([]);
  silence.follow(toSessionId("s1"));
  expect(await pass(40)).toEqual(["no result for 10 s", "no result for 20 s", "no result for 40 s"]);
  expect(whole[0]).toBe(
    "no result for 10 s: 2 to build, 3 to run, 1 running; no builder is registered; it has 0 % of what runs on its devices and is due 100 %",
  );
  silence.heard();
  expect(await pass(9)).toEqual([]);
  isAway = true;
  expect(await pass(5)).toEqual([]);
  isAway = false;
  expect(await pass(10)).toEqual(["no result for 20 s"]);
  silence[Symbol.dispose]();
  expect(await pass(200)).toEqual([]);
});
