/**
 * Every root nest becomes one launch: its bound loops become the launch's thread variables, as loops at the head, blockIdx.z, .y,
 * .x then threadIdx.z, .y, .x, with all allocations below them.
 *
 *   for b in 4 bind blockIdx.x:               for b in 4 bind blockIdx.x:
 *     for t in 8 bind threadIdx.x:              for t in 8 bind threadIdx.x:
 *       alloc S[6] shared                         alloc S[6] shared
 *       for t' in 6 bind threadIdx.x:      ->       if t < 6: S[t] = A[b, t]
 *         S[t'] = A[b, t']                          C[b, t] = S[t // 2]
 *       C[b, t] = S[t // 2]
 *
 * A statement for fewer threads than are launched gets the guard `t < extent`. The guard stands at the statement, never around
 * a place where a barrier may come. Only thread 0 of a launched axis does a store to shared or global memory that does not
 * depend on this axis: all threads would write equal values, and a read-modify-write would happen once for each.
 */
import type { Buffer } from "../../ir/buffer.ts";
import * as b from "../../ir/build.ts";
import type { Expr, Var } from "../../ir/expr.ts";
import { doneBy, isRemark } from "../../ir/parts.ts";
import type { For, KernelAttrs, Stmt } from "../../ir/stmt.ts";
import { mapStmt, substitute, usesVar, walkStmt } from "../../ir/visit.ts";
import { isLaunchTag, type LaunchTag, launchTags } from "../loops.ts";
import { definePass, withBody } from "../pass.ts";

interface LaunchAxis {
  readonly loopVar: Var;
  readonly extent: number;
}
type Launch = Map<LaunchTag, LaunchAxis>;
type Store = Extract<Stmt, { kind: "Store" }>;

export function rootNests(s: Stmt): readonly Stmt[] {
  if (s.kind === "Seq") return s.stmts.flatMap(rootNests);
  return isRemark(s) ? rootNests(s.body).map((body) => ({ ...s, body })) : [s];
}
/** The attributes that a schedule asks for the kernel of a root nest. */
export const attrsOf = (nest: Stmt): KernelAttrs => (nest.kind === "KernelNest" ? nest.attrs : {});
export const inNest = (nest: Stmt, f: (nest: Stmt) => Stmt): Stmt =>
  nest.kind === "KernelNest" ? b.kernelNest(nest.attrs, f(nest.body)) : f(nest);

function launchOf(nest: Stmt): Launch {
  const launch: Launch = new Map();
  walkStmt(nest, (s) => {
    if (s.kind !== "For" || !isLaunchTag(s.thread)) return;
    const known = launch.get(s.thread);
    launch.set(s.thread, { loopVar: known?.loopVar ?? s.loopVar, extent: Math.max(s.extent, known?.extent ?? 0) });
  });
  return launch;
}

class NestLowering {
  readonly #launch: Launch;
  /** Arrays of a thread that a fold combines: each needs its start value in every thread. */
  readonly #folded = new Set<Buffer>();
  readonly #allocations: Buffer[] = [];
  readonly #renamed = new Map<Var, Expr>();
  readonly #active = new Map<LaunchTag, number>();
  readonly #conditions: Expr[] = [];

  constructor(launch: Launch) {
    this.#launch = launch;
  }

  run(nest: Stmt): Stmt {
    walkStmt(nest, (s) => {
      if (s.kind === "Fold") this.#folded.add(s.buffer);
    });
    let body = this.#stmt(nest);
    for (const buffer of [...this.#allocations].reverse()) body = b.allocate(buffer, body);
    for (const tag of [...launchTags].reverse()) {
      const axis = this.#launch.get(tag);
      if (axis) body = b.boundLoop(axis.loopVar, axis.extent, tag, body);
    }
    return body;
  }

  readonly #expr = (e: Expr): Expr => (this.#renamed.size === 0 ? e : substitute(e, this.#renamed));
  readonly #stmt = (s: Stmt): Stmt => {
    switch (s.kind) {
      case "For":
        return isLaunchTag(s.thread) ? this.#bound(s, s.thread) : mapStmt(s, this.#stmt, this.#expr);
      case "Allocate":
        this.#allocations.push(s.buffer);
        return this.#stmt(s.body);
      case "If": {
        const cond = this.#expr(s.cond);
        this.#conditions.push(cond);
        const body = this.#stmt(s.body);
        this.#conditions.pop();
        return cond === s.cond && body === s.body ? s : b.ifThen(cond, body);
      }
      case "Store": {
        const stored = mapStmt(s, this.#stmt, this.#expr) as Store;
        return b.ifThen(b.and(...this.#guards(stored)), stored);
      }
      default:
        return b.ifThen(b.and(...this.#guardsOfTeam(s)), mapStmt(s, this.#stmt, this.#expr));
    }
  };

  /** A team does it together, so no thread variable guards it. */
  #guardsOfTeam(s: Stmt): Expr[] {
    if (doneBy(s) === undefined) return [];
    return [...this.#launch].flatMap(([tag, { loopVar, extent }]) => {
      const active = this.#active.get(tag) ?? extent;
      return active < extent ? [b.lt(loopVar, b.int(active))] : [];
    });
  }

  #bound(s: For, tag: LaunchTag): Stmt {
    const axis = this.#launch.get(tag) as LaunchAxis;
    const outer = this.#active.get(tag);
    if (s.loopVar !== axis.loopVar) this.#renamed.set(s.loopVar, axis.loopVar);
    this.#active.set(tag, s.extent);
    const body = this.#stmt(s.body);
    if (outer === undefined) this.#active.delete(tag);
    else this.#active.set(tag, outer);
    return body;
  }

  #guards(s: Store): Expr[] {
    const guards: Expr[] = [];
    if (this.#folded.has(s.buffer) && (s.value.kind === "FloatImm" || s.value.kind === "IntImm")) return guards;
    for (const [tag, { loopVar, extent }] of this.#launch) {
      const active = this.#active.get(tag) ?? extent;
      if (extent > 1 && this.#isRedundant(s, tag, loopVar)) guards.push(b.eq(loopVar, b.int(0)));
      else if (active < extent) guards.push(b.lt(loopVar, b.int(active)));
    }
    return guards;
  }
  #isRedundant(s: Store, tag: LaunchTag, v: Var): boolean {
    const exprs = [...s.indices, s.value, ...this.#conditions];
    return isWrittenTogether(s.buffer, tag) && !exprs.some((e) => usesVar(e, v));
  }
}

const isWrittenTogether = (buffer: Buffer, tag: LaunchTag): boolean =>
  buffer.scope === "global" || (buffer.scope === "shared" && tag.startsWith("threadIdx"));

export const lowerThreads = definePass<"scheduled", "scheduled">("lower-threads", (func) => {
  const nests = rootNests(func.body).map((nest) => inNest(nest, (body) => new NestLowering(launchOf(body)).run(body)));
  return withBody(func, b.seq(nests));
});
