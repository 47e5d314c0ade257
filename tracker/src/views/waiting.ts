/**
 * Why a session's inputs wait, and until when: what holds them (holdsOf), what is before them (policy/play-ahead.ts), and what
 * part of the devices that it may use it has and is due. Read at most once a second for all readers.
 *
 * due       of the principals that have something to do on these devices each has an equal part, and of one principal's sessions
 *           those of highest priority divide it by weight (policy/fair-share.ts).
 * never     no registered device fits, not even one that was lost in the last ten minutes.
 */
import {
  type Clock,
  countWords,
  defined,
  FarmError,
  parseSelector,
  type Selector,
  type SessionId,
  selects,
  whyNoDevice,
} from "@warpfarm/common";
import type { Hold, Waiting } from "@warpfarm/common/waiting";
import type { FarmSnapshot, NodeView } from "@warpfarm/proto";
import { isDevice, type Registry, type Station } from "../dispatch/registry.ts";
import type { Quotas } from "../doors/quotas.ts";
import type { FairShare } from "../policy/fair-share.ts";
import { type DevicesAhead, playAhead } from "../policy/play-ahead.ts";
import type { Queryable } from "../store/database.ts";
import { type SessionCounts, sessionCounts } from "../store/sql/sessions.ts";
import { type RunningRun, readRunningRuns, readTrialsLeft, readWaitingTargets } from "../store/sql/waiting.ts";
import type { Snapshots } from "./snapshot.ts";

const everyMs = 1_000;
const firstBuildMs = 2_000;
const newest = 0.1;
/** A message names at most so many nodes. */
const namedNodes = 3;

export interface WaitingSession extends SessionCounts {
  readonly waiting?: Waiting;
}

export interface WaitsOptions {
  readonly db: Queryable;
  readonly registry: Registry;
  readonly shares: FairShare;
  readonly snapshots: Snapshots;
  readonly clock: Clock;
  readonly idleMs: number;
  readonly quotas: Quotas | undefined;
}

/** What is known of the farm at one moment. */
interface Known {
  readonly sessions: readonly SessionCounts[];
  readonly farm: FarmSnapshot;
  readonly devices: readonly Device[];
  /** The workers with devices that a selector may use. */
  readonly reach: (selector: string) => ReadonlySet<string>;
  readonly running: readonly RunningRun[];
  readonly targets: ReadonlyMap<SessionId, readonly string[]>;
}

export class Waits {
  readonly #o: WaitsOptions;
  #last: { readonly at: number; readonly answer: Promise<ReadonlyMap<SessionId, Waiting>> } | undefined;
  #buildMs = firstBuildMs;

  constructor(options: WaitsOptions) {
    this.#o = options;
  }

  /** A build that no cache had took this long. */
  built(ms: number): void {
    this.#buildMs += newest * (ms - this.#buildMs);
  }

  /** The open sessions, the oldest first. Why they wait is at most a second old. */
  async get(): Promise<readonly WaitingSession[]> {
    const { db, idleMs } = this.#o;
    const sessions = await sessionCounts(db, idleMs);
    if (!sessions.some(waits)) return sessions;
    const waiting = await this.#waiting(sessions);
    return sessions.map((session) => ({
      ...session,
      ...(waits(session) ? defined({ waiting: waiting.get(session.sessionId) }) : {}),
    }));
  }

  #waiting(sessions: readonly SessionCounts[]): Promise<ReadonlyMap<SessionId, Waiting>> {
    const now = this.#o.clock.monotonic();
    if (this.#last && now - this.#last.at < everyMs) return this.#last.answer;
    const answer = this.#read(sessions);
    this.#last = { at: now, answer };
    answer.catch(() => {
      this.#last = undefined;
    });
    return answer;
  }

  async #read(sessions: readonly SessionCounts[]): Promise<ReadonlyMap<SessionId, Waiting>> {
    const { db, snapshots } = this.#o;
    const farm = await snapshots.get(everyMs);
    const devices = devicesOf(farm.nodes);
    const known: Known = {
      ...{ sessions, farm, devices, reach: reachOf(devices) },
      running: await readRunningRuns(db),
      targets: await readWaitingTargets(db),
    };
    const ahead = await this.#playAhead(known);
    const answers = sessions.filter(waits).map((session): readonly [SessionId, Waiting] => {
      const holds = [...holdsOf(session, known), ...this.#quota(session)];
      return [session.sessionId, { holds, ...shareOf(session, known), ...ahead.get(session.sessionId) }];
    });
    return new Map(answers);
  }

  async #playAhead({ sessions, farm, running }: Known) {
    const { db, shares } = this.#o;
    const trials = await readTrialsLeft(db);
    const selectors = new Map(sessions.map(({ sessionId, selector }) => [sessionId, parseSelector(selector)]));
    const { groups, stations } = this.#groups(running);
    const active = farm.nodes.filter(({ role, state }) => role === "builder" && state === "ACTIVE");
    return playAhead({
      shares,
      groups,
      fits: (session, group) => {
        const [selector, station] = [selectors.get(session), stations.get(group)];
        return selector !== undefined && station !== undefined && selects(selector, station);
      },
      waiters: sessions.map(({ sessionId: id, principal, priority, building, ready, paused, streaming }) => ({
        ...{ id, principal, priority, building, ready, paused },
        more: streaming ? (trials.get(id) ?? 0) : 0,
      })),
      builders: active.reduce((n, { slots }) => n + slots, 0),
      buildMs: this.#buildMs,
    });
  }

  /** Equal devices that get work. A device does as many jobs at a time as the busiest of its group has. */
  #groups(running: readonly RunningRun[]) {
    const { registry } = this.#o;
    const held = new Map<string, RunningRun[]>();
    for (const run of running) held.set(placeOf(run), [...(held.get(placeOf(run)) ?? []), run]);
    const stations = new Map<string, Station & { readonly key: string }>();
    const devices = new Map<string, (readonly RunningRun[])[]>();
    for (const station of registry.stations("runner").filter(isDevice)) {
      stations.set(station.group, station);
      devices.set(station.group, [...(devices.get(station.group) ?? []), held.get(placeOf(station)) ?? []]);
    }
    const groups = [...devices].map(([key, runs]): DevicesAhead => {
      const slots = Math.max(1, ...runs.map(({ length }) => length));
      return { key, free: runs.reduce((free, { length }) => free + slots - length, 0), running: runs.flat() };
    });
    return { groups, stations };
  }

  #quota({ principal }: SessionCounts): readonly Hold[] {
    try {
      this.#o.quotas?.accountOf(principal)?.checkUse();
      return [];
    } catch (error) {
      if (!(error instanceof FarmError)) throw error;
      return [{ kind: "quota", what: `${error.message}; its further inputs are refused` }];
    }
  }
}

const waits = ({ building, ready }: SessionCounts): boolean => building + ready > 0;

const placeOf = ({ worker, device }: Pick<RunningRun, "worker" | "device">): string => `${worker} ${device}`;

const devicesOf = (nodes: readonly NodeView[]) =>
  nodes.flatMap((view) =>
    view.devices.map(({ facts: { key }, memoryBytes, busy }) => ({ ...view, key, memoryBytes, busy, view })),
  );

type Device = ReturnType<typeof devicesOf>[number];

const fits = (wanted: Selector, device: Device): boolean => device.state !== "LOST" && selects(wanted, device);

/** Many sessions have the same selector, and each is compared with all others. */
function reachOf(devices: readonly Device[]): Known["reach"] {
  const known = new Map<string, ReadonlySet<string>>();
  return (selector) => {
    const before = known.get(selector);
    if (before) return before;
    const wanted = parseSelector(selector);
    const found = new Set(devices.filter((device) => fits(wanted, device)).map(({ workerId }) => workerId));
    known.set(selector, found);
    return found;
  };
}

function holdsOf(session: SessionCounts, { sessions, farm, devices, running, targets }: Known): readonly Hold[] {
  const { sessionId, principal, paused, streaming, building, ready, oldestBuildMs, priority, selector } = session;
  if (paused) return [{ kind: "paused", what: "the session is paused" }];
  const wanted = parseSelector(selector);
  const why = whyNoDevice(wanted, devices);
  if (why !== undefined)
    return [
      devices.length === 0
        ? { kind: "no_device", what: "no runner is registered" }
        : { kind: "never", what: `it can never run on this farm as it is: ${why}` },
    ];
  const holds: Hold[] = [];
  if (building > 0) {
    if (!streaming && oldestBuildMs === null)
      holds.push({ kind: "client_gone", what: "its client is gone, so nothing is built" });
    for (const target of targets.get(sessionId) ?? []) holds.push(...ofBuilders(target, farm.nodes));
  }
  const able = devices.filter((device) => selects(wanted, device));
  const fitting = able.filter(({ state }) => state !== "LOST");
  const working = fitting.filter(({ state }) => state === "ACTIVE");
  if (working.length === 0) holds.push(...takeNoWork((fitting.length === 0 ? able : fitting).map(({ view }) => view)));
  const isBefore = (other: SessionCounts) => other.principal === principal && other.priority > priority && other.ready > 0;
  const before = sessions.filter((other) => isBefore(other) && !other.paused).length;
  if (before > 0)
    holds.push({ kind: "priority", what: `${countWords(before, "session")} of ${principal} with a higher priority` });
  if (ready > 0 && working.length > 0 && working.every(({ busy }) => busy)) {
    const there = new Set(working.map(({ workerId }) => workerId));
    const jobs = running.filter(({ worker }) => there.has(worker));
    const own = jobs.filter((run) => run.session === sessionId).length;
    const what = `${countWords(working.length, "device")} busy with ${countWords(jobs.length, "job")}, ${own} of this session`;
    holds.push({ kind: "devices_busy", what });
  }
  for (const what of farm.queues.find(({ key }) => key === selector)?.unread ?? []) holds.push({ kind: "version", what });
  return holds;
}

function ofBuilders(target: string, nodes: readonly NodeView[]): readonly Hold[] {
  const live = nodes.filter(({ role, state }) => role === "builder" && state !== "LOST");
  const able = live.filter(({ targets }) => targets.includes(target));
  if (able.length === 0) {
    const there = [...new Set(live.flatMap(({ targets }) => targets))].sort().join(", ");
    const what = there === "" ? "no builder is registered" : `no builder builds for ${target}; they build for ${there}`;
    return [{ kind: "no_builder", what }];
  }
  const working = able.filter(({ state }) => state === "ACTIVE");
  if (working.length === 0) return takeNoWork(able);
  const slots = working.reduce((n, view) => n + view.slots, 0);
  const leases = working.reduce((n, view) => n + view.leases, 0);
  return leases >= slots ? [{ kind: "builders_busy", what: `${countWords(slots, "slot")} of builders busy` }] : [];
}

function takeNoWork(views: readonly NodeView[]): readonly Hold[] {
  const once = [...new Map(views.map((view) => [view.workerId, view])).values()];
  const words = once.slice(0, namedNodes).map(({ role, node, state, reason }) => `${role} ${node} (${reason?.what || state})`);
  const more = once.length > namedNodes ? ` and ${once.length - namedNodes} more` : "";
  return once.length === 0 ? [] : [{ kind: "node", what: `${words.join(", ")}${more} takes no work` }];
}

/** Its part of what runs on the devices that it may use, and the part that it is due, from 0 to 1. */
function shareOf(session: SessionCounts, { sessions, reach, running }: Known): Pick<Waiting, "share" | "due"> {
  const mine = reach(session.selector);
  const runs = running.filter(({ worker }) => mine.has(worker));
  const own = runs.filter((run) => run.session === session.sessionId).length;
  const wants = sessions.filter((other) => !other.paused && other.building + other.ready + other.running > 0);
  const competing = wants.filter((other) => [...reach(other.selector)].some((worker) => mine.has(worker)));
  const principals = new Set(competing.map(({ principal }) => principal)).add(session.principal).size;
  const peers = competing.filter(({ principal }) => principal === session.principal);
  const top = Math.max(session.priority, ...peers.map(({ priority }) => priority));
  const weights = peers.filter(({ priority }) => priority === top).reduce((sum, { weight }) => sum + weight, 0);
  const part = session.priority < top || session.paused ? 0 : session.weight / Math.max(weights, session.weight);
  return { share: runs.length === 0 ? 0 : own / runs.length, due: part / principals };
}
