/** The read model of ListNodes, /farm and /metrics: a few queries, made at most once a second for all readers. */
import { type Clock, parseSelector, selects, toolchainsOf, type WorkerId } from "@warpfarm/common";
import type { BuilderFacts, FarmSnapshot, NodeState, NodeView, RunnerFacts } from "@warpfarm/proto";
import type { Database, Queryable } from "../store/database.ts";
import { type SessionCounts, sessionCounts } from "../store/sql/sessions.ts";
import { wantsBuilds } from "../store/sql/wanted-builds.ts";
import { buildStates, requestStates } from "../store/states.ts";
import { readUnread } from "./unread.ts";

interface WorkerState {
  readonly id: WorkerId;
  readonly node: string;
  readonly facts: BuilderFacts | RunnerFacts;
  readonly labels: Readonly<Record<string, string>>;
  readonly state: NodeState;
  readonly what: string;
  readonly detail: string;
  readonly lastSeen: Date;
  readonly registered: Date;
  readonly leases: number;
  readonly busy: readonly number[];
}

/** A lost worker is shown for this time. */
const showLostMs = 10 * 60_000;

async function readNodes(db: Database): Promise<NodeView[]> {
  const rows = await db.query<WorkerState>(
    `select w.worker_id as id, w.node, w.facts, w.labels, w.last_seen as "lastSeen", w.registered_at as registered,
       case when w.lost then 'LOST'
         when d.node is not null then 'DRAIN'
         when w.trouble <> '' or w.quarantine <> '' or w.suspect_until > now() then 'SUSPECT' else 'ACTIVE' end as state,
       case when w.lost then '' else concat_ws('; ',
         case when d.node is not null then 'drained' end,
         'quarantined: ' || nullif(w.quarantine, ''), nullif(w.trouble, ''),
         case when w.suspect_until > now() then 'its last fault put the node itself in doubt' end) end as what,
       case when not w.lost and (w.quarantine <> '' or w.suspect_until > now()) then w.last_fault else '' end as detail,
       count(l.lease_id)::integer as leases, coalesce(array_agg(distinct l.device) filter (where l.lease_id is not null), '{}') as busy
     from workers w left join leases l on l.worker_id = w.worker_id left join drained_nodes d on d.node = w.node
     where not w.lost or w.last_seen > now() - $1 * interval '1 ms'
     group by w.worker_id, d.node order by w.node, w.worker_id`,
    [showLostMs],
  );
  const succeeded = successions(rows);
  return rows
    .filter((row) => !succeeded(row))
    .map(({ id, node, facts, labels, state, what, detail, lastSeen, leases, busy }) => ({
      workerId: id,
      node,
      role: facts.kind,
      state,
      devices:
        facts.kind === "builder"
          ? []
          : facts.devices.map((d) => ({
              facts: d.facts,
              memoryBytes: d.memoryBytes,
              busy: busy.includes(d.device),
              limits: d.limits,
            })),
      slots: facts.kind === "builder" ? facts.slots : 0,
      targets: facts.kind === "builder" ? facts.targets : [],
      toolchains: facts.kind === "builder" ? toolchainsOf(facts) : [],
      labels,
      lastSeenMs: lastSeen.getTime(),
      leases,
      ...(what === "" ? {} : { reason: { what, ...(detail === "" ? {} : { detail }) } }),
    }));
}

/** The places of a worker: for a builder its machine, for a runner its devices on its machine. */
const places = ({ node, facts }: WorkerState): readonly string[] =>
  facts.kind === "builder" ? [`builder ${node}`] : facts.devices.map((d) => `${d.facts.key} ${d.facts.uuid} ${node}`);

/** Whether the worker is lost, and others have registered in all its places since, so that nobody needs to look after it. */
function successions(rows: readonly WorkerState[]): (row: WorkerState) => boolean {
  const latest = new Map<string, number>();
  for (const row of rows)
    if (row.state !== "LOST")
      for (const place of places(row)) latest.set(place, Math.max(latest.get(place) ?? 0, row.registered.getTime()));
  return (row) => row.state === "LOST" && places(row).every((place) => (latest.get(place) ?? 0) >= row.lastSeen.getTime());
}

export async function readSnapshot(db: Database, idleMs: number): Promise<FarmSnapshot> {
  const sessions = await sessionCounts(db, idleMs);
  const nodes = await readNodes(db);
  const unread = await readUnread(db);
  return {
    nodes,
    queues: queuesOf(sessions, nodes).map((queue) => {
      const sentences = unread.get(queue.key);
      return sentences ? { ...queue, unread: sentences } : queue;
    }),
    sessions: sessions.map(({ sessionId, principal, task, selector, accepted, building, ready, running }) => ({
      sessionId,
      principal,
      task,
      selector,
      accepted,
      finished: accepted - building - ready - running,
    })),
  };
}

type QueueView = FarmSnapshot["queues"][number];

function queuesOf(sessions: readonly SessionCounts[], nodes: readonly NodeView[]): QueueView[] {
  const queues = new Map<string, QueueView>();
  for (const session of sessions) {
    const { selector, building, ready, running, paused } = session;
    // Held requests wait for nobody but their owner.
    const { oldestBuildMs, oldestRunMs } = paused ? { oldestBuildMs: null, oldestRunMs: null } : session;
    const queue = queues.get(selector) ?? emptyQueue(selector, nodes);
    queues.set(selector, {
      ...queue,
      waitingBuilds: queue.waitingBuilds + building,
      waitingRuns: queue.waitingRuns + ready,
      running: queue.running + running,
      ...(oldestBuildMs === null ? {} : { oldestBuildMs: Math.max(queue.oldestBuildMs ?? 0, oldestBuildMs) }),
      ...(oldestRunMs === null ? {} : { oldestRunMs: Math.max(queue.oldestRunMs ?? 0, oldestRunMs) }),
    });
  }
  return [...queues.values()];
}

function emptyQueue(key: string, nodes: readonly NodeView[]): QueueView {
  const selector = parseSelector(key);
  // A node that gets no work has no idle device, because nobody could use it.
  const devices = nodes
    .filter((node) => node.state !== "LOST")
    .flatMap(({ state, labels, node, devices }) =>
      devices.filter(
        ({ facts: { key }, memoryBytes, busy }) =>
          selects(selector, { key, labels, memoryBytes, node }) && (busy || state === "ACTIVE"),
      ),
    );
  return {
    key,
    waitingBuilds: 0,
    waitingRuns: 0,
    running: 0,
    devices: devices.length,
    idleDevices: devices.filter((d) => !d.busy).length,
  };
}

/** For autoscalers: per selector what waits for a device and since when, per target what waits for a builder and since when. */
export interface Backlog {
  readonly kind: "build" | "run";
  readonly key: string;
  readonly waiting: number;
  readonly oldestSeconds: number;
}

/**
 * Without sessions that do not want it now. The head of a session's queue is its oldest request. Counts stop at ten thousand per
 * session.
 */
export const readBacklog = (db: Queryable): Promise<readonly Backlog[]> =>
  db.query<Backlog>(
    `select 'build' as kind, target as key, count(*)::integer as waiting,
       greatest(extract(epoch from now() - min(queued_at)), 0)::double precision as "oldestSeconds"
     from builds b where state = ${buildStates.waiting} and not exists (select 1 from sessions s where s.session_id = b.session_id and not ${wantsBuilds("s")}) group by target
     union all
     select 'run', s.selector, sum(r.n)::integer, greatest(extract(epoch from now() - min(r.oldest)), 0)::double precision
     from sessions s cross join lateral (
       select count(*) as n, min(since) as oldest from (
         select coalesce(ready_at, accepted_at) as since from requests where session_id = s.session_id and state = ${requestStates.ready} and avoid = '{}' order by sequence limit 10000) q) r
     where r.n > 0 and not s.paused group by s.selector`,
  );

export async function countQuarantined(db: Queryable): Promise<number> {
  const [row] = await db.query<{ n: number }>("select count(*)::integer as n from workers where quarantine <> '' and not lost");
  return row?.n ?? 0;
}

export class Snapshots {
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #idleMs: number;
  #last: { readonly at: number; readonly snapshot: Promise<FarmSnapshot> } | undefined;

  constructor(db: Database, clock: Clock, idleMs: number) {
    this.#db = db;
    this.#clock = clock;
    this.#idleMs = idleMs;
  }

  get(maxAgeMs = 0): Promise<FarmSnapshot> {
    const now = this.#clock.monotonic();
    if (this.#last && now - this.#last.at <= maxAgeMs) return this.#last.snapshot;
    const snapshot = readSnapshot(this.#db, this.#idleMs);
    this.#last = { at: now, snapshot };
    snapshot.catch(() => {
      this.#last = undefined;
    });
    return snapshot;
  }
}
