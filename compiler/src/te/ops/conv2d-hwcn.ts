/**
 * Direct convolution, HWCN data and HWIO kernel, dilation 1, batch innermost (source-programs §2):
 *   pad_temp[yy,xx,cc,nn] = select(inside, data[yy-p,xx-p,cc,nn], 0)
 *   conv[yy,xx,ff,nn]     = sum over (ry, rx, rc), in that order, of pad_temp[yy*s+ry, xx*s+rx, rc, nn] * kernel[ry, rx, rc, ff]
 */
import type { Buffer } from "../../ir/buffer.ts";
import { compute, reduceAxis, sum } from "../compute.ts";
import { add, at, cast, mul } from "../expr.ts";
import { refuse } from "../graph-error.ts";
import { type Conv2dOptions, layoutExtents, windowPlaces } from "./conv-window.ts";
import { pad } from "./pad.ts";

/** data (H, W, CI, N), kernel (KH, KW, CI, CO) -> (OH, OW, CO, N). The padding is a stage of its own, even when it is 0. */
export function conv2dHwcn(
  data: Buffer,
  kernel: Buffer,
  { stride, padding, name = "conv", padName = "pad_temp", outDtype = data.dtype }: Conv2dOptions,
): Buffer {
  const extents = layoutExtents(name, data, kernel, "HWCN", "HWIO");
  const [height = 0, width = 0, ci = 0, n = 0] = extents.data;
  const [kh = 0, kw = 0, kci = 0, co = 0] = extents.kernel;
  if (ci !== kci) refuse(`${name}: data has ${ci} channels, kernel ${kci}`);
  const [oh, ow] = windowPlaces({ name, height, width, kernelHeight: kh, kernelWidth: kw, stride, padding });
  const padded = pad(data, { name: padName, axes: ["yy", "xx", "cc", "nn"], before: [padding, padding, 0, 0] });
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
    const pixel = at(padded, add(mul(yy, stride), ry.loopVar), add(mul(xx, stride), rx.loopVar), rc.loopVar, nn);
    const weight = at(kernel, ry.loopVar, rx.loopVar, rc.loopVar, ff);
    return sum(mul(cast(outDtype, pixel), cast(outDtype, weight)), [ry, rx, rc]);
  });
}
