/** The numbers of threads that a Fold supports, and its array in shared memory. */

import { teamSize } from "./agent.ts";
import type { Buffer } from "./buffer.ts";

const isPowerOfTwo = (n: number): boolean => Number.isInteger(Math.log2(n));

/** Rows of this many threads are parts of a warp, or whole warps. */
export const fitsFold = (threads: number): boolean =>
  threads <= teamSize.warp ? isPowerOfTwo(threads) : threads % teamSize.warp === 0;

/** One value per warp of the folded array: [row][element][warp]. Undefined where a row is within a warp. */
export function foldArray({ name, dtype, shape }: Buffer, [x, y, z]: readonly [number, number, number]): Buffer | undefined {
  if (x <= teamSize.warp) return undefined;
  const elements = shape.reduce((product, extent) => product * extent, 1);
  return { name: `${name}.warps`, dtype, shape: [y * z, elements, x / teamSize.warp], scope: "shared" };
}
