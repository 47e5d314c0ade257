/** AdminService: draining nodes, sessions with what they used, collection at once. */
import { FarmError, toSessionId } from "@warpfarm/common";
import { type AdminHandlers, garbageToWire, keepFromWire, sessionStatusToWire } from "@warpfarm/proto";
import { ownerOf } from "../doors/rights.ts";
import { collect } from "../store/sql/collect.ts";
import { cancelSession, sessionCancelled, sessionCounts } from "../store/sql/sessions.ts";
import { listWorkers, setDrained } from "../store/sql/workers.ts";
import type { TrackerContext } from "./context.ts";

const maxReason = 256;

export function adminService(context: TrackerContext): AdminHandlers {
  const { db, registry, sessions, dispatcher, limits, clock, audit } = context;
  return {
    async DrainNode({ node, undo }, caller) {
      if (node === "" || node.length > 256)
        throw new FarmError("INVALID_ARGUMENT", `node is ${node.length} characters; allowed: 1 to 256`);
      const status = await setDrained(db, node, !undo);
      dispatcher.release(registry.refresh(await listWorkers(db, (id) => registry.get(id)), clock.monotonic()));
      audit.did(undo ? "undrain_node" : "drain_node", caller, { node, ...status });
      return status;
    },
    async ListSessions(_request, { principal }) {
      const owner = ownerOf(principal);
      const counts = await sessionCounts(db, limits.idleMs);
      return { sessions: counts.filter((s) => owner === undefined || s.principal === owner).map(sessionStatusToWire) };
    },
    async CancelSession({ session_id, reason }, caller) {
      if (!/^[\w.:-]{1,128}$/.test(session_id)) throw new FarmError("INVALID_ARGUMENT", "session_id is not an id");
      if (reason.length > maxReason || reason.includes("\0"))
        throw new FarmError(
          "INVALID_ARGUMENT",
          `reason is ${reason.length} characters; allowed: at most ${maxReason}, without NUL`,
        );
      const id = toSessionId(session_id);
      const cancelled = await cancelSession(db, id, reason, ownerOf(caller.principal));
      if (!cancelled) throw new FarmError("NOT_FOUND", `session ${id} is not open`);
      sessions.remove([id], sessionCancelled(id, reason));
      context.cancel(cancelled.freed);
      const { dropped } = cancelled;
      const stopped = cancelled.freed.length;
      audit.did("cancel_session", caller, { session: id, reason, stopped, dropped });
      return { stopped, dropped };
    },
    async CollectGarbage(request, caller) {
      const asked = keepFromWire(request);
      const { keepMs, keepRequestsMs } = limits;
      const keep = { artifactsMs: asked ?? keepMs, requestsMs: asked ?? keepRequestsMs };
      const collected = await collect(db, keep, { dryRun: request.dry_run });
      if (!request.dry_run) audit.did("collect_garbage", caller, { ...collected });
      return garbageToWire(collected);
    },
  };
}
