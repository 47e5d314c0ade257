/**
 * A worker's call that waits for work. A thousand of them wait for a second each, which is long enough for the garbage collector to move
 * what they keep to where only a whole collection finds it again, and such a one stops everybody on the machine for as long as ten jobs take: a
 * call keeps as little as it can, and nothing of what it came with.
 */
import type { ArtifactDigest, LeaseId, WorkerId } from "@warpfarm/common";
import type { Assignment } from "@warpfarm/proto";
import type { FreeStation, HeldCall, IdleCalls } from "./idle-calls.ts";
import { leaves, type Waiting, waits } from "./while-open.ts";

export interface Work {
  readonly assignments: readonly Assignment[];
  readonly prefetch: readonly ArtifactDigest[];
  readonly cancel: readonly LeaseId[];
}
export const nothing: Work = { assignments: [], prefetch: [], cancel: [] };

export interface PollOwner {
  /** Or given up. */
  answered(poll: Poll): void;
  /** It was held for as long as it may be. */
  expired(poll: Poll): void;
}

export class Poll implements HeldCall, Waiting {
  readonly worker: WorkerId;
  /** Empty for one that only waits for something to cancel. */
  readonly stations: readonly FreeStation[];
  /** Where it waits, to be taken out when it is answered. */
  readonly idle: IdleCalls<Poll> | undefined;
  readonly #owner: PollOwner;
  readonly #signal: AbortSignal;
  readonly #resolve: (work: Work) => void;
  readonly #timer: NodeJS.Timeout;
  #isOpen = true;

  constructor(
    owner: PollOwner,
    worker: WorkerId,
    stations: readonly FreeStation[],
    idle: IdleCalls<Poll> | undefined,
    o: { readonly holdMs: number; readonly signal: AbortSignal },
    resolve: (work: Work) => void,
  ) {
    this.worker = worker;
    this.stations = stations;
    this.idle = idle;
    this.#owner = owner;
    this.#signal = o.signal;
    this.#resolve = resolve;
    this.#timer = setTimeout(expired, o.holdMs, this);
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** From here on it is given up when its call is over; at once if that is so already. */
  hold(): void {
    waits(this, this.#signal);
  }

  gone(): void {
    this.answer(nothing);
  }

  answer(work: Work): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    clearTimeout(this.#timer);
    leaves(this, this.#signal);
    this.#owner.answered(this);
    this.#resolve(work);
  }

  expire(): void {
    this.#owner.expired(this);
  }
}

const expired = (poll: Poll): void => poll.expire();
