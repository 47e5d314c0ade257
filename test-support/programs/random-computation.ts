/**
 * Random computations of one to six stages: elementwise with broadcasts, transposed and shifted reads, reductions over any axes,
 * rows and what they need, products, windows, a gather; several outputs, some of which others read. Values stay whole and small,
 * so that every order of a sum gives the same bits.
 */
import type { DType, Random } from "@warpfarm/common";
import {
  type Axis,
  add,
  all,
  at,
  type Buffer,
  cast,
  compute,
  constant,
  type Expr,
  fills,
  type Graph,
  graphOf,
  greaterEqual,
  less,
  maximum,
  maxOf,
  minimum,
  minOf,
  mul,
  type Operand,
  placeholder,
  reduceAxis,
  reshape,
  scan,
  select,
  sub,
  sum,
} from "@warpfarm/compiler/language";

const extents = [1, 2, 3, 4, 5, 7, 8, 12, 16];
/** Beyond it a float32 is no exact whole number soon. */
const mostValue = 1 << 18;

interface Tensor {
  readonly buffer: Buffer;
  /** The largest absolute value. */
  readonly most: number;
}

class Drawing {
  readonly #random: Random;
  readonly #inputs: Buffer[] = [];
  readonly #made: Tensor[] = [];
  readonly #read = new Set<Buffer>();
  readonly #type: DType;

  constructor(random: Random) {
    this.#random = random;
    this.#type = random.pick(["float32", "float32", "float32", "int32", "float16", "float64"] as const);
  }

  run(stages: number): Graph {
    for (let n = 0; n < stages; n++) {
      const x = this.#made.length > 0 && !this.#chance(5) ? this.#random.pick(this.#made) : this.#input(this.#shape());
      const made = this.#random.pick([
        this.#map,
        this.#combine,
        this.#reduce,
        this.#rows,
        this.#rows,
        this.#product,
        this.#product,
        this.#window,
        this.#gather,
        this.#recurrence,
      ])(x);
      this.#made.push(made.most > mostValue ? this.#clamped(made) : made);
    }
    const outputs = this.#made.map(({ buffer }) => buffer).filter((buffer) => !this.#read.has(buffer) || this.#chance(6));
    return graphOf(this.#inputs, outputs);
  }

  #chance(of: number): boolean {
    return this.#random.below(of) === 0;
  }
  #name(): string {
    return `t${this.#made.length}${this.#chance(2) ? "_x" : ""}${this.#inputs.length}`;
  }
  #shape(): number[] {
    return Array.from({ length: 1 + this.#random.below(3) }, () => this.#random.pick(extents));
  }
  #input(shape: readonly number[], dtype: DType = this.#type): Tensor {
    const buffer = placeholder(`in${this.#inputs.length}`, shape, dtype);
    this.#inputs.push(buffer);
    return { buffer, most: 3 };
  }
  #axes({ shape }: Pick<Buffer, "shape">) {
    return shape.map((extent, d) => [`i${d}`, extent] as const);
  }
  #at({ buffer }: Tensor, ...index: readonly Operand[]): Expr {
    this.#read.add(buffer);
    return at(buffer, ...index);
  }
  #clamped(x: Tensor): Tensor {
    const buffer = compute(`${x.buffer.name}_c`, this.#axes(x.buffer), (...i) => maximum(minimum(this.#at(x, ...i), 4), -4));
    return { buffer, most: 4 };
  }

  #map = (x: Tensor): Tensor => {
    const { shape } = x.buffer;
    const kind = this.#random.below(6);
    if (kind === 5 && shape.length > 1) {
      this.#read.add(x.buffer);
      const [first = 1, second = 1, ...rest] = shape;
      const other = this.#random.pick([
        [first * second, ...rest],
        [first, 1, second, ...rest],
        [second, first, ...rest],
      ]);
      return { buffer: reshape(x.buffer, other, { name: this.#name() }), most: x.most };
    }
    if (kind === 0 && shape.length > 1) {
      const order = this.#random.shuffle(shape.map((_, d) => d));
      const axes = order.map((d, i) => [`i${i}`, shape[d] as number] as const);
      return {
        buffer: compute(this.#name(), axes, (...i) => this.#at(x, ...shape.map((_, d) => i[order.indexOf(d)] as Expr))),
        most: x.most,
      };
    }
    if (kind === 1) {
      const by = 1 + this.#random.below(2);
      const last = shape.length - 1;
      const axes = shape.map((extent, d) => [`i${d}`, d === last ? extent + 2 * by : extent] as const);
      const buffer = compute(this.#name(), axes, (...i) => {
        const at_ = sub(i[last] as Expr, by);
        return select(all(greaterEqual(at_, 0), less(at_, shape[last] as number)), this.#at(x, ...i.slice(0, -1), at_), 0);
      });
      return { buffer, most: x.most };
    }
    const own = (...i: readonly Expr[]) => this.#at(x, ...i);
    if (kind === 2) return { buffer: compute(this.#name(), this.#axes(x.buffer), (...i) => maximum(own(...i), 0)), most: x.most };
    if (kind === 3)
      return { buffer: compute(this.#name(), this.#axes(x.buffer), (...i) => add(mul(own(...i), 2), 1)), most: 2 * x.most + 1 };
    const scaled = compute(this.#name(), this.#axes(x.buffer), (...i) => mul(own(...i), own(...i)));
    return { buffer: scaled, most: x.most ** 2 };
  };

  /** With a tensor of the same shape, of its first axes, or of its last ones. */
  #combine = (x: Tensor): Tensor => {
    const { shape } = x.buffer;
    const fits = ({ buffer }: Tensor): "first" | "last" | undefined => {
      const is = (part: readonly number[]) => part.length === buffer.shape.length && part.every((n, d) => n === buffer.shape[d]);
      if (buffer.dtype !== x.buffer.dtype || buffer.shape.length > shape.length) return undefined;
      if (is(shape.slice(0, buffer.shape.length))) return "first";
      return is(shape.slice(-buffer.shape.length)) ? "last" : undefined;
    };
    const others = this.#made.filter((other) => fits(other) !== undefined);
    const y =
      others.length > 0 && !this.#chance(4)
        ? this.#random.pick(others)
        : this.#input(shape.slice(this.#random.below(shape.length)), x.buffer.dtype);
    const rank = y.buffer.shape.length;
    const isFirst = fits(y) === "first";
    const [op, most] = this.#random.pick([
      [add, x.most + y.most],
      [sub, x.most + y.most],
      [mul, x.most * y.most],
      [maximum, Math.max(x.most, y.most)],
    ] as const);
    const buffer = compute(this.#name(), this.#axes(x.buffer), (...i) =>
      op(this.#at(x, ...i), this.#at(y, ...(isFirst ? i.slice(0, rank) : i.slice(-rank)))),
    );
    return { buffer, most };
  };

  #reduce = (x: Tensor): Tensor => {
    const { shape } = x.buffer;
    const gone = this.#chance(4) && shape.length > 2 ? [1, 2] : [this.#chance(3) ? 0 : shape.length - 1];
    const kept = shape.flatMap((_, d) => (gone.includes(d) ? [] : [d]));
    const axes = kept.length > 0 ? kept.map((d, i) => [`i${i}`, shape[d] as number] as const) : [["i0", 1] as const];
    const reduce = gone.map((d) => reduceAxis(`k${d}`, shape[d] as number));
    const [combine, isSum] = this.#random.pick([
      [sum, true],
      [sum, true],
      [maxOf, false],
      [minOf, false],
    ] as const);
    const buffer = compute(this.#name(), axes, (...i) => {
      const index = shape.map((_, d) =>
        gone.includes(d) ? (reduce[gone.indexOf(d)] as Axis).loopVar : (i[kept.indexOf(d)] as Expr),
      );
      return combine(this.#at(x, ...index), reduce);
    });
    return { buffer, most: isSum ? x.most * gone.reduce((n, d) => n * (shape[d] as number), 1) : x.most };
  };

  /** A reduction over rows that every element of the row then needs: of rows, or of columns, whose loops are no row's. */
  #rows = (x: Tensor): Tensor => {
    const { shape } = x.buffer;
    if (shape.length < 2) return this.#reduce(x);
    const prefix = 1 + this.#random.below(shape.length - 1);
    const isOfColumns = this.#chance(5) && shape.length === 2;
    const own = isOfColumns ? [1] : shape.slice(0, prefix).map((_, d) => d);
    const gone = shape.flatMap((_, d) => (own.includes(d) ? [] : [d]));
    const reduce = gone.map((d) => reduceAxis(`k${d}`, shape[d] as number));
    const isSum = this.#chance(2);
    // A reduction may keep its dimensions, of extent 1.
    const kept = this.#chance(2) ? shape.map((_, d) => d) : own;
    const axes = kept.map((d, i) => [`r${i}`, own.includes(d) ? (shape[d] as number) : 1] as const);
    const name = this.#name();
    const reduced = compute(`${name}_r`, axes, (...r) => {
      const index = shape.map((_, d) =>
        own.includes(d) ? (r[kept.indexOf(d)] as Expr) : (reduce[gone.indexOf(d)] as Axis).loopVar,
      );
      return (isSum ? sum : maxOf)(this.#at(x, ...index), reduce);
    });
    const terms = gone.reduce((n, d) => n * (shape[d] as number), 1);
    const whole = { buffer: reduced, most: isSum ? x.most * terms : x.most };
    if (this.#chance(4)) this.#made.push(whole);
    const buffer = compute(name, this.#axes(x.buffer), (...i) =>
      sub(this.#at(x, ...i), this.#at(whole, ...kept.map((d) => (own.includes(d) ? (i[d] as Expr) : 0)))),
    );
    return { buffer, most: x.most + whole.most };
  };

  /** x[.., i, k] or x[.., k, i] by y[k, j] or y[j, k], where y may have x's first axis too. */
  #product = (x: Tensor): Tensor => {
    if (x.buffer.shape.length < 2) return this.#reduce(x);
    const shape = x.buffer.shape.slice(-2) as [number, number];
    const batch = x.buffer.shape.slice(0, -2);
    const [isTurned, isOtherTurned, isBatched] = [this.#chance(3), this.#chance(2), this.#chance(2) && batch.length > 0];
    const [M, K] = isTurned ? [shape[1], shape[0]] : shape;
    const N = this.#random.pick(extents);
    const y = this.#input([...(isBatched ? batch : []), ...(isOtherTurned ? [N, K] : [K, N])], x.buffer.dtype);
    const k = reduceAxis("k", K);
    const isHalf = x.buffer.dtype === "float16";
    const wide = (e: Expr) => (isHalf ? cast("float32", e) : e);
    const axes = [...batch.map((extent, d) => [`b${d}`, extent] as const), ["i", M] as const, ["j", N] as const];
    const buffer = compute(this.#name(), axes, (...index) => {
      const [i, j] = index.slice(-2) as [Expr, Expr];
      const b = index.slice(0, -2);
      const left = this.#at(x, ...b, ...(isTurned ? [k.loopVar, i] : [i, k.loopVar]));
      const right = this.#at(y, ...(isBatched ? b : []), ...(isOtherTurned ? [j, k.loopVar] : [k.loopVar, j]));
      return sum(mul(wide(left), wide(right)), [k]);
    });
    return { buffer, most: x.most * y.most * K };
  };

  /** Windows of 2 or 3 along the last axis, weighted or not, and summed over the axis before it where there is one. */
  #window = (x: Tensor): Tensor => {
    const { shape } = x.buffer;
    const length = shape.at(-1) as number;
    if (length < 4) return this.#map(x);
    const taps = reduceAxis("w", 2 + this.#random.below(2));
    const stride = 1 + this.#random.below(2);
    const count = Math.floor((length - taps.extent) / stride) + 1;
    const place = (i: Expr) => add(mul(i, stride), taps.loopVar);
    if (shape.length < 2 || this.#chance(2)) {
      const axes = shape.map((extent, d) => [`i${d}`, d === shape.length - 1 ? count : extent] as const);
      return {
        buffer: compute(this.#name(), axes, (...i) => maxOf(this.#at(x, ...i.slice(0, -1), place(i.at(-1) as Expr)), [taps])),
        most: x.most,
      };
    }
    const channels = reduceAxis("c", shape.at(-2) as number);
    const filters = this.#random.pick(extents);
    const w = this.#input([filters, channels.extent, taps.extent], x.buffer.dtype);
    const axes = [
      ...shape.slice(0, -2).map((extent, d) => [`b${d}`, extent] as const),
      ["f", filters] as const,
      ["x", count] as const,
    ];
    const buffer = compute(this.#name(), axes, (...index) => {
      const [f, i] = index.slice(-2) as [Expr, Expr];
      const data = this.#at(x, ...index.slice(0, -2), channels.loopVar, place(i));
      return sum(mul(data, at(w.buffer, f, channels.loopVar, taps.loopVar)), [channels, taps]);
    });
    return { buffer, most: x.most * w.most * channels.extent * taps.extent };
  };

  /** Largest elements so far along an axis, or a sum along it whose signs turn. */
  #recurrence = (x: Tensor): Tensor => {
    const { shape, dtype } = x.buffer;
    const along = this.#random.below(shape.length);
    if (this.#chance(2) || shape.length === 1) {
      const start = () => constant(-2, dtype);
      const step = (before: Expr, ...i: readonly Expr[]) => maximum(before, this.#at(x, ...i));
      return { buffer: scan(this.#name(), this.#axes(x.buffer), `i${along}`, start, step), most: Math.max(x.most, 2) };
    }
    const steps = reduceAxis("s", shape[along] as number);
    const over = along > 0 && this.#chance(2) ? [steps, reduceAxis("k", shape[0] as number)] : [steps];
    const gone = over.length > 1 ? [along, 0] : [along];
    const kept = shape.flatMap((_, d) => (gone.includes(d) ? [] : [d]));
    const axes = kept.length > 0 ? kept.map((d, i) => [`i${i}`, shape[d] as number] as const) : [["i0", 1] as const];
    const buffer = compute(this.#name(), axes, (...i) => {
      const index = shape.map((_, d) =>
        gone.includes(d) ? (over[gone.indexOf(d)] as Axis).loopVar : (i[kept.indexOf(d)] as Expr),
      );
      const decay = select(less(steps.loopVar, 2), constant(1, dtype), constant(-1, dtype));
      return sum(this.#at(x, ...index), over, { decay });
    });
    return { buffer, most: x.most * over.reduce((n, { extent }) => n * extent, 1) };
  };

  /** Rows of x by an index. */
  #gather = (x: Tensor): Tensor => {
    const { shape } = x.buffer;
    const index = this.#inputs.find(({ name }) => name === "index") ?? placeholder("index", [5], "int32", fills.below(1));
    if (!this.#inputs.includes(index)) this.#inputs.push(index);
    const axes = [["g", 5] as const, ...shape.slice(1).map((extent, d) => [`i${d}`, extent] as const)];
    return { buffer: compute(this.#name(), axes, (g, ...i) => this.#at(x, at(index, g), ...i)), most: x.most };
  };
}

/** One to six stages, and what keeps their values small. */
export const randomGraph = (random: Random): Graph => new Drawing(random).run(1 + random.below(6));
