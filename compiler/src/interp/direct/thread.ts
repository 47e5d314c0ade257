/** One thread of a launch, or the only one without a launch: a coroutine that pauses where others must arrive too. */

import { assertNever, dtypeBytes } from "@warpfarm/common";
import { teamSize } from "../../ir/agent.ts";
import { type Buffer, bufferSpan, teamOf } from "../../ir/buffer.ts";
import { slotElements } from "../../ir/bulk.ts";
import { combineNumbers, identityOf } from "../../ir/combiner.ts";
import type { Expr, Var } from "../../ir/expr.ts";
import { operandsOf, tensorOf } from "../../ir/intrinsic.ts";
import { roundTo } from "../../ir/numeric.ts";
import { isProduct, isRemark } from "../../ir/parts.ts";
import type { Async, Await, BulkCopy, Channel, Fill, Fold, For, Invoke, Release, Stmt, Store, Tile } from "../../ir/stmt.ts";
import { lanesOf } from "../../ir/visit.ts";
import { Ring } from "../channels.ts";
import { InterpError } from "../error.ts";
import { meets } from "../plan.ts";
import type { Block, DirectRing, Pause } from "./block.ts";
import { placesOf } from "./boxes.ts";
import { type Accessor, Cells } from "./memory.ts";
import { forEachPoint, placeOf } from "./points.ts";
import { type Frame, value } from "./value.ts";

export class Thread {
  readonly id: number;
  readonly block: Block;
  readonly isProducer: boolean;
  begun = 0;
  #folds = 0;
  /** Groups of products: how many it has begun, and the open one; 0 = none. */
  readonly #products = { begun: 0, open: 0 };
  fences = 0;
  #filling: { readonly own: DirectRing; readonly turn: number } | undefined;
  #group = 0;
  #waited: number | undefined;
  #meetings = 0;
  #isInParallel = false;
  readonly #vars: Map<Var, number>;
  readonly #arrays: Map<Buffer, Cells>;
  readonly #entered = new Map<Buffer, number>();

  constructor(id: number, block: Block, vars: Iterable<readonly [Var, number]>, params: Iterable<readonly [Buffer, Cells]>) {
    this.id = id;
    this.block = block;
    this.isProducer = id >= block.threads;
    this.#vars = new Map(vars);
    this.#arrays = new Map(params);
  }

  get #isLaunched(): boolean {
    return this.block.phase !== undefined;
  }

  get #accessor(): Accessor {
    const { phase, periods, unit, kernel, arrived } = this.block;
    return { thread: this.id, phase, periods, unit, kernel, arrived, group: this.#group, fences: this.fences };
  }

  #frame(lane = 0): Frame {
    return {
      vars: this.#vars,
      lane,
      load: ({ buffer }, indices) => this.#read(buffer, placeOf(buffer, indices)),
    };
  }

  #read(buffer: Buffer, place: number): number {
    this.block.flights.touch(this.id, this.cells(buffer), place, "reads");
    return this.#checkHeld(buffer, place) ? this.cells(buffer).inSlot(place) : this.cells(buffer).read(place, this.#accessor);
  }

  /** Combines what the blocks of the cluster have given for this thread's row, in their order. */
  *#foldBlocks({ buffer, combiner }: Fold): Generator<Pause, void> {
    const nth = this.#folds++;
    const { cluster, row } = this.block;
    const waits = () => {
      const given = cluster.givenTo(nth);
      return typeof given === "string" ? given : undefined;
    };
    yield { kind: "channel", waits };
    const given = cluster.givenTo(nth);
    if (typeof given === "string") throw new InterpError("interp.divergence", `thread ${this.id} goes on ${given}`);
    const span = bufferSpan(buffer);
    const combined = combineNumbers(combiner, roundTo(buffer.dtype));
    for (let place = 0; place < span; place++) {
      const values = given.map((values) => values[Math.floor(this.id / row) * span + place]);
      const whole = values.reduce((x, y) => (x === undefined || y === undefined ? undefined : combined(x, y)));
      this.cells(buffer).setOwn(place, whole);
    }
  }

  cells(buffer: Buffer): Cells {
    const cells = this.#arrays.get(buffer);
    if (!cells) throw new InterpError("interp.dialect", `"${buffer.name}" is used outside its allocation`);
    return cells;
  }

  *run(s: Stmt): Generator<Pause, void> {
    if (isRemark(s)) return yield* this.run(s.body);
    switch (s.kind) {
      case "For":
        return yield* this.#loop(s);
      case "If": {
        const cond = value(s.cond, this.#frame()) !== 0;
        if (this.#isLaunched && meets(s.body)) yield { kind: "condition", value: cond };
        if (cond) yield* this.run(s.body);
        return;
      }
      case "Store":
        return this.#store(s);
      case "Seq":
        for (const one of s.stmts) yield* this.run(one);
        return;
      case "Allocate":
        this.#arrays.set(s.buffer, this.#allocated(s.buffer));
        return yield* this.run(s.body);
      case "Async":
        return yield* this.#async(s);
      // After a barrier the others may read what a thread has waited for.
      case "Wait":
        if (s.engine === "wgmma") {
          this.block.flights.wait(this.id, this.#products.begun - s.pending);
          return;
        }
        this.#waited = this.begun - s.pending;
        return;
      case "Handover":
        return;
      case "Barrier":
        if (this.#isLaunched) yield { kind: "barrier", agent: s.agent, arrived: this.#waited };
        if (s.agent === "block") this.#waited = undefined;
        return;
      case "Fold":
        // If one thread represents all, its array has all their parts.
        if (!this.#isLaunched) return;
        yield { kind: "fold", stmt: s };
        if (s.exchange) yield* this.#foldBlocks(s);
        return;
      case "Invoke": {
        const places = s.tiles.map(({ buffer, indices }) => placeOf(buffer, this.#values(indices)));
        if (this.#isLaunched) yield { kind: "invoke", stmt: s, places };
        else this.invoke(s, places);
        return;
      }
      case "AllocChannel":
        if (this.#isLaunched && !this.block.rings.has(s.channel)) {
          const { threads, cluster, rank } = this.block;
          const ring = new Ring(s.channel, Math.ceil(threads / teamSize.warp), cluster, rank);
          this.block.rings.set(s.channel, { ring, onTheirWay: new Map(), lanes: new Map() });
        }
        if (s.channel.cluster) yield* this.#meetCluster();
        yield* this.run(s.body);
        if (s.channel.cluster) yield* this.#meetCluster();
        return;
      case "Fill":
      case "Drain":
        if (!this.#isLaunched) return yield* this.run(s.body);
        if (this.id % (s.kind === "Drain" && s.agent !== "block" ? teamSize[s.agent] : this.block.threads) !== 0) return;
        return yield* s.kind === "Fill" ? this.#fill(s) : this.run(s.body);
      case "Await":
        if (this.#isLaunched) yield* this.#await(s);
        return;
      case "Release":
        if (this.#isLaunched) this.#release(s);
        return;
      case "Roles":
        return yield* this.run(this.isProducer ? s.producer : s.consumers);
      case "Fence":
        this.fences++;
        return;
      case "BulkCopy":
        return this.#box(s);
      default:
        assertNever(s);
    }
  }

  *#async(s: Async): Generator<Pause, void> {
    if (s.engine === "wgmma") this.#products.open = ++this.#products.begun;
    else if (this.#isLaunched) this.#group = ++this.begun;
    yield* this.run(s.body);
    if (s.engine === "wgmma") this.#products.open = 0;
    else this.#group = 0;
  }

  *#meetCluster(): Generator<Pause, void> {
    if (!this.#isLaunched) return;
    const { cluster } = this.block;
    const nth = this.#meetings++;
    cluster.come(nth);
    while (cluster.meetingWaits(nth) !== undefined) yield { kind: "channel", waits: () => cluster.meetingWaits(nth) };
  }

  #ring(channel: Channel): DirectRing {
    const own = this.block.rings.get(channel);
    if (!own) throw new InterpError("interp.dialect", `channel ${channel.name} is used outside its place`);
    return own;
  }
  *#fill({ channel, turn: at, body }: Fill): Generator<Pause, void> {
    const own = this.#ring(channel);
    const turn = value(at, this.#frame());
    while (own.ring.fillWaits(turn) !== undefined) yield { kind: "channel", waits: () => own.ring.fillWaits(turn) };
    own.ring.beginFill(turn);
    // Boxes of other blocks may have come before.
    if (!own.onTheirWay.has(turn)) own.onTheirWay.set(turn, []);
    this.#filling = { own, turn };
    yield* this.run(body);
    this.#filling = undefined;
    own.ring.endFill();
  }
  *#await({ channel, turn: at }: Await): Generator<Pause, void> {
    const { ring, onTheirWay } = this.#ring(channel);
    const turn = value(at, this.#frame());
    while (ring.awaitWaits(turn) !== undefined) yield { kind: "channel", waits: () => ring.awaitWaits(turn) };
    for (const land of onTheirWay.get(turn) ?? []) land();
    onTheirWay.delete(turn);
    ring.hold(turn, this.id);
  }
  #release({ channel, turn: at }: Release): void {
    const { ring, lanes } = this.#ring(channel);
    const turn = value(at, this.#frame());
    const warp = Math.floor(this.id / teamSize.warp);
    const count = (lanes.get(`${warp} ${turn}`) ?? 0) + 1;
    lanes.set(`${warp} ${turn}`, count);
    for (const buffer of channel.buffers) {
      const size = slotElements(buffer, channel);
      this.block.flights.giveAway(this.id, this.cells(buffer), (turn % channel.slots) * size, size);
    }
    const all = Math.min(teamSize.warp, this.block.threads - warp * teamSize.warp);
    ring.release(turn, this.id, count === all ? warp : undefined);
  }

  /** Copies a box element by element. Elements outside the tensor read as zero and are not written. */
  #box({ tensor, origin, taps, shared, indices, direction, multicast }: BulkCopy): void {
    const first = placeOf(shared, this.#values(indices));
    const from = this.#values(origin);
    const [global, own] = [this.cells(tensor.buffer), this.cells(shared)];
    const size = tensor.box.reduce((product, extent) => product * extent, 1);
    const writes: [place: number, x: number][] = [];
    const places = placesOf(tensor, from, taps && this.#values(taps));
    for (const [i, at] of places.entries()) {
      const isInside = at.every((x, d) => x >= 0 && x < (tensor.dims[d] as number));
      const place = at.reduce((sum, x, d) => sum + x * (tensor.strides[d] as number), 0);
      if (direction === "in") writes.push([first + i, isInside ? global.read(place, this.#accessor) : 0]);
      else if (isInside) {
        if (this.#isLaunched) own.fencedFor(first + i, (writer) => this.#fencedBy(writer));
        global.write(place, this.#read(shared, first + i), this.#accessor);
      }
    }
    if (direction === "out") return;
    const filling = this.#filling;
    if (!filling) {
      if (multicast !== undefined && this.#isLaunched)
        throw new InterpError("interp.channel", `a box comes to "${shared.name}" of other blocks outside of any turn`);
      for (const [place, x] of writes) {
        this.block.flights.touch(this.id, own, place, "writes");
        own.write(place, x, this.#accessor);
      }
      return;
    }
    const { ring } = filling.own;
    ring.landed(shared, first, first + size - 1, dtypeBytes(shared.dtype, size), multicast);
    for (const to of multicast === undefined ? [this.block] : this.block.peers.slice(0, multicast)) {
      const cells = to === this.block ? own : (to.arrays.get(`block ${shared.name}`)?.at(-1) as Cells);
      const land = () => {
        for (const [place, x] of writes) {
          to.flights.touch(this.id, cells, place, "writes");
          cells.setOwn(place, x);
        }
      };
      const { onTheirWay } = to.rings.get(ring.channel) as DirectRing;
      const boxes = onTheirWay.get(filling.turn);
      if (boxes) boxes.push(land);
      else onTheirWay.set(filling.turn, [land]);
    }
  }

  #fencedBy(writer: number): number {
    const isOwn = Math.floor(writer / teamSize.warpgroup) === Math.floor(this.id / teamSize.warpgroup);
    return this.block.fenced[isOwn ? "warpgroup" : "block"][writer] ?? 0;
  }

  /** Holders of a slot read its elements, and the copy engine writes them. */
  #checkHeld(buffer: Buffer, place: number, what: "reads" | "writes" = "reads"): boolean {
    for (const { ring } of this.block.rings.values())
      if (ring.channel.buffers.includes(buffer)) {
        ring.check(buffer, place, this.id, what);
        return true;
      }
    return false;
  }

  *#loop(s: For): Generator<Pause, void> {
    const isParallel = s.forKind === "parallel" && !this.#isLaunched && !this.#isInParallel;
    if (isParallel) return yield* this.#parallel(s);
    for (let i = 0; i < s.extent; i++) {
      this.#vars.set(s.loopVar, i);
      yield* this.run(s.body);
    }
    this.#vars.delete(s.loopVar);
  }

  /**
   * Directly nested parallel loops run together, as in OpenMP's collapse. A parallel loop further inside runs on one processor.
   */
  *#parallel(s: For, isInner = false): Generator<Pause, void> {
    const { block } = this;
    const { body } = s;
    if (!isInner) block.kernel = block.numbers.next();
    for (let i = 0; i < s.extent; i++) {
      this.#vars.set(s.loopVar, i);
      if (body.kind === "For" && body.forKind === "parallel") {
        yield* this.#parallel(body, true);
        continue;
      }
      block.unit = block.numbers.next();
      this.#isInParallel = true;
      yield* this.run(body);
      this.#isInParallel = false;
    }
    this.#vars.delete(s.loopVar);
    if (!isInner) block.kernel = block.numbers.next();
  }

  #values(indices: readonly Expr[], lane = 0): number[] {
    return indices.map((index) => value(index, this.#frame(lane)));
  }

  #store(s: Store): void {
    const lanes = Math.max(lanesOf(s.value), ...s.indices.map(lanesOf));
    const values = Array.from({ length: lanes }, (_, lane) => value(s.value, this.#frame(lane)));
    const cells = this.cells(s.buffer);
    for (const [lane, x] of values.entries()) {
      const place = placeOf(s.buffer, this.#values(s.indices, lane));
      this.#checkHeld(s.buffer, place, "writes");
      this.block.flights.touch(this.id, cells, place, "writes");
      cells.write(place, x, this.#accessor);
    }
  }

  /** The array of a thread, or of its block or team; whoever comes first makes it. */
  #allocated(buffer: Buffer): Cells {
    if (!this.#isLaunched || buffer.scope === "local") return new Cells(buffer);
    const time = this.#entered.get(buffer) ?? 0;
    this.#entered.set(buffer, time + 1);
    const team = teamOf(buffer.scope);
    const owner = team ? `${team} ${Math.floor(this.id / teamSize[team])}` : "block";
    const all = this.block.arrays.get(`${owner} ${buffer.name}`) ?? [];
    this.block.arrays.set(`${owner} ${buffer.name}`, all);
    const cells = all[time] ?? new Cells(buffer);
    all[time] = cells;
    return cells;
  }

  /** Executes an intrinsic's meaning by this thread for its team. `places`: the first elements of its tiles. */
  invoke(s: Invoke, places: readonly number[]): void {
    const { intrinsic, form, tiles } = s;
    const { op } = intrinsic;
    const tensors = operandsOf(intrinsic, form).map((operand) => tensorOf(intrinsic, operand));
    const at = (k: number, indices: readonly number[]): number =>
      indices.reduce((place, index, d) => place + index * ((tiles[k] as Tile).strides[d] as number), places[k] as number);
    const vars = new Map(this.#vars);
    const isGoing = this.#isLaunched && isProduct(s);
    const read = new Map<Cells, Set<number>>();
    // A tensor of the meaning stands for a tile.
    const load: Frame["load"] = ({ buffer }, indices) => {
      const k = tensors.indexOf(buffer);
      const own = (tiles[k] as Tile).buffer;
      const place = at(k, indices);
      if (isGoing) read.set(this.cells(own), (read.get(this.cells(own)) ?? new Set<number>()).add(place));
      if (isGoing) this.cells(own).fencedFor(place, (writer) => this.#fencedBy(writer));
      return this.#read(own, place);
    };
    const frame: Frame = { vars, lane: 0, load };
    const out = tensors.length - 1;
    const cells = this.cells((tiles[out] as Tile).buffer);
    const { combiner } = op;
    const identity = combiner && identityOf(combiner, op.output.dtype);
    const combine = combiner && combineNumbers(combiner, roundTo(op.output.dtype));
    forEachPoint(op.axes, vars, () => {
      const place = at(
        out,
        op.axes.map(({ loopVar }) => vars.get(loopVar) as number),
      );
      if (!isGoing) this.block.flights.touch(this.id, cells, place, "writes");
      if (!combine || !identity) return cells.write(place, value(op.body, frame), this.#accessor);
      let sum = form === "update" ? cells.read(place, this.#accessor) : value(identity, frame);
      if (form !== "init")
        forEachPoint(op.reduce, vars, () => {
          sum = combine(sum, value(op.body, frame));
        });
      cells.write(place, sum, this.#accessor);
    });
    if (!isGoing) return;
    const size = teamSize[intrinsic.agent];
    const first = this.id - (this.id % size);
    const left = new Set(Array.from({ length: size }, (_, lane) => first + lane));
    this.block.flights.begin({ group: this.#products.open, sums: cells, tiles: read, left, name: intrinsic.name });
  }
}
