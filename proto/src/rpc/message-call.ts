/**
 * A bidirectional call by the message, as bytes both ways, for streams that carry thousands a second: no iterator, no promise and
 * no object of the wire's names a message. Whoever reads says when it wants no more for now (`pause`); whoever sends waits while
 * the peer does not keep up (`send` says so, `drained` tells when it is over).
 *
 * grpc-js opens, checks and ends the call; its messages go to and from the HTTP/2 stream beneath it directly (http2-messages.ts),
 * past the two streams and four promises that grpc-js has for each. Where that stream is not to be had, or messages come
 * compressed, they go the long way.
 */
import * as grpc from "@grpc/grpc-js";
import { Http2Messages, http2StreamOf } from "./http2-messages.ts";
import type { CallContext } from "./types.ts";

export interface MessageCall {
  readonly context: CallContext;
  /** Called for each message; what it throws fails the call. To be set at once. */
  onMessage(take: (message: Buffer) => void): void;
  /** The peer closed its side, and every message was taken. */
  onEnd(ended: () => void): void;
  pause(): void;
  resume(): void;
  /** False: the peer does not keep up. Nothing is sent once the call is over. */
  send(message: Buffer): boolean;
  /** When there is room again, or the call is over. */
  drained(): Promise<void>;
  end(): void;
  /** Ends the call with the error's status. */
  fail(error: unknown): void;
}

export type MessageHandler = (call: MessageCall) => void;

/** Messages both ways; as a Duplex of them would do it. */
export interface MessagePipe {
  onMessage(take: (message: Buffer) => void): void;
  onEnd(ended: () => void): void;
  onDrain(drained: () => void): void;
  pause(): void;
  resume(): void;
  write(message: Buffer): boolean;
  readonly needsDrain: boolean;
}

export type MessageStream = grpc.ServerDuplexStream<Buffer, Buffer>;

const throughGrpc = (stream: MessageStream): MessagePipe => ({
  onMessage: (take) => void stream.on("data", take),
  onEnd: (ended) => void stream.on("end", ended),
  onDrain: (drained) => void stream.on("drain", drained),
  pause: () => void stream.pause(),
  resume: () => void stream.resume(),
  write: (message) => stream.write(message),
  get needsDrain() {
    return stream.writableNeedDrain;
  },
});

/** `onFailure` is told of errors and says with which status the call ends. */
export function messageCall(
  stream: MessageStream,
  context: CallContext,
  onFailure: (error: unknown) => { readonly code: grpc.status; readonly details: string },
): MessageCall {
  let isOver = false;
  const fail = (error: unknown) => {
    if (isOver) return;
    isOver = true;
    stream.emit("error", onFailure(error));
  };
  const http2 = http2StreamOf(stream);
  const pipe = http2 ? new Http2Messages(http2, fail) : throughGrpc(stream);
  // The headers go ahead of what is written past grpc-js.
  if (http2) stream.sendMetadata(new grpc.Metadata());
  let waiting: (() => void)[] = [];
  const wake = () => {
    const woken = waiting;
    waiting = [];
    for (const each of woken) each();
  };
  const over = () => {
    isOver = true;
    wake();
  };
  context.signal.addEventListener("abort", over, { once: true });
  // grpc-js ends the call by itself; what this call failed with comes by here too.
  stream.on("error", over);
  pipe.onDrain(wake);
  return {
    context,
    onMessage(take) {
      pipe.onMessage((message) => {
        if (isOver) return;
        try {
          take(message);
        } catch (error) {
          fail(error);
        }
      });
    },
    onEnd: (ended) => pipe.onEnd(ended),
    pause: () => pipe.pause(),
    resume: () => pipe.resume(),
    send: (message) => isOver || pipe.write(message),
    drained: () =>
      new Promise((resolve) => {
        if (isOver || !pipe.needsDrain) resolve();
        else waiting.push(resolve);
      }),
    end() {
      if (isOver) return;
      isOver = true;
      stream.end();
    },
    fail,
  };
}
