/**
 * Has doubted records measured again on a second node (store/sql/second-looks.ts), on the leading tracker: where its runner is
 * idle, or after ten minutes in its turn, so that nobody's measurement waits for them on a farm that has time.
 */
import { FarmError, measureErrorNo, medianSeconds } from "@warpfarm/common";
import { logFailure } from "../flow/away.ts";
import { type Repeated, repeat } from "../flow/repeat.ts";
import { readAgain } from "../services/actions.ts";
import type { TrackerContext } from "../services/context.ts";
import {
  beginLook,
  dropLook,
  type EndedLook,
  endedLooks,
  endLook,
  isSameTime,
  secondNodes,
  type WantedLook,
  wantAgain,
  wantedLooks,
} from "../store/sql/second-looks.ts";
import { removeSessions } from "../store/sql/sessions.ts";

const everyMs = 500;
const most = 16;
const idleForMs = 10 * 60_000;
const mostAttempts = 3;

type LooksContext = Omit<TrackerContext, "replays">;

export function startSecondLooks(context: LooksContext): Repeated {
  const { db, clock, log } = context;
  const tick = async () => {
    if (!((await db.shared?.leads()) ?? true)) return;
    for (const look of await endedLooks(db.lazy)) await judge(context, look);
    for (const look of await wantedLooks(db.lazy, most)) await begin(context, look);
  };
  return repeat({ clock, everyMs }, tick, logFailure(log, "second looks"));
}

async function begin(context: LooksContext, look: WantedLook): Promise<void> {
  const { db, dispatcher, newId, metrics, log } = context;
  const nodes = await secondNodes(db.lazy, look);
  if (nodes.length === 0) {
    metrics.looked("alone");
    await db.transaction((tx) => dropLook(tx, look, true));
    return;
  }
  const chosen = nodes.find(({ worker }) => dispatcher.isIdle(worker)) ?? (look.waitedMs > idleForMs ? nodes[0] : undefined);
  if (!chosen) return;
  const session = await beginLook(db, look, chosen.node, newId);
  if (session === undefined) {
    metrics.looked("gone");
    log.warn({ claim: look.claim }, "a record cannot be measured again: its programs are gone, so it stays with its owner");
    await db.transaction((tx) => dropLook(tx, look, false));
    return;
  }
  await readAgain(context, session);
  context.peers?.session(session);
  context.apply({ runs: [], others: 1, finished: [] });
}

async function judge(context: LooksContext, look: EndedLook): Promise<void> {
  const { db, sessions, metrics, log } = context;
  const { result, session, secondNode, node, seconds } = look;
  const saysNothing = result?.kind === "failed" && result.errorNo === measureErrorNo.UNKNOWN_ERROR;
  if (!result || (saysNothing && look.attempts + 1 < mostAttempts))
    await db.transaction((tx) => wantAgain(tx, look, saysNothing));
  else {
    const second = result.kind === "timed" ? medianSeconds(result.costs) : 0;
    const agree = isSameTime(seconds, second);
    const said = result.kind === "failed" ? `failed: ${result.message}` : `${second} s`;
    const message = agree ? "" : `node ${node} measured ${seconds} s, node ${secondNode} ${said}`;
    metrics.looked(agree ? "agreed" : "disputed");
    if (!agree) log.warn({ claim: look.claim, nodes: [node, secondNode], why: message }, "two nodes disagree");
    await db.transaction((tx) => endLook(tx, look, second, message));
  }
  context.cancel(await removeSessions(db, [session]));
  sessions.remove([session], new FarmError("NOT_FOUND", "the second look is over"));
}
