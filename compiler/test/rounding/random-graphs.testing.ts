/**
 * Random computations such as people tune: chains of elementwise steps, reductions, products, layer norms and softmaxes, in mixed
 * dtypes.
 */
import type { DType, Random } from "@warpfarm/common";
import type { Buffer } from "../../src/ir/buffer.ts";
import type { Expr } from "../../src/ir/expr.ts";
import { compute, maxOf, minOf, placeholder, reduceAxis, sum } from "../../src/te/compute.ts";
import * as te from "../../src/te/expr.ts";
import type { Graph } from "../../src/te/graph.ts";
import { graphOf } from "../../src/te/graph-of.ts";

/** A matrix of the chain, and about how large its elements may be: nothing is to overflow. */
interface Matrix {
  readonly tensor: Buffer;
  readonly bound: number;
}

class Chain {
  readonly inputs: Buffer[] = [];
  readonly #random: Random;
  readonly rows: number;
  dtype: DType;
  #names = 0;

  constructor(random: Random) {
    this.#random = random;
    this.rows = 16 + random.below(24);
    this.dtype = random.pick<DType>(["float32", "float32", "float32", "float16", "bfloat16"]);
  }

  name(what: string): string {
    return `${what}${this.#names++}`;
  }
  input(shape: readonly number[], dtype = this.dtype): Buffer {
    const tensor = placeholder(this.name("in"), shape, dtype);
    this.inputs.push(tensor);
    return tensor;
  }
  fresh(columns: number): Matrix {
    return { tensor: this.input([this.rows, columns]), bound: 1 };
  }
  each(what: string, x: Buffer, body: (x: Expr, i: Expr, j: Expr) => Expr): Buffer {
    const [rows = 1, columns = 1] = x.shape;
    const axes = [
      ["i", rows],
      ["j", columns],
    ] as const;
    return compute(this.name(what), axes, (i, j) => body(te.at(x, i, j), i, j));
  }
  row(what: string, x: Buffer, reduce: typeof sum, body: (x: Expr, i: Expr) => Expr = (e) => e): Buffer {
    const [rows = 1, columns = 1] = x.shape;
    const k = reduceAxis("k", columns);
    return compute(this.name(what), [["i", rows]], (i) => reduce(body(te.at(x, i, k.loopVar), i), [k]));
  }

  unary({ tensor, bound }: Matrix): Matrix {
    const scale = bound > 3 ? 2 ** -Math.ceil(Math.log2(bound)) : 1;
    const kinds: readonly (() => Matrix)[] = [
      () => ({
        tensor: this.each("exp", tensor, (x) => te.exp(scale === 1 ? x : te.mul(x, scale))),
        bound: Math.exp(Math.min(bound, 3)),
      }),
      () => ({ tensor: this.each("tanh", tensor, te.tanh), bound: 1 }),
      () => ({ tensor: this.each("relu", tensor, (x) => te.maximum(x, 0)), bound }),
      () => ({ tensor: this.each("root", tensor, (x) => te.sqrt(te.add(te.abs(x), 0.125))), bound: Math.sqrt(bound + 1) }),
      () => ({ tensor: this.each("log", tensor, (x) => te.log(te.add(te.abs(x), 0.5))), bound: Math.log(bound + 2) + 1 }),
      () => ({
        tensor: this.each("rsqrt", tensor, (x) => te.div(1, te.sqrt(te.add(te.mul(te.mul(x, scale), te.mul(x, scale)), 0.1)))),
        bound: 3.2,
      }),
      () => ({ tensor: this.each("leaky", tensor, (x) => te.select(te.greater(x, 0), x, te.mul(x, 0.1))), bound }),
    ];
    return this.#random.pick(kinds)();
  }
  binary(a: Matrix, b: Matrix): Matrix {
    const other = (i: Expr, j: Expr): Expr => te.cast(a.tensor.dtype, te.at(b.tensor, i, j));
    const kinds: readonly (() => Matrix)[] = [
      () => ({ tensor: this.each("add", a.tensor, (x, i, j) => te.add(x, other(i, j))), bound: a.bound + b.bound }),
      () => ({ tensor: this.each("sub", a.tensor, (x, i, j) => te.sub(x, other(i, j))), bound: a.bound + b.bound }),
      () => ({ tensor: this.each("mul", a.tensor, (x, i, j) => te.mul(x, other(i, j))), bound: a.bound * b.bound }),
      () => ({
        tensor: this.each("div", a.tensor, (x, i, j) => te.div(x, te.add(te.abs(other(i, j)), 0.25))),
        bound: 4 * a.bound,
      }),
    ];
    return this.#random.pick(kinds)();
  }
  product({ tensor, bound }: Matrix): Matrix {
    const inner = tensor.shape[1] ?? 1;
    const columns = 16 + this.#random.below(32);
    const weights = this.input([inner, columns], this.#random.pick([tensor.dtype, "float16"] as const));
    const out = this.#random.pick<DType>(["float32", tensor.dtype]);
    const k = reduceAxis("k", inner);
    const axes = [
      ["i", this.rows],
      ["j", columns],
    ] as const;
    const made = compute(this.name("product"), axes, (i, j) =>
      sum(te.mul(te.cast(out, te.at(tensor, i, k.loopVar)), te.cast(out, te.at(weights, k.loopVar, j))), [k]),
    );
    return { tensor: made, bound: bound * Math.sqrt(inner) * 2 };
  }
  layerNorm({ tensor }: Matrix): Matrix {
    const columns = tensor.shape[1] ?? 1;
    const total = this.row("total", tensor, sum);
    const centred = this.each("centred", tensor, (x, i) => te.sub(x, te.div(te.at(total, i), columns)));
    const square = this.row("square", centred, sum, (x) => te.mul(x, x));
    const scale = compute(this.name("scale"), [["i", this.rows]], (i) =>
      te.sqrt(te.add(te.div(te.at(square, i), columns), 0.01)),
    );
    return { tensor: this.each("norm", centred, (x, i) => te.div(x, te.at(scale, i))), bound: 5 };
  }
  softmax({ tensor: given, bound }: Matrix): Matrix {
    // Beyond that all but one element of a row are 0.
    const tensor = bound <= 4 ? given : this.each("logit", given, (x) => te.mul(x, 2 ** -Math.ceil(Math.log2(bound / 4))));
    const top = this.row("top", tensor, maxOf);
    const power = this.each("power", tensor, (x, i) => te.exp(te.sub(x, te.at(top, i))));
    const total = this.row("total", power, sum);
    return { tensor: this.each("share", power, (x, i) => te.div(x, te.at(total, i))), bound: 1 };
  }
  rowed({ tensor, bound }: Matrix): Matrix {
    const row = this.row("row", tensor, this.#random.pick([sum, maxOf, minOf]));
    return { tensor: this.each("joined", tensor, (x, i) => te.sub(x, te.at(row, i))), bound: bound * 8 };
  }
  cast({ tensor, bound }: Matrix): Matrix {
    const to = this.#random.pick<DType>(["float32", "float16", "bfloat16"]);
    return to === tensor.dtype || bound > 1000
      ? this.unary({ tensor, bound })
      : { tensor: this.each("cast", tensor, (x) => te.cast(to, x)), bound };
  }
}

export function randomGraph(random: Random): Graph {
  const chain = new Chain(random);
  let current = chain.fresh(16 + random.below(80));
  const steps = 1 + random.below(5);
  /**
   * What was subtracted from a whole row cancels in the next normalization, which the bound does not see: one of them does not
   * follow another.
   */
  let levelled = false;
  for (let step = 0; step < steps; step++) {
    chain.dtype = current.tensor.dtype;
    const kind = random.below(levelled ? 6 : 9);
    if (kind < 2) current = chain.unary(current);
    else if (kind < 4) current = chain.binary(current, chain.fresh(current.tensor.shape[1] ?? 1));
    else if (kind === 4) current = chain.cast(current);
    else if (kind === 5) current = current.bound < 100 ? chain.product(current) : chain.unary(current);
    else if (kind === 6) current = chain.layerNorm(current);
    else if (kind === 7) current = chain.softmax(current);
    else current = chain.rowed(current);
    if (kind >= 6) levelled = true;
    else if (kind === 5) levelled = false;
  }
  return graphOf(chain.inputs, [current.tensor]);
}
