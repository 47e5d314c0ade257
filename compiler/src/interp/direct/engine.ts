/** What a thread does with the copy engine and its channels. */
import { dtypeBytes } from "@warpfarm/common";
import { teamSize } from "../../ir/agent.ts";
import type { Buffer } from "../../ir/buffer.ts";
import { reachedFrom, receiversOf, slotElements } from "../../ir/bulk.ts";
import type { Await, BulkCopy, Channel, Drain, Fill, Release } from "../../ir/stmt.ts";
import { Ring } from "../channels.ts";
import { InterpError } from "../error.ts";
import type { Actor, Block, DirectRing, Pause } from "./block.ts";
import { placesOf } from "./boxes.ts";
import type { Access, Moment } from "./clock.ts";
import { Gathering } from "./clocks.ts";
import type { Cells } from "./memory.ts";
import { placeOf } from "./points.ts";

interface Filling {
  readonly own: DirectRing;
  readonly turn: number;
}

export class EngineSide {
  readonly #thread: Actor;
  #filling: Filling | undefined;
  #stores: { readonly reads: Moment; readonly writes: Moment } | undefined;

  constructor(thread: Actor) {
    this.#thread = thread;
  }

  make(channel: Channel): void {
    const { rings, slots, threads, cluster, rank } = this.#thread.block;
    if (rings.has(channel)) return;
    const ring = new Ring(channel, Math.ceil(threads / teamSize.warp), cluster, rank);
    const own = { ring, onTheirWay: new Map(), lanes: new Map(), filled: new Map(), released: new Map() };
    rings.set(channel, own);
    for (const buffer of channel.buffers) slots.set(buffer, own);
  }

  /** Whether it is an array with slots: holders of a slot read its elements, and the engine alone writes them. */
  isSlot(buffer: Buffer, place: number, what: "reads" | "writes" = "reads"): boolean {
    const slots = this.#thread.block.slots.get(buffer);
    slots?.ring.check(buffer, place, this.#thread.id, what);
    return slots !== undefined;
  }

  *drain({ body }: Drain): Generator<Pause, void> {
    this.#stores = this.#thread.clock.beginStores();
    yield* this.#thread.run(body);
    this.#stores = undefined;
    // With roles the consumers go on, and wait at their next barrier.
    if (!this.#thread.block.hasRoles) this.#thread.clock.storesAreRead();
  }

  #ring(channel: Channel): DirectRing {
    const own = this.#thread.block.rings.get(channel);
    if (!own) throw new InterpError("interp.dialect", `channel ${channel.name} is used outside its place`);
    return own;
  }
  *fill({ channel, turn: at, bytes, body }: Fill): Generator<Pause, void> {
    const own = this.#ring(channel);
    const turn = this.#thread.number(at);
    while (own.ring.fillWaits(turn) !== undefined) yield { kind: "channel", waits: () => own.ring.fillWaits(turn) };
    const before = own.released.get(turn - channel.slots);
    if (before) this.#thread.clock.take(before);
    own.released.delete(turn - channel.slots);
    own.ring.beginFill(turn, bytes);
    // Boxes of other blocks may have come before.
    if (!own.onTheirWay.has(turn)) own.onTheirWay.set(turn, []);
    this.#filling = { own, turn };
    yield* this.#thread.run(body);
    this.#filling = undefined;
    own.ring.endFill();
  }
  *await({ channel, turn: at }: Await): Generator<Pause, void> {
    const { ring, onTheirWay, filled } = this.#ring(channel);
    const turn = this.#thread.number(at);
    while (ring.awaitWaits(turn) !== undefined) yield { kind: "channel", waits: () => ring.awaitWaits(turn) };
    for (const land of onTheirWay.get(turn) ?? []) land();
    onTheirWay.delete(turn);
    const boxes = filled.get(turn);
    if (boxes) this.#thread.clock.take(boxes);
    ring.hold(turn, this.#thread.id);
  }
  release({ channel, turn: at }: Release): void {
    const { ring, lanes } = this.#ring(channel);
    const turn = this.#thread.number(at);
    const warp = Math.floor(this.#thread.id / teamSize.warp);
    const count = (lanes.get(`${warp} ${turn}`) ?? 0) + 1;
    lanes.set(`${warp} ${turn}`, count);
    const all = Math.min(teamSize.warp, this.#thread.block.threads - warp * teamSize.warp);
    const { rank, cluster, peers } = this.#thread.block;
    const blocks = reachedFrom(channel, rank, cluster.shape.x).flatMap((number) => peers[number] ?? []);
    for (const { rings } of blocks) {
      const released = rings.get(channel)?.released;
      if (!released) continue;
      if (!released.has(turn)) released.set(turn, new Gathering(this.#thread.block.world));
      this.#thread.clock.give(released.get(turn) as Gathering);
    }
    ring.release(turn, this.#thread.id, count === all ? warp : undefined);
    if (count === all) for (const block of blocks) this.#giveAway(block, channel, turn);
  }
  /** Nothing may be under way in a slot that all have released. */
  #giveAway({ rings, arrays }: Block, channel: Channel, turn: number): void {
    const own = rings.get(channel);
    const released = own?.released.get(turn);
    if (!released || own?.ring.fillWaits(turn + channel.slots) !== undefined) return;
    const moment = { ...this.#thread.clock.moment, past: released.past, agent: -1, by: -1 };
    for (const buffer of channel.buffers) {
      const size = slotElements(buffer, channel);
      arrays
        .get(`block ${buffer.name}`)
        ?.at(-1)
        ?.giveAway((turn % channel.slots) * size, size, moment);
    }
  }

  /** Copies a box element by element. Elements outside the tensor read as zero and are not written. */
  box(s: BulkCopy): void {
    const { tensor, origin, taps, shared, indices, direction, multicast } = s;
    const first = placeOf(shared, this.#thread.values(indices));
    const from = this.#thread.values(origin);
    const [global, own] = [this.#thread.cells(tensor.buffer), this.#thread.cells(shared)];
    const filling = this.#filling;
    const slot = filling && this.#slotOf(filling);
    const access = (moment: Moment | undefined, isWrite: boolean): Access => ({
      moment: moment ?? this.#thread.clock.moment,
      site: s,
      isWrite,
    });
    const reads = access(
      direction === "out" ? this.#stores?.reads : slot && this.#thread.clock.box(slot.entry, slot.turn, this.#thread.block.rank),
      false,
    );
    const stores = access(this.#stores?.writes, true);
    const writes: [place: number, x: number][] = [];
    const places = placesOf(tensor, from, taps && this.#thread.values(taps));
    for (const [i, at] of places.entries()) {
      const isInside = at.every((x, d) => x >= 0 && x < (tensor.dims[d] as number));
      const place = at.reduce((sum, x, d) => sum + x * (tensor.strides[d] as number), 0);
      if (direction === "in") writes.push([first + i, isInside ? global.read(place, reads) : 0]);
      else if (isInside) global.write(place, this.#thread.read(shared, first + i, reads), stores);
    }
    if (direction === "out") return;
    if (filling && slot) {
      this.#send(s, filling, slot, first, writes);
      return;
    }
    if (multicast !== undefined && this.#thread.block.isLaunched)
      throw new InterpError("interp.channel", `a box comes to "${shared.name}" of other blocks outside of any turn`);
    for (const [place, x] of writes) own.write(place, x, access(undefined, true));
  }
  #slotOf({ own, turn }: Filling): { readonly entry: number; readonly turn: number } {
    const { channel } = own.ring;
    return { entry: (this.#thread.block.world.entries.slots.get(channel) as number) + (turn % channel.slots), turn };
  }
  /** The elements of a box land, as late as possible, in the slots of all blocks that it is for. */
  #send(
    s: BulkCopy,
    filling: Filling,
    slot: { readonly entry: number; readonly turn: number },
    first: number,
    writes: readonly (readonly [place: number, x: number])[],
  ): void {
    const { shared, multicast } = s;
    const { own, turn } = filling;
    const { ring } = own;
    const { rank, cluster, peers } = this.#thread.block;
    const receivers = multicast && receiversOf(multicast, rank, cluster.shape.x);
    ring.landed(shared, first, first + writes.length - 1, dtypeBytes(shared.dtype, writes.length), receivers);
    for (const to of (receivers ?? [rank]).map((other) => peers[other] as Block)) {
      const cells =
        to === this.#thread.block ? this.#thread.cells(shared) : (to.arrays.get(`block ${shared.name}`)?.at(-1) as Cells);
      const by = { moment: this.#thread.clock.box(slot.entry, turn, to.rank), site: s, isWrite: true };
      const land = () => {
        for (const [place, x] of writes) cells.land(place, x, by);
      };
      const { onTheirWay, filled } = to.rings.get(ring.channel) as DirectRing;
      const boxes = onTheirWay.get(turn);
      if (boxes) boxes.push(land);
      else onTheirWay.set(turn, [land]);
      const gathering = filled.get(turn) ?? new Gathering(this.#thread.block.world);
      filled.set(turn, gathering);
      this.#thread.clock.give(gathering);
      gathering.past[by.moment.agent - this.#thread.block.world.base] = by.moment.at;
    }
  }
}
