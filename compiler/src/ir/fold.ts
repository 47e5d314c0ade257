/** The numbers of threads that a Fold supports, and its arrays in shared memory. */

import { teamSize } from "./agent.ts";
import type { Buffer } from "./buffer.ts";

const isPowerOfTwo = (n: number): boolean => Number.isInteger(Math.log2(n));

/** Rows of this many threads are parts of a warp, or whole warps. */
export const fitsFold = (threads: number): boolean =>
  threads <= teamSize.warp ? isPowerOfTwo(threads) : threads % teamSize.warp === 0;

const elementsOf = ({ shape }: Buffer): number => shape.reduce((product, extent) => product * extent, 1);

/** One value per warp of the folded array: [row][element][warp]. Undefined where a row is within a warp. */
export function foldArray(buffer: Buffer, [x, y, z]: readonly [number, number, number]): Buffer | undefined {
  const { name, dtype } = buffer;
  if (x <= teamSize.warp) return undefined;
  return { name: `${name}.warps`, dtype, shape: [y * z, elementsOf(buffer), x / teamSize.warp], scope: "shared" };
}

/** Of the barrier at which a block counts what others send to it for one fold. */
export const foldBarrierBytes = 8;
/** One value per block of a cluster: [row][element][block]. */
export const exchangeArray = (buffer: Buffer, [, y, z]: readonly [number, number, number], blocks: number): Buffer => ({
  name: `${buffer.name}.blocks`,
  dtype: buffer.dtype,
  shape: [y * z, elementsOf(buffer), blocks],
  scope: "shared",
});
