/**
 * What each loop of a nest touches: AutoTVM's "touch features" (TVM 0.17 `src/autotvm/touch_extractor.{h,cc}`,
 * `feature_visitor.cc`; the method is Chen et al., "Learning to Optimize Tensor Programs", 2018, §3.1), read from the `scheduled`
 * dialect, which has the form AutoTVM looks at: regions inferred, loops of one iteration kept, marks on loops not yet acted upon.
 * Two things are AutoTVM's, not the nest's: the start of a reduction is left out (with trivial loops kept, TVM's ScheduleOps does
 * not emit it), and an index counts as flat and simplified.
 *
 * A touch is one store or load as it stands in the text. A loop's touches are those inside it, so they have consecutive numbers.
 */
import { isFloat } from "@warpfarm/common";
import { Analyzer } from "../arith/analyzer.ts";
import { type Linear, zero } from "../arith/linear.ts";
import { type Buffer, bufferStrides } from "../ir/buffer.ts";
import type { Expr } from "../ir/expr.ts";
import { isRemark } from "../ir/parts.ts";
import type { PrimFunc } from "../ir/prim-func.ts";
import { clusterTag, type For, type Seq, type Stmt } from "../ir/stmt.ts";
import { children, walkStmt } from "../ir/visit.ts";
import { FirstStrides } from "./first-strides.ts";

/** The order is AutoTVM's: position i of the one-hot. */
export const loopKinds = [
  "blockIdx.x",
  "blockIdx.y",
  "blockIdx.z",
  "threadIdx.x",
  "threadIdx.y",
  "threadIdx.z",
  "unrolled",
  "vectorized",
  "parallel",
  "serial",
  "vthread",
] as const;
export type LoopKind = (typeof loopKinds)[number];

/** Names of the numbers of each touch of a loop. `mod` is always -1, as in AutoTVM, whose parser never finds one. */
export const touchFields = ["stride", "mod", "count", "reuse", "threadCount", "threadReuse"] as const;

export interface LoopTouches {
  readonly name: string;
  readonly kind: LoopKind;
  readonly extent: number;
  readonly nestLevel: number;
  readonly topDown: number;
  /** Largest count * reuse of a touch; -1 without one. */
  readonly bottomUp: number;
  readonly arithmetic: readonly [number, number, number];
  readonly firstTouch: number;
  readonly touchCount: number;
  readonly touches: readonly number[];
}

export interface NestTouches {
  readonly loops: readonly LoopTouches[];
  /** By touch: `<buffer>_<number of earlier touches of buffers of that name>`. */
  readonly names: readonly string[];
}

const [stride, count, reuse, threadCount, threadReuse] = [0, 2, 3, 4, 5] as const;
const width = touchFields.length;

interface Entered extends Omit<LoopTouches, "bottomUp" | "arithmetic" | "touches" | "touchCount"> {
  readonly loop: For;
  readonly level: number;
  bottomUp: number;
  touchCount: number;
  readonly arithmetic: [number, number, number];
  readonly touches: number[];
}

function parallelLevel(kind: LoopKind): number {
  if (kind.startsWith("blockIdx")) return 2;
  return kind.startsWith("threadIdx") || kind === "parallel" ? 1 : 0;
}

/** Does it store start values alone? */
function isStart(s: Stmt): boolean {
  let only = true;
  walkStmt(s, (part) => {
    if (part.kind === "Store" && part.value.kind !== "FloatImm" && part.value.kind !== "IntImm") only = false;
  });
  return only;
}

class Extraction {
  readonly loops: Entered[] = [];
  readonly names: string[] = [];
  readonly #stack: Entered[] = [];
  readonly #occurrences = new Map<string, number>();
  readonly #analyzer = new Analyzer();
  readonly #parser = new FirstStrides(this.#analyzer);
  #topDown = 1;

  statement(s: Stmt): void {
    if (isRemark(s)) {
      this.statement(s.body);
      return;
    }
    switch (s.kind) {
      case "For":
        this.#loop(s);
        break;
      case "Allocate":
        this.statement(s.body);
        break;
      case "If":
        this.#expression(s.cond);
        this.statement(s.body);
        break;
      case "Seq":
        this.#sequence(s);
        break;
      case "Store":
        this.#touch(s.buffer, s.indices);
        this.#expression(s.value);
        for (const index of s.indices) this.#expression(index);
        break;
      default:
        // Neither a loop nor an access of one element, so AutoTVM's visitor ignores it.
        break;
    }
  }

  /**
   * Stages computed here are statements Stage. Of the rest, the last statement is the stage's own update. Earlier ones start it,
   * or do a part of a recurrence's step. Of a sum that threads share, the last statement stands for all.
   */
  #sequence({ stmts }: Seq): void {
    const isStage = (s: Stmt): boolean => s.kind === "Stage" || (isRemark(s) && isStage(s.body));
    const update = stmts.findLastIndex((s) => !isStage(s));
    const isShared = stmts.some(({ kind }) => kind === "Fold");
    stmts.forEach((s, i) => {
      if (i === update || isStage(s) || !(isShared || isStart(s))) this.statement(s);
    });
  }

  #loop(loop: For): void {
    // Blocks of a cluster are blocks; AutoTVM knows no clusters.
    const thread = loop.thread === clusterTag ? "blockIdx.x" : loop.thread;
    const kind: LoopKind = loop.forKind === "bound" ? (thread ?? "serial") : loop.forKind;
    this.#topDown *= loop.extent;
    this.#analyzer.declare(loop.loopVar, loop.extent);
    const entered: Entered = {
      name: loop.loopVar.name,
      kind,
      extent: loop.extent,
      nestLevel: this.#stack.length + 1,
      topDown: this.#topDown,
      bottomUp: -1,
      arithmetic: [0, 0, 0],
      firstTouch: this.names.length,
      touchCount: 0,
      touches: [],
      loop,
      level: parallelLevel(kind),
    };
    this.loops.push(entered);
    this.#stack.push(entered);
    this.statement(loop.body);
    this.#leave(entered);
    this.#topDown /= loop.extent;
  }

  #leave(left: Entered): void {
    const { touches, extent } = left;
    for (let at = 0; at < touches.length; at += width) {
      const field = touches[at + stride] !== 0 ? count : reuse;
      for (const loop of this.#stack) {
        const place = at + field + (left.firstTouch - loop.firstTouch) * width;
        loop.touches[place] = (loop.touches[place] as number) * extent;
      }
    }
    this.#stack.pop();
    left.touchCount = touches.length / width;
    for (let at = 0; at < touches.length; at += width)
      left.bottomUp = Math.max(left.bottomUp, (touches[at + count] as number) * (touches[at + reuse] as number));
    this.#baseOfOuterLevel(left);
    for (let at = 0; at < touches.length; at += width) {
      const base = touches[at + threadCount] as number;
      if (base >= 0) continue;
      touches[at + threadCount] = Math.trunc((touches[at + count] as number) / -base);
      touches[at + threadReuse] = Math.trunc((touches[at + reuse] as number) / -(touches[at + threadReuse] as number));
    }
  }

  /** What one iteration of the next parallel level touches; negative until the loops of that level divide by it. */
  #baseOfOuterLevel(left: Entered): void {
    const outer = this.#stack[this.#stack.length - 1];
    if (!outer || outer.level !== left.level + 1) return;
    for (const loop of this.#stack) {
      if (loop.level !== outer.level) continue;
      const shift = (left.firstTouch - loop.firstTouch) * width;
      for (let at = 0; at < left.touches.length; at += width) {
        loop.touches[shift + at + threadCount] = -(left.touches[at + count] as number);
        loop.touches[shift + at + threadReuse] = -(left.touches[at + reuse] as number);
      }
    }
  }

  #touch(buffer: Buffer, indices: readonly Expr[]): void {
    const before = this.#occurrences.get(buffer.name) ?? 0;
    this.#occurrences.set(buffer.name, before + 1);
    this.names.push(`${buffer.name}_${before}`);
    const strides = this.#parser.read(this.#flatIndex(buffer, indices));
    for (const { touches, loop } of this.#stack) touches.push(strides.get(loop.loopVar) ?? 0, -1, 1, 1, 0, 0);
  }

  #flatIndex(buffer: Buffer, indices: readonly Expr[]): Linear {
    const strides = bufferStrides(buffer);
    let sum: Linear = zero;
    indices.forEach((index, d) => {
      sum = this.#analyzer.sum(sum, this.#analyzer.linear(index), strides[d] as number);
    });
    return sum;
  }

  #expression(e: Expr): void {
    const innermost = this.#stack[this.#stack.length - 1];
    if (e.kind === "Load") this.#touch(e.buffer, e.indices);
    else if (innermost && isFloat(e.dtype)) {
      if (e.kind === "Add" || e.kind === "Sub") innermost.arithmetic[0]++;
      else if (e.kind === "Mul") innermost.arithmetic[1]++;
      else if (e.kind === "Div") innermost.arithmetic[2]++;
    }
    for (const child of children(e)) this.#expression(child);
  }
}

export function loopTouches(func: PrimFunc<"scheduled">): NestTouches {
  const extraction = new Extraction();
  extraction.statement(func.body);
  return { loops: extraction.loops, names: extraction.names };
}
