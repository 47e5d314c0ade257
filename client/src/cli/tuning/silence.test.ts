/** Output of a run that gets no results. The test controls time. */
import { ManualClock, toWorkerId } from "@warpfarm/common";
import type { FarmSnapshot, NodeView } from "@warpfarm/proto";
import { expect, test } from "vitest";
import { Silence, whyWords } from "./silence.ts";

const builder: NodeView = {
  workerId: toWorkerId("w"),
  node: "b",
  role: "builder",
  state: "ACTIVE",
  devices: [],
  slots: 1,
  targets: ["cuda/sm_90"],
  labels: {},
  lastSeenMs: 0,
  leases: 0,
  toolchains: [],
};
const runner = (more: Partial<NodeView> = {}): NodeView => ({
  ...builder,
  node: "r",
  role: "runner",
  devices: [
    { facts: { key: "cuda/sm_90", name: "", uuid: "", node: "r", driver: "" }, memoryBytes: 85e9, busy: false, limits: {} },
  ],
  ...more,
});
const queue = { key: "cuda/sm_90", waitingBuilds: 2, waitingRuns: 40, running: 1, devices: 1, idleDevices: 0 };
const farm = (nodes: readonly NodeView[], queues: FarmSnapshot["queues"] = []): FarmSnapshot => ({ nodes, queues, sessions: [] });
const why = (snapshot: FarmSnapshot, selector = "cuda/sm_90") => whyWords(snapshot, selector, "cuda/sm_90");

test("who is missing and who takes no work comes before what waits; others are of no account", () => {
  expect(why(farm([builder, runner()], [{ ...queue, key: "cpu/arm64" }, queue]))).toBe(
    "2 to build, 40 to run, 1 running on cuda/sm_90, 0 devices idle",
  );
  const held = runner({ state: "SUSPECT", reason: { what: "the timing lock is held" } });
  const others = [runner({ state: "LOST" }), runner({ node: "x", state: "DRAIN", labels: { site: "b" } })];
  expect(why(farm([builder, held, ...others], []), "cuda/sm_90,memory>=80GB")).toBe(
    "runner r takes no work (the timing lock is held); runner x takes no work (drain)",
  );
  expect(why(farm([held, ...others], []), "cuda/sm_90,site=a")).toBe(
    "there is no builder for cuda/sm_90; there is no device cuda/sm_90,site=a",
  );
});

test("is said after half a minute, then after twice as long each time, and from the start again after a result", async () => {
  const clock = new ManualClock();
  const said: string[] = [];
  let isAway = false;
  const ask = async () => {
    if (isAway) throw new Error("no tracker");
    return farm([builder, runner()], [queue]);
  };
  const say = (sentence: string) => void said.push(sentence.replace(/:.*/, ""));
  const silence = new Silence({ selector: "cuda/sm_90", target: "cuda/sm_90", ask, say, clock });
  /** Second by second. */
  const pass = async (seconds: number) => {
    said.length = 0;
    for (let i = 0; i < seconds; i++) {
      clock.advance(1_000);
      await new Promise((resolve) => setImmediate(resolve));
    }
    return [...said];
  };
  expect(await pass(29)).toEqual([]);
  expect(await pass(100)).toEqual(["no result for 30 s", "no result for 60 s", "no result for 120 s"]);
  silence.heard();
  expect(await pass(29)).toEqual([]);
  isAway = true;
  expect(await pass(5)).toEqual([]);
  isAway = false;
  expect(await pass(26)).toEqual(["no result for 60 s"]);
  silence[Symbol.dispose]();
  expect(await pass(200)).toEqual([]);
});
