import type { ProgramBytes } from "@warpfarm/common";
import type { BuildExecutor, BuildResult } from "../builder/src/build-executor.ts";

export const secret: string;
export interface ReadingText {
  readonly name: string;
  readonly tells: "content" | "name";
  readonly files: (path: string) => Readonly<Record<string, string>>;
}
export const readingTexts: readonly ReadingText[];
export function programOf(files: Readonly<Record<string, string>>, target?: string): ProgramBytes;
export function saidBy(result: BuildResult): string;
export interface Reading {
  readonly executor: BuildExecutor;
  readonly path: string;
  readonly missing: string;
  readonly target?: string;
  readonly timeoutMs?: number;
}
export function reads(text: ReadingText, reading: Reading): Promise<{ readonly leaks: boolean; readonly said: string }>;
