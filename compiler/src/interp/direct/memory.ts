/**
 * Memory that records who used it. Two accesses race when they are in one period, by different agents, and one of them changes
 * the value. Agents are threads between two barriers, blocks within a kernel, and iterations within a parallel loop.
 */
import { type Team, teamSize, teams } from "../../ir/agent.ts";
import { type Buffer, bufferSpan, isFragmentScope } from "../../ir/buffer.ts";
import { createData, type TensorData } from "../../ir/numeric.ts";
import { InterpError } from "../error.ts";

/** Who accesses, and when. Numbers of periods and agents are never reused. */
export interface Accessor {
  readonly thread: number;
  readonly phase: number | undefined;
  /** The periods in which teams race: a barrier of a team orders its threads and not the teams. */
  readonly periods: Readonly<Record<Team, number>> | undefined;
  readonly unit: number;
  readonly kernel: number;
  readonly arrived: number;
  /** The group of a store to shared memory; 0 = none. */
  readonly group: number;
  readonly fences: number;
}

interface Traffic {
  readonly period: number;
  readonly readers: Set<number>;
  readonly writers: Set<number>;
  changer?: number;
  lastWriter?: number;
}

export class Cells {
  readonly data: TensorData;
  readonly #buffer: Buffer;
  readonly #written: Uint8Array;
  readonly #group: Int32Array;
  /** For each element, the thread that wrote it, and that thread's number of fences before. */
  readonly #writer: Int32Array;
  readonly #fences: Int32Array;
  readonly #threads = new Map<number, Traffic>();
  readonly #teams = teams.map((team) => ({ team, uses: new Map<number, Traffic>() }));
  readonly #units = new Map<number, Traffic>();

  constructor(buffer: Buffer, given?: TensorData) {
    this.#buffer = buffer;
    this.data = given ?? createData(buffer.dtype, bufferSpan(buffer));
    this.#written = new Uint8Array(this.data.length).fill(given ? 1 : 0);
    this.#group = new Int32Array(this.data.length);
    this.#writer = new Int32Array(this.data.length).fill(-1);
    this.#fences = new Int32Array(this.data.length);
  }

  read(place: number, by: Accessor): number {
    this.#within(place);
    if ((this.#group[place] as number) > by.arrived)
      throw new InterpError("interp.on_its_way", `${this.#name(place)} is read, and no barrier has waited for its copy`);
    if (!this.#written[place])
      throw new InterpError("interp.uninitialised", `${this.#name(place)} is read, and nothing has written it`);
    this.#touch(place, by, "read");
    return this.data[place] as number;
  }

  write(place: number, value: number, by: Accessor): void {
    this.#within(place);
    const old = this.data[place] as number;
    const same = this.#written[place] === 1 && (old === value || (Number.isNaN(old) && Number.isNaN(value)));
    this.#touch(place, by, same ? "rewrite" : "change");
    this.#written[place] = 1;
    this.#writer[place] = by.thread;
    this.#fences[place] = by.fences;
    this.#group[place] = this.#buffer.scope === "shared" ? by.group : 0;
    this.data[place] = value;
  }

  /** `fenced`: of each thread, its fences before it last met the thread that has the engine read. */
  fencedFor(place: number, fenced: (thread: number) => number): void {
    const writer = this.#writer[place] ?? -1;
    if (writer >= 0 && fenced(writer) <= (this.#fences[place] as number))
      throw new InterpError(
        "interp.proxy",
        `the copy engine or a tensor core reads ${this.#name(place)}, with no fence and barrier since thread ${writer} wrote it`,
      );
  }

  inSlot(place: number): number {
    this.#within(place);
    if (!this.#written[place])
      throw new InterpError("interp.uninitialised", `${this.#name(place)} is read, and nothing has written it`);
    return this.data[place] as number;
  }

  /** The value of an element of a thread's own array; undefined = it has none. */
  own(place: number): number | undefined {
    return this.#written[place] === 1 ? this.data[place] : undefined;
  }
  setOwn(place: number, value: number | undefined): void {
    this.#written[place] = value === undefined ? 0 : 1;
    this.data[place] = value ?? 0;
  }

  get unwritten(): number | undefined {
    const place = this.#written.indexOf(0);
    return place < 0 ? undefined : place;
  }

  #name = (place: number): string => `"${this.#buffer.name}"[${place}]`;

  #within(place: number): void {
    if (!(place >= 0 && place < this.data.length))
      throw new InterpError("interp.bounds", `${this.#name(place)} is outside its ${this.data.length} elements`);
  }

  #touch(place: number, by: Accessor, what: "read" | "rewrite" | "change"): void {
    // Fragments are kept by lanes, and intrinsics access them together. Who may read which element is checked elsewhere.
    if (isFragmentScope(this.#buffer.scope)) return;
    const amongThreads = by.phase !== undefined && races(this.#threads, place, by.phase, by.thread, what);
    const { periods } = by;
    const amongTeams =
      periods &&
      this.#teams.filter(({ team, uses }) => races(uses, place, periods[team], Math.floor(by.thread / teamSize[team]), what));
    if (amongThreads || (amongTeams && amongTeams.length > 0))
      throw new InterpError(
        "interp.race",
        `${what} of ${this.#name(place)} by thread ${by.thread}, with no barrier since another used it`,
      );
    if (races(this.#units, place, by.kernel, by.unit, what))
      throw new InterpError(
        "interp.block_race",
        `${what} of ${this.#name(place)} by block or iteration ${by.unit}; another uses it`,
      );
  }
}

function races(
  uses: Map<number, Traffic>,
  place: number,
  period: number,
  agent: number,
  what: "read" | "rewrite" | "change",
): boolean {
  let use = uses.get(place);
  if (use?.period !== period) {
    use = { period, readers: new Set(), writers: new Set() };
    uses.set(place, use);
  }
  if (what === "read") {
    use.readers.add(agent);
    return use.changer !== undefined && use.changer !== agent && use.lastWriter !== agent;
  }
  const others = (agents: ReadonlySet<number>): boolean => agents.size > (agents.has(agent) ? 1 : 0);
  const found = what === "change" && (others(use.writers) || others(use.readers));
  if (what === "change") use.changer = agent;
  use.writers.add(agent);
  use.lastWriter = agent;
  return found;
}
