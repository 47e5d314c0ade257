/**
 * The held calls of workers and the passes that fill them. A pass takes every call that waits, asks the store what is ready for them,
 * lets dispatch.ts decide and answers those that got something; passes run one at a time, and a kick during one asks for another.
 * A call that is gone when its pass ends has its leases taken back at once.
 */
import { type ArtifactDigest, type Clock, type LeaseId, selects, type WorkerId } from "@warpfarm/common";
import type { Assignment, FreeSlots } from "@warpfarm/proto";
import { type DispatchInput, dispatch, type Grant, type Job, type Place, type Queue, type Turns } from "./dispatch.ts";
import type { LeasePolicy } from "./lease.ts";
import type { Registry, Station } from "./registry.ts";
import type { SessionBook } from "./session-book.ts";
import type { Database } from "./store/database.ts";
import {
  type Claimed,
  type ClaimRequest,
  claim,
  type Granted,
  type GrantedBuild,
  type ReadyRun,
  ungrant,
} from "./store/sql/claim.ts";
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
/** Jobs looked at in one pass; more are left for the next. */
const maxPerPass = 128;
const prefetchAhead = 4;

type FreeStation = Station & Place;

export interface DispatcherOptions {
  readonly db: Database;
  readonly registry: Registry;
  readonly sessions: SessionBook;
  readonly policy: LeasePolicy;
  readonly clock: Clock;
  readonly onGranted: (kind: "build" | "run", count: number) => void;
  readonly onError: (error: unknown) => void;
}

export class Dispatcher {
  readonly #o: DispatcherOptions;
  readonly #polls = new Map<WorkerId, Poll>();
  #runTurns: Turns = new Map();
  #buildTurns: Turns = new Map();
  #dirty = false;
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

  /** Answers every held call with nothing and waits for the pass that runs. */
  async close(): Promise<void> {
    for (const poll of [...this.#polls.values()]) poll.answer(nothing);
    await this.#passing;
  }

  async #passes(): Promise<void> {
    // What came in the same turn of the event loop is looked at together.
    await new Promise<void>((resolve) => setImmediate(resolve));
    while (this.#dirty) {
      this.#dirty = false;
      const polls = [...this.#polls.values()];
      let claimed: Claimed | undefined;
      let prefetch: ReadonlyMap<WorkerId, readonly ArtifactDigest[]> = new Map();
      try {
        ({ claimed, prefetch } = await this.#claim(polls));
      } catch (error) {
        this.#o.onError(error);
      }
      await this.#answer(polls, claimed ?? { runs: [], builds: [] }, prefetch);
    }
    this.#passing = undefined;
  }

  #free(polls: readonly Poll[], kind: "builder" | "runner"): FreeStation[] {
    const slots = new Map(polls.flatMap((p) => p.free.map((f) => [`${p.worker} ${f.device}`, f.count])));
    return this.#o.registry.stations(kind).flatMap((station) => {
      const free = slots.get(`${station.worker} ${station.device}`) ?? 0;
      return free > 0 ? [{ ...station, free }] : [];
    });
  }

  async #claim(polls: readonly Poll[]) {
    const { db, registry, sessions, policy } = this.#o;
    const runners = this.#free(polls, "runner");
    const builders = this.#free(polls, "builder");
    const prefetch = new Map<WorkerId, readonly ArtifactDigest[]>();
    const queues = [...sessions.entries()].filter(({ selector }) =>
      runners.some(({ key, labels }) => selects(selector, key ?? "", labels)),
    );
    if (queues.length === 0 && builders.length === 0) return { claimed: { runs: [], builds: [] }, prefetch };
    const targets = (stations: readonly Station[]) => [...new Set(stations.flatMap((s) => s.targets))];
    const slots = (stations: readonly FreeStation[]) =>
      Math.min(
        maxPerPass,
        stations.reduce((n, s) => n + s.free, 0),
      );
    const request: ClaimRequest = {
      runs:
        queues.length === 0
          ? undefined
          : {
              queues: queues.map(({ row }) => ({ session: row.id, priority: row.priority })),
              targets: targets(runners),
              limit: slots(runners) + prefetchAhead,
            },
      builds: builders.length === 0 ? undefined : { targets: targets(builders), limit: slots(builders) },
      decide: (found) => {
        const runs = this.#decide(runners, "runner", found.runs, this.#runTurns, (station, queue, job) =>
          this.#runFits(station, queue, job),
        );
        const builds = this.#decide(builders, "builder", found.builds, this.#buildTurns, (station, _queue, job) =>
          station.targets.includes(job.target),
        );
        this.#runTurns = this.#pruned(runs.turns);
        this.#buildTurns = this.#pruned(builds.turns);
        for (const station of runners) prefetch.set(station.worker, this.#prefetchFor(station, found.runs, runs.grants));
        return { runs: runs.grants, builds: builds.grants };
      },
      epochs: new Map([...runners, ...builders].map((s) => [s.worker, registry.get(s.worker)?.epoch ?? 0])),
      ttlMs: policy.ttlMs,
    };
    return { claimed: await claim(db, request), prefetch };
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

  #runFits({ key, labels, targets }: Station, queue: Queue<ReadyRun>, job: ReadyRun): boolean {
    const session = this.#o.sessions.get(queue.session);
    return session !== undefined && key !== undefined && targets.includes(job.target) && selects(session.selector, key, labels);
  }

  /** Artifacts of jobs that stay behind and that this station could get next. */
  #prefetchFor(station: Station, queues: readonly Queue<ReadyRun>[], granted: readonly Grant<ReadyRun>[]): ArtifactDigest[] {
    const taken = new Set(granted.map((g) => g.job));
    const next: ArtifactDigest[] = [];
    for (const queue of queues)
      for (const job of queue.jobs)
        if (next.length < prefetchAhead && !taken.has(job) && this.#runFits(station, queue, job)) next.push(job.artifact);
    return next;
  }

  /** Sessions that are gone need no turn. */
  #pruned(turns: Turns): Turns {
    return new Map([...turns].filter(([session]) => this.#o.sessions.get(session) !== undefined));
  }

  async #answer(
    polls: readonly Poll[],
    claimed: Claimed,
    prefetch: ReadonlyMap<WorkerId, readonly ArtifactDigest[]>,
  ): Promise<void> {
    const { db, policy, clock, onGranted, onError } = this.#o;
    const work = new Map<WorkerId, Assignment[]>();
    const give = (worker: WorkerId, assignment: Assignment) => work.set(worker, [...(work.get(worker) ?? []), assignment]);
    const orphans: LeaseId[] = [];
    for (const grant of claimed.runs) {
      const assignment = this.#runAssignment(grant);
      if (assignment) give(grant.worker, assignment);
      else orphans.push(grant.lease); // its session was closed meanwhile
    }
    for (const grant of claimed.builds) give(grant.worker, buildAssignment(grant, policy));
    if (claimed.runs.length > 0) onGranted("run", claimed.runs.length);
    if (claimed.builds.length > 0) onGranted("build", claimed.builds.length);
    for (const poll of polls) {
      const assignments = work.get(poll.worker) ?? [];
      if (!poll.open) orphans.push(...assignments.map((a) => a.leaseId));
      else if (assignments.length > 0 || poll.prompt)
        poll.answer({ assignments, prefetch: assignments.length > 0 ? (prefetch.get(poll.worker) ?? []) : [], cancel: [] });
    }
    if (orphans.length === 0) return;
    try {
      await ungrant(db, orphans, policy, clock.now());
      this.#dirty = true;
    } catch (error) {
      onError(error); // they run out by themselves
    }
  }

  #runAssignment({ job, lease, epoch, device, session }: Granted<ReadyRun>): Assignment | undefined {
    const entry = this.#o.sessions.get(session);
    if (!entry) return undefined;
    const { options } = entry.row;
    const needsReference = options.check === "reference" && job.reference !== null;
    return {
      leaseId: lease,
      epoch,
      ttlMs: this.#o.policy.ttlMs,
      job: {
        kind: "run",
        device,
        artifact: job.artifact,
        ...(needsReference && job.reference ? { reference: job.reference } : {}),
        options,
        attempt: job.attempts + 1,
        buildMs: job.buildMs,
      },
    };
  }
}

function buildAssignment({ lease, epoch, job, program }: GrantedBuild, policy: LeasePolicy): Assignment {
  return { leaseId: lease, epoch, ttlMs: policy.ttlMs, job: { kind: "build", program, timeoutMs: job.timeoutMs } };
}
