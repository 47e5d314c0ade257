/**
 * The spans of leases that this tracker gave, between a client's trial and a worker's job (proto/src/trace/tracing.ts). One is
 * made when its lease ends here: a lease that ends at another tracker, or never, has none.
 */
import type { Clock, LeaseId } from "@warpfarm/common";
import { type Outcome, siblingOf, spanIdOf, type Tracing, trialSpanId } from "@warpfarm/proto";
import type { SessionRow } from "../store/sql/sessions.ts";

interface Open {
  readonly parent: string;
  readonly startMs: number;
}

const mostOpen = 20_000;

export class LeaseSpans {
  readonly #tracing: Tracing | undefined;
  readonly #clock: Clock;
  readonly #open = new Map<LeaseId, Open>();

  constructor(tracing: Tracing | undefined, clock: Clock) {
    this.#tracing = tracing;
    this.#clock = clock;
  }

  /** The parent of the worker's span. A build is made for all sessions that wait, and belongs to the one that asked first. */
  granted(
    lease: LeaseId,
    session: Pick<SessionRow, "id" | "traceparent"> | undefined,
    sequence?: number,
  ): { readonly traceparent?: string } {
    if (!session?.traceparent) return {};
    const { id, traceparent: search } = session;
    const parent = sequence === undefined ? search : siblingOf(search, trialSpanId(id, sequence));
    if (!this.#tracing) return { traceparent: parent };
    const [oldest] = this.#open.keys();
    if (this.#open.size >= mostOpen && oldest !== undefined) this.#open.delete(oldest);
    this.#open.set(lease, { parent, startMs: this.#clock.now() });
    return { traceparent: siblingOf(parent, spanIdOf(lease)) };
  }

  ended(lease: LeaseId, outcome: Outcome): void {
    const open = this.#open.get(lease);
    if (!open) return;
    this.#open.delete(lease);
    const { parent, startMs } = open;
    const attributes = outcome.kind === "run" ? timesOf(outcome.result) : { "warpfarm.outcome": outcome.kind };
    const span = this.#tracing?.span("lease", { parent, id: spanIdOf(lease), startMs, attributes });
    span?.end({ endMs: this.#clock.now(), ...(outcome.kind === "fault" ? { error: outcome.message } : {}) });
  }
}

function timesOf({ kind, buildMs, busyMs = 0, lease, device }: Extract<Outcome, { kind: "run" }>["result"]) {
  const { queueMs = 0, transferMs = 0 } = lease ?? {};
  return {
    ...{ "warpfarm.outcome": kind, "warpfarm.node": device?.node ?? "", "warpfarm.queue_ms": queueMs },
    // As in records: absent where nothing was compiled.
    ...(buildMs > 0 ? { "warpfarm.build_ms": buildMs } : {}),
    ...{ "warpfarm.transfer_ms": transferMs, "warpfarm.timed_ms": busyMs },
  };
}
