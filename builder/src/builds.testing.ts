/** For tests of builds: programs for test/fixtures/child.mjs, which say themselves what lowering does. */
import { fileURLToPath } from "node:url";
import { canonicalJson, digestOf, type ProgramBytes, toProgramDigest } from "@warpfarm/common";

export const fixture = (name: string): string => fileURLToPath(new URL(`../test/fixtures/${name}`, import.meta.url));

/** Has the fields that every package may know of a program, and those that the test child reads. */
export function testProgram(fields: Readonly<Record<string, unknown>>): ProgramBytes {
  const bytes = Buffer.from(canonicalJson({ kind: "schedule", version: 1, target: "cpu/x86-64-v1", ...fields }));
  return { digest: toProgramDigest(digestOf(bytes)), bytes };
}

export const goodText = "void kernel(void *const *args) { float *y = args[0]; for (int i = 0; i < 4; i++) y[i] = i; }";
/** Compiles for at least 15 seconds: nested macros make one function of half a million dependent additions. */
export const endlessText = [
  "#define A x = x * 3 + x;",
  ...Array.from({ length: 5 }, (_, i) => `#define ${"BCDEF"[i]} ${`${"ABCDE"[i]} `.repeat(14)}`),
  "void kernel(void *const *args) { int x = *(int *)args[0]; F *(int *)args[0] = x; }",
].join("\n");
