/**
 * Traces of measurements across processes, by W3C Trace Context (https://www.w3.org/TR/trace-context/): a client's Measure call
 * carries its `traceparent` as gRPC metadata, and each assignment one as a field, because workers dial the tracker. Ids of spans
 * that several processes name follow from what all of them know, so no message carries them:
 *
 *   client    search --> trial          id: of its session and sequence
 *   tracker                 '--> lease  id: of the lease
 *   worker                         '--> run or build --> its parts
 *
 * No process needs a span of another: a tracker that does not trace passes on that of the trial.
 */
import { createHash } from "node:crypto";

type Attributes = Readonly<Record<string, string | number | boolean>>;

export interface SpanOptions {
  /** A traceparent. Absent: that of this Tracing, else the span begins a trace. */
  readonly parent?: string | undefined;
  /** 16 hexadecimal digits. Absent: a random one. */
  readonly id?: string;
  /** Milliseconds since 1970. Absent: now. */
  readonly startMs?: number;
  readonly attributes?: Attributes;
}

export interface SpanEnd {
  /** Milliseconds since 1970. Absent: now. */
  readonly endMs?: number;
  readonly error?: string | undefined;
  readonly attributes?: Attributes;
}

export interface Span {
  readonly traceparent: string;
  part(name: string): Span;
  /** Idempotent. */
  end(how?: SpanEnd): void;
}

export interface Tracing extends AsyncDisposable {
  span(name: string, options?: SpanOptions): Span;
  /** The same, for spans whose parent is this one unless they say otherwise. */
  within(traceparent: string): Tracing;
}

/** The parts of a traceparent of version 00; undefined for anything else, which is to be ignored. */
export function readTraceparent(text: string | undefined) {
  const [, traceId = "", spanId = "", flags = ""] = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/.exec(text ?? "") ?? [];
  const isValid = traceId !== "" && !/^0+$/.test(traceId) && !/^0+$/.test(spanId);
  return isValid ? { traceId, spanId, flags: Number.parseInt(flags, 16) } : undefined;
}

/** The id of a span that is named for what it is of. */
export const spanIdOf = (name: string): string => createHash("sha256").update(name).digest("hex").slice(0, 16);

export const trialSpanId = (session: string, sequence: number): string => spanIdOf(`${session} ${sequence}`);

/** The traceparent of the span with this id in the same trace. */
export const siblingOf = (traceparent: string, spanId: string): string =>
  `${traceparent.slice(0, 36)}${spanId}${traceparent.slice(52)}`;
