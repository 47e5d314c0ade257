/**
 * Copies that are made before their iteration use several arrays in turn. `double_buffer` has two, and copies are plain:
 *
 *                                          copy(0) into S[0 ..]
 *   for k in n:                            for k in n:
 *     copy(k) into S[..]           ->        if k + 1 < n: copy(k + 1) into S[(1 - k % 2) * half ..]
 *     use(k) of S[..]                        use(k) of S[k % 2 * half ..]
 *
 * An iteration then needs one barrier, at its head, instead of two: it writes one half and reads the other (insertBarriers
 * proves it). `pipeline n` has n arrays and runs n - 1 iterations ahead, asynchronously:
 *
 *                                          async group: copy(0) into S[0 ..]     ...     async group: copy(n-2)
 *   for k in K:                            for k in K:
 *     copy(k) into S[..]           ->        wait, all but n-2 groups; barrier
 *     use(k) of S[..]                        async group: if k + n-1 < K: copy(k + n-1) into S[(k + n-1) % n * size ..]
 *                                            use(k) of S[k % n * size ..]
 *
 * A group is counted whether its condition holds or not: when iteration k arrives, k + n-1 groups have begun, so all but the last
 * n-2 are those up to k. With an array for each iteration none is filled again, and all copies begin before the loop. One barrier
 * serves both directions: a copy overwrites data that iteration k - 1 read before the barrier. insertBarriers proves, as for any
 * program, that reads and copies of one iteration never meet. Before sm_80 there are no asynchronous copies: the arrays and their
 * order stay, the copies are plain. A CPU does not pipeline.
 *
 * Conditions stand at the stores, never around a barrier. Inference has checked that a copy reads nothing that its own iteration
 * makes. The pass runs when indices are flat, before any pass rearranges loops.
 */
import { invariant } from "@warpfarm/common";
import type { Buffer } from "../../ir/buffer.ts";
import * as b from "../../ir/build.ts";
import type { Expr } from "../../ir/expr.ts";
import type { Ahead, For, Stage, Stmt } from "../../ir/stmt.ts";
import { mapStmt, someStmt, substituteStmt } from "../../ir/visit.ts";
import { definePass, type Pass, withBody } from "../pass.ts";
import { copiesIn, filledBy, type Multiplied, multiply, Slot } from "./array-slots.ts";

const firstAsync = 80;

interface Copy extends Multiplied {
  readonly copy: Stage;
}

class Injector {
  readonly #made = new Map<Buffer, Buffer>();
  readonly #capability: number | undefined;

  constructor(capability: number | undefined) {
    this.#capability = capability;
  }

  readonly isCopy = (s: Stmt): s is Stage =>
    s.kind === "Stage" && s.ahead !== undefined && (this.#capability !== undefined || s.ahead.by === "double_buffer");

  readonly run = (s: Stmt): Stmt => {
    const made = mapStmt(s, this.run, (e) => e);
    if (made.kind === "For") {
      const copies = copiesIn(made.body, this.isCopy);
      return copies.length > 0 ? this.#ahead(made, copies) : made;
    }
    // A kernel allocates all its arrays at the head.
    const several = made.kind === "Allocate" ? this.#made.get(made.buffer) : undefined;
    return made.kind === "Allocate" && several ? b.allocate(several, made.body) : made;
  };

  #ahead(loop: For, copies: readonly Stage[]): Stmt {
    const k = loop.loopVar;
    const { by, arrays } = copies[0]?.ahead as Ahead;
    const all = copies.map((copy): Copy => {
      const old = filledBy(copy);
      invariant(old, `a copy marked ${by} fills nothing`);
      const multiplied = multiply(old, arrays);
      this.#made.set(old, multiplied.made);
      return { copy, ...multiplied };
    });
    const isPipeline = by === "pipeline";
    // Only threads that share an array wait here. Of double_buffer another pass places the barriers.
    const waits = isPipeline && all.some(({ old }) => old.scope === "shared");
    const isAsync = waits && (this.#capability as number) >= firstAsync;
    const slotAt = (iteration: Expr): Expr => b.floorModulo(iteration, b.int(arrays));
    const copyOf = (iteration: Expr, slot: Expr, when?: Expr): Stmt => {
      const at = new Map([[k, iteration]]);
      const made = b.seq(all.map((a) => new Slot(a, slot, this.isCopy, when).stmt(substituteStmt(a.copy, at))));
      return isAsync ? b.async(made) : made;
    };
    const ahead = isPipeline && arrays === loop.extent ? arrays : arrays - 1;
    const first = Array.from({ length: ahead }, (_, i) => copyOf(b.int(i), slotAt(b.int(i))));
    const later = b.add(k, b.int(ahead));
    const slot = isPipeline ? slotAt(later) : b.sub(b.int(1), slotAt(k));
    const next = copyOf(later, slot, b.lt(k, b.int(loop.extent - ahead)));
    const arrived = isAsync ? [b.wait(ahead - 1), b.barrier] : waits ? [b.barrier] : [];
    const inside = new Set<Buffer>();
    let used = this.#withoutCopies(loop.body, inside);
    for (const a of all) used = new Slot(a, slotAt(k), this.isCopy).stmt(used);
    const made = b.seq([...first, { ...loop, body: b.seq([...arrived, next, used]) }]);
    return all.reduceRight<Stmt>((body, a) => (inside.has(a.old) ? b.allocate(a.made, body) : body), made);
  }

  /** Their arrays, where the body allocates them, are added to `inside`: the loop is inside of those from now on. */
  #withoutCopies(s: Stmt, inside: Set<Buffer>): Stmt {
    if (this.isCopy(s)) return b.seq([]);
    if (s.kind === "Allocate" && this.#made.has(s.buffer)) {
      inside.add(s.buffer);
      return this.#withoutCopies(s.body, inside);
    }
    return s.kind === "For"
      ? s
      : mapStmt(
          s,
          (child) => this.#withoutCopies(child, inside),
          (e) => e,
        );
  }
}

/** `capability`: of a GPU; undefined: a CPU. */
export const runAhead = (capability?: number): Pass<"lowered", "lowered"> =>
  definePass("run-ahead", (func) => {
    const injector = new Injector(capability);
    return someStmt(func.body, injector.isCopy) ? withBody(func, injector.run(func.body)) : func;
  });
