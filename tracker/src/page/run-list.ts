/** One line for each run of a tracker: open sessions, and ended ones with records. */
import { type Clock, defined } from "@warpfarm/common";
import type { Provenance } from "@warpfarm/proto";
import { decodeRecord, groupBy, mostNoise, secondsOfRecord, type TuningRecord, timedOf } from "@warpfarm/records";
import { saidOfRecords } from "@warpfarm/records/search";
import { bestOfRun, openThenNewest, type RunSummary } from "@warpfarm/web";
import type { Queryable } from "../store/database.ts";
import { type SessionCounts, sessionCounts } from "../store/sql/sessions.ts";

/** The most ended runs of one viewer; the newest. */
const mostEnded = 200;
const everyMs = 1_000;
const endedEveryMs = 10_000;
/** Records of a run among which its best is. */
const mostNear = 64;
/** A record comes at most so much later than newer ones. */
const settledMs = 60_000;

interface Session extends SessionCounts {
  readonly provenance: Provenance;
  readonly openedMs: number;
}

interface Ended {
  readonly id: string;
  readonly owner: string;
  readonly lastMs: number;
}

/** Of a run's records: how many, and when the first and the last were measured. */
interface Counts {
  readonly n: number;
  readonly failed: number;
  readonly first: number;
  readonly last: number;
}

export interface Tally extends Counts {
  /** Seconds, by the one rule. */
  readonly best: number | null;
  readonly bestId?: string | undefined;
}

interface Counted {
  at: number;
  /** Of records before `until`, and of all. */
  settled: Counts | undefined;
  until: number;
  all: Tally | undefined;
  /** Records whose times are near the least, of which one is the best. */
  near: readonly TuningRecord[];
  /** One record, with a device if any has one, for what is equal in all of them. */
  sample: TuningRecord | undefined;
}

export class RunList {
  readonly #db: Queryable;
  readonly #clock: Clock;
  readonly #idleMs: number;
  readonly #counted = new Map<string, Counted>();
  #open: ReadonlyMap<string, Session> = new Map();
  #ended: ReadonlyMap<string, Ended> = new Map();
  readonly #watched: (id: string) => Tally | undefined;
  #readAt = Number.NEGATIVE_INFINITY;
  #endedAt = Number.NEGATIVE_INFINITY;
  #reading: Promise<void> | undefined;

  constructor(db: Queryable, clock: Clock, idleMs: number, watched: (id: string) => Tally | undefined) {
    this.#watched = watched;
    this.#db = db;
    this.#clock = clock;
    this.#idleMs = idleMs;
  }

  /** `owner` unset: of everybody. */
  async all(owner: string | undefined): Promise<readonly RunSummary[]> {
    await this.#refresh();
    const open = [...this.#open.values()].filter((s) => owner === undefined || s.principal === owner);
    const ended = [...this.#ended.values()].filter((s) => owner === undefined || s.owner === owner).slice(0, mostEnded);
    // Whoever looks at an ended run has its finals read too, which are another session's.
    const isDue = (s: Ended): boolean => this.#isStale(s) || this.#watched(s.id) !== undefined;
    await this.#count([...open.map((s) => s.sessionId as string), ...ended.filter(isDue).map((s) => s.id)]);
    return [...open.map((s) => this.#summaryOfOpen(s)), ...ended.map((s) => this.#summaryOfEnded(s))].sort(openThenNewest);
  }

  async has(id: string, owner: string | undefined): Promise<boolean> {
    await this.#refresh();
    const whose = this.#open.get(id)?.principal ?? this.#ended.get(id)?.owner;
    return whose !== undefined && (owner === undefined || owner === whose);
  }

  /** Undefined: there is no such run, or it is not this owner's. */
  async one(id: string, owner: string | undefined): Promise<RunSummary | undefined> {
    if (!(await this.has(id, owner))) return undefined;
    const open = this.#open.get(id);
    const ended = this.#ended.get(id);
    if (open || (ended && this.#isStale(ended))) await this.#count([id]);
    return open ? this.#summaryOfOpen(open) : this.#summaryOfEnded(ended as Ended);
  }

  provenance(id: string): Provenance {
    return this.#open.get(id)?.provenance ?? {};
  }

  /** Undefined: it is not open. */
  takesTrials(id: string): boolean | undefined {
    return this.#open.get(id)?.takesTrials;
  }

  forget(): void {
    this.#readAt = Number.NEGATIVE_INFINITY;
  }

  #isStale({ id, lastMs }: Ended): boolean {
    return (this.#counted.get(id)?.all?.last ?? Number.NEGATIVE_INFINITY) < lastMs;
  }

  #refresh(): Promise<void> {
    if (this.#clock.monotonic() - this.#readAt < everyMs) return Promise.resolve();
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #read(): Promise<void> {
    const counts = await sessionCounts(this.#db, this.#idleMs);
    const before = this.#open;
    const facts = await factsOf(
      this.#db,
      counts.map((row) => row.sessionId as string).filter((id) => !before.has(id)),
    );
    this.#open = new Map(
      counts.map((row) => {
        const { provenance = {}, openedMs = 0 } = before.get(row.sessionId) ?? facts.get(row.sessionId) ?? {};
        return [row.sessionId as string, { ...row, provenance, openedMs }] as const;
      }),
    );
    const now = this.#clock.monotonic();
    const someEnded = [...before.keys()].some((id) => !this.#open.has(id));
    if (someEnded || now - this.#endedAt >= endedEveryMs) {
      this.#ended = new Map((await endedSessions(this.#db)).filter(({ id }) => !this.#open.has(id)).map((row) => [row.id, row]));
      this.#endedAt = now;
      for (const id of this.#counted.keys()) if (!this.#open.has(id) && !this.#ended.has(id)) this.#counted.delete(id);
    }
    this.#readAt = now;
  }

  /** No run is counted twice within a second, however many ask. */
  async #count(asked: readonly string[]): Promise<void> {
    const now = this.#clock.monotonic();
    const known = (id: string): Counted =>
      this.#counted.get(id) ?? { at: now, settled: undefined, until: 0, all: undefined, near: [], sample: undefined };
    const due = asked.filter((id) => now - (this.#counted.get(id)?.at ?? Number.NEGATIVE_INFINITY) >= everyMs);
    const ids = due.filter((id) => {
      const all = this.#watched(id);
      if (all) this.#counted.set(id, { ...known(id), at: now, all });
      return all === undefined;
    });
    if (ids.length > 0) await this.#countStored(ids, known, now);
    await this.#sample(due.filter((id) => known(id).all !== undefined && known(id).sample?.device === undefined));
  }

  async #countStored(ids: readonly string[], known: (id: string) => Counted, now: number): Promise<void> {
    const sinces = ids.map((id) => known(id).until);
    const untils = ids.map((id) => Math.max(known(id).until, (known(id).all?.last ?? 0) - settledMs));
    const fastest = await this.#fastest(ids, sinces);
    const rows = await this.#db.query<Counts & { readonly id: string; readonly isFresh: boolean }>(
      `select s.id, r.at >= s.until as "isFresh", count(*)::integer as n, count(*) filter (where r.error_no > 0)::integer as failed,
         min(r.at) as first, max(r.at) as last
       from unnest($1::text[], $2::bigint[], $3::bigint[]) as s(id, since, until)
       join records r on r.session = s.id and r.session <> '' and r.at >= s.since group by 1, 2`,
      [ids, sinces, untils],
    );
    for (const [i, id] of ids.entries()) {
      const counted = known(id);
      const [old, fresh] = [false, true].map((isFresh) => rows.find((row) => row.id === id && row.isFresh === isFresh));
      counted.settled = sum(counted.settled, old);
      counted.until = untils[i] as number;
      counted.near = nearOf([...counted.near, ...(fastest.get(id) ?? [])]);
      const all = sum(counted.settled, fresh);
      const best = bestOfRun(counted.near.flatMap((record) => timedOf(record) ?? []));
      counted.all = all && { ...all, best: best?.seconds ?? null, bestId: best?.record.id };
      counted.at = now;
      this.#counted.set(id, counted);
    }
  }

  /** The fastest records of each since then. */
  async #fastest(ids: readonly string[], sinces: readonly number[]): Promise<ReadonlyMap<string, readonly TuningRecord[]>> {
    const rows = await this.#db.query<{ id: string; doc: string }>(
      `select s.id, r.doc from unnest($1::text[], $2::bigint[]) as s(id, since) cross join lateral (
         select doc from records where session = s.id and session <> '' and at >= s.since and seconds is not null
         order by seconds limit ${mostNear}) r`,
      [ids, sinces],
    );
    return new Map([...groupBy(rows, ({ id }) => id)].map(([id, all]) => [id, all.map(({ doc }) => decodeRecord(doc))]));
  }

  async #sample(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    const rows = await this.#db.query<{ id: string; doc: string }>(
      `select s.id, r.doc from unnest($1::text[]) as s(id) cross join lateral (
         select doc from (select doc, seconds, at from records where session = s.id and session <> '' order by at desc limit 50) newest
         order by seconds is null, at desc limit 1) r`,
      [ids],
    );
    for (const { id, doc } of rows) {
      const counted = this.#counted.get(id);
      if (counted) counted.sample = decodeRecord(doc);
    }
  }

  #summaryOfOpen(s: Session): RunSummary {
    const { all, sample } = this.#counted.get(s.sessionId) ?? {};
    const { search } = s.provenance;
    const said: Partial<ReturnType<typeof saidOfRecords>> = search === undefined ? {} : saidOfRecords(search);
    const { task = s.task, args = [], template, tuner, trials } = said;
    return {
      id: s.sessionId,
      task,
      args,
      ...defined({ template, tuner, best: all?.best ?? undefined, bestId: all?.bestId }),
      ...(trials === undefined ? {} : { trials: trials + s.moreTrials }),
      ...(s.paused ? { paused: true } : {}),
      device: sample?.device?.key ?? s.selector,
      deviceName: sample?.device?.name ?? "",
      principal: s.principal,
      state: "open",
      accepted: s.accepted,
      finished: s.accepted - s.building - s.ready - s.running,
      failed: all?.failed ?? 0,
      startedMs: Math.round(s.openedMs),
      lastMs: all?.last ?? Math.round(s.openedMs),
      mine: true,
    };
  }

  #summaryOfEnded({ id, owner, lastMs }: Ended): RunSummary {
    const { all, sample } = this.#counted.get(id) ?? {};
    return {
      id,
      task: sample?.task ?? "",
      args: sample?.args ?? [],
      ...defined({
        template: sample?.template,
        tuner: sample?.search?.tuner,
        trials: sample?.search?.trials,
        best: all?.best ?? undefined,
        bestId: all?.bestId,
      }),
      device: sample?.device?.key ?? sample?.target ?? "",
      deviceName: sample?.device?.name ?? "",
      principal: owner,
      state: "ended",
      accepted: all?.n ?? 0,
      finished: all?.n ?? 0,
      failed: all?.failed ?? 0,
      startedMs: all?.first ?? lastMs,
      lastMs,
      mine: true,
    };
  }
}

/** The owner of a measured record is who had the session; an import may name any. */
const endedSessions = (db: Queryable): Promise<readonly Ended[]> =>
  db.query<Ended>(
    `with recursive s(session) as (
       (select session from records where session <> '' order by session limit 1)
       union all
       select (select r.session from records r where r.session > s.session and r.session <> '' order by r.session limit 1)
       from s where s.session is not null)
     select s.session as id, l.at as "lastMs", coalesce(
       (select owner from records r where r.session = s.session and r.session <> '' and not imported limit 1), l.owner) as owner
     from s cross join lateral (
       select at, owner from records r where r.session = s.session and r.session <> '' order by at desc limit 1) l
     where s.session is not null order by l.at desc, s.session`,
  );

/** Facts that do not change while a session is open. */
async function factsOf(
  db: Queryable,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Pick<Session, "provenance" | "openedMs">>> {
  if (ids.length === 0) return new Map();
  const rows = await db.query<{ id: string; provenance: string; openedMs: number }>(
    `select session_id as id, provenance, extract(epoch from opened_at)::double precision * 1000 as "openedMs"
     from sessions where session_id = any($1::text[])`,
    [ids],
  );
  return new Map(rows.map(({ id, provenance, openedMs }) => [id, { provenance: provenanceOf(provenance), openedMs }]));
}

/** Each once, the fastest first, without those that are slower than the fastest by more than any noise. */
function nearOf(records: readonly TuningRecord[]): readonly TuningRecord[] {
  const sorted = [...new Map(records.map((record) => [record.id, record])).values()]
    .map((record) => ({ record, seconds: secondsOfRecord(record) ?? Number.POSITIVE_INFINITY }))
    .sort((a, b) => a.seconds - b.seconds);
  const limit = (sorted[0]?.seconds ?? 0) * (1 + mostNoise);
  return sorted
    .filter(({ seconds }) => seconds <= limit)
    .slice(0, mostNear)
    .map(({ record }) => record);
}

function sum(a: Counts | undefined, b: Counts | undefined): Counts | undefined {
  if (!a || !b) return a ?? b;
  return {
    n: a.n + b.n,
    failed: a.failed + b.failed,
    first: Math.min(a.first, b.first),
    last: Math.max(a.last, b.last),
  };
}

const provenanceOf = (text: string): Provenance => (text === "" ? {} : (JSON.parse(text) as Provenance));
