/**
 * The spans of one measurer: the whole, and one for each input from when it is sent to its result (proto/src/trace/tracing.ts).
 */
import type { MeasureResult, SessionId } from "@warpfarm/common";
import { type MeasureRequest, type Span, type Tracing, trialSpanId } from "@warpfarm/proto";

export class TrialSpans {
  readonly #tracing: Tracing;
  readonly #whole: Span;
  #session: SessionId | undefined;
  /** By the sequence that the session knows. */
  #open = new Map<number, Span>();

  constructor(tracing: Tracing, task: string) {
    this.#tracing = tracing;
    this.#whole = tracing.span("search", { attributes: { "warpfarm.task": task } });
  }

  get traceparent(): string {
    return this.#whole.traceparent;
  }

  async *sent(session: SessionId, requests: AsyncIterable<MeasureRequest>): AsyncGenerator<MeasureRequest> {
    if (session !== this.#session) this.#giveUp("its session was lost");
    this.#session = session;
    for await (const request of requests) {
      if (request.kind === "input" && !this.#open.has(request.sequence)) this.#begin(session, request);
      yield request;
    }
  }

  #begin(session: SessionId, { sequence, program }: Extract<MeasureRequest, { kind: "input" }>): void {
    const digest = program.kind === "digest" ? program.digest : program.program.digest;
    const attributes = { "warpfarm.session": session, "warpfarm.sequence": sequence, "warpfarm.program": digest };
    const id = trialSpanId(session, sequence);
    this.#open.set(sequence, this.#tracing.span("trial", { parent: this.traceparent, id, attributes }));
  }

  landed(sequence: number | undefined, result: MeasureResult): void {
    if (sequence === undefined) return; // of an earlier session
    this.#open.get(sequence)?.end(result.kind === "failed" ? { error: result.message } : {});
    this.#open.delete(sequence);
  }

  #giveUp(error: string): void {
    for (const span of this.#open.values()) span.end({ error });
    this.#open.clear();
  }

  end(): void {
    this.#giveUp("given up");
    this.#whole.end();
  }
}
