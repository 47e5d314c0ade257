/**
 * Measuring on a farm, over FarmService. The stream may break at any time: the session outlives it, so a new stream resumes where
 * the old one stopped, what was not accepted is sent again, and results already safe are not taken twice. A session the tracker
 * no longer knows is replaced by a new one that gets what is outstanding. A process started again goes on with the session of the
 * one before it. A process whose session another one took over stops (ABORTED).
 *
 * Throws FarmError: the code that no retry can help, or the last one when every try failed for `patienceMs`.
 */
import {
  anySignal,
  type Clock,
  deadlineSignal,
  defined,
  FarmError,
  type NewId,
  type Random,
  randomId,
  type SessionId,
} from "@warpfarm/common";
import {
  type FarmClient,
  type Incumbent,
  type MeasureEvent,
  type OpenedSession,
  type OpenSession,
  protocolVersion,
  type SessionControl,
  type Tracing,
} from "@warpfarm/proto";
import { Incumbents } from "./incumbents.ts";
import type { Measurer } from "./measurer.ts";
import { Outbox, type Takes } from "./outbox.ts";
import { TrialSpans } from "./trial-spans.ts";

type Asked = Pick<
  OpenSession,
  "task" | "selector" | "options" | "maxInFlight" | "weight" | "reuse" | "paired" | "provenance" | "keep"
>;
export interface RemoteMeasurerOptions extends Asked, Partial<Pick<OpenSession, "priority" | "labels">> {
  readonly farm: FarmClient;
  /** The least times that are known of the search: with incumbent "best" programs race against them, and those that come. */
  readonly incumbents?: readonly Incumbent[];
  /** Told at each such session which nodes can. */
  readonly onNodes?: (nodes: readonly string[]) => void;
  readonly tracing?: Tracing | undefined;
  readonly clock: Clock;
  readonly newId?: NewId;
  readonly random: Random;
  /** How long to retry without any answer, from the first failed try. Unset: 60 s. */
  readonly patienceMs?: number;
  /**
   * Sessions of an interrupted run, the latest last. That one is continued if the tracker has it with equal selector and options,
   * so nothing is measured twice. The others are closed, so the farm drops what nobody waits for.
   */
  readonly leftBehind?: readonly SessionId[];
  /** Called with a session when it is opened, and when a left one is continued. */
  readonly onSession?: (session: SessionId) => Promise<void>;
  /** Called when a session is continued, with the number of its measurements that wait, run, or are done and not received. */
  readonly onTakeOver?: (measurements: number) => void;
  /**
   * Called with the settings of the session's owner or an admin, on every stream and at every change. `moreTrials` includes those
   * of lost sessions.
   */
  readonly onControl?: (control: SessionControl) => void;
  /** The caller measures more when it is told of more trials, until it has asked whether these are all. */
  readonly more?: { givenBy(ask: (signal: AbortSignal) => Promise<void>): void };
  /** Called when the tracker allows a session fewer inputs outstanding than `maxInFlight`; the session keeps to it. */
  readonly onFewer?: (allowed: number) => void;
  readonly onLost?: (error: FarmError, retryInMs: number) => void;
}

const firstBackoffMs = 100;
const longestBackoffMs = 5_000;
/** Sessions lost in a row without a result; then the program or the tracker is at fault. */
const sessionsLostInARow = 3;

export function remoteMeasurer(options: RemoteMeasurerOptions): Measurer {
  const { farm, newId = randomId } = options;
  const control = new Control(options);
  // A search may end before it measures: that of a full log.
  options.more?.givenBy((signal) => control.settle(signal));
  return {
    async *measure(inputs, { signal }) {
      const stop = new AbortController();
      const retry = new Retry(options);
      let window = options.maxInFlight;
      const outbox = new Outbox(() => window);
      let session: SessionId | undefined;
      const spans = options.tracing && new TrialSpans(options.tracing, options.task);
      outbox.fill(inputs, anySignal(signal, stop.signal));
      let requestId = newId();
      let leftBehind = options.leftBehind ?? [];
      try {
        await outbox.first(signal);
        while (!outbox.done) {
          const attempt = new AbortController();
          try {
            if (session === undefined) {
              const opened = await open(options, requestId, leftBehind.at(-1), signal);
              session = opened.sessionId;
              control.session = session;
              window = opened.maxInFlight;
              outbox.begin(opened);
              await Promise.all(leftBehind.filter((left) => left !== session).map((left) => close(options, left)));
              leftBehind = [];
            }
            const requests = outbox.requests(session, control.takes, control.incumbents);
            const events = farm.measure(spans?.sent(session, requests) ?? requests, {
              signal: anySignal(signal, attempt.signal),
              traceparent: spans?.traceparent,
            });
            for (let next: Promise<IteratorResult<MeasureEvent>> | undefined; ; ) {
              for (let answer = outbox.answer(); answer; answer = outbox.answer()) {
                control.incumbents?.landed(answer);
                spans?.landed(answer.sequence, answer.result);
                yield { sequence: answer.input.sequence, result: answer.result };
                outbox.received(answer);
                retry.progressed();
              }
              if (outbox.done) break;
              // An earlier request may also answer an input.
              next ??= events.next();
              const got = await Promise.race([next, outbox.change()]);
              if (got === "changed") continue;
              next = undefined;
              if (got.done) throw new FarmError("UNAVAILABLE", "the tracker ended the stream before all results were there");
              if (got.value.kind === "accepted") outbox.accepted(got.value.acceptedThrough);
              else if (got.value.kind === "control") control.told(got.value);
              else outbox.landed(got.value.sequence, got.value.result);
              retry.answered();
            }
          } catch (error) {
            signal.throwIfAborted();
            if (session !== undefined && retry.isTakenOver(error)) {
              const lost = session;
              session = undefined; // not ours to close
              throw new FarmError("ABORTED", `another run continues session ${lost}; this one stops`, { cause: error });
            }
            if (error instanceof FarmError && error.code === "NOT_FOUND" && session !== undefined && retry.mayReopen()) {
              session = undefined;
              requestId = newId();
              control.lost();
              outbox.begin(nothingYet);
            } else await retry.wait(error, signal);
          } finally {
            attempt.abort();
          }
        }
      } finally {
        stop.abort();
        if (session !== undefined) await close(options, session);
        spans?.end();
      }
    },
  };
}

async function open(
  options: RemoteMeasurerOptions,
  requestId: string,
  continues: SessionId | undefined,
  signal: AbortSignal,
): Promise<OpenedSession> {
  const opened = await options.farm.openSession(openRequest(options, requestId, continues), { signal });
  const { sessionId, maxInFlight, nodes, outstanding } = opened;
  options.onNodes?.(nodes);
  if (sessionId === continues) options.onTakeOver?.(outstanding.length);
  await options.onSession?.(sessionId);
  if (maxInFlight < options.maxInFlight) options.onFewer?.(maxInFlight);
  return opened;
}

const nothingYet = { acceptedThrough: 0, outstanding: [] };

const openRequest = (
  { task, selector, options, priority = 0, maxInFlight, labels = {}, reuse, ...o }: RemoteMeasurerOptions,
  requestId: string,
  continues: SessionId | undefined,
): OpenSession => ({
  ...{ requestId, protocolVersion, task: task.slice(0, 256), selector, options, priority, maxInFlight, labels },
  ...defined({ weight: o.weight, paired: o.paired, provenance: o.provenance, keep: o.keep, continues }),
  ...(reuse ? { reuse } : {}),
});

/** Lets the farm drop outstanding inputs at once. If the farm cannot be told, the session ends by its idle timeout. */
async function close({ farm, clock }: RemoteMeasurerOptions, session: SessionId): Promise<void> {
  await farm.closeSession(session, { signal: deadlineSignal(clock, 2_000, "closing the session") }).catch(() => undefined);
}

class Control {
  readonly #o: RemoteMeasurerOptions;
  session: SessionId | undefined;
  /** Absent where programs do not race. */
  readonly incumbents: Incumbents | undefined;
  #earlierTrials = 0;
  #trials = 0;
  #isPaused = false;
  #isSettled = false;

  constructor(options: RemoteMeasurerOptions) {
    this.#o = options;
    this.session = options.leftBehind?.at(-1);
    if (options.options.incumbent === "best") this.incumbents = new Incumbents(options.incumbents ?? []);
  }
  get takes(): Takes {
    const { onControl, more } = this.#o;
    return onControl ? { takesControl: true, ...(more && !this.#isSettled ? { takesTrials: true } : {}) } : {};
  }
  told({ paused, moreTrials }: SessionControl): void {
    this.#isPaused = paused;
    this.#trials = Math.max(this.#trials, moreTrials);
    this.#o.onControl?.({ paused, moreTrials: this.#earlierTrials + this.#trials });
  }
  async settle(signal: AbortSignal): Promise<void> {
    const retry = new Retry(this.#o);
    while (this.session !== undefined) {
      const heard = this.#trials;
      try {
        const moreTrials = await this.#o.farm.settleTrials(this.session, heard, { signal });
        if (moreTrials > heard) return this.told({ paused: this.#isPaused, moreTrials });
        break;
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof FarmError && error.code === "NOT_FOUND") break;
        await retry.wait(error, signal);
      }
    }
    this.#isSettled = true;
  }
  lost(): void {
    this.session = undefined;
    this.#earlierTrials += this.#trials;
    this.#trials = 0;
  }
}

/** Waits longer after each failure in a row, and gives up after `patience`. */
class Retry {
  readonly #o: RemoteMeasurerOptions;
  #failingSince: number | undefined;
  #backoffMs = firstBackoffMs;
  #lost = 0;
  /** Whether one of our own streams broke since the last ABORTED: the tracker may see its start after that of the next stream. */
  #mayBeOurOwn = false;

  constructor(options: RemoteMeasurerOptions) {
    this.#o = options;
  }
  answered(): void {
    this.#failingSince = undefined;
    this.#backoffMs = firstBackoffMs;
  }
  progressed(): void {
    this.answered();
    this.#lost = 0;
  }
  mayReopen(): boolean {
    return ++this.#lost <= sessionsLostInARow;
  }
  isTakenOver(error: unknown): boolean {
    const isAborted = error instanceof FarmError && error.code === "ABORTED";
    const isTaken = isAborted && !this.#mayBeOurOwn;
    this.#mayBeOurOwn = !isAborted;
    return isTaken;
  }
  async wait(error: unknown, signal: AbortSignal): Promise<void> {
    const { clock, random, patienceMs = 60_000, onLost } = this.#o;
    if (!(error instanceof FarmError) || !error.retryable) throw error;
    const now = clock.monotonic();
    this.#failingSince ??= now;
    const silentMs = now - this.#failingSince;
    if (silentMs > patienceMs) {
      const seconds = Math.round(silentMs / 1000);
      throw new FarmError(error.code, `no answer from the tracker for ${seconds} s: ${error.message}`, { cause: error });
    }
    const delayMs = Math.round(this.#backoffMs * (0.5 + random.float() / 2));
    this.#backoffMs = Math.min(longestBackoffMs, this.#backoffMs * 2);
    onLost?.(error, delayMs);
    await clock.sleep(delayMs, { signal });
  }
}
