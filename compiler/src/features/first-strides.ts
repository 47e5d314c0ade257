/**
 * How far an index moves when a loop's variable moves by one, the way AutoTVM's IndexParser sees it (TVM 0.17 touch_extractor.cc): it walks
 * the index from left to right, takes `variable * constant` for a stride wherever it stands, and counts each variable once, where it is first
 * met; a multiplier whose variable has been met already stays for the next new one. So
 *
 *   (x*6 + y)/9*81 + (x*6 + y)%9   ->   x: 6, y: 1
 */
import type { Expr, Var } from "../ir/expr.ts";
import { children } from "../ir/visit.ts";

export class FirstStrides {
  readonly strides = new Map<Var, number>();
  #next = 1;

  /** Reads one index; what was known of an earlier one is forgotten. */
  read(index: Expr): ReadonlyMap<Var, number> {
    this.strides.clear();
    this.#next = 1;
    this.#walk(index);
    return this.strides;
  }

  #walk(e: Expr): void {
    if (e.kind === "Var") {
      if (this.strides.has(e)) return;
      this.strides.set(e, this.#next);
      this.#next = 1;
      return;
    }
    if (e.kind === "Mul" && e.a.kind === "Var" && e.b.kind === "IntImm") this.#next = e.b.value;
    for (const child of children(e)) this.#walk(child);
  }
}
