/** The arrays of a plan: inside a nest in the shape of the region, with the strides that storageAlign asks for; between nests whole. */
import { type Buffer, bufferSpan, bufferStrides, halfOf, type Scope } from "../../ir/buffer.ts";
import type { Stage, StorageAlign } from "../state.ts";
import { type Fault, fault } from "./loops.ts";

/** Elements between neighbours, each axis that asks for it padded to `offset` more than a multiple of `factor` (TVM's storage_align). */
function alignedStrides(aligned: readonly StorageAlign[], shape: readonly number[]): readonly number[] {
  const strides: number[] = new Array(shape.length);
  let stride = 1;
  for (let d = shape.length - 1; d >= 0; d--) {
    const wish = aligned.find(({ axis }) => axis === d);
    if (wish) stride += (wish.factor + wish.offset - (stride % wish.factor)) % wish.factor;
    strides[d] = stride;
    stride *= shape[d] as number;
  }
  return strides;
}

export function allocated({ name, buffer: { dtype }, annotations }: Stage, shape: readonly number[], scope: Scope): Buffer {
  const { aligned } = annotations;
  return aligned ? { name, dtype, shape, scope, strides: alignedStrides(aligned, shape) } : { name, dtype, shape, scope };
}

/** A whole tensor between root nests: memory of the caller's, dense. */
export function atRoot({ name, buffer, annotations: { aligned } }: Stage, scope: Scope): Buffer | Fault {
  if (aligned)
    return fault(
      "storageAlign.root",
      Math.max(...aligned.map(({ step }) => step)),
      `storageAlign: "${name}" is computed at the root, and memory between kernels is dense; give it a place with computeAt`,
    );
  return buffer.scope === scope ? buffer : { ...buffer, scope };
}

/** The buffer two times, as inject-double-buffer lays it out. */
export function twice(buffer: Buffer): Buffer {
  const strides = [halfOf(bufferSpan(buffer)), ...bufferStrides(buffer)];
  return { ...buffer, shape: [2, ...buffer.shape], strides };
}
