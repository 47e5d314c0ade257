/**
 * Whether the tracker's store answers. /readyz asks when it is asked; grpc.health.v1 is told by a watch that asks all the time, and says
 * NOT_SERVING only of a store that has been away for longer than a moment: balancers take a tracker out for it, and a failover of the
 * store takes about as long.
 */
import { abortable, type Clock, FarmError } from "@warpfarm/common";
import type { Logger } from "pino";
import type { Database } from "./store/database.ts";

/** A store that takes longer is no store to rely on. */
const readyMs = 2_000;
const askEveryMs = 1_000;

type Store = Pick<Database, "lazy">;

/** Throws what the store throws, or DEADLINE_EXCEEDED when it does not answer in time. */
export async function askStore({ lazy }: Store, clock: Pick<Clock, "sleep">): Promise<void> {
  const answered = new AbortController();
  const late = async () => {
    await clock.sleep(readyMs, { signal: answered.signal });
    throw new FarmError("DEADLINE_EXCEEDED", `the store did not answer within ${readyMs} ms`);
  };
  try {
    await Promise.race([lazy.query("select 1"), late()]);
  } finally {
    answered.abort();
  }
}

export interface StoreWatch {
  /** Nothing is told any more. */
  stop(): Promise<void>;
}

/** Calls `tell` at each change; at first the store is there. `momentMs`: no answer for so long is away. */
export function watchStore(
  { db, clock, log }: { readonly db: Store; readonly clock: Clock; readonly log: Logger },
  momentMs: number,
  tell: (answers: boolean) => void,
): StoreWatch {
  const stopped = new AbortController();
  let there = true;
  let answeredAt = clock.monotonic();
  const changed = (answers: boolean, error?: unknown) => {
    there = answers;
    if (answers) log.info("the store answers again");
    else log.warn({ error }, "the store is away");
    tell(answers);
  };
  const loop = async () => {
    while (!stopped.signal.aborted) {
      try {
        await abortable(askStore(db, clock), stopped.signal);
        answeredAt = clock.monotonic();
        if (!there) changed(true);
      } catch (error) {
        if (stopped.signal.aborted) return;
        if (there && clock.monotonic() - answeredAt >= momentMs) changed(false, error);
      }
      await clock.sleep(Math.min(askEveryMs, momentMs / 2), { signal: stopped.signal }).catch(() => {});
    }
  };
  const running = loop();
  return {
    async stop() {
      stopped.abort();
      await running;
    },
  };
}
