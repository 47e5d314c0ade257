/**
 * What an admin or a session's owner may change on the farm, through AdminService or the page. They throw INVALID_ARGUMENT,
 * NOT_FOUND (also for a session that is not the caller's) and FAILED_PRECONDITION.
 */
import { badInput, FarmError, type SessionId, toSessionId } from "@warpfarm/common";
import type { Caller } from "../doors/audit.ts";
import { ownerOf } from "../doors/rights.ts";
import { setDrained } from "../store/sql/drained.ts";
import { freeNames } from "../store/sql/names.ts";
import { addTrials, cancelSession, sessionCancelled, setPaused, settleTrials, whyGone } from "../store/sql/session-control.ts";
import { findSession } from "../store/sql/sessions.ts";
import { listWorkers } from "../store/sql/workers.ts";
import type { TrackerContext } from "./context.ts";

const maxReason = 256;

export async function drainNode(context: TrackerContext, node: string, undo: boolean, caller: Caller) {
  checkNode(node);
  const { db, dispatcher, registry, clock, audit } = context;
  const status = await setDrained(db, node, !undo);
  const asOf = clock.monotonic();
  dispatcher.release(registry.refresh(await listWorkers(db, (id) => registry.get(id)), asOf));
  audit.did(undo ? "undrain_node" : "drain_node", caller, { node, ...status });
  return status;
}

export async function forgetNode({ db, audit }: TrackerContext, node: string, undo: boolean, caller: Caller) {
  checkNode(node);
  if (undo) throw badInput("undo and forget are for different calls");
  const workers = await db.transaction((tx) => freeNames(tx, node));
  audit.did("forget_node", caller, { node, workers });
  return { workers, running: 0 };
}

function checkNode(node: string): void {
  if (node === "" || node.length > 256) throw badInput(`node is ${node.length} characters; allowed: 1 to 256`);
}

export async function stopSession(context: TrackerContext, session: string, reason: string, caller: Caller) {
  const id = idOf(session);
  if (reason.length > maxReason || reason.includes("\0"))
    throw badInput(`reason is ${reason.length} characters; allowed: at most ${maxReason}, without NUL`);
  const cancelled = await cancelSession(context.db, id, reason, ownerOf(caller.principal));
  if (!cancelled) throw notOpen(id);
  context.quotas?.accountOf(cancelled.principal)?.sessionEnded();
  context.sessions.remove([id], sessionCancelled(id, reason));
  context.cancel(cancelled.freed);
  const { dropped } = cancelled;
  const stopped = cancelled.freed.length;
  context.audit.did("cancel_session", caller, { session: id, reason, stopped, dropped });
  return { stopped, dropped };
}

export async function pauseSession(context: TrackerContext, session: string, undo: boolean, caller: Caller) {
  const id = idOf(session);
  const counts = await setPaused(context.db, id, !undo, ownerOf(caller.principal));
  if (!counts) throw notOpen(id);
  await readAgain(context, id);
  context.peers?.session(id);
  context.audit.did(undo ? "resume_session" : "pause_session", caller, { session: id, ...counts });
  return counts;
}

const mostTrials = 1_000_000;

export async function extendSession(context: TrackerContext, session: string, trials: number, caller: Caller) {
  const id = idOf(session);
  if (!Number.isSafeInteger(trials) || trials < 1 || trials > mostTrials)
    throw badInput(`trials is ${trials}; allowed: 1 to ${mostTrials}`);
  const added = await addTrials(context.db, id, trials, ownerOf(caller.principal));
  if (!added) throw notOpen(id);
  await readAgain(context, id);
  context.peers?.session(id);
  context.audit.did("extend_session", caller, { session: id, trials, ...added });
  return added;
}

/** Returns the number of trials beyond those that it began with. */
export async function settleSession({ db }: TrackerContext, session: string, moreTrials: number, { principal }: Caller) {
  const id = idOf(session);
  const settled = await settleTrials(db, id, moreTrials, ownerOf(principal));
  if (settled === undefined) throw await whyGone(db, id, ownerOf(principal));
  return settled;
}

/** Reads a session from the store again, for dispatch and for its stream, if that is here. */
export async function readAgain({ db, sessions, shares, dispatcher, clock }: ControlContext, id: SessionId): Promise<void> {
  const row = await findSession(db, id, undefined);
  if (!row) return;
  shares.put(sessions.put(row, sessions.get(id)?.added ?? clock.monotonic()));
  dispatcher.recheck();
}

export type ControlContext = Pick<TrackerContext, "db" | "sessions" | "shares" | "dispatcher" | "clock">;

function idOf(session: string): SessionId {
  if (!/^[\w.:-]{1,128}$/.test(session)) throw badInput("session_id is not an id");
  return toSessionId(session);
}

const notOpen = (id: SessionId): FarmError => new FarmError("NOT_FOUND", `session ${id} is not open`);
