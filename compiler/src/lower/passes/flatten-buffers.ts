/**
 * Each access gets one index and each buffer one dimension, with strides applied. All arguments become global. A global array
 * inside the nest of a single thread becomes local.
 *
 *   A: float32[4, 9] strides [12, 1];  A[i, j]   ->   A: float32[45];  A[i*12 + j]
 */
import { type Buffer, bufferSpan, bufferStrides } from "../../ir/buffer.ts";
import * as b from "../../ir/build.ts";
import type { Expr } from "../../ir/expr.ts";
import { mapMemory } from "../../ir/parts.ts";
import type { Stmt } from "../../ir/stmt.ts";
import { mapChildren, mapStmt } from "../../ir/visit.ts";
import { definePass } from "../pass.ts";

class Flattening {
  readonly #flat = new Map<Buffer, Buffer>();
  #inThreads = false;

  buffer(buffer: Buffer, scope = buffer.scope): Buffer {
    let flat = this.#flat.get(buffer);
    if (!flat) {
      const { name, dtype, swizzle } = buffer;
      flat = { name, dtype, shape: [bufferSpan(buffer)], scope, ...(swizzle ? { swizzle } : {}) };
      this.#flat.set(buffer, flat);
    }
    return flat;
  }
  index(buffer: Buffer, indices: readonly Expr[]): Expr {
    const strides = bufferStrides(buffer);
    let sum: Expr = b.int(0);
    for (let d = 0; d < indices.length; d++) {
      sum = b.add(sum, b.mul(indices[d] as Expr, b.int(strides[d] as number)));
    }
    return sum;
  }
  readonly expr = (e: Expr): Expr => {
    if (e.kind === "Load") return b.load(this.buffer(e.buffer), [this.index(e.buffer, e.indices.map(this.expr))]);
    return mapChildren(e, this.expr);
  };
  readonly stmt = (s: Stmt): Stmt => {
    switch (s.kind) {
      case "For": {
        const outside = this.#inThreads;
        this.#inThreads ||= s.forKind === "bound" && s.extent > 1;
        const body = this.stmt(s.body);
        this.#inThreads = outside;
        return body === s.body ? s : { ...s, body };
      }
      case "Allocate": {
        const isOwn = s.buffer.scope === "global" && !this.#inThreads;
        return b.allocate(this.buffer(s.buffer, isOwn ? "local" : s.buffer.scope), this.stmt(s.body));
      }
      default:
        return mapMemory(
          mapStmt(s, this.stmt, this.expr),
          (buffer) => this.buffer(buffer),
          (buffer, indices) => [this.index(buffer, indices)],
        );
    }
  };
}

export const flattenBuffers = definePass<"scheduled", "lowered">("flatten-buffers", (func) => {
  const flattening = new Flattening();
  const params = func.params.map((buffer) => flattening.buffer(buffer, "global"));
  return { ...func, dialect: "lowered", params, body: flattening.stmt(func.body) };
});
