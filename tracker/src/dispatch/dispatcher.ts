/**
 * The held calls of workers and the passes that fill them. A pass gives what is ready to calls that wait, and answers those that got
 * something: runs by count, as fair-share.ts says; builds and retried runs one by one, as dispatch.ts says. Passes run one at a time, and a
 * kick during one asks for another. A call that is gone when its pass ends has its leases taken back at once. A pass costs by what it gives
 * out, not by how many wait: a thousand runners may have nothing to do.
 */
import { type ArtifactDigest, type Clock, type LeaseId, type SessionId, selects, type WorkerId } from "@warpfarm/common";
import type { FreeSlots } from "@warpfarm/proto";
import { Spacing } from "../flow/batcher.ts";
import { type DispatchInput, dispatch, type Job, principalTurn, type Queue, type Turns } from "../policy/dispatch.ts";
import type { DeviceGroup, FairShare } from "../policy/fair-share.ts";
import type { Database } from "../store/database.ts";
import { type Claimed, claim, type RetriedRun, ungrant } from "../store/sql/claim.ts";
import { type ClaimedRun, claimRuns, nextArtifacts } from "../store/sql/claim-runs.ts";
import type { Effects } from "../store/sql/effects.ts";
import type { FreedLease } from "../store/sql/sessions.ts";
import { Answers, type AnswersOptions } from "./answers.ts";
import { HoldTimes, nothing, Poll, type TakesWork } from "./held-poll.ts";
import { type FreeStation, freeOf, IdleCalls } from "./idle-calls.ts";
import { isDevice, type Registry, type Station, stationsOf } from "./registry.ts";
import type { OpenSessionEntry } from "./session-book.ts";

/** Of a reply, well under the message limit. */
const maxReplyBytes = 2 << 20;
/** Jobs given out in one statement; more are left for the next pass. */
const maxPerPass = 256;
/** Jobs looked at one by one, a session. */
const maxLookedAt = 64;
const prefetchAhead = 4;
/** What to fetch ahead changes slowly when jobs are short, and there is time to ask when they are long. */
const prefetchEveryMs = 200;

export interface DispatcherOptions extends AnswersOptions {
  readonly db: Database;
  readonly registry: Registry;
  readonly shares: FairShare;
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
}

export class Dispatcher {
  readonly #o: DispatcherOptions;
  readonly #polls = new Map<WorkerId, Poll>();
  /** Of these, those that ask for work. */
  readonly #idle: { readonly builder: IdleCalls<Poll>; readonly runner: IdleCalls<Poll> };
  /** To be answered after the next pass whatever it finds. */
  readonly #prompt = new Set<Poll>();
  readonly #ahead = new Map<SessionId, { readonly at: number; readonly artifacts: readonly ArtifactDigest[] }>();
  readonly #fitting = new Map<string, boolean>();
  #runTurns: Turns = new Map();
  #buildTurns: Turns = new Map();
  readonly #spacing = new Spacing();
  #dirty = false;
  /** Needs that no build has that waits; one of any other may. Builders of one say nothing about those of another. */
  readonly #noBuilds = new Set<string>();
  /** Some may wait. */
  #retries = true;
  #passing: Promise<void> | undefined;
  #given = 0;

  constructor(options: DispatcherOptions) {
    this.#o = options;
    const isWell = ({ worker }: Poll) => options.registry.get(worker)?.healthy ?? false;
    this.#idle = { builder: new IdleCalls(isWell), runner: new IdleCalls(isWell) };
  }

  /**
   * Held until there is work, a lease to cancel, or `holdMs` are over; when `prompt`, no longer than until what is ready was given out. A
   * newer call of the same worker ends it.
   */
  poll(
    worker: WorkerId,
    free: readonly FreeSlots[],
    { prompt, holdMs, signal }: { prompt: boolean; holdMs: number; signal: AbortSignal },
    takes: TakesWork,
  ): void {
    this.#polls.get(worker)?.answer(nothing);
    const row = this.#o.registry.get(worker);
    const stations = row ? freeOf(stationsOf(row), free) : [];
    const poll = new Poll(this.#owner, worker, stations, row && this.#idle[row.facts.kind], { holdMs, signal }, takes);
    this.#polls.set(worker, poll);
    this.#holdTimes.add(poll);
    poll.idle?.add(poll);
    if (prompt) this.#prompt.add(poll);
    poll.hold();
    if (stations.length > 0 || prompt) this.kick();
  }

  readonly #owner = {
    answered: (poll: Poll): void => {
      if (this.#polls.get(poll.worker) === poll) this.#polls.delete(poll.worker);
      poll.idle?.remove(poll);
      this.#prompt.delete(poll);
    },
  };
  readonly #holdTimes = new HoldTimes(
    () => this.#polls.values(),
    (poll) => {
      // A pass may have given it something already, which would have to be taken back from the store.
      if (!this.#passing) poll.answer(nothing);
      else {
        this.#prompt.add(poll);
        this.kick();
      }
    },
  );

  /** The store changed. */
  changed({ runs, others }: Pick<Effects, "runs" | "others">): void {
    this.#o.shares.addReady(runs);
    if (others > 0) this.#expectOthers();
    if (runs.length > 0 || others > 0) this.kick();
  }

  /** Leases since the start. */
  get given(): number {
    return this.#given;
  }

  /** Whatever this tracker was not told may have changed. */
  recheck(): void {
    this.#expectOthers();
    this.#fitting.clear();
    for (const id of this.#ahead.keys()) if (!this.#o.sessions.get(id)) this.#ahead.delete(id);
    this.kick();
  }

  #expectOthers(): void {
    this.#noBuilds.clear();
    this.#retries = true;
  }

  #mayBuild({ targets }: Station): boolean {
    return targets.some((target) => !this.#noBuilds.has(target));
  }

  /** A build may wait for somebody who is free. */
  get #anyBuild(): boolean {
    for (const builder of this.#idle.builder.examples()) if (this.#mayBuild(builder)) return true;
    return false;
  }

  /** Something may be ready, or somebody free. */
  kick(): void {
    if (!(this.#o.shares.anyReady || this.#retries || this.#prompt.size > 0 || this.#anyBuild)) return;
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
      await this.#spacing.work(() => this.#pass());
      // Nothing is left: what becomes ready next comes as a batch, for which to wait would gather nothing.
      if (!this.#o.shares.anyReady) this.#spacing.rested();
    }
    this.#passing = undefined;
  }

  async #pass(): Promise<void> {
    const asked = new Map<WorkerId, Poll>();
    const note = ({ worker }: FreeStation, poll: Poll) => void asked.set(worker, poll);
    for (const poll of this.#prompt) asked.set(poll.worker, poll);
    const prompt = [...this.#prompt];
    const answers = new Answers(this.#o);
    try {
      const { runs, builds } = await this.#claimOthers(
        this.#retries ? this.#idle.runner.all(note) : [],
        this.#anyBuild ? this.#idle.builder.all(note).filter((builder) => this.#mayBuild(builder)) : [],
      );
      for (const build of builds) answers.addBuild(build);
      for (const run of runs) answers.addRun(run);
      if (this.#o.shares.anyReady)
        for (const groups of this.#byTargets(runs, note)) for (const run of await this.#claimByCount(groups)) answers.addRun(run);
      await this.#addPrefetch(answers);
    } catch (error) {
      this.#o.onError(error);
    }
    this.#given += answers.count;
    const orphans = answers.give(asked);
    for (const poll of prompt) poll.answer(nothing);
    if (orphans.length === 0) return;
    try {
      const { db, policy, clock } = this.#o;
      this.changed(await ungrant(db, orphans, policy, clock.now()));
    } catch (error) {
      this.#o.onError(error); // they run out by themselves
    }
  }

  /** Groups of equal free devices by what they can run, less what these runs took. */
  #byTargets(runs: readonly ClaimedRun[], note: (station: FreeStation, poll: Poll) => void): RunnerGroup[][] {
    const taken = (s: FreeStation) => runs.filter((r) => r.worker === s.worker && r.device === s.device).length;
    const classes = new Map<readonly string[], RunnerGroup[]>();
    for (const station of this.#idle.runner.examples()) {
      const waiting = this.#idle.runner.of(station.group, note);
      const group = { key: station.group, station, devices: runs.length === 0 ? waiting : less(waiting, taken) };
      const there = classes.get(station.targets);
      if (there) there.push(group);
      else classes.set(station.targets, [group]);
    }
    return [...classes.values()];
  }

  async #claimOthers(runners: readonly FreeStation[], builders: readonly FreeStation[]): Promise<Omit<Claimed, "left">> {
    const wantsRuns = this.#retries && runners.length > 0;
    const wantsBuilds = builders.length > 0;
    if (!wantsRuns && !wantsBuilds) return { runs: [], builds: [] };
    const { db, policy } = this.#o;
    const slots = builders.reduce((n, s) => n + s.free, 0);
    const needs = [...new Set(builders.flatMap((s) => s.targets))];
    if (wantsRuns) this.#retries = false;
    for (const need of needs) this.#noBuilds.add(need);
    const claimed = await claim(db.lazy, {
      runs: wantsRuns ? { limit: maxLookedAt } : undefined,
      builds: wantsBuilds ? { needs, limit: Math.min(maxLookedAt, slots) } : undefined,
      decide: (found) => {
        const runs = this.#decide(runners, "runner", found.runs, this.#runTurns, (station, queue, job) =>
          this.#runFits(station, queue, job),
        );
        const builds = this.#decide(builders, "builder", found.builds, this.#buildTurns, (station, _queue, job) =>
          station.targets.includes(job.need),
        );
        this.#runTurns = this.#pruned(runs.turns);
        this.#buildTurns = this.#pruned(builds.turns);
        return { runs: runs.grants, builds: builds.grants };
      },
      epochs: new Map([...runners, ...builders].map((s) => [s.worker, s.epoch])),
      ttlMs: policy.ttlMs,
    });
    // What nobody could take now waits for the next who is free.
    this.#retries ||= claimed.left.runs;
    for (const target of claimed.left.builds) this.#noBuilds.delete(target);
    return claimed;
  }

  /** Equal devices first come to what their sessions share; all of them can run the same targets, so one statement takes it. */
  async #claimByCount(groups: readonly RunnerGroup[]): Promise<readonly ClaimedRun[]> {
    const { db, shares, sessions, policy } = this.#o;
    const { targets, manifests } = groups[0]?.station ?? { targets: [], manifests: [] };
    const fits = (id: SessionId, key: string): boolean =>
      shares.mayHave(id, targets) && this.#selects(id, key, groups.find((group) => group.key === key)?.station);
    const planned = shares.plan(groups, fits, maxPerPass);
    if (planned.length === 0) return [];
    const claimed = await claimRuns(db.lazy, planned, { targets, manifests }, policy.ttlMs);
    shares.claimed(planned, claimed, targets, (id) => sessions.get(id)?.selector.match.kind !== "exact");
    // What was planned and not there may leave a device to another session.
    if (claimed.length < planned.length || planned.length === maxPerPass) this.#dirty = true;
    return claimed;
  }

  #selects(id: SessionId, group: string, station: Station | undefined): boolean {
    const session = this.#o.sessions.get(id);
    if (!session || !isDevice(station) || !pairs(station, session)) return false;
    const name = `${session.row.selector} ${group}`;
    let answer = this.#fitting.get(name);
    if (answer === undefined) {
      answer = selects(session.selector, station);
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

  #runFits(station: Station, queue: Queue<RetriedRun>, job: RetriedRun): boolean {
    const session = this.#o.sessions.get(queue.session);
    if (!session || !isDevice(station) || !pairs(station, session)) return false;
    const isRead = station.targets.includes(job.target) && station.manifests.includes(job.manifest);
    return isRead && selects(session.selector, station);
  }

  /** Sessions that are gone need no turn, nor principals that have none. */
  #pruned(turns: Turns): Turns {
    const names = new Set<string>();
    for (const { row } of this.#o.sessions.entries()) names.add(row.id).add(principalTurn(row.principal));
    return new Map([...turns].filter(([name]) => names.has(name)));
  }
}

/** Programs in turns are measured by who can do it. */
const pairs = ({ paired }: Station, { row }: OpenSessionEntry): boolean => paired || row.paired === null;

/** Equal devices, and one of them. */
type RunnerGroup = DeviceGroup & { readonly station: Station };

/** Stations with what is free of them when some is taken. */
function* less(stations: Iterable<FreeStation>, taken: (station: FreeStation) => number): Iterable<FreeStation> {
  for (const station of stations) {
    const free = station.free - taken(station);
    if (free > 0) yield { ...station, free };
  }
}
