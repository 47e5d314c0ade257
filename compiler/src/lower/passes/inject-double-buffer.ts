/**
 * A copy marked double_buffer works one iteration ahead: its array becomes two halves, filled and used in turn, and the first copy stands
 * before the loop.
 *
 *                                          copy(0) into S[0 ..]
 *   for k in n:                            for k in n:
 *     copy(k) into S[..]           ->        if k + 1 < n: copy(k + 1) into S[(1 - k % 2) * half ..]
 *     use(k) of S[..]                        use(k) of S[k % 2 * half ..]
 *
 * An iteration then needs one barrier, at its head, not two: what is written and what is read are different halves (insertBarriers sees
 * it). The condition stands at the stores, never around a barrier. Inference has seen to it that the copy reads nothing that the same
 * iteration makes. Runs when indices are flat, before anything rearranges loops.
 */
import { invariant } from "@warpfarm/common";
import { type Buffer, bufferSize, halfOf } from "../../ir/buffer.ts";
import * as b from "../../ir/build.ts";
import type { Expr } from "../../ir/expr.ts";
import type { For, Stmt } from "../../ir/stmt.ts";
import { mapChildren, mapStmt, substituteStmt, walkStmt } from "../../ir/visit.ts";
import { definePass, withBody } from "../pass.ts";

const isCopy = (s: Stmt): boolean => s.kind === "Attr" && s.key === "double_buffer";

/** The array a copy fills. */
function filledBy(copy: Stmt): Buffer | undefined {
  let filled: Buffer | undefined;
  walkStmt(copy, (s) => {
    if (s.kind === "Store") filled = s.buffer;
  });
  return filled;
}

/** Accesses of an array moved to a half of its doubled successor; stores only under a condition. */
class Half {
  readonly #old: Buffer;
  readonly #doubled: Buffer;
  readonly #first: Expr;
  readonly #when: Expr;

  constructor({ old, made }: { readonly old: Buffer; readonly made: Buffer }, half: Expr, when: Expr = b.bool(true)) {
    this.#old = old;
    this.#doubled = made;
    this.#first = b.mul(half, b.int(bufferSize(made) / 2));
    this.#when = when;
  }
  readonly #expr = (e: Expr): Expr => {
    const made = mapChildren(e, this.#expr);
    return made.kind === "Load" && made.buffer === this.#old ? b.load(this.#doubled, this.#moved(made.indices)) : made;
  };
  #moved(indices: readonly Expr[]): Expr[] {
    return [b.add(this.#first, indices[0] as Expr)];
  }
  readonly stmt = (s: Stmt): Stmt => {
    if (isCopy(s)) return this.stmt((s as Extract<Stmt, { kind: "Attr" }>).body);
    const made = mapStmt(s, this.stmt, this.#expr);
    if (made.kind === "Store")
      return b.ifThen(
        this.#when,
        made.buffer === this.#old ? b.store(this.#doubled, this.#moved(made.indices), made.value) : made,
      );
    if (made.kind === "Invoke" && made.tiles.some((tile) => tile.buffer === this.#old))
      return {
        ...made,
        tiles: made.tiles.map((tile) =>
          tile.buffer === this.#old ? { ...tile, buffer: this.#doubled, indices: this.#moved(tile.indices) } : tile,
        ),
      };
    return made;
  };
}

interface Doubled {
  readonly copy: Stmt;
  readonly old: Buffer;
  readonly made: Buffer;
}

class Injector {
  readonly #doubled = new Map<Buffer, Buffer>();

  readonly run = (s: Stmt): Stmt => {
    const made = mapStmt(s, this.run, (e) => e);
    if (made.kind === "For") {
      const copies = copiesIn(made.body);
      return copies.length > 0 ? this.#ahead(made, copies) : made;
    }
    // Of a kernel, all arrays are allocated at the head.
    const doubled = made.kind === "Allocate" ? this.#doubled.get(made.buffer) : undefined;
    return made.kind === "Allocate" && doubled ? b.allocate(doubled, made.body) : made;
  };

  #ahead(loop: For, copies: readonly Stmt[]): Stmt {
    const k = loop.loopVar;
    const all = copies.map((copy): Doubled => {
      const old = filledBy(copy);
      invariant(old, "a copy marked double_buffer fills nothing");
      const made: Buffer = { ...old, shape: [2 * halfOf(bufferSize(old))] };
      this.#doubled.set(old, made);
      return { copy, old, made };
    });
    const half = b.floorModulo(k, b.int(2));
    const at = (value: Expr, { copy }: Doubled) => substituteStmt(copy, new Map([[k, value]]));
    const first = all.map((d) => new Half(d, b.int(0)).stmt(at(b.int(0), d)));
    const notLast = b.lt(k, b.int(loop.extent - 1));
    const ahead = all.map((d) => new Half(d, b.sub(b.int(1), half), notLast).stmt(at(b.add(k, b.int(1)), d)));
    const inside = new Set<Buffer>();
    let used = this.#withoutCopies(loop.body, inside);
    for (const d of all) used = new Half(d, half).stmt(used);
    const made = b.seq([...first, { ...loop, body: b.seq([...ahead, used]) }]);
    return all.reduceRight<Stmt>((body, d) => (inside.has(d.old) ? b.allocate(d.made, body) : body), made);
  }

  /** The rest of an iteration; collects the doubled arrays that were allocated in it. */
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

/** Marked copies of one iteration. */
function copiesIn(s: Stmt): readonly Stmt[] {
  if (isCopy(s)) return [s];
  if (s.kind === "Seq") return s.stmts.flatMap(copiesIn);
  return s.kind === "Allocate" || s.kind === "Attr" || s.kind === "If" ? copiesIn(s.body) : [];
}

export const injectDoubleBuffer = definePass<"lowered", "lowered">("inject-double-buffer", (func) => {
  let found = false;
  walkStmt(func.body, (s) => {
    if (isCopy(s)) found = true;
  });
  return found ? withBody(func, new Injector().run(func.body)) : func;
});
