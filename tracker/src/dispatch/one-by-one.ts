/**
 * Builds and retried runs, given out one by one as dispatch.ts says. What is known to be absent is not asked for again:
 *
 *   a need, or the retries    may wait --a pass asks for it--> absent --somebody may have added some (expect), or some was left--> may wait
 */
import { defined, type NewId, selects } from "@warpfarm/common";
import { type DispatchInput, dispatch, type Job, principalTurn, type Queue, type Turns } from "../policy/dispatch.ts";
import type { LeasePolicy } from "../policy/lease.ts";
import type { Database } from "../store/database.ts";
import { type Claimed, type Found, type Grants, lease, leftOf, type RetriedRun, readQueues } from "../store/sql/claim.ts";
import type { FreeStation } from "./idle-calls.ts";
import { isDevice, type Registry, type Station } from "./registry.ts";
import { pairs, type SessionBook } from "./session-book.ts";

/** The size of a reply's jobs, well under the message limit. */
const maxReplyBytes = 2 << 20;
const maxLookedAt = 64;

const nothing: Claimed & Grants = { runs: [], builds: [] };

export interface OneByOneOptions {
  readonly db: Database;
  readonly registry: Registry;
  readonly sessions: SessionBook;
  readonly policy: LeasePolicy;
  readonly newId: NewId;
}

export class OneByOne {
  readonly #o: OneByOneOptions;
  #runTurns: Turns = new Map();
  #buildTurns: Turns = new Map();
  /** Needs for which no build waits. Builders of one need say nothing about those of another. */
  readonly #noBuilds = new Set<string>();
  #retries = true;

  constructor(options: OneByOneOptions) {
    this.#o = options;
  }

  get mayRetry(): boolean {
    return this.#retries;
  }

  mayBuild({ targets }: Station): boolean {
    return targets.some((target) => !this.#noBuilds.has(target));
  }

  expect(): void {
    this.#noBuilds.clear();
    this.#retries = true;
  }

  async claim(runners: readonly FreeStation[], builders: readonly FreeStation[]): Promise<Claimed> {
    const wantsRuns = this.#retries && runners.length > 0;
    const wantsBuilds = builders.length > 0;
    if (!wantsRuns && !wantsBuilds) return nothing;
    const { db, policy, newId } = this.#o;
    const slots = builders.reduce((n, s) => n + s.free, 0);
    const needs = [...new Set(builders.flatMap((s) => s.targets))];
    // Set before the queues are read. Work that is added meanwhile sets it again (expect).
    if (wantsRuns) this.#retries = false;
    for (const need of needs) this.#noBuilds.add(need);
    const wanted = {
      runs: wantsRuns ? { limit: maxLookedAt } : undefined,
      builds: wantsBuilds ? { needs, limit: Math.min(maxLookedAt, slots) } : undefined,
    };
    const found = await readQueues(db.lazy, wanted);
    const epochs = new Map([...runners, ...builders].map((s) => [s.worker, s.epoch]));
    const claimed = await lease(db.lazy, this.#decide(found, runners, builders), { epochs, ttlMs: policy.ttlMs, newId });
    // What nobody could take waits for the next free worker.
    const left = leftOf(wanted, found, claimed);
    this.#retries ||= left.runs;
    for (const need of left.builds) this.#noBuilds.delete(need);
    return claimed;
  }

  #decide(found: Found, runners: readonly FreeStation[], builders: readonly FreeStation[]): Grants {
    if (found.runs.length + found.builds.length === 0) return nothing;
    const runs = this.#dispatch(runners, "runner", found.runs, this.#runTurns, (station, queue, job) =>
      this.#runFits(station, queue, job),
    );
    const builds = this.#dispatch(builders, "builder", found.builds, this.#buildTurns, (station, _queue, job) =>
      station.targets.includes(job.need),
    );
    this.#runTurns = this.#pruned(runs.turns);
    this.#buildTurns = this.#pruned(builds.turns);
    return { runs: runs.grants, builds: builds.grants };
  }

  #dispatch<J extends Job>(
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
    return isRead && selects(session.selector, { ...station, ...defined({ node: this.#o.registry.get(station.worker)?.node }) });
  }

  #pruned(turns: Turns): Turns {
    const names = new Set<string>();
    for (const { row } of this.#o.sessions.entries()) names.add(row.id).add(principalTurn(row.principal));
    return new Map([...turns].filter(([name]) => names.has(name)));
  }
}
