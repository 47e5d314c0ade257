/**
 * A worker's call that waits for work. What it keeps moves to the old generation, whose collection stops the process for as long
 * as ten jobs take. So a call keeps as little as possible, and nothing of its request.
 */
import { after, type Clock, type LeaseId, type WorkerId } from "@warpfarm/common";
import type { Assignment } from "@warpfarm/proto";
import { leaves, type Waiting, waits } from "../flow/while-open.ts";
import type { FreeStation, HeldCall, IdleCalls } from "./idle-calls.ts";

export interface Work {
  readonly assignments: readonly Assignment[];
  readonly cancel: readonly LeaseId[];
}
export const nothing: Work = { assignments: [], cancel: [] };

export interface TakesWork {
  take(work: Work): void;
}

interface PollOwner {
  answered(poll: Poll): void;
}

const expireEveryMs = 100;

export class Poll implements HeldCall, Waiting {
  readonly worker: WorkerId;
  readonly stations: readonly FreeStation[];
  /** The line in which the call waits until it is answered. */
  readonly idle: IdleCalls<Poll> | undefined;
  /** The latest time of the answer: monotonic, by the tracker's clock, in whole ms. */
  readonly until: number;
  readonly #owner: PollOwner;
  readonly #signal: AbortSignal;
  readonly #takes: TakesWork;
  #isOpen = true;

  constructor(
    owner: PollOwner,
    worker: WorkerId,
    stations: readonly FreeStation[],
    idle: IdleCalls<Poll> | undefined,
    o: { readonly until: number; readonly signal: AbortSignal },
    takes: TakesWork,
  ) {
    this.worker = worker;
    this.stations = stations;
    this.idle = idle;
    this.#owner = owner;
    this.#signal = o.signal;
    this.#takes = takes;
    this.until = o.until;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** From now on the call is given up when its signal aborts, at once if it has. */
  hold(): void {
    waits(this, this.#signal);
  }

  gone(): void {
    this.answer(nothing);
  }

  answer(work: Work): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    leaves(this, this.#signal);
    this.#owner.answered(this);
    this.#takes.take(work);
  }
}

/** Answers calls whose holding time is over. */
export class HoldTimes {
  readonly #clock: Clock;
  readonly #polls: () => Iterable<Poll>;
  readonly #expired: (poll: Poll) => void;
  #timer: Disposable | undefined;
  #at = Number.POSITIVE_INFINITY;

  constructor(clock: Clock, polls: () => Iterable<Poll>, expired: (poll: Poll) => void) {
    this.#clock = clock;
    this.#polls = polls;
    this.#expired = expired;
  }

  add({ until }: Poll): void {
    if (until < this.#at) this.#wait(until);
  }

  #wait(at: number): void {
    this.#timer?.[Symbol.dispose]();
    this.#at = at;
    this.#timer = after(this.#clock, at - this.#clock.monotonic(), () => this.#expire());
  }

  #expire(): void {
    const now = this.#clock.monotonic();
    this.#at = Number.POSITIVE_INFINITY;
    let next = Number.POSITIVE_INFINITY;
    for (const poll of [...this.#polls()])
      if (poll.until <= now) this.#expired(poll);
      else next = Math.min(next, poll.until);
    if (next < this.#at) this.#wait(Math.max(next, now + expireEveryMs));
  }
}
