/** The shape of a service's handlers, derived from the generated types. */
import type { Method, Sent } from "../gen/wire.ts";
import type { Principal } from "./doors.ts";

export interface CallContext {
  readonly signal: AbortSignal;
  readonly peer: string;
  readonly principal: Principal;
  /** Of the caller's span; undefined: it traces nothing. */
  readonly traceparent?: string | undefined;
}

/**
 * Receives the answer of one call: one of the two methods is called, once. It is no promise, because many calls are held long
 * (synchronize-stream.ts).
 */
export interface Answer<T> {
  reply(value: T): void;
  fail(error: unknown): void;
}

/** Unary: an async function. Server stream: a generator. Client stream and bidi: they take the requests as an AsyncIterable. */
type HandlerOf<M> =
  M extends Method<infer Req, infer Res>
    ? (
        request: M["requestStream"] extends true ? AsyncIterable<Req> : Req,
        context: CallContext,
      ) => M["responseStream"] extends true ? AsyncIterable<Sent<Res>> : Promise<Sent<Res>>
    : never;

export type ServiceHandlers<S> = { readonly [K in keyof S]: HandlerOf<S[K]> };
