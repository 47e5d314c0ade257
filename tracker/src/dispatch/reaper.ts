/**
 * Acts on time: silent workers, expired leases, sessions without a client, rows that nobody can ask for. One tick at a time, each
 * of bounded cost. An error of a step is logged, and the next tick tries again; what one worker, lease or session causes is set
 * aside. Time while the store was away does not count, because nobody could renew anything. Each tracker handles its own workers
 * and streams, and the leading one does the rest.
 */
import { FarmError, type WorkerId } from "@warpfarm/common";
import { isAway, logFailure } from "../flow/away.ts";
import { type Repeated, repeat } from "../flow/repeat.ts";
import type { TrackerContext } from "../services/context.ts";
import { countReady } from "../store/sql/claim-runs.ts";
import { collect } from "../store/sql/collect.ts";
import { finishedOf } from "../store/sql/results.ts";
import { promoteFollowers } from "../store/sql/reuses.ts";
import { addUsed, countInHand, expiredSessions, keepSessions, listSessions, removeSessions } from "../store/sql/sessions.ts";
import { takeUnwanted } from "../store/sql/wanted-builds.ts";
import {
  expiredLeases,
  expireLeases,
  grantGrace,
  keepPresent,
  listWorkers,
  loseWorkers,
  silentWorkers,
  workersStamp,
} from "../store/sql/workers.ts";

/**
 * A table is swept after this many leases, and not more often than this interval. A sweep reads the table's indexes, and those of
 * requests are long.
 */
const sweeps = [
  { table: "leases", after: 4_000 },
  { table: "requests", after: 10_000 },
] as const;
const sweepEveryMs = 3_000;
/** A round has about twelve steps. */
const maintainEveryMs = 5_000;

export function startReaper(context: TrackerContext): Repeated {
  const { policy, limits, clock, log } = context;
  const keepEveryMs = limits.idleMs / 4;
  let collectAt = clock.monotonic() + limits.collectEveryMs;
  let maintainAt = clock.monotonic() + maintainEveryMs;
  let keepAt = clock.monotonic() + keepEveryMs;
  let lookedAt = clock.monotonic();
  let stamp = "";
  const swept = sweeps.map((sweep) => ({ ...sweep, at: clock.monotonic(), given: 0 }));
  /** Without a store no step can do anything, and the tick ends. */
  const step = (what: string, work: () => Promise<void>) =>
    work().catch((error: unknown) => {
      if (isAway(error)) throw error;
      logFailure(log, `reaper: ${what}`)(error);
    });
  const tick = async () => {
    if (clock.monotonic() - lookedAt > policy.ttlMs / 2) await grantGrace(context.db, policy.ttlMs, limits.idleMs);
    if (clock.monotonic() >= keepAt) {
      keepAt = clock.monotonic() + keepEveryMs;
      await keepSessions(context.db, context.sessions.connected(), limits.idleMs);
    }
    const leads = (await context.db.shared?.leads()) ?? true;
    await step("workers", () => lookAfterWorkers(context));
    if (leads) {
      await step("silent workers", () => lose(context, policy.ttlMs));
      await step("leases", () => expire(context));
      await step("followers", async () => context.apply(await promoteFollowers(context.db, clock.now())));
      await step("sessions", () => endExpired(context));
      await step("builds", () => stopUnwanted(context));
    }
    await step("refresh", async () => {
      stamp = await refresh(context, stamp);
    });
    if (leads && clock.monotonic() >= collectAt) {
      collectAt = clock.monotonic() + limits.collectEveryMs;
      await step("collector", async () => {
        await collect(context.db, { artifactsMs: limits.keepMs, requestsMs: limits.keepRequestsMs });
      });
    }
    if (leads && clock.monotonic() >= maintainAt) {
      maintainAt = clock.monotonic() + maintainEveryMs;
      await context.db.maintain();
    }
    const { given } = context.dispatcher;
    for (const last of swept) {
      if (given - last.given < last.after || clock.monotonic() - last.at < sweepEveryMs) continue;
      await context.db.sweep(last.table);
      Object.assign(last, { at: clock.monotonic(), given });
    }
    lookedAt = clock.monotonic();
  };
  const everyMs = Math.min(1_000, policy.ttlMs / 4);
  return repeat({ clock, everyMs }, tick, logFailure(log, "reaper"));
}

async function lookAfterWorkers(context: TrackerContext): Promise<void> {
  const { db, registry, policy, limits } = context;
  await keepPresent(db.lazy, registry.present(), policy);
  const gone = registry.brokenOff(limits.brokenOffMs);
  // The worker may have gone to another tracker, which records its presence no more often than this.
  if (gone.length > 0) await lose(context, limits.brokenOffMs + (context.peers ? policy.ttlMs / 3 : 0), gone);
}

async function lose(context: TrackerContext, silentMs: number, only?: readonly WorkerId[]): Promise<void> {
  const { db, registry, policy, clock, log, metrics, setAside, apply } = context;
  const silent = await silentWorkers(db, silentMs, only);
  await setAside.work("workers", silent, named, async (ids) => {
    const { lost, effects } = await loseWorkers(db, silentMs, policy, clock.now(), ids);
    registry.remove(lost);
    metrics.lost(lost.length);
    for (const worker of lost) log.warn({ worker, silentMs }, "worker lost");
    apply(effects);
  });
}

async function expire({ db, policy, clock, setAside, apply }: TrackerContext): Promise<void> {
  const leases = await expiredLeases(db);
  await setAside.work("leases", leases, named, async (ids) => apply(await expireLeases(db, ids, policy, clock.now())));
}

async function endExpired({ db, sessions, log, setAside, cancel }: TrackerContext): Promise<void> {
  await setAside.work("sessions", await expiredSessions(db), named, async (ids) => {
    const freed = await removeSessions(db, ids);
    sessions.remove(ids, new FarmError("NOT_FOUND", "the session expired"));
    cancel(freed);
    for (const session of ids) log.info({ session }, "session expired");
  });
}

async function stopUnwanted({ db, policy, clock, log, apply, cancel }: TrackerContext): Promise<void> {
  const { freed, effects } = await takeUnwanted(db, policy, clock.now());
  cancel(freed);
  apply(effects);
  for (const { lease, worker } of freed) log.info({ lease, worker }, "a build of a client who left is stopped");
}

const named = (id: string): string => id;

/**
 * Reads again what this tracker keeps of the store, so it learns what it was not told. `stamp`: of the workers as last listed.
 */
async function refresh(context: TrackerContext, stamp: string): Promise<string> {
  const { db, registry, sessions, shares, dispatcher, clock, peers } = context;
  const asOf = clock.monotonic();
  const now = await workersStamp(db.lazy);
  // Workers that call another tracker were seen there, which the stamp does not show.
  if (now !== stamp || !(peers?.isAlone ?? true))
    dispatcher.release(registry.refresh(await listWorkers(db.lazy, (id) => registry.get(id)), asOf));
  const untold = shares.takeUntold();
  const told = await addUsed(db.lazy, untold).catch((error: unknown) => {
    shares.untell(untold);
    throw error;
  });
  shares.untell(untold.filter(({ id }) => !told.has(id)));
  await context.quotas?.refresh();
  const open = await listSessions(db.lazy);
  sessions.refresh(open, asOf);
  for (const row of open) shares.put({ ...row, paused: sessions.get(row.id)?.row.paused ?? row.paused });
  shares.keepOnly((id) => sessions.get(id) !== undefined);
  shares.beginCount();
  shares.setCounts(await countReady(db.lazy), await countInHand(db.lazy));
  if (peers) {
    await peers.look();
    sessions.deliver(await finishedOf(db.lazy, sessions.connected()));
  }
  dispatcher.recheck();
  context.replays?.expect();
  return now;
}
