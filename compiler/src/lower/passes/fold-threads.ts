/**
 * A reduction over the threads of a row becomes shuffles; in a row of several warps, one value of each goes through shared
 * memory. A row is the threads that differ in threadIdx.x only. The order is distances 16, 8, 4, 2, 1 within a warp, then again
 * over the warps' values.
 *
 *   fold part by sum over threadIdx.x     ->     fold part by sum over 32 lanes
 *                                                if t % 32 == 0: W[t // 32] = part
 *                                                part = W[t % 8]
 *                                                fold part by sum over 8 lanes           of 256 threads
 *                                                fold part by sum over 4 blocks by B     where blocks of a cluster share the row
 *
 * The pass runs when threads stand at the head of each nest; insertBarriers adds the barriers later.
 */
import { invariant } from "@warpfarm/common";
import { teamSize } from "../../ir/agent.ts";
import { type Buffer, bufferSize } from "../../ir/buffer.ts";
import * as b from "../../ir/build.ts";
import { identityOf } from "../../ir/combiner.ts";
import type { Expr } from "../../ir/expr.ts";
import { exchangeArray, foldArray } from "../../ir/fold.ts";
import { isRemark } from "../../ir/parts.ts";
import type { Fold, For, Stmt } from "../../ir/stmt.ts";
import { holds, mapStmt } from "../../ir/visit.ts";
import { definePass, withBody } from "../pass.ts";
import { rootNests } from "./lower-threads.ts";

function indicesOf(shape: readonly number[], e: Expr): Expr[] {
  let stride = shape.reduce((product, extent) => product * extent, 1);
  return shape.map((extent, d) => {
    const outer = stride;
    stride /= extent;
    const digit = b.floorDiv(e, b.int(stride));
    return d === 0 || outer === stride ? (extent === 1 ? b.int(0) : digit) : b.floorModulo(digit, b.int(extent));
  });
}

class Folding {
  readonly #heads: ReadonlyMap<string, For>;
  readonly arrays: Buffer[] = [];

  constructor(heads: readonly For[]) {
    this.#heads = new Map(heads.map((loop) => [loop.thread ?? "", loop]));
  }

  readonly run = (s: Stmt): Stmt => (s.kind === "Fold" ? this.#fold(s) : mapStmt(s, this.run, (e) => e));

  #extent(tag: string): number {
    return this.#heads.get(tag)?.extent ?? 1;
  }
  #variable(tag: string): Expr {
    return this.#heads.get(tag)?.loopVar ?? b.int(0);
  }

  #fold(s: Fold): Stmt {
    const block = [this.#extent("threadIdx.x"), this.#extent("threadIdx.y"), this.#extent("threadIdx.z")] as const;
    const { combiner, buffer, blocks } = s;
    const inBlock = this.#inBlock(s, block);
    if (blocks === undefined) return inBlock;
    const exchange = exchangeArray(buffer, block, blocks);
    this.arrays.push(exchange);
    return b.seq([inBlock, b.fold(combiner, buffer, { blocks, exchange })]);
  }

  #inBlock({ combiner, buffer }: Fold, [x, y, z]: readonly [number, number, number]): Stmt {
    if (x === 1) return b.seq([]);
    const warps = foldArray(buffer, [x, y, z]);
    if (!warps) return b.fold(combiner, buffer, { lanes: x });
    const count = x / teamSize.warp;
    const lanes = 2 ** Math.ceil(Math.log2(count));
    const identity = identityOf(combiner, buffer.dtype);
    invariant(identity, `${buffer.dtype} has no start value`);
    const t = this.#variable("threadIdx.x");
    const row = b.add(b.mul(this.#variable("threadIdx.z"), b.int(y)), this.#variable("threadIdx.y"));
    const each = (name: string, body: (own: Expr[], e: Expr) => Stmt): Stmt => {
      const size = bufferSize(buffer);
      if (size === 1) return body(indicesOf(buffer.shape, b.int(0)), b.int(0));
      const e = b.variable(name);
      return b.forLoop(e, size, body(indicesOf(buffer.shape, e), e), "unrolled");
    };
    const out = each("e", (own, e) => {
      const store = b.store(warps, [row, e, b.floorDiv(t, b.int(teamSize.warp))], b.load(buffer, own));
      return b.ifThen(b.eq(b.floorModulo(t, b.int(teamSize.warp)), b.int(0)), store);
    });
    const back = each("e", (own, e) => {
      const lane = b.floorModulo(t, b.int(lanes));
      const value = b.load(warps, [row, e, lane]);
      const known = lanes === count ? value : b.select(b.lt(lane, b.int(count)), value, identity);
      return b.store(buffer, own, known);
    });
    this.arrays.push(warps);
    return b.seq([b.fold(combiner, buffer, { lanes: teamSize.warp }), out, back, b.fold(combiner, buffer, { lanes })]);
  }
}

export const foldThreads = definePass<"scheduled", "scheduled">("fold-threads", (func) => {
  if (!holds(func.body, "Fold")) return func;
  const nests = rootNests(func.body).map((nest) => {
    const heads: For[] = [];
    const visit = (s: Stmt): Stmt => {
      if (isRemark(s)) return { ...s, body: visit(s.body) };
      if (s.kind !== "For" || s.forKind !== "bound") {
        const folding = new Folding(heads);
        const body = folding.run(s);
        return folding.arrays.reduceRight((below, buffer) => b.allocate(buffer, below), body);
      }
      heads.push(s);
      return { ...s, body: visit(s.body) };
    };
    return visit(nest);
  });
  return withBody(func, b.seq(nests));
});
