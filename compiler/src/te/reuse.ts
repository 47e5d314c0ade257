/**
 * Which elements a reduction reads again and again, from its access pattern alone: an operand whose indices lack an axis of the
 * result is read once for every value of that axis. A matrix product or a convolution in any layout, batched or not, has two
 * groups of axes, where the operands of one lack the other.
 */
import type { Buffer } from "../ir/buffer.ts";
import type { Var } from "../ir/expr.ts";
import { accessesOf, gathers, reads } from "./access.ts";
import type { Axis, ComputeOp } from "./graph.ts";

export interface Operand {
  readonly buffer: Buffer;
  readonly dimension: number;
}

export interface Reuse {
  /** Two groups of the result's axes, each in order, as positions among them. */
  readonly groups: readonly [readonly number[], readonly number[]];
  /** What one access reads along a group and the reduction, at places that no other tensor determines. */
  readonly operands: readonly Operand[];
}

/** Undefined where fewer than two groups of axes are read separately: tiles then save nothing. */
export function reuseOf({ axes, reduce, body }: ComputeOp): Reuse | undefined {
  const all = accessesOf(body);
  const along = (list: readonly Axis[]) => (v: Var) => list.some(({ loopVar }) => loopVar === v);
  const summed = all.filter(({ indices }) => indices.some((index) => reads(index, along(reduce))));
  const byReaders = new Map<string, number[]>();
  for (const [position, axis] of axes.entries()) {
    const readers = summed.flatMap(({ indices }, i) => (indices.some((index) => reads(index, along([axis]))) ? [i] : []));
    if (axis.extent === 1 || readers.length === 0 || readers.length === summed.length) continue;
    const key = readers.join();
    byReaders.set(key, [...(byReaders.get(key) ?? []), position]);
  }
  const size = (group: readonly number[]): number => group.reduce((n, position) => n * (axes[position]?.extent ?? 1), 1);
  const [first, second] = [...byReaders.values()].sort((a, b) => size(b) - size(a));
  if (first === undefined || second === undefined) return undefined;

  const ofGroups = along([...first, ...second].map((position) => axes[position] as Axis));
  const operands = summed.flatMap((access): Operand[] => {
    const dimension = access.indices.findLastIndex((index) => reads(index, ofGroups));
    const isAlone = all.every((other) => other === access || other.buffer !== access.buffer);
    return dimension >= 0 && isAlone && !gathers(access) ? [{ buffer: access.buffer, dimension }] : [];
  });
  return { groups: [first, second], operands };
}
