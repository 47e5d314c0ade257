/**
 * Copies marked `pipeline n` use n arrays and run n - 1 iterations ahead of their use, asynchronously:
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
 * order stay, the copies are plain. The pass runs when indices are flat.
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
const isCopy = (s: Stmt): s is Stage => s.kind === "Stage" && s.ahead?.by === "pipeline";

interface Copy extends Multiplied {
  readonly copy: Stage;
}

class Injector {
  readonly #made = new Map<Buffer, Buffer>();
  readonly #canAsync: boolean;

  constructor(canAsync: boolean) {
    this.#canAsync = canAsync;
  }

  readonly run = (s: Stmt): Stmt => {
    const made = mapStmt(s, this.run, (e) => e);
    if (made.kind === "For") {
      const copies = copiesIn(made.body, isCopy);
      return copies.length > 0 ? this.#ahead(made, copies) : made;
    }
    const several = made.kind === "Allocate" ? this.#made.get(made.buffer) : undefined;
    return made.kind === "Allocate" && several ? b.allocate(several, made.body) : made;
  };

  #ahead(loop: For, copies: readonly Stage[]): Stmt {
    const k = loop.loopVar;
    const arrays = (copies[0]?.ahead as Ahead).arrays;
    const all = copies.map((copy): Copy => {
      const old = filledBy(copy);
      invariant(old, "a copy marked pipeline fills nothing");
      const multiplied = multiply(old, arrays);
      this.#made.set(old, multiplied.made);
      return { copy, ...multiplied };
    });
    // A thread's own arrays are filled by the thread itself, and nobody else waits for them.
    const isShared = all.some(({ old }) => old.scope === "shared");
    const isAsync = isShared && this.#canAsync;
    const slotAt = (iteration: Expr): Expr => b.floorModulo(iteration, b.int(arrays));
    const group = (iteration: Expr, when?: Expr): Stmt => {
      const at = new Map([[k, iteration]]);
      const made = b.seq(all.map((a) => new Slot(a, slotAt(iteration), isCopy, when).stmt(substituteStmt(a.copy, at))));
      return isAsync ? b.async(made) : made;
    };
    const ahead = arrays === loop.extent ? arrays : arrays - 1;
    const first = Array.from({ length: ahead }, (_, i) => group(b.int(i)));
    const next = group(b.add(k, b.int(ahead)), b.lt(k, b.int(loop.extent - ahead)));
    const arrived = isAsync ? [b.wait(ahead - 1), b.barrier] : isShared ? [b.barrier] : [];
    let used = withoutCopies(loop.body);
    for (const a of all) used = new Slot(a, slotAt(k), isCopy).stmt(used);
    return b.seq([...first, { ...loop, body: b.seq([...arrived, next, used]) }]);
  }
}

function withoutCopies(s: Stmt): Stmt {
  if (isCopy(s)) return b.seq([]);
  return s.kind === "For" ? s : mapStmt(s, withoutCopies, (e) => e);
}

export const injectPipeline = (capability: number): Pass<"lowered", "lowered"> =>
  definePass("inject-pipeline", (func) =>
    someStmt(func.body, isCopy) ? withBody(func, new Injector(capability >= firstAsync).run(func.body)) : func,
  );
