/**
 * gRPC messages on an HTTP/2 stream: one byte that says whether the message is compressed, four bytes of length, the message
 * (https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md). A pause stops reading at once, even within a piece that has
 * arrived.
 */
import type { ServerHttp2Stream } from "node:http2";
import type { ServerDuplexStream } from "@grpc/grpc-js";
import { FarmError } from "@warpfarm/common";
import { maxMessageBytes } from "./message-limit.ts";

/** Messages in both directions, like a Duplex of messages. */
export interface MessagePipe {
  onMessage(take: (message: Buffer) => void): void;
  onEnd(ended: () => void): void;
  onDrain(drained: () => void): void;
  pause(): void;
  resume(): void;
  write(message: Buffer): boolean;
  readonly needsDrain: boolean;
}

export type MessageStream = ServerDuplexStream<Buffer, Buffer>;

const prefixBytes = 5;

/** The part of a grpc-js call that is used here. It is private to grpc-js, so all of it is checked first. */
interface GrpcCall {
  readonly stream?: ServerHttp2Stream;
  readonly incomingEncoding?: string;
}

/** The stream below a call without compression. Undefined when grpc-js is structured differently. */
export function http2StreamOf(call: MessageStream): ServerHttp2Stream | undefined {
  const { stream, incomingEncoding } = (call as unknown as { readonly call?: GrpcCall }).call ?? {};
  const isUsable =
    incomingEncoding === "identity" &&
    typeof stream?.respond === "function" &&
    typeof stream.write === "function" &&
    stream.listenerCount("data") === 1;
  return isUsable ? stream : undefined;
}

export class Http2Messages implements MessagePipe {
  readonly #stream: ServerHttp2Stream;
  readonly #fail: (error: unknown) => void;
  #take: (message: Buffer) => void = () => {};
  #ended: () => void = () => {};
  /** Received bytes that were not taken. */
  #rest: Buffer | undefined;
  #isPaused = false;
  #hasEnded = false;
  #isTaking = false;

  constructor(stream: ServerHttp2Stream, fail: (error: unknown) => void) {
    this.#stream = stream;
    this.#fail = fail;
  }

  onMessage(take: (message: Buffer) => void): void {
    this.#take = take;
    const stream = this.#stream;
    stream.removeAllListeners("data"); // grpc-js's own
    stream.on("data", (bytes: Buffer) => {
      this.#rest = this.#rest ? Buffer.concat([this.#rest, bytes]) : bytes;
      this.#takeAll();
    });
    stream.on("end", () => {
      this.#hasEnded = true;
      this.#takeAll();
    });
    stream.resume();
  }
  onEnd(ended: () => void): void {
    this.#ended = ended;
  }
  onDrain(drained: () => void): void {
    this.#stream.on("drain", drained);
  }

  pause(): void {
    this.#isPaused = true;
    this.#stream.pause();
  }
  resume(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    this.#takeAll();
    if (!this.#isPaused) this.#stream.resume();
  }

  #takeAll(): void {
    if (this.#isTaking) return; // resumed by whoever takes
    this.#isTaking = true;
    try {
      while (!this.#isPaused && this.#rest && this.#rest.length >= prefixBytes) {
        const rest: Buffer = this.#rest;
        const end = prefixBytes + rest.readUInt32BE(1);
        if (rest[0] !== 0 || end - prefixBytes > maxMessageBytes) {
          this.#refuse(rest);
          return;
        }
        if (rest.length < end) break;
        this.#rest = rest.length === end ? undefined : rest.subarray(end);
        this.#take(rest.subarray(prefixBytes, end));
      }
    } finally {
      this.#isTaking = false;
    }
    if (!this.#hasEnded || this.#isPaused) return;
    this.#hasEnded = false;
    this.#ended();
  }
  #refuse(rest: Buffer): void {
    this.#rest = undefined;
    this.pause();
    this.#fail(
      rest[0] === 0
        ? new FarmError("RESOURCE_EXHAUSTED", `a message of ${rest.readUInt32BE(1)} bytes; allowed: at most ${maxMessageBytes}`)
        : new FarmError("INVALID_ARGUMENT", "a compressed message, and the call named no encoding"),
    );
  }

  write(message: Buffer): boolean {
    if (this.#stream.destroyed || this.#stream.writableEnded) return true; // its call hears of it
    const framed = Buffer.allocUnsafe(prefixBytes + message.length);
    framed[0] = 0;
    framed.writeUInt32BE(message.length, 1);
    message.copy(framed, prefixBytes);
    return this.#stream.write(framed);
  }
  get needsDrain(): boolean {
    return this.#stream.writableNeedDrain && !this.#stream.destroyed;
  }
}
