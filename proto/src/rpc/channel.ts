/**
 * One connection to a tracker and the four kinds of calls over it. Every unary call has a deadline; every stream is cancelled by its
 * signal or by a `break`; every failure is a FarmError, a lost connection UNAVAILABLE. Nothing is retried here: whoever knows that a
 * request may act twice retries.
 */

import * as grpc from "@grpc/grpc-js";
import { FarmError, systemClock } from "@warpfarm/common";
import { type ClientTls, channelCredentials, isLoopback, parseAddress } from "./credentials.ts";
import { keepaliveMs, keepaliveTimeoutMs, maxMessageBytes } from "./server.ts";
import { farmErrorOf } from "./status.ts";
import { cancelling, type MessageSink, writing } from "./streams.ts";
import type { Method } from "./types.ts";

export interface ChannelOptions {
  readonly address: string;
  readonly tls?: ClientTls;
  readonly token?: string;
  /** A peer silent for timeMs + timeoutMs counts as gone. Unset = 10 s + 5 s. */
  readonly keepalive?: { readonly timeMs: number; readonly timeoutMs: number };
  /** A connection that is not usable after so long is given up and made anew. Unset = 10 s. */
  readonly connectMs?: number;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
  /** Unary calls: unset = 10 s. Streams: unset = none. */
  readonly timeoutMs?: number;
}

export const defaultDeadlineMs = 10_000;
const defaultConnectMs = 10_000;

export class Channel implements AsyncDisposable {
  readonly #open: () => grpc.Client;
  readonly #connectMs: number;
  readonly #token: string | undefined;
  #client: grpc.Client;
  #watched: grpc.Client | undefined;

  constructor({
    address,
    tls,
    token,
    keepalive = { timeMs: keepaliveMs, timeoutMs: keepaliveTimeoutMs },
    connectMs = defaultConnectMs,
  }: ChannelOptions) {
    const { host } = parseAddress(address);
    this.#token = token;
    this.#connectMs = connectMs;
    const options = {
      "grpc.max_receive_message_length": maxMessageBytes,
      "grpc.max_send_message_length": maxMessageBytes,
      "grpc.keepalive_time_ms": keepalive.timeMs,
      "grpc.keepalive_timeout_ms": keepalive.timeoutMs,
      "grpc.keepalive_permit_without_calls": 1,
      "grpc.initial_reconnect_backoff_ms": 100,
      "grpc.max_reconnect_backoff_ms": 2_000,
      "grpc.use_local_subchannel_pool": 1,
      "grpc.enable_retries": 0,
      // A proxy of the environment is for the internet, not for this machine.
      ...(isLoopback(host) ? { "grpc.enable_http_proxy": 0 } : {}),
    };
    this.#open = () => new grpc.Client(address, channelCredentials(tls), options);
    this.#client = this.#open();
  }

  /**
   * For a call about to be made. grpc-js waits for ever for the first word of a peer that takes the connection and says nothing, and every
   * call with it: such a client is replaced, and what waited in it fails as UNAVAILABLE.
   */
  #connected(): grpc.Client {
    const client = this.#client;
    if (this.#watched === client || client.getChannel().getConnectivityState(false) === grpc.connectivityState.READY)
      return client;
    this.#watched = client;
    client.waitForReady(deadlineIn(this.#connectMs), (error) => {
      if (this.#watched === client) this.#watched = undefined;
      if (!error || this.#client !== client || !isConnecting(client)) return;
      this.#client = this.#open();
      client.close();
    });
    return client;
  }

  #metadata(): grpc.Metadata {
    const metadata = new grpc.Metadata();
    if (this.#token !== undefined) metadata.set("authorization", `Bearer ${this.#token}`);
    return metadata;
  }

  unary<Req, Res, ReqOut, ResOut>(
    method: Method<Req, Res, ReqOut, ResOut>,
    request: Req,
    options: CallOptions = {},
  ): Promise<ResOut> {
    const { signal, timeoutMs = defaultDeadlineMs } = options;
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const call = this.#connected().makeUnaryRequest(
        method.path,
        method.requestSerialize,
        method.responseDeserialize,
        request,
        this.#metadata(),
        { deadline: deadlineIn(timeoutMs) },
        (error, value) => {
          signal?.removeEventListener("abort", abort);
          if (signal?.aborted) reject(signal.reason);
          else if (error) reject(farmErrorOf(error));
          else resolve(value as ResOut);
        },
      );
      const abort = () => call.cancel();
      signal?.addEventListener("abort", abort, { once: true });
    });
  }

  serverStream<Req, Res, ReqOut, ResOut>(
    method: Method<Req, Res, ReqOut, ResOut>,
    request: Req,
    options: CallOptions = {},
  ): AsyncIterableIterator<ResOut> {
    const call = this.#connected().makeServerStreamRequest(
      method.path,
      method.requestSerialize,
      method.responseDeserialize,
      request,
      this.#metadata(),
      deadlineOf(options),
    );
    return cancelling<ResOut>(call, this.#stopping(call, options.signal));
  }

  clientStream<Req, Res, ReqOut, ResOut>(
    method: Method<Req, Res, ReqOut, ResOut>,
    requests: AsyncIterable<Req>,
    options: CallOptions = {},
  ): Promise<ResOut> {
    const { signal } = options;
    return new Promise((resolve, reject) => {
      const over = new AbortController();
      let broken: { readonly reason: unknown } | undefined;
      const call = this.#connected().makeClientStreamRequest(
        method.path,
        method.requestSerialize,
        method.responseDeserialize,
        this.#metadata(),
        deadlineOf(options),
        (error, value) => {
          over.abort();
          signal?.removeEventListener("abort", abort);
          if (broken) reject(broken.reason);
          else if (signal?.aborted) reject(signal.reason);
          else if (error) reject(farmErrorOf(error));
          else resolve(value as ResOut);
        },
      );
      const abort = () => call.cancel();
      if (signal?.aborted) abort();
      else signal?.addEventListener("abort", abort, { once: true });
      call.on("error", () => {}); // the callback has it
      void pump(requests, call, over.signal).catch((reason) => {
        broken = { reason };
        call.cancel();
      });
    });
  }

  /** When `requests` ends the sending side is closed; when it throws the call is cancelled and the reader gets that error. */
  bidi<Req, Res, ReqOut, ResOut>(
    method: Method<Req, Res, ReqOut, ResOut>,
    requests: AsyncIterable<Req>,
    options: CallOptions = {},
  ): AsyncIterableIterator<ResOut> {
    const call = this.#connected().makeBidiStreamRequest(
      method.path,
      method.requestSerialize,
      method.responseDeserialize,
      this.#metadata(),
      deadlineOf(options),
    );
    const over = new AbortController();
    let broken: { readonly reason: unknown } | undefined;
    call.on("status", () => over.abort());
    const reading = this.#stopping(call, options.signal);
    void pump(requests, call, over.signal).catch((reason) => {
      broken = { reason };
      call.cancel();
    });
    return cancelling<ResOut>(call, { ...reading, mapError: (e) => broken?.reason ?? reading.mapError(e) });
  }

  /** Links a signal to a call and says how its errors read. */
  #stopping(call: { cancel(): void; on(event: "status", f: () => void): unknown }, signal: AbortSignal | undefined) {
    const abort = () => call.cancel();
    if (signal?.aborted) abort();
    else signal?.addEventListener("abort", abort, { once: true });
    call.on("status", () => signal?.removeEventListener("abort", abort));
    return {
      ...(signal ? { signal } : {}),
      mapError: (error: unknown) => (signal?.aborted ? signal.reason : farmErrorOf(error)),
    };
  }

  /** Ends every call with CANCELLED and closes the connection. Idempotent. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#client.close();
  }
}

const isConnecting = (client: grpc.Client): boolean =>
  client.getChannel().getConnectivityState(false) === grpc.connectivityState.CONNECTING;
function deadlineIn(ms: number): grpc.Deadline {
  return systemClock.now() + ms;
}
const deadlineOf = ({ timeoutMs }: CallOptions): grpc.CallOptions =>
  timeoutMs === undefined ? {} : { deadline: deadlineIn(timeoutMs) };

/** Sends until the requests or the call end. The requests' iterator is always returned. */
async function pump<Req>(requests: AsyncIterable<Req>, call: MessageSink & { end(): void }, over: AbortSignal): Promise<void> {
  const iterator = requests[Symbol.asyncIterator]();
  const ended = new Promise<"over">((resolve) => {
    if (over.aborted) resolve("over");
    over.addEventListener("abort", () => resolve("over"), { once: true });
  });
  for (;;) {
    const step = await Promise.race([iterator.next(), ended]);
    if (step === "over") {
      // Not awaited: a generator that waits for something returns only when that something comes.
      void iterator.return?.();
      return;
    }
    if (step.done) {
      call.end();
      return;
    }
    try {
      await writing(call, step.value, over);
    } catch (error) {
      void iterator.return?.();
      if (over.aborted) return;
      throw error instanceof FarmError ? error : farmErrorOf(error);
    }
  }
}
