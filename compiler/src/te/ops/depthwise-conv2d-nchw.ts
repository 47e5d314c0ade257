/**
 * Depthwise convolution, NCHW: every input channel has M filters of its own (M = the channel multiplier) and is summed with no
 * other:
 *   pad_temp[n,c,y,x] = select(inside, data[n,c,y-p,x-p], 0)
 *   depthwise[n,f,y,x] = sum over (ry, rx), in that order, of pad_temp[n, f/M, y*s+ry, x*s+rx] * kernel[f/M, f%M, ry, rx]
 */
import type { Buffer } from "../../ir/buffer.ts";
import { compute, reduceAxis, sum } from "../compute.ts";
import { add, at, cast, floorDiv, floorMod, mul } from "../expr.ts";
import { refuse } from "../graph-error.ts";
import { type Conv2dOptions, layoutExtents, windowPlaces } from "./conv-window.ts";
import { pad } from "./pad.ts";

/** data (N, C, H, W), kernel (C, M, KH, KW) -> (N, C*M, OH, OW). */
export function depthwiseConv2dNchw(
  data: Buffer,
  kernel: Buffer,
  { stride, padding, name = "depthwise", padName = "pad_temp", outDtype = data.dtype }: Conv2dOptions,
): Buffer {
  const extents = layoutExtents(name, data, kernel, "NCHW", "CMHW");
  const [n = 0, channels = 0, height = 0, width = 0] = extents.data;
  const [kernelChannels = 0, multiplier = 0, kh = 0, kw = 0] = extents.kernel;
  if (channels !== kernelChannels) refuse(`${name}: data has ${channels} channels, kernel ${kernelChannels}`);
  const [oh, ow] = windowPlaces({ name, height, width, kernelHeight: kh, kernelWidth: kw, stride, padding });
  const padded = pad(data, { name: padName, axes: ["n", "c", "y", "x"], before: [0, 0, padding, padding] });
  const ry = reduceAxis("ry", kh);
  const rx = reduceAxis("rx", kw);
  const axes = [
    ["n", n],
    ["f", channels * multiplier],
    ["y", oh],
    ["x", ow],
  ] as const;
  return compute(name, axes, (nn, f, y, x) => {
    const c = floorDiv(f, multiplier);
    const pixel = at(padded, nn, c, add(mul(y, stride), ry.loopVar), add(mul(x, stride), rx.loopVar));
    const weight = at(kernel, c, floorMod(f, multiplier), ry.loopVar, rx.loopVar);
    return sum(mul(cast(outDtype, pixel), cast(outDtype, weight)), [ry, rx]);
  });
}
