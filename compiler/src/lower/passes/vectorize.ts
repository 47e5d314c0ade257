/**
 * Loops marked `vectorized` become accesses of several lanes: a Ramp where neighbouring iterations touch neighbouring elements,
 * one scalar where they touch one element. Wider loops are cut into vectors of the target. A statement that cannot be a vector
 * stays in a serial loop of its own.
 *
 *   for v in 8 vectorized:                      for v.o in 2 unrolled:
 *     if c: S[t*8 + v] = A[i*64 + v] * k   ->     if c: S[ramp(t*8 + v.o*4, 1, 4)] = A[ramp(...)] * broadcast(k, 4)
 *
 * A condition that is equal for all lanes keeps the access whole. A condition that depends on the lane makes the statement
 * scalar, and so do strides other than 1, stores of all lanes to one place (a reduction), and functions (`exp`), unless the
 * machine calls them lane by lane. Iterations of a vectorized loop
 * must not depend on each other. On CUDA an access must be aligned to its size, which the pass proves from the divisibility of
 * the index; arrays in registers need no proof. A note says why an access became scalar or a narrower vector. Elements of
 * packed types are moved together, but computed one by one.
 */
import { type DType, dtypeBits, isPacked, type ManifestNote } from "@warpfarm/common";
import type { Analyzer, Environment } from "../../arith/analyzer.ts";
import { addScaled, type Linear, pick } from "../../arith/linear.ts";
import { residueOf } from "../../arith/modular.ts";
import { type Buffer, isFragmentScope } from "../../ir/buffer.ts";
import * as b from "../../ir/build.ts";
import type { Expr, Var } from "../../ir/expr.ts";
import { isRemark } from "../../ir/parts.ts";
import type { For, Stmt } from "../../ir/stmt.ts";
import { lanesOf, mapStmt, someExpr, someStmt, usesVar, walkExpr } from "../../ir/visit.ts";
import { analyzerFor } from "../loops.ts";
import { definePass, type Pass, withBody } from "../pass.ts";

export interface VectorizeOptions {
  readonly maxBytes: number;
  readonly dtypes: ReadonlySet<DType>;
  /**
   * Whether the machine moves vectors to and from memory and does the rest lane by lane, as CUDA does: values and registers then
   * have no width, and a guarded vector is a whole load, a constant, or computed from registers: what is computed from memory
   * would be loaded element by element, behind the guard.
   */
  readonly movesAlone: boolean;
}

/** More vectors of one loop stay in a serial loop. */
const maxVectorsUnrolled = 16;

type Store = Extract<Stmt, { kind: "Store" }>;

class Vectorizer {
  readonly #analyzer: Analyzer;
  readonly #options: VectorizeOptions;
  readonly notes = new Map<string, ManifestNote>();

  constructor(analyzer: Analyzer, options: VectorizeOptions) {
    this.#analyzer = analyzer;
    this.#options = options;
  }

  readonly run = (s: Stmt): Stmt => {
    if (s.kind === "For" && s.forKind === "vectorized") return this.#lanes(s.body, s);
    return mapStmt(s, this.run, (e) => e);
  };

  #lanes(s: Stmt, loop: For): Stmt {
    if (isRemark(s)) return { ...s, body: this.#lanes(s.body, loop) };
    switch (s.kind) {
      case "Seq":
        return b.seq(s.stmts.map((child) => this.#lanes(child, loop)));
      case "If":
        if (!usesVar(s.cond, loop.loopVar)) return b.ifThen(s.cond, this.#lanes(s.body, loop));
        this.#note(loop, 1, "a condition differs from lane to lane");
        return this.#scalar(s, loop);
      case "For":
        // A loop inside a vectorized one: iterations of the outer do not depend on each other, so they may change places.
        if (s.forKind === "bound" || s.forKind === "parallel") return this.#scalar(s, loop);
        return { ...s, forKind: s.forKind === "vectorized" ? "serial" : s.forKind, body: this.#lanes(s.body, loop) };
      case "Store":
        return this.#store(s, loop);
      default:
        return this.#scalar(s, loop);
    }
  }
  #scalar(body: Stmt, loop: For): Stmt {
    return b.forLoop(loop.loopVar, loop.extent, this.run(body));
  }

  #store(s: Store, loop: For): Stmt {
    const most = (this.#options.maxBytes * 8) / this.#widest(s);
    let why = loop.extent % 2 === 1 && loop.extent > 1 ? "an odd number is no multiple of a vector" : undefined;
    for (let lanes = largestPowerOfTwo(loop.extent, most); lanes > 1; lanes /= 2) {
      const vector = this.#vectorStore(s, loop, lanes);
      if (typeof vector !== "string") {
        if (why !== undefined) this.#note(loop, lanes, why);
        return vector;
      }
      why ??= vector;
    }
    if (why !== undefined) this.#note(loop, 1, why);
    return this.#scalar(s, loop);
  }
  /** Bits of an element of the widest access that limits the lanes. */
  #widest({ buffer, value }: Store): number {
    if (!this.#options.movesAlone || isMemory(buffer)) return dtypeBits(buffer.dtype);
    const loaded: number[] = [];
    walkExpr(value, (e) => {
      if (e.kind === "Load" && isMemory(e.buffer)) loaded.push(dtypeBits(e.dtype));
    });
    return loaded.length > 0 ? Math.max(...loaded) : dtypeBits(buffer.dtype);
  }
  #note(loop: For, lanes: number, why: string): void {
    const done = lanes === 1 ? "element by element" : `${lanes} at a time`;
    const message = `loop "${loop.loopVar.name}" of ${loop.extent} is vectorized, but done ${done}: ${why}`;
    this.notes.set(message, { rule: "vectorize.narrow", message });
  }

  #vectorStore(s: Store, loop: For, lanes: number): Stmt | string {
    const lane = b.variable(`${loop.loopVar.name}.v`);
    const laneValue = this.#analyzer.declare(lane, lanes);
    const count = loop.extent / lanes;
    const outer = b.variable(`${loop.loopVar.name}.o`);
    let value: Linear = { atoms: [laneValue], coefs: [1], constant: 0 };
    if (count > 1) {
      this.#analyzer.declare(outer, count);
      value = addScaled(value, this.#analyzer.value(outer), lanes);
    }
    const rewrite = new LaneRewrite(this.#analyzer, this.#options, new Map([[loop.loopVar, value]]), lane, lanes);
    const body = rewrite.store(s);
    if (!body) return rewrite.why;
    if (count === 1) return body;
    return b.forLoop(outer, count, body, count <= maxVectorsUnrolled ? "unrolled" : "serial");
  }
}

const isMemory = ({ scope }: Buffer): boolean => scope !== "local" && !isFragmentScope(scope);

const largestPowerOfTwo = (extent: number, most: number): number => {
  let lanes = 1;
  while (extent % (lanes * 2) === 0 && lanes * 2 <= most) lanes *= 2;
  return lanes;
};

/** One statement with its loop variable replaced by base + lane; undefined when it cannot be a vector of this many lanes. */
class LaneRewrite {
  readonly #analyzer: Analyzer;
  readonly #options: VectorizeOptions;
  readonly #env: Environment;
  readonly #lane: Var;
  readonly #lanes: number;
  why = "its values are no vectors here";

  constructor(analyzer: Analyzer, options: VectorizeOptions, env: Environment, lane: Var, lanes: number) {
    this.#analyzer = analyzer;
    this.#options = options;
    this.#env = env;
    this.#lane = lane;
    this.#lanes = lanes;
  }

  store(s: Store): Stmt | undefined {
    const index = this.#index(s.buffer, s.indices[0] as Expr);
    if (!index) return undefined;
    if (index.kind !== "Ramp") return this.#because(`all lanes write one element of "${s.buffer.name}"`);
    const value = this.#value(s.value);
    if (!value || (isPacked(s.buffer.dtype) && !isMove(value))) return undefined;
    return b.store(s.buffer, [index], lanesOf(value) === 1 ? this.#broadcast(value) : value);
  }

  #because(why: string): undefined {
    this.why = why;
    return undefined;
  }

  #broadcast(e: Expr): Expr {
    return lanesOf(e) === this.#lanes ? e : b.broadcast(e, this.#lanes);
  }
  #fits(dtype: DType, hasWidth = !this.#options.movesAlone): boolean {
    const bits = dtypeBits(dtype) * this.#lanes;
    return this.#options.dtypes.has(dtype) && bits >= 8 && (!hasWidth || bits <= this.#options.maxBytes * 8);
  }

  #index(buffer: Buffer, e: Expr): Expr | undefined {
    const l = this.#analyzer.linear(e, this.#env);
    let coef = 0;
    for (let i = 0; i < l.atoms.length; i++) {
      const atom = l.atoms[i];
      if (atom?.kind === "var" && atom.variable === this.#lane) coef = l.coefs[i] as number;
      else if (atom?.variables.some((v) => v.variable === this.#lane))
        return this.#because(`neighbours in "${buffer.name}" are not at one distance`);
    }
    if (coef === 0) return this.#analyzer.expr(l);
    if (coef !== 1) return this.#because(`neighbours in "${buffer.name}" are ${coef} elements apart`);
    if (!this.#fits(buffer.dtype, !this.#options.movesAlone || isMemory(buffer)))
      return this.#because(`${this.#lanes} of ${buffer.dtype} are no vector here`);
    // A thread's own array of a packed type is not packed.
    if (isPacked(buffer.dtype) && buffer.scope === "local") return undefined;
    const varying = pick(l, (_, atom) => atom.kind !== "var" || atom.variable !== this.#lane);
    const base: Linear = { atoms: varying.atoms, coefs: varying.coefs, constant: l.constant };
    if (this.#options.movesAlone && isMemory(buffer) && !isMultiple(base, this.#lanes))
      return this.#because(`the first place in "${buffer.name}" is not provably a multiple of ${this.#lanes} elements`);
    return b.ramp(this.#analyzer.expr(base), 1, this.#lanes);
  }

  /** A function that is called for each lane. */
  #call(e: Extract<Expr, { kind: "Call" }>): Expr | undefined {
    const args = e.args.map((arg) => this.#value(arg));
    const found = args.filter((arg) => arg !== undefined);
    if (found.length < args.length || !this.#fits(e.dtype)) return undefined;
    return b.call(e.name, ...found.map((arg) => this.#broadcast(arg)));
  }

  #value(e: Expr): Expr | undefined {
    switch (e.kind) {
      case "IntImm":
      case "FloatImm":
        return e;
      case "Load": {
        const index = this.#index(e.buffer, e.indices[0] as Expr);
        return index && b.load(e.buffer, [index]);
      }
      case "Select": {
        const cond = this.#analyzer.simplify(e.cond, this.#env);
        if (usesVar(cond, this.#lane)) return this.#because("a condition differs from lane to lane");
        const whenTrue = this.#value(e.whenTrue);
        const whenFalse = this.#value(e.whenFalse);
        if (!whenTrue || !whenFalse) return undefined;
        if (lanesOf(whenTrue) === 1 && lanesOf(whenFalse) === 1) return b.select(cond, whenTrue, whenFalse);
        const sides = [whenTrue, whenFalse];
        if (this.#options.movesAlone && !sides.every(isMove) && sides.some(loadsFromMemory)) return undefined;
        return b.select(cond, this.#broadcast(whenTrue), this.#broadcast(whenFalse));
      }
      case "Cast": {
        const value = this.#value(e.value);
        if (!value || lanesOf(value) === 1) return value && b.cast(e.dtype, value);
        if (isPacked(value.dtype)) return undefined;
        return this.#fits(e.dtype) && this.#fits(value.dtype) ? b.cast(e.dtype, value) : undefined;
      }
      case "Add":
      case "Sub":
      case "Mul":
      case "Div":
      case "Min":
      case "Max": {
        const x = this.#value(e.a);
        const y = x && this.#value(e.b);
        if (!y) return undefined;
        if (lanesOf(x) === 1 && lanesOf(y) === 1) return b.binary(e.kind, x, y);
        return this.#fits(e.dtype) ? b.binary(e.kind, this.#broadcast(x), this.#broadcast(y)) : undefined;
      }
      default: {
        const scalar = this.#analyzer.simplify(e, this.#env);
        if (!usesVar(scalar, this.#lane)) return scalar;
        return e.kind === "Call" && this.#options.movesAlone ? this.#call(e) : undefined;
      }
    }
  }
}

/** Whether a value is only moved: loaded, chosen or repeated. */
export function isMove(e: Expr): boolean {
  switch (e.kind) {
    case "Load":
    case "Broadcast":
    case "FloatImm":
    case "IntImm":
      return true;
    case "Select":
      return isMove(e.whenTrue) && isMove(e.whenFalse);
    default:
      return false;
  }
}

const loadsFromMemory = (e: Expr): boolean => someExpr(e, (part) => part.kind === "Load" && isMemory(part.buffer));

function isMultiple(l: Linear, n: number): boolean {
  const { modulus, residue } = residueOf(l);
  return modulus % n === 0 && residue % n === 0;
}

export const vectorize = (options: VectorizeOptions): Pass<"lowered", "lowered"> =>
  definePass("vectorize", (func) => {
    if (!someStmt(func.body, (s) => s.kind === "For" && s.forKind === "vectorized")) return func;
    const vectorizer = new Vectorizer(analyzerFor(func.body), options);
    const made = withBody(func, vectorizer.run(func.body));
    const notes = [...vectorizer.notes.values()];
    return notes.length === 0 ? made : { ...made, notes: [...(func.notes ?? []), ...notes] };
  });
