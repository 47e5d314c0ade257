/**
 * gRPC streams as AsyncIterables, in both directions and for both sides. Reading is bounded: the stream is paused while
 * `readAhead` messages wait. A `break` out of `cancelling()` cancels the call. A consumer of `reading()` that stops early does
 * not affect the other direction (Node's own iterator would destroy a duplex stream).
 */
import type { EventEmitter } from "node:events";

const readAhead = 16;

export interface MessageSource extends EventEmitter {
  pause(): unknown;
  resume(): unknown;
}

export interface MessageSink extends EventEmitter {
  write(message: unknown): boolean;
}

interface ReadingOptions {
  readonly onStop?: () => void;
  readonly mapError?: (error: unknown) => unknown;
  readonly signal?: AbortSignal;
}

/** Messages of a gRPC stream, in order, for at most one consumer. */
export function reading<T>(
  source: MessageSource,
  { onStop, mapError = (e) => e, signal }: ReadingOptions = {},
): AsyncIterableIterator<T> {
  const messages: T[] = [];
  let end: { readonly error?: unknown } | undefined;
  let waiting: (() => void) | undefined;
  const wake = () => {
    waiting?.();
    waiting = undefined;
  };
  const finish = (how: { readonly error?: unknown }) => {
    end ??= how;
    signal?.removeEventListener("abort", aborted);
    wake();
  };
  const aborted = () => {
    messages.length = 0;
    finish({ error: signal?.reason });
  };
  source.on("data", (message: T) => {
    messages.push(message);
    if (messages.length >= readAhead) source.pause();
    wake();
  });
  source.on("end", () => finish({}));
  source.on("error", (error: unknown) => finish({ error: mapError(error) }));
  source.on("cancelled", () => finish({ error: mapError(new Error("cancelled")) }));
  if (signal?.aborted) aborted();
  else signal?.addEventListener("abort", aborted, { once: true });

  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    async next(): Promise<IteratorResult<T>> {
      while (messages.length === 0 && end === undefined) await new Promise<void>((resolve) => (waiting = resolve));
      if (messages.length > 0) {
        const value = messages.shift() as T;
        if (messages.length < readAhead / 2) source.resume();
        return { value, done: false };
      }
      if (end && "error" in end) throw end.error;
      return { value: undefined, done: true };
    },
    async return(): Promise<IteratorResult<T>> {
      if (end === undefined) onStop?.();
      finish({});
      messages.length = 0;
      source.resume();
      return { value: undefined, done: true };
    },
  };
}

/** Server messages of a client call. A `break` cancels the call. */
export function cancelling<T>(call: MessageSource & { cancel(): void }, options: ReadingOptions = {}): AsyncIterableIterator<T> {
  return reading<T>(call, { ...options, onStop: () => call.cancel() });
}

/** Writes one message, waiting for room. Rejects with the signal's reason. */
export async function writing(sink: MessageSink, message: unknown, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  if (sink.write(message)) return;
  await new Promise<void>((resolve, reject) => {
    const done = () => {
      sink.off("drain", done);
      signal.removeEventListener("abort", done);
      if (signal.aborted) reject(signal.reason);
      else resolve();
    };
    sink.on("drain", done);
    signal.addEventListener("abort", done, { once: true });
  });
}
