/**
 * Whether the tracker's store answers. /readyz asks at each request. A watch that asks all the time tells grpc.health.v1, which
 * says NOT_SERVING only when the store has been away for longer than a moment: balancers then remove the tracker, and a failover
 * of the store takes about as long.
 */
import { abortable, type Clock, FarmError } from "@warpfarm/common";
import type { Logger } from "pino";
import { type Repeated, repeat } from "../flow/repeat.ts";
import type { Database } from "../store/database.ts";

/** A store that takes longer cannot be relied on. */
const readyMs = 2_000;
const askEveryMs = 1_000;

type Store = Pick<Database, "lazy">;

/** Throws what the store throws, or DEADLINE_EXCEEDED when it does not answer in time. */
export async function askStore({ lazy }: Store, clock: Pick<Clock, "sleep">): Promise<void> {
  const answered = new AbortController();
  const late = async () => {
    await clock.sleep(readyMs, { signal: answered.signal });
    throw new FarmError("DEADLINE_EXCEEDED", `the store did not answer within ${readyMs} ms`, { rule: "store.away" });
  };
  try {
    await Promise.race([lazy.query("select 1"), late()]);
  } finally {
    answered.abort();
  }
}

/**
 * Calls `tell` at each change until it is stopped. The store counts as present at first, and as away after `momentMs` without an
 * answer.
 */
export function watchStore(
  { db, clock, log }: { readonly db: Store; readonly clock: Clock; readonly log: Logger },
  momentMs: number,
  tell: (answers: boolean) => void,
): Repeated {
  let there = true;
  let answeredAt = clock.monotonic();
  const changed = (answers: boolean, error?: unknown) => {
    there = answers;
    if (answers) log.info("the store answers again");
    else log.warn({ error }, "the store is away");
    tell(answers);
  };
  const ask = async (signal: AbortSignal) => {
    await abortable(askStore(db, clock), signal);
    answeredAt = clock.monotonic();
    if (!there) changed(true);
  };
  return repeat({ clock, everyMs: Math.min(askEveryMs, momentMs / 2) }, ask, (error, signal) => {
    if (there && !signal.aborted && clock.monotonic() - answeredAt >= momentMs) changed(false, error);
  });
}
