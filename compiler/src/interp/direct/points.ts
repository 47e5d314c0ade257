import { type Buffer, bufferStrides } from "../../ir/buffer.ts";
import type { Var } from "../../ir/expr.ts";
import { InterpError } from "../error.ts";

const stridesKnown = new WeakMap<Buffer, readonly number[]>();

function stridesOf(buffer: Buffer): readonly number[] {
  const strides = stridesKnown.get(buffer) ?? bufferStrides(buffer);
  stridesKnown.set(buffer, strides);
  return strides;
}

export function placeOf(buffer: Buffer, indices: readonly number[]): number {
  const strides = stridesOf(buffer);
  let place = 0;
  for (let d = 0; d < indices.length; d++) {
    const index = indices[d] as number;
    const extent = buffer.shape[d] as number;
    if (!(index >= 0 && index < extent))
      throw new InterpError("interp.bounds", `index ${index} of "${buffer.name}", whose dimension ${d} has ${extent}`);
    place += index * (strides[d] as number);
  }
  return place;
}

export function forEachPoint(
  axes: readonly { readonly loopVar: Var; readonly extent: number }[],
  vars: Map<Var, number>,
  visit: () => void,
  first = 0,
): void {
  const axis = axes[first];
  if (axis === undefined) visit();
  else
    for (let i = 0; i < axis.extent; i++) {
      vars.set(axis.loopVar, i);
      forEachPoint(axes, vars, visit, first + 1);
    }
}
