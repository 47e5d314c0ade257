/** AdminService: draining nodes, sessions with what they used, collection at once. */
import { FarmError } from "@warpfarm/common";
import { type AdminHandlers, durationFromWire, sessionStatusToWire } from "@warpfarm/proto";
import { collect } from "../store/sql/collect.ts";
import { sessionStatuses } from "../store/sql/sessions.ts";
import { listWorkers, setDrained } from "../store/sql/workers.ts";
import type { TrackerContext } from "./context.ts";

export function adminService(context: TrackerContext): AdminHandlers {
  const { db, registry, dispatcher, limits, clock, log } = context;
  return {
    async DrainNode({ node, undo }) {
      if (node === "" || node.length > 256)
        throw new FarmError("INVALID_ARGUMENT", `node is ${node.length} characters; allowed: 1 to 256`);
      const status = await setDrained(db, node, !undo);
      dispatcher.release(registry.refresh(await listWorkers(db), clock.monotonic()));
      log.info({ node, ...status }, undo ? "node works again" : "node drained");
      return status;
    },
    async ListSessions() {
      return { sessions: (await sessionStatuses(db)).map(sessionStatusToWire) };
    },
    async CollectGarbage({ keep }) {
      const collected = await collect(db, keep === null ? limits.keepMs : durationFromWire("keep", keep));
      log.info(collected, "collected");
      return { ...collected };
    },
  };
}
