/**
 * Axes along which a reduction's result can be computed in vectors: every load reads one element for all lanes or neighbours in
 * memory, or an operand that can be packed so that it does.
 */
import { dtypeBits } from "@warpfarm/common";
import {
  accessesOf,
  type Buffer,
  type ComputeOp,
  floorDiv,
  floorMod,
  grainOf,
  indexMap,
  moveOf,
  type Var,
} from "@warpfarm/compiler/language";
import { vectorUnit } from "../../built-in/vector-unit.ts";
import { hasKind, powerIn, type ReuseGroup } from "../stages.ts";

export interface Vectors {
  /** Position of the axis among the result's; undefined: element by element. */
  readonly axis: number | undefined;
  readonly lanes: number;
  /** Operands to be copied, with `lanes` elements of this dimension last. */
  readonly packs: readonly { readonly buffer: Buffer; readonly dim: number }[];
}

export const elementwise: Vectors = { axis: undefined, lanes: 1, packs: [] };

const leastLanes = 4;
/** A vector may be partly beyond the axis, which costs its share of the work. */
const mostWaste = 1.34;

export function vectorsOf(op: ComputeOp, target: string, groups: readonly ReuseGroup[]): readonly Vectors[] {
  if (hasKind(op.body, ["Select"])) return [];
  const most = (vectorUnit(target).lanes * 32) / dtypeBits(op.output.dtype);
  const loads = accessesOf(op.body);
  return op.axes.flatMap(({ loopVar, extent }, axis): readonly Vectors[] => {
    // Along a batch nothing is read twice.
    if (extent < leastLanes || (groups.length > 1 && !groups.some(({ axes }) => axes.includes(axis)))) return [];
    const isLast = axis === op.axes.length - 1;
    const packs: { buffer: Buffer; dim: number }[] = [];
    const grains: number[] = [];
    for (const load of loads) {
      const grain = grainOf(load, loopVar);
      const move = moveOf(load, loopVar);
      if (grain > 1) {
        if (grain % leastLanes !== 0) return [];
        grains.push(grain);
      } else if (move.kind === "dim" && groups.length > 1) packs.push({ buffer: load.buffer, dim: move.dim });
      else if (move.kind === "next" && !isLast && groups.length > 1)
        packs.push({ buffer: load.buffer, dim: load.indices.length - 1 });
      else if (move.kind === "other" || move.kind === "dim") return [];
    }
    // A packed copy serves one load.
    if (packs.some(({ buffer }) => loads.filter((load) => load.buffer === buffer).length > 1)) return [];
    const whole = [extent, ...grains].reduce((lanes, n) => Math.min(lanes, powerIn(n)), most);
    const lanes = (isLast && packs.length === 0) || grains.length > 0 ? whole : most;
    return lanes >= leastLanes && lanes <= extent * mostWaste ? [{ axis, lanes, packs }] : [];
  });
}

/** [a, b, c] with the dimension b: [a, b // lanes, c, b % lanes]. */
export function packedLayout(rank: number, dim: number, lanes: number) {
  const names = Array.from({ length: rank }, (_, d) => `x${d}`);
  return indexMap(names, (...axes: Var[]) => [
    ...axes.map((axis, d) => (d === dim ? floorDiv(axis, lanes) : axis)),
    floorMod(axes[dim] as Var, lanes),
  ]);
}
