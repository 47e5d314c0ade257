/** What a tracker does by itself, again and again, and whose store may be away meanwhile. */
import { FarmError } from "@warpfarm/common";
import type { Logger } from "pino";

export const isAway = (error: unknown): boolean => error instanceof FarmError && error.code === "UNAVAILABLE";

/**
 * A store that cannot be reached is no fault of what is done again: a warning, for on a busy machine a connection may take too
 * long. How long the store is away, readiness tells.
 */
export const logFailure =
  (log: Logger, what: string) =>
  (error: unknown): void =>
    log[isAway(error) ? "warn" : "error"]({ error }, what);
