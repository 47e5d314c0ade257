/**
 * Direct convolution on tiles of batch and channels, as tensor cores take them (docs/reference/source-programs.md 3). The last
 * two dimensions are one tile:
 *   Apad[n,h,w,i,nn,ii] = select(inside, A[n,h-p,w-p,i,nn,ii], 0)
 *   Conv[n,h,w,o,nn,oo] = sum over (ic, kh, kw, ii), in that order, of Apad[n, h*s+kh, w*s+kw, ic, nn, ii] * W[kh, kw, ic, o, ii,
 *   oo]
 */
import type { Buffer } from "../../ir/buffer.ts";
import { compute, reduceAxis, sum } from "../compute.ts";
import { add, at, cast, mul } from "../expr.ts";
import { refuse } from "../graph-error.ts";
import { type Conv2dOptions, layoutExtents, windowPlaces } from "./conv-window.ts";
import { pad } from "./pad.ts";

/** data (N, H, W, CI, n, ci), kernel (KH, KW, CI, CO, ci, co) -> (N, OH, OW, CO, n, co). */
export function conv2dNhwcnc(
  data: Buffer,
  kernel: Buffer,
  { stride, padding, name = "Conv", padName = "Apad", outDtype = "float32" }: Conv2dOptions,
): Buffer {
  const extents = layoutExtents(name, data, kernel, "NHWCnc", "HWIOio");
  const [n = 0, height = 0, width = 0, ci = 0, tileN = 0, tileI = 0] = extents.data;
  const [kernelHeight = 0, kernelWidth = 0, kci = 0, co = 0, kTileI = 0, tileO = 0] = extents.kernel;
  if (ci !== kci || tileI !== kTileI)
    refuse(`${name}: data has ${ci} tiles of ${tileI} channels, kernel ${kci} tiles of ${kTileI}`);
  const [oh, ow] = windowPlaces({ name, height, width, kernelHeight, kernelWidth, stride, padding });
  const padded = pad(data, { name: padName, axes: ["n", "h", "w", "i", "nn", "ii"], before: [0, padding, padding, 0, 0, 0] });
  const ic = reduceAxis("ic", ci);
  const kh = reduceAxis("kh", kernelHeight);
  const kw = reduceAxis("kw", kernelWidth);
  const ii = reduceAxis("ii", tileI);
  const axes = [
    ["n", n],
    ["h", oh],
    ["w", ow],
    ["o", co],
    ["nn", tileN],
    ["oo", tileO],
  ] as const;
  return compute(name, axes, (nOuter, h, w, o, nn, oo) => {
    const [y, x] = [add(mul(h, stride), kh.loopVar), add(mul(w, stride), kw.loopVar)];
    const pixel = at(padded, nOuter, y, x, ic.loopVar, nn, ii.loopVar);
    const weight = at(kernel, kh.loopVar, kw.loopVar, ic.loopVar, o, ii.loopVar, oo);
    return sum(mul(cast(outDtype, pixel), cast(outDtype, weight)), [ic, kh, kw, ii]);
  });
}
