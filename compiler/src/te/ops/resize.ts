/** Images of another size: (N, C, H, W) -> (N, C, height, width). */
import type { Buffer } from "../../ir/buffer.ts";
import type { Expr } from "../../ir/expr.ts";
import { compute } from "../compute.ts";
import { add, at, cast, div, floorDiv, maximum, minimum, mul, sub } from "../expr.ts";
import { refuse } from "../graph-error.ts";

export interface ResizeOptions {
  readonly height: number;
  readonly width: number;
  readonly name?: string;
}

function check(name: string, x: Buffer, sizes: readonly number[]): void {
  if (x.shape.length !== 4) refuse(`${name}: "${x.name}" has ${x.shape.length} dimensions; images have 4, N, C, H, W`);
  for (const size of sizes)
    if (!Number.isSafeInteger(size) || size < 1) refuse(`${name}: a side of ${size}; it is a whole number from 1`);
}

/** Element floor(i H / height): PyTorch's `nearest`, ONNX's `asymmetric` with `floor`. */
export function resizeNearest(x: Buffer, { height, width, name = "resized" }: ResizeOptions): Buffer {
  check(name, x, [height, width]);
  const [n = 1, c = 1, h = 1, w = 1] = x.shape;
  const axes = [
    ["n", n],
    ["c", c],
    ["y", height],
    ["x", width],
  ] as const;
  return compute(name, axes, (b, f, y, i) =>
    at(x, b as Expr, f as Expr, floorDiv(mul(y as Expr, h), height), floorDiv(mul(i as Expr, w), width)),
  );
}

/**
 * Between the four nearest elements, with pixels as areas: element i lies at (i + 1/2) H / height - 1/2, and the border is
 * repeated. PyTorch's `bilinear` without align_corners, ONNX's `half_pixel` with `linear`. Floats.
 */
export function resizeBilinear(x: Buffer, { height, width, name = "resized" }: ResizeOptions): Buffer {
  check(name, x, [height, width]);
  const [n = 1, c = 1, h = 1, w = 1] = x.shape;
  const side = (i: Expr, extent: number, size: number) => {
    // In units of 1 / (2 size), so that all is whole until the end.
    const place = maximum(sub(mul(add(mul(i, 2), 1), extent), size), 0);
    const low = minimum(floorDiv(place, 2 * size), extent - 1);
    const share = div(cast(x.dtype, sub(place, mul(low, 2 * size))), 2 * size);
    return { low, high: minimum(add(low, 1), extent - 1), share };
  };
  const axes = [
    ["n", n],
    ["c", c],
    ["y", height],
    ["x", width],
  ] as const;
  return compute(name, axes, (b, f, y, i) => {
    const [row, column] = [side(y as Expr, h, height), side(i as Expr, w, width)];
    const along = (yy: Expr) => {
      const [left, right] = [column.low, column.high].map((xx) => at(x, b as Expr, f as Expr, yy, xx)) as [Expr, Expr];
      return add(left, mul(sub(right, left), column.share));
    };
    const [top, bottom] = [along(row.low), along(row.high)];
    return add(top, mul(sub(bottom, top), row.share));
  });
}
