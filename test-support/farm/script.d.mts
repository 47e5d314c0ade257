import type { ArtifactDigest, Digest, MeasureErrorNo, MeasureResult, ProgramBytes, ProgramDigest } from "@warpfarm/common";

export function targetOf(run: string): string;
export function programOf(run: string, i: number): ProgramBytes;
export type Verdict =
  | { readonly at: "build" | "run"; readonly errorNo: MeasureErrorNo; readonly message: string }
  | { readonly at: "end"; readonly seconds: number };
export function verdictOf(digest: ProgramDigest): Verdict;
export function millisecondsOf(digest: ProgramDigest, bounds: readonly [number, number]): number;
export function saidBy(result: MeasureResult): string;
export function saidOf(digest: ProgramDigest): string;
export function buildScripted(
  of: { readonly program: ProgramDigest; readonly target: string },
  upload: (bytes: Uint8Array) => Promise<Digest>,
): Promise<ArtifactDigest>;
