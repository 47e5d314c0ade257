/** Tensors of other extents along some of their dimensions. */
import type { Buffer } from "../../ir/buffer.ts";
import type { Expr } from "../../ir/expr.ts";
import { compute } from "../compute.ts";
import { add, at, cast, div, floorDiv, maximum, minimum, mul, sub } from "../expr.ts";
import { optionsOf, refuse } from "../graph-error.ts";
import { axesOf } from "./elementwise.ts";

export interface ResizeOptions {
  /** Of all dimensions. */
  readonly sizes: readonly number[];
  /** `linear` is between the two elements beside a place, along each dimension; of floats. Default: nearest. */
  readonly mode?: "nearest" | "linear";
  /**
   * Where element i lies in x, for steps of s: i s (`asymmetric`, the default), (i + 1/2) s - 1/2 with elements as areas
   * (`half_pixel`; with `pytorch_half_pixel` one element alone lies at 0), or with the corners of both at each other
   * (`align_corners`).
   */
  readonly places?: "asymmetric" | "half_pixel" | "pytorch_half_pixel" | "align_corners";
  /** Of `nearest`: `half_down` and `half_up` differ in the middle between two elements. Default: floor. */
  readonly rounding?: "floor" | "ceil" | "half_down" | "half_up";
  /** s of each dimension as a fraction; extent / size where it is absent. */
  readonly steps?: readonly (readonly [over: number, under: number])[] | undefined;
  readonly name?: string;
}

/** A place in x as a fraction, whose numerator is not below 0: all is whole until the end. */
interface Place {
  readonly numerator: Expr;
  readonly under: number;
}

const common = (a: number, b: number): number => (b === 0 ? a : common(b, a % b));

/**
 * ONNX's Resize (onnx.ai/onnx/operators/onnx__Resize.html) of modes nearest and linear: places before the first and after the
 * last element are those elements.
 */
export function resize(x: Buffer, options: ResizeOptions): Buffer {
  const {
    sizes,
    steps,
    name = "resized",
  } = optionsOf("resize", options, ["sizes", "steps", "name", "mode", "places", "rounding"]);
  const { mode = "nearest", places = "asymmetric", rounding = "floor" } = options;
  if (sizes.length !== x.shape.length)
    refuse(`${name}: there are ${sizes.length} sizes; "${x.name}" has ${x.shape.length} dimensions`);
  for (const size of sizes)
    if (!Number.isSafeInteger(size) || size < 1) refuse(`${name}: a size of ${size}; it is a whole number from 1`);

  const place = (i: Expr, d: number): Place => {
    const [extent, size] = [x.shape[d] as number, sizes[d] as number];
    if (places === "align_corners" || (places === "pytorch_half_pixel" && size === 1))
      return { numerator: mul(i, size === 1 ? 0 : extent - 1), under: Math.max(1, size - 1) };
    const [a, b] = steps?.[d] ?? [extent, size];
    const [over, under] = [a / common(a, b), b / common(a, b)];
    if (places === "asymmetric") return { numerator: mul(i, over), under };
    return { numerator: maximum(sub(mul(add(mul(i, 2), 1), over), under), 0), under: 2 * under };
  };
  const nearest = ({ numerator, under }: Place): Expr => {
    if (rounding === "floor") return floorDiv(numerator, under);
    if (rounding === "ceil") return floorDiv(add(numerator, under - 1), under);
    return floorDiv(add(mul(numerator, 2), rounding === "half_up" ? under : under - 1), 2 * under);
  };
  const isKept = sizes.map((size, d) => {
    const [over, under] = steps?.[d] ?? [1, 1];
    return size === x.shape[d] && over === under;
  });
  return compute(name, axesOf(sizes), (...index) => {
    const along = (from: readonly Expr[]): Expr => {
      const d = from.length;
      const [i, last] = [index[d] as Expr, (x.shape[d] ?? 1) - 1];
      if (d === sizes.length) return at(x, ...from);
      if (isKept[d]) return along([...from, i]);
      const found = place(i, d);
      if (mode === "nearest") return along([...from, minimum(nearest(found), last)]);
      const low = minimum(floorDiv(found.numerator, found.under), last);
      const share = div(cast(x.dtype, sub(found.numerator, mul(low, found.under))), found.under);
      const [first, second] = [low, minimum(add(low, 1), last)].map((one) => along([...from, one])) as [Expr, Expr];
      return add(first, mul(sub(second, first), share));
    };
    return along([]);
  });
}
