/**
 * Nests marked by copyBy become copies of boxes. The mark stands around the stage; the nest is the innermost loops down to its
 * store. For each dimension of the tensor one loop may walk over the box; other loops stay around it. The engine itself tests
 * whether coordinates lie in the tensor, so the nest's tests for this are dropped.
 *
 *   for k in 64: for j in 64: S[k, j] = select(n + j < 1000, A[m*64 + k, n + j], 0)   ->   S[0, 0] = box [64, 64] at A[m*64, n]
 *
 * A loop over the blocks of a cluster shares the boxes out: each block asks for its own, and they come to all of them.
 *
 *   for r in 2 bind clusterIdx.x: for k in 32: for j in 64: S[r*32 + k, j] = A[r*32 + k, j]
 *     ->   for r in 2 bind clusterIdx.x: S[r*32, 0] = box [32, 64] at A[r*32, 0], to all of 2 blocks along clusterIdx.x
 *
 * A loop that goes through several dimensions as through one makes them one (rows of all images), and a loop over pixels whose
 * taps, borders and steps the engine knows becomes its walk (pixel-boxes.ts).
 *
 *   for i in 128: for c in 64: S[i, c] = select(inside, A[n(p+i), y(p+i) + r - 1, x(p+i) + s - 1, c], 0)
 *     ->   S[0, 0] = pixels [128, 64] at A[n(p), y(p) - 1, x(p) - 1, 0] + tap [r, s]
 *
 * Any other nest keeps its loops, and its mark says why; the rules of the device then refuse it. The pass runs while indices
 * have their dimensions.
 */
import { defined, dtypeBytes, err, isPacked, ok, type Result, tensorMapTypes } from "@warpfarm/common";
import type { Analyzer } from "../../arith/analyzer.ts";
import { constantOf, type Linear, pick } from "../../arith/linear.ts";
import { residueOf } from "../../arith/modular.ts";
import { type Axis, type TileNest, tileNests } from "../../intrinsic/tile-nest.ts";
import { type Buffer, bufferStrides } from "../../ir/buffer.ts";
import * as b from "../../ir/build.ts";
import { bulkAlignmentOf, bulkLevel, engineSwizzle } from "../../ir/bulk.ts";
import { exprEqual } from "../../ir/equal.ts";
import type { Binary, Expr, Load, Var } from "../../ir/expr.ts";
import { isRemark } from "../../ir/parts.ts";
import { printExpr } from "../../ir/print.ts";
import { type BulkCopy, type ClusterTag, type For, isClusterTag, type Stmt } from "../../ir/stmt.ts";
import { mapStmt, substitute, walkStmt } from "../../ir/visit.ts";
import { analyzerFor, conjuncts, isThreadIdx, usesAny } from "../loops.ts";
import { definePass, type Pass, withBody } from "../pass.ts";
import { type Pixels, pixelsOf } from "./pixel-boxes.ts";

const mostRank = 5;
const mostBox = 256;
const mostPixels = 1024;

type Share = For & { readonly thread: ClusterTag };
const isShare = (s: Stmt): s is Share => s.kind === "For" && isClusterTag(s.thread);
const isNest = (s: Stmt): boolean => {
  if (s.kind === "Store") return true;
  if (s.kind === "For") return (s.forKind === "serial" || s.forKind === "unrolled" || isShare(s)) && isNest(s.body);
  return (s.kind === "If" || isRemark(s)) && isNest(s.body);
};

interface Copy {
  readonly direction: "in" | "out";
  readonly global: Load;
  readonly shared: Load;
  /** Conditions that only say that coordinates lie in the tensor. */
  readonly tests: readonly Expr[];
}

function copyOf({ store, guards }: TileNest, globals: ReadonlySet<Buffer>): Result<Copy, string> {
  const { value } = store;
  const isZero = (e: Expr) => (e.kind === "FloatImm" || e.kind === "IntImm") && Object.is(e.value, 0);
  const chosen: Expr[] = [];
  let from = value;
  // A view of a padded tensor chooses twice: what lies beyond the view, and beyond the tensor.
  for (; from.kind === "Select" && isZero(from.whenFalse); from = from.whenTrue) chosen.push(from.cond);
  if (from.kind !== "Load") return err(`it computes ${printExpr(value)}; the copy engine only copies`);
  const conditions = (conds: readonly Expr[]) => conds.flatMap((cond) => conjuncts(cond));
  const to = b.load(store.buffer, store.indices);
  if (store.buffer.scope === "shared" && globals.has(from.buffer))
    // Nobody reads what a guard leaves out of an array in shared memory.
    return ok({ direction: "in", global: from, shared: to, tests: conditions(chosen) });
  if (globals.has(store.buffer) && from.buffer.scope === "shared" && chosen.length === 0)
    return ok({ direction: "out", global: to, shared: from, tests: conditions(guards) });
  return err(
    `it goes from ${from.buffer.name} (${from.buffer.scope}) to ${store.buffer.name} (${store.buffer.scope}); the engine goes between shared memory and arguments of the kernel`,
  );
}

function withoutShare(nest: Stmt): { readonly nest: Stmt; readonly share: Share | undefined } {
  let share: Share | undefined;
  const run = (s: Stmt): Stmt => {
    if (!isShare(s)) return mapStmt(s, run, (e) => e);
    share = s;
    return run(s.body);
  };
  return { nest: run(nest), share };
}

class Boxing {
  readonly #analyzer: Analyzer;
  readonly #threads: ReadonlySet<Var>;

  constructor(analyzer: Analyzer, threads: ReadonlySet<Var>) {
    this.#analyzer = analyzer;
    this.#threads = threads;
  }

  /** `share`: the loop over the blocks of a cluster; each brings its boxes to all along its axis. */
  run(nest: TileNest, { direction, global, shared, tests }: Copy, share: Share | undefined): Result<Stmt, string> {
    const { buffer } = global;
    const elementBytes = dtypeBytes(buffer.dtype);
    const fault = tensorFault(buffer);
    if (fault) return err(fault);
    const place = this.#place(shared);
    const loops = nest.loops.filter(({ extent }) => extent > 1);
    const plain = { dims: buffer.shape, strides: bufferStrides(buffer), at: global.indices.map((e) => this.#analyzer.linear(e)) };
    const view = this.#joined(plain, loops, direction) ?? plain;
    const walked = direction === "in" ? this.#pixels(view, loops, place) : undefined;
    const inside = [plain, view].flatMap(({ at, dims }) => at.map((l, d) => [l, dims[d] as number] as const));
    if (walked) inside.push([walked.pixels.pixel, walked.pixels.count]);
    const tested = this.#testFault(tests, inside);
    if (tested) return err(tested);
    const { taken, box } = walked ?? boxOf(view.at, loops, place);
    const isTaken = ({ loopVar }: Axis) => taken.some((loop) => loop.loopVar === loopVar);
    const boxed = boxFault(box, shared.buffer, elementBytes, walked !== undefined);
    if (boxed) return err(boxed);
    const first = new Map<Var, Expr>(taken.map(({ loopVar }) => [loopVar, b.int(0)]));
    const at = (e: Expr) => this.#analyzer.simplify(substitute(e, first));
    const begin = (l: Linear) => at(this.#analyzer.expr(l));
    const { dims, strides } = view;
    const copy: BulkCopy = {
      kind: "BulkCopy",
      direction,
      tensor: { buffer, dims, strides, box, ...(walked && { im2col: walked.pixels.walk }) },
      origin: (walked ? [...walked.pixels.place, view.at[3] as Linear] : view.at).map(begin),
      ...(walked && { taps: walked.pixels.taps.map(begin) }),
      shared: shared.buffer,
      indices: shared.indices.map(at),
      ...(share && share.extent > 1 ? { multicast: { along: share.thread, blocks: share.extent } } : {}),
    };
    const placed = this.#placeFault(copy, nest.loops, shared.indices);
    if (placed) return err(placed);
    const boxes = nest.loops
      .filter((loop) => !isTaken(loop))
      .reduceRight<Stmt>((body, { loopVar, extent }) => b.forLoop(loopVar, extent, body), copy);
    return ok(share ? { ...share, body: boxes } : boxes);
  }

  /**
   * The tensor as a matrix of its last dimension, where loops go through the others as through one: all but the first of several
   * places are never left, so what lies beyond that one lies beyond the matrix. So is a result of which several loops go along
   * places of their own: warpgroups then store what is theirs.
   */
  #joined({ dims, strides, at }: View, loops: readonly Axis[], direction: Copy["direction"]): View | undefined {
    const rows = at.slice(0, -1);
    const moving = loops.filter(({ loopVar }) => rows.some((l) => coefficient(l, loopVar) !== 0));
    const isThrough = moving.some(({ loopVar }) => rows.some((l) => Number.isNaN(coefficient(l, loopVar))));
    const moved = rows.filter((l) => moving.some(({ loopVar }) => coefficient(l, loopVar) !== 0));
    if (rows.length < 2 || !(isThrough || (direction === "out" && moved.length > 1))) return undefined;
    const isWithin = (l: Linear, extent: number) => {
      const { lo, hi } = this.#analyzer.boundsOf(l);
      return lo >= 0 && hi < extent;
    };
    const first = dims.slice(0, -1).findIndex((extent) => extent > 1);
    if (!rows.every((l, d) => d === first || isWithin(l, dims[d] as number))) return undefined;
    const columns = dims.at(-1) as number;
    const sum = rows.reduce((sum, l, d) => this.#analyzer.sum(sum, l, (strides[d] as number) / columns), constantOf(0));
    // Digits of two numbers, as of p and p / 8, do not add up by themselves.
    const pixels = moving.flatMap(({ loopVar }) => wholePixel(pixelsOf(this.#analyzer, at, dims, loopVar)) ?? []);
    const row = [sum, ...pixels].find((one) => {
      const steps = moving.map(({ loopVar }) => coefficient(one, loopVar));
      return !steps.some(Number.isNaN) && steps.includes(1);
    });
    if (!row) return undefined;
    const count = dims.slice(0, -1).reduce((product, extent) => product * extent, 1);
    return { dims: [count, columns], strides: [columns, 1], at: [row, at.at(-1) as Linear] };
  }

  /** A loop over pixels of images, and one over channels inside it. */
  #pixels({ dims, at }: View, loops: readonly Axis[], place: Linear) {
    const channel = loops.find(({ loopVar }) => at.every((l, d) => coefficient(l, loopVar) === (d === 3 ? 1 : 0)));
    if (at.length !== 4 || !channel || coefficient(place, channel.loopVar) !== 1) return undefined;
    for (const loop of loops) {
      const isRow = coefficient(place, loop.loopVar) === channel.extent && coefficient(at[3] as Linear, loop.loopVar) === 0;
      const pixels = isRow && !isBoxed(at, loop.loopVar) ? pixelsOf(this.#analyzer, at, dims, loop.loopVar) : undefined;
      if (pixels) return { pixels, taken: [loop, channel], box: [loop.extent, channel.extent] };
    }
    return undefined;
  }

  #place({ buffer, indices }: Load): Linear {
    const strides = bufferStrides(buffer);
    return indices.reduce<Linear>(
      (sum, index, d) => this.#analyzer.sum(sum, this.#analyzer.linear(index), strides[d] as number),
      constantOf(0),
    );
  }

  /** `inside`: what lies in the tensor where it is from 0 to below an extent. */
  #testFault(tests: readonly Expr[], inside: readonly (readonly [at: Linear, extent: number])[]): string | undefined {
    const known = inside.flatMap(([at, extent]) => [
      this.#analyzer.below(at, extent),
      this.#analyzer.simplify(b.compare("GE", this.#analyzer.expr(at), b.int(0))),
    ]);
    const other = tests.find((test) => {
      if (known.some((one) => exprEqual(test, one))) return false;
      const room = this.#room(test);
      return !room || !inside.some(([at, extent]) => this.#isBelow(at, room) || this.#isBeyond(at, extent, room));
    });
    return other && `it is done where ${printExpr(other)}; the engine only leaves out what lies outside of the tensor`;
  }
  /** Where there is no room, the coordinate is below 0. */
  #isBelow(at: Linear, room: Linear): boolean {
    const factor = factorOf(at, room);
    if (factor <= 0 || !Number.isInteger(factor)) return false;
    // Then room + 1 is at most 0, and the coordinate at most what is left of it without `factor` times that.
    return this.#analyzer.boundsOf(this.#analyzer.sum(at, { ...room, constant: room.constant + 1 }, -factor)).hi < 0;
  }
  #isBeyond(at: Linear, extent: number, room: Linear): boolean {
    const factor = -factorOf(at, room);
    if (factor <= 0 || !Number.isInteger(factor)) return false;
    // Then -room - 1 is at least 0, and the coordinate at least what is left of it without `factor` times that.
    const left = this.#analyzer.sum(at, { ...room, constant: room.constant + 1 }, factor);
    return this.#analyzer.boundsOf(left).lo >= extent;
  }
  /** The value that the test compares with 0. */
  #room(test: Expr): Linear | undefined {
    const { a, b: by } = test as Binary;
    const minus = (x: Expr, y: Expr, less: number) => {
      const l = this.#analyzer.sum(this.#analyzer.linear(x), this.#analyzer.linear(y), -1);
      return { ...l, constant: l.constant - less };
    };
    if (test.kind === "GE") return minus(a, by, 0);
    if (test.kind === "GT") return minus(a, by, 1);
    if (test.kind === "LE") return minus(by, a, 0);
    return test.kind === "LT" ? minus(by, a, 1) : undefined;
  }

  /** `inside`: indices of all elements of the array in shared memory. */
  #placeFault({ origin, taps = [], indices, shared }: BulkCopy, loops: TileNest["loops"], inside: readonly Expr[]) {
    const [wild] = [...origin, ...taps, ...indices].filter((e) => usesAny(e, this.#threads));
    if (wild) return `${printExpr(wild)} differs between threads; one thread starts the copies of all`;
    const factor = bulkAlignmentOf(shared) / dtypeBytes(shared.dtype);
    const first = this.#place(b.load(shared, indices));
    const { modulus, residue } = residueOf(first);
    if (modulus % factor !== 0 || residue % factor !== 0)
      return `boxes begin at ${printExpr(this.#analyzer.expr(first))} of ${shared.name}, which is not proven a multiple of ${factor}`;
    const over = inside.findIndex((index, d) => {
      const { lo, hi } = this.#analyzer.boundsOf(this.#analyzer.linear(index));
      return lo < 0 || hi >= (shared.shape[d] as number);
    });
    return over >= 0
      ? `loops of ${loops.map(({ extent }) => extent).join(" x ")} go beyond ${shared.name} [${shared.shape.join(", ")}]; choose factors that divide`
      : undefined;
  }
}

/** The number of a pixel where the walk is over every pixel of the images. */
const wholePixel = (pixels: Pixels | undefined): Linear | undefined => {
  if (!pixels) return undefined;
  const { lower, upper, steps } = pixels.walk;
  const isWhole = [...lower, ...upper].every((corner) => corner === 0) && steps.every((step) => step === 1);
  return isWhole && pixels.taps.every(({ atoms }) => atoms.length === 0) ? pixels.pixel : undefined;
};

/** A tensor as the engine sees it, and the coordinates of what is copied. */
interface View {
  readonly dims: readonly number[];
  readonly strides: readonly number[];
  readonly at: readonly Linear[];
}

/** Whether the loop walks along one dimension. */
const isBoxed = (at: readonly Linear[], v: Var): boolean => {
  const moved = at.map((l) => coefficient(l, v)).filter((coef) => coef !== 0);
  return moved.length === 1 && moved[0] === 1;
};

/** For each dimension the loop that walks over the box. */
function boxOf(at: readonly Linear[], loops: readonly Axis[], place: Linear) {
  const taken: Axis[] = [];
  const box: number[] = at.map(() => 1);
  let size = 1;
  for (let d = at.length - 1; d >= 0; d--) {
    const loop = loops.find(
      ({ loopVar }) =>
        at.every((l, other) => coefficient(l, loopVar) === (other === d ? 1 : 0)) && coefficient(place, loopVar) === size,
    );
    if (!loop) continue;
    taken.push(loop);
    box[d] = loop.extent;
    size *= loop.extent;
  }
  return { taken, box };
}

/** How often the first term of `room` is in the coordinate. */
function factorOf(at: Linear, room: Linear): number {
  const [atom] = room.atoms;
  return atom === undefined ? 0 : (pick(at, (_, other) => other === atom).coefs[0] ?? 0) / (room.coefs[0] as number);
}

function coefficient(l: Linear, v: Var): number {
  const hidden = l.atoms.some((atom) => atom.kind !== "var" && atom.variables.some(({ variable }) => variable === v));
  if (hidden) return Number.NaN;
  return pick(l, (_, atom) => atom.kind === "var" && atom.variable === v).coefs[0] ?? 0;
}

function tensorFault({ name, dtype, shape, swizzle }: Buffer): string | undefined {
  if (isPacked(dtype) || !(tensorMapTypes as readonly string[]).includes(dtype))
    return `${name} is ${dtype}, of which there are no maps`;
  if (swizzle) return `${name} is swizzled; a tensor's rows lie plain`;
  if (shape.length > mostRank) return `${name} has ${shape.length} dimensions; a map has at most ${mostRank}`;
  const row = dtypeBytes(dtype, shape.at(-1));
  // Also of one row: the engine writes whole 16 bytes at its end, beyond the tensor (seen on an H100).
  return row % 16 !== 0 ? `rows of ${name} have ${row} bytes; a map's are multiples of 16` : undefined;
}

function boxFault(box: readonly number[], shared: Buffer, elementBytes: number, isOfPixels: boolean): string | undefined {
  const large = box.find((extent, d) => extent > (isOfPixels && d === 0 ? mostPixels : mostBox));
  if (large !== undefined) return `a box of ${large} elements in one dimension; at most ${mostBox}: split the loop of the copy`;
  const row = (box.at(-1) ?? 1) * elementBytes;
  if (row % 16 !== 0) return `rows of the box have ${row} bytes; they take multiples of 16`;
  const swizzle = engineSwizzle(shared.dtype, shared.swizzle);
  if (swizzle === undefined)
    return `rows of ${shared.name} have ${dtypeBytes(shared.dtype, shared.shape.at(-1))} bytes; the engine swizzles rows of 32, 64 and 128`;
  return swizzle !== 0 && row !== swizzle ? `rows of the box have ${row} bytes, those of the swizzle ${swizzle}` : undefined;
}

export const bulkCopies = (level: number): Pass<"scheduled", "scheduled"> =>
  definePass("bulk-copies", (func) => {
    let found = false;
    const threads = new Map<Var, For>();
    walkStmt(func.body, (s) => {
      found ||= s.kind === "Stage" && s.engine !== undefined;
      if (s.kind === "For" && (isThreadIdx(s.thread) || s.thread === "vthread")) threads.set(s.loopVar, s);
    });
    if (!found) return func;
    const analyzer = analyzerFor(func.body);
    const boxing = new Boxing(analyzer, new Set(threads.keys()));
    const globals = new Set(func.params);
    /** One thread stores for all, so loops over threads become its own serial loops. */
    const forAllThreads = (nest: TileNest): TileNest => {
      if (!globals.has(nest.store.buffer)) return nest;
      const named = [...threads.values()].filter(({ loopVar, thread }) => {
        return isThreadIdx(thread) && [...nest.store.indices, nest.store.value].some((e) => usesAny(e, new Set([loopVar])));
      });
      const loops = named.map(({ loopVar, extent }) => ({ loopVar: b.variable(loopVar.name), extent }));
      for (const { loopVar, extent } of loops) analyzer.declare(loopVar, extent);
      const own = new Map<Var, Expr>(named.map(({ loopVar }, i) => [loopVar, (loops[i] as Axis).loopVar]));
      const { store, guards } = nest;
      return {
        loops: [...loops, ...nest.loops],
        store: { ...store, indices: store.indices.map((e) => substitute(e, own)), value: substitute(store.value, own) },
        guards: guards.map((e) => substitute(e, own)),
      };
    };
    const made = (whole: Stmt): Result<Stmt, string> => {
      if (level < bulkLevel) return err(`sm_${level} has no copy engine; sm_${bulkLevel} has`);
      const { nest, share } = withoutShare(whole);
      const nests = tileNests(nest);
      if ("wrong" in nests) return err(nests.wrong);
      const only = forAllThreads((nests as [TileNest])[0]);
      const copy = copyOf(only, globals);
      return copy.ok ? boxing.run(only, copy.value, share) : copy;
    };
    /** The stage's own nest stands last in what is below its mark. */
    const inside = (s: Stmt): Stmt => {
      if (s.kind === "Stage" && isNest(s.body)) return { ...s, body: inside(s.body) };
      if (isNest(s) && !isRemark(s)) {
        const result = made(s);
        return result.ok ? result.value : { kind: "Unmatched", primitive: "copyBy", why: result.error, body: s };
      }
      if (s.kind === "Seq") return b.seq(s.stmts.map((child, i) => (i === s.stmts.length - 1 ? inside(child) : run(child))));
      return mapStmt(s, inside, (e) => e);
    };
    const run = (s: Stmt): Stmt => {
      if (s.kind !== "Stage" || s.engine === undefined) return mapStmt(s, run, (e) => e);
      return inside(b.stage(s.name, s.body, defined({ ahead: s.ahead, ring: s.ring })));
    };
    return withBody(func, run(func.body));
  });
