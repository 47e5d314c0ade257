/**
 * Arguments of the convolutions of TVM's tutorials on layouts, by name. Defaults are the sizes those tutorials print: batch 256,
 * 14x14, 256 -> 512.
 */
import { type ArgValues, whole } from "../template-args.ts";

export const layoutConvArgs = {
  batch: whole(256),
  height: whole(14),
  width: whole(14),
  in_channels: whole(256),
  out_channels: whole(512),
  kernel: whole(3),
  stride: whole(1),
  padding: whole(1, 0),
};
export type LayoutConvArgs = ArgValues<typeof layoutConvArgs>;

/** Why the operator does not support the arguments, as the end of a sentence. */
export function layoutConvCheck({ height, width, kernel, padding }: LayoutConvArgs): string | undefined {
  const padded = [height + 2 * padding, width + 2 * padding] as const;
  if (kernel > padded[0] || kernel > padded[1])
    return `the kernel is ${kernel}x${kernel}; the padded input is only ${padded.join("x")}`;
  return undefined;
}
