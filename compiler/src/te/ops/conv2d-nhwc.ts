/**
 * Direct convolution, NHWC data and HWIO kernel, dilation 1, channels innermost:
 *   pad_temp[n,y,x,c] = select(inside, data[n,y-p,x-p,c], 0)
 *   conv[n,y,x,f]     = sum over (ry, rx, rc), in that order, of pad_temp[n, y*s+ry, x*s+rx, rc] * kernel[ry, rx, rc, f]
 */
import type { Buffer } from "../../ir/buffer.ts";
import { compute, reduceAxis, sum } from "../compute.ts";
import { add, at, cast, mul } from "../expr.ts";
import { refuse } from "../graph-error.ts";
import { type Conv2dOptions, layoutExtents, windowPlaces } from "./conv-window.ts";
import { pad } from "./pad.ts";

/** data (N, H, W, CI), kernel (KH, KW, CI, CO) -> (N, OH, OW, CO). The padding is a stage of its own, even when it is 0. */
export function conv2dNhwc(
  data: Buffer,
  kernel: Buffer,
  { stride, padding, name = "conv", padName = "pad_temp", outDtype = data.dtype }: Conv2dOptions,
): Buffer {
  const extents = layoutExtents(name, data, kernel, "NHWC", "HWIO");
  const [n = 0, height = 0, width = 0, ci = 0] = extents.data;
  const [kh = 0, kw = 0, kci = 0, co = 0] = extents.kernel;
  if (ci !== kci) refuse(`${name}: data has ${ci} channels, kernel ${kci}`);
  const [oh, ow] = windowPlaces({ name, height, width, kernelHeight: kh, kernelWidth: kw, stride, padding });
  const padded = pad(data, { name: padName, axes: ["n", "y", "x", "c"], before: [0, padding, padding, 0] });
  const ry = reduceAxis("ry", kh);
  const rx = reduceAxis("rx", kw);
  const rc = reduceAxis("rc", ci);
  const axes = [
    ["n", n],
    ["y", oh],
    ["x", ow],
    ["f", co],
  ] as const;
  return compute(name, axes, (nn, y, x, f) => {
    const pixel = at(padded, nn, add(mul(y, stride), ry.loopVar), add(mul(x, stride), rx.loopVar), rc.loopVar);
    const weight = at(kernel, ry.loopVar, rx.loopVar, rc.loopVar, f);
    return sum(mul(cast(outDtype, pixel), cast(outDtype, weight)), [ry, rx, rc]);
  });
}
