/**
 * A copy marked double_buffer works one iteration ahead: its array becomes two halves, filled and used in turn, and the first
 * copy stands before the loop.
 *
 *                                          copy(0) into S[0 ..]
 *   for k in n:                            for k in n:
 *     copy(k) into S[..]           ->        if k + 1 < n: copy(k + 1) into S[(1 - k % 2) * half ..]
 *     use(k) of S[..]                        use(k) of S[k % 2 * half ..]
 *
 * An iteration then needs one barrier, at its head, instead of two: it writes one half and reads the other (insertBarriers
 * proves it). The condition stands at the stores, never around a barrier. Inference has checked that the copy reads nothing
 * that its own iteration makes. The pass runs when indices are flat, before any pass rearranges loops.
 */
import { invariant } from "@warpfarm/common";
import type { Buffer } from "../../ir/buffer.ts";
import * as b from "../../ir/build.ts";
import type { Expr } from "../../ir/expr.ts";
import type { For, Stage, Stmt } from "../../ir/stmt.ts";
import { mapStmt, someStmt, substituteStmt } from "../../ir/visit.ts";
import { definePass, withBody } from "../pass.ts";
import { copiesIn, filledBy, type Multiplied, multiply, Slot } from "./array-slots.ts";

const isCopy = (s: Stmt): s is Stage => s.kind === "Stage" && s.ahead?.by === "double_buffer";

interface Doubled extends Multiplied {
  readonly copy: Stage;
}

class Injector {
  readonly #doubled = new Map<Buffer, Buffer>();

  readonly run = (s: Stmt): Stmt => {
    const made = mapStmt(s, this.run, (e) => e);
    if (made.kind === "For") {
      const copies = copiesIn(made.body, isCopy);
      return copies.length > 0 ? this.#ahead(made, copies) : made;
    }
    // A kernel allocates all its arrays at the head.
    const doubled = made.kind === "Allocate" ? this.#doubled.get(made.buffer) : undefined;
    return made.kind === "Allocate" && doubled ? b.allocate(doubled, made.body) : made;
  };

  #ahead(loop: For, copies: readonly Stage[]): Stmt {
    const k = loop.loopVar;
    const all = copies.map((copy): Doubled => {
      const old = filledBy(copy);
      invariant(old, "a copy marked double_buffer fills nothing");
      const multiplied = multiply(old, 2);
      this.#doubled.set(old, multiplied.made);
      return { copy, ...multiplied };
    });
    const half = b.floorModulo(k, b.int(2));
    const at = (value: Expr, { copy }: Doubled) => substituteStmt(copy, new Map([[k, value]]));
    const first = all.map((d) => new Slot(d, b.int(0), isCopy).stmt(at(b.int(0), d)));
    const notLast = b.lt(k, b.int(loop.extent - 1));
    const ahead = all.map((d) => new Slot(d, b.sub(b.int(1), half), isCopy, notLast).stmt(at(b.add(k, b.int(1)), d)));
    const inside = new Set<Buffer>();
    let used = this.#withoutCopies(loop.body, inside);
    for (const d of all) used = new Slot(d, half, isCopy).stmt(used);
    const made = b.seq([...first, { ...loop, body: b.seq([...ahead, used]) }]);
    return all.reduceRight<Stmt>((body, d) => (inside.has(d.old) ? b.allocate(d.made, body) : body), made);
  }

  #withoutCopies(s: Stmt, inside: Set<Buffer>): Stmt {
    if (isCopy(s)) return b.seq([]);
    if (s.kind === "Allocate" && this.#doubled.has(s.buffer)) {
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

export const injectDoubleBuffer = definePass<"lowered", "lowered">("inject-double-buffer", (func) =>
  someStmt(func.body, isCopy) ? withBody(func, new Injector().run(func.body)) : func,
);
