/** An outline as columns for a model of several shapes. */
import { blocksOf, type Outline, stepsOf, wavesOf } from "@warpfarm/templates/outline";

/** The same number of columns for each outline; extents by their logarithms. */
export function outlineColumns(outline: Outline, target: string): readonly number[] {
  const { extents, block, threads, splits, batch = 1 } = outline;
  const [waves, steps] = [wavesOf(outline, target), stepsOf(outline)];
  const [tile, result] = [block[0] * block[1], extents[0] * extents[1] * batch];
  const turns = Math.ceil(waves);
  return [
    ...[...extents, ...block, threads, splits, waves, steps, turns * steps].map(Math.log2),
    // How full the multiprocessors are in the last turn, and the useful part of the blocks' work.
    waves / turns,
    (result * splits) / (blocksOf(outline) * tile),
    // The busiest multiprocessor's products, and elements that it copies.
    Math.log2(turns * tile * steps * block[2]),
    Math.log2(turns * (block[0] + block[1]) * steps * block[2]),
    // Threads of the busiest multiprocessor, and elements that one copies in a step.
    Math.log2(turns * threads),
    Math.log2(((block[0] + block[1]) * block[2]) / threads),
    // Sums of a thread, products for each element copied, and sums that a second kernel adds.
    Math.log2(tile / threads),
    Math.log2(tile / (block[0] + block[1])),
    splits === 1 ? 0 : Math.log2(splits * result),
  ];
}
