/** The live workers as this tracker knows them: facts from the store, and whether they have a call open here now. */
import { type Clock, type Selector, selects, targetsOn, type WorkerId } from "@warpfarm/common";
import { buildNeedsMet } from "../policy/build-need.ts";
import type { WorkerRow } from "../store/sql/workers.ts";

interface Entry {
  row: WorkerRow;
  readonly added: number;
  openCalls: number;
  lastContact: number;
  brokeOff: boolean;
  /** What this tracker told it last; undefined before its first answer. */
  told: State | undefined;
}
type State = "active" | "drain";
const stateOf = ({ row }: Entry): State => (row.draining ? "drain" : "active");

export interface FreeDevice {
  readonly worker: WorkerId;
  readonly epoch: number;
  readonly device: number;
  readonly free: number;
}

/** One device of a runner, or one builder (device 0), with the facts that decide whether a job fits. */
export interface Station {
  readonly worker: WorkerId;
  readonly epoch: number;
  readonly group: string;
  readonly device: number;
  readonly key: string | undefined;
  /**
   * For a builder, the needs of builds that it meets (build-need.ts). For a runner, the targets of code that it runs; equal
   * runners share one list.
   */
  readonly targets: readonly string[];
  /** Versions of manifests that a runner reads. */
  readonly manifests: readonly number[];
  readonly labels: Readonly<Record<string, string>>;
  /** The memory of the device; 0 for builders. */
  readonly memoryBytes: number;
}

export const isDevice = (station: Station | undefined): station is Station & { readonly key: string } =>
  station?.key !== undefined;

const stationsOfFacts = new WeakMap<WorkerRow["facts"], readonly Station[]>();

/** The stations of a worker, made once per epoch, since each epoch has its own facts. */
export function stationsOf(row: WorkerRow): readonly Station[] {
  let made = stationsOfFacts.get(row.facts);
  if (!made) {
    made = makeStations(row);
    stationsOfFacts.set(row.facts, made);
  }
  return made;
}

const runnable = new Map<string, Map<string, Pick<Station, "targets" | "manifests">>>();
/** Returns the same object for equal devices: one statement of dispatch takes what one list of targets can run. */
function runnableOnce(key: string, manifests: readonly number[]): Pick<Station, "targets" | "manifests"> {
  const ofKey = runnable.get(key) ?? new Map<string, Pick<Station, "targets" | "manifests">>();
  runnable.set(key, ofKey);
  const name = manifests.join();
  const there = ofKey.get(name) ?? { targets: targetsOn(key), manifests };
  ofKey.set(name, there);
  return there;
}

/** Whether all runners of this key that this process has seen read the same versions of manifests. */
export const readAlike = (key: string): boolean => (runnable.get(key)?.size ?? 0) < 2;

function makeStations({ id, epoch, facts, labels }: WorkerRow): Station[] {
  const named = JSON.stringify(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1)));
  const common = { worker: id, epoch, labels };
  if (facts.kind === "builder") {
    const targets = buildNeedsMet(facts);
    return [
      {
        ...common,
        device: 0,
        key: undefined,
        memoryBytes: 0,
        targets,
        manifests: [],
        group: `${targets.join()} ${named}`,
      },
    ];
  }
  const { manifestVersions: manifests } = facts;
  return facts.devices.map(({ device, facts: { key }, memoryBytes }) => ({
    ...common,
    device,
    key,
    memoryBytes,
    ...runnableOnce(key, manifests),
    // Memory in the unit of selectors: devices that differ by less are equal.
    group: `${key} ${manifests.join()} ${Math.floor(memoryBytes / 1e9)} ${named}`,
  }));
}

export class Registry {
  readonly #entries = new Map<WorkerId, Entry>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Takes over the store's list of `asOf` (monotonic). Workers that it does not list are forgotten, unless they registered since.
   * Returns workers that may get work again, and those whose node's drain changed: their held calls are out of date.
   */
  refresh(rows: readonly WorkerRow[], asOf: number): readonly WorkerId[] {
    const turned = rows.filter((row) => {
      const known = this.get(row.id);
      return known && (known.draining !== row.draining || (row.healthy && !known.healthy));
    });
    const alive = new Set(rows.map((r) => r.id));
    for (const [id, entry] of this.#entries) if (!alive.has(id) && entry.added < asOf) this.#entries.delete(id);
    for (const row of rows) if (row.epoch >= (this.#entries.get(row.id)?.row.epoch ?? 0)) this.put(row);
    return turned.map(({ id }) => id);
  }

  put(row: WorkerRow): void {
    const entry = this.#entries.get(row.id);
    if (entry) {
      // A sign of life at another tracker.
      if (row.lastSeen > entry.row.lastSeen && entry.openCalls === 0 && !entry.brokeOff)
        entry.lastContact = this.#clock.monotonic();
      entry.row = row;
    } else {
      const now = this.#clock.monotonic();
      this.#entries.set(row.id, { row, added: now, openCalls: 0, lastContact: now, brokeOff: false, told: undefined });
    }
  }

  remove(ids: readonly WorkerId[]): void {
    for (const id of ids) this.#entries.delete(id);
  }

  get(id: WorkerId): WorkerRow | undefined {
    return this.#entries.get(id)?.row;
  }

  setHealthy(id: WorkerId, well: boolean): boolean {
    const entry = this.#entries.get(id);
    if (!entry) return false;
    const healthy = well && !entry.row.draining && entry.row.quarantine === "";
    const turned = entry.row.healthy !== healthy;
    if (turned) entry.row = { ...entry.row, healthy };
    return turned && healthy;
  }

  callBegan(id: WorkerId): void {
    const entry = this.#entries.get(id);
    if (!entry) return;
    entry.openCalls++;
    entry.lastContact = this.#clock.monotonic();
    entry.brokeOff = false;
  }

  callEnded(id: WorkerId, brokeOff: boolean): void {
    const entry = this.#entries.get(id);
    if (!entry) return;
    entry.openCalls = Math.max(0, entry.openCalls - 1);
    entry.lastContact = this.#clock.monotonic();
    entry.brokeOff = brokeOff && entry.openCalls === 0;
  }

  /**
   * Whether a call is open, or the last sign of life is younger than `ms`; younger than a quarter of that when the connection is
   * known to be lost.
   */
  isPresent(id: WorkerId, ms: number): boolean {
    const entry = this.#entries.get(id);
    if (!entry) return false;
    return entry.openCalls > 0 || this.#clock.monotonic() - entry.lastContact < (entry.brokeOff ? ms / 4 : ms);
  }

  /** What the worker is to do, as it is told now. */
  tell(id: WorkerId): State {
    const entry = this.#entries.get(id);
    if (!entry) return "active";
    entry.told = stateOf(entry);
    return entry.told;
  }

  /** Whether the worker knows from this tracker what it is to do. One that was told "drain" asks for no work. */
  isTold(id: WorkerId): boolean {
    const entry = this.#entries.get(id);
    return entry !== undefined && entry.told === stateOf(entry);
  }

  hasOpenCall(id: WorkerId): boolean {
    return (this.#entries.get(id)?.openCalls ?? 0) > 0;
  }

  present(): WorkerId[] {
    return [...this.#entries].filter(([, e]) => e.openCalls > 0).map(([id]) => id);
  }

  /** Workers whose connection was lost longer than `ms` ago and who did not come back. */
  brokenOff(ms: number): WorkerId[] {
    const now = this.#clock.monotonic();
    return [...this.#entries].filter(([, e]) => e.brokeOff && e.openCalls === 0 && now - e.lastContact >= ms).map(([id]) => id);
  }

  *rows(): Iterable<WorkerRow> {
    for (const { row } of this.#entries.values()) yield row;
  }

  /** Nodes of the live runners selected that get work. */
  nodesOf(selector: Selector): readonly string[] {
    const rows = [...this.rows()].filter((row) => !row.lost && !row.draining && row.quarantine === "");
    const there = rows.filter((row) => stationsOf(row).some((station) => isDevice(station) && selects(selector, station)));
    return [...new Set(there.map(({ node }) => node))].sort();
  }

  workersOf(nodes: readonly string[]): readonly WorkerId[] {
    return [...this.rows()].filter(({ node }) => nodes.includes(node)).map(({ id }) => id);
  }

  uses(): ReadonlyMap<string, string | undefined> {
    const runners = [...this.rows()].filter(({ facts }) => facts.kind === "runner");
    return new Map(runners.map(({ node, labels }) => [node, labels.use]));
  }

  stations(kind: "builder" | "runner"): Station[] {
    return [...this.rows()].filter((row) => row.healthy && row.facts.kind === kind).flatMap((row) => [...stationsOf(row)]);
  }
}
