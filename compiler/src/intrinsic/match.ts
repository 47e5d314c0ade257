/**
 * Does a loop nest do what an intrinsic does? The nest's loops are matched with the axes of the intrinsic's op: spatial ones by
 * their place in what is stored, the rest with the reduction; loops of one iteration do not count. Bodies are compared part by
 * part, casts included, operands of commutative operations in either order. Every access must be a sum of its tile's axes times
 * strides plus something that the tile does not change: that is the operand's first element and its strides, which the intrinsic
 * may restrict.
 *
 *   for i in 16: for j in 16: S.a[n, i, j] = S[t*8 + n, k, i, j]      and      frag[i, j] = src[i, j]
 *   ->  load(S[t*8 + n, k, 0, 0] strides [16, 1], S.a[n, 0, 0] strides [16, 1])
 *
 * Source: TVM's te/operation/tensorize.cc; docs/reference/source-programs.md 6.9.
 */
import { err, ok, type Result } from "@warpfarm/common";
import type { Analyzer } from "../arith/analyzer.ts";
import { equalLinear, type Linear, pick } from "../arith/linear.ts";
import { residueOf } from "../arith/modular.ts";
import { type Buffer, bufferStrides } from "../ir/buffer.ts";
import * as b from "../ir/build.ts";
import { identityOf } from "../ir/combiner.ts";
import { exprEqual } from "../ir/equal.ts";
import type { Expr, Load, Var } from "../ir/expr.ts";
import { type Intrinsic, type IntrinsicOperand, type InvokeForm, tensorOf } from "../ir/intrinsic.ts";
import { printExpr } from "../ir/print.ts";
import type { Invoke, Stmt, Store, Tile } from "../ir/stmt.ts";
import { children, substitute } from "../ir/visit.ts";
import { type Axis, guardReason, permutations, tileNests } from "./tile-nest.ts";

type Assignment = ReadonlyMap<Var, Var>;
type Bound = ReadonlyMap<Buffer, Tile>;

const combinerKinds = { sum: "Add", prod: "Mul", max: "Max", min: "Min" } as const;
const commutative: ReadonlySet<string> = new Set(["Add", "Mul", "Min", "Max", "EQ", "NE"]);

const sizes = (axes: readonly Axis[]): string =>
  axes.map(({ loopVar, extent }) => `${loopVar.name} ${extent}`).join(", ") || "none";

class Matcher {
  readonly #intrinsic: Intrinsic;
  readonly #analyzer: Analyzer;
  reason: string | undefined;

  constructor(intrinsic: Intrinsic, analyzer: Analyzer) {
    this.#intrinsic = intrinsic;
    this.#analyzer = analyzer;
  }

  #wrong(reason: string): undefined {
    this.reason ??= reason;
    return undefined;
  }

  form(form: InvokeForm, loops: readonly Axis[], store: Store): Invoke | undefined {
    const { op } = this.#intrinsic;
    const place = this.#offset(store.buffer, store.indices);
    const found = loops.filter(({ extent }) => extent > 1);
    const spatial = found.filter(({ loopVar }) => this.#coefficient(place, loopVar) !== 0);
    spatial.sort((x, y) => this.#coefficient(place, y.loopVar) - this.#coefficient(place, x.loopVar));
    const reduce = found.filter((loop) => !spatial.includes(loop));
    const wanted = [op.axes, form === "init" ? [] : op.reduce].map((axes) => axes.filter(({ extent }) => extent > 1));
    for (const spatialAxes of permutations(wanted[0] as readonly Axis[]))
      for (const reduceAxes of permutations(wanted[1] as readonly Axis[])) {
        const assignment = assign([spatial, reduce], [spatialAxes, reduceAxes]);
        const made = assignment && this.#call(form, store, found, assignment);
        if (made) return made;
      }
    return this.#wrong(
      `the loops are ${sizes(spatial)} and, summed over, ${sizes(reduce)}; the tile has ${sizes(wanted[0] as readonly Axis[])} and ${sizes(wanted[1] as readonly Axis[])}`,
    );
  }

  #call(form: InvokeForm, store: Store, loops: readonly Axis[], assignment: Assignment): Invoke | undefined {
    const { op, operands } = this.#intrinsic;
    const output = operands.at(-1) as IntrinsicOperand;
    const target = b.load(
      op.output,
      op.axes.map((axis) => axis.loopVar),
    );
    const out = this.#tile(output, target, store.buffer, store.indices, loops, assignment);
    if (!out) return undefined;
    if (form === "init") {
      const start = op.combiner && identityOf(op.combiner, op.output.dtype);
      if (!start || !exprEqual(start, store.value))
        return this.#wrong(
          `it starts from ${printExpr(store.value)}, the intrinsic from ${start ? printExpr(start) : "nothing"}`,
        );
      return b.invoke(this.#intrinsic, form, [out]);
    }
    const value = op.combiner ? this.#step(store, combinerKinds[op.combiner]) : store.value;
    const bound = value && this.#same(op.body, value, new Map(), loops, assignment);
    if (!bound) return undefined;
    const inputs = op.inputs.map((tensor) => bound.get(tensor));
    const missing = inputs.indexOf(undefined);
    if (missing >= 0) return this.#wrong(`the operand "${op.inputs[missing]?.name}" is not read`);
    return b.invoke(this.#intrinsic, form, [...(inputs as Tile[]), out]);
  }

  #step(store: Store, kind: "Add" | "Mul" | "Max" | "Min"): Expr | undefined {
    const { value } = store;
    const isOld = (e: Expr): boolean =>
      e.kind === "Load" && e.buffer === store.buffer && e.indices.every((index, d) => exprEqual(index, store.indices[d] as Expr));
    if (value.kind === kind && isOld(value.a)) return value.b;
    if (value.kind === kind && isOld(value.b)) return value.a;
    return this.#wrong(`the statement is no reduction by ${kind.toLowerCase()}: ${store.buffer.name} = ${printExpr(value)}`);
  }

  #same(wanted: Expr, found: Expr, bound: Bound, loops: readonly Axis[], assignment: Assignment): Bound | undefined {
    if (wanted.kind === "Load") {
      if (found.kind !== "Load")
        return this.#wrong(`the body has ${printExpr(found)} where the intrinsic reads ${printExpr(wanted)}`);
      return this.#sameLoad(wanted, found, bound, loops, assignment);
    }
    if (wanted.kind !== found.kind || wanted.dtype !== found.dtype)
      return this.#wrong(`the body has ${printExpr(found)} where the intrinsic has ${printExpr(wanted)}`);
    if (wanted.kind === "Var") return this.#wrong(`the axis ${wanted.name} is used as a value`);
    const parts = children(wanted);
    if (parts.length === 0 || wanted.kind === "Call")
      if (!sameLeaf(wanted, found)) return this.#wrong(`the body has ${printExpr(found)}, the intrinsic ${printExpr(wanted)}`);
    const others = children(found);
    const inOrder = this.#all(parts, others, bound, loops, assignment);
    if (inOrder || !commutative.has(wanted.kind)) return inOrder;
    return this.#all(parts, [...others].reverse(), bound, loops, assignment);
  }
  #all(wanted: readonly Expr[], found: readonly Expr[], bound: Bound, loops: readonly Axis[], by: Assignment): Bound | undefined {
    let now: Bound | undefined = bound;
    for (let i = 0; i < wanted.length && now; i++) now = this.#same(wanted[i] as Expr, found[i] as Expr, now, loops, by);
    return now;
  }

  #sameLoad(wanted: Load, found: Load, bound: Bound, loops: readonly Axis[], assignment: Assignment): Bound | undefined {
    const operand = this.#intrinsic.operands.find((o) => tensorOf(this.#intrinsic, o) === wanted.buffer) as IntrinsicOperand;
    const tile = this.#tile(operand, wanted, found.buffer, found.indices, loops, assignment);
    if (!tile) return undefined;
    const known = bound.get(wanted.buffer);
    if (!known) return new Map([...bound, [wanted.buffer, tile]]);
    const isSame = known.buffer === tile.buffer && known.indices.every((e, d) => exprEqual(e, tile.indices[d] as Expr));
    return isSame ? bound : this.#wrong(`"${operand.name}" would be two tiles of ${known.buffer.name} and ${tile.buffer.name}`);
  }

  #tile(
    operand: IntrinsicOperand,
    wanted: Load,
    buffer: Buffer,
    indices: readonly Expr[],
    loops: readonly Axis[],
    assignment: Assignment,
  ): Tile | undefined {
    const what = `${buffer.name} as "${operand.name}"`;
    if (buffer.dtype !== wanted.buffer.dtype) return this.#wrong(`${what} is ${buffer.dtype}, not ${wanted.buffer.dtype}`);
    if (!operand.scopes.includes(buffer.scope))
      return this.#wrong(`${what} lives in ${buffer.scope}; the intrinsic takes it from ${operand.scopes.join(" or ")}`);
    const offset = this.#offset(buffer, indices);
    const isLoop = (v: Var): boolean => loops.some(({ loopVar }) => loopVar === v);
    const base = pick(offset, (_, atom) => !atom.variables.some(({ variable }) => isLoop(variable)));
    if (offset.atoms.some((atom) => atom.kind !== "var" && atom.variables.some(({ variable }) => isLoop(variable))))
      return this.#wrong(`the place in ${what}, ${printExpr(this.#analyzer.expr(offset))}, is no sum over the tile's loops`);
    const loopOf = new Map([...assignment].map(([loop, axis]) => [axis, loop]));
    const strides = wanted.indices.map((axis, d) => {
      const loop = loopOf.get(axis as Var);
      return loop ? this.#coefficient(offset, loop) : (operand.strides[d] ?? wanted.buffer.shape.at(-1) ?? 1);
    });
    const used = new Set(wanted.indices.map((axis) => loopOf.get(axis as Var)));
    const extra = loops.find(({ loopVar }) => !used.has(loopVar) && this.#coefficient(offset, loopVar) !== 0);
    if (extra) return this.#wrong(`${what} changes with the loop ${extra.loopVar.name}, which is not an axis of the operand`);
    for (const [d, stride] of strides.entries()) {
      const fixed = operand.strides[d] ?? null;
      if (fixed !== null && stride !== fixed)
        return this.#wrong(`${what} has strides [${strides.join(", ")}]; dimension ${d} needs ${fixed}`);
      if (fixed === null && (stride <= 0 || stride % operand.strideFactor !== 0))
        return this.#wrong(
          `${what} has strides [${strides.join(", ")}]; dimension ${d} needs a multiple of ${operand.strideFactor}`,
        );
    }
    const { modulus, residue } = residueOf({ ...base, constant: offset.constant });
    const factor = operand.offsetFactor;
    if (modulus % factor !== 0 || residue % factor !== 0)
      return this.#wrong(
        `${what} begins at ${printExpr(this.#analyzer.expr({ ...base, constant: offset.constant }))}, which is not proven a multiple of ${factor}`,
      );
    const first = new Map<Var, Expr>(loops.map(({ loopVar }) => [loopVar, b.int(0)]));
    return { buffer, indices: indices.map((e) => this.#analyzer.simplify(substitute(e, first))), strides };
  }

  #offset(buffer: Buffer, indices: readonly Expr[]): Linear {
    const strides = bufferStrides(buffer);
    return indices.reduce<Linear>(
      (sum, index, d) => this.#analyzer.sum(sum, this.#analyzer.linear(index), strides[d] as number),
      { atoms: [], coefs: [], constant: 0 },
    );
  }
  #coefficient(l: Linear, v: Var): number {
    const i = l.atoms.findIndex((atom) => atom.kind === "var" && atom.variable === v);
    return i < 0 ? 0 : (l.coefs[i] as number);
  }

  sameTile(x: Tile, y: Tile): boolean {
    return x.buffer === y.buffer && equalLinear(this.#offset(x.buffer, x.indices), this.#offset(y.buffer, y.indices));
  }
}

function sameLeaf(a: Expr, e: Expr): boolean {
  if (a.kind === "Call") return e.kind === "Call" && a.name === e.name;
  return exprEqual(a, e);
}

function assign(loops: readonly (readonly Axis[])[], axes: readonly (readonly Axis[])[]): Assignment | undefined {
  const made = new Map<Var, Var>();
  for (const [i, group] of loops.entries()) {
    const to = axes[i] as readonly Axis[];
    if (group.length !== to.length || group.some((loop, k) => loop.extent !== to[k]?.extent)) return undefined;
    for (const [k, loop] of group.entries()) made.set(loop.loopVar, (to[k] as Axis).loopVar);
  }
  return made;
}

/**
 * The calls that replace a nest, or why there are none. `isInit`: the nest writes a reduction's start values; undefined: nothing
 * to replace, because plain stores do that.
 */
export function matchNest(
  nest: Stmt,
  intrinsic: Intrinsic,
  isInit: boolean,
  analyzer: Analyzer,
): Result<Stmt | undefined, string> {
  const nests = tileNests(nest);
  if ("wrong" in nests) return err(nests.wrong);
  const guarded = nests.find(({ guards }) => guards.length > 0);
  if (guarded) return err(guardReason(guarded.guards));
  const matcher = new Matcher(intrinsic, analyzer);
  const lacking = (form: InvokeForm) => err(`it has no text for ${form}`);
  const { text, op } = intrinsic;
  const call = (form: InvokeForm, at: number): Invoke | undefined => {
    const found = nests[at];
    return found && matcher.form(form, found.loops, found.store);
  };
  const why = () => err(matcher.reason ?? "the loop nest differs from the intrinsic's");
  if (isInit) {
    if (!text.init) return ok(undefined);
    const made = call("init", 0);
    return made ? ok(made) : why();
  }
  if (nests.length === 1) {
    const form = op.combiner ? "update" : "body";
    if (!text[form]) return lacking(form);
    const made = call(form, 0);
    return made ? ok(made) : why();
  }
  if (!op.combiner) return err("the nest has two statements, but the intrinsic is not a reduction");
  const init = call("init", 0);
  const update = init && call("update", 1);
  if (!init || !update) return why();
  if (!matcher.sameTile(init.tiles[0] as Tile, update.tiles.at(-1) as Tile))
    return err("start values and sums go to different places");
  if (text.body) return ok(b.invoke(intrinsic, "body", update.tiles));
  return text.init && text.update ? ok(b.seq([init, update])) : lacking("body");
}
