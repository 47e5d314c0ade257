/**
 * The held calls that ask for work, by what their devices can do: those of equal devices are a group, longest waiting first. A pass takes
 * of a group as many as it has work for and looks at no others. Whether a worker is well is asked when its turn comes.
 */
import type { WorkerId } from "@warpfarm/common";
import type { FreeSlots } from "@warpfarm/proto";
import type { FreeDevice, Station } from "./registry.ts";

export interface HeldCall {
  readonly worker: WorkerId;
  /** Its devices with room, or the builder's slots. */
  readonly stations: readonly FreeStation[];
}

export type FreeStation = Station & FreeDevice;

/** A station with this much room; made once, for its worker calls a hundred times a second. */
const withRoom = new WeakMap<Station, Map<number, FreeStation>>();
function roomAt(station: Station, free: number): FreeStation {
  const known = withRoom.get(station) ?? new Map<number, FreeStation>();
  const made = known.get(free) ?? { ...station, free };
  withRoom.set(station, known.set(free, made));
  return made;
}

/** What of a worker's stations is free. */
export function freeOf(stations: readonly Station[], slots: readonly FreeSlots[]): FreeStation[] {
  const open: FreeStation[] = [];
  for (const station of stations) {
    const free = slots.find((f) => f.device === station.device)?.count ?? 0;
    if (free > 0) open.push(roomAt(station, free));
  }
  return open.slice(); // without the room that pushing makes: it is kept for as long as the call is held
}

export class IdleCalls<C extends HeldCall> {
  readonly #groups = new Map<string, Map<FreeStation, C>>();
  readonly #isWell: (call: C) => boolean;

  constructor(isWell: (call: C) => boolean) {
    this.#isWell = isWell;
  }

  add(call: C): void {
    for (const station of call.stations) {
      const there = this.#groups.get(station.group);
      if (there) there.set(station, call);
      else this.#groups.set(station.group, new Map([[station, call]]));
    }
  }

  remove(call: C): void {
    for (const station of call.stations) {
      const group = this.#groups.get(station.group);
      if (group?.delete(station) && group.size === 0) this.#groups.delete(station.group);
    }
  }

  /** One station of each group that waits here. */
  *examples(): Iterable<FreeStation> {
    for (const group of this.#groups.values()) {
      const [first] = group.keys();
      if (first) yield first;
    }
  }

  /** Those of a group, of workers in good health; `onTaken` is told of each that was looked at, and its call. */
  *of(group: string, onTaken: (station: FreeStation, call: C) => void): Iterable<FreeStation> {
    for (const [station, call] of this.#groups.get(group) ?? []) {
      if (!this.#isWell(call)) continue;
      onTaken(station, call);
      yield station;
    }
  }

  all(onTaken: (station: FreeStation, call: C) => void): FreeStation[] {
    return [...this.#groups.keys()].flatMap((group) => [...this.of(group, onTaken)]);
  }
}
