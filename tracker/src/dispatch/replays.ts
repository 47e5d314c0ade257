/**
 * Gives claims to idle builders (claims.ts): a limited number a second, one at a time a builder, and never while a build may wait
 * for it. It is no part of a dispatch pass, so no measurement waits for a replay. Where both choose one call, the first answer
 * counts, and the other's lease goes back.
 *
 *   rest --expect--> looks --nothing waits--> rest
 *                    |  ^---------------------------------------------------.
 *                    '--no builder is free: a moment / some were given: the time that they take of a second --'
 */

import { abortable, type Clock, type WorkerId } from "@warpfarm/common";
import { dispatch, type Turns } from "../policy/dispatch.ts";
import { ungrant } from "../store/sql/claim.ts";
import { leaseClaims, readClaims } from "../store/sql/claims.ts";
import type { Effects } from "../store/sql/effects.ts";
import type { Dispatcher } from "./dispatcher.ts";
import type { OneByOneOptions } from "./one-by-one.ts";

interface ReplaysOptions extends Omit<OneByOneOptions, "sessions"> {
  readonly dispatcher: Pick<Dispatcher, "freeBuilders">;
  readonly clock: Clock;
  readonly perSecond: number;
  readonly timeoutMs: number;
  readonly apply: (effects: Effects) => void;
  readonly onGranted: (count: number) => void;
  readonly onError: (error: unknown) => void;
}

/** The rest until a builder may be free. */
const restMs = 250;
/** The size of a reply's claims, well under the message limit. */
const maxReplyBytes = 2 << 20;

export class Replays {
  readonly #o: ReplaysOptions;
  readonly #stopped = new AbortController();
  #turns: Turns = new Map();
  #mayWait = true;
  #wake: (() => void) | undefined;
  readonly #running: Promise<void>;

  constructor(options: ReplaysOptions) {
    this.#o = options;
    this.#running = this.#run();
  }

  expect(): void {
    this.#mayWait = true;
    this.#wake?.();
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { clock, perSecond, onError } = this.#o;
    const { signal } = this.#stopped;
    while (!signal.aborted) {
      if (!this.#mayWait) {
        const woken = new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
        await abortable(woken, signal).catch(() => {});
        continue;
      }
      const given = await this.#give().catch(onError);
      const ms = typeof given === "number" && given > 0 ? (1_000 * given) / perSecond : restMs;
      if (this.#mayWait) await clock.sleep(ms, { signal }).catch(() => {});
    }
  }

  async #give(): Promise<number> {
    const { db, dispatcher, registry, policy, newId, perSecond, apply, clock, onGranted, timeoutMs } = this.#o;
    const free = dispatcher.freeBuilders();
    if (free.size === 0) return 0;
    this.#mayWait = false; // who wants one meanwhile says so
    const queues = await readClaims(db.lazy);
    if (queues.length === 0) return 0;
    this.#mayWait = true;
    const places = [...free.values()].slice(0, Math.max(1, perSecond)).map(({ station }) => ({ ...station, free: 1 }));
    const { grants, turns } = dispatch({
      ...{ places, queues, turns: this.#turns, maxBytes: maxReplyBytes },
      fits: () => true,
      elsewhere: (_queue, { avoid }) => registry.stations("builder").some(({ worker }) => !avoid.includes(worker)),
    });
    this.#turns = new Map([...turns].filter(([name]) => queues.some(({ session }) => name.endsWith(session))));
    const epochs = new Map<WorkerId, number>(places.map(({ worker, epoch }) => [worker, epoch]));
    const leased = await leaseClaims(db, grants, { epochs, ttlMs: policy.ttlMs, newId });
    const undelivered = leased.filter(({ lease, epoch, worker, job }) => {
      const poll = free.get(worker)?.poll;
      if (!poll?.isOpen) return true;
      const assignment = {
        leaseId: lease,
        epoch,
        ttlMs: policy.ttlMs,
        job: { kind: "replay", claim: job.document, timeoutMs } as const,
      };
      poll.answer({ assignments: [assignment], cancel: [] });
      return false;
    });
    const orphans = undelivered.map(({ lease }) => lease);
    if (orphans.length > 0) apply(await ungrant(db, orphans, policy, clock.now()));
    onGranted(leased.length - orphans.length);
    return leased.length;
  }
}
