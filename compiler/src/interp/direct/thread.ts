/** One thread of a launch, or the only one without a launch: a coroutine that pauses where others must arrive too. */

import { InternalError } from "@warpfarm/common";
import { teamSize } from "../../ir/agent.ts";
import { type Buffer, bufferSpan, teamOf } from "../../ir/buffer.ts";
import { combineNumbers } from "../../ir/combiner.ts";
import type { Expr, Var } from "../../ir/expr.ts";
import { roundTo } from "../../ir/numeric.ts";
import { isRemark } from "../../ir/parts.ts";
import type { Async, Fold, For, Stmt, Store } from "../../ir/stmt.ts";
import { lanesOf } from "../../ir/visit.ts";
import { InterpError } from "../error.ts";
import { meets } from "../plan.ts";
import { type Actor, type Block, type Pause, pauses } from "./block.ts";
import { type Access, Clock, type Moment } from "./clock.ts";
import { Gathering, worldOf } from "./clocks.ts";
import { EngineSide } from "./engine.ts";
import { invoke } from "./invoke.ts";
import { Cells } from "./memory.ts";
import { placeOf } from "./points.ts";
import { type Frame, value } from "./value.ts";

interface ThreadMemory {
  readonly vars: Iterable<readonly [Var, number]>;
  readonly params: Iterable<readonly [Buffer, Cells]>;
}

const lanesKnown = new WeakMap<Store, number>();

function lanesIn(s: Store): number {
  const lanes = lanesKnown.get(s) ?? Math.max(lanesOf(s.value), ...s.indices.map(lanesOf));
  lanesKnown.set(s, lanes);
  return lanes;
}

export class Thread implements Actor {
  readonly id: number;
  readonly block: Block;
  readonly isProducer: boolean;
  readonly clock: Clock;
  #folds = 0;
  readonly #engine: EngineSide;
  /** Of the copies whose statements it is at; absent: it accesses memory itself. */
  #started: Moment | undefined;
  #site: Stmt;
  #last: { readonly read: Access; readonly write: Access } | undefined;
  #meetings = 0;
  /** Of a parallel loop: whether it is in one, and the first number of its agents. */
  readonly #parallelLoop = { isIn: false, since: 0 };
  readonly #vars: Map<Var, number>;
  readonly #arrays: Map<Buffer, Cells>;
  /** Of the first lane of a vector, and of what is no vector. */
  readonly #scalar: Frame;
  readonly #entered = new Map<Buffer, number>();

  /** `since`: accesses by agents with smaller numbers came before the block. */
  constructor(id: number, block: Block, since: number, body: Stmt, own: ThreadMemory) {
    this.id = id;
    this.block = block;
    this.isProducer = id >= block.threads;
    this.#vars = new Map(own.vars);
    this.#arrays = new Map(own.params);
    this.clock = new Clock(block.world, since, block.rank, id);
    this.#site = body;
    this.#engine = new EngineSide(this);
    const load: Frame["load"] = ({ buffer }, indices) => this.read(buffer, placeOf(buffer, indices), this.#accesses().read);
    this.#scalar = { vars: this.#vars, lane: 0, load };
    block.clocks[id] = this.clock;
  }

  get vars(): ReadonlyMap<Var, number> {
    return this.#vars;
  }
  get #isLaunched(): boolean {
    return this.block.isLaunched;
  }

  #accesses(): { readonly read: Access; readonly write: Access } {
    const moment = this.#started ?? this.clock.moment;
    const site = this.#site;
    if (this.#last?.read.moment !== moment || this.#last.read.site !== site)
      this.#last = { read: { moment, site, isWrite: false }, write: { moment, site, isWrite: true } };
    return this.#last;
  }

  #frame(lane = 0): Frame {
    return lane === 0 ? this.#scalar : { ...this.#scalar, lane };
  }

  read(buffer: Buffer, place: number, by: Access): number {
    const cells = this.cells(buffer);
    return this.#engine.isSlot(buffer, place) ? cells.readSlot(place, by) : cells.read(place, by);
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

  /** What cannot pause is not run as a coroutine. */
  *run(s: Stmt): Generator<Pause, void> {
    if (isRemark(s)) return yield* this.run(s.body);
    if (!pauses(s)) {
      this.#do(s);
      return;
    }
    this.#site = s;
    switch (s.kind) {
      case "For":
        return yield* this.#loop(s);
      case "If": {
        const cond = this.number(s.cond) !== 0;
        if (this.#isLaunched && meets(s.body)) yield { kind: "condition", value: cond };
        if (cond) yield* this.run(s.body);
        return;
      }
      case "Seq":
        for (const one of s.stmts) yield* this.run(one);
        return;
      case "Allocate":
        this.#allocate(s.buffer);
        return yield* this.run(s.body);
      case "Async":
        this.#begin(s);
        yield* this.run(s.body);
        this.#end(s);
        return;
      case "Barrier":
        this.clock.storesAreRead();
        if (this.#isLaunched) yield { kind: "barrier", agent: s.agent };
        return;
      case "Fold":
        // If one thread represents all, its array has all their parts.
        if (!this.#isLaunched) return;
        yield { kind: "fold", stmt: s };
        if (s.exchange) yield* this.#foldBlocks(s);
        return;
      case "Invoke": {
        const places = s.tiles.map(({ buffer, indices }) => placeOf(buffer, this.values(indices)));
        if (this.#isLaunched) yield { kind: "invoke", stmt: s, places };
        else invoke(s, places, [this]);
        return;
      }
      case "AllocChannel":
        if (this.#isLaunched) this.#engine.make(s.channel);
        if (s.channel.cluster) yield* this.#meetCluster();
        yield* this.run(s.body);
        if (s.channel.cluster) yield* this.#meetCluster();
        return;
      case "Fill":
      case "Drain":
        if (!this.#isLaunched) return yield* this.run(s.body);
        if (this.id % (s.kind === "Drain" && s.agent !== "block" ? teamSize[s.agent] : this.block.threads) !== 0) return;
        return yield* s.kind === "Fill" ? this.#engine.fill(s) : this.#engine.drain(s);
      case "Await":
        if (this.#isLaunched) yield* this.#engine.await(s);
        return;
      case "Roles":
        return yield* this.run(this.isProducer ? s.producer : s.consumers);
      default:
        throw new InternalError(`${s.kind} does not pause`);
    }
  }

  #do(s: Stmt): void {
    if (isRemark(s)) {
      this.#do(s.body);
      return;
    }
    this.#site = s;
    switch (s.kind) {
      case "For":
        for (let i = 0; i < s.extent; i++) {
          this.#vars.set(s.loopVar, i);
          this.#do(s.body);
        }
        this.#vars.delete(s.loopVar);
        return;
      case "If":
        if (this.number(s.cond) !== 0) this.#do(s.body);
        return;
      case "Store":
        this.#store(s);
        return;
      case "Seq":
        for (const one of s.stmts) this.#do(one);
        return;
      case "Allocate":
        this.#allocate(s.buffer);
        this.#do(s.body);
        return;
      case "Async":
        this.#begin(s);
        this.#do(s.body);
        this.#end(s);
        return;
      case "Wait":
        if (this.#isLaunched) this.clock.wait(s);
        return;
      case "Handover":
        if (s.what === "wait") this.clock.takeEarlierKernels();
        return;
      case "Release":
        if (this.#isLaunched) this.#engine.release(s);
        return;
      case "Fence":
        this.clock.fence();
        return;
      case "BulkCopy":
        this.#engine.box(s);
        return;
      default:
        throw new InternalError(`${s.kind} pauses`);
    }
  }

  #begin({ engine }: Async): void {
    if (engine === "wgmma") this.clock.products.open = ++this.clock.products.begun;
    else if (this.#isLaunched) this.#started = this.clock.beginCopies();
  }
  #end({ engine }: Async): void {
    if (engine === "wgmma") this.clock.products.open = 0;
    this.#started = undefined;
  }

  *#meetCluster(): Generator<Pause, void> {
    if (!this.#isLaunched) return;
    const { cluster, world } = this.block;
    const nth = this.#meetings++;
    world.meetings[nth] ??= new Gathering(world);
    const met = world.meetings[nth];
    this.clock.give(met);
    cluster.come(nth);
    while (cluster.meetingWaits(nth) !== undefined) yield { kind: "channel", waits: () => cluster.meetingWaits(nth) };
    this.clock.take(met);
  }

  *#loop(s: For): Generator<Pause, void> {
    const isParallel = s.forKind === "parallel" && !this.#isLaunched && !this.#parallelLoop.isIn;
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
    const { agents, world } = this.block;
    const { body } = s;
    if (!isInner) this.#parallelLoop.since = agents.next;
    for (let i = 0; i < s.extent; i++) {
      this.#vars.set(s.loopVar, i);
      if (body.kind === "For" && body.forKind === "parallel") {
        yield* this.#parallel(body, true);
        continue;
      }
      const name = `iteration ${[...this.#vars.values()].join(", ")} of a parallel loop`;
      this.clock.enter(worldOf(agents, world.kernel, world.entries, [name]), this.#parallelLoop.since);
      this.#parallelLoop.isIn = true;
      yield* this.run(body);
      this.#parallelLoop.isIn = false;
    }
    this.#vars.delete(s.loopVar);
    if (!isInner) this.clock.enter(worldOf(agents, world.kernel, world.entries, [""]), agents.next);
  }

  number(e: Expr): number {
    return value(e, this.#frame());
  }
  values(indices: readonly Expr[], lane = 0): number[] {
    return indices.map((index) => value(index, this.#frame(lane)));
  }

  /** All lanes of a vector are computed before the first is stored. */
  #store(s: Store): void {
    const lanes = lanesIn(s);
    const cells = this.cells(s.buffer);
    const values =
      lanes > 1 ? Array.from({ length: lanes }, (_, lane) => value(s.value, this.#frame(lane))) : [this.number(s.value)];
    for (const [lane, x] of values.entries()) {
      const place = placeOf(s.buffer, this.values(s.indices, lane));
      this.#engine.isSlot(s.buffer, place, "writes");
      cells.write(place, x, this.#accesses().write);
    }
  }

  #allocate(buffer: Buffer): void {
    this.#arrays.set(buffer, this.#allocated(buffer));
  }
  /** The array of a thread, or of its block or team; whoever comes first makes it. */
  #allocated(buffer: Buffer): Cells {
    if (!this.#isLaunched || buffer.scope === "local") return new Cells(buffer, !this.#isLaunched);
    const time = this.#entered.get(buffer) ?? 0;
    this.#entered.set(buffer, time + 1);
    const team = teamOf(buffer.scope);
    const owner = team ? `${team} ${Math.floor(this.id / teamSize[team])}` : "block";
    const all = this.block.arrays.get(`${owner} ${buffer.name}`) ?? [];
    this.block.arrays.set(`${owner} ${buffer.name}`, all);
    const cells = all[time] ?? new Cells(buffer, true);
    all[time] = cells;
    return cells;
  }
}
