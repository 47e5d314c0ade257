/**
 * Which session each device served last. A runner keeps what the session's programs are measured with: inputs, the reference's
 * output, and a process that serves one principal. So of several equal devices each gets a run of the session that it served
 * last, if that session gets a run at all. How many runs each session gets is decided before, and does not change.
 */
import type { SessionId, WorkerId } from "@warpfarm/common";

interface Place {
  readonly worker: WorkerId;
  readonly device: number;
  readonly session: SessionId;
}

/** The most devices that are remembered. Beyond it all are forgotten. */
const mostPlaces = 20_000;

export class Places {
  readonly #last = new Map<string, SessionId>();

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
    for (const place of places) this.#last.set(nameOf(place), place.session);
  }
}

const nameOf = ({ worker, device }: Place): string => (device === 0 ? worker : `${worker} ${device}`);
