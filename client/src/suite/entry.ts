/** A task of a suite for its scheduler: the permits of its search, and its results. */
import { trialsOf } from "@warpfarm/records/search";
import type { Landed, TaskResults } from "@warpfarm/records/suites";
import type { Pace } from "../search/pace.ts";
import type { TaskCourse } from "./gradient.ts";
import type { PlannedTask } from "./plan.ts";

export type EntryState = "waiting" | "running" | "parked" | "ended";

export interface OpenedFacts {
  readonly flops: number;
  readonly defaultSeconds: number | undefined;
  readonly results: readonly Landed[];
}

/** A call to `wake` ends the wait of `next`. If nobody waits, it ends the next wait at once. */
class Wake {
  #isDue = false;
  #waiting: { readonly promise: Promise<void>; readonly resolve: () => void } | undefined;

  next(): Promise<void> {
    if (this.#isDue) {
      this.#isDue = false;
      return Promise.resolve();
    }
    if (!this.#waiting) {
      let resolve = (): void => {};
      const promise = new Promise<void>((done) => {
        resolve = done;
      });
      this.#waiting = { promise, resolve };
    }
    return this.#waiting.promise;
  }
  wake(): void {
    this.#isDue = this.#waiting === undefined;
    this.#waiting?.resolve();
    this.#waiting = undefined;
  }
}

export const openedFactsOf = ({ landed, defaultSeconds }: TaskResults): OpenedFacts => ({
  flops: 0,
  defaultSeconds,
  results: landed,
});

export class Entry implements Pace {
  readonly task: PlannedTask;
  readonly #onChange: () => void;
  state: EntryState = "waiting";
  permits = 0;
  out = 0;
  /** Whether its tuner had nothing to propose; until its next result, or for a while. */
  isDry = false;
  isOver = false;
  isParked = false;
  /** The permits given since it was opened, and the gain for which it was opened. */
  turn = { given: 0, gain: 0 };
  /** Trials added while it ran. The suite's budget grows by as many. */
  added = 0;
  flops = 0;
  deviceMs = 0;
  defaultSeconds: number | undefined;
  readonly bestAfter: number[] = [];
  readonly #wake = new Wake();

  constructor(task: PlannedTask, onChange: () => void) {
    this.task = task;
    this.#onChange = onChange;
  }
  take(): boolean {
    if (this.permits === 0) return false;
    this.permits--;
    this.out++;
    return true;
  }
  giveBack(): void {
    this.out--;
    this.isDry = true;
    this.#onChange();
  }
  gave(trials: number): void {
    if (trials <= this.added) return;
    this.added = trials;
    this.#onChange();
  }
  changed(): Promise<void> {
    return this.#wake.next();
  }
  wake(): void {
    this.#wake.wake();
  }
  know({ flops, defaultSeconds, results }: OpenedFacts): void {
    this.flops = flops;
    this.defaultSeconds = defaultSeconds;
    this.deviceMs = 0;
    this.bestAfter.length = 0;
    for (const result of results) this.count(result);
  }
  close(state: "parked" | "ended"): void {
    this.state = state;
    this.permits = 0;
    this.out = 0;
    this.isDry = false;
    this.isParked = false;
  }
  count({ seconds, deviceMs }: Landed): void {
    this.deviceMs += deviceMs;
    this.bestAfter.push(Math.min(this.best, seconds ?? Number.POSITIVE_INFINITY));
  }
  get told(): number {
    return this.bestAfter.length;
  }
  get best(): number {
    return this.bestAfter.at(-1) ?? Number.POSITIVE_INFINITY;
  }
  get trials(): number {
    return trialsOf(this.task.search) + this.added;
  }
  get isOpen(): boolean {
    return this.state === "running";
  }
  get outstanding(): number {
    return this.out + this.permits;
  }
  get asked(): number {
    return this.told + this.outstanding;
  }
  course(): TaskCourse {
    return {
      weight: this.task.weight,
      flops: this.flops,
      told: this.told,
      outstanding: this.outstanding,
      deviceSeconds: this.deviceMs / 1000,
      bestAfter: this.bestAfter,
      defaultSeconds: this.defaultSeconds,
    };
  }
}
