/**
 * Until when jobs wait: dispatch's own policy (fair-share.ts) is played ahead with predicted times, as Smith, Taylor and Foster
 * predict waits in queues ("Using Run-Time Predictions to Estimate Queue Wait Times and Improve Scheduler Performance", JSSPP
 * 1999).
 *
 * times     a run holds its device for the mean of its session's runs, and one that has held it for four fifths or longer has a
 *           fifth of the mean left. A build takes the mean of recent builds.
 * arrivals  a session sends its next input when a result of it comes, as long as its search has trials left. Sessions that are
 *           opened later are not foreseen.
 * builds    a free builder serves the principal that it served longest ago, then priority, then the session served longest ago
 *           (dispatch.ts).
 * bound     the play runs on the tracker's thread, so it ends after `mostLooks`: about 50 ms. A session that was served until
 *           then goes on at that rate, and of one that was not nothing is told.
 */
import { type SessionId, toWorkerId } from "@warpfarm/common";
import type { FairShare } from "./fair-share.ts";

export interface Waiter {
  readonly id: SessionId;
  readonly principal: string;
  readonly priority: number;
  /** Inputs that wait for a builder, and that wait for a device. */
  readonly building: number;
  readonly ready: number;
  /** Inputs that its client will send when results come. */
  readonly more: number;
  readonly paused: boolean;
}

/** Equal devices. */
export interface DevicesAhead {
  readonly key: string;
  /** Jobs that may begin there now. */
  readonly free: number;
  readonly running: readonly { readonly session: SessionId; readonly heldMs: number }[];
}

export interface Farm {
  readonly shares: FairShare;
  readonly waiters: readonly Waiter[];
  readonly groups: readonly DevicesAhead[];
  readonly fits: (session: SessionId, group: string) => boolean;
  /** Builds at a time on all builders, and how long one takes. */
  readonly builders: number;
  readonly buildMs: number;
}

export interface Ahead {
  /** Runs of other sessions that begin before its next one. */
  readonly before: number;
  /** Milliseconds until its next waiting job begins on a device, and until all that wait now are done. */
  readonly startsInMs: number;
  readonly doneInMs: number;
}

/** A look at one session or group of devices, which takes 0.1 us. A step looks at each once, and takes 30 looks' time besides. */
const mostLooks = 300_000;
const looksOfStep = 30;
const leastLeft = 0.2;
const anyWorker = toWorkerId("ahead");

type Event = { readonly at: number; readonly session: SessionId } & (
  | { readonly kind: "run"; readonly group: string }
  | { readonly kind: "build" }
);

/** Events by time, the earliest first: a binary heap. */
class Events {
  readonly #heap: Event[] = [];

  push(event: Event): void {
    const heap = this.#heap;
    let i = heap.push(event) - 1;
    for (let up = (i - 1) >> 1; i > 0 && (heap[up] as Event).at > event.at; up = (i - 1) >> 1) {
      heap[i] = heap[up] as Event;
      i = up;
    }
    heap[i] = event;
  }

  pop(): Event | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return first;
    let i = 0;
    for (let down = 1; down < heap.length; down = 2 * i + 1) {
      if (down + 1 < heap.length && (heap[down + 1] as Event).at < (heap[down] as Event).at) down++;
      if ((heap[down] as Event).at >= last.at) break;
      heap[i] = heap[down] as Event;
      i = down;
    }
    heap[i] = last;
    return first;
  }
}

class Line {
  readonly waiter: Waiter;
  building: number;
  more: number;
  began = 0;
  before = 0;
  startsAt: number | undefined;
  doneAt: number | undefined;
  built = 0;

  constructor(waiter: Waiter) {
    this.waiter = waiter;
    this.building = waiter.building;
    this.more = waiter.more;
  }
  get waiting(): number {
    return this.waiter.building + this.waiter.ready;
  }
}

class Play {
  readonly #farm: Farm;
  readonly #shares: FairShare;
  readonly #lines: ReadonlyMap<SessionId, Line>;
  readonly #free: Map<string, number>;
  readonly #events = new Events();
  readonly #turns = new Map<string, number>();
  #freeBuilders: number;
  #began = 0;
  #turn = 0;
  #unknown: number;

  constructor(farm: Farm) {
    this.#farm = farm;
    this.#shares = farm.shares.copy();
    const { waiters, groups } = farm;
    this.#lines = new Map(waiters.map((waiter) => [waiter.id, new Line(waiter)]));
    this.#unknown = [...this.#lines.values()].filter(({ waiting }) => waiting > 0).length;
    this.#free = new Map(groups.map(({ key, free }) => [key, free]));
    this.#freeBuilders = farm.builders;
    const inHand = new Map<SessionId, number>();
    for (const { key: group, running } of groups)
      for (const { session, heldMs } of running) {
        const meanMs = this.#shares.meanMsOf(session);
        inHand.set(session, (inHand.get(session) ?? 0) + 1);
        this.#events.push({ kind: "run", at: Math.max(meanMs - heldMs, leastLeft * meanMs), session, group });
      }
    this.#shares.beginCount();
    this.#shares.setCounts(new Map(waiters.map(({ id, ready }) => [id, ready])), inHand);
  }

  run(): ReadonlyMap<SessionId, Ahead> {
    let steps = Math.ceil(mostLooks / (looksOfStep + this.#lines.size + this.#farm.groups.length));
    let now = 0;
    this.#build(now);
    for (const { key } of this.#farm.groups) this.#begin(key, now);
    for (let event = this.#events.pop(); event && this.#unknown > 0 && steps > 0; event = this.#events.pop(), steps--) {
      now = event.at;
      this.#end(event);
      this.#build(now);
      if (event.kind === "run") this.#begin(event.group, now);
      else for (const { key } of this.#farm.groups) this.#begin(key, now);
    }
    return this.#answer(now);
  }

  #end(event: Event): void {
    const line = this.#lines.get(event.session);
    if (event.kind === "build") {
      this.#freeBuilders++;
      this.#shares.addReady([event.session]);
      return;
    }
    this.#free.set(event.group, (this.#free.get(event.group) ?? 0) + 1);
    this.#shares.used(event.session, this.#shares.meanMsOf(event.session));
    if (!line || line.more <= 0) return;
    line.more--;
    line.building++;
  }

  #begin(group: string, now: number): void {
    const free = this.#free.get(group) ?? 0;
    if (free === 0) return;
    const device = { worker: anyWorker, epoch: 0, device: 0, free };
    const slots = this.#shares.plan([{ key: group, devices: [device] }], this.#farm.fits, free);
    this.#free.set(group, free - slots.length);
    for (const { session } of slots) {
      const meanMs = this.#shares.meanMsOf(session);
      this.#events.push({ kind: "run", at: now + meanMs, session, group });
      const line = this.#lines.get(session);
      if (line) this.#note(line, now, meanMs);
      this.#began++;
    }
  }

  #note(line: Line, now: number, meanMs: number): void {
    if (line.startsAt === undefined) Object.assign(line, { startsAt: now, before: this.#began });
    line.began++;
    if (line.began !== line.waiting) return;
    line.doneAt = now + meanMs;
    this.#unknown--;
  }

  #build(now: number): void {
    while (this.#freeBuilders > 0) {
      let best: Line | undefined;
      for (const line of this.#lines.values())
        if (line.building > 0 && !line.waiter.paused && (!best || this.#isBefore(line, best))) best = line;
      if (!best) return;
      best.building--;
      best.built = ++this.#turn;
      this.#turns.set(best.waiter.principal, this.#turn);
      this.#freeBuilders--;
      this.#events.push({ kind: "build", at: now + this.#farm.buildMs, session: best.waiter.id });
    }
  }

  #isBefore(a: Line, b: Line): boolean {
    const turnOf = ({ waiter }: Line) => this.#turns.get(waiter.principal) ?? 0;
    return (turnOf(a) - turnOf(b) || b.waiter.priority - a.waiter.priority || a.built - b.built) < 0;
  }

  #answer(now: number): ReadonlyMap<SessionId, Ahead> {
    const answers = new Map<SessionId, Ahead>();
    for (const [id, { waiting, began, before, startsAt, doneAt }] of this.#lines) {
      if (waiting === 0 || startsAt === undefined) continue;
      answers.set(id, { before, startsInMs: startsAt, doneInMs: doneAt ?? (now * waiting) / began });
    }
    return answers;
  }
}

/** By session that waits; a session that nothing serves is absent. */
export const playAhead = (farm: Farm): ReadonlyMap<SessionId, Ahead> => new Play(farm).run();
