/**
 * The rings of slots of one block, as both interpreters keep them: what may be filled, awaited and read, and when. A slot goes
 * from empty to filled to held to empty; whoever touches it in another state is refused, whatever the timing of a run was.
 */
import type { Buffer } from "../ir/buffer.ts";
import { type Channel, slotElements } from "../ir/bulk.ts";
import { InterpError } from "./error.ts";

interface Slot {
  /** The last turn that filled it; below 0 = none yet. */
  turn: number;
  bytes: number;
  /** Agents that have said that they are done with the turn. */
  readonly released: Set<number>;
  isEmpty: boolean;
}

/** One channel in one block. An agent says when it is done with a slot: a warp, or where all run in step, the block. */
export class Ring {
  readonly channel: Channel;
  /** By slot: does anybody hold it? */
  readonly flags: Uint8Array;
  readonly #slots: Slot[];
  readonly #agents: number;
  /** By agent: turns awaited and not yet released. */
  readonly #held = new Map<number, Set<number>>();
  #filling: Slot | undefined;

  constructor(channel: Channel, agents: number) {
    this.channel = channel;
    this.flags = new Uint8Array(channel.slots);
    this.#agents = agents;
    this.#slots = Array.from({ length: channel.slots }, (_, i) => ({
      turn: i - channel.slots,
      bytes: 0,
      released: new Set(),
      isEmpty: true,
    }));
  }

  get isFilling(): boolean {
    return this.#filling !== undefined;
  }
  #slot(turn: number, verb: string): Slot {
    if (!(turn >= 0)) throw this.#wrong(`turn ${turn} is ${verb}; turns count from 0`);
    return this.#slots[turn % this.channel.slots] as Slot;
  }
  #wrong(what: string): InterpError {
    return new InterpError("interp.channel", `channel ${this.channel.name}: ${what}`);
  }
  #where(turn: number): string {
    return `turn ${turn} of channel ${this.channel.name} (slot ${turn % this.channel.slots})`;
  }

  /** Why a thread that wants to fill the turn waits; undefined = it may. */
  fillWaits(turn: number): string | undefined {
    const slot = this.#slot(turn, "filled");
    if (slot.isEmpty || slot.turn >= turn) return undefined;
    return `to fill ${this.#where(turn)}, which turn ${slot.turn} still has: ${slot.released.size} of ${this.#agents} have released it`;
  }
  beginFill(turn: number): void {
    const slot = this.#slot(turn, "filled");
    if (slot.turn !== turn - this.channel.slots)
      throw this.#wrong(`turn ${turn} is filled after turn ${slot.turn} of its slot; turns come one after the other`);
    slot.turn = turn;
    slot.bytes = 0;
    slot.isEmpty = false;
    slot.released.clear();
    this.#filling = slot;
  }
  /** `from` to `to`: elements of the array that a box fills. */
  landed(buffer: Buffer, from: number, to: number, bytes: number): void {
    const slot = this.#filling;
    if (!slot) throw this.#wrong(`a box comes to "${buffer.name}" outside of any turn`);
    const size = this.channel.buffers.includes(buffer) ? slotElements(buffer, this.channel) : 0;
    const first = size * (slot.turn % this.channel.slots);
    if (from < first || to >= first + size)
      throw this.#wrong(`a box of turn ${slot.turn} fills "${buffer.name}"[${from}..${to}], which is not its slot`);
    slot.bytes += bytes;
    if (slot.bytes > this.channel.bytes)
      throw new InterpError(
        "interp.bytes",
        `${this.#where(slot.turn)} says ${this.channel.bytes} bytes and gets ${slot.bytes} or more`,
      );
  }
  endFill(): void {
    this.#filling = undefined;
  }

  /** Why a thread that awaits the turn waits; undefined = all has come. */
  awaitWaits(turn: number): string | undefined {
    const slot = this.#slot(turn, "awaited");
    if (slot.turn > turn) throw this.#wrong(`turn ${turn} is awaited when turn ${slot.turn} has its slot`);
    if (slot.turn < turn) return `for ${this.#where(turn)}, which nothing has filled`;
    return slot.bytes === this.channel.bytes
      ? undefined
      : `for ${this.#where(turn)}, of which ${slot.bytes} of ${this.channel.bytes} bytes come`;
  }
  hold(turn: number, agent: number): void {
    let held = this.#held.get(agent);
    if (!held) {
      held = new Set();
      this.#held.set(agent, held);
    }
    held.add(turn);
    this.flags[turn % this.channel.slots] = 1;
  }
  /** `whole`: the agent has been there with all its threads. */
  release(turn: number, holder: number, whole: number | undefined): void {
    const slot = this.#slot(turn, "released");
    if (!this.#held.get(holder)?.delete(turn)) throw this.#wrong(`turn ${turn} is released by one that does not hold it`);
    if (whole === undefined) return;
    slot.released.add(whole);
    slot.isEmpty = slot.released.size === this.#agents;
    if (slot.isEmpty) this.flags[turn % this.channel.slots] = 0;
  }

  /** May the holder read the element? */
  check(buffer: Buffer, place: number, holder: number, what: "reads" | "writes"): void {
    const slot = Math.floor(place / slotElements(buffer, this.channel));
    const { turn = -1 } = this.#slots[slot] ?? {};
    if (what === "writes") throw this.#wrong(`a thread writes "${buffer.name}"[${place}], which only the copy engine fills`);
    if (!this.#held.get(holder)?.has(turn))
      throw this.#wrong(`"${buffer.name}"[${place}] is read in slot ${slot}, which the reader has not awaited or has released`);
  }

  /** At the block's end nothing is on its way and nobody holds a slot. */
  close(): void {
    const left = this.#slots.find(({ isEmpty }) => !isEmpty);
    if (left) throw this.#wrong(`the block ends and turn ${left.turn} has not been released by all`);
  }
}

export const deadlock = (waits: readonly string[]): InterpError =>
  new InterpError("interp.deadlock", `nobody goes on: ${waits.slice(0, 4).join("; ")}`);
