/**
 * The copy engine of sm_90 (TMA): it asynchronously copies whole boxes of a tensor between global and shared memory. It knows the
 * tensor by a map that a kernel takes as an argument. Elements outside the tensor read as zero and are not written.
 */
import { dtypeBytes, isPacked } from "@warpfarm/common";
import { type Buffer, bufferSize, type Swizzle } from "./buffer.ts";
import type { Expr } from "./expr.ts";
import { touches } from "./parts.ts";
import type { Stmt } from "./stmt.ts";
import { eachPart, walkExpr, walkStmt } from "./visit.ts";

/** A tensor in global memory for the engine, and the box of one copy, in elements, with the innermost dimension last. */
export interface TensorBox {
  readonly buffer: Buffer;
  readonly dims: readonly number[];
  readonly strides: readonly number[];
  readonly box: readonly number[];
}

/**
 * One box: `in` from global memory into a dense array, or `out`. It is inside a Fill or a Drain, which say who starts it and who
 * waits.
 */
export interface BulkCopy {
  readonly kind: "BulkCopy";
  readonly direction: "in" | "out";
  readonly tensor: TensorBox;
  /** The box's first element, with one coordinate per dimension of the tensor. It may be outside of the tensor. */
  readonly origin: readonly Expr[];
  readonly shared: Buffer;
  /** The box's first element there. */
  readonly indices: readonly Expr[];
  /**
   * The box goes to the same place in this many blocks, which are the whole cluster; each of them asks for other boxes. Absent =
   * it goes to the block that asks.
   */
  readonly multicast?: number;
}

/**
 * A ring of slots between the copies that fill them and the threads that use them. Each slot has a full and an empty barrier,
 * which only the compiler uses. Turn t uses slot t % slots. Turns count from the kernel's start, so a loop that is entered again
 * continues where it ended.
 */
export interface Channel {
  readonly name: string;
  readonly slots: number;
  /** Arrays of as many slots each. */
  readonly buffers: readonly Buffer[];
  /** What lands in one slot of all of them. */
  readonly bytes: number;
  /**
   * Boxes come from this many blocks, which are the whole cluster. Each block has its own slots. Those of one turn are empty when
   * the threads of all blocks have released it. Absent = only this block uses the channel.
   */
  readonly cluster?: number;
}
/** The channel exists inside the body, with all slots empty. Blocks that share it begin and end together. */
export interface AllocChannel {
  readonly kind: "AllocChannel";
  readonly channel: Channel;
  readonly body: Stmt;
}
/** One thread waits until the slot of the turn is empty, announces the number of bytes, and starts the copies of the body. */
export interface Fill {
  readonly kind: "Fill";
  readonly channel: Channel;
  readonly turn: Expr;
  readonly body: Stmt;
}
/** Each thread waits until all bytes of the turn have arrived. */
export interface Await {
  readonly kind: "Await";
  readonly channel: Channel;
  readonly turn: Expr;
}
/** Each warp says that it has read the turn. When all have, the slot is empty. */
export interface Release {
  readonly kind: "Release";
  readonly channel: Channel;
  readonly turn: Expr;
}
/** One thread starts copies out of shared memory. They have read it at the next barrier of the threads, or at the end. */
export interface Drain {
  readonly kind: "Drain";
  readonly body: Stmt;
}
/** After the next barrier the copy engine may read what each thread has written to shared memory. */
export interface Fence {
  readonly kind: "Fence";
}
/**
 * Two roles of a block. The threads of the kernel's head are the consumers. The producer is a warpgroup of its own, which the
 * launch adds as one more row of threadIdx.y. One of its threads fills channels, and it does nothing else. A barrier of the
 * consumers does not include it. Occurs once, inside all allocations.
 */
export interface Roles {
  readonly kind: "Roles";
  readonly producer: Stmt;
  readonly consumers: Stmt;
  /** Registers per thread of the producer and of a consumer; absent: all keep what they start with. */
  readonly registers?: readonly [producer: number, consumer: number];
}
export type BulkStmt = BulkCopy | AllocChannel | Fill | Await | Release | Drain | Fence | Roles;

/** Kinds at which threads meet, or one waits for others. */
export const channelKinds = ["AllocChannel", "Fill", "Await", "Release", "Drain", "Fence"] as const;
const bulkKinds: readonly string[] = [...channelKinds, "Roles", "BulkCopy"];
export const isBulk = (s: Stmt): s is BulkStmt => bulkKinds.includes(s.kind);

export const bulkLevel = 90;
/** Number of multiprocessors of an H100 (SXM), a GH200 and an H200. */
export const bulkProcessors = 132;
/** A full and an empty side of 8 bytes each. */
export const slotBarrierBytes = 16;
/** Where the engine may begin in shared memory. */
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

/**
 * Bytes that all boxes of a statement copy to a block, including those from other blocks of its cluster by the same statement.
 */
export function bytesIn(s: Stmt): number {
  if (s.kind === "BulkCopy") return boxBytes(s) * (s.multicast ?? 1);
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

/** The engine's name, bytes of a row, for its three swizzles; undefined for another swizzle. */
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

const keyOf = ({ buffer, dims, strides, box }: TensorBox, swizzle: number | undefined): string =>
  JSON.stringify([buffer.name, dims, strides, box, swizzle]);

/** A map that a kernel takes, with the layout of its boxes in shared memory. */
export interface TensorMapParam extends TensorBox {
  readonly swizzle: 0 | 32 | 64 | 128;
}

export interface Arguments {
  /** Parameters of the function that the kernel accesses by address. */
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

/** Elements of one slot. An array of a channel has one part per slot, one behind the other. */
export const slotElements = (buffer: Buffer, { slots }: Channel): number => bufferSize(buffer) / slots;
