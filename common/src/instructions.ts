/**
 * How many instructions of each class kernels have, as a note of their manifest: a note is read by every version, by old ones as
 * a sentence for people, and a field would not be.
 */
import type { ManifestNote } from "./artifact.ts";

/**
 * Fused multiply-adds of floats; products of tensor cores; loads and stores of shared memory; of global memory, copies and atomic
 * ones among them; barriers and other waiting; jumps, calls and ends.
 */
export const instructionClasses = ["fma", "tensor", "shared", "global", "barrier", "branch", "other"] as const;
export type InstructionClass = (typeof instructionClasses)[number];
export type InstructionCounts = Readonly<Record<InstructionClass, number>>;

export const instructionsRule = "instructions";

export const instructionsNote = (counts: InstructionCounts): ManifestNote => ({
  rule: instructionsRule,
  message: instructionClasses.map((name) => `${name} ${counts[name]}`).join(", "),
});

const pattern = new RegExp(`^${instructionClasses.map((name) => `${name} (\\d{1,9})`).join(", ")}$`);

/** What such a note says. Undefined: no builder counted them. */
export function instructionsOf(notes: readonly ManifestNote[]): InstructionCounts | undefined {
  const message = notes.find(({ rule }) => rule === instructionsRule)?.message ?? "";
  const counts = pattern.exec(message)?.slice(1).map(Number);
  if (counts === undefined) return undefined;
  return Object.fromEntries(instructionClasses.map((name, i) => [name, counts[i]])) as InstructionCounts;
}
