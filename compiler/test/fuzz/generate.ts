/**
 * Random schedules. Single primitives with random arguments mix with a few compositions that people write (launch a nest, accumulate in
 * registers, fetch together through shared memory), because chance alone seldom finds those. Local refusals are counted and passed over;
 * when inference refuses, the trace is cut before the step it blames and grows again.
 */
import { Random } from "@warpfarm/common";
import type { Scope } from "../../src/ir/buffer.ts";
import type { Expr, Var } from "../../src/ir/expr.ts";
import type { ThreadTag } from "../../src/ir/stmt.ts";
import { walkExpr } from "../../src/ir/visit.ts";
import { indexMap } from "../../src/json/index-map.ts";
import { ScheduleError } from "../../src/schedule/error.ts";
import { infer } from "../../src/schedule/infer.ts";
import { createSchedule, replay, type Schedule } from "../../src/schedule/schedule.ts";
import { attachedAt, type LoopRef, loopOf, type Stage, type StageRef, type State } from "../../src/schedule/state.ts";
import { add, floorDiv, floorMod, mul } from "../../src/te/expr.ts";
import type { Graph } from "../../src/te/graph.ts";

/** A move that has nothing to act on in this state. */
class NoPlace extends Error {}

export type Flavour = "cuda" | "cpu";

export class Walk {
  sch: Schedule;
  readonly #graph: Graph;
  readonly #random: Random;
  readonly #flavour: Flavour;
  readonly #refused: Map<string, number>;

  constructor(graph: Graph, random: Random, flavour: Flavour, refused: Map<string, number>) {
    this.#graph = graph;
    this.#random = random;
    this.#flavour = flavour;
    this.#refused = refused;
    this.sch = createSchedule(graph);
  }

  /** At least `least` steps that inference accepts; undefined when chance did not find them. */
  run(least: number): Schedule | undefined {
    for (let round = 0; round < 12; round++) {
      for (let tries = 0; this.sch.trace.length < least && tries < 60; tries++) this.#attempt(this.#pick(this.#moves));
      const found = infer(this.sch.state);
      if (found.ok) {
        if (this.sch.trace.length >= least) return this.#annotated();
        continue;
      }
      this.#count(found.error.rule);
      if (found.error.rule === "scope.root" && this.#random.below(4) > 0) this.#attempt(this.#attachLoose);
      else this.#cut(Math.min(found.error.step ?? this.sch.trace.length - 1, this.sch.trace.length - 1));
    }
    return undefined;
  }

  /** With what changes nothing but the kernel's head. Drawn apart, so that schedules of a seed stay what they were. */
  #annotated(): Schedule {
    const random = new Random(this.sch.trace.length * 64 + this.#stages.length);
    const roots = this.#stages.filter((s) => s.placement.kind === "root" && s.scope === undefined);
    if (this.#flavour === "cuda" && random.below(3) === 0 && roots.length > 0)
      this.sch.minBlocks(random.pick(roots).ref, 1 + random.below(3));
    return this.sch;
  }

  #cut(length: number): void {
    const kept = replay(this.#graph, this.sch.trace.slice(0, length));
    if (!kept.ok) throw new Error(`a prefix of an accepted trace is refused: ${kept.error.message}`);
    this.sch = kept.value;
  }

  #count(rule: string): void {
    this.#refused.set(rule, (this.#refused.get(rule) ?? 0) + 1);
  }

  #attempt(move: () => void): void {
    try {
      move();
    } catch (error) {
      if (error instanceof ScheduleError) this.#count(error.rule);
      else if (!(error instanceof NoPlace)) throw error;
    }
  }

  #pick<T>(items: readonly T[]): T {
    if (items.length === 0) throw new NoPlace();
    return this.#random.pick(items);
  }
  get #state(): State {
    return this.sch.state;
  }
  get #stages(): readonly Stage[] {
    return this.#state.stages.filter((s) => s.placement.kind !== "inline");
  }
  #stage(): Stage {
    return this.#pick(this.#stages);
  }
  #leaf(): LoopRef {
    return this.#pick(this.#stage().leaves);
  }
  #spatialLeaves(stage: Stage): LoopRef[] {
    return stage.leaves.filter((l) => loopOf(this.#state, l).kind === "spatial");
  }
  #readersOf(name: string): Stage[] {
    return this.#stages.filter((s) => {
      let found = false;
      walkExpr(s.body, (e) => {
        found ||= e.kind === "Load" && e.buffer.name === name;
      });
      return found;
    });
  }
  #scope(): Scope {
    return this.#pick<Scope>(this.#flavour === "cuda" ? ["shared", "shared", "local", "local", "global"] : ["local", "global"]);
  }
  #factors(): (number | null)[] {
    const parts = this.#random.below(4) === 0 ? 3 : 2;
    const factors: (number | null)[] = Array.from({ length: parts }, () => 1 + this.#random.below(5));
    if (this.#random.below(8) > 0) factors[this.#random.below(parts)] = null;
    return factors;
  }

  readonly #split = (): void => void this.sch.split(this.#leaf(), this.#factors());
  readonly #fuse = (): void => {
    const { leaves } = this.#stage();
    const at = this.#random.below(Math.max(1, leaves.length - 1));
    this.sch.fuse(leaves.slice(at, at + 2 + this.#random.below(2)));
  };
  readonly #reorder = (): void => {
    const { leaves } = this.#stage();
    this.sch.reorder(this.#random.shuffle(leaves).slice(0, 2 + this.#random.below(3)));
  };
  readonly #tile = (): void => {
    const loops = this.#random.shuffle(this.#stage().leaves);
    this.sch.tile(
      this.#pick(loops.slice(0, 1)),
      this.#pick(loops.slice(1, 2)),
      1 + this.#random.below(4),
      1 + this.#random.below(4),
    );
  };
  readonly #bind = (): void => {
    const tags: ThreadTag[] = [
      "threadIdx.x",
      "threadIdx.y",
      "threadIdx.z",
      "blockIdx.x",
      "blockIdx.y",
      "blockIdx.z",
      "vthread",
      "vthread",
    ];
    this.sch.bind(this.#leaf(), this.#pick(tags));
  };
  readonly #parallel = (): void => {
    const { leaves } = this.#stage();
    this.sch.parallel(leaves[this.#random.below(Math.min(2, leaves.length))] as LoopRef);
  };
  readonly #unroll = (): void => this.sch.unroll(this.#leaf());
  /** The last axis of a stage, or a part of it of 2, 4 or 8, perhaps moved innermost. */
  readonly #vectorize = (): void => {
    const stage = this.#stage();
    const loop = this.#spatialLeaves(stage).at(-1) ?? this.#leaf();
    const whole = this.#random.below(3) === 0;
    const lanes = whole ? loop : (this.sch.split(loop, [null, this.#pick([2, 4, 4, 8])])[1] as LoopRef);
    const leaves = this.sch.leaves(stage.ref);
    if (this.#random.below(2) === 0) this.sch.reorder([...leaves.filter((l) => l !== lanes), lanes]);
    this.sch.vectorize(lanes);
  };
  readonly #pragma = (): void => {
    if (this.#random.below(2) === 0) this.sch.pragma(this.#leaf(), "auto_unroll_max_step", this.#pick([0, 4, 16, 64]));
    else this.sch.pragma(this.#leaf(), "unroll_explicit", this.#random.below(2));
  };
  readonly #computeAt = (): void => {
    const stage = this.#pick(this.#stages.filter((s) => !s.isOutput));
    const readers = this.#readersOf(stage.buffer.name);
    const consumer = readers.length > 0 && this.#random.below(5) > 0 ? this.#pick(readers) : this.#stage();
    this.sch.computeAt(stage.ref, consumer.ref, this.#pick(consumer.leaves));
  };
  /** A place inside a nest for each cache that cannot stand at the root. */
  readonly #attachLoose = (): void => {
    for (const stage of this.#stages) {
      if (stage.leaves.some((leaf) => attachedAt(this.#state, leaf, ["after"]).length > 0)) continue;
      if (stage.placement.kind !== "root" || stage.scope === undefined || stage.scope === "global") continue;
      const [reader] = this.#readersOf(stage.buffer.name);
      if (reader) this.sch.computeAt(stage.ref, reader.ref, this.#pick(reader.leaves));
    }
  };
  readonly #computeInline = (): void => {
    this.sch.computeInline(this.#pick(this.#stages.filter((s) => !s.isOutput)).ref);
  };
  readonly #cacheRead = (): void => {
    const tensors = [...this.#graph.inputs, ...this.#stages.map((s) => s.buffer)];
    const tensor = this.#pick(tensors);
    const readers = this.#readersOf(tensor.name);
    const some = this.#random.below(3) === 0 ? readers.slice(0, 1) : readers;
    this.sch.cacheRead(
      tensor,
      this.#scope(),
      some.map((s) => s.ref),
    );
  };
  readonly #cacheWrite = (): void => void this.sch.cacheWrite(this.#stage().ref, this.#scope());

  /** Stages computed inside a nest, whose memory is the schedule's own. */
  #inner(): Stage {
    return this.#pick(this.#stages.filter((s) => s.placement.kind === "at"));
  }
  readonly #setScope = (): void => this.sch.setScope(this.#inner().ref, this.#scope());
  /** Of a copy made for it at a loop of a sum, or of any stage inside a nest. */
  readonly #doubleBuffer = (): void => {
    if (this.#random.below(3) === 0) this.sch.doubleBuffer(this.#inner().ref);
    else this.sch.doubleBuffer(this.#copyInSum(this.#scope()));
  };
  readonly #pipeline = (): void => {
    const stages = 2 + this.#random.below(3);
    if (this.#random.below(4) === 0) this.sch.pipeline(this.#inner().ref, stages);
    else {
      const copy = this.#copyInSum(this.#scope());
      // Only whole vectors are copied by the machine itself.
      const row = this.sch.axes(copy).at(-1) as LoopRef;
      if (this.#random.below(2) === 0) this.sch.vectorize(this.sch.split(row, [null, this.#pick([2, 4])])[1] as LoopRef);
      this.sch.pipeline(copy, stages);
    }
  };
  /** Of a copy in shared memory, whose rows become a power of two long. */
  readonly #swizzle = (): void => {
    const cache = this.#copyInSum("shared", true);
    this.sch.swizzle(cache);
  };
  /** A copy at a loop of a sum; `cut`: in rows of 8, or of 16, at the first one. */
  #copyInSum(scope: Scope, cut = false): StageRef {
    const reader = this.#pick(this.#stages.filter((s) => s.combiner));
    const sums = reader.leaves.filter((l) => loopOf(this.#state, l).kind === "reduce");
    const tensors: Stage["buffer"][] = [];
    walkExpr(reader.body, (e) => {
      if (e.kind === "Load") tensors.push(e.buffer);
    });
    const cache = this.sch.cacheRead(this.#pick(tensors), scope, [reader.ref]);
    if (cut) {
      const names = (this.#state.stages[cache] as Stage).axes.map((_, d) => `d${d}`);
      const row = this.#pick([8, 16]);
      const { shape } = (this.#state.stages[cache] as Stage).buffer;
      const rows = indexMap(names, (...axes) => {
        const all = axes.slice(1).reduce<Expr>((sum, axis, d) => add(mul(sum, shape[d + 1] as number), axis), axes[0] as Expr);
        return [floorDiv(all, row), floorMod(all, row)];
      });
      this.sch.transformLayout(cache, rows);
    }
    this.sch.computeAt(cache, reader.ref, cut ? (sums[0] as LoopRef) : this.#pick(sums));
    if (this.#flavour === "cuda" && this.#random.below(2) === 0) this.sch.bind(this.#pick(this.sch.axes(cache)), "threadIdx.x");
    return cache;
  }
  readonly #storageAlign = (): void => {
    const { ref, axes } = this.#inner();
    const factor = this.#pick([2, 4, 8, 8, 3]);
    this.sch.storageAlign(ref, this.#random.below(axes.length), factor, this.#random.below(factor));
  };

  /** Axes cut, fused and permuted, of a cache made for it or of a stage whose loops are as they were. */
  readonly #transformLayout = (): void => {
    const fresh = this.#random.below(2) === 0;
    if (fresh) this.#cacheRead();
    const stage = fresh
      ? (this.#state.stages.at(-1) as Stage)
      : this.#pick(this.#stages.filter((s) => !s.isOutput && s.spatial.every((l) => s.leaves.includes(l))));
    const names = stage.axes.map((_, d) => `d${d}`);
    this.sch.transformLayout(
      stage.ref,
      indexMap(names, (...axes) => this.#layout(axes, stage.buffer.shape)),
    );
    if (fresh) this.#attachLoose();
  };
  #layout(axes: readonly Var[], shape: readonly number[]): Expr[] {
    let whole: Expr[] = [...axes];
    if (axes.length > 1 && this.#random.below(3) === 0) {
      const [first, second, ...rest] = axes as [Var, Var, ...Var[]];
      whole = [add(mul(first, shape[1] as number), second), ...rest];
    }
    const to = whole.flatMap((axis) => {
      const by = this.#pick([2, 3, 4, 4]);
      return this.#random.below(2) === 0 ? [axis] : [floorDiv(axis, by), floorMod(axis, by)];
    });
    return this.#random.below(3) === 0 ? to : this.#random.shuffle(to);
  }

  /** Blocks and threads over the spatial loops of a root stage. */
  readonly #launch = (): void => {
    const stage = this.#pick(this.#stages.filter((s) => s.placement.kind === "root"));
    const loops = this.#spatialLeaves(stage).filter((l) => loopOf(this.#state, l).forKind === "serial");
    const axes = ["x", "y", "z"] as const;
    const outer: LoopRef[] = [];
    const inner: LoopRef[] = [];
    loops.slice(-2).forEach((loop, i) => {
      const [block, thread] = this.sch.split(
        loop,
        this.#random.below(2) === 0 ? [null, 1 + this.#random.below(4)] : [1 + this.#random.below(4), null],
      );
      this.sch.bind(block as LoopRef, `blockIdx.${axes[i] ?? "x"}`);
      this.sch.bind(thread as LoopRef, `threadIdx.${axes[i] ?? "x"}`);
      outer.push(block as LoopRef);
      inner.push(thread as LoopRef);
    });
    this.sch.reorder([...loops.slice(0, -2), ...outer, ...inner]);
  };
  /** A reduction accumulated in registers inside its output's threads. */
  readonly #accumulate = (): void => {
    const stage = this.#pick(this.#stages.filter((s) => s.combiner));
    const cache = this.sch.cacheWrite(stage.ref, this.#pick<Scope>(["local", "local", this.#scope()]));
    this.sch.computeAt(cache, stage.ref, this.#pick((this.#state.stages[stage.ref] as Stage).leaves));
  };
  /** A stage, or what is left of it after its cache has taken the work, behind a loop of what it reads. */
  readonly #reverseComputeAt = (): void => {
    const stage = this.#stage();
    if (this.#random.below(4) > 0) {
      const cache = this.sch.cacheWrite(stage.ref, this.#scope());
      const sum = this.sch.leaves(cache).findIndex((l) => loopOf(this.#state, l).kind === "reduce");
      const leaves = this.sch.leaves(cache).slice(0, sum < 0 ? undefined : sum);
      if (this.#random.below(2) === 0) this.sch.split(this.#pick(leaves), [null, 1 + this.#random.below(4)]);
      if (this.#flavour === "cuda" && this.#random.below(2) === 0)
        this.sch.bind(this.sch.leaves(cache)[0] as LoopRef, this.#pick(["blockIdx.x", "threadIdx.x"]));
      this.sch.reverseComputeAt(stage.ref, cache, this.#pick(this.sch.leaves(cache).slice(0, leaves.length + 1)));
      return;
    }
    const producers = this.#stages.filter((s) => this.#readersOf(s.buffer.name).includes(stage));
    const producer = this.#pick(producers);
    this.sch.reverseComputeAt(stage.ref, producer.ref, this.#pick(producer.leaves));
  };
  /** Of a stage, or of what a cache has left of it. */
  readonly #reverseComputeInline = (): void => {
    const stage = this.#pick(
      this.#stages.filter((s) => s.relations.length === 0 && s.leaves.every((l) => loopOf(this.#state, l).forKind === "serial")),
    );
    if (this.#random.below(4) === 0) {
      this.sch.reverseComputeInline(stage.ref);
      return;
    }
    const cache = this.sch.cacheWrite(stage.ref, this.#scope());
    if (stage.combiner) this.sch.cacheWrite(cache, this.#scope());
    this.sch.reorder(this.#random.shuffle(this.sch.leaves(cache)));
    this.sch.reverseComputeInline(stage.ref);
  };
  readonly #decomposeReduction = (): void => {
    const { ref, leaves } = this.#pick(this.#stages.filter((s) => s.combiner));
    const sum = leaves.findIndex((l) => loopOf(this.#state, l).kind === "reduce");
    this.sch.decomposeReduction(ref, this.#random.below(8) > 0 ? this.#pick(leaves.slice(0, sum + 1)) : this.#pick(leaves));
  };
  readonly #rfactor = (): void => {
    const stage = this.#pick(this.#stages.filter((s) => s.combiner));
    const sums = stage.leaves.filter((l) => loopOf(this.#state, l).kind === "reduce");
    const whole = this.#pick(sums);
    const loop =
      this.#random.below(2) === 0 ? whole : this.#pick(this.sch.split(whole, [null, 2 + this.#random.below(3)] as const));
    this.sch.rfactor(loop, this.#random.below(stage.axes.length + 1));
  };
  /** A copy whose loops are shared out over the threads. */
  readonly #fetch = (): void => {
    const reader = this.#pick(this.#stages);
    const reads: Stage["buffer"][] = [];
    walkExpr(reader.body, (e) => {
      if (e.kind === "Load") reads.push(e.buffer);
    });
    const cache = this.sch.cacheRead(this.#pick(reads), this.#flavour === "cuda" ? "shared" : this.#scope(), [reader.ref]);
    this.sch.computeAt(cache, reader.ref, this.#pick(reader.leaves));
    const fused = this.sch.fuse(this.sch.axes(cache));
    const [, thread] = this.sch.split(
      fused,
      this.#random.below(2) === 0 ? [null, 1 + this.#random.below(6)] : [1 + this.#random.below(6), null],
    );
    if (this.#flavour === "cuda") this.sch.bind(thread as LoopRef, this.#pick(["threadIdx.x", "threadIdx.y"]));
  };

  get #moves(): readonly (() => void)[] {
    const common = [this.#split, this.#split, this.#fuse, this.#reorder, this.#tile, this.#unroll, this.#vectorize, this.#pragma];
    const stages = [
      this.#computeAt,
      this.#computeAt,
      this.#computeInline,
      this.#cacheRead,
      this.#cacheWrite,
      this.#accumulate,
      this.#fetch,
      this.#setScope,
      this.#setScope,
      this.#storageAlign,
      this.#storageAlign,
      this.#doubleBuffer,
      this.#pipeline,
      this.#transformLayout,
      this.#decomposeReduction,
      this.#rfactor,
      this.#reverseComputeAt,
      this.#reverseComputeInline,
    ];
    const own =
      this.#flavour === "cuda"
        ? [this.#bind, this.#bind, this.#launch, this.#launch, ...Array.from({ length: 6 }, () => this.#swizzle)]
        : [this.#parallel, this.#parallel];
    return [...common, ...stages, ...own];
  }
}

/** Does any split of the trace leave a rest? */
export const hasRest = (state: State): boolean =>
  state.stages.some((stage) =>
    stage.relations.some((r) => {
      if (r.kind !== "split") return false;
      const product = r.factors.reduce<number>((p, f) => p * (f ?? 1), 1);
      const { extent } = loopOf(state, r.parent);
      return r.factors.includes(null) ? extent % product !== 0 : extent !== product;
    }),
  );
