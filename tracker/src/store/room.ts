/**
 * Says in the log that the store has no room, and when it has some again. Whoever is refused is told so each time; the log hears
 * of it once, and again where nothing was said for an hour. That there is room is known when a statement that was refused is
 * carried out and none was refused for a while: a small row may fit where a large one did not.
 */
import { type Clock, FarmError } from "@warpfarm/common";
import type { Logger } from "pino";
import { type Database, diskFull, type Queryable } from "./database.ts";

const quietMs = 10_000;
/** Nobody may ever send a refused statement again, so what was said is said again after a while. */
const saidMs = 3_600_000;

/** What a server says in a transaction becomes a FarmError when it has ended. */
const isFull = (error: unknown): boolean =>
  error instanceof FarmError ? error.rule === "store.full" : (error as { readonly code?: unknown }).code === diskFull;

/** `where`: whose disk it is. */
export function tellingRoom(
  db: Database,
  where: string,
  { log, clock }: { readonly log: Logger; readonly clock: Clock },
): Database {
  const refused = new Set<string>();
  let refusedAt = 0;
  const told = <T extends Queryable>(on: T): T => ({
    ...on,
    async query(sql, params) {
      try {
        const rows = await on.query(sql, params);
        if (refused.has(sql) && clock.monotonic() - refusedAt >= quietMs) {
          refused.clear();
          log.info("the store has room again");
        }
        return rows;
      } catch (error) {
        if (isFull(error)) {
          if (refused.size === 0 || clock.monotonic() - refusedAt >= saidMs)
            log.error(
              { error },
              `the store has no room: make some on the disk of ${where}; until then requests that need it are refused, and clients and workers send them again`,
            );
          refused.add(sql);
          refusedAt = clock.monotonic();
        }
        throw error;
      }
    },
  });
  return { ...told(db), lazy: told(db.lazy), transaction: (work) => db.transaction((tx) => work(told(tx))) };
}
