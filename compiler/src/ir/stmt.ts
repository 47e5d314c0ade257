/**
 * Statements: one union, like Expr. All loops run from 0 to a constant extent.
 */
import type { PixelBox } from "@warpfarm/common";
import type { Agent } from "./agent.ts";
import type { Buffer } from "./buffer.ts";
import type { Expr, Var } from "./expr.ts";
import type { Intrinsic, InvokeForm } from "./intrinsic.ts";

export const threadTags = [
  "blockIdx.x",
  "blockIdx.y",
  "blockIdx.z",
  "clusterIdx.x",
  "clusterIdx.y",
  "threadIdx.x",
  "threadIdx.y",
  "threadIdx.z",
  "vthread",
] as const;
export type ThreadTag = (typeof threadTags)[number];
/**
 * A block's place in its cluster, whose blocks run together: neighbours along blockIdx.x, first along clusterIdx.x, then along
 * clusterIdx.y.
 */
export const clusterTags = ["clusterIdx.x", "clusterIdx.y"] as const satisfies readonly ThreadTag[];
export type ClusterTag = (typeof clusterTags)[number];
export const isClusterTag = (tag: ThreadTag | undefined): tag is ClusterTag => tag?.startsWith("clusterIdx") ?? false;
/** blockIdx and clusterIdx have 0, threadIdx and vthread 1. Compared with scopeRank. */
export const threadRank = (tag: ThreadTag): number => (tag.startsWith("blockIdx") || isClusterTag(tag) ? 0 : 1);

/** `bound` loops carry a thread tag: iterations are blocks, threads, or interleaved virtual threads. */
export type ForKind = "serial" | "parallel" | "vectorized" | "unrolled" | "bound";

export interface For {
  readonly kind: "For";
  readonly loopVar: Var;
  readonly extent: number;
  readonly forKind: ForKind;
  /** Present exactly when forKind is "bound". */
  readonly thread?: ThreadTag;
  /** Iterations of an unrolled loop that are unrolled at a time; absent: all. */
  readonly factor?: number;
  readonly body: Stmt;
}
export interface If {
  readonly kind: "If";
  readonly cond: Expr;
  readonly body: Stmt;
}
/** A vector store has a Ramp as its last index. */
export interface Store {
  readonly kind: "Store";
  readonly buffer: Buffer;
  readonly indices: readonly Expr[];
  readonly value: Expr;
}
export interface Seq {
  readonly kind: "Seq";
  readonly stmts: readonly Stmt[];
}
/** The buffer exists inside the body. */
export interface Allocate {
  readonly kind: "Allocate";
  readonly buffer: Buffer;
  readonly body: Stmt;
}
/**
 * All threads of the agent arrive, and then see each other's writes to shared memory. All teams of a block reach a team's
 * barrier, each independently.
 */
export interface Barrier {
  readonly kind: "Barrier";
  readonly agent: Agent;
}
/**
 * A group of asynchronous work that a thread starts and that continues until a Wait for the group. cp_async: the body's stores to
 * shared memory are incomplete until a Wait and a Barrier. wgmma: nobody else may access the body's accumulators, and nobody may
 * change its tiles in shared memory.
 */
export interface Async {
  readonly kind: "Async";
  readonly engine: Engine;
  readonly body: Stmt;
}
export type Engine = "cp_async" | "wgmma";
/** Each thread waits until at most `pending` of its groups are incomplete. A Barrier then informs the others. */
export interface Wait {
  readonly kind: "Wait";
  readonly engine: Engine;
  readonly pending: number;
}
/**
 * Between kernels of a run: a thread at `wait` continues when the previous kernel has ended and its writes are visible. `release`
 * says that the next kernel, if it waits by itself, may start.
 */
export interface Handover {
  readonly kind: "Handover";
  readonly what: "wait" | "release";
}
/** What a reduction does with two values. */
export const combiners = ["sum", "prod", "max", "min"] as const;
export type Combiner = (typeof combiners)[number];
/**
 * Threads that each keep an array combine them, element by element: each gets the combination of all. In `scheduled` these are
 * the threads that threadIdx.x tells apart, and with `blocks` those of so many blocks, a cluster; one array stands for all of
 * theirs. With `lanes`, a power of two, they are that many neighbours of a warp, who exchange values at distances lanes/2,
 * lanes/4 ... 1. With `blocks` and `exchange` they are the rows of the blocks of a cluster, whose threads have one value already:
 * each block sends its own to `exchange` of all, in shared memory, and combines what it has there in the order of the blocks. An
 * element that has no value in one of them has none afterwards. All threads of a block, or of the cluster, come to it; it orders
 * nothing in memory.
 */
export interface Fold {
  readonly kind: "Fold";
  readonly combiner: Combiner;
  readonly lanes?: number;
  readonly blocks?: number;
  /** [row][element][block]; nothing else uses it. */
  readonly exchange?: Buffer;
  readonly buffer: Buffer;
}
/** One operand of an intrinsic: a tile of a buffer, by its first element and the stride of each of the tile's dimensions. */
export interface Tile {
  readonly buffer: Buffer;
  readonly indices: readonly Expr[];
  readonly strides: readonly number[];
}
/** The intrinsic's team executes it on these tiles: its inputs, then its output. An `init` names the output only. */
export interface Invoke {
  readonly kind: "Invoke";
  readonly intrinsic: Intrinsic;
  readonly form: InvokeForm;
  readonly tiles: readonly Tile[];
}
/** A tensor in global memory for the engine, and the box of one copy, in elements, with the innermost dimension last. */
export interface TensorBox {
  readonly buffer: Buffer;
  readonly dims: readonly number[];
  readonly strides: readonly number[];
  readonly box: readonly number[];
  /** The tensor is of images (N, H, W, C) and the box of pixels by channels. */
  readonly im2col?: PixelWalk;
}

/**
 * The walk from one pixel of a box to the next, as the engine does it in its im2col mode; [h, w] each. From (n, y, x): x += step;
 * beyond `W - 1 + upper`, x = lower and y += step; beyond `H - 1 + upper`, y = lower and n += 1.
 */
export interface PixelWalk extends PixelBox {
  readonly steps: readonly number[];
}

/** Blocks along each axis of a cluster. */
export interface ClusterShape {
  readonly x: number;
  readonly y: number;
}
export interface Multicast {
  readonly along: ClusterTag;
  readonly blocks: number;
}

/** One box: `in` from global memory into a dense array, or `out`. */
export interface BulkCopy {
  readonly kind: "BulkCopy";
  readonly direction: "in" | "out";
  readonly tensor: TensorBox;
  /** The box's first element, one coordinate per dimension of the tensor. It may lie outside the tensor. */
  readonly origin: readonly Expr[];
  /** Of a box of pixels: how far each pixel's element lies from the walk's place, down and right: the tap of a convolution. */
  readonly taps?: readonly Expr[];
  readonly shared: Buffer;
  readonly indices: readonly Expr[];
  /**
   * Who receives the box, at the same place: all blocks along this axis of the cluster, at the asking block's place on the other
   * axis. Each of them asks for other boxes. Absent: the box goes to the block that asks.
   */
  readonly multicast?: Multicast;
}

/**
 * A ring of slots between the copies that fill them and the threads that use them. Each slot has a full and an empty barrier,
 * which only the compiler uses. Turn t uses slot t % slots. Turns count from the kernel's start, so a loop that is entered again
 * continues where it ended.
 */
export interface Channel {
  readonly name: string;
  readonly slots: number;
  readonly buffers: readonly Buffer[];
  /**
   * The number of blocks along each axis of the cluster that share it. A block gets boxes from those in its row and those in its
   * column. Each block has its own slots, and the threads of these blocks release a turn. Absent: only this block uses the
   * channel.
   */
  readonly cluster?: ClusterShape;
}
/**
 * The channel exists inside the body, with all slots empty. Blocks that share it begin together, and none ends before the others
 * have released its slots.
 */
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
  /** That arrive in the block's slot, in all arrays, also from other blocks of its cluster. */
  readonly bytes: number;
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
/**
 * One thread of the block, or one of each warpgroup, starts copies out of shared memory. They have read it at the next barrier to
 * which it comes, or at the end. A barrier before it includes all who wrote what it copies.
 */
export interface Drain {
  readonly kind: "Drain";
  readonly agent: Extract<Agent, "block" | "warpgroup">;
  readonly body: Stmt;
}
/** After the next barrier its threads may have the copy engine read what each has written to shared memory. */
export interface Fence {
  readonly kind: "Fence";
}
/**
 * Two roles of a block. The threads of the kernel's head are the consumers. The producer is a warpgroup of its own, one more of
 * the thread axis that counts warpgroups (ir/agent.ts). One of its threads fills channels and does nothing else. A barrier of the
 * consumers does not include it. Occurs once, inside all allocations.
 */
export interface Roles extends RoleRegisters {
  readonly kind: "Roles";
  readonly producer: Stmt;
  readonly consumers: Stmt;
}
/** Registers of each thread of the two roles; absent: all keep what they start with. */
interface RoleRegisters {
  readonly registers?: readonly [producer: number, consumer: number];
}
export type BulkStmt = BulkCopy | AllocChannel | Fill | Await | Release | Drain | Fence | Roles;

export interface KernelAttrs {
  /** Blocks for which a multiprocessor should have room; absent: no request. */
  readonly minBlocks?: number;
  /** Whether it starts while the previous kernel ends, and waits by itself. */
  readonly dependent?: true;
  /** Whether a producer starts its copies (lower/passes/split-roles.ts). */
  readonly roles?: RoleRegisters;
}
/** A root nest whose kernel has attributes. Only other remarks and sequences stand around it. */
export interface KernelNest {
  readonly kind: "KernelNest";
  readonly attrs: KernelAttrs;
  readonly body: Stmt;
}
/** The nest of one stage, and how its copy is done. */
export interface Stage {
  readonly kind: "Stage";
  readonly name: string;
  /** Its array is filled some iterations of its loop before use: one ahead of two arrays, n - 1 ahead of n. */
  readonly ahead?: Ahead;
  readonly engine?: CopyEngine;
  /** The stage in whose slots it is copied, in turns after those of that stage (lower/passes/make-channels.ts). */
  readonly ring?: string;
  readonly body: Stmt;
}
export interface Ahead {
  readonly by: "double_buffer" | "pipeline";
  readonly arrays: number;
}
export const copyEngines = ["tma"] as const;
export type CopyEngine = (typeof copyEngines)[number];
export const pragmaKeys = ["auto_unroll_max_step", "unroll_explicit", "tensor_core"] as const;
export type PragmaKey = (typeof pragmaKeys)[number];
export type Pragmas = Readonly<Partial<Record<PragmaKey, number>>>;
export interface Pragma {
  readonly kind: "Pragma";
  readonly pragmas: Pragmas;
  readonly body: Stmt;
}
/** The intrinsic is to do the work of the nest, or to write the start values of its sums. */
export interface Tensorize {
  readonly kind: "Tensorize";
  readonly intrinsic: Intrinsic;
  readonly isInit?: true;
  readonly body: Stmt;
}
/** A nest that an intrinsic or the copy engine should replace and cannot, and why. The device's rules refuse it. */
export interface Unmatched {
  readonly kind: "Unmatched";
  readonly primitive: "tensorize" | "copyBy";
  readonly why: string;
  readonly body: Stmt;
}
export type Remark = KernelNest | Stage | Pragma | Tensorize | Unmatched;

export type Stmt = For | If | Store | Invoke | Fold | Handover | Seq | Allocate | Barrier | Async | Wait | Remark | BulkStmt;
export type StmtKind = Stmt["kind"];
