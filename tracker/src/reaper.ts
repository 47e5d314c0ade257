/**
 * What time does: silent workers and leases that ran out, sessions nobody came back to, rows nobody can ask for. One tick at a time, each
 * of bounded cost; an error of one tick is logged and the next tries again. Any number of trackers may each run one on the same store.
 */
import { FarmError } from "@warpfarm/common";
import type { TrackerContext } from "./services/context.ts";
import { countReady } from "./store/sql/claim-runs.ts";
import { collect } from "./store/sql/collect.ts";
import { addUsed, countInHand, expiredSessions, keepSessions, listSessions, removeSessions } from "./store/sql/sessions.ts";
import { expireLeases, listWorkers, loseWorkers } from "./store/sql/workers.ts";

export interface Reaper {
  /** Resolves when the tick that runs is over. */
  stop(): Promise<void>;
}

const collectEveryMs = 60_000;

export function startReaper(context: TrackerContext): Reaper {
  const { policy, limits, clock, log } = context;
  const stopped = new AbortController();
  const everyMs = Math.min(1_000, policy.ttlMs / 4);
  const keepEveryMs = limits.idleMs / 4;
  let collectAt = clock.monotonic() + collectEveryMs;
  let keepAt = clock.monotonic() + keepEveryMs;
  const loop = async () => {
    while (!stopped.signal.aborted) {
      try {
        if (clock.monotonic() >= keepAt) {
          keepAt = clock.monotonic() + keepEveryMs;
          await keepSessions(context.db, context.sessions.connected(), limits.idleMs);
        }
        await tick(context);
        if (clock.monotonic() >= collectAt) {
          collectAt = clock.monotonic() + collectEveryMs;
          await collect(context.db, limits.keepMs);
          await context.db.maintain();
        }
      } catch (error) {
        log.error({ error }, "reaper");
      }
      await clock.sleep(everyMs, { signal: stopped.signal }).catch(() => {});
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

async function tick(context: TrackerContext): Promise<void> {
  const { db, registry, sessions, shares, dispatcher, policy, limits, clock, log, metrics, apply } = context;
  // A worker with a call open here is alive, however long the call is held.
  const gone = registry.brokenOff(limits.brokenOffMs);
  for (const [silentMs, only] of [
    [policy.ttlMs, undefined],
    ...(gone.length > 0 ? [[limits.brokenOffMs, gone] as const] : []),
  ] as const) {
    const { lost, effects } = await loseWorkers(db, silentMs, policy, clock.now(), only);
    if (lost.length === 0) continue;
    registry.remove(lost);
    metrics.lost(lost.length);
    for (const worker of lost) log.warn({ worker, silentMs }, "worker lost");
    apply(effects);
  }
  apply(await expireLeases(db, policy, clock.now()));
  const expired = await expiredSessions(db);
  if (expired.length > 0) {
    const freed = await removeSessions(db, expired);
    sessions.remove(expired, new FarmError("NOT_FOUND", "the session expired"));
    dispatcher.cancel(freed);
    for (const session of expired) log.info({ session }, "session expired");
  }
  const asOf = clock.monotonic();
  registry.refresh(await listWorkers(db), asOf);
  await addUsed(db, shares.takeUntold());
  const open = await listSessions(db);
  sessions.refresh(open, asOf);
  for (const row of open) shares.put(row);
  shares.keepOnly((id) => sessions.get(id) !== undefined);
  shares.beginCount();
  shares.setCounts(await countReady(db), await countInHand(db));
  dispatcher.recheck();
}
