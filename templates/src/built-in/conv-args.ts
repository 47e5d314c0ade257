/**
 * Arguments of every convolution of two dimensions, in the order of TVM's tutorial: N, H, W, CO, CI, KH, KW, stride, padding;
 * then, where they are not the defaults, dilation and groups. The one definition for all layouts, types and targets.
 */
import type { Buffer } from "@warpfarm/compiler/language";
import { placeholder } from "@warpfarm/compiler/language";
import { type ArgSpecs, type ArgValues, optional, pair, sides, whole, word } from "../template-args.ts";

interface Sizes {
  readonly N: number;
  readonly H: number;
  readonly W: number;
  readonly CO: number;
  readonly CI: number;
}

/** `more`: a template's own arguments. They come before those that a list may leave out. */
const argsOf = <More extends ArgSpecs>({ N, H, W, CO, CI }: Sizes, more: More) => ({
  N: whole(N),
  H: whole(H),
  W: whole(W),
  CO: whole(CO),
  CI: whole(CI),
  KH: whole(3),
  KW: whole(3),
  stride: pair(1, 1),
  padding: sides(1, 0),
  ...more,
  dilation: optional(pair(1, 1)),
  groups: optional(whole(1)),
});

/** Defaults: the last 3x3 layer of ResNet. */
export const convArgsWith = <More extends ArgSpecs>(more: More) => argsOf({ N: 1, H: 7, W: 7, CO: 512, CI: 512 }, more);
export const convArgs = convArgsWith({});
/** Defaults: the sizes that TVM's tutorials on layouts print. */
export const layoutConvArgsWith = <More extends ArgSpecs>(more: More) => argsOf({ N: 256, H: 14, W: 14, CO: 512, CI: 256 }, more);
export const layoutConvArgs = layoutConvArgsWith({});
export type ConvArgs = ArgValues<typeof convArgs>;

/**
 * Of templates that compute gradients, after all others. `input`: the gradient of the data, of that of the result and the kernel.
 * Sizes are the convolution's all the same.
 */
export const gradientArg = { gradient: optional(word("none", ["none", "input"])) };
export type Gradient = ArgValues<typeof gradientArg>["gradient"];

/** Pixels from the first to the last tap. */
const reachOf = ({ KH, KW, dilation }: ConvArgs): readonly [number, number] => [
  (KH - 1) * dilation[0] + 1,
  (KW - 1) * dilation[1] + 1,
];
const paddedInput = ({ H, W, padding: [top, left, bottom, right] }: ConvArgs) => [H + top + bottom, W + left + right] as const;

/** Height and width of the result. */
export function convPlaces(args: ConvArgs): readonly [number, number] {
  const [reach, room] = [reachOf(args), paddedInput(args)];
  const places = (d: 0 | 1) => Math.floor((room[d] - reach[d]) / args.stride[d]) + 1;
  return [places(0), places(1)];
}

/** Why the operator does not support the arguments, as the end of a sentence. */
export function convCheck(args: ConvArgs): string | undefined {
  const { KH, KW, CI, CO, groups, dilation } = args;
  const [reach, room] = [reachOf(args), paddedInput(args)];
  if (reach[0] > room[0] || reach[1] > room[1]) {
    const dilated = dilation.some((d) => d > 1) ? ` with dilation [${dilation}], over ${reach.join("x")}` : "";
    return `the kernel is ${KH}x${KW}${dilated}; the padded input is only ${room.join("x")}`;
  }
  if (CI % groups !== 0 || CO % groups !== 0)
    return `groups is ${groups}; it must divide the ${CI} input and the ${CO} output channels`;
  return undefined;
}

/** The same for templates whose sums go over all input channels. */
export const ungroupedCheck = (args: ConvArgs): string | undefined =>
  convCheck(args) ?? (args.groups > 1 ? `groups is ${args.groups}; this template takes 1` : undefined);

/** The arguments as options of the operators of the language. */
export const windowsOf = ({ stride, dilation, padding: [top, left, bottom, right], groups }: ConvArgs) => ({
  stride,
  dilation,
  padding: [
    [top, bottom],
    [left, right],
  ] as const,
  groups,
});

/** The same of the transposed convolution, which makes the data's gradient: rows and columns that no window reached are zeros. */
export const transposedWindowsOf = (args: ConvArgs) => {
  const [reach, room] = [reachOf(args), paddedInput(args)];
  const rest = (d: 0 | 1) => (room[d] - reach[d]) % args.stride[d];
  return { ...windowsOf(args), outputPadding: [rest(0), rest(1)] };
};

/**
 * The convolution of the result's gradient by the turned kernel that makes the data's gradient, for stride 1. It has a border of
 * the taps before and after a pixel, less the padding. Where the padding is wider, the border is negative: pixels are left out.
 */
export function turnedConv<Args extends ConvArgs>(args: Args): Args {
  const [H, W] = convPlaces(args);
  const [tall, wide] = reachOf(args);
  const [top, left, bottom, right] = args.padding;
  const padding = [tall - 1 - top, wide - 1 - left, tall - 1 - bottom, wide - 1 - right] as const;
  return { ...args, H, W, CI: args.CO, CO: args.CI, padding };
}

export const convInputs = (args: ConvArgs): { readonly data: Buffer; readonly kernel: Buffer } => {
  const { N, H, W, CO, CI, KH, KW, groups } = args;
  return { data: placeholder("data", [N, CI, H, W]), kernel: placeholder("kernel", [CO, CI / groups, KH, KW]) };
};
