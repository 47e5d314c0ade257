/**
 * Which session each device served last. A runner keeps what the session's programs are measured with: inputs, the reference's
 * output, and a process that serves one principal. So of more idle devices than there are runs those are taken that served one of
 * their sessions last, and of several equal devices each gets a run of the session that it served last, if that session gets a
 * run at all. How many runs each session gets is decided without it.
 */
import type { SessionId, WorkerId } from "@warpfarm/common";
import type { FreeDevice } from "../dispatch/registry.ts";

/** Equal devices: what runs on one runs on all. */
export interface DeviceGroup {
  readonly key: string;
  readonly devices: Iterable<FreeDevice>;
  /** How many of them there are, at least; and one of them, if it is free. Unset: the order of `devices` counts alone. */
  readonly idle?: number;
  readonly at?: (worker: WorkerId, device: number) => FreeDevice | undefined;
}

interface Place {
  readonly worker: WorkerId;
  readonly device: number;
  readonly session: SessionId;
}

/** The most devices that are remembered. Beyond it all are forgotten. */
const mostPlaces = 20_000;
/**
 * The devices that came to a session last, which alone are looked for: a ring, since a table that changes with each run is
 * costly.
 */
const mostOfSession = 64;
/** The most sessions whose devices are remembered. Beyond it all are forgotten. */
const mostSessions = 2_000;

interface Ring {
  readonly places: Pick<Place, "worker" | "device">[];
  next: number;
}

export class Places {
  readonly #last = new Map<string, SessionId>();
  readonly #of = new Map<SessionId, Ring>();

  /** The free devices of a group in the order in which they are taken. */
  *inOrder(
    { devices, idle = 0, at }: DeviceGroup,
    waiting: readonly { readonly id: SessionId; readonly ready: number }[],
  ): Iterable<FreeDevice> {
    const taken = new Set<string>();
    // Otherwise all are taken, and a pass of a busy tracker looks at nothing else.
    if (at !== undefined && idle > waiting.reduce((sum, { ready }) => sum + ready, 0))
      for (const { id, ready } of waiting) {
        let left = ready;
        for (const place of this.#of.get(id)?.places ?? []) {
          if (left <= 0) break;
          const name = nameOf(place);
          if (this.#last.get(name) !== id || taken.has(name)) continue;
          const free = at(place.worker, place.device);
          if (free === undefined) continue;
          left -= free.free;
          taken.add(name);
          yield free;
        }
      }
    for (const each of devices) if (taken.size === 0 || !taken.has(nameOf(each))) yield each;
  }

  /** The same devices and the same sessions. All of these devices are equal. */
  settled<P extends Place>(planned: readonly P[]): readonly P[] {
    const [first] = planned;
    if (!first || planned.every(({ session }) => session === first.session)) return planned;
    const left = new Map<SessionId, number>();
    for (const { session } of planned) left.set(session, (left.get(session) ?? 0) + 1);
    const take = (session: SessionId | undefined): SessionId | undefined => {
      const n = session === undefined ? 0 : (left.get(session) ?? 0);
      if (session === undefined || n === 0) return undefined;
      left.set(session, n - 1);
      return session;
    };
    const kept = planned.map((place) => take(this.#last.get(nameOf(place))));
    const others = planned.flatMap(({ session }) => take(session) ?? []);
    return planned.map((place, i) => ({ ...place, session: kept[i] ?? (others.shift() as SessionId) }));
  }

  served(places: readonly Place[]): void {
    if (this.#last.size > mostPlaces) this.#last.clear();
    if (this.#of.size > mostSessions) this.#of.clear();
    for (const { worker, device, session } of places) {
      const name = nameOf({ worker, device });
      if (this.#last.get(name) === session) continue;
      this.#last.set(name, session);
      const ring = this.#of.get(session) ?? { places: [], next: 0 };
      this.#of.set(session, ring);
      ring.places[ring.next] = { worker, device };
      ring.next = (ring.next + 1) % mostOfSession;
    }
  }
}

const nameOf = ({ worker, device }: Pick<Place, "worker" | "device">): string => (device === 0 ? worker : `${worker} ${device}`);
