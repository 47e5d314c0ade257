/** The common part of convolutions: their options, the checks of a window over padded data, and the number of its places. */
import type { DType } from "@warpfarm/common";
import type { Buffer } from "../../ir/buffer.ts";
import type { Expr } from "../../ir/expr.ts";
import { all, greaterEqual, less } from "../expr.ts";
import { refuse } from "../graph-error.ts";

export interface Conv2dOptions {
  readonly stride: number;
  readonly padding: number;
  /** The result's name; absent: "conv". */
  readonly name?: string;
  /** The padding stage's name; absent: "pad_temp". */
  readonly padName?: string;
  /** The result's type; absent: the data's. Operands are cast to it before the product. */
  readonly outDtype?: DType;
}

/**
 * The treatment of places where a window reaches beyond the data. `pad`: the data is padded with zeros, and the zeros are
 * multiplied. `skip`: the products there are left out of the sum, so a schedule need not compute them. The two differ where a
 * weight is infinite or not a number: 0 times it is not 0.
 */
export const borders = ["pad", "skip"] as const;
export type Border = (typeof borders)[number];

/** Whether the pixel is inside the data. */
export const isInside = (y: Expr, x: Expr, height: number, width: number): Expr =>
  all(greaterEqual(y, 0), less(y, height), greaterEqual(x, 0), less(x, width));

interface Window {
  readonly name: string;
  readonly height: number;
  readonly width: number;
  readonly kernelHeight: number;
  readonly kernelWidth: number;
  readonly stride: number;
  readonly padding: number;
}

/** Height and width of the result. Throws GraphError when the window has no place. */
export function windowPlaces({
  name,
  height,
  width,
  kernelHeight,
  kernelWidth,
  stride,
  padding,
}: Window): readonly [number, number] {
  if (!Number.isSafeInteger(stride) || stride < 1) refuse(`${name}: stride is ${stride}; it is a whole number from 1`);
  if (!Number.isSafeInteger(padding) || padding < 0) refuse(`${name}: padding is ${padding}; it is a whole number from 0`);
  const [h, w] = [height + 2 * padding, width + 2 * padding];
  if (h < kernelHeight || w < kernelWidth)
    refuse(`${name}: the kernel ${kernelHeight}x${kernelWidth} is larger than the padded input ${h}x${w}`);
  return [Math.floor((h - kernelHeight) / stride) + 1, Math.floor((w - kernelWidth) / stride) + 1];
}

/** The extents of data and kernel. Each must have as many dimensions as its layout has letters. */
export function layoutExtents(
  name: string,
  data: Buffer,
  kernel: Buffer,
  dataLayout: string,
  kernelLayout: string,
): { readonly data: readonly number[]; readonly kernel: readonly number[] } {
  const [d, k] = [data.shape.length, kernel.shape.length];
  if (d !== dataLayout.length || k !== kernelLayout.length) {
    const wanted =
      dataLayout.length === kernelLayout.length
        ? `both have ${dataLayout.length} (${dataLayout}, ${kernelLayout})`
        : `they have ${dataLayout.length} (${dataLayout}) and ${kernelLayout.length} (${kernelLayout})`;
    refuse(`${name}: data has ${d} and kernel ${k} dimensions; ${wanted}`);
  }
  return { data: data.shape, kernel: kernel.shape };
}
