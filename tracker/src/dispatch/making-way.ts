/**
 * Preempts builds ahead: when a build that a measurement waits for finds no slot, builds ahead are taken back from builders that
 * could do it.
 */
import type { WorkerId } from "@warpfarm/common";
import type { Database } from "../store/database.ts";
import { type BegunAhead, type Contention, readContention, yieldAhead } from "../store/sql/begun-ahead.ts";
import type { FreedLease } from "../store/sql/sessions.ts";
import type { FreeStation } from "./idle-calls.ts";
import type { Registry } from "./registry.ts";

export interface MakingWayOptions {
  readonly db: Database;
  readonly registry: Registry;
  readonly cancel: (freed: readonly FreedLease[]) => void;
  readonly onError: (error: unknown) => void;
}

/** Needs that a builder with a free slot meets, as far as this tracker knows. */
type Free = () => Iterable<FreeStation>;

export class MakingWay {
  readonly #o: MakingWayOptions;
  readonly #free: Free;
  #running: Promise<void> | undefined;
  #again = false;
  /** Builds that were taken back and whose workers have not called since: their slots are free soon. */
  #onTheirWay: BegunAhead[] = [];
  /** Some may be in a builder's hands. */
  #some = true;

  constructor(options: MakingWayOptions, free: Free) {
    this.#o = options;
    this.#free = free;
  }

  /** Something may have been begun ahead. */
  expect(): void {
    this.#some = true;
  }

  /** A worker's call says what it has free. */
  heard(worker: WorkerId): void {
    if (this.#onTheirWay.length > 0) this.#onTheirWay = this.#onTheirWay.filter((one) => one.worker !== worker);
  }

  /** A build may wait for a slot. */
  look(): void {
    if (!this.#some) return;
    this.#again = true;
    this.#running ??= this.#run();
  }

  async close(): Promise<void> {
    await this.#running;
  }

  async #run(): Promise<void> {
    while (this.#again) {
      this.#again = false;
      try {
        const { db, registry, cancel } = this.#o;
        this.#some = false;
        const contention = await readContention(db.lazy);
        this.#some ||= contention.begun.length > 0;
        const free = new Set([...this.#free()].flatMap(({ targets }) => targets));
        const needs = new Map(registry.stations("builder").map(({ worker, targets }) => [worker, targets]));
        const victims = inTheWay(contention, free, (worker) => needs.get(worker) ?? [], this.#onTheirWay);
        if (victims.length === 0) continue;
        const programs = victims.map(({ program }) => program);
        const gone = await yieldAhead(db, programs);
        this.#onTheirWay.push(...gone);
        cancel(gone);
      } catch (error) {
        this.#some = true; // whoever looks next finds what this one did not see
        this.#o.onError(error);
      }
    }
    this.#running = undefined;
  }
}

/** One build ahead for each waiting build, at a builder that could do it, unless a builder with a free slot can. */
export function inTheWay(
  { begun, waiting }: Contention,
  free: ReadonlySet<string>,
  needsOf: (worker: WorkerId) => readonly string[],
  onTheirWay: readonly BegunAhead[] = [],
): readonly BegunAhead[] {
  const left = new Set(begun);
  const coming = new Set(onTheirWay);
  for (const { need, n } of waiting) {
    if (free.has(need)) continue;
    const able = [...left].filter(({ worker }) => needsOf(worker).includes(need));
    const slots = [...coming].filter(({ worker }) => needsOf(worker).includes(need)).slice(0, n);
    for (const slot of slots) coming.delete(slot);
    for (const victim of able.slice(0, n - slots.length)) left.delete(victim);
  }
  return begun.filter((one) => !left.has(one));
}
