/**
 * Statements: one union, like Expr. All loops run from 0 to a constant extent.
 */
import type { Agent } from "./agent.ts";
import type { Buffer } from "./buffer.ts";
import type { BulkStmt } from "./bulk.ts";
import type { Expr, Var } from "./expr.ts";
import type { Intrinsic, InvokeForm } from "./intrinsic.ts";

export const threadTags = [
  "blockIdx.x",
  "blockIdx.y",
  "blockIdx.z",
  "clusterIdx.x",
  "threadIdx.x",
  "threadIdx.y",
  "threadIdx.z",
  "vthread",
] as const;
export type ThreadTag = (typeof threadTags)[number];
/** A block's number in its cluster, whose blocks run together: neighbours along blockIdx.x. */
export const clusterTag = "clusterIdx.x" satisfies ThreadTag;
/** blockIdx and clusterIdx have 0, threadIdx and vthread 1. Compared with scopeRank. */
export const threadRank = (tag: ThreadTag): number => (tag.startsWith("blockIdx") || tag === clusterTag ? 0 : 1);

/** `bound` loops carry a thread tag: iterations are blocks, threads, or interleaved virtual threads. */
export type ForKind = "serial" | "parallel" | "vectorized" | "unrolled" | "bound";

export interface For {
  readonly kind: "For";
  readonly loopVar: Var;
  readonly extent: number;
  readonly forKind: ForKind;
  /** Exactly when forKind is "bound". */
  readonly thread?: ThreadTag;
  /** For an unrolled loop: iterations at a time; absent = all. */
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
/** The buffer exists inside the body. In `scheduled` it is where the stage is attached, later at the kernel's head. */
export interface Allocate {
  readonly kind: "Allocate";
  readonly buffer: Buffer;
  readonly body: Stmt;
}
/**
 * All threads of the agent arrive, and then see each other's writes to shared memory. All warps of a block reach a warp's
 * barrier, each independently.
 */
export interface Barrier {
  readonly kind: "Barrier";
  readonly agent: Extract<Agent, "block" | "warp">;
}
/**
 * A group of asynchronous work that a thread starts and that continues until a Wait for the group. cp_async: the body's stores to
 * shared memory are incomplete until then and a Barrier. wgmma: the body's intrinsics add to their accumulators, which nobody
 * else may access, and read their tiles of shared memory, which nobody may change.
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
export type Combiner = "sum" | "max" | "min";
/**
 * Threads that keep an array each put them together, element by element: each gets the combination of all. In `scheduled` these
 * are the threads that threadIdx.x tells apart, and one array stands for all of theirs. With `lanes`, a power of two, they are
 * that many neighbours of a warp, who exchange values at distances lanes/2, lanes/4 ... 1: of the lanes t and t ^ d each combines
 * its own value with the other's. An element that has no value in one of them has none afterwards. All threads of a block come to
 * it; it orders nothing in memory.
 */
export interface Fold {
  readonly kind: "Fold";
  readonly combiner: Combiner;
  readonly lanes?: number;
  readonly buffer: Buffer;
}
/** One operand of an intrinsic: a tile of a buffer, by its first element and the stride of each of the tile's dimensions. */
export interface Tile {
  readonly buffer: Buffer;
  readonly indices: readonly Expr[];
  /** In elements of the buffer as it lies in memory. */
  readonly strides: readonly number[];
}
/** The intrinsic's team executes it on these tiles: its inputs, then its output. An `init` names the output only. */
export interface Invoke {
  readonly kind: "Invoke";
  readonly intrinsic: Intrinsic;
  readonly form: InvokeForm;
  readonly tiles: readonly Tile[];
}
export const attrKeys = [
  "stage",
  "auto_unroll_max_step",
  "unroll_explicit",
  "tensorize",
  "tensor_core",
  "double_buffer",
  "pipeline",
  "min_blocks",
  "dependent",
  "copy_by",
  "specialize",
] as const;
export type AttrKey = (typeof attrKeys)[number];
/**
 * A remark on a subtree: `stage` names the stage computed there; `tensorize` an intrinsic of the function that is to do the work
 * of the nest; `double_buffer` says that the copy below fills an array one iteration ahead of its use, `pipeline` with n arrays n
 * - 1 ahead; `min_blocks` and `dependent` are the kernel's, `specialize` too, with the registers of its roles; `copy_by` says
 * what does the copy below; the others are pragmas.
 */
export interface Attr {
  readonly kind: "Attr";
  readonly key: AttrKey;
  readonly value: string | number;
  readonly body: Stmt;
}

export type Stmt = For | If | Store | Invoke | Fold | Handover | Seq | Allocate | Barrier | Async | Wait | Attr | BulkStmt;
export type StmtKind = Stmt["kind"];
