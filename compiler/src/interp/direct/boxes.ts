/** The elements that the copy engine takes in one copy: their coordinates in the tensor, in the order in which they land. */
import type { PixelWalk, TensorBox } from "../../ir/stmt.ts";

type Places = readonly (readonly number[])[];

/** `taps`: of a box of pixels. */
export const placesOf = (tensor: TensorBox, from: readonly number[], taps: readonly number[] | undefined): Places =>
  tensor.im2col && taps ? pixelsOf(tensor, tensor.im2col, from, taps) : boxOf(tensor.box, from);

const boxOf = (box: readonly number[], from: readonly number[]): Places =>
  box.reduce<Places>(
    (all, extent, d) => all.flatMap((at) => Array.from({ length: extent }, (_, i) => [...at, (from[d] as number) + i])),
    [[]],
  );

/** Not step by step: the places of the walk are counted, and each pixel's place has digits (image, row, column). */
function pixelsOf(
  { dims, box }: TensorBox,
  { lower, upper, steps }: PixelWalk,
  from: readonly number[],
  taps: readonly number[],
): readonly (readonly number[])[] {
  const extent = (d: 0 | 1) => (dims[d + 1] as number) + (upper[d] as number) - (lower[d] as number);
  const count = (d: 0 | 1) => Math.ceil(extent(d) / (steps[d] as number));
  const digit = (d: 0 | 1) => ((from[d + 1] as number) - (lower[d] as number)) / (steps[d] as number);
  const place = (d: 0 | 1, i: number) => (lower[d] as number) + i * (steps[d] as number) + (taps[d] as number);
  const first = ((from[0] as number) * count(0) + digit(0)) * count(1) + digit(1);
  const [pixels = 0, channels = 0] = box;
  return Array.from({ length: pixels }, (_, i) => {
    const row = Math.floor((first + i) / count(1));
    const [y, x] = [place(0, row - Math.floor(row / count(0)) * count(0)), place(1, first + i - row * count(1))];
    return Array.from({ length: channels }, (_, c) => [Math.floor(row / count(0)), y, x, (from[3] as number) + c]);
  }).flat();
}
