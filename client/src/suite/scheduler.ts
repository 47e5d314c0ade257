/**
 * Shares a farm out among the searches of a suite, one candidate at a time. Tasks on the same devices (a pool) compete; each pool
 * has as many candidates outstanding as keeps its devices and their builders busy.
 *
 *   WAITING  not begun: begins with its first leave
 *   RUNNING  takes leaves (Pace), gives them back as its results land
 *   ENDED    by its own rules, or because the suite's budget is spent
 *
 * A leave goes to the task that may gain most (gradient.ts). Candidates outstanding count as asked, so leaves spread by
 * themselves. All it knows comes from results: a suite that goes on has its state back when its searches have replayed their
 * logs.
 */
import type { Pace } from "../pace.ts";
import { gainOf, type TaskCourse } from "./gradient.ts";
import { type PlannedTask, poolOf } from "./plan.ts";

export interface TaskFacts {
  readonly task: PlannedTask;
  readonly state: "waiting" | "running" | "ended";
  readonly told: number;
  readonly outstanding: number;
  readonly deviceMs: number;
  readonly bestSeconds: number | undefined;
}

export interface SchedulerOptions {
  readonly tasks: readonly PlannedTask[];
  readonly inFlight: number;
  readonly budget: { readonly trials?: number; readonly deviceMs?: number };
  /** Candidates to have outstanding on devices of that pool; 0 when none is there. */
  readonly capacity: (pool: string) => number;
  /** Begins a task's search: it has a leave. */
  readonly begin: (id: string) => void;
}

class Entry implements Pace {
  readonly task: PlannedTask;
  readonly #onChange: () => void;
  state: TaskFacts["state"] = "waiting";
  /** Given and not yet taken. */
  leaves = 0;
  /** Taken, and without a result. */
  out = 0;
  /** Its tuner had nothing to propose; until its next result. */
  isDry = false;
  isOver = false;
  flops = 0;
  deviceMs = 0;
  defaultSeconds: number | undefined;
  readonly bestAfter: number[] = [];
  #waiting: { readonly promise: Promise<void>; readonly resolve: () => void } | undefined;

  constructor(task: PlannedTask, onChange: () => void) {
    this.task = task;
    this.#onChange = onChange;
  }
  take(): boolean {
    if (this.leaves === 0) return false;
    this.leaves--;
    this.out++;
    return true;
  }
  giveBack(): void {
    this.out--;
    this.isDry = true;
    this.#onChange();
  }
  changed(): Promise<void> {
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
    this.#waiting?.resolve();
    this.#waiting = undefined;
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
  course(): TaskCourse {
    return {
      weight: this.task.weight,
      flops: this.flops,
      told: this.told,
      outstanding: this.out + this.leaves,
      deviceSeconds: this.deviceMs / 1000,
      bestAfter: this.bestAfter,
      defaultSeconds: this.defaultSeconds,
    };
  }
}

/**
 * Searches open at once, each with a session of its own on the farm, and one more while its finalists are measured; a tracker
 * gives one principal 100 unless told otherwise. The next task begins when one has ended.
 */
export const mostOpen = 48;

/** A result as the scheduler sees it. */
export interface Landed {
  readonly seconds: number | undefined;
  /** 0 of a result that another program's answered. */
  readonly deviceMs: number;
}
export interface OpenedFacts {
  readonly flops: number;
  readonly defaultSeconds: number | undefined;
  /** In its log already. */
  readonly results: readonly Landed[];
}

export class SuiteScheduler {
  readonly #o: SchedulerOptions;
  readonly #entries: ReadonlyMap<string, Entry>;
  readonly #pools: ReadonlyMap<string, readonly Entry[]>;
  #isSpent = false;
  /** Until what earlier processes left is known nobody gets a leave. */
  #isStarted = false;
  /**
   * Searches that go on and have not replayed their logs: until then nobody gets a leave, for what may be gained is not known.
   */
  readonly #replaying = new Set<string>();

  constructor(options: SchedulerOptions) {
    this.#o = options;
    this.#entries = new Map(options.tasks.map((task) => [task.id, new Entry(task, () => this.fill())]));
    const pools = new Map<string, Entry[]>();
    for (const entry of this.#entries.values()) pools.set(poolOf(entry.task), [...(pools.get(poolOf(entry.task)) ?? []), entry]);
    this.#pools = pools;
  }

  pace(id: string): Pace {
    return this.#of(id);
  }
  facts(): readonly TaskFacts[] {
    return [...this.#entries.values()].map(({ task, state, told, out, deviceMs, best }) => ({
      task,
      state,
      told,
      outstanding: out,
      deviceMs,
      bestSeconds: Number.isFinite(best) ? best : undefined,
    }));
  }
  get isSpent(): boolean {
    return this.#isSpent;
  }
  /** Every task has ended, or will never begin. */
  get isDone(): boolean {
    return [...this.#entries.values()].every(({ state }) => state === "ended" || (this.#isSpent && state === "waiting"));
  }

  /** All that ended or goes on has been named. */
  start(): void {
    this.#isStarted = true;
    this.fill();
  }
  /** Begins a search that has results in its log, without a leave. */
  resume(id: string): void {
    this.#replaying.add(id);
    this.#of(id).state = "running";
    this.#o.begin(id);
  }
  /** The search knows its task and what was measured of it before. */
  opened(id: string, { flops, defaultSeconds, results }: OpenedFacts): void {
    const entry = this.#of(id);
    entry.flops = flops;
    entry.defaultSeconds = defaultSeconds;
    for (const result of results) entry.count(result);
    this.#replaying.delete(id);
  }
  default(id: string, seconds: number | undefined): void {
    this.#of(id).defaultSeconds = seconds;
  }
  landed(id: string, result: Landed): void {
    const entry = this.#of(id);
    entry.out--;
    entry.isDry = false;
    entry.count(result);
    this.fill();
  }
  ended(id: string): void {
    this.#replaying.delete(id);
    const entry = this.#of(id);
    entry.state = "ended";
    entry.leaves = 0;
    entry.out = 0;
    this.fill();
  }
  /** Nothing new is submitted; searches end in order. */
  spend(): void {
    if (this.#isSpent) return;
    this.#isSpent = true;
    for (const entry of this.#entries.values()) {
      entry.isOver = true;
      entry.leaves = 0;
      entry.wake();
    }
  }

  /** Gives leaves until each key has as many candidates outstanding as it takes. */
  fill(): void {
    if (!this.#isStarted || this.#isSpent || this.#replaying.size > 0) return;
    const all = [...this.#entries.values()];
    const { budget } = this.#o;
    const told = all.reduce((sum, entry) => sum + entry.told, 0);
    let asked = all.reduce((sum, entry) => sum + entry.out + entry.leaves, told);
    const isLate = budget.deviceMs !== undefined && all.reduce((sum, entry) => sum + entry.deviceMs, 0) >= budget.deviceMs;
    if (isLate || (budget.trials !== undefined && told >= budget.trials)) {
      this.spend();
      return;
    }
    for (const [pool, entries] of this.#pools) {
      const speeds = bestSpeeds(entries);
      let room = this.#o.capacity(pool) - entries.reduce((sum, entry) => sum + entry.out + entry.leaves, 0);
      for (; room > 0 && asked < (budget.trials ?? Number.POSITIVE_INFINITY); room--, asked++) {
        const next = this.#next(entries, speeds);
        if (!next) break;
        next.leaves++;
        if (next.state === "waiting") {
          next.state = "running";
          this.#o.begin(next.task.id);
        } else next.wake();
      }
    }
  }

  #next(entries: readonly Entry[], speeds: ReadonlyMap<string, number>): Entry | undefined {
    let found: { readonly entry: Entry; readonly gain: number } | undefined;
    const isFull = this.#running() >= mostOpen;
    for (const entry of entries) {
      const asked = entry.told + entry.out + entry.leaves;
      if (entry.state === "ended" || entry.isDry || entry.out + entry.leaves >= this.#o.inFlight) continue;
      if (asked >= entry.task.trials || (isFull && entry.state === "waiting")) continue;
      const gain = gainOf(entry.course(), speeds.get(entry.task.task) ?? 0);
      if (!found || gain > found.gain || (gain === found.gain && asked < asks(found.entry))) found = { entry, gain };
    }
    return found?.entry;
  }

  #running(): number {
    let count = 0;
    for (const { state } of this.#entries.values()) if (state === "running") count++;
    return count;
  }

  #of(id: string): Entry {
    const entry = this.#entries.get(id);
    if (!entry) throw new Error(`the suite has no task ${id}`);
    return entry;
  }
}

const asks = (entry: Entry): number => entry.told + entry.out + entry.leaves;

/** By template, of tasks on one kind of device. */
function bestSpeeds(entries: readonly Entry[]): ReadonlyMap<string, number> {
  const speeds = new Map<string, number>();
  for (const { task, flops, best } of entries)
    if (Number.isFinite(best)) speeds.set(task.task, Math.max(speeds.get(task.task) ?? 0, flops / best));
  return speeds;
}
