/**
 * One measurement for all that ask for the same and allow it (OpenSession.reuse): the same program, reference, selector and
 * options.
 *
 * owner     the request that a row of `reuses` names: it is measured as any other, and its result is kept there (report.ts)
 * follower  a request in state -1: it gets the owner's result, or when the owner ended without one that others can use (given up
 *           by the farm, not built, its session gone), or its session does not want it now, one follower becomes the owner
 *
 * One that ended early (`slower`) answers only who would have ended it too, and so no follower, whose incumbent is not known
 * here.
 *
 * A follower is inserted while the row of `reuses` is locked, and a result is written into that row: either the follower sees the
 * result or whoever writes it, waiting for the lock, looks for followers after. What is missed when a tracker dies in between the
 * reaper finds.
 */
import { isUnaudited, type MeasureResult, measureErrorNo, raceLimit, type SessionId } from "@warpfarm/common";
import type { Database, Queryable } from "../database.ts";
import { decodeResult } from "../result-bytes.ts";
import { rowsOf, statement } from "../statement.ts";
import { requestStates } from "../states.ts";
import { advanceRequests } from "./builds.ts";
import { both, type Effects, type Finished, noEffects } from "./effects.ts";
import type { IncumbentOn } from "./new-input.ts";
import { type Asked, runFailuresStand } from "./verdicts.ts";
import { wantsBuilds } from "./wanted-builds.ts";

/** A time without an audit could become the best of another session, where it was not the least of its own. */
export const isReusable = (result: MeasureResult): boolean =>
  (result.kind === "timed" && !isUnaudited(result.judged)) ||
  (result.kind === "failed" && result.errorNo !== measureErrorNo.UNKNOWN_ERROR);

interface Owner {
  readonly name: string;
  readonly session: SessionId;
  readonly sequence: number;
}
export type ReuseAsk = Owner & Asked & { readonly incumbentOn?: IncumbentOn };

export type Reuse =
  | { readonly kind: "owner" }
  | { readonly kind: "follower" }
  | { readonly kind: "there"; readonly result: Uint8Array };

const owners = rowsOf({ name: "text", session_id: "text", sequence: "bigint" });
const columnsOf = (asks: readonly Owner[]) => ({
  name: asks.map((w) => w.name),
  session_id: asks.map((w) => w.session),
  sequence: asks.map((w) => w.sequence),
});
const claiming = statement(
  { w: owners },
  ({ w }) => `insert into reuses (name, session_id, sequence) select * from ${w.rows}
     on conflict (name) do update set used_at = now()
     returning name, session_id as session, sequence, result, slower`,
);
const owning = statement(
  { w: owners },
  ({ w }) => `update reuses x set session_id = w.session_id, sequence = w.sequence, result = null
     from ${w.rows} where x.name = w.name`,
);
const measuring = statement(
  { o: rowsOf({ session_id: "text", sequence: "bigint" }) },
  ({ o }) => `update requests r set state = ${requestStates.building} from ${o.rows}
       where r.session_id = o.session_id and r.sequence = o.sequence and r.state = ${requestStates.following}`,
);

/**
 * By the names of what was asked, in the transaction that then inserts the requests. The first request for something that nobody
 * measures, or whose failure does not stand (verdicts.ts), becomes its owner.
 */
export async function claimReuses(tx: Queryable, asks: readonly ReuseAsk[], now: number): Promise<ReadonlyMap<ReuseAsk, Reuse>> {
  const first = new Map<string, ReuseAsk>();
  for (const ask of asks) if (!first.has(ask.name)) first.set(ask.name, ask);
  // All statements use one order, so that two trackers do not wait for each other.
  const candidates = [...first.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  const rows = await claiming.query<Owner & Kept>(tx, { w: columnsOf(candidates) });
  const early = new Map(rows.flatMap(({ name, slower }) => (slower ? [[name, slower] as const] : [])));
  const kept = new Map(rows.flatMap(({ name, result }) => (result ? [[name, result] as const] : [])));
  const fallen = await fallenFailures(tx, candidates, kept, now);
  const results = new Map([...kept].filter(([name]) => !fallen.has(name)));
  const open = await tx.query<{ name: string }>(
    `select x.name from reuses x join requests r on r.session_id = x.session_id and r.sequence = x.sequence
     where x.name = any($1::text[]) and r.state between ${requestStates.following} and ${requestStates.leased}`,
    [candidates.map((w) => w.name)],
  );
  const owned = new Set(open.map(({ name }) => name));
  const resultFor = (ask: ReuseAsk) => results.get(ask.name) ?? endedFor(ask, early.get(ask.name));
  const mine = candidates.filter((ask) => !resultFor(ask) && !owned.has(ask.name));
  await own(tx, mine);
  return new Map(
    asks.map((ask): [ReuseAsk, Reuse] => {
      const result = resultFor(ask);
      if (result) return [ask, { kind: "there", result }];
      return [ask, { kind: mine.includes(ask) ? "owner" : "follower" }];
    }),
  );
}

interface Kept {
  readonly result: Uint8Array | null;
  readonly slower: Uint8Array | null;
}

/** What ended early, where it would have ended at that or earlier for this search too. */
function endedFor({ incumbentOn }: ReuseAsk, bytes: Uint8Array | undefined): Uint8Array | undefined {
  const result = bytes && decodeResult(bytes);
  if (result?.kind !== "slower") return undefined;
  const incumbent = incumbentOn?.(result.device);
  return incumbent !== undefined && result.atLeast > raceLimit(incumbent) ? bytes : undefined;
}

/** Names of kept failures that no longer stand. */
async function fallenFailures(
  tx: Queryable,
  asks: readonly ReuseAsk[],
  kept: ReadonlyMap<string, Uint8Array>,
  now: number,
): Promise<ReadonlySet<string>> {
  const failures = asks.flatMap((ask) => {
    const bytes = kept.get(ask.name);
    const result = bytes && decodeResult(bytes);
    return result?.kind === "failed" ? [{ ...ask, result }] : [];
  });
  const stand = await runFailuresStand(tx, failures, now);
  return new Set(failures.filter((_, i) => !stand[i]).map(({ name }) => name));
}

async function own(tx: Queryable, asks: readonly Owner[]): Promise<void> {
  if (asks.length === 0) return;
  await owning.query(tx, { w: columnsOf(asks) });
}

export async function giveReused(db: Queryable): Promise<Effects> {
  const finished = await db.query<Finished>(
    `update requests r set state = ${requestStates.done}, result = x.result from reuses x
     where r.state = ${requestStates.following} and x.name = r.reuse and x.result is not null
     returning r.session_id as session, r.sequence`,
  );
  return { ...noEffects, finished };
}

/**
 * Followers whose owner ended without a result for them, or does not want it now (wanted-builds.ts). The first of each that does
 * becomes the owner.
 */
export async function promoteFollowers(db: Database, now: number): Promise<Effects> {
  const [waiting] = await db.query(`select 1 from requests where state = ${requestStates.following} limit 1`);
  if (!waiting) return noEffects;
  return db.transaction(async (tx) => {
    const given = await giveReused(tx);
    const found = await tx.query<Orphan>(
      `select x.name, f.session_id as session, f.sequence, f.program, f.reference
       from reuses x cross join lateral (
         select r.session_id, r.sequence, r.program, r.reference from requests r join sessions s on s.session_id = r.session_id
         where r.state = ${requestStates.following} and r.reuse = x.name and ${wantsBuilds("s")} order by r.session_id, r.sequence limit 1) f
       where x.result is null and x.name in (select reuse from requests where state = ${requestStates.following})
         and not exists (select 1 from requests r join sessions s on s.session_id = r.session_id
           where r.session_id = x.session_id and r.sequence = x.sequence and r.state between ${requestStates.building} and ${requestStates.leased}
             and (r.state = ${requestStates.leased} or (r.state = ${requestStates.ready} and not s.paused) or ${wantsBuilds("s")}))
       for update of x skip locked`,
    );
    const orphans = await withBuildsHeld(tx, found);
    if (orphans.length === 0) return given;
    await own(tx, orphans);
    await measuring.query(tx, {
      o: { session_id: orphans.map((o) => o.session), sequence: orphans.map((o) => o.sequence) },
    });
    const moved = await advanceRequests(
      tx,
      orphans.map((o) => o.program),
      now,
    );
    return both(given, moved);
  });
}

interface Orphan extends Owner {
  readonly program: string;
  readonly reference: string | null;
}

/**
 * The builds that do not end during this transaction: an ending build would not see the request that now waits for it, and this
 * transaction would not see its end. Locked rows are skipped, since the reaper comes again.
 */
async function withBuildsHeld(tx: Queryable, orphans: readonly Orphan[]): Promise<readonly Orphan[]> {
  const programs = orphans.flatMap((o) => (o.reference === null ? [o.program] : [o.program, o.reference]));
  const held = await tx.query<{ program: string }>(
    "select program from builds where program = any($1::text[]) order by program for share skip locked",
    [programs],
  );
  const isHeld = new Set(held.map(({ program }) => program));
  return orphans.filter((o) => isHeld.has(o.program) && (o.reference === null || isHeld.has(o.reference)));
}
