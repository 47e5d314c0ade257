/**
 * What the copy engine of sm_90 (TMA) does: whole boxes of a tensor, between global and shared memory, by itself. It knows the
 * tensor by a map that a kernel takes as an argument of its own; it reads zeros outside of the tensor and writes nothing there.
 */
import { dtypeBytes, isPacked } from "@warpfarm/common";
import { type Buffer, bufferSize, type Swizzle } from "./buffer.ts";
import type { Expr } from "./expr.ts";
import { touches } from "./parts.ts";
import type { Stmt } from "./stmt.ts";
import { eachPart, walkExpr, walkStmt } from "./visit.ts";

/** A tensor in global memory as the engine sees it, and the box that one copy takes; elements, innermost dimension last. */
export interface TensorBox {
  readonly buffer: Buffer;
  readonly dims: readonly number[];
  readonly strides: readonly number[];
  readonly box: readonly number[];
}

/**
 * One box: `in` from global memory into a dense array, or `out` again. Stands in a Fill or a Drain, which say who starts it and
 * who waits.
 */
export interface BulkCopy {
  readonly kind: "BulkCopy";
  readonly direction: "in" | "out";
  readonly tensor: TensorBox;
  /** The box's first element, one coordinate for each dimension of the tensor; may lie outside of it. */
  readonly origin: readonly Expr[];
  readonly shared: Buffer;
  /** The box's first element there. */
  readonly indices: readonly Expr[];
  /**
   * It comes to the same place in each of so many blocks, all of their cluster, each of which asks for other boxes; absent = to
   * the block that asks.
   */
  readonly multicast?: number;
}

/**
 * A ring of slots between the copies that fill them and the threads that use them. Each slot has a full and an empty side, which
 * the compiler alone moves: turn t uses slot t % slots, and turns count from the kernel's start, so a loop that is entered again
 * goes on where it ended.
 */
export interface Channel {
  readonly name: string;
  readonly slots: number;
  /** Arrays of as many slots each. */
  readonly buffers: readonly Buffer[];
  /** What lands in one slot of all of them. */
  readonly bytes: number;
  /**
   * Boxes come from so many blocks, all of their cluster. Each has slots of its own; those of one turn are empty when the threads
   * of all blocks have released it. Absent = the block has the channel for itself.
   */
  readonly cluster?: number;
}
/** The channel exists inside the body, all its slots empty. The blocks that share one begin together, and end together. */
export interface AllocChannel {
  readonly kind: "AllocChannel";
  readonly channel: Channel;
  readonly body: Stmt;
}
/** One thread waits until the slot of the turn is empty, says how many bytes come, and starts the copies of the body. */
export interface Fill {
  readonly kind: "Fill";
  readonly channel: Channel;
  readonly turn: Expr;
  readonly body: Stmt;
}
/** Each thread waits until all bytes of the turn are there. */
export interface Await {
  readonly kind: "Await";
  readonly channel: Channel;
  readonly turn: Expr;
}
/** Each warp says that it has read what it wanted of the turn; when all have, the slot is empty. */
export interface Release {
  readonly kind: "Release";
  readonly channel: Channel;
  readonly turn: Expr;
}
/** One thread starts copies out of shared memory; at the next barrier of the threads, or the end, they have read it. */
export interface Drain {
  readonly kind: "Drain";
  readonly body: Stmt;
}
/** What each thread has written to shared memory may be read by the copy engine after the next barrier. */
export interface Fence {
  readonly kind: "Fence";
}
/**
 * Two roles of a block. The threads of the kernel's head are the consumers. The producer is a warpgroup of its own, which the
 * launch has besides them as one more of threadIdx.y: one of its threads fills channels, and nothing else. A barrier among the
 * consumers is theirs alone. Stands once, below all that is allocated.
 */
export interface Roles {
  readonly kind: "Roles";
  readonly producer: Stmt;
  readonly consumers: Stmt;
  /** Of a thread of the producer, and of a consumer; absent: all keep what they start with. */
  readonly registers?: readonly [producer: number, consumer: number];
}
export type BulkStmt = BulkCopy | AllocChannel | Fill | Await | Release | Drain | Fence | Roles;

/** Kinds at which threads meet, or one waits for others. */
export const channelKinds = ["AllocChannel", "Fill", "Await", "Release", "Drain", "Fence"] as const;
const bulkKinds: readonly string[] = [...channelKinds, "Roles", "BulkCopy"];
export const isBulk = (s: Stmt): s is BulkStmt => bulkKinds.includes(s.kind);

export const bulkLevel = 90;
/** Multiprocessors of an H100 (SXM), a GH200 and an H200. */
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

/** Bytes that all boxes of a statement bring to a block, with what other blocks of its cluster bring by the same statement. */
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

/** Bytes of a row, as the engine calls the three swizzles it knows; undefined for one it does not. */
export function engineSwizzle(dtype: Buffer["dtype"], swizzle: Swizzle | undefined): 0 | 32 | 64 | 128 | undefined {
  if (!swizzle) return 0;
  const { unit, line, ways } = swizzle;
  if (dtypeBytes(dtype, unit) !== 16 || dtypeBytes(dtype, line) !== 128) return undefined;
  return ways === 2 ? 32 : ways === 4 ? 64 : ways === 8 ? 128 : undefined;
}

/** In bytes: a swizzle goes by bits of the address, so an array begins where all of its pattern does. */
export const bulkAlignmentOf = ({ dtype, swizzle }: Buffer): number =>
  swizzle ? Math.max(bulkAlignment, dtypeBytes(dtype, swizzle.line * swizzle.ways)) : bulkAlignment;

/** Elements from which on the next of several arrays may begin. */
export const bulkUnit = (buffer: Buffer): number =>
  isPacked(buffer.dtype) ? 1 : bulkAlignmentOf(buffer) / dtypeBytes(buffer.dtype);

const keyOf = ({ buffer, dims, strides, box }: TensorBox, swizzle: number | undefined): string =>
  JSON.stringify([buffer.name, dims, strides, box, swizzle]);

/** A map that a kernel takes: a tensor's boxes as they lie in shared memory. */
export interface TensorMapParam extends TensorBox {
  readonly swizzle: 0 | 32 | 64 | 128;
}

export interface Arguments {
  /** Those of the function's that the kernel reaches by address. */
  readonly pointers: readonly Buffer[];
  readonly maps: readonly TensorMapParam[];
  readonly mapOf: (copy: BulkCopy) => TensorMapParam;
}

/** What a kernel is given, pointers first. `params`: of its function, in order. */
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
    // Without maps every argument is a pointer, also one that nothing touches.
    pointers: hasMaps ? params.filter((buffer) => addressed.has(buffer)) : params,
    maps: [...maps.values()],
    mapOf: (copy) => maps.get(keyOf(copy.tensor, engineSwizzle(copy.shared.dtype, copy.shared.swizzle) ?? 0)) as TensorMapParam,
  };
}

/** The channel's slot that a turn uses begins here in its array; arrays of a channel hold as many slots, one behind the other. */
export const slotElements = (buffer: Buffer, { slots }: Channel): number => bufferSize(buffer) / slots;
