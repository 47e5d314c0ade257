/**
 * Measuring on a farm, over FarmService. The stream may break at any time: the session outlives it, so a new stream resumes where the
 * old one stopped, what was not accepted is sent again, and results already safe are not taken twice. A session the tracker no longer
 * knows is replaced by a new one that gets what is outstanding.
 *
 * Throws FarmError: the code that no retry can help, or the last one when nothing came through for `patienceMs`.
 */
import { randomUUID } from "node:crypto";
import {
  anySignal,
  type Clock,
  deadlineSignal,
  FarmError,
  type MeasureOptions,
  type Random,
  type SessionId,
} from "@warpfarm/common";
import { type FarmClient, protocolVersion } from "@warpfarm/proto";
import type { Measurer } from "./measurer.ts";
import { Outbox } from "./outbox.ts";

export interface RemoteMeasurerOptions {
  readonly farm: FarmClient;
  /** For people. */
  readonly task: string;
  readonly selector: string;
  readonly options: MeasureOptions;
  readonly maxInFlight: number;
  readonly priority?: number;
  readonly labels?: Readonly<Record<string, string>>;
  readonly clock: Clock;
  /** Spreads reconnects of many clients. */
  readonly random: Random;
  /** How long to go on trying without any answer. Unset = 60 s. */
  readonly patienceMs?: number;
  /** Sessions of a run that was cut off: closed first, so that the farm drops what nobody waits for any more. */
  readonly leftBehind?: readonly SessionId[];
  /** Told of each session before anything is sent in it. */
  readonly onSession?: (session: SessionId) => Promise<void>;
  /** Told of each lost connection, with the time to the next try. */
  readonly onLost?: (error: FarmError, retryInMs: number) => void;
}

const firstBackoffMs = 100;
const longestBackoffMs = 5_000;
/** Sessions lost one after the other, with no result in between, before it is the program's or tracker's fault. */
const sessionsLostInARow = 3;

export function remoteMeasurer(options: RemoteMeasurerOptions): Measurer {
  const { farm } = options;
  return {
    async *measure(inputs, { signal }) {
      const stop = new AbortController();
      const retry = new Retry(options);
      let window = options.maxInFlight;
      const outbox = new Outbox(() => window);
      let session: SessionId | undefined;
      outbox.fill(inputs, anySignal(signal, stop.signal));
      let requestId: string = randomUUID();
      let leftBehind = options.leftBehind ?? [];
      try {
        await outbox.first(signal);
        while (!outbox.done) {
          try {
            if (session === undefined) {
              const opened = await farm.openSession(openRequest(options, requestId), { signal });
              await options.onSession?.(opened.sessionId);
              session = opened.sessionId;
              window = opened.maxInFlight;
              await Promise.all(leftBehind.map((left) => close(farm, left)));
              leftBehind = [];
            }
            for await (const event of farm.measure(outbox.requests(session), { signal })) {
              if (event.kind === "accepted") {
                outbox.accepted(event.acceptedThrough);
                retry.answered();
                continue;
              }
              const input = outbox.inputOf(event.sequence);
              if (input === undefined) continue;
              yield { sequence: input.sequence, result: event.result };
              outbox.received(event.sequence);
              retry.progressed();
            }
            if (!outbox.done) throw new FarmError("UNAVAILABLE", "the tracker ended the stream before all results were there");
          } catch (error) {
            signal.throwIfAborted();
            if (error instanceof FarmError && error.code === "NOT_FOUND" && session !== undefined && retry.mayReopen()) {
              session = undefined;
              requestId = randomUUID();
              outbox.restart();
            } else await retry.wait(error, signal);
          }
        }
      } finally {
        stop.abort();
        if (session !== undefined) await close(farm, session);
      }
    },
  };
}

const openRequest = (o: RemoteMeasurerOptions, requestId: string) => ({
  requestId,
  protocolVersion,
  task: o.task.slice(0, 256),
  selector: o.selector,
  options: o.options,
  priority: o.priority ?? 0,
  maxInFlight: o.maxInFlight,
  labels: o.labels ?? {},
});

/** Lets the farm drop what is outstanding at once. If it cannot be told, the session ends by its idle timeout. */
async function close(farm: FarmClient, session: SessionId): Promise<void> {
  await farm.closeSession(session, { signal: deadlineSignal(2_000, "closing the session") }).catch(() => undefined);
}

/** Waits longer after each failure in a row; gives up when nothing was heard for the patience. */
class Retry {
  readonly #o: RemoteMeasurerOptions;
  #heardMs: number;
  #backoffMs = firstBackoffMs;
  #lost = 0;

  constructor(options: RemoteMeasurerOptions) {
    this.#o = options;
    this.#heardMs = options.clock.monotonic();
  }
  answered(): void {
    this.#heardMs = this.#o.clock.monotonic();
    this.#backoffMs = firstBackoffMs;
  }
  progressed(): void {
    this.answered();
    this.#lost = 0;
  }
  mayReopen(): boolean {
    return ++this.#lost <= sessionsLostInARow;
  }
  async wait(error: unknown, signal: AbortSignal): Promise<void> {
    const { clock, random, patienceMs = 60_000, onLost } = this.#o;
    if (!(error instanceof FarmError) || !error.retryable) throw error;
    const silentMs = clock.monotonic() - this.#heardMs;
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
