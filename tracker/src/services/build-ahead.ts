/** FarmService.BuildAhead: the programs that a session wants built before it measures them. */
import { canReach, FarmError, parseSelector, type Selector } from "@warpfarm/common";
import { type AheadState, type BuildAhead, type CallContext, type ProgramRef, programEnvelope } from "@warpfarm/proto";
import { ownerOf } from "../doors/rights.ts";
import type { SentPrograms } from "../doors/sent-programs.ts";
import type { ProgramInput } from "../store/sql/accept.ts";
import { wantAhead } from "../store/sql/ahead.ts";
import { whyGone } from "../store/sql/session-control.ts";
import { findSession } from "../store/sql/sessions.ts";
import type { TrackerContext } from "./context.ts";

export async function buildAhead(
  { db, quotas, dispatcher }: TrackerContext,
  sent: SentPrograms,
  { sessionId, programs }: BuildAhead,
  { principal }: CallContext,
): Promise<readonly AheadState[]> {
  const owner = ownerOf(principal);
  const session = await findSession(db.lazy, sessionId, owner);
  if (!session) throw await whyGone(db, sessionId, owner);
  const selector = parseSelector(session.selector);
  const named = programs.map((ref, i) => checked(`programs[${i}]`, ref, selector));
  quotas?.accountOf(session.principal)?.keep(named.reduce((bytes, p) => bytes + (p.sent?.bytes.length ?? 0), 0));
  const strange = await sent.firstStrange(session.principal, named);
  if (strange) throw notHere(strange.digest);
  const states = await wantAhead(db, { session: session.id, principal: session.principal, programs: named });
  if ("unknown" in states) throw notHere(states.unknown);
  if (states.some(({ kind }) => kind === "waiting")) dispatcher.requestedAhead();
  return states;
}

/** The same message for a program that never existed and for another principal's. */
const notHere = (digest: string): FarmError => new FarmError("NOT_FOUND", `program ${digest} is not here; send its bytes`);

function checked(name: string, ref: ProgramRef, selector: Selector): ProgramInput {
  if (ref.kind === "digest") return { digest: ref.digest };
  const { digest, bytes } = ref.program;
  const { target, version } = programEnvelope(name, bytes);
  if (!canReach(selector, target))
    throw new FarmError("INVALID_ARGUMENT", `${name}: target ${target} does not run where the session's programs do`);
  return { digest, sent: { bytes, target, version } };
}
