/**
 * The pragma tensor_core: warps on tensor cores compute a product that threads would sum in registers, if the pattern, the
 * types and the shape of a warp's tile allow it (tensor-core-pattern.ts). Otherwise the nest is unchanged and a note says why.
 *
 * Every nest that touches the registers is taken from one thread's tile to a warp's: with 32 / threadIdx.x values of threadIdx.y
 * in a warp,
 *   row    y  = threadIdx.y * TY + i,  which is  (threadIdx.y rounded down to the warp) * TY + Y,  Y in the tile
 *   column x  = threadIdx.x * TX + j,  which is  X
 * so a nest over i, j, k becomes one over Y, X, k on fragments, and what it does is a load, a product or a store of a tile: the
 * intrinsic is found by matching, which also decides whether an operand lies by rows or by columns.
 *
 * Source: TVM v0.7's schedule_postproc_rewrite_for_tensor_core; docs/reference/source-programs.md 4.
 */

import type { DType, ManifestNote } from "@warpfarm/common";
import type { Analyzer } from "../../arith/analyzer.ts";
import { type Major, type Wmma, type WmmaShape, wmma, wmmaShapes } from "../../intrinsic/cuda/wmma.ts";
import { matchNest } from "../../intrinsic/match.ts";
import { guardReason, tileNests } from "../../intrinsic/tile-nest.ts";
import { teamSize } from "../../ir/agent.ts";
import type { Buffer, Scope } from "../../ir/buffer.ts";
import * as b from "../../ir/build.ts";
import type { Expr, Var } from "../../ir/expr.ts";
import type { Intrinsic } from "../../ir/intrinsic.ts";
import { isRemark } from "../../ir/parts.ts";
import type { PrimFunc } from "../../ir/prim-func.ts";
import type { For, Stmt, Store } from "../../ir/stmt.ts";
import { mapChildren, mapStmt, someStmt, substitute, usesVar, walkExpr, walkStmt } from "../../ir/visit.ts";
import { analyzerFor } from "../loops.ts";
import { definePass, type Pass } from "../pass.ts";
import { findPattern, type Operand, type Role, type TensorCorePattern } from "./tensor-core-pattern.ts";
import { unrollFragmentLoops } from "./tensorize.ts";

class Unsuited {
  readonly reason: string;
  constructor(reason: string) {
    this.reason = reason;
  }
}
const unsuited = (reason: string): never => {
  throw new Unsuited(reason);
};

interface WarpTile {
  readonly shape: WmmaShape;
  readonly span: number;
}

function warpTileOf({ threadX, threadY, extents, dtype }: TensorCorePattern): WarpTile {
  const span = teamSize.warp / threadX.extent;
  if (!Number.isInteger(span))
    unsuited(`threadIdx.x has ${threadX.extent} threads; a divisor of ${teamSize.warp} makes whole rows of a warp`);
  if (threadY.extent % span !== 0)
    unsuited(
      `threadIdx.y has ${threadY.extent} threads; with ${threadX.extent} of threadIdx.x a warp spans ${span} of them, and they must be whole warps`,
    );
  const shape = { m: extents.x * threadX.extent, n: extents.y * span, k: extents.k };
  const known = wmmaShapes(dtype);
  if (known.length === 0) unsuited(`it multiplies ${dtype}, for which there are no such instructions`);
  if (!known.some((s) => s.m === shape.m && s.n === shape.n && s.k === shape.k))
    unsuited(
      `a warp's tile is m ${shape.m}, n ${shape.n}, k ${shape.k}; ${dtype} has ${known.map((s) => `${s.m}x${s.n}x${s.k}`).join(", ")}`,
    );
  return { shape, span };
}

const touchesAny = (s: Stmt, buffers: ReadonlySet<Buffer>): boolean =>
  someStmt(
    s,
    (part) => part.kind === "Store" && buffers.has(part.buffer),
    (part) => part.kind === "Load" && buffers.has(part.buffer),
  );
const hasBranches = (s: Stmt): boolean =>
  someStmt(s, (part) => part.kind === "Seq" || part.kind === "Allocate" || (part.kind === "For" && part.forKind === "bound"));

class Rewriting {
  readonly #pattern: TensorCorePattern;
  readonly #tile: WarpTile;
  readonly #wmma: Wmma;
  readonly #analyzer: Analyzer;
  readonly #locals: ReadonlySet<Buffer>;
  readonly #fragments = new Map<Buffer, Buffer>();
  readonly #axes: Readonly<Record<Role, Var>> = { x: b.variable("x.tile"), y: b.variable("y.tile"), k: b.variable("k.tile") };
  readonly #majors: readonly (readonly [Major, Major])[];

  constructor(pattern: TensorCorePattern, body: Stmt, capability: number) {
    this.#pattern = pattern;
    this.#tile = warpTileOf(pattern);
    const { shape } = this.#tile;
    const known = wmma(pattern.dtype, shape, capability);
    if (!known) throw new Unsuited(`there are no instructions for ${pattern.dtype}`);
    if (known.out !== pattern.accumulator.buffer.dtype)
      throw new Unsuited(
        `the sum of ${pattern.dtype} is kept as ${pattern.accumulator.buffer.dtype}; tensor cores keep ${known.out}`,
      );
    this.#wmma = known;
    this.#analyzer = analyzerFor(body);
    this.#analyzer.declare(this.#axes.x, shape.m);
    this.#analyzer.declare(this.#axes.y, shape.n);
    this.#analyzer.declare(this.#axes.k, shape.k);
    const { accumulator, rows, columns } = pattern;
    this.#locals = new Set([accumulator.buffer, rows.buffer, columns.buffer]);
    this.#fragments.set(accumulator.buffer, this.#fragment(accumulator.buffer, "wmma.accumulator", [shape.m, shape.n]));
    this.#fragments.set(rows.buffer, this.#fragment(rows.buffer, "wmma.matrix_b", [shape.k, shape.n]));
    this.#fragments.set(columns.buffer, this.#fragment(columns.buffer, "wmma.matrix_a", [shape.m, shape.k]));
    this.#majors = known.majors;
  }

  #fragment({ name, dtype }: Buffer, scope: Scope, shape: readonly number[]): Buffer {
    return { name, dtype, shape, scope };
  }

  run(body: Stmt): Stmt {
    let first: Unsuited | undefined;
    for (const majors of this.#majors) {
      try {
        return this.#stmt(body, majors);
      } catch (error) {
        if (!(error instanceof Unsuited)) throw error;
        first ??= error;
      }
    }
    throw first ?? new Unsuited("no instruction fits");
  }

  #stmt(s: Stmt, majors: readonly [Major, Major]): Stmt {
    switch (s.kind) {
      case "Allocate": {
        const body = this.#stmt(s.body, majors);
        return b.allocate(this.#fragments.get(s.buffer) ?? s.buffer, body);
      }
      case "Pragma": {
        const { tensor_core: _, ...others } = s.pragmas;
        return b.pragma(others, this.#stmt(s.body, majors));
      }
      case "For":
      case "Store":
      case "If":
        if ((s.kind === "For" && s.forKind === "bound") || !touchesAny(s, this.#locals) || hasBranches(s))
          return mapStmt(
            s,
            (child) => this.#stmt(child, majors),
            (e) => e,
          );
        return this.#call(s, majors);
      default:
        return mapStmt(
          s,
          (child) => this.#stmt(child, majors),
          (e) => e,
        );
    }
  }

  #call(s: Stmt, majors: readonly [Major, Major]): Stmt {
    const nests = tileNests(s);
    if ("wrong" in nests) return unsuited(nests.wrong);
    const [nest] = nests;
    if (!nest || nests.length > 1) return unsuited("two statements in one nest");
    const { threadX, threadY } = this.#pattern;
    const varying = [threadX, threadY, ...nest.loops].map(({ loopVar }) => loopVar);
    // A chunk beyond the end of the sum is beyond it for all lanes; a row beyond the matrix is not.
    const own = nest.guards.filter((cond) => varying.some((v) => usesVar(cond, v)));
    if (own.length > 0) return unsuited(guardReason(own));
    const { intrinsics, isInit } = this.#candidates(nest.store, majors);
    const warp = this.#warpNest(nest.store);
    let reason = "";
    for (const intrinsic of intrinsics) {
      const made = matchNest(warp, intrinsic, isInit, this.#analyzer);
      if (made.ok && made.value) return b.ifThen(b.and(...nest.guards), this.#oneWarp(made.value, nest.store));
      reason ||= made.ok ? "" : made.error;
    }
    return unsuited(reason);
  }

  #candidates({ buffer, value }: Store, [a, c]: readonly [Major, Major]): { intrinsics: readonly Intrinsic[]; isInit: boolean } {
    const { accumulator, rows, columns } = this.#pattern;
    if (buffer === rows.buffer) return { intrinsics: [this.#wmma.load("b", c)], isInit: false };
    if (buffer === columns.buffer) return { intrinsics: [this.#wmma.load("a", a)], isInit: false };
    if (buffer === accumulator.buffer) return { intrinsics: [this.#wmma.mma(a, c)], isInit: value.kind !== "Add" };
    return { intrinsics: [this.#wmma.store("col"), this.#wmma.store("row")], isInit: false };
  }

  /** The statement for a warp's tile: coordinates of the tile replace thread variables and the thread's own loops. */
  #warpNest(store: Store): Stmt {
    const { threadX, threadY, extents } = this.#pattern;
    const { span, shape } = this.#tile;
    const { x, y } = this.#axes;
    const values = new Map<Var, Expr>([
      [threadX.loopVar, b.floorDiv(x, b.int(extents.x))],
      [threadY.loopVar, b.add(b.mul(b.floorDiv(threadY.loopVar, b.int(span)), b.int(span)), b.floorDiv(y, b.int(extents.y)))],
    ]);
    const own: Record<Role, Expr> = {
      x: b.floorModulo(x, b.int(extents.x)),
      y: b.floorModulo(y, b.int(extents.y)),
      k: this.#axes.k,
    };
    const bindLoops = (operand: Operand, indices: readonly Expr[]): void => {
      indices.forEach((index, d) => {
        if (index.kind === "Var") values.set(index, own[operand.roles[d] as Role]);
      });
    };
    const all = [this.#pattern.accumulator, this.#pattern.rows, this.#pattern.columns];
    const visit = (e: Expr): void =>
      walkExpr(e, (part) => {
        const operand = part.kind === "Load" && all.find((known) => known.buffer === part.buffer);
        if (operand && part.kind === "Load") bindLoops(operand, part.indices);
      });
    const target = all.find((known) => known.buffer === store.buffer);
    if (target) bindLoops(target, store.indices);
    visit(store.value);
    const onFragments = (e: Expr): Expr => {
      const operand = e.kind === "Load" ? all.find((known) => known.buffer === e.buffer) : undefined;
      return operand ? b.load(this.#fragmentOf(operand), this.#place(operand)) : mapChildren(e, onFragments);
    };
    const toWarp = (e: Expr): Expr => this.#analyzer.simplify(substitute(onFragments(e), values));
    const made = target
      ? b.store(this.#fragmentOf(target), this.#place(target), toWarp(store.value))
      : b.store(store.buffer, store.indices.map(toWarp), toWarp(store.value));
    const sizes: Record<Role, number> = { x: shape.m, y: shape.n, k: shape.k };
    return (["k", "y", "x"] as const)
      .filter((role) => usesStmt(made, this.#axes[role]))
      .reduceRight<Stmt>((body, role) => b.forLoop(this.#axes[role], sizes[role], body), made);
  }

  #fragmentOf = ({ buffer }: Operand): Buffer => this.#fragments.get(buffer) as Buffer;
  /** Fragments are [x, y], [x, k] and [k, y]. */
  #place({ buffer }: Operand): readonly Expr[] {
    const { x, y, k } = this.#axes;
    const { accumulator, rows } = this.#pattern;
    return buffer === accumulator.buffer ? [x, y] : buffer === rows.buffer ? [k, y] : [x, k];
  }

  #oneWarp(call: Stmt, store: Store): Stmt {
    let wrong: Expr | undefined;
    walkStmt(
      call,
      () => {},
      (e) => {
        if (usesVar(e, this.#pattern.threadX.loopVar)) wrong = e;
      },
    );
    return wrong ? unsuited(`the tile of "${store.buffer.name}" is not one place for all lanes of a warp`) : call;
  }
}

function usesStmt(s: Stmt, v: Var): boolean {
  let found = false;
  walkStmt(
    s,
    () => {},
    (e) => {
      found ||= usesVar(e, v);
    },
  );
  return found;
}

/**
 * Types that the hardware emulates, by measurement and machine code (wmma m8n8k32 s4, m8n8k128 b1 and.popc): int4 from Hopper on,
 * int1 after it.
 */
const isEmulated = (dtype: DType, capability: number): boolean =>
  (dtype === "int4" && capability >= 90) || (dtype === "int1" && capability >= 100);

function pragmaIn(
  s: Stmt,
  outside: readonly For[] = [],
): { readonly region: Stmt; readonly outside: readonly For[] } | undefined {
  if (s.kind === "Pragma" && s.pragmas.tensor_core !== undefined)
    return s.pragmas.tensor_core === 0 ? undefined : { region: s.body, outside };
  if (isRemark(s)) return pragmaIn(s.body, outside);
  switch (s.kind) {
    case "For":
      return pragmaIn(s.body, s.forKind === "bound" ? [...outside, s] : outside);
    case "If":
    case "Allocate":
      return pragmaIn(s.body, outside);
    case "Seq":
      for (const child of s.stmts) {
        const found = pragmaIn(child, outside);
        if (found) return found;
      }
      return undefined;
    default:
      return undefined;
  }
}

function rewritten(nest: Stmt, capability: number, notes: ManifestNote[]): Stmt {
  const found = pragmaIn(nest);
  if (!found) return nest;
  try {
    const pattern = findPattern(found.region, found.outside);
    if ("wrong" in pattern) return unsuited(pattern.wrong);
    const rewriting = new Rewriting(pattern, nest, capability);
    const made = unrollFragmentLoops(rewriting.run(nest));
    if (pattern.dtype === "int1" && capability < 80)
      notes.push({
        rule: "tensor_core.emulated",
        message: `sm_${capability} counts bits by XOR only: each product of bits takes three matrix instructions`,
      });
    if (isEmulated(pattern.dtype, capability))
      notes.push({
        rule: "tensor_core.emulated",
        message: `sm_${capability} has no matrix instruction for ${pattern.dtype}: what is written as one becomes a subroutine, many times slower`,
      });
    return made;
  } catch (error) {
    if (!(error instanceof Unsuited)) throw error;
    notes.push({ rule: "tensor_core.unsuited", message: `tensor cores are not used: ${error.reason}` });
    return nest;
  }
}

/** `capability`: the target's compute capability times ten. */
export const tensorCore = (capability: number): Pass<"scheduled", "scheduled"> =>
  definePass("tensor-core", (func): PrimFunc<"scheduled"> => {
    const notes: ManifestNote[] = [];
    const nests = func.body.kind === "Seq" ? func.body.stmts : [func.body];
    const made = nests.map((nest) => rewritten(nest, capability, notes));
    if (notes.length === 0 && made.every((nest, i) => nest === nests[i])) return func;
    return { ...func, body: b.seq(made), ...(notes.length > 0 ? { notes: [...(func.notes ?? []), ...notes] } : {}) };
  });
