/**
 * Convolutions of two dimensions in the layouts that templates schedule. Data and result, then the kernel:
 *
 *   conv2dNchw    N C H W       O I H W
 *   conv2dNhwc    N H W C       H W I O
 *   conv2dHwcn    H W C N       H W I O       batch innermost
 *   conv2dNhwcnc  N H W C n c   H W I O i o   tiles of batch by channels innermost, as tensor cores take them
 *
 *   conv[n,f,y,x] = sum of pad_temp[n, g + rc, y*s + ry*d, x*s + rx*d] * kernel[f, rc, ry, rx], g the first channel of f's group
 *
 * The order of the sum is that of each layout's `sums`, as in the tutorials (docs/reference/source-programs.md 1 to 3). The
 * padding is a stage of its own, even when it is 0; with the border skipped there is none, and a product whose pixel is outside
 * is 0.
 */
import type { DType } from "@warpfarm/common";
import type { Buffer } from "../../ir/buffer.ts";
import { optionsOf, refuse } from "../graph-error.ts";
import {
  batchFirst,
  type ConvolutionLayout,
  type ConvolutionOptions,
  convolutionIn,
  convolutionNames,
  type TransposedOptions,
  transposedIn,
  transposedNames,
} from "./convolution.ts";

function conv2dIn(
  layout: ConvolutionLayout,
  names: { readonly name: string; readonly padName: string; readonly outDtype?: DType },
) {
  const [ofData, ofKernel] = [layout.data, layout.kernel];
  return (data: Buffer, kernel: Buffer, options: ConvolutionOptions = {}): Buffer => {
    optionsOf("conv2d", options, convolutionNames);
    // Of two convolutions in one computation each has padded data of its own name.
    const padName = (options.name ?? names.name) === names.name ? names.padName : `${options.name}_pad`;
    const given = { ...names, padName, ...options };
    const [d, k] = [data.shape.length, kernel.shape.length];
    if (d !== ofData.length || k !== ofKernel.length)
      refuse(`${given.name}: data has ${d} and kernel ${k} dimensions; both have ${ofData.length} (${ofData}, ${ofKernel})`);
    return convolutionIn(layout, data, kernel, given);
  };
}

const layouts = {
  NCHW: batchFirst(2, false),
  NHWC: batchFirst(2, true),
  HWCN: {
    ...{ data: "HWCN", kernel: "HWIO", padAxes: ["yy", "xx", "cc", "nn"], axes: ["yy", "xx", "ff", "nn"] },
    sums: { H: "ry", W: "rx", I: "rc" },
  },
  NHWCnc: {
    ...{ data: "NHWCnc", kernel: "HWIOio" },
    padAxes: ["n", "h", "w", "i", "nn", "ii"],
    axes: ["n", "h", "w", "o", "nn", "oo"],
    sums: { I: "ic", H: "kh", W: "kw", i: "ii" },
  },
} satisfies Readonly<Record<string, ConvolutionLayout>>;

const usual = { name: "conv", padName: "pad_temp" };
export const conv2dNchw = conv2dIn(layouts.NCHW, usual);
export const conv2dNhwc = conv2dIn(layouts.NHWC, usual);
export const conv2dHwcn = conv2dIn(layouts.HWCN, usual);
/** Sums are float32 unless outDtype says otherwise. Groups are of whole tiles. */
export const conv2dNhwcnc = conv2dIn(layouts.NHWCnc, { name: "Conv", padName: "Apad", outDtype: "float32" });

/**
 * The transposed convolution of one of these layouts: its data have the shape of that convolution's result, its result that of
 * the data, and the kernel is the same. Of the result's gradient it makes the data's.
 */
export const transposedConv2d = (
  layout: keyof typeof layouts,
  data: Buffer,
  kernel: Buffer,
  options: TransposedOptions = {},
): Buffer => transposedIn(layouts[layout], data, kernel, optionsOf("transposedConv2d", options, transposedNames));
