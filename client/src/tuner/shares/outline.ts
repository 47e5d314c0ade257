/**
 * How other shapes' records are read: each row by the outline that its config has at its own shape. The process of
 * expected-shares.ts then has three more positions, and sources count by the likeness of their shapes. It speaks of the shape to
 * come directly, where otherwise the mean of the sources does.
 */
import type { Outline } from "../tuner.ts";

/** Of shapes: a factor of four in one extent. */
const shapeLength = 2;

export const outlinePositions = ["blocks", "fullness", "steps"] as const;

/** Within 0 and 2, mostly 1: how many blocks, how full the multiprocessors are in the last turn, how many steps. */
export function positionsOf({ waves, steps }: Outline): readonly number[] {
  return [(Math.log2(waves) + 3) / 8, waves / Math.ceil(waves), Math.log2(steps) / 8].map((at) => Math.min(2, Math.max(0, at)));
}

/** 1 for the same shape. */
export function shapeLikeness(a: Outline, b: Outline): number {
  const square = a.extents.reduce((sum, extent, i) => sum + Math.log2(extent / (b.extents[i] ?? extent)) ** 2, 0);
  return Math.exp(-square / (2 * shapeLength ** 2));
}
