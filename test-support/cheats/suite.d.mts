import type { CudaSourceArg, Program } from "@warpfarm/compiler";

export type Place = "gpu" | "cpu";
export type Tensor = CudaSourceArg;

/**
 * What stops a cheat: it does not build; the device refuses or faults; an element is wrong; guards notice a write; it is faster
 * than any device; a judged repeat or an audit; inputs of another structure; the task itself is refused; races. `no gain`: it is
 * right and not faster than an honest kernel.
 */
export type Defence =
  | "build"
  | "device"
  | "check"
  | "guards"
  | "floor"
  | "judged"
  | "audit"
  | "structure"
  | "task"
  | "races"
  | "no gain";

export interface Row {
  readonly name: string;
  /** D1 to D29, or `honest`. */
  readonly kind: string;
  readonly file: string;
  readonly task: string;
  readonly defines: Readonly<Record<string, string>>;
  readonly blocks?: string;
  readonly onCpu: boolean;
  /** Any of these; none for honest kernels. */
  readonly stoppedBy: readonly Defence[];
  readonly does: string;
}

export const taskNames: readonly string[];
export const cheats: readonly Row[];
export const racy: readonly Row[];
export const honest: readonly Row[];
/** The kernel that says what a task computes: its reference. */
export function plain(task: string): Row;
/** One text of C++ with the kernels `kernel_0`, `kernel_1` and so on of these rows: void kernel_0(void *const *args). */
export function sharedText(rows: readonly Row[]): string;
export function textOf(row: Row, place: Place): string;
/** Inputs and outputs in the order of the parameters, then the workspace. */
export function tensorsOf(row: Row, place: Place): readonly Tensor[];
export function documentOf(row: Row, target: string): Program;
