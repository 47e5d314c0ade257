/**
 * Both ends of Synchronize: the calls of one worker as messages of one stream, because a unary call costs five times as much as a
 * message. When a stream ends, for whatever reason, its unanswered calls end too, and
 * the next call opens another stream.
 */
import { AsyncQueue, FarmError, type SyncReply, type SyncRequest } from "@warpfarm/common";
import { syncReplyFromWire, syncRequestToWire } from "../convert/worker.ts";
import type * as Wire from "../gen/wire.ts";
import type { Sent } from "../gen/wire.ts";
import type { CallOptions, Channel } from "./channel.ts";
import { syncReplyToBytes, syncRequestFromBytes } from "./hot-messages.ts";
import { loadServices } from "./load.ts";
import type { MessageHandler } from "./message-call.ts";
import type { Answer, CallContext } from "./types.ts";

const atOnce = 8;
/** Synchronize is held up to 20 s by the tracker. */
const syncDeadlineMs = 30_000;

interface Open {
  readonly requests: AsyncQueue<Sent<Wire.SynchronizeRequest>>;
  readonly waiting: Map<
    number,
    { readonly answer: (reply: Wire.SynchronizeResponse) => void; readonly fail: (e: unknown) => void }
  >;
  readonly over: AbortController;
}

/** The worker's end. Each request has a unique sequence. */
export class SynchronizeCalls {
  readonly #channel: Channel;
  #open: Open | undefined;

  constructor(channel: Channel) {
    this.#channel = channel;
  }

  async synchronize(request: SyncRequest, { signal, timeoutMs = syncDeadlineMs }: CallOptions = {}): Promise<SyncReply> {
    return syncReplyFromWire(await this.#exchange(request, syncRequestToWire(request), signal, timeoutMs));
  }

  close(): void {
    if (this.#open) this.#end(this.#open, new FarmError("CANCELLED", "the worker closed its stream"));
  }

  #exchange(request: SyncRequest, wire: Sent<Wire.SynchronizeRequest>, signal: AbortSignal | undefined, timeoutMs: number) {
    signal?.throwIfAborted();
    const open = this.#open ?? this.#start();
    return new Promise<Wire.SynchronizeResponse>((resolve, reject) => {
      const settled = () => {
        open.waiting.delete(request.sequence);
        clearTimeout(timer);
        signal?.removeEventListener("abort", aborted);
      };
      const timer = setTimeout(
        () => this.#end(open, new FarmError("DEADLINE_EXCEEDED", `the tracker did not answer within ${timeoutMs} ms`)),
        timeoutMs,
      );
      const aborted = () => {
        settled();
        reject(signal?.reason);
        // The answer to this call would be lost, so it must not be given work.
        if (!request.reportOnly && request.free.some((f) => f.count > 0))
          this.#end(open, new FarmError("UNAVAILABLE", "another call of this stream was given up"));
      };
      signal?.addEventListener("abort", aborted, { once: true });
      open.waiting.set(request.sequence, {
        answer: (reply) => {
          settled();
          resolve(reply);
        },
        fail: (error) => {
          settled();
          reject(error);
        },
      });
      if (!open.requests.tryPush(wire)) this.#end(open, new FarmError("UNAVAILABLE", "the tracker takes no requests"));
    });
  }

  #start(): Open {
    const open: Open = { requests: new AsyncQueue(4 * atOnce), waiting: new Map(), over: new AbortController() };
    this.#open = open;
    void this.#read(open);
    return open;
  }

  async #read(open: Open): Promise<void> {
    try {
      const replies = this.#channel.bidi(loadServices().worker.Synchronize, open.requests, { signal: open.over.signal });
      // A reply without a waiting call belongs to a call that asked for nothing and was given up.
      for await (const reply of replies) open.waiting.get(reply.sequence)?.answer(reply);
      this.#end(open, new FarmError("UNAVAILABLE", "the tracker ended the stream"));
    } catch (error) {
      this.#end(open, error);
    }
  }

  #end(open: Open, error: unknown): void {
    if (this.#open === open) this.#open = undefined;
    open.over.abort(error);
    open.requests.close();
    for (const { fail } of [...open.waiting.values()]) fail(error);
  }
}

/** The end of a server. */
export class Closing {
  readonly #waiting = new Set<() => void>();
  #isClosed = false;

  get isClosed(): boolean {
    return this.#isClosed;
  }
  /** Stays registered until the returned function is called. */
  onClose(stop: () => void): () => void {
    this.#waiting.add(stop);
    return () => void this.#waiting.delete(stop);
  }
  close(): void {
    this.#isClosed = true;
    for (const stop of [...this.#waiting]) stop();
  }
}

/** One call of Synchronize by its values. */
export type Synchronize = (request: SyncRequest, context: CallContext, answer: Answer<SyncReply>) => void;

/**
 * One request of a stream while it is held. It lives long enough to leave the young generation of the garbage collector. A value
 * that resolves such an old promise ages with it, so the answer is not stored here.
 */
class StreamAnswer implements Answer<SyncReply> {
  readonly #sequence: number;
  readonly #stream: Answer<Buffer>;

  constructor(sequence: number, stream: Answer<Buffer>) {
    this.#sequence = sequence;
    this.#stream = stream;
  }

  reply(value: SyncReply): void {
    try {
      this.#stream.reply(syncReplyToBytes(value, this.#sequence));
    } catch (error) {
      this.fail(error);
    }
  }
  fail(error: unknown): void {
    this.#stream.fail(error);
  }
}

/**
 * The tracker's end. Each request gets its own answer; an error ends the stream with its status. Once the stream is `closing` no
 * more is read, the running requests are answered, and the stream ends. While a worker does not read its answers, its requests
 * are not read.
 */
export function answerSynchronizeStream(synchronize: Synchronize, closing: Closing): MessageHandler {
  return (call) => {
    let running = 0;
    let isEnding = false;
    const read = async () => {
      // Answers that wait for room count as running.
      await call.drained();
      running--;
      if (isEnding && running === 0) call.end();
      else if (!isEnding && running < atOnce) call.resume();
    };
    const end = () => {
      isEnding = true;
      if (running === 0) call.end();
    };
    const stream: Answer<Buffer> = {
      reply(answer) {
        if (!call.send(answer)) return void read();
        running--;
        if (isEnding && running === 0) call.end();
        else if (!isEnding && running === atOnce - 1) call.resume();
      },
      fail: call.fail,
    };
    const forget = closing.onClose(() => {
      call.pause();
      end();
    });
    call.context.signal.addEventListener("abort", forget, { once: true });
    call.onMessage((message) => {
      if (isEnding) return;
      if (++running >= atOnce) call.pause();
      const request = syncRequestFromBytes(message);
      synchronize(request, call.context, new StreamAnswer(request.sequence, stream));
    });
    call.onEnd(end);
    if (closing.isClosed) end();
  };
}
