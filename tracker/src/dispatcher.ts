/**
 * The held calls of workers and the passes that fill them. A pass takes every call that waits and answers those that got something: runs
 * by count, as fair-share.ts says; builds and retried runs one by one, as dispatch.ts says. Passes run one at a time, and a kick during
 * one asks for another. A call that is gone when its pass ends has its leases taken back at once.
 */
import { type ArtifactDigest, type Clock, type LeaseId, type SessionId, selects, type WorkerId } from "@warpfarm/common";
import type { Assignment, FreeSlots } from "@warpfarm/proto";
import { Spacing } from "./batcher.ts";
import { type DispatchInput, dispatch, type Job, type Place, type Queue, type Turns } from "./dispatch.ts";
import type { DeviceGroup, FairShare } from "./fair-share.ts";
import type { LeasePolicy } from "./lease.ts";
import { type FreeDevice, type Registry, type Station, stationsOf } from "./registry.ts";
import type { SessionBook } from "./session-book.ts";
import type { Database } from "./store/database.ts";
import { type Claimed, claim, type GrantedBuild, type RetriedRun, ungrant } from "./store/sql/claim.ts";
import { type ClaimedRun, claimRuns, nextArtifacts } from "./store/sql/claim-runs.ts";
import type { Effects } from "./store/sql/effects.ts";
import type { FreedLease } from "./store/sql/sessions.ts";

export interface Work {
  readonly assignments: readonly Assignment[];
  readonly prefetch: readonly ArtifactDigest[];
  readonly cancel: readonly LeaseId[];
}
const nothing: Work = { assignments: [], prefetch: [], cancel: [] };

interface Poll {
  readonly worker: WorkerId;
  readonly free: readonly FreeSlots[];
  /** Answer after the next pass whatever it finds. */
  readonly prompt: boolean;
  readonly answer: (work: Work) => void;
  open: boolean;
}

/** Of a reply, well under the message limit. */
const maxReplyBytes = 2 << 20;
/** Jobs given out in one statement; more are left for the next pass. */
const maxPerPass = 256;
/** Jobs looked at one by one, a session. */
const maxLookedAt = 64;
const prefetchAhead = 4;
/** What to fetch ahead changes slowly when jobs are short, and there is time to ask when they are long. */
const prefetchEveryMs = 200;

type FreeStation = Station & Place;

export interface DispatcherOptions {
  readonly db: Database;
  readonly registry: Registry;
  readonly sessions: SessionBook;
  readonly shares: FairShare;
  readonly policy: LeasePolicy;
  readonly clock: Clock;
  readonly onGranted: (kind: "build" | "run", count: number, waitedMs: readonly number[]) => void;
  readonly onError: (error: unknown) => void;
}

export class Dispatcher {
  readonly #o: DispatcherOptions;
  readonly #polls = new Map<WorkerId, Poll>();
  readonly #ahead = new Map<SessionId, { readonly at: number; readonly artifacts: readonly ArtifactDigest[] }>();
  readonly #fitting = new Map<string, boolean>();
  #runTurns: Turns = new Map();
  #buildTurns: Turns = new Map();
  readonly #spacing = new Spacing();
  #dirty = false;
  /** Some may wait. */
  #builds = true;
  #retries = true;
  #passing: Promise<void> | undefined;

  constructor(options: DispatcherOptions) {
    this.#o = options;
  }

  /** Held until there is work, a lease to cancel, or `holdMs` are over. A newer call of the same worker ends it. */
  async poll(
    worker: WorkerId,
    free: readonly FreeSlots[],
    o: { prompt: boolean; holdMs: number; signal: AbortSignal },
  ): Promise<Work> {
    this.#polls.get(worker)?.answer(nothing);
    return new Promise((resolve) => {
      const timer = setTimeout(() => poll.answer(nothing), o.holdMs);
      const gone = () => poll.answer(nothing);
      const poll: Poll = {
        worker,
        free,
        prompt: o.prompt,
        open: true,
        answer: (work) => {
          if (!poll.open) return;
          poll.open = false;
          clearTimeout(timer);
          o.signal.removeEventListener("abort", gone);
          if (this.#polls.get(worker) === poll) this.#polls.delete(worker);
          resolve(work);
        },
      };
      this.#polls.set(worker, poll);
      if (o.signal.aborted) return gone();
      o.signal.addEventListener("abort", gone, { once: true });
      // A busy worker's call only waits for something to cancel.
      if (free.some((f) => f.count > 0)) this.kick();
    });
  }

  /** The store changed. */
  changed({ runs, others }: Pick<Effects, "runs" | "others">): void {
    this.#o.shares.addReady(runs);
    if (others > 0) this.#expectOthers();
    if (runs.length > 0 || others > 0) this.kick();
  }

  /** Whatever this tracker was not told may have changed. */
  recheck(): void {
    this.#expectOthers();
    this.#fitting.clear();
    for (const id of this.#ahead.keys()) if (!this.#o.sessions.get(id)) this.#ahead.delete(id);
    this.kick();
  }

  #expectOthers(): void {
    this.#builds = true;
    this.#retries = true;
  }

  /** Something may be ready, or somebody free. */
  kick(): void {
    this.#dirty = true;
    this.#passing ??= this.#passes();
  }

  /** Leases taken from workers that may still work on them: their held calls say so at once. */
  cancel(freed: readonly FreedLease[]): void {
    const byWorker = new Map<WorkerId, LeaseId[]>();
    for (const { worker, lease } of freed) byWorker.set(worker, [...(byWorker.get(worker) ?? []), lease]);
    for (const [worker, cancel] of byWorker) this.#polls.get(worker)?.answer({ ...nothing, cancel });
  }

  /** What these workers are to do changed: their held calls say so. */
  release(workers: readonly WorkerId[]): void {
    for (const worker of workers) this.#polls.get(worker)?.answer(nothing);
  }

  /** Answers every held call with nothing and waits for the pass that runs. */
  async close(): Promise<void> {
    for (const poll of [...this.#polls.values()]) poll.answer(nothing);
    await this.#passing;
  }

  async #passes(): Promise<void> {
    while (this.#dirty) {
      await this.#spacing.turn();
      this.#dirty = false;
      await this.#spacing.work(() => this.#pass([...this.#polls.values()]));
    }
    this.#passing = undefined;
  }

  async #pass(polls: readonly Poll[]): Promise<void> {
    // A thousand calls may wait: who they are matters only when there is something to give.
    let runners = this.#retries || this.#o.shares.anyReady ? this.#free(polls, "runner") : [];
    const answers = new Answers(this.#o, polls);
    try {
      const { runs, builds } = await this.#claimOthers(runners, this.#builds ? this.#free(polls, "builder") : []);
      for (const build of builds) answers.addBuild(build);
      for (const run of runs) answers.addRun(run);
      runners = without(runners, runs);
      if (this.#o.shares.anyReady)
        for (const [targets, devices] of byTargets(runners))
          for (const run of await this.#claimByCount(devices, targets)) answers.addRun(run);
      await this.#addPrefetch(answers);
    } catch (error) {
      this.#o.onError(error);
    }
    const orphans = answers.give();
    if (orphans.length === 0) return;
    try {
      const { db, policy, clock } = this.#o;
      this.changed(await ungrant(db, orphans, policy, clock.now()));
    } catch (error) {
      this.#o.onError(error); // they run out by themselves
    }
  }

  #free(polls: readonly Poll[], kind: "builder" | "runner"): FreeStation[] {
    return polls.flatMap((poll) => {
      if (!poll.open || !poll.free.some((f) => f.count > 0)) return [];
      const row = this.#o.registry.get(poll.worker);
      if (!row?.healthy || row.facts.kind !== kind) return [];
      return stationsOf(row).flatMap((station) => {
        const free = poll.free.find((f) => f.device === station.device)?.count ?? 0;
        return free > 0 ? [{ ...station, free }] : [];
      });
    });
  }

  async #claimOthers(runners: readonly FreeStation[], builders: readonly FreeStation[]): Promise<Claimed> {
    const wantsRuns = this.#retries && runners.length > 0;
    const wantsBuilds = this.#builds && builders.length > 0;
    if (!wantsRuns && !wantsBuilds) return { runs: [], builds: [], left: { runs: 0, builds: 0 } };
    const { db, policy } = this.#o;
    const slots = builders.reduce((n, s) => n + s.free, 0);
    if (wantsRuns) this.#retries = false;
    if (wantsBuilds) this.#builds = false;
    const claimed = await claim(db.lazy, {
      runs: wantsRuns ? { limit: maxLookedAt } : undefined,
      builds: wantsBuilds
        ? { targets: [...new Set(builders.flatMap((s) => s.targets))], limit: Math.min(maxLookedAt, slots) }
        : undefined,
      decide: (found) => {
        const runs = this.#decide(runners, "runner", found.runs, this.#runTurns, (station, queue, job) =>
          this.#runFits(station, queue, job),
        );
        const builds = this.#decide(builders, "builder", found.builds, this.#buildTurns, (station, _queue, job) =>
          station.targets.includes(job.target),
        );
        this.#runTurns = this.#pruned(runs.turns);
        this.#buildTurns = this.#pruned(builds.turns);
        return { runs: runs.grants, builds: builds.grants };
      },
      epochs: new Map([...runners, ...builders].map((s) => [s.worker, s.epoch])),
      ttlMs: policy.ttlMs,
    });
    // What nobody could take now waits for the next who is free.
    this.#retries ||= claimed.left.runs > 0;
    this.#builds ||= claimed.left.builds > 0;
    return claimed;
  }

  /** Equal devices first come to what their sessions share; all of them can run the same targets, so one statement takes it. */
  async #claimByCount(devices: readonly FreeStation[], targets: readonly string[]): Promise<readonly ClaimedRun[]> {
    const { db, shares, policy } = this.#o;
    const groups = new Map<string, { key: string; station: Station; devices: FreeDevice[] }>();
    for (const station of devices) {
      const group = groups.get(station.group) ?? { key: station.group, station, devices: [] };
      groups.set(station.group, group);
      group.devices.push(station);
    }
    const fits = (id: SessionId, key: string): boolean => this.#selects(id, key, groups.get(key)?.station);
    const planned = shares.plan([...groups.values()] satisfies DeviceGroup[], fits, maxPerPass);
    if (planned.length === 0) return [];
    const claimed = await claimRuns(db.lazy, planned, targets, policy.ttlMs);
    shares.claimed(planned, claimed);
    // What was planned and not there may leave a device to another session.
    if (claimed.length < planned.length || planned.length === maxPerPass) this.#dirty = true;
    return claimed;
  }

  #selects(id: SessionId, group: string, station: Station | undefined): boolean {
    const session = this.#o.sessions.get(id);
    if (!session || station?.key === undefined) return false;
    const name = `${session.row.selector} ${group}`;
    let answer = this.#fitting.get(name);
    if (answer === undefined) {
      answer = selects(session.selector, station.key, station.labels);
      this.#fitting.set(name, answer);
    }
    return answer;
  }

  /** Artifacts that come after those a runner gets, of the same sessions. */
  async #addPrefetch(answers: Answers): Promise<void> {
    const { db, clock, shares } = this.#o;
    const now = clock.monotonic();
    const sessions = answers.sessions().filter((id) => shares.hasReady(id));
    const age = (id: SessionId) => now - (this.#ahead.get(id)?.at ?? Number.NEGATIVE_INFINITY);
    if (sessions.some((id) => age(id) >= prefetchEveryMs)) {
      // With those that will soon be old: one statement for them all.
      const old = sessions.filter((id) => age(id) >= prefetchEveryMs / 2);
      const next = await nextArtifacts(db.lazy, old, prefetchAhead);
      for (const id of old) this.#ahead.set(id, { at: now, artifacts: next.get(id) ?? [] });
    }
    for (const id of sessions) answers.addPrefetch(id, this.#ahead.get(id)?.artifacts ?? []);
  }

  #decide<J extends Job>(
    places: readonly FreeStation[],
    kind: "builder" | "runner",
    queues: readonly Queue<J>[],
    turns: Turns,
    fits: (station: Station, queue: Queue<J>, job: J) => boolean,
  ) {
    const elsewhere = (queue: Queue<J>, job: J) =>
      this.#o.registry.stations(kind).some((station) => !job.avoid.includes(station.worker) && fits(station, queue, job));
    const input: DispatchInput<J, FreeStation> = { places, queues, fits, elsewhere, turns, maxBytes: maxReplyBytes };
    return dispatch(input);
  }

  #runFits({ key, labels, targets }: Station, queue: Queue<RetriedRun>, job: RetriedRun): boolean {
    const session = this.#o.sessions.get(queue.session);
    return session !== undefined && key !== undefined && targets.includes(job.target) && selects(session.selector, key, labels);
  }

  /** Sessions that are gone need no turn. */
  #pruned(turns: Turns): Turns {
    return new Map([...turns].filter(([session]) => this.#o.sessions.get(session) !== undefined));
  }
}

/** What is free when these runs are given out. */
function without(stations: readonly FreeStation[], runs: readonly ClaimedRun[]): FreeStation[] {
  if (runs.length === 0) return [...stations];
  const taken = (s: FreeStation) => runs.filter((r) => r.worker === s.worker && r.device === s.device).length;
  return stations.map((s) => ({ ...s, free: s.free - taken(s) })).filter((s) => s.free > 0);
}

/** Free devices by what they can run. */
function byTargets(stations: readonly FreeStation[]): Map<readonly string[], FreeStation[]> {
  const classes = new Map<readonly string[], FreeStation[]>();
  for (const station of stations) {
    const there = classes.get(station.targets);
    if (there) there.push(station);
    else classes.set(station.targets, [station]);
  }
  return classes;
}

/** What the calls of one pass are answered with. */
class Answers {
  readonly #o: DispatcherOptions;
  readonly #polls: readonly Poll[];
  readonly #assignments = new Map<WorkerId, Assignment[]>();
  readonly #prefetch = new Map<WorkerId, Set<ArtifactDigest>>();
  readonly #bySession = new Map<SessionId, Set<WorkerId>>();
  readonly #orphans: LeaseId[] = [];
  readonly #granted = { run: 0, build: 0 };
  readonly #waited: { readonly run: number[]; readonly build: number[] } = { run: [], build: [] };

  constructor(options: DispatcherOptions, polls: readonly Poll[]) {
    this.#o = options;
    this.#polls = polls;
  }

  addRun(run: ClaimedRun): void {
    const entry = this.#o.sessions.get(run.session);
    if (!entry) {
      this.#orphans.push(run.lease); // its session was closed meanwhile
      return;
    }
    this.#count("run", run.waitedMs);
    const { options } = entry.row;
    const { lease, epoch, worker, device, artifact, reference, attempt, buildMs, session } = run;
    const checked = options.check === "reference" && reference !== null;
    this.#add(worker, {
      leaseId: lease,
      epoch,
      ttlMs: this.#o.policy.ttlMs,
      job: { kind: "run", device, artifact, ...(checked ? { reference } : {}), options, attempt, buildMs },
    });
    const workers = this.#bySession.get(session) ?? new Set();
    this.#bySession.set(session, workers.add(worker));
  }

  addBuild({ lease, epoch, job, program, worker, waitedMs }: GrantedBuild): void {
    this.#count("build", waitedMs);
    const { ttlMs } = this.#o.policy;
    this.#add(worker, { leaseId: lease, epoch, ttlMs, job: { kind: "build", program, timeoutMs: job.timeoutMs } });
  }

  #count(kind: "run" | "build", waitedMs: number | undefined): void {
    this.#granted[kind]++;
    if (waitedMs !== undefined) this.#waited[kind].push(waitedMs);
  }

  #add(worker: WorkerId, assignment: Assignment): void {
    const there = this.#assignments.get(worker);
    if (there) there.push(assignment);
    else this.#assignments.set(worker, [assignment]);
  }

  /** Those whose runs were given out. */
  sessions(): SessionId[] {
    return [...this.#bySession.keys()];
  }

  addPrefetch(session: SessionId, artifacts: readonly ArtifactDigest[]): void {
    for (const worker of this.#bySession.get(session) ?? []) {
      const there = this.#prefetch.get(worker) ?? new Set();
      this.#prefetch.set(worker, there);
      for (const artifact of artifacts) there.add(artifact);
    }
  }

  /** Answers the calls; leases of those that are gone are returned. */
  give(): readonly LeaseId[] {
    for (const kind of ["run", "build"] as const)
      if (this.#granted[kind] > 0) this.#o.onGranted(kind, this.#granted[kind], this.#waited[kind]);
    for (const poll of this.#polls) {
      const assignments = this.#assignments.get(poll.worker) ?? [];
      if (!poll.open) this.#orphans.push(...assignments.map((a) => a.leaseId));
      else if (assignments.length > 0 || poll.prompt)
        poll.answer({ assignments, prefetch: [...(this.#prefetch.get(poll.worker) ?? [])], cancel: [] });
    }
    return this.#orphans;
  }
}
