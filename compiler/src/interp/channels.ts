/**
 * The rings of slots of blocks, as both interpreters keep them: what may be filled, awaited and read, and when. A slot goes from
 * empty to filled to held to empty. An access in another state is refused, whatever the timing of the run. Each block of a
 * cluster has a ring, writes boxes to the rings of blocks along one axis, and tells those along both which slots it has read.
 */
import type { Buffer } from "../ir/buffer.ts";
import { blocksIn, reachedFrom, releasersOf, slotElements } from "../ir/bulk.ts";
import type { Channel, ClusterShape } from "../ir/stmt.ts";
import { InterpError } from "./error.ts";

interface Slot {
  /** The last turn that filled the slot; below 0: none yet. */
  turn: number;
  bytes: number;
  /** That the turn says come. */
  said: number;
  /** Bytes for the next turn, from blocks that are ahead of this one. */
  early: number;
  released: Set<string>;
  /** Agents of this block that have released the turn. */
  own: number;
  /** Agents of other blocks that have released the next turn: it brought their blocks a box each, and theirs came first. */
  ahead: Set<string>;
  isEmpty: boolean;
}

/** Undefined: an element without a value. */
type Values = readonly (number | undefined)[];

export class Cluster {
  readonly shape: ClusterShape;
  readonly blocks: number;
  /** The number of changes. Without one, nobody can continue. */
  moves = 0;
  readonly #agents: number;
  readonly #met: number[] = [];
  readonly #given: Values[][] = [];
  readonly #rings = new Map<Channel, (Ring | undefined)[]>();

  /** `agents`: the number in all blocks that meet. */
  constructor(shape: ClusterShape = { x: 1, y: 1 }, agents = blocksIn(shape)) {
    this.shape = shape;
    this.blocks = blocksIn(shape);
    this.#agents = agents;
  }

  come(nth: number): void {
    this.#met[nth] = (this.#met[nth] ?? 0) + 1;
    this.moves++;
  }
  meetingWaits(nth: number): string | undefined {
    const come = this.#met[nth] ?? 0;
    return come === this.#agents
      ? undefined
      : `where the ${this.blocks} blocks of a cluster meet: ${come} of ${this.#agents} have come`;
  }

  /** What a block gives to the cluster's nth fold, by row and element. */
  give(nth: number, rank: number, values: Values): void {
    const all = this.#given[nth] ?? [];
    all[rank] = values;
    this.#given[nth] = all;
    this.moves++;
  }
  /** What all blocks have given, in their order; or what is missing. */
  givenTo(nth: number): readonly Values[] | string {
    const all = this.#given[nth] ?? [];
    const come = all.filter((values) => values !== undefined).length;
    return come === this.blocks ? all : `for the values of ${this.blocks} blocks of a cluster: ${come} have given theirs`;
  }

  add(ring: Ring, rank: number): void {
    const rings = this.#rings.get(ring.channel) ?? [];
    rings[rank] = ring;
    this.#rings.set(ring.channel, rings);
  }
  rings(channel: Channel, blocks: readonly number[]): readonly Ring[] {
    const rings = this.#rings.get(channel) ?? [];
    return blocks.map((rank) => {
      const ring = rings[rank];
      if (ring && !ring.isClosed) return ring;
      const what = rank >= this.blocks ? `has ${this.blocks}` : `block ${rank} has not begun, or has ended`;
      throw new InterpError("interp.channel", `channel ${channel.name} reaches for block ${rank} of a cluster, which ${what}`);
    });
  }
}

/**
 * One channel in one block. Agents say when they are done with a slot. An agent is a warp, or the block where all run in step.
 */
export class Ring {
  readonly channel: Channel;
  isClosed = false;
  readonly #slots: Slot[];
  readonly #agents: number;
  readonly #cluster: Cluster;
  readonly #rank: number;
  readonly #held = new Map<number, Set<number>>();
  #filling: Slot | undefined;

  constructor(channel: Channel, agents: number, cluster = new Cluster(), rank = 0) {
    this.channel = channel;
    this.#agents = agents;
    this.#cluster = cluster;
    this.#rank = rank;
    this.#slots = Array.from({ length: channel.slots }, (_, i) => ({
      turn: i - channel.slots,
      bytes: 0,
      said: 0,
      early: 0,
      released: new Set(),
      own: 0,
      ahead: new Set(),
      isEmpty: true,
    }));
    cluster.add(this, rank);
  }

  get #all(): number {
    return this.#agents * releasersOf(this.channel);
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

  /** Why a thread that wants to fill the turn waits; undefined = it may fill. */
  fillWaits(turn: number): string | undefined {
    const slot = this.#slot(turn, "filled");
    if (slot.isEmpty || slot.turn >= turn) return undefined;
    return `to fill ${this.#where(turn)}, which turn ${slot.turn} still has: ${slot.released.size} of ${this.#all} have released it`;
  }
  /** `bytes`: that come in its slot. */
  beginFill(turn: number, bytes: number): void {
    const slot = this.#slot(turn, "filled");
    if (slot.turn !== turn - this.channel.slots)
      throw this.#wrong(`turn ${turn} is filled after turn ${slot.turn} of its slot; turns come one after the other`);
    slot.turn = turn;
    slot.bytes = slot.early;
    slot.said = bytes;
    slot.early = 0;
    slot.isEmpty = false;
    slot.released = slot.ahead;
    slot.own = 0;
    slot.ahead = new Set();
    this.#checkBytes(slot);
    this.#filling = slot;
    this.#cluster.moves++;
  }
  /**
   * `from` to `to`: elements of the array that a box fills, in this block or in these of the cluster. Returns their rings.
   */
  landed(buffer: Buffer, from: number, to: number, bytes: number, blocks?: readonly number[]): readonly Ring[] {
    const slot = this.#filling;
    if (!slot) throw this.#wrong(`a box comes to "${buffer.name}" outside of any turn`);
    const size = this.channel.buffers.includes(buffer) ? slotElements(buffer, this.channel) : 0;
    const first = size * (slot.turn % this.channel.slots);
    if (from < first || to >= first + size)
      throw this.#wrong(`a box of turn ${slot.turn} fills "${buffer.name}"[${from}..${to}], which is not its slot`);
    const rings = blocks === undefined ? [this] : this.#cluster.rings(this.channel, blocks);
    for (const ring of rings) ring.#lands(slot.turn, bytes, this.#rank);
    return rings;
  }
  /**
   * Boxes of another block may arrive before this block has filled its own part, when its own agents have released the slot:
   * those of a third block, which the other does not wait for, may not have.
   */
  #lands(turn: number, bytes: number, from: number): void {
    const slot = this.#slot(turn, "filled");
    const isRead = slot.turn < 0 || slot.own === this.#agents;
    const isAhead = slot.turn === turn - this.channel.slots && isRead;
    if (!isAhead && slot.turn !== turn)
      throw this.#wrong(
        `a box of block ${from} comes for turn ${turn} to block ${this.#rank}, where turn ${slot.turn} still has its slot: ${slot.own} of ${this.#agents} have released it`,
      );
    if (isAhead) slot.early += bytes;
    else slot.bytes += bytes;
    if (!isAhead) this.#checkBytes(slot);
    this.#cluster.moves++;
  }
  #checkBytes({ turn, bytes, said }: Slot): void {
    if (bytes > said) throw new InterpError("interp.bytes", `${this.#where(turn)} says ${said} bytes and gets ${bytes} or more`);
  }
  endFill(): void {
    this.#filling = undefined;
  }

  /** Why a thread that awaits the turn waits; undefined = all bytes have arrived. */
  awaitWaits(turn: number): string | undefined {
    const slot = this.#slot(turn, "awaited");
    if (slot.turn > turn) throw this.#wrong(`turn ${turn} is awaited when turn ${slot.turn} has its slot`);
    if (slot.turn < turn) return `for ${this.#where(turn)}, which nothing has filled`;
    return slot.bytes === slot.said ? undefined : `for ${this.#where(turn)}, of which ${slot.bytes} of ${slot.said} bytes come`;
  }
  hold(turn: number, agent: number): void {
    let held = this.#held.get(agent);
    if (!held) {
      held = new Set();
      this.#held.set(agent, held);
    }
    held.add(turn);
    this.#cluster.moves++;
  }
  /** `whole`: the agent, when all its threads have arrived. It tells each block that fills the slot. */
  release(turn: number, holder: number, whole: number | undefined): void {
    if (!this.#held.get(holder)?.delete(turn)) throw this.#wrong(`turn ${turn} is released by one that does not hold it`);
    if (whole === undefined) return;
    const reached = reachedFrom(this.channel, this.#rank, this.#cluster.shape.x);
    for (const ring of this.#cluster.rings(this.channel, reached)) ring.#released(turn, `${this.#rank}:${whole}`, ring === this);
  }
  #released(turn: number, agent: string, isOwn: boolean): void {
    const slot = this.#slot(turn, "released");
    const isAhead = slot.turn === turn - this.channel.slots && slot.isEmpty;
    if (!isAhead && slot.turn !== turn) throw this.#wrong(`turn ${turn} is released when turn ${slot.turn} has its slot`);
    if (isAhead) slot.ahead.add(agent);
    else {
      slot.released.add(agent);
      if (isOwn) slot.own++;
      slot.isEmpty = slot.released.size === this.#all;
    }
    this.#cluster.moves++;
  }

  check(buffer: Buffer, place: number, holder: number, what: "reads" | "writes"): void {
    const slot = Math.floor(place / slotElements(buffer, this.channel));
    const { turn = -1 } = this.#slots[slot] ?? {};
    if (what === "writes") throw this.#wrong(`a thread writes "${buffer.name}"[${place}], which only the copy engine fills`);
    if (!this.#held.get(holder)?.has(turn))
      throw this.#wrong(`"${buffer.name}"[${place}] is read in slot ${slot}, which the reader has not awaited or has released`);
  }

  /** At the block's end nothing is in transit, and nobody holds a slot. */
  close(): void {
    const left = this.#slots.find(({ isEmpty }) => !isEmpty);
    if (left) throw this.#wrong(`the block ends and turn ${left.turn} has not been released by all`);
    const early = this.#slots.findIndex((slot) => slot.early > 0);
    if (early >= 0)
      throw this.#wrong(`the block ends and ${this.#slots[early]?.early} bytes of a turn that it never fills have come`);
    this.isClosed = true;
  }
}

export const deadlock = (waits: readonly string[]): InterpError =>
  new InterpError("interp.deadlock", `nobody goes on: ${waits.slice(0, 4).join("; ")}`);
