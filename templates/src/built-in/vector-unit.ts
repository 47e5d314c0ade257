/** The vector registers that a CPU target guarantees for float32 (psABI levels of x86-64; Advanced SIMD of arm64). */
import { parseTarget } from "@warpfarm/common";
import { divisors } from "@warpfarm/compiler/language";

interface VectorUnit {
  /** float32 lanes of a register. */
  readonly lanes: number;
  readonly registers: number;
}

export function vectorUnit(target: string): VectorUnit {
  const { level, features } = parseTarget(target);
  if (features.has("arm64")) return { lanes: 4, registers: 32 };
  if (level >= 4) return { lanes: 16, registers: 32 };
  return { lanes: level === 3 ? 8 : 4, registers: 16 };
}

/** Lanes to use along an axis of this extent: the register's, or fewer where they do not divide it. A power of two. */
export const lanesFor = (extent: number, target: string): number =>
  Math.max(...divisors(vectorUnit(target).lanes).filter((lanes) => extent % lanes === 0));

/**
 * Register tiles: those of `candidates` whose vectors fit. At least four, because a multiply-add waits four cycles for the one
 * before it; at most what the registers hold besides two operands. Small problems use their largest tiles.
 */
export function registerTiles<T extends readonly number[]>(candidates: readonly T[], target: string): readonly T[] {
  const vectors = (tile: T) => tile.reduce((a, b) => a * b, 1);
  const most = vectorUnit(target).registers - 2;
  const fitting = candidates.filter((tile) => vectors(tile) <= most);
  const least = Math.min(4, Math.max(...fitting.map(vectors)));
  return fitting.filter((tile) => vectors(tile) >= least);
}
