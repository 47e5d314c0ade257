/**
 * vthread loops are interleaved, not run one after the other: each single statement that depends on the vthread variable gets a
 * loop over its values, inside every other loop. What does not depend on it (shared copies, loop headers, later the barriers)
 * stays once.
 *
 *   for v in 2 bind vthread:              for k in 8:
 *     alloc acc[1]                          copy(k)
 *     for k in 8:                 ->        for v in 2 unrolled:
 *       copy(k)                               acc[v, 0] = acc[v, 0] + s[k, v]
 *       acc[0] = acc[0] + s[k, v]
 *
 * A local buffer whose values depend on v gets a leading dimension of its extent; other buffers are unchanged. The loop is
 * always repeated textually (the pragma unroll_explicit tells the unroll pass). This is done last, so that passes see each
 * statement once. An axis of at least 16 becomes a serial loop instead. A condition on v moves down to the statements that it
 * guards. Source: TVM's inject_virtual_thread; docs/reference/source-programs.md 6.5.
 */
import { invariant } from "@warpfarm/common";
import { type Buffer, bufferSpan, bufferStrides, scopeRank } from "../../ir/buffer.ts";
import * as b from "../../ir/build.ts";
import type { Expr, Var } from "../../ir/expr.ts";
import { mapMemory, touches } from "../../ir/parts.ts";
import type { For, Stmt } from "../../ir/stmt.ts";
import { children, eachPart, mapChildren, mapStmt, someStmt, substituteStmt } from "../../ir/visit.ts";
import { definePass, withBody } from "../pass.ts";

const maxCopiesOfAxis = 15;
/** The most copies over all axes together; the outermost axes beyond it become loops. */
const maxCopies = 512;

/** Sets of enclosing vthread axes, one bit for each depth of nesting. */
type AxisSet = number;
interface Axis {
  readonly loopVar: Var;
  readonly extent: number;
}

const isVirtual = (s: For): boolean => s.forKind === "bound" && s.thread === "vthread";

class Dependence {
  readonly #bits = new Map<Var, AxisSet>();
  readonly #allocatedIn = new Map<Buffer, AxisSet>();
  readonly #buffers = new Map<Buffer, AxisSet>();

  constructor(body: Stmt) {
    const stores: { readonly buffer: Buffer; readonly exprs: readonly Expr[]; readonly reads: readonly Buffer[] }[] = [];
    const visit = (s: Stmt, depth: number, conditions: readonly Expr[]): void => {
      switch (s.kind) {
        case "For": {
          const deeper = isVirtual(s) && s.extent > 1;
          invariant(!deeper || depth < 30, "more than 30 nested vthread axes");
          if (deeper) this.#bits.set(s.loopVar, 1 << depth);
          visit(s.body, deeper ? depth + 1 : depth, conditions);
          return;
        }
        case "Allocate":
          // Shared memory holds what every vthread needs, once; only what belongs to one thread is replicated.
          if (scopeRank(s.buffer.scope) >= scopeRank("warp")) this.#allocatedIn.set(s.buffer, (1 << depth) - 1);
          visit(s.body, depth, conditions);
          return;
        case "If":
          visit(s.body, depth, [...conditions, s.cond]);
          return;
        default: {
          const exprs = [...conditions];
          eachPart(
            s,
            (child) => visit(child, depth, conditions),
            (e) => exprs.push(e),
          );
          const all = touches(s);
          const reads = all.filter(({ how }) => how === "read").map(({ buffer }) => buffer);
          for (const { buffer, how } of all) if (how === "write") stores.push({ buffer, exprs, reads });
        }
      }
    };
    visit(body, 0, []);
    for (let changed = true; changed; ) {
      changed = false;
      for (const { buffer, exprs, reads } of stores) {
        const old = this.ofBuffer(buffer);
        const read = reads.reduce((set, tensor) => set | this.ofBuffer(tensor), old);
        const now = exprs.reduce((set, e) => set | this.ofExpr(e), read) & (this.#allocatedIn.get(buffer) ?? 0);
        if (now === old) continue;
        this.#buffers.set(buffer, now);
        changed = true;
      }
    }
  }

  ofBuffer(buffer: Buffer): AxisSet {
    return this.#buffers.get(buffer) ?? 0;
  }
  ofExpr(e: Expr): AxisSet {
    if (e.kind === "Var") return this.#bits.get(e) ?? 0;
    let set = e.kind === "Load" ? this.ofBuffer(e.buffer) : 0;
    for (const child of children(e)) set |= this.ofExpr(child);
    return set;
  }
}

class Injector {
  readonly #dependence: Dependence;
  readonly #replicas = new Map<Buffer, Buffer>();
  readonly #axes: Axis[] = [];
  readonly #pending: Expr[] = [];

  constructor(body: Stmt) {
    this.#dependence = new Dependence(body);
  }

  run(s: Stmt): Stmt {
    switch (s.kind) {
      case "For":
        return this.#loop(s);
      case "If":
        if (this.#dependence.ofExpr(s.cond) !== 0) {
          this.#pending.push(s.cond);
          const body = this.run(s.body);
          this.#pending.pop();
          return body;
        }
        return b.ifThen(this.#access(s.cond), this.run(s.body));
      case "Allocate":
        return b.allocate(this.#replica(s.buffer), this.run(s.body));
      default: {
        const made = mapMemory(
          mapStmt(
            s,
            (child) => this.run(child),
            (e) => this.#access(e),
          ),
          (buffer) => this.#replica(buffer),
          (buffer, indices) => this.#indices(buffer, indices),
        );
        return touches(s).some(({ indices }) => indices) ? this.#repeated(s, made) : made;
      }
    }
  }

  #repeated(s: Stmt, made: Stmt): Stmt {
    let set = 0;
    for (const { buffer } of touches(s)) set |= this.#dependence.ofBuffer(buffer);
    for (const e of this.#pending) set |= this.#dependence.ofExpr(e);
    eachPart(
      s,
      () => {},
      (e) => {
        set |= this.#dependence.ofExpr(e);
      },
    );
    const cond = b.and(...this.#pending.map((e) => this.#access(e)));
    return repeat(b.ifThen(cond, made), this.#axesOf(set));
  }

  #loop(s: For): Stmt {
    if (!isVirtual(s)) return { ...s, body: this.run(s.body) };
    if (s.extent === 1) return this.run(substituteStmt(s.body, new Map([[s.loopVar, b.int(0)]])));
    this.#axes.push(s);
    const body = this.run(s.body);
    this.#axes.pop();
    return body;
  }

  #axesOf(set: AxisSet): Axis[] {
    return this.#axes.filter((_, depth) => (set & (1 << depth)) !== 0);
  }

  #replica(buffer: Buffer): Buffer {
    const known = this.#replicas.get(buffer);
    if (known) return known;
    const extents = this.#axesOf(this.#dependence.ofBuffer(buffer)).map((axis) => axis.extent);
    const made = extents.length === 0 ? buffer : withLeading(buffer, extents);
    this.#replicas.set(buffer, made);
    return made;
  }
  #indices(buffer: Buffer, indices: readonly Expr[]): readonly Expr[] {
    const axes = this.#axesOf(this.#dependence.ofBuffer(buffer));
    return axes.length === 0 ? indices : [...axes.map((axis) => axis.loopVar), ...indices];
  }
  #access(e: Expr): Expr {
    const mapped = mapChildren(e, (child) => this.#access(child));
    if (mapped.kind !== "Load" || this.#dependence.ofBuffer(mapped.buffer) === 0) return mapped;
    return b.load(this.#replica(mapped.buffer), this.#indices(mapped.buffer, mapped.indices));
  }
}

function withLeading(buffer: Buffer, extents: readonly number[]): Buffer {
  const shape = [...extents, ...buffer.shape];
  if (!buffer.strides) return { ...buffer, shape };
  const strides = [...bufferStrides(buffer)];
  let stride = bufferSpan(buffer);
  for (const extent of [...extents].reverse()) {
    strides.unshift(stride);
    stride *= extent;
  }
  return { ...buffer, shape, strides };
}

function repeat(s: Stmt, axes: readonly Axis[]): Stmt {
  let body = s;
  let copies = 1;
  const looped: Axis[] = [];
  for (const axis of [...axes].reverse()) {
    if (axis.extent <= maxCopiesOfAxis && copies * axis.extent <= maxCopies) {
      copies *= axis.extent;
      body = b.forLoop(axis.loopVar, axis.extent, body, "unrolled");
    } else looped.push(axis);
  }
  if (copies > 1) body = b.pragma({ unroll_explicit: 1 }, body);
  return looped.reduce((inner, axis) => b.forLoop(axis.loopVar, axis.extent, inner), body);
}

export const injectVirtualThread = definePass<"scheduled", "scheduled">("inject-virtual-thread", (func) =>
  someStmt(func.body, (s) => s.kind === "For" && isVirtual(s)) ? withBody(func, new Injector(func.body).run(func.body)) : func,
);
