import { type Buffer, bufferStrides } from "../../ir/buffer.ts";
import type { Var } from "../../ir/expr.ts";
import { InterpError } from "../error.ts";

export function placeOf(buffer: Buffer, indices: readonly number[]): number {
  const strides = bufferStrides(buffer);
  return indices.reduce((place, index, d) => {
    const extent = buffer.shape[d] as number;
    if (!(index >= 0 && index < extent))
      throw new InterpError("interp.bounds", `index ${index} of "${buffer.name}", whose dimension ${d} has ${extent}`);
    return place + index * (strides[d] as number);
  }, 0);
}

export function forEachPoint(
  axes: readonly { readonly loopVar: Var; readonly extent: number }[],
  vars: Map<Var, number>,
  visit: () => void,
): void {
  const [axis, ...rest] = axes;
  if (axis === undefined) visit();
  else
    for (let i = 0; i < axis.extent; i++) {
      vars.set(axis.loopVar, i);
      forEachPoint(rest, vars, visit);
    }
}
