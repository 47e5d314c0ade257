/**
 * Direct convolution, NCHW data and OIHW kernel, dilation 1 (source-programs §1):
 *   pad_temp[n,c,y,x] = select(inside, data[n,c,y-p,x-p], 0)
 *   conv[n,f,y,x]     = sum over (rc, ry, rx), in that order, of pad_temp[n, rc, y*s+ry, x*s+rx] * kernel[f, rc, ry, rx]
 */
import type { Buffer } from "../../ir/buffer.ts";
import { compute, reduceAxis, sum } from "../compute.ts";
import { add, at, cast, mul } from "../expr.ts";
import { refuse } from "../graph-error.ts";
import { type Conv2dOptions, layoutExtents, windowPlaces } from "./conv-window.ts";
import { pad } from "./pad.ts";

/** data (N, CI, H, W), kernel (CO, CI, KH, KW) -> (N, CO, OH, OW). The padding is a stage of its own, even when it is 0. */
export function conv2dNchw(
  data: Buffer,
  kernel: Buffer,
  { stride, padding, name = "conv", padName = "pad_temp", outDtype = data.dtype }: Conv2dOptions,
): Buffer {
  const extents = layoutExtents(name, data, kernel, "NCHW", "OIHW");
  const [n = 0, ci = 0, height = 0, width = 0] = extents.data;
  const [co = 0, kci = 0, kh = 0, kw = 0] = extents.kernel;
  if (ci !== kci) refuse(`${name}: data has ${ci} channels, kernel ${kci}`);
  const [oh, ow] = windowPlaces({ name, height, width, kernelHeight: kh, kernelWidth: kw, stride, padding });
  const padded = pad(data, { name: padName, axes: ["n", "c", "y", "x"], before: [0, 0, padding, padding] });
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
    const pixel = at(padded, nn, rc.loopVar, add(mul(y, stride), ry.loopVar), add(mul(x, stride), rx.loopVar));
    const weight = at(kernel, f, rc.loopVar, ry.loopVar, rx.loopVar);
    return sum(mul(cast(outDtype, pixel), cast(outDtype, weight)), [rc, ry, rx]);
  });
}
