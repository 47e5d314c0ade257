/**
 * A function over buffers, in one of three dialects. A dialect is what the next pass may rely on:
 *
 * scheduled  what inference leaves. Multi-dimensional indices. Every stage's nest is a statement Stage and keeps its own loop
 *            variables; bound loops stand in place, so the copies of a cooperative fetch contain loops over threadIdx inside
 *            loops over threadIdx. Guards are there. Allocate stands at the attach point. No Barrier. Run with every loop serial
 *            it computes the program.
 * lowered    one index per access, buffers one-dimensional, strides applied; vthread gone; on CUDA threads at the head of each
 *            root nest; by the end vectorized loops are Ramps and barriers are in.
 * device     kernels split; one loop per launched axis at the head of a kernel, outermost, in the order blockIdx.z,y,x,
 *            clusterIdx.y,x, threadIdx.z,y,x; Allocates below them. What codegen may see. Unrolling repeats loops within it; one
 *            still `unrolled` then is the compiler's.
 *
 * On the CPU there are no bound loops and no barriers; `device` is then the lowered function as it is.
 */
import type { ManifestNote } from "@warpfarm/common";
import type { Buffer } from "./buffer.ts";
import type { KernelAttrs, Stmt } from "./stmt.ts";

export type Dialect = "scheduled" | "lowered" | "device";

export interface PrimFunc<D extends Dialect = Dialect> {
  readonly dialect: D;
  readonly name: string;
  /** Inputs, then outputs, then workspaces (global intermediates): the order of launch arguments. */
  readonly params: readonly Buffer[];
  readonly body: Stmt;
  readonly notes?: readonly ManifestNote[];
}

/** One launch: extents of its axes and the arguments that it uses, in the order of the module's params. */
export interface Kernel extends Omit<KernelAttrs, "roles"> {
  readonly func: PrimFunc<"device">;
  readonly grid: readonly [number, number, number];
  readonly block: readonly [number, number, number];
  /** Blocks that run together, neighbours in x, and can access each other's shared memory; absent: 1. */
  readonly cluster?: number;
  /** For a dependent kernel: arguments that kernels of the run write. It must not read their values before it has waited. */
  readonly awaited?: ReadonlySet<Buffer>;
}
