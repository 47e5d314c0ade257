/**
 * Which waiting calls are offered: by kind of device, the longest waiting first, healthy workers only, and no more than asked
 * for.
 */
import { toWorkerId } from "@warpfarm/common";
import { expect, it } from "vitest";
import { leaves, waits } from "../flow/while-open.ts";
import { freeOf, type HeldCall, IdleCalls } from "./idle-calls.ts";
import type { Station } from "./registry.ts";

const station = (worker: string, device: number, group: string): Station => ({
  worker: toWorkerId(worker),
  epoch: 1,
  group,
  device,
  key: group,
  memoryBytes: 1e9,
  manifests: [1],
  targets: [group],
  labels: {},
});
const call = (worker: string, ...groups: string[]) => ({
  worker: toWorkerId(worker),
  isOpen: true,
  stations: freeOf(
    groups.map((group, device) => station(worker, device, group)),
    groups.map((_, device) => ({ device, count: 1 })),
  ),
});

it("a group's calls come longest waiting first, without those that left or are unwell, and no further than is looked", () => {
  const unwell = new Set(["w2"]);
  const idle = new IdleCalls<HeldCall>(({ worker }) => !unwell.has(worker));
  const [one, two, three, four] = [call("w1", "a"), call("w2", "a"), call("w3", "b", "a"), call("w4", "a")];
  for (const c of [one, two, three, four]) idle.add(c);
  const looked: string[] = [];
  const names = (group: string, n = 9) => {
    const found: string[] = [];
    for (const s of idle.of(group, (_, c) => looked.push(c.worker))) if (found.push(`${s.worker}/${s.device}`) === n) break;
    return found;
  };
  expect(names("a")).toEqual(["w1/0", "w3/1", "w4/0"]);
  expect(names("b")).toEqual(["w3/0"]);
  // One of them is found by its name: w2 is unwell, w1 has no second device, and w3's first is of another group.
  const at = (worker: string, device: number) =>
    idle.at({ group: "a", worker: toWorkerId(worker), device }, (_, c) => looked.push(c.worker))?.worker;
  looked.length = 0;
  expect([at("w1", 0), at("w3", 1), at("w3", 0), at("w1", 1), at("w2", 0), at("w9", 0)]).toEqual([
    "w1",
    "w3",
    ...Array.from({ length: 4 }),
  ]);
  expect([looked, idle.openIn("a"), idle.openIn("z")]).toEqual([["w1", "w3"], 4, 0]);
  looked.length = 0;
  expect(names("a", 1)).toEqual(["w1/0"]);
  expect(looked).toEqual(["w1"]);
  expect([...idle.examples()].map((s) => s.group)).toEqual(["a", "b"]);
  three.isOpen = false;
  idle.remove(three);
  unwell.clear();
  expect(at("w3", 1)).toBeUndefined();
  expect(idle.all(() => {}).map((s) => s.worker)).toEqual(["w1", "w2", "w4"]);
  expect([...idle.examples()].map((s) => s.group)).toEqual(["a"]);
  // Calls that come and go leave nothing behind, and do not change the order of others.
  for (let i = 0; i < 100; i++) {
    const passing = call(`p${i}`, "a");
    idle.add(passing);
    passing.isOpen = false;
    idle.remove(passing);
  }
  expect(names("a")).toEqual(["w1/0", "w2/0", "w4/0"]);
  for (const c of [one, two, four]) {
    c.isOpen = false;
    idle.remove(c);
  }
  expect([...idle.examples(), ...idle.of("a", () => {})]).toEqual([]);
});

it("only devices with room wait", () => {
  const stations = [station("w", 0, "a"), station("w", 1, "a"), station("w", 2, "a")];
  const free = [
    { device: 0, count: 0 },
    { device: 2, count: 3 },
  ];
  expect(freeOf(stations, free).map((s) => [s.device, s.free])).toEqual([[2, 3]]);
});

it("whoever waits for the end of a call hears of it once, unless it stopped waiting", () => {
  const controller = new AbortController();
  const heard: string[] = [];
  const who = (name: string) => ({ gone: () => void heard.push(name) });
  const two = who("two");
  for (const each of [who("one"), two, who("three")]) waits(each, controller.signal);
  leaves(two, controller.signal);
  controller.abort();
  expect(heard).toEqual(["one", "three"]);
  waits(who("late"), controller.signal);
  expect(heard).toEqual(["one", "three", "late"]);
});
