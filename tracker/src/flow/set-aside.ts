/**
 * Rows of background queues, which all principals share. A row that cannot be done must not hold up the others: when a batch
 * fails, each of its rows is tried alone, and a row that failed three times is set aside. It is counted in a metric, named in the
 * log once, and not tried again. The store being away is no fault of a row and counts for nothing.
 *
 *   waits --done--> gone
 *     |---fails---> fails once more: waits, up to the third time --> set aside
 */
import type { Logger } from "pino";
import { isAway } from "./away.ts";

/** The tracker's own work on rows that come from others. */
export type Background = "records" | "sessions" | "workers" | "leases" | "claims";

const mostTries = 3;

interface SetAsideOptions {
  readonly log: Logger;
  readonly onSetAside: (queue: Background) => void;
}

interface Alone<T, R> {
  readonly nameOf: (row: T) => string;
  readonly work: (row: T) => Promise<R>;
  /** Takes a row out of a queue that is read in order. */
  readonly aside?: (row: T, why: string) => Promise<void>;
}

export class SetAside {
  readonly #o: SetAsideOptions;
  readonly #failed = new Map<string, number>();

  constructor(options: SetAsideOptions) {
    this.#o = options;
  }

  async work<T, R>(
    queue: Background,
    rows: readonly T[],
    nameOf: (row: T) => string,
    work: (rows: readonly T[]) => Promise<R>,
  ): Promise<readonly R[]> {
    const open = rows.filter((row) => (this.#failed.get(`${queue}/${nameOf(row)}`) ?? 0) < mostTries);
    if (open.length === 0) return [];
    try {
      return [await work(open)];
    } catch (error) {
      return this.alone(queue, open, error, { nameOf, work: (row) => work([row]) });
    }
  }

  /** Works on each row of a batch that failed with this error. Throws it where no row can be its cause. */
  async alone<T, R>(queue: Background, rows: readonly T[], error: unknown, o: Alone<T, R>): Promise<readonly R[]> {
    if (!isOfRow(error)) throw error;
    const done: R[] = [];
    for (const row of rows)
      try {
        done.push(await o.work(row));
      } catch (why) {
        if (!isOfRow(why)) throw why;
        if (this.#fails(queue, o.nameOf(row), why)) await o.aside?.(row, String((why as Error).message));
      }
    return done;
  }

  #fails(queue: Background, row: string, error: unknown): boolean {
    const name = `${queue}/${row}`;
    const tries = (this.#failed.get(name) ?? 0) + 1;
    this.#failed.set(name, tries);
    if (tries === mostTries) {
      this.#o.onSetAside(queue);
      this.#o.log.error({ error, queue, row }, `set aside after ${mostTries} tries`);
    }
    return tries >= mostTries;
  }
}

const ofSystem = /^E[A-Z0-9]+$/;
/**
 * SQLSTATEs that a row's content explains: too many rows (21), data (22), a constraint (23), syntax of json and the like (42),
 * too long or too deep (54). Other errors of a store, or of a disk, say nothing about a row.
 */
const ofContent = /^(21|22|23|42|54)/;
const sqlState = /^[0-9A-Z]{5}$/;

function isOfRow(error: unknown): boolean {
  if (isAway(error)) return false;
  const { code } = error as { readonly code?: unknown };
  if (typeof code !== "string" || ofSystem.test(code)) return code === undefined;
  return sqlState.test(code) ? ofContent.test(code) : true;
}
