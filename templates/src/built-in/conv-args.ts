/**
 * Arguments of a convolution, in the order of TVM's tutorial: N, H, W, CO, CI, KH, KW, stride, padding. Defaults: the last 3x3
 * layer of ResNet.
 */
import type { Buffer } from "@warpfarm/compiler/language";
import { placeholder } from "@warpfarm/compiler/language";
import { type ArgValues, pair, whole } from "../template-args.ts";

export const convArgs = {
  N: whole(1),
  H: whole(7),
  W: whole(7),
  CO: whole(512),
  CI: whole(512),
  KH: whole(3),
  KW: whole(3),
  stride: pair(1, 1),
  padding: pair(1, 0),
};
export type ConvArgs = ArgValues<typeof convArgs>;

/** Why the operator does not support the arguments, as the end of a sentence. */
export function convCheck({ H, W, KH, KW, stride, padding }: ConvArgs): string | undefined {
  if (stride[0] !== stride[1]) return `stride is [${stride}]; both numbers must be the same`;
  if (padding[0] !== padding[1]) return `padding is [${padding}]; both numbers must be the same`;
  const padded = [H + 2 * padding[0], W + 2 * padding[1]];
  if (KH > (padded[0] as number) || KW > (padded[1] as number))
    return `the kernel is ${KH}x${KW}; the padded input is only ${padded.join("x")}`;
  return undefined;
}

export const convInputs = ({ N, H, W, CO, CI, KH, KW }: ConvArgs): { readonly data: Buffer; readonly kernel: Buffer } => ({
  data: placeholder("data", [N, CI, H, W]),
  kernel: placeholder("kernel", [CO, CI, KH, KW]),
});
