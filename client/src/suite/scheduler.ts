/**
 * Shares a farm out among the searches of a suite, one candidate at a time. Tasks on the same devices (a pool) compete; each pool
 * has as many candidates outstanding as keeps its devices and their builders busy.
 *
 *   WAITING  not begun: begins with its first permit
 *   RUNNING  open: takes permits (Pace), gives them back as its results land
 *   PARKED   closed, and nothing of it kept but its log: opens again with its next permit, and replays the log
 *   ENDED    by its own rules, or because the suite's budget is spent
 *
 * A permit goes to the task that may gain most (gradient.ts), open or not. Candidates outstanding count as asked, so permits
 * spread by themselves. All it knows comes from results: a suite that goes on has its state back from its logs.
 *
 * A pool with more tasks than it may have open takes turns: a search that was opened has a turn of permits first, at the gain it
 * was opened for. After that it is parked as soon as a task that is not open may gain more; what it has in flight lands before.
 */
import { nameOfTask, searchDefaults } from "@warpfarm/records/search";
import type { Landed } from "@warpfarm/records/suites";
import { poolOf } from "../search/farm-there.ts";
import type { Pace } from "../search/pace.ts";
import { Entry, type EntryState, type OpenedFacts } from "./entry.ts";
import { gainOf, trialsPerRound } from "./gradient.ts";
import type { PlannedTask } from "./plan.ts";

export interface TaskFacts {
  readonly task: PlannedTask;
  readonly state: EntryState;
  readonly told: number;
  readonly outstanding: number;
  readonly deviceMs: number;
  readonly bestSeconds: number | undefined;
}

interface SchedulerOptions {
  readonly tasks: readonly PlannedTask[];
  readonly budget: { readonly trials?: number; readonly deviceMs?: number };
  readonly capacity: (pool: string) => number;
  /** Opens a task's search, which has a permit or must end. */
  readonly begin: (id: string) => void;
  readonly mostOpen?: number;
}

/**
 * Searches open at once. Each has a session on the farm, and one more while its finalists are measured. By default a tracker
 * gives one principal 100.
 */
export const mostOpen = 48;

export class SuiteScheduler {
  readonly #o: SchedulerOptions;
  readonly #mostOpen: number;
  readonly #entries: ReadonlyMap<string, Entry>;
  readonly #pools: ReadonlyMap<string, readonly Entry[]>;
  #isSpent = false;
  #isStarted = false;

  constructor(options: SchedulerOptions) {
    this.#o = options;
    this.#mostOpen = options.mostOpen ?? mostOpen;
    this.#entries = new Map(options.tasks.map((task) => [task.id, new Entry(task, () => this.fill())]));
    const pools = new Map<string, Entry[]>();
    for (const entry of this.#entries.values())
      pools.set(poolOf(entry.task.search), [...(pools.get(poolOf(entry.task.search)) ?? []), entry]);
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
  /** Whether every task has ended, or will never begin. */
  get isDone(): boolean {
    return [...this.#entries.values()].every(({ state }) => state === "ended" || (this.#isSpent && state === "waiting"));
  }

  /** All ended tasks are known. */
  start(begun: ReadonlyMap<string, OpenedFacts> = new Map()): void {
    for (const [id, facts] of begun) {
      this.#of(id).know(facts);
      this.#of(id).close("parked");
    }
    this.#isStarted = true;
    // A task without devices must not take a place that others need.
    const isThere = (entry: Entry) => this.#entries.size <= this.#mostOpen || this.#o.capacity(poolOf(entry.task.search)) > 0;
    for (const id of begun.keys()) if (isThere(this.#of(id))) this.#openAnyway(this.#of(id));
    this.fill();
  }
  opened(id: string, facts: OpenedFacts): void {
    this.#of(id).know(facts);
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
  parked(id: string): void {
    this.#of(id).close("parked");
    this.fill();
  }
  ended(id: string): void {
    this.#of(id).close("ended");
    this.fill();
  }
  spend(): void {
    if (this.#isSpent) return;
    this.#isSpent = true;
    for (const entry of this.#entries.values()) {
      entry.isOver = true;
      entry.permits = 0;
      entry.wake();
    }
    this.fill();
  }

  /** Called from time to time: devices come and go, and a tuner that waits for no result may be asked again. */
  look(): void {
    for (const entry of this.#entries.values()) if (entry.outstanding === 0) entry.isDry = false;
    this.fill();
  }

  /** Gives permits until each pool has as many candidates outstanding as it takes. */
  fill(): void {
    if (!this.#isStarted) return;
    const all = [...this.#entries.values()];
    // A parked task that needs nothing more is opened to end in order.
    for (const entry of all)
      if (entry.state === "parked" && (this.#isSpent || entry.told >= entry.trials)) this.#openAnyway(entry);
    if (this.#isSpent) return;
    const { budget } = this.#o;
    const told = all.reduce((sum, entry) => sum + entry.told, 0);
    const most = (budget.trials ?? Number.POSITIVE_INFINITY) + all.reduce((sum, entry) => sum + entry.added, 0);
    let left = most - all.reduce((sum, entry) => sum + entry.asked, 0);
    const isLate = budget.deviceMs !== undefined && all.reduce((sum, entry) => sum + entry.deviceMs, 0) >= budget.deviceMs;
    if (isLate || told >= most) {
      this.spend();
      return;
    }
    for (const pool of this.#shares()) {
      const speeds = bestSpeeds(pool.entries);
      if (left > 0) this.#park(pool, speeds);
      let room = pool.capacity - pool.entries.reduce((sum, entry) => sum + entry.outstanding, 0);
      for (; room > 0 && left > 0; room--, left--) {
        const next = this.#next(pool, speeds);
        if (!next) break;
        next.entry.permits++;
        if (next.entry.isOpen) next.entry.wake();
        else this.#open(next.entry, 0, next.gain);
        next.entry.turn.given++;
      }
    }
  }

  #shares(): readonly Pool[] {
    let left = this.#mostOpen;
    const pools: { readonly entries: readonly Entry[]; readonly capacity: number; readonly live: number }[] = [];
    for (const [name, entries] of this.#pools) {
      const capacity = this.#o.capacity(name);
      if (capacity > 0) pools.push({ entries, capacity, live: countOf(entries, ({ state }) => state !== "ended") });
      else left -= countOf(entries, ({ isOpen }) => isOpen);
    }
    pools.sort((a, b) => a.live - b.live);
    return pools.map(({ entries, capacity, live }, i) => {
      const slots = Math.min(live, Math.max(1, Math.floor(left / (pools.length - i))));
      left -= slots;
      // Half of the open searches keep the devices busy while the others open and close.
      const turn = Math.max(trialsPerRound, Math.ceil((2 * capacity) / slots));
      return {
        entries,
        capacity,
        slots,
        isCrowded: live > slots,
        hasTurn: (entry) => entry.turn.given < Math.max(turn, entry.told / 4),
      };
    });
  }

  #park({ entries, slots, isCrowded, hasTurn }: Pool, speeds: Speeds): void {
    if (!isCrowded) return;
    const ranked = (of: readonly Entry[]) => of.map((entry) => ({ entry, gain: gainIn(entry, speeds) }));
    const open = entries.filter(({ isOpen }) => isOpen);
    const stay = ranked(open.filter(({ isParked }) => !isParked)).sort((a, b) => b.gain - a.gain);
    // Places that are or become free go to the best of the closed searches.
    const free = slots - stay.length;
    const wanting = ranked(entries.filter((entry) => !entry.isOpen && this.#mayHave(entry))).sort((a, b) => b.gain - a.gain);
    const surplus = Math.max(0, -free);
    const rivals = wanting.slice(Math.max(0, free));
    const victims = stay.filter(({ entry }) => !hasTurn(entry) && entry.permits === 0).reverse();
    for (const [i, { entry, gain }] of victims.entries()) {
      const rival = rivals[i - surplus];
      if (i >= surplus && !(rival && rival.gain > gain)) break;
      entry.isParked = true;
      entry.wake();
    }
  }

  #next({ entries, slots, isCrowded, hasTurn }: Pool, speeds: Speeds): Ranked | undefined {
    const mayOpen = countOf(entries, ({ isOpen }) => isOpen) < slots && this.#hasPlace;
    let found: (Ranked & { readonly inTurn: boolean }) | undefined;
    for (const entry of entries) {
      if (!(entry.isOpen || mayOpen) || !this.#mayHave(entry)) continue;
      const inTurn = isCrowded && entry.isOpen && hasTurn(entry);
      const now = gainIn(entry, speeds);
      const gain = inTurn ? Math.max(now, entry.turn.gain) : now;
      const isBetter =
        !found ||
        gain > found.gain ||
        (gain === found.gain && (inTurn !== found.inTurn ? inTurn : entry.asked < found.entry.asked && !inTurn));
      if (isBetter) found = { entry, gain, inTurn };
    }
    return found;
  }

  #mayHave(entry: Entry): boolean {
    if (entry.state === "ended" || entry.isDry || entry.isParked) return false;
    return entry.outstanding < (entry.task.search.in_flight ?? searchDefaults.in_flight) && entry.asked < entry.trials;
  }

  get #hasPlace(): boolean {
    return countOf([...this.#entries.values()], ({ isOpen }) => isOpen) < this.#mostOpen;
  }
  #openAnyway(entry: Entry): void {
    // It has no turn to use up.
    if (this.#hasPlace) this.#open(entry, Number.POSITIVE_INFINITY, 0);
  }
  #open(entry: Entry, given: number, gain: number): void {
    entry.state = "running";
    entry.turn = { given, gain };
    this.#o.begin(entry.task.id);
  }

  #of(id: string): Entry {
    const entry = this.#entries.get(id);
    if (!entry) throw new Error(`the suite has no task ${id}`);
    return entry;
  }
}

interface Pool {
  readonly entries: readonly Entry[];
  readonly capacity: number;
  readonly slots: number;
  readonly isCrowded: boolean;
  /** Whether it has permits left before it may be parked: more if it has a long log to replay. */
  readonly hasTurn: (entry: Entry) => boolean;
}
interface Ranked {
  readonly entry: Entry;
  readonly gain: number;
}
/** Operations per second of the fastest of the tasks that are alike. */
type Speeds = ReadonlyMap<string, number>;

/** Tasks of one template are alike; subgraphs are if they have the same operators: a pool never is as fast as a product. */
export function likeOf({ search }: Pick<PlannedTask, "search">): string {
  const name = nameOfTask(search.task);
  if (name !== "subgraph") return name;
  const [, nodes = []] = search.args as readonly (readonly { readonly op?: string }[])[];
  return nodes.map(({ op }) => op).join(" ");
}
const gainIn = (entry: Entry, speeds: Speeds): number => gainOf(entry.course(), speeds.get(likeOf(entry.task)) ?? 0);

function countOf(entries: readonly Entry[], isOne: (entry: Entry) => boolean): number {
  let count = 0;
  for (const entry of entries) if (isOne(entry)) count++;
  return count;
}

function bestSpeeds(entries: readonly Entry[]): Speeds {
  const speeds = new Map<string, number>();
  for (const { task, flops, best } of entries)
    if (Number.isFinite(best)) speeds.set(likeOf(task), Math.max(speeds.get(likeOf(task)) ?? 0, flops / best));
  return speeds;
}
