/**
 * Direct convolution, HWCN data and HWIO kernel, dilation 1, batch innermost (docs/reference/source-programs.md 2):
 *   pad_temp[yy,xx,cc,nn] = select(inside, data[yy-p,xx-p,cc,nn], 0)
 *   conv[yy,xx,ff,nn]     = sum over (ry, rx, rc), in that order, of pad_temp[yy*s+ry, xx*s+rx, rc, nn] * kernel[ry, rx, rc, ff]
 * With the border skipped there is no pad_temp: a product whose pixel is outside is 0, whatever the weight.
 */
import type { Buffer } from "../../ir/buffer.ts";
import type { Expr } from "../../ir/expr.ts";
import { compute, reduceAxis, sum } from "../compute.ts";
import { add, at, cast, mul, select, sub } from "../expr.ts";
import { refuse } from "../graph-error.ts";
import { type Border, type Conv2dOptions, isInside, layoutExtents, windowPlaces } from "./conv-window.ts";
import { pad } from "./pad.ts";

/** data (H, W, CI, N), kernel (KH, KW, CI, CO) -> (OH, OW, CO, N). The padding is a stage of its own, even when it is 0. */
export function conv2dHwcn(
  data: Buffer,
  kernel: Buffer,
  { border = "pad", ...options }: Conv2dOptions & { readonly border?: Border },
): Buffer {
  const { stride, padding, name = "conv", padName = "pad_temp", outDtype = data.dtype } = options;
  const extents = layoutExtents(name, data, kernel, "HWCN", "HWIO");
  const [height = 0, width = 0, ci = 0, n = 0] = extents.data;
  const [kh = 0, kw = 0, kci = 0, co = 0] = extents.kernel;
  if (ci !== kci) refuse(`${name}: data has ${ci} channels, kernel ${kci}`);
  const [oh, ow] = windowPlaces({ name, height, width, kernelHeight: kh, kernelWidth: kw, stride, padding });
  const before = border === "pad" ? [padding, padding, 0, 0] : undefined;
  const source = before ? pad(data, { name: padName, axes: ["yy", "xx", "cc", "nn"], before }) : data;
  const ry = reduceAxis("ry", kh);
  const rx = reduceAxis("rx", kw);
  const rc = reduceAxis("rc", ci);
  const axes = [
    ["yy", oh],
    ["xx", ow],
    ["ff", co],
    ["nn", n],
  ] as const;
  return compute(name, axes, (yy, xx, ff, nn) => {
    const weight = cast(outDtype, at(kernel, ry.loopVar, rx.loopVar, rc.loopVar, ff));
    const [row, column] = [add(mul(yy, stride), ry.loopVar), add(mul(xx, stride), rx.loopVar)];
    const product = (y: Expr, x: Expr) => mul(cast(outDtype, at(source, y, x, rc.loopVar, nn)), weight);
    if (before) return sum(product(row, column), [ry, rx, rc]);
    const [y, x] = [sub(row, padding), sub(column, padding)];
    return sum(select(isInside(y, x, height, width), product(y, x), 0), [ry, rx, rc]);
  });
}
