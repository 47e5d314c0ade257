/**
 * The held calls of workers and the passes that fill them. A pass gives what is ready to calls that wait, and answers those that
 * got something: builds and retried runs (one-by-one.ts), then runs by count (by-count.ts).
 *
 *   rest --kick--> asked (#dirty) --spacing--> in a pass --nobody kicked--> rest
 *                     ^----------- kicked meanwhile ----------'
 *
 * A call that is gone when its pass ends has its leases taken back at once. A pass costs by what it gives out, not by how many
 * wait.
 */
import type { Clock, LeaseId, WorkerId } from "@warpfarm/common";
import type { FreeSlots } from "@warpfarm/proto";
import { Spacing } from "../flow/batcher.ts";
import { ungrant } from "../store/sql/claim.ts";
import type { Effects, FreedLease } from "../store/sql/effects.ts";
import { Answers, type AnswersOptions } from "./answers.ts";
import { ByCount, type ByCountOptions, byTargets } from "./by-count.ts";
import { HoldTimes, nothing, Poll, type TakesWork } from "./held-poll.ts";
import { type FreeStation, freeOf, IdleCalls } from "./idle-calls.ts";
import { OneByOne, type OneByOneOptions } from "./one-by-one.ts";
import { stationsOf } from "./registry.ts";

interface DispatcherOptions extends AnswersOptions, OneByOneOptions, ByCountOptions {
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
}

export class Dispatcher {
  readonly #o: DispatcherOptions;
  readonly #oneByOne: OneByOne;
  readonly #byCount: ByCount;
  readonly #polls = new Map<WorkerId, Poll>();
  readonly #idle: { readonly builder: IdleCalls<Poll>; readonly runner: IdleCalls<Poll> };
  readonly #prompt = new Set<Poll>();
  readonly #holdTimes: HoldTimes;
  readonly #spacing: Spacing;
  #dirty = false;
  #passing: Promise<void> | undefined;
  #given = 0;

  constructor(options: DispatcherOptions) {
    this.#o = options;
    const { clock } = options;
    this.#holdTimes = new HoldTimes(
      clock,
      () => this.#polls.values(),
      (poll) => this.#expired(poll),
    );
    this.#spacing = new Spacing(clock);
    this.#oneByOne = new OneByOne(options);
    this.#byCount = new ByCount(options);
    const isWell = ({ worker }: Poll) => options.registry.get(worker)?.healthy ?? false;
    this.#idle = { builder: new IdleCalls(isWell), runner: new IdleCalls(isWell) };
  }

  /**
   * Holds a call until there is work, a lease to cancel, or `holdMs` are over. When `prompt`, it holds only until ready work was
   * assigned. Another call of the same worker ends it.
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
    const until = Math.ceil(this.#o.clock.monotonic() + holdMs);
    const poll = new Poll(this.#owner, worker, stations, row && this.#idle[row.facts.kind], { until, signal }, takes);
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

  #expired(poll: Poll): void {
    // A pass may have assigned it a job already, which would have to be taken back from the store.
    if (!this.#passing) poll.answer(nothing);
    else {
      this.#prompt.add(poll);
      this.kick();
    }
  }

  changed({ runs, others }: Pick<Effects, "runs" | "others">): void {
    this.#o.shares.addReady(runs);
    if (others > 0) this.#oneByOne.expect();
    if (runs.length > 0 || others > 0) this.kick();
  }

  get given(): number {
    return this.#given;
  }

  recheck(): void {
    this.#oneByOne.expect();
    this.#byCount.forget();
    this.kick();
  }

  get #anyBuild(): boolean {
    for (const builder of this.#idle.builder.examples()) if (this.#oneByOne.mayBuild(builder)) return true;
    return false;
  }

  freeBuilders(): ReadonlyMap<WorkerId, { readonly station: FreeStation; readonly poll: Poll }> {
    const free = new Map<WorkerId, { readonly station: FreeStation; readonly poll: Poll }>();
    this.#idle.builder.all((station, poll) => {
      if (!this.#oneByOne.mayBuild(station)) free.set(poll.worker, { station, poll });
    });
    return free;
  }

  isIdle(worker: WorkerId): boolean {
    const poll = this.#polls.get(worker);
    return poll?.isOpen === true && poll.stations.some(({ free }) => free > 0);
  }

  kick(): void {
    if (!(this.#o.shares.anyReady || this.#oneByOne.mayRetry || this.#prompt.size > 0 || this.#anyBuild)) return;
    this.#dirty = true;
    this.#passing ??= this.#passes();
  }

  cancel(freed: readonly FreedLease[]): void {
    const byWorker = new Map<WorkerId, LeaseId[]>();
    for (const { worker, lease } of freed) byWorker.set(worker, [...(byWorker.get(worker) ?? []), lease]);
    for (const [worker, cancel] of byWorker) this.#polls.get(worker)?.answer({ ...nothing, cancel });
  }

  release(workers: readonly WorkerId[]): void {
    for (const worker of workers) this.#polls.get(worker)?.answer(nothing);
  }

  /** Answers every held call with nothing and waits for the running pass. */
  async close(): Promise<void> {
    for (const poll of [...this.#polls.values()]) poll.answer(nothing);
    await this.#passing;
  }

  async #passes(): Promise<void> {
    while (this.#dirty) {
      await this.#spacing.turn();
      this.#dirty = false;
      await this.#spacing.work(() => this.#pass());
      // Nothing is ready. The next work comes as a batch, so waiting would gather nothing.
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
      const { runner, builder } = this.#idle;
      const one = this.#oneByOne;
      const { runs, builds } = await one.claim(
        one.mayRetry ? runner.all(note) : [],
        this.#anyBuild ? builder.all(note).filter((station) => one.mayBuild(station)) : [],
      );
      for (const build of builds) answers.addBuild(build);
      for (const run of runs) answers.addRun(run);
      if (this.#o.shares.anyReady)
        for (const groups of byTargets(runner, runs, note)) {
          const claimed = await this.#byCount.claim(groups);
          for (const run of claimed.runs) answers.addRun(run);
          this.#dirty ||= claimed.mayBeMore;
        }
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
}
