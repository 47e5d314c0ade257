/**
 * Convolutions of any layout, type and shape, on any target, with derived schedules: conv2d, and depthwise, whose input channels
 * have `M` filters of their own. Whole numbers are summed in int32, float64 in float64, all else in float32.
 *
 *   layout   data            kernel        result
 *   NCHW     N C H W         O I H W       N O H W
 *   NHWC     N H W C         H W I O       N H W O
 *   HWCN     H W C N         H W I O       H W O N
 *   NHWCnc   N H W C 16 16   H W I O 16 16 N H W O 16 16     tiles of 16 images by 16 channels
 *
 * The gradient of the data is the transposed convolution of the result's, of any stride.
 */
import {
  conv2dHwcn,
  conv2dNchw,
  conv2dNhwc,
  conv2dNhwcnc,
  graphOf,
  placeholder,
  transposedConv2d,
} from "@warpfarm/compiler/language";
import { defineTemplate } from "../define-template.ts";
import { type ArgValues, optional, pair, sides, whole, word } from "../template-args.ts";
import { convArgsWith, convCheck, convPlaces, gradientArg, transposedWindowsOf, windowsOf } from "./conv-args.ts";

const sums = {
  float32: "float32",
  float16: "float32",
  bfloat16: "float32",
  float64: "float64",
  int8: "int32",
  uint8: "int32",
} as const;
const dtype = word("float32", Object.keys(sums) as (keyof typeof sums)[]);
const tile = 16;

const args = { ...convArgsWith({ layout: word("NCHW", ["NCHW", "NHWC", "HWCN", "NHWCnc"]), dtype }), ...gradientArg };
type Args = ArgValues<typeof args>;

const shapes: Readonly<Record<Args["layout"], (args: Args) => readonly [readonly number[], readonly number[]]>> = {
  NCHW: ({ N, CI, H, W, CO, KH, KW, groups }) => [
    [N, CI, H, W],
    [CO, CI / groups, KH, KW],
  ],
  NHWC: ({ N, CI, H, W, CO, KH, KW, groups }) => [
    [N, H, W, CI],
    [KH, KW, CI / groups, CO],
  ],
  HWCN: ({ N, CI, H, W, CO, KH, KW, groups }) => [
    [H, W, CI, N],
    [KH, KW, CI / groups, CO],
  ],
  NHWCnc: ({ N, CI, H, W, CO, KH, KW, groups }) => [
    [N / tile, H, W, CI / tile, tile, tile],
    [KH, KW, CI / groups / tile, CO / tile, tile, tile],
  ],
};
const operators = { NCHW: conv2dNchw, NHWC: conv2dNhwc, HWCN: conv2dHwcn, NHWCnc: conv2dNhwcnc };

function check(values: Args): string | undefined {
  const { layout, N, CI, CO, groups } = values;
  const sizes = { N, CI: CI / groups, CO: CO / groups };
  const odd = layout === "NHWCnc" && (["N", "CI", "CO"] as const).find((name) => sizes[name] % tile !== 0);
  const ofGroup = odd === "N" || groups === 1 ? "" : ` in each of ${groups} groups`;
  return odd ? `${odd} is ${sizes[odd]}${ofGroup}; the layout's tiles need a multiple of ${tile}` : convCheck(values);
}

export const conv2dDerived = defineTemplate({
  name: "conv2d_derived",
  aliases: [],
  summary: "convolution of any layout, type and shape, with a derived schedule",
  targets: [{ kind: "cuda" }, { kind: "cpu" }],
  args,
  check,

  graph: ({ args: values }) => {
    const { layout, CO, gradient } = values;
    const [H, W] = convPlaces(values);
    const [dataShape] = shapes[layout](gradient === "input" ? { ...values, H, W, CI: CO } : values);
    const data = placeholder("data", [...dataShape], values.dtype);
    const kernel = placeholder("kernel", [...shapes[layout](values)[1]], values.dtype);
    const names = { name: "conv", outDtype: sums[values.dtype] };
    const conv =
      gradient === "input"
        ? transposedConv2d(layout, data, kernel, { ...transposedWindowsOf(values), ...names })
        : operators[layout](data, kernel, { ...windowsOf(values), ...names });
    return graphOf([data, kernel], [conv]);
  },
});

export const depthwiseArgs = {
  N: whole(1),
  H: whole(112),
  W: whole(112),
  C: whole(32),
  M: whole(1),
  KH: whole(3),
  KW: whole(3),
  stride: pair(1, 1),
  padding: sides(1, 0),
  dtype,
  dilation: optional(pair(1, 1)),
};

export const depthwiseDerived = defineTemplate({
  name: "depthwise_derived",
  aliases: [],
  summary: "depthwise convolution NCHW of any type and shape, with a derived schedule",
  targets: [{ kind: "cuda" }, { kind: "cpu" }],
  args: depthwiseArgs,
  check: ({ C, ...values }) => convCheck({ ...values, CI: C, CO: C, groups: C }),

  graph: ({ args: { C, M, dtype: type, ...values } }) => {
    const data = placeholder("data", [values.N, C, values.H, values.W], type);
    const kernel = placeholder("kernel", [C * M, 1, values.KH, values.KW], type);
    const windows = windowsOf({ ...values, CI: C, CO: C * M, groups: C });
    return graphOf([data, kernel], [conv2dNchw(data, kernel, { ...windows, name: "depthwise", outDtype: sums[type] })]);
  },
});
