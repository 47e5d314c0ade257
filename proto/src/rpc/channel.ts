/**
 * One connection to a farm and the four kinds of calls over it. Every unary call has a deadline. Every stream is cancelled by its
 * signal or by a `break`. Every failure is a FarmError; a lost connection is UNAVAILABLE. Nothing is retried here: only the
 * caller knows whether a request may act twice. With several trackers the calls go to one of them. A call without a connection
 * looks for a tracker that can be reached, in the given order, from the present one on.
 */
import * as grpc from "@grpc/grpc-js";
import { abortable, FarmError, systemClock } from "@warpfarm/common";
import type { Method, Sent } from "../gen/wire.ts";
import type { Tracing } from "../trace/tracing.ts";
import { type ClientTls, isLoopback, OwnedCredentials, parseAddress, parseAddresses } from "./credentials.ts";
import { maxMessageBytes } from "./message-limit.ts";
import { farmErrorOf } from "./status.ts";
import { cancelling, type MessageSink, writing } from "./streams.ts";

export const keepaliveMs = 10_000;
export const keepaliveTimeoutMs = 5_000;

export interface ChannelOptions {
  /** host:port of one tracker, or of several trackers of one farm, separated by commas. */
  readonly address: string;
  readonly tls?: ClientTls;
  readonly token?: string;
  /** A peer that is silent for timeMs + timeoutMs counts as gone. Unset: 10 s + 5 s. */
  readonly keepalive?: { readonly timeMs: number; readonly timeoutMs: number };
  /**
   * A connection that is not usable after this time is replaced. The time doubles while nobody answers, up to 20 s, because
   * otherwise a slow path, or a thousand clients at once, would never get one. Unset = 10 s; 3 s where there is another tracker
   * to try.
   */
  readonly connectMs?: number;
  /** For whoever measures over the connection. */
  readonly tracing?: Tracing | undefined;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
  /** For unary calls unset: 10 s; for streams unset: none. */
  readonly timeoutMs?: number;
  /** Sent as metadata. */
  readonly traceparent?: string | undefined;
}

const defaultDeadlineMs = 10_000;
const defaultConnectMs = 10_000;
const defaultMoveMs = 3_000;
const longestConnectMs = 20_000;

export class Channel implements AsyncDisposable {
  readonly #addresses: readonly string[];
  readonly #dial: (address: string) => Dialled;
  readonly #firstConnectMs: number;
  #connectMs: number;
  readonly #token: string | undefined;
  #at = 0;
  #dialled: Dialled;
  #watched: grpc.Client | undefined;
  #search: Promise<void> | undefined;
  #isClosed = false;

  constructor({
    address,
    tls,
    token,
    keepalive = { timeMs: keepaliveMs, timeoutMs: keepaliveTimeoutMs },
    connectMs,
  }: ChannelOptions) {
    this.#addresses = parseAddresses(address);
    this.#token = token;
    this.#firstConnectMs = connectMs ?? (this.#addresses.length > 1 ? defaultMoveMs : defaultConnectMs);
    this.#connectMs = this.#firstConnectMs;
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
    };
    this.#dial = (one) => {
      // The environment's proxy is for the internet, not for this machine.
      const direct = isLoopback(parseAddress(one).host) ? { "grpc.enable_http_proxy": 0 } : {};
      const credentials = new OwnedCredentials(tls);
      return { client: new grpc.Client(one, credentials, { ...options, ...direct }), credentials };
    };
    this.#dialled = this.#open();
  }

  #open(): Dialled {
    return this.#dial(this.#addresses[this.#at] ?? "");
  }
  get #client(): grpc.Client {
    return this.#dialled.client;
  }

  /**
   * The client for the next call. grpc-js waits for ever, with every call, when a peer accepts the connection and says nothing.
   * Such a client is replaced, and its waiting calls fail as UNAVAILABLE.
   */
  #connected(): grpc.Client {
    const client = this.#client;
    if (this.#watched === client || stateOf(client) === grpc.connectivityState.READY) return client;
    this.#watched = client;
    client.waitForReady(deadlineIn(this.#connectMs), (error) => {
      if (this.#watched === client) this.#watched = undefined;
      if (this.#client !== client) return;
      if (!error) this.#connectMs = this.#firstConnectMs;
      else if (stateOf(client) === grpc.connectivityState.CONNECTING) {
        this.#allowMore();
        this.#replace();
      }
    });
    return client;
  }

  #allowMore(): void {
    this.#connectMs = Math.max(this.#connectMs, Math.min(2 * this.#connectMs, longestConnectMs));
  }

  /** Connects to the next tracker, or again to the only one. Calls that wait in the old connection fail as UNAVAILABLE. */
  #replace(): void {
    const old = this.#dialled;
    this.#at = (this.#at + 1) % this.#addresses.length;
    this.#dialled = this.#open();
    close(old);
  }

  /**
   * What a call waits for before it is made; undefined = nothing. It resolves when the client is connected or every tracker was
   * tried once. All calls meanwhile wait for the same search.
   */
  #moving(signal: AbortSignal | undefined): Promise<void> | undefined {
    if (this.#addresses.length === 1 || this.#isClosed) return undefined;
    if (!this.#search && stateOf(this.#client) === grpc.connectivityState.READY) return undefined;
    this.#search ??= this.#find().finally(() => {
      this.#search = undefined;
    });
    return signal ? abortable(this.#search, signal) : this.#search;
  }

  async #find(): Promise<void> {
    if (stateOf(this.#client) === grpc.connectivityState.TRANSIENT_FAILURE) this.#replace();
    for (let tried = 1; ; tried++) {
      const client = this.#client;
      const state = await connected(client, this.#connectMs);
      if (this.#isClosed) throw new FarmError("CANCELLED", "the connection was closed");
      const isLast = tried === this.#addresses.length;
      if (state === grpc.connectivityState.READY) this.#connectMs = this.#firstConnectMs;
      else if (isLast && state === grpc.connectivityState.CONNECTING) this.#allowMore();
      if (isLast || state === grpc.connectivityState.READY) return;
      if (this.#client === client) this.#replace();
    }
  }

  #metadata({ traceparent }: CallOptions): grpc.Metadata {
    const metadata = new grpc.Metadata();
    if (traceparent !== undefined) metadata.set("traceparent", traceparent);
    if (this.#token !== undefined) metadata.set("authorization", `Bearer ${this.#token}`);
    return metadata;
  }

  async unary<Req, Res>(method: Method<Req, Res>, request: Sent<Req>, options: CallOptions = {}): Promise<Res> {
    const { signal, timeoutMs = defaultDeadlineMs } = options;
    const moving = this.#moving(signal);
    if (moving) await moving;
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const call = this.#connected().makeUnaryRequest(
        method.path,
        method.requestSerialize,
        method.responseDeserialize,
        request,
        this.#metadata(options),
        { deadline: deadlineIn(timeoutMs) },
        (error, value) => {
          signal?.removeEventListener("abort", abort);
          if (signal?.aborted) reject(signal.reason);
          else if (error) reject(farmErrorOf(error));
          else resolve(value as Res);
        },
      );
      const abort = () => call.cancel();
      signal?.addEventListener("abort", abort, { once: true });
    });
  }

  serverStream<Req, Res>(method: Method<Req, Res>, request: Sent<Req>, options: CallOptions = {}): AsyncIterableIterator<Res> {
    return this.#streaming(options.signal, () => {
      const call = this.#connected().makeServerStreamRequest(
        method.path,
        method.requestSerialize,
        method.responseDeserialize,
        request,
        this.#metadata(options),
        deadlineOf(options),
      );
      return cancelling<Res>(call, this.#stopping(call, options.signal));
    });
  }

  async clientStream<Req, Res>(
    method: Method<Req, Res>,
    requests: AsyncIterable<Sent<Req>>,
    options: CallOptions = {},
  ): Promise<Res> {
    const { signal } = options;
    const moving = this.#moving(signal);
    if (moving) await moving;
    return new Promise((resolve, reject) => {
      const over = new AbortController();
      let broken: { readonly reason: unknown } | undefined;
      const call = this.#connected().makeClientStreamRequest(
        method.path,
        method.requestSerialize,
        method.responseDeserialize,
        this.#metadata(options),
        deadlineOf(options),
        (error, value) => {
          over.abort();
          signal?.removeEventListener("abort", abort);
          if (broken) reject(broken.reason);
          else if (signal?.aborted) reject(signal.reason);
          else if (error) reject(farmErrorOf(error));
          else resolve(value as Res);
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

  /** When `requests` ends, the sending side is closed. When it throws, the call is cancelled and the reader gets the error. */
  bidi<Req, Res>(
    method: Method<Req, Res>,
    requests: AsyncIterable<Sent<Req>>,
    options: CallOptions = {},
  ): AsyncIterableIterator<Res> {
    return this.#streaming(options.signal, () => {
      const call = this.#connected().makeBidiStreamRequest(
        method.path,
        method.requestSerialize,
        method.responseDeserialize,
        this.#metadata(options),
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
      return cancelling<Res>(call, { ...reading, mapError: (e) => broken?.reason ?? reading.mapError(e) });
    });
  }

  #streaming<T>(signal: AbortSignal | undefined, open: () => AsyncIterableIterator<T>): AsyncIterableIterator<T> {
    const moving = this.#moving(signal);
    return moving ? later(moving.then(open)) : open();
  }

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

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    close(this.#dialled);
  }
}

interface Dialled {
  readonly client: grpc.Client;
  readonly credentials: OwnedCredentials;
}

function close({ client, credentials }: Dialled): void {
  // A client in use is closed in order. One that is still connecting has nothing to finish.
  const isInUse = stateOf(client) === grpc.connectivityState.READY;
  client.close();
  if (!isInUse) credentials.destroyConnections();
}

const stateOf = (client: grpc.Client): grpc.connectivityState => client.getChannel().getConnectivityState(false);

/** The state of the client's connection after at most `ms`: READY, refused, or still CONNECTING. */
function connected(client: grpc.Client, ms: number): Promise<grpc.connectivityState> {
  const channel = client.getChannel();
  const deadline = deadlineIn(ms);
  return new Promise((resolve) => {
    const look = (late?: Error) => {
      const state = late ? grpc.connectivityState.CONNECTING : channel.getConnectivityState(true);
      const isUndecided = state === grpc.connectivityState.IDLE || state === grpc.connectivityState.CONNECTING;
      if (isUndecided && !late) channel.watchConnectivityState(state, deadline, look);
      else resolve(state);
    };
    look();
  });
}

/** The messages of a call that is made when the promise resolves. A `break` before that ends the call as soon as it is made. */
function later<T>(call: Promise<AsyncIterableIterator<T>>): AsyncIterableIterator<T> {
  call.catch(() => {}); // whoever reads hears of it
  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    next: async () => (await call).next(),
    async return(): Promise<IteratorResult<T>> {
      call.then(
        (messages) => messages.return?.(),
        () => {},
      );
      return { value: undefined, done: true };
    },
  };
}

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
      // Not awaited: a waiting generator returns only when what it waits for happens.
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
