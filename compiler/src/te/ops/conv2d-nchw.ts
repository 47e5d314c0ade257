/**
 * Direct convolution, NCHW data and OIHW kernel, dilation 1 (docs/reference/source-programs.md 1):
 *   pad_temp[n,c,y,x] = select(inside, data[n,c,y-p,x-p], 0)
 *   conv[n,f,y,x]     = sum over (rc, ry, rx), in that order, of pad_temp[n, rc, y*s+ry, x*s+rx] * kernel[f, rc, ry, rx]
 * With the border skipped there is no pad_temp: a product whose pixel is outside is 0, whatever the weight.
 */
import type { Buffer } from "../../ir/buffer.ts";
import type { Expr } from "../../ir/expr.ts";
import { compute, reduceAxis, sum } from "../compute.ts";
import { add, at, cast, mul, select, sub } from "../expr.ts";
import { refuse } from "../graph-error.ts";
import { type Border, type Conv2dOptions, isInside, layoutExtents, windowPlaces } from "./conv-window.ts";
import { pad } from "./pad.ts";

/** data (N, CI, H, W), kernel (CO, CI, KH, KW) -> (N, CO, OH, OW). The padding is a stage of its own, even when it is 0. */
export function conv2dNchw(
  data: Buffer,
  kernel: Buffer,
  { border = "pad", ...options }: Conv2dOptions & { readonly border?: Border },
): Buffer {
  const { stride, padding, name = "conv", padName = "pad_temp", outDtype = data.dtype } = options;
  const extents = layoutExtents(name, data, kernel, "NCHW", "OIHW");
  const [n = 0, ci = 0, height = 0, width = 0] = extents.data;
  const [co = 0, kci = 0, kh = 0, kw = 0] = extents.kernel;
  if (ci !== kci) refuse(`${name}: data has ${ci} channels, kernel ${kci}`);
  const [oh, ow] = windowPlaces({ name, height, width, kernelHeight: kh, kernelWidth: kw, stride, padding });
  const before = border === "pad" ? [0, 0, padding, padding] : undefined;
  const source = before ? pad(data, { name: padName, axes: ["n", "c", "y", "x"], before }) : data;
  const rc = reduceAxis("rc", ci);
  const ry = reduceAxis("ry", kh);
  const rx = reduceAxis("rx", kw);
  const axes = [
    ["n", n],
    ["f", co],
    ["y", oh],
    ["x", ow],
  ] as const;
  return compute(name, axes, (nn, f, y, x) => {
    const weight = cast(outDtype, at(kernel, f, rc.loopVar, ry.loopVar, rx.loopVar));
    const [row, column] = [add(mul(y, stride), ry.loopVar), add(mul(x, stride), rx.loopVar)];
    const product = (yy: Expr, xx: Expr) => mul(cast(outDtype, at(source, nn, rc.loopVar, yy, xx)), weight);
    if (before) return sum(product(row, column), [rc, ry, rx]);
    const [yy, xx] = [sub(row, padding), sub(column, padding)];
    return sum(select(isInside(yy, xx, height, width), product(yy, xx), 0), [rc, ry, rx]);
  });
}
