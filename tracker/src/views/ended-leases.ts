/** The newest leases that ended at this tracker, for a picture of what each device and builder did (`sessions --perfetto`). */
import type { Clock, SessionId } from "@warpfarm/common";
import type { EndedLease } from "@warpfarm/proto";
import type { Registry } from "../dispatch/registry.ts";
import type { SessionBook } from "../dispatch/session-book.ts";
import type { Settled } from "../store/sql/built.ts";
import type { Owner } from "../store/sql/sessions.ts";

/** Some 200 bytes each. */
const kept = 20_000;

export interface EndedLeasesOptions {
  readonly registry: Registry;
  readonly sessions: Pick<SessionBook, "get">;
  readonly clock: Clock;
}

interface Kept extends EndedLease {
  readonly principal: string | undefined;
}

export class EndedLeases {
  readonly #o: EndedLeasesOptions;
  /** A ring, once it is full. */
  readonly #all: Kept[] = [];
  #next = 0;

  constructor(options: EndedLeasesOptions) {
    this.#o = options;
  }

  add({ worker, session, sequence, outcome, heldMs }: Settled): void {
    const { registry, sessions, clock } = this.#o;
    const result = outcome.kind === "run" ? outcome.result : undefined;
    const { device, lease } = result ?? {};
    this.#all[this.#next] = {
      ...{ endMs: clock.now(), heldMs, node: registry.get(worker)?.node ?? "" },
      ...{ device: device?.uuid ?? "", deviceName: device?.name ?? "", outcome: result?.kind ?? outcome.kind },
      ...{
        session: session ?? undefined,
        sequence: sequence ?? 0,
        principal: session ? sessions.get(session)?.row.principal : "",
      },
      ...{ queueMs: lease?.queueMs ?? 0, buildMs: result?.buildMs ?? 0 },
      ...{ transferMs: lease?.transferMs ?? 0, timedMs: result?.busyMs ?? 0 },
    };
    this.#next = (this.#next + 1) % kept;
  }

  /** The oldest first. Sessions of others than the owner have no name. */
  list(owner: Owner): readonly EndedLease[] {
    const inOrder = [...this.#all.slice(this.#next), ...this.#all.slice(0, this.#next)];
    const seen = (of: Kept): SessionId | undefined => (owner === undefined || of.principal === owner ? of.session : undefined);
    return inOrder.map((of) => ({ ...of, session: seen(of) }));
  }
}
