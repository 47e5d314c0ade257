/**
 * Trials of sessions in memory, for pages. They are read from the table of records once, then new ones are added. When there are
 * too many, the sessions that were asked for longest ago are dropped.
 */
import type { Clock } from "@warpfarm/common";
import { decodeRecord } from "@warpfarm/records";
import { RunTrials } from "@warpfarm/web";
import type { TrackerContext } from "../services/context.ts";
import type { Queryable } from "../store/database.ts";
import type { Tally } from "./run-list.ts";

/** For all runs together. A trial takes about 300 bytes. */
const usualMost = 300_000;
/** The least time between two readings of the store, however many pages are open. */
const everyMs = 250;
/**
 * Records come in the order in which clients received results, so one may be older than a record that is already here. Most are
 * so by little: every reading looks back a second, and one in a few seconds looks back further.
 */
const overlapMs = 1_000;
const longOverlapMs = 10_000;
const longEveryMs = 3_000;
/** After this time the number of records is compared, to find those that came even later. */
const countEveryMs = 30_000;
const atOnce = 500;
const freshMs = 2_000;

interface Kept {
  readonly trials: RunTrials;
  readAt: number;
  longAt: number;
  countedAt: number;
  lastMs: number;
  reading: Promise<void> | undefined;
}

export class RunBook {
  readonly #db: Queryable;
  readonly #clock: Clock;
  readonly #runs = new Map<string, Kept>();

  readonly #shown: TrackerContext["trialsShown"];
  readonly #mostTrials: number;

  constructor({ db, clock, trialsShown }: Pick<TrackerContext, "db" | "clock" | "trialsShown">, mostTrials = usualMost) {
    this.#mostTrials = mostTrials;
    this.#db = db.lazy;
    this.#clock = clock;
    this.#shown = trialsShown;
  }

  /** The run with all written records, except those of the last quarter of a second. */
  async get(session: string): Promise<RunTrials> {
    const now = this.#clock.monotonic();
    this.#shown.atMs = now;
    const run: Kept = this.#runs.get(session) ?? {
      trials: new RunTrials(),
      readAt: Number.NEGATIVE_INFINITY,
      longAt: now,
      countedAt: now,
      lastMs: Number.NEGATIVE_INFINITY,
      reading: undefined,
    };
    this.#runs.delete(session);
    this.#runs.set(session, run);
    if (run.reading === undefined && now - run.readAt >= everyMs)
      run.reading = this.#read(session, run).finally(() => {
        run.reading = undefined;
        run.readAt = this.#clock.monotonic();
      });
    await run.reading;
    this.#forget();
    return run.trials;
  }

  tally(session: string): Tally | undefined {
    const run = this.#runs.get(session);
    if (run === undefined || this.#clock.monotonic() - run.readAt > freshMs) return undefined;
    const { count, failed, best, bestId, first, last } = run.trials;
    if (!first || !last) return undefined;
    return { n: count, failed, best: best?.seconds ?? null, bestId, first: first.timestampMs, last: last.timestampMs };
  }

  async #read(session: string, run: Kept): Promise<void> {
    const now = this.#clock.monotonic();
    const isLong = now - run.longAt >= longEveryMs;
    if (isLong) run.longAt = now;
    const overlap = isLong ? longOverlapMs : overlapMs;
    const since = (await this.#isShort(session, run)) ? Number.NEGATIVE_INFINITY : run.lastMs - overlap;
    const found = await this.#db.query<{ id: string; key: string; at: number }>(
      "select id, key::text as key, at from records where session = $1 and session <> '' and at >= $2 order by at, id",
      [session, Number.isFinite(since) ? since : 0],
    );
    const fresh = found.filter(({ id }) => !run.trials.has(id));
    for (let from = 0; from < fresh.length; from += atOnce) {
      const rows = await this.#db.query<{ doc: string }>(
        "select doc from records where key = any($1::text[]::uuid[]) order by at, id",
        [fresh.slice(from, from + atOnce).map(({ key }) => key)],
      );
      for (const { doc } of rows) run.trials.add(decodeRecord(doc));
    }
    run.lastMs = Math.max(run.lastMs, fresh.at(-1)?.at ?? run.lastMs);
  }

  async #isShort(session: string, run: Kept): Promise<boolean> {
    const now = this.#clock.monotonic();
    if (now - run.countedAt < countEveryMs) return false;
    run.countedAt = now;
    const [row] = await this.#db.query<{ n: number }>(
      "select count(*)::integer as n from records where session = $1 and session <> ''",
      [session],
    );
    return row !== undefined && row.n > run.trials.count;
  }

  #forget(): void {
    let all = 0;
    for (const { trials } of this.#runs.values()) all += trials.count;
    for (const [session, { trials, reading }] of this.#runs) {
      if (all <= this.#mostTrials || this.#runs.size === 1) return;
      if (reading) continue;
      this.#runs.delete(session);
      all -= trials.count;
    }
  }
}
