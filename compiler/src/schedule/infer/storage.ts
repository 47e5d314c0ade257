/**
 * The arrays of a plan: inside a nest in the shape of the region, with the strides of storageAlign; between nests the whole
 * tensor.
 */
import type { Refusal } from "@warpfarm/common";
import { dtypeBytes, isPacked } from "@warpfarm/common";
import { type Buffer, bufferSpan, bufferStrides, type Scope, type Swizzle, slotOf } from "../../ir/buffer.ts";
import type { Annotations, Stage, StorageAlign } from "../state.ts";
import { isRefusal, refuseAt } from "./loops.ts";

/**
 * Elements between neighbours. Each axis with storageAlign is padded to `offset` more than a multiple of `factor` (TVM's
 * storage_align).
 */
function alignedStrides(aligned: readonly StorageAlign[], shape: readonly number[]): readonly number[] {
  const strides: number[] = new Array(shape.length);
  let stride = 1;
  for (let d = shape.length - 1; d >= 0; d--) {
    const alignment = aligned.find(({ axis }) => axis === d);
    if (alignment) stride += (alignment.factor + alignment.offset - (stride % alignment.factor)) % alignment.factor;
    strides[d] = stride;
    stride *= shape[d] as number;
  }
  return strides;
}

/** Bytes that move as one; all banks of shared memory deliver that many at a time. */
const unitBytes = 16;
const lineBytes = 128;
const mostWays = 8;

const isPowerOfTwo = (n: number): boolean => Number.isInteger(Math.log2(n));

/** Lines are rows, or as many rows as fit into 128 bytes. A line's units are permuted among those of `ways` lines. */
function swizzleOf({ name, dtype, shape, scope }: Buffer, annotations: Annotations, step: number): Swizzle | Refusal {
  const refuse = (rule: string, why: string) => refuseAt(`swizzle.${rule}`, step, `swizzle: "${name}" ${why}`);
  if (scope !== "shared") return refuse("scope", `is ${scope}; only shared memory is swizzled`);
  if (annotations.aligned) return refuse("aligned", "has padded strides; it is swizzled or padded, not both");
  const row = shape.at(-1) ?? 1;
  const bytes = dtypeBytes(dtype, row);
  if (isPacked(dtype) || !isPowerOfTwo(bytes) || bytes <= unitBytes)
    return refuse("row", `has rows of ${row} ${dtype}, ${bytes} bytes; a power of two from ${2 * unitBytes}`);
  const unit = (row * unitBytes) / bytes;
  const line = (row * Math.max(bytes, lineBytes)) / bytes;
  return { unit, line, ways: Math.min(mostWays, bytes / unitBytes) };
}

export function allocated(
  { name, buffer: { dtype }, annotations }: Stage,
  shape: readonly number[],
  scope: Scope,
): Buffer | Refusal {
  const { aligned, swizzled } = annotations;
  const buffer: Buffer = { name, dtype, shape, scope, ...(aligned ? { strides: alignedStrides(aligned, shape) } : {}) };
  if (!swizzled) return buffer;
  const swizzle = swizzleOf(buffer, annotations, swizzled.step);
  return isRefusal(swizzle) ? swizzle : { ...buffer, swizzle };
}

/** A whole tensor between root nests, dense, in the caller's memory. */
export function atRoot({ name, buffer, annotations: { aligned, swizzled } }: Stage, scope: Scope): Buffer | Refusal {
  if (swizzled)
    return refuseAt(
      "swizzle.root",
      swizzled.step,
      `swizzle: "${name}" is computed at the root, and memory between kernels lies plain; give it a place with computeAt`,
    );
  if (aligned)
    return refuseAt(
      "storageAlign.root",
      Math.max(...aligned.map(({ step }) => step)),
      `storageAlign: "${name}" is computed at the root, and memory between kernels is dense; give it a place with computeAt`,
    );
  return buffer.scope === scope ? buffer : { ...buffer, scope };
}

/** Several copies of the buffer, in the layout of run-ahead and make-channels. */
export function several(buffer: Buffer, arrays: number, unit?: number): Buffer {
  const strides = [slotOf(bufferSpan(buffer), buffer.swizzle, unit), ...bufferStrides(buffer)];
  return { ...buffer, shape: [arrays, ...buffer.shape], strides };
}
