/**
 * The held calls that ask for work. Calls of equal devices form a group, the longest waiting first. A pass takes as many calls of
 * a group as it has work for, and examines no others. A worker's health is checked when its turn comes.
 */
import type { WorkerId } from "@warpfarm/common";
import type { FreeSlots } from "@warpfarm/proto";
import type { FreeDevice, Station } from "./registry.ts";

export interface HeldCall {
  readonly worker: WorkerId;
  readonly stations: readonly FreeStation[];
  /** False once the call was answered, and then never true again. */
  readonly isOpen: boolean;
}

export type FreeStation = Station & FreeDevice;

/** Beyond so many the calls of all workers are forgotten. */
const mostWorkers = 20_000;

/** A station with this much room. Made once, because its worker calls a hundred times a second. */
const withRoom = new WeakMap<Station, Map<number, FreeStation>>();
function roomAt(station: Station, free: number): FreeStation {
  const known = withRoom.get(station) ?? new Map<number, FreeStation>();
  const made = known.get(free) ?? { ...station, free };
  withRoom.set(station, known.set(free, made));
  return made;
}

/** The free part of a worker's stations. */
export function freeOf(stations: readonly Station[], slots: readonly FreeSlots[]): FreeStation[] {
  const open: FreeStation[] = [];
  for (const station of stations) {
    const free = slots.find((f) => f.device === station.device)?.count ?? 0;
    if (free > 0) open.push(roomAt(station, free));
  }
  return open.slice(); // without the room that pushing makes: it is kept for as long as the call is held
}

/**
 * Calls in order of arrival. Not a Map: a Map that loses and gains a thousand keys a second is a chain of tables, and when one of
 * them gets old for the garbage collector, all later ones do.
 */
class Line<C extends HeldCall> {
  #calls: C[] = [];
  #open = 0;

  get open(): number {
    return this.#open;
  }
  add(call: C): void {
    this.#calls.push(call);
    this.#open++;
  }
  left(): void {
    this.#open--;
    if (this.#calls.length > 2 * this.#open + 16) this.#calls = this.#calls.filter(({ isOpen }) => isOpen);
  }
  *[Symbol.iterator](): Iterator<C> {
    for (const call of this.#calls) if (call.isOpen) yield call;
  }
}

export class IdleCalls<C extends HeldCall> {
  readonly #groups = new Map<string, Line<C>>();
  /** The last call of each worker, open or not: keys that stay cost the collector nothing. */
  readonly #lastOf = new Map<WorkerId, C>();
  readonly #isWell: (call: C) => boolean;

  constructor(isWell: (call: C) => boolean) {
    this.#isWell = isWell;
  }

  add(call: C): void {
    if (this.#lastOf.size > mostWorkers) this.#lastOf.clear();
    this.#lastOf.set(call.worker, call);
    for (const group of groupsOf(call)) {
      const line = this.#groups.get(group) ?? new Line();
      this.#groups.set(group, line);
      line.add(call);
    }
  }

  remove(call: C): void {
    for (const group of groupsOf(call)) {
      const line = this.#groups.get(group);
      line?.left();
      if (line?.open === 0) this.#groups.delete(group);
    }
  }

  *examples(): Iterable<FreeStation> {
    for (const [group, line] of this.#groups) {
      const [first] = line;
      const station = first?.stations.find((s) => s.group === group);
      if (station) yield station;
    }
  }

  /** How many calls of the group are open. */
  openIn(group: string): number {
    return this.#groups.get(group)?.open ?? 0;
  }

  /** One station of a group, if it is free and its worker healthy. `onTaken` is called as by `of`. */
  at(
    { group, worker, device }: { group: string; worker: WorkerId; device: number },
    onTaken: (station: FreeStation, call: C) => void,
  ): FreeStation | undefined {
    const call = this.#lastOf.get(worker);
    const station = call?.isOpen ? call.stations.find((each) => each.group === group && each.device === device) : undefined;
    if (call === undefined || station === undefined || !this.#isWell(call)) return undefined;
    onTaken(station, call);
    return station;
  }

  /** Stations of a group whose workers are healthy. `onTaken` is called for each station that was examined, with its call. */
  *of(group: string, onTaken: (station: FreeStation, call: C) => void): Iterable<FreeStation> {
    for (const call of this.#groups.get(group) ?? []) {
      if (!this.#isWell(call)) continue;
      for (const station of call.stations) {
        if (station.group !== group) continue;
        onTaken(station, call);
        yield station;
      }
    }
  }

  all(onTaken: (station: FreeStation, call: C) => void): FreeStation[] {
    return [...this.#groups.keys()].flatMap((group) => [...this.of(group, onTaken)]);
  }
}

function groupsOf({ stations: [first, ...more] }: HeldCall): Iterable<string> {
  if (first === undefined) return [];
  return more.length === 0 ? [first.group] : new Set([first, ...more].map(({ group }) => group));
}
