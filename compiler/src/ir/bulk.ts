/**
 * The copy engine of sm_90 (TMA): it asynchronously copies whole boxes of a tensor between global and shared memory. It knows the
 * tensor by a map that a kernel takes as an argument. Elements outside the tensor read as zero and are not written.
 */
import { dtypeBytes, isPacked } from "@warpfarm/common";
import { type Buffer, bufferSize, type Swizzle } from "./buffer.ts";
import { touches } from "./parts.ts";
import {
  type BulkCopy,
  type Channel,
  type ClusterShape,
  clusterTags,
  type For,
  isClusterTag,
  type Multicast,
  type Stmt,
  type TensorBox,
} from "./stmt.ts";
import { eachPart, walkExpr, walkStmt } from "./visit.ts";

/** Statement kinds at which threads meet, or one waits for others. */
export const channelKinds = ["AllocChannel", "Fill", "Await", "Release", "Drain", "Fence"] as const;

export const bulkLevel = 90;
/** The number of multiprocessors of an H100 (SXM), a GH200 and an H200. */
export const bulkProcessors = 132;
/** Bytes of a slot's two barriers: a full and an empty one of 8 bytes each. */
export const slotBarrierBytes = 16;
/** The alignment of the engine's boxes in shared memory, in bytes. */
const bulkAlignment = 128;

export const boxElements = ({ tensor }: BulkCopy): number => tensor.box.reduce((product, extent) => product * extent, 1);
export const boxBytes = (copy: BulkCopy): number => dtypeBytes(copy.shared.dtype, boxElements(copy));

export function channelsOf(s: Stmt): readonly Channel[] {
  const found: Channel[] = [];
  walkStmt(s, (part) => {
    if (part.kind === "AllocChannel") found.push(part.channel);
  });
  return found;
}

/** The blocks of a kernel's clusters along each axis; `ranks`: its loops over them. */
export function clusterOf(ranks: readonly For[]): ClusterShape {
  const [x = 1, y = 1] = clusterTags.map((tag) => ranks.find(({ thread }) => thread === tag)?.extent);
  return { x, y };
}
export const ranksIn = (loops: readonly For[]): readonly For[] => loops.filter(({ thread }) => isClusterTag(thread));

export const blocksIn = ({ x, y }: ClusterShape): number => x * y;

/** The numbers of the blocks that a box goes to from block `rank` of a cluster of so many columns. */
export function receiversOf({ along, blocks }: Multicast, rank: number, columns: number): readonly number[] {
  const stride = along === "clusterIdx.x" ? 1 : columns;
  const first = rank - (Math.floor(rank / stride) % blocks) * stride;
  return Array.from({ length: blocks }, (_, i) => first + i * stride);
}

const oneBlock: ClusterShape = { x: 1, y: 1 };

/** The number of blocks whose threads release a turn of a channel. */
export const releasersOf = ({ cluster: { x, y } = oneBlock }: Channel): number => x + y - 1;

/** The blocks to which a channel of block `rank` reaches: those of its own row of the cluster, then the others of its column. */
export function reachedFrom({ cluster: { x, y } = oneBlock }: Channel, rank: number, columns: number): readonly number[] {
  const along = receiversOf({ along: "clusterIdx.x", blocks: x }, rank, columns);
  const across = receiversOf({ along: "clusterIdx.y", blocks: y }, rank, columns);
  return [...along, ...across.filter((other) => other !== rank)];
}

/** Bytes that all boxes of a statement copy to a block, including those from other blocks of its cluster. */
export function bytesIn(s: Stmt): number {
  if (s.kind === "BulkCopy") return boxBytes(s) * (s.multicast?.blocks ?? 1);
  let bytes = 0;
  eachPart(
    s,
    (part) => {
      bytes += bytesIn(part);
    },
    () => {},
  );
  return s.kind === "For" ? s.extent * bytes : bytes;
}

/** The engine's name for a swizzle, the bytes of a row; undefined when it has none. */
export function engineSwizzle(dtype: Buffer["dtype"], swizzle: Swizzle | undefined): 0 | 32 | 64 | 128 | undefined {
  if (!swizzle) return 0;
  const { unit, line, ways } = swizzle;
  if (dtypeBytes(dtype, unit) !== 16 || dtypeBytes(dtype, line) !== 128) return undefined;
  return ways === 2 ? 32 : ways === 4 ? 64 : ways === 8 ? 128 : undefined;
}

/** In bytes. A swizzle permutes address bits, so an array must begin at a multiple of its whole pattern. */
export const bulkAlignmentOf = ({ dtype, swizzle }: Buffer): number =>
  swizzle ? Math.max(bulkAlignment, dtypeBytes(dtype, swizzle.line * swizzle.ways)) : bulkAlignment;

/** The granularity in elements at which the next of several arrays may begin. */
export const bulkUnit = (buffer: Buffer): number =>
  isPacked(buffer.dtype) ? 1 : bulkAlignmentOf(buffer) / dtypeBytes(buffer.dtype);

const keyOf = ({ buffer, dims, strides, box, im2col }: TensorBox, swizzle: number | undefined): string =>
  JSON.stringify([buffer.name, dims, strides, box, swizzle, im2col]);

export interface TensorMapParam extends TensorBox {
  readonly swizzle: 0 | 32 | 64 | 128;
}

export interface Arguments {
  readonly pointers: readonly Buffer[];
  readonly maps: readonly TensorMapParam[];
  readonly mapOf: (copy: BulkCopy) => TensorMapParam;
}

/** A kernel's arguments, pointers first. `params`: those of its function, in order. */
export function argumentsOf({ params, body }: { readonly params: readonly Buffer[]; readonly body: Stmt }): Arguments {
  const addressed = new Set<Buffer>();
  const maps = new Map<string, TensorMapParam>();
  walkStmt(
    body,
    (s) => {
      for (const { buffer, isMapped } of touches(s)) if (!isMapped) addressed.add(buffer);
      if (s.kind === "BulkCopy") {
        const swizzle = engineSwizzle(s.shared.dtype, s.shared.swizzle) ?? 0;
        const key = keyOf(s.tensor, swizzle);
        if (!maps.has(key)) maps.set(key, { ...s.tensor, swizzle });
      }
    },
    (e) =>
      walkExpr(e, (part) => {
        if (part.kind === "Load") addressed.add(part.buffer);
      }),
  );
  const hasMaps = maps.size > 0;
  return {
    // Without maps every parameter is a pointer argument, even if nothing accesses it.
    pointers: hasMaps ? params.filter((buffer) => addressed.has(buffer)) : params,
    maps: [...maps.values()],
    mapOf: (copy) => maps.get(keyOf(copy.tensor, engineSwizzle(copy.shared.dtype, copy.shared.swizzle) ?? 0)) as TensorMapParam,
  };
}

/** Elements of one slot. */
export const slotElements = (buffer: Buffer, { slots }: Channel): number => bufferSize(buffer) / slots;
