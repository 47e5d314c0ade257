/**
 * Derived from the generated types: the shape of a service's handlers (async functions and generators) and of its typed calls.
 */
import type * as grpc from "@grpc/grpc-js";
import type { MethodDefinition } from "@grpc/proto-loader";
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

type CallOf<H> = H extends (call: infer C, ...rest: never[]) => void ? C : never;

/** Unary: an async function. Server stream: a generator. Client stream and bidi: they take the requests as an AsyncIterable. */
type HandlerOf<H> =
  CallOf<H> extends grpc.ServerDuplexStream<infer Req, infer Res>
    ? (requests: AsyncIterable<Req>, context: CallContext) => AsyncIterable<Res>
    : CallOf<H> extends grpc.ServerWritableStream<infer Req, infer Res>
      ? (request: Req, context: CallContext) => AsyncIterable<Res>
      : H extends grpc.handleUnaryCall<infer Req, infer Res>
        ? CallOf<H> extends grpc.ServerUnaryCall<Req, Res>
          ? (request: Req, context: CallContext) => Promise<Res>
          : H extends grpc.handleClientStreamingCall<infer Req2, infer Res2>
            ? (requests: AsyncIterable<Req2>, context: CallContext) => Promise<Res2>
            : never
        : H extends grpc.handleClientStreamingCall<infer Req, infer Res>
          ? (requests: AsyncIterable<Req>, context: CallContext) => Promise<Res>
          : never;

type Named<T> = { [K in keyof T as string extends K ? never : number extends K ? never : K]: T[K] };
export type ServiceHandlers<H> = { readonly [K in keyof Named<H>]: HandlerOf<Named<H>[K]> };

/** The four types of a method: its input and output forms. */
export type Method<Req, Res, ReqOut = Req, ResOut = Res> = MethodDefinition<Req, Res, ReqOut, ResOut>;
