import { type AdminHandlers, endedLeaseToWire, garbageToWire, keepFromWire, sessionStatusToWire } from "@warpfarm/proto";
import { ownerOf } from "../doors/rights.ts";
import { collect } from "../store/sql/collect.ts";
import { drainNode, extendSession, forgetNode, pauseSession, stopSession } from "./actions.ts";
import type { TrackerContext } from "./context.ts";

/** Well under the limit of a message, with the longest names. */
const leasesAtOnce = 1_000;

export function adminService(context: TrackerContext): AdminHandlers {
  const { db, limits, audit, waits, endedLeases } = context;
  return {
    DrainNode: ({ node, undo, forget }, caller) =>
      forget ? forgetNode(context, node, undo, caller) : drainNode(context, node, undo, caller),
    async ListSessions(_request, { principal }) {
      const owner = ownerOf(principal);
      const sessions = await waits.get();
      return { sessions: sessions.filter((s) => owner === undefined || s.principal === owner).map(sessionStatusToWire) };
    },
    async *ListLeases(_request, { principal }) {
      const all = endedLeases.list(ownerOf(principal)).map(endedLeaseToWire);
      for (let at = 0; at < all.length; at += leasesAtOnce) yield { leases: all.slice(at, at + leasesAtOnce) };
    },
    CancelSession: ({ session_id, reason }, caller) => stopSession(context, session_id, reason, caller),
    PauseSession: ({ session_id, undo }, caller) => pauseSession(context, session_id, undo, caller),
    async ExtendSession({ session_id, trials }, caller) {
      const { moreTrials } = await extendSession(context, session_id, trials, caller);
      return { more_trials: moreTrials };
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
