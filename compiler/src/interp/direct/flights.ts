/**
 * Matrix products of one block that are in flight. Their values exist at once, but no thread may touch the sums until it has
 * waited for the group, and nobody may change the tiles until all threads of the team have.
 */
import { InterpError } from "../error.ts";
import type { Cells } from "./memory.ts";

export interface Flight {
  readonly group: number;
  readonly sums: Cells;
  readonly tiles: ReadonlyMap<Cells, ReadonlySet<number>>;
  readonly left: Set<number>;
  readonly name: string;
}

const inFlight = (what: string): InterpError => new InterpError("interp.in_flight", what);

export class Flights {
  #all: Flight[] = [];

  begin(flight: Flight): void {
    if (flight.group === 0) throw inFlight(`${flight.name} is called in no group, so nothing can wait for it`);
    this.#all.push(flight);
  }
  wait(thread: number, group: number): void {
    for (const flight of this.#all) if (flight.group <= group) flight.left.delete(thread);
    this.#all = this.#all.filter(({ left }) => left.size > 0);
  }
  touch(thread: number, cells: Cells, place: number, what: "reads" | "writes"): void {
    for (const { sums, tiles, left, name } of this.#all) {
      if (sums === cells && left.has(thread))
        throw inFlight(`thread ${thread} ${what} [${place}] of the sums of ${name}, which is in flight`);
      if (what === "writes" && tiles.get(cells)?.has(place))
        throw inFlight(`thread ${thread} writes [${place}] of a tile of ${name}, which is in flight`);
    }
  }
  giveAway(thread: number, cells: Cells, first: number, size: number): void {
    for (const { tiles, left, name } of this.#all) {
      if (!left.has(thread)) continue;
      for (const place of tiles.get(cells) ?? [])
        if (place >= first && place < first + size)
          throw inFlight(`thread ${thread} gives a slot away that ${name} reads, which is in flight`);
    }
  }
  close(): void {
    const [one] = this.#all;
    if (one) throw inFlight(`the block ends and ${one.name} is in flight`);
  }
}
