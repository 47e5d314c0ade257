/**
 * Random reductions of two or three operands, drawn by access pattern and not by operator: which axes index which operand, in
 * which order of dimensions, and how: plain, reversed, with a stride and a halo, shifted behind a condition, divided, through
 * another tensor. Dtypes and combiners vary.
 */
import type { DType, Random } from "@warpfarm/common";
import type { Buffer } from "../../compiler/src/ir/buffer.ts";
import type { Expr } from "../../compiler/src/ir/expr.ts";
import { compute, maxOf, minOf, placeholder, reduceAxis, sum } from "../../compiler/src/te/compute.ts";
import {
  add,
  all,
  at,
  cast,
  floorDiv,
  floorMod,
  greaterEqual,
  less,
  mul,
  type Operand,
  select,
  sub,
} from "../../compiler/src/te/expr.ts";
import type { Axis, Graph } from "../../compiler/src/te/graph.ts";
import { graphOf } from "../../compiler/src/te/graph-of.ts";

type Index = Pick<Axis, "extent"> & { readonly value: Expr };

/** One dimension of an operand: its extent, the index, and the condition under which the index is inside. */
interface Dimension {
  readonly extent: number;
  readonly index: Expr;
  readonly inside?: Expr;
}

const types: readonly (readonly [operand: DType, result: DType])[] = [
  ["float32", "float32"],
  ["float32", "float32"],
  ["float16", "float32"],
  ["bfloat16", "float32"],
  ["float16", "float16"],
  ["int8", "int32"],
  ["uint8", "int32"],
  ["int32", "int32"],
  ["int4", "int32"],
];

class Maker {
  readonly inputs: Buffer[] = [];
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  input(shape: readonly number[], dtype: DType): Buffer {
    const tensor = placeholder(`in${this.inputs.length}`, shape, dtype);
    this.inputs.push(tensor);
    return tensor;
  }

  #dimension({ value, extent }: Index): Dimension {
    switch (this.#random.below(14)) {
      case 0:
        return { extent, index: sub(extent - 1, value) };
      case 1:
        if (extent === 1) return { extent, index: value };
        return { extent: extent - 1, index: sub(value, 1), inside: inside(sub(value, 1), extent - 1) };
      case 2:
        return { extent: Math.ceil(extent / 2), index: floorDiv(value, 2) };
      case 3:
        return { extent, index: floorMod(add(mul(value, 3), 1), extent) };
      case 4: {
        // The tensor has whole numbers of any sign.
        const places = this.input([extent], "int32");
        return { extent, index: floorMod(at(places, value), extent) };
      }
      default:
        return { extent, index: value };
    }
  }

  /** An operand along these axes, in random order; a window slides at random. */
  operand(spatial: readonly Index[], reduce: readonly Index[], dtype: DType, result: DType): Expr {
    const dimensions: Dimension[] = [];
    const rest = [...reduce];
    for (const each of spatial) {
      const window = rest.length > 0 && this.#random.below(4) === 0 ? rest.pop() : undefined;
      if (window === undefined) {
        dimensions.push(this.#dimension(each));
        continue;
      }
      const stride = 1 + this.#random.below(2);
      const padding = this.#random.below(2);
      const index = sub(add(mul(each.value, stride), window.value), padding);
      const extent = Math.max(1, (each.extent - 1) * stride + window.extent - 2 * padding);
      dimensions.push(padding > 0 ? { extent, index, inside: inside(index, extent) } : { extent, index });
    }
    dimensions.push(...rest.map((each) => this.#dimension(each)));
    const ordered = this.#random.shuffle(dimensions);
    const tensor = this.input(ordered.length === 0 ? [1] : ordered.map(({ extent }) => extent), dtype);
    const indices: Operand[] = ordered.length === 0 ? [0] : ordered.map(({ index }) => index);
    const value = cast(result, at(tensor, ...indices));
    const conditions = ordered.flatMap((each) => each.inside ?? []);
    return conditions.length === 0 ? value : select(all(...conditions), value, 0);
  }
}

const inside = (index: Expr, extent: number): Expr => all(greaterEqual(index, 0), less(index, extent));

/** Requires results of a few thousand elements to be evaluated by the naive evaluator. */
export function randomReduction(random: Random): Graph {
  const maker = new Maker(random);
  const [operandType, resultType] = random.pick(types);
  const groups = [random.pick([[37], [65], [6, 5], [3, 17], [70], [4, 3, 3]]), random.pick([[40], [33], [9, 5], [2, 19], [64]])];
  const batch = random.pick([[], [], [2], [3]]);
  const role = random.shuffle([
    ...groups.flatMap((extents, g) => extents.map((extent) => ({ extent, g }))),
    ...batch.map((extent) => ({ extent, g: 2 })),
  ]);
  const reduce = random
    .pick([[5], [35], [64], [3, 3], [11, 3], [2, 3, 3], [1, 40]])
    .map((extent, i) => reduceAxis(`r${i}`, extent));
  const index = ({ loopVar, extent }: Axis): Index => ({ value: loopVar, extent });
  const combine = random.pick([sum, sum, sum, maxOf, minOf]);
  const output = compute(
    "out",
    role.map(({ extent }, i) => [`s${i}`, extent] as const),
    (...axes: Expr[]) => {
      const along = (...wanted: number[]) =>
        role.flatMap(({ extent, g }, i): Index[] => (wanted.includes(g) ? [{ value: axes[i] as Expr, extent }] : []));
      const sums = reduce.map(index);
      const [a, b] = [along(0, 2), along(1, 2)].map((spatial) => maker.operand(spatial, sums, operandType, resultType)) as [
        Expr,
        Expr,
      ];
      const product = random.below(6) === 0 ? add(a, b) : mul(a, b);
      const third = random.below(6);
      if (third === 0) return combine(add(product, maker.operand(along(0, 1), [], operandType, resultType)), reduce);
      if (third === 1) return combine(add(product, maker.operand([], sums, operandType, resultType)), reduce);
      // The same tensor once more, at another place.
      if (third === 2 && maker.inputs.length === 2) {
        const [again] = maker.inputs as [Buffer];
        return combine(add(product, cast(resultType, at(again, ...again.shape.map(() => 0)))), reduce);
      }
      return combine(product, reduce);
    },
  );
  return graphOf(maker.inputs, [output]);
}
