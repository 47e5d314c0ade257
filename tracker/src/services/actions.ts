/** What an admin, or the owner of a session, does to the farm by whatever way: AdminService, or the page. */
import { FarmError, type SessionId, toSessionId } from "@warpfarm/common";
import type { Caller } from "../doors/audit.ts";
import { ownerOf } from "../doors/rights.ts";
import { cancelSession, sessionCancelled } from "../store/sql/sessions.ts";
import { listWorkers, setDrained } from "../store/sql/workers.ts";
import type { TrackerContext } from "./context.ts";

const maxReason = 256;

/** Throws INVALID_ARGUMENT, NOT_FOUND. */
export async function drainNode(context: TrackerContext, node: string, undo: boolean, caller: Caller) {
  if (node === "" || node.length > 256)
    throw new FarmError("INVALID_ARGUMENT", `node is ${node.length} characters; allowed: 1 to 256`);
  const { db, dispatcher, registry, clock, audit } = context;
  const status = await setDrained(db, node, !undo);
  dispatcher.release(registry.refresh(await listWorkers(db, (id) => registry.get(id)), clock.monotonic()));
  audit.did(undo ? "undrain_node" : "drain_node", caller, { node, ...status });
  return status;
}

/** Throws INVALID_ARGUMENT; NOT_FOUND where it is not the caller's. */
export async function stopSession(context: TrackerContext, session: string, reason: string, caller: Caller) {
  if (!/^[\w.:-]{1,128}$/.test(session)) throw new FarmError("INVALID_ARGUMENT", "session_id is not an id");
  if (reason.length > maxReason || reason.includes("\0"))
    throw new FarmError("INVALID_ARGUMENT", `reason is ${reason.length} characters; allowed: at most ${maxReason}, without NUL`);
  const id: SessionId = toSessionId(session);
  const cancelled = await cancelSession(context.db, id, reason, ownerOf(caller.principal));
  if (!cancelled) throw new FarmError("NOT_FOUND", `session ${id} is not open`);
  context.sessions.remove([id], sessionCancelled(id, reason));
  context.cancel(cancelled.freed);
  const { dropped } = cancelled;
  const stopped = cancelled.freed.length;
  context.audit.did("cancel_session", caller, { session: id, reason, stopped, dropped });
  return { stopped, dropped };
}
