/**
 * How much each principal has imported into the records, so that nobody fills the store with imports. The sum is read from the
 * store at a principal's first import here, and again now and then, because records are deleted and other trackers accept imports
 * too.
 */
import { type Clock, FarmError } from "@warpfarm/common";
import type { Queryable } from "../store/database.ts";
import { megabytes } from "../store/megabytes.ts";
import { importedBytes } from "../store/sql/usage.ts";

/** The sum covers everything that a principal imported, so it is read rarely. */
const sumEveryMs = 60_000;

export class Imports {
  readonly #db: Queryable;
  readonly #most: number;
  readonly #clock: Clock;
  /** Calls that come while a sum is read share it. */
  readonly #known = new Map<string, { readonly sum: Promise<{ bytes: number }>; readonly at: number }>();

  constructor(db: Queryable, most: number, clock: Clock) {
    this.#db = db;
    this.#most = most;
    this.#clock = clock;
  }

  /** Accounts for a number of bytes. Throws RESOURCE_EXHAUSTED. */
  async take(principal: string, bytes: number): Promise<void> {
    if (principal === "local") return;
    const now = this.#clock.monotonic();
    let known = this.#known.get(principal);
    if (!known || now - known.at > sumEveryMs) {
      known = { sum: importedBytes(this.#db, principal).then((all) => ({ bytes: all })), at: now };
      this.#known.set(principal, known);
      known.sum.catch(() => this.#known.delete(principal));
    }
    const sum = await known.sum;
    if (sum.bytes + bytes > this.#most)
      throw new FarmError(
        "RESOURCE_EXHAUSTED",
        `${principal} imported ${megabytes(sum.bytes)} of records and sends ${megabytes(bytes)} more; --quota import_mb of this tracker ` +
          `allows ${megabytes(this.#most)}: an admin deletes some with warpfarm records prune`,
      );
    sum.bytes += bytes;
  }
}
