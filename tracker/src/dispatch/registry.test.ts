/** The live workers as one tracker knows them: calls held here, signs of life elsewhere, who may get work. */
import { ManualClock, parseSelector, toWorkerId, type WorkerId } from "@warpfarm/common";
import type { RunnerFacts } from "@warpfarm/proto";
import { describe, expect, it } from "vitest";
import type { WorkerRow } from "../store/sql/workers.ts";
import { Registry, readAlike, stationsOf } from "./registry.ts";

const facts = (keys: readonly string[] = ["cuda/sm_90"], more: Partial<RunnerFacts> = {}, memoryBytes = 80e9): RunnerFacts => ({
  kind: "runner",
  devices: keys.map((key, device) => ({
    device,
    facts: { key, name: "a device", uuid: `${key} ${device}`, node: "n", driver: "1" },
    memoryBytes,
    limits: {},
  })),
  manifestVersions: [1, 2],
  ...more,
});
const row = (id: string, more: Partial<WorkerRow> = {}): WorkerRow => ({
  id: toWorkerId(id),
  instanceId: `instance of ${id}`,
  epoch: 1,
  node: `node of ${id}`,
  facts: facts(),
  labels: {},
  lost: false,
  healthy: true,
  draining: false,
  quarantine: "",
  faults: 0,
  lastSeen: 1_000,
  registeredMs: 0,
  principal: "local",
  ...more,
});
function opened(...rows: readonly WorkerRow[]) {
  const clock = new ManualClock(0);
  const registry = new Registry(clock);
  registry.refresh(rows, 0);
  return { clock, registry };
}
const ids = (rows: Iterable<WorkerRow>) => [...rows].map(({ id }) => id);
const [a, b] = ["a", "b"].map(toWorkerId) as [WorkerId, WorkerId];

describe("a worker that says it is well", () => {
  it("may get work again, said once; and again after it said the opposite", () => {
    const { registry } = opened(row("a", { healthy: false }), row("b"));
    for (let cycle = 0; cycle < 2; cycle++) {
      expect([registry.setHealthy(a, true), registry.get(a)?.healthy]).toEqual([true, true]);
      expect([registry.setHealthy(a, true), registry.setHealthy(a, false), registry.get(a)?.healthy]).toEqual([
        false,
        false,
        false,
      ]);
    }
    expect(registry.get(b)?.healthy).toBe(true);
    expect(registry.setHealthy(toWorkerId("nobody"), true)).toBe(false);
  });

  it.each<Partial<WorkerRow>>([{ quarantine: "2 faults in a row" }, { draining: true }])("gets nothing with %j", (why) => {
    const { registry } = opened(row("a", { ...why, healthy: false }));
    expect([registry.setHealthy(a, true), registry.get(a)?.healthy]).toEqual([false, false]);
    registry.refresh([row("a", { healthy: false })], 0);
    expect(registry.setHealthy(a, true)).toBe(true);
  });
});

describe("the store's list", () => {
  it("replaces what was known; only workers that registered since it was read are kept without it", () => {
    const { clock, registry } = opened(row("a"), row("b"));
    clock.advance(10);
    registry.put(row("new"));
    registry.refresh([row("b")], 10);
    expect(ids(registry.rows())).toEqual(["b", "new"]);
    clock.advance(1);
    registry.refresh([row("b")], 11);
    expect(ids(registry.rows())).toEqual(["b"]);
    registry.remove([b]);
    expect([...registry.rows()]).toEqual([]);
  });

  it("does not bring back an older epoch, and tells who may work again or whose drain changed", () => {
    const { registry } = opened(row("a", { epoch: 2 }), row("b", { healthy: false }), row("c"), row("d", { draining: true }));
    const turned = registry.refresh(
      [row("a", { epoch: 1 }), row("b"), row("c", { draining: true, healthy: false }), row("d"), row("e")],
      0,
    );
    expect(turned).toEqual(["b", "c", "d"]);
    expect(registry.get(a)?.epoch).toBe(2);
    expect(registry.refresh([row("a", { epoch: 3, healthy: false }), row("b")], 1)).toEqual([]);
    expect(registry.get(a)?.epoch).toBe(3);
  });
});

describe("a worker is present", () => {
  it("while any of its calls is held, and for a time after the last", () => {
    const { clock, registry } = opened(row("a"), row("b"));
    for (let cycle = 0; cycle < 2; cycle++) {
      registry.callBegan(a);
      registry.callBegan(a);
      clock.advance(10_000);
      registry.callEnded(a, false);
      expect([registry.present(), registry.hasOpenCall(a), registry.isPresent(a, 100)]).toEqual([[a], true, true]);
      registry.callEnded(a, false);
      expect([registry.present(), registry.hasOpenCall(a)]).toEqual([[], false]);
      clock.advance(99);
      expect(registry.isPresent(a, 100)).toBe(true);
      clock.advance(1);
      expect(registry.isPresent(a, 100)).toBe(false);
    }
    expect(registry.isPresent(toWorkerId("nobody"), 100)).toBe(false);
  });

  it("for a quarter of that time when its connection was lost, unless it called again", () => {
    const { clock, registry } = opened(row("a"));
    registry.callBegan(a);
    registry.callBegan(a);
    registry.callEnded(a, true);
    expect(registry.brokenOff(0)).toEqual([]); // another call is held
    registry.callEnded(a, true);
    clock.advance(24);
    expect([registry.isPresent(a, 100), registry.brokenOff(25)]).toEqual([true, []]);
    clock.advance(1);
    expect([registry.isPresent(a, 100), registry.brokenOff(25), registry.brokenOff(26)]).toEqual([false, [a], []]);
    registry.callBegan(a);
    expect(registry.brokenOff(0)).toEqual([]);
    registry.callEnded(a, false);
    clock.advance(30);
    expect([registry.isPresent(a, 100), registry.brokenOff(0)]).toEqual([true, []]);
  });

  it("when another tracker saw it, unless its connection to this one was lost", () => {
    const { clock, registry } = opened(row("a"), row("b"));
    registry.callBegan(b);
    registry.callEnded(b, true);
    clock.advance(100);
    registry.put(row("a", { lastSeen: 1_000 }));
    expect(registry.isPresent(a, 100)).toBe(false);
    for (const id of ["a", "b"]) registry.put(row(id, { lastSeen: 1_001 }));
    expect([registry.isPresent(a, 100), registry.isPresent(b, 100), registry.brokenOff(100)]).toEqual([true, false, [b]]);
  });
});

describe("stations", () => {
  const groupOf = (more: Partial<WorkerRow>) => stationsOf(row("a", more))[0]?.group;

  it("are one for each device, one for a builder, made once an epoch", () => {
    const two = row("a", { facts: facts(["cuda/sm_90", "cuda/sm_80"]) });
    expect(stationsOf(two).map(({ device, key, worker }) => [device, key, worker])).toEqual([
      [0, "cuda/sm_90", "a"],
      [1, "cuda/sm_80", "a"],
    ]);
    expect(stationsOf({ ...two, healthy: false })).toBe(stationsOf(two));
    const builder = row("b", {
      facts: {
        kind: "builder",
        slots: 2,
        targets: ["cuda/sm_90", "cuda/sm_80"],
        toolchains: [],
        compilerVersion: "0",
        programVersions: [1, 2],
      },
    });
    expect(stationsOf(builder)).toMatchObject([
      { device: 0, key: undefined, targets: ["cuda/sm_90 1", "cuda/sm_90 2", "cuda/sm_80 1", "cuda/sm_80 2"] },
    ]);
  });

  it.each<[string, Partial<WorkerRow>]>([
    ["key", { facts: facts(["cuda/sm_80"]) }],
    ["manifests", { facts: facts(undefined, { manifestVersions: [1] }) }],
    ["a gigabyte of memory", { facts: facts(undefined, {}, 81e9) }],
    ["labels", { labels: { rack: "1" } }],
  ])("of another %s are of another group", (_what, more) => {
    expect(groupOf(more)).not.toBe(groupOf({}));
  });

  it("of equal devices are of one group, in whatever order their labels come", () => {
    expect(groupOf({ facts: facts(undefined, {}, 80.9e9) })).toBe(groupOf({}));
    expect(groupOf({ labels: { x: "1", y: "2" } })).toBe(groupOf({ labels: { y: "2", x: "1" } }));
    const lists = ["a", "b"].map((id) => stationsOf(row(id, { facts: facts() }))[0]?.targets);
    expect(lists[0]).toBe(lists[1]);
  });

  it("are those of healthy workers of the kind", () => {
    const builder = row("m", {
      facts: { kind: "builder", slots: 1, targets: ["cuda/sm_90"], toolchains: [], compilerVersion: "0", programVersions: [1] },
    });
    const { registry } = opened(row("a"), row("b", { healthy: false }), builder);
    expect(registry.stations("runner").map(({ worker }) => worker)).toEqual(["a"]);
    expect(registry.stations("builder").map(({ worker }) => worker)).toEqual(["m"]);
  });
});

it("runners of a key read alike until one is seen that reads other manifests", () => {
  const key = "cuda/sm_75";
  const with1 = facts([key], { manifestVersions: [1] });
  stationsOf(row("p", { facts: with1 }));
  stationsOf(row("q", { facts: { ...with1 } }));
  expect([readAlike(key), readAlike("cuda/sm_70")]).toEqual([true, true]);
  stationsOf(row("r", { facts: facts([key], { manifestVersions: [1, 2] }) }));
  stationsOf(row("s", { facts: facts(["cuda/sm_70"], { manifestVersions: [2] }) }));
  expect([readAlike(key), readAlike("cuda/sm_70")]).toEqual([false, true]);
});

it("uses are those of runners, by node", () => {
  const builder = row("m", {
    labels: { use: "no runner's" },
    facts: { kind: "builder", slots: 1, targets: [], toolchains: [], compilerVersion: "0", programVersions: [1] },
  });
  const { registry } = opened(row("a", { labels: { use: "shared" } }), row("b"), builder);
  expect([...registry.uses()]).toEqual([
    ["node of a", "shared"],
    ["node of b", undefined],
  ]);
});

it("nodes of a selector are those of live runners that get work, each once, by name", () => {
  const { registry } = opened(
    ...[row("z"), row("b", { node: "node of z" }), row("a"), row("lost", { lost: true }), row("drained", { draining: true })],
    ...[
      row("faulty", { quarantine: "5 faults in a row" }),
      row("other", { facts: facts(["cuda/sm_80"]) }),
      row("ill", { healthy: false }),
    ],
  );
  expect(registry.nodesOf(parseSelector("cuda/sm_90"))).toEqual(["node of a", "node of ill", "node of z"]);
  expect(registry.workersOf(["node of z", "node of a"])).toEqual(["z", "b", "a"]);
});
