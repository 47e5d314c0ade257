/**
 * A bidirectional call by the message, with bytes in both directions, for streams of thousands of messages a second. The reader
 * calls `pause` when it wants no more for now. The sender learns from `send` that the peer does not keep up, and from `drained`
 * when it does again. grpc-js opens, checks and ends the call. Messages bypass it, to and from the HTTP/2 stream below
 * (http2-messages.ts), because grpc-js uses two streams and four promises for each. When that stream cannot be reached, or
 * messages are compressed, they go through grpc-js.
 */
import * as grpc from "@grpc/grpc-js";
import { Http2Messages, http2StreamOf, type MessagePipe, type MessageStream } from "./http2-messages.ts";
import type { CallContext } from "./types.ts";

export interface MessageCall {
  readonly context: CallContext;
  /** Called for each message. An error of it fails the call. Must be set at once. */
  onMessage(take: (message: Buffer) => void): void;
  onEnd(ended: () => void): void;
  pause(): void;
  resume(): void;
  /** False: the peer does not keep up. After the end of the call nothing is sent. */
  send(message: Buffer): boolean;
  drained(): Promise<void>;
  end(): void;
  fail(error: unknown): void;
}

export type MessageHandler = (call: MessageCall) => void;

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

/** `onFailure` gets errors and returns the status with which the call ends. */
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
  // The headers must precede what is written past grpc-js.
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
  // grpc-js ends the call by itself. The error of a failed call also arrives here.
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
