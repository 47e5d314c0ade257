/**
 * Direct convolution, NCHW data and OIHW kernel, dilation 1 (source-programs §1):
 *   pad_temp[n,c,y,x] = select(inside, data[n,c,y-p,x-p], 0)
 *   conv[n,f,y,x]     = sum over (rc, ry, rx), in that order, of pad_temp[n, rc, y*s+ry, x*s+rx] * kernel[f, rc, ry, rx]
 */
import type { DType } from "@warpfarm/common";
import type { Buffer } from "../../ir/buffer.ts";
import { compute, reduceAxis, sum } from "../compute.ts";
import { add, at, cast, mul } from "../expr.ts";
import { refuse } from "../graph-error.ts";
import { pad } from "./pad.ts";

export interface Conv2dOptions {
  readonly stride: number;
  readonly padding: number;
  readonly name?: string;
  /** Absent = the data's; operands are cast to it before the product. */
  readonly outDtype?: DType;
}

/** data (N, CI, H, W), kernel (CO, CI, KH, KW) -> (N, CO, OH, OW). The padding is a stage of its own, "pad_temp", even when it is 0. */
export function conv2dNchw(
  data: Buffer,
  kernel: Buffer,
  { stride, padding, name = "conv", outDtype = data.dtype }: Conv2dOptions,
): Buffer {
  const [n = 0, ci = 0, h = 0, w = 0] = data.shape;
  const [co = 0, kci = 0, kh = 0, kw = 0] = kernel.shape;
  if (data.shape.length !== 4 || kernel.shape.length !== 4)
    refuse(`${name}: data has ${data.shape.length} and kernel ${kernel.shape.length} dimensions; both have 4 (NCHW, OIHW)`);
  if (ci !== kci) refuse(`${name}: data has ${ci} channels, kernel ${kci}`);
  if (!Number.isSafeInteger(stride) || stride < 1) refuse(`${name}: stride is ${stride}; it is a whole number from 1`);
  if (!Number.isSafeInteger(padding) || padding < 0) refuse(`${name}: padding is ${padding}; it is a whole number from 0`);
  if (h + 2 * padding < kh || w + 2 * padding < kw)
    refuse(`${name}: the kernel ${kh}x${kw} is larger than the padded input ${h + 2 * padding}x${w + 2 * padding}`);
  const padded = pad(data, { axes: ["n", "c", "y", "x"], before: [0, 0, padding, padding] });
  const rc = reduceAxis("rc", ci);
  const ry = reduceAxis("ry", kh);
  const rx = reduceAxis("rx", kw);
  const extents = [
    ["n", n],
    ["f", co],
    ["y", Math.floor((h + 2 * padding - kh) / stride) + 1],
    ["x", Math.floor((w + 2 * padding - kw) / stride) + 1],
  ] as const;
  return compute(name, extents, (nn, f, y, x) => {
    const pixel = at(padded, nn, rc.loopVar, add(mul(y, stride), ry.loopVar), add(mul(x, stride), rx.loopVar));
    const weight = at(kernel, f, rc.loopVar, ry.loopVar, rx.loopVar);
    return sum(mul(cast(outDtype, pixel), cast(outDtype, weight)), [rc, ry, rx]);
  });
}
