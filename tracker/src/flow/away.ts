/** Logs failures of a tracker's repeated work, whose store may be away. */
import { FarmError } from "@warpfarm/common";
import type { Logger } from "pino";

export const isAway = (error: unknown): boolean => error instanceof FarmError && error.code === "UNAVAILABLE";

/**
 * A store that cannot be reached is a warning only: on a busy machine a connection may take too long, and readiness tells how
 * long the store is away.
 */
export const logFailure =
  (log: Logger, what: string) =>
  (error: unknown): void =>
    log[isAway(error) ? "warn" : "error"]({ error }, what);
