/** What an admin does while others come and go. */
import { ManualClock, toWorkerId } from "@warpfarm/common";
import { localPrincipal } from "@warpfarm/proto";
import { expect, it } from "vitest";
import { Registry } from "../dispatch/registry.ts";
import type { WorkerRow } from "../store/sql/workers.ts";
import { drainNode } from "./actions.ts";
import type { TrackerContext } from "./context.ts";

it("a worker that registers while a node is drained is not forgotten", async () => {
  const clock = new ManualClock(0);
  const registry = new Registry(clock);
  const late = { id: toWorkerId("late"), epoch: 1, node: "n", draining: true } as WorkerRow;
  const query = async (sql: string) => {
    if (sql.startsWith("select node from workers")) return [{ node: "n" }];
    if (sql.includes("count(distinct")) return [{ workers: 1, running: 0 }];
    if (!sql.includes("from workers where not lost")) return [];
    // The store's list was read before it came.
    clock.advance(1);
    registry.put(late);
    clock.advance(1);
    return [];
  };
  const context = { db: { query }, dispatcher: { release: () => {} }, registry, clock, audit: { did: () => {} } };
  const caller = { principal: localPrincipal, peer: "here" };
  expect(await drainNode(context as unknown as TrackerContext, "n", false, caller)).toEqual({ workers: 1, running: 0 });
  expect(registry.get(late.id)).toBe(late);
});
