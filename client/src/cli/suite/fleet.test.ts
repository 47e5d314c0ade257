import { systemClock } from "@warpfarm/common";
import type { FarmSnapshot, TrackerConnection } from "@warpfarm/proto";
import { expect, test } from "vitest";
import { whoIsThere } from "../../search/farm-there.ts";
import { Fleet } from "./fleet.ts";

const facts = { key: "cuda/sm_90", name: "a GPU", driver: "1" };
const runner = { role: "runner", node: "r", state: "ACTIVE", labels: {}, devices: [{ facts, limits: {}, memoryBytes: 1e9 }] };
const builder = (slots: number, state = "ACTIVE") => ({ role: "builder", state, slots, targets: [], devices: [], labels: {} });

test.each([
  ["every builder has work, and each device three candidates", [runner, runner, builder(16), builder(4)], 26],
  ["those of a small builder wait for it", [runner, builder(2)], 11],
  ["a lost builder builds nothing", [runner, builder(2), builder(64, "LOST")], 11],
  ["without a device nothing is searched", [builder(16)], 0],
])("capacity: %s", async (_, nodes, capacity) => {
  const snapshot = { nodes } as unknown as FarmSnapshot;
  const farm = { listNodes: async () => snapshot } as unknown as TrackerConnection["farm"];
  await using fleet = new Fleet(whoIsThere(snapshot), { farm }, systemClock);
  expect(fleet.capacity("cuda/sm_90")).toBe(capacity);
});
