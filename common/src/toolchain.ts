/**
 * Names of what decides about a program at a builder: its compilers and their versions, and Warpfarm's own compiler for what it
 * does not lower. A verdict on a program is one of its toolchain: another compiler, or another version, may decide otherwise.
 */
import type { BuilderFacts } from "./worker-calls.ts";

/** Of programs that a client brings as a cubin: nothing is compiled. */
export const noCompiler = "none: the client's cubin";

/** Of programs that are not lowered. */
export const loweringToolchain = (compilerVersion: string): string => `warpfarm ${compilerVersion}`;

/** All that a result of this builder's builds can name. */
export const toolchainsOf = ({
  toolchains,
  compilerVersion,
}: Pick<BuilderFacts, "toolchains" | "compilerVersion">): readonly string[] => [
  ...toolchains,
  loweringToolchain(compilerVersion),
  noCompiler,
];

/** Those that all of these builders have. None when there is no builder: what the next one has is not known. */
export function sharedToolchains([first, ...others]: readonly (readonly string[])[]): ReadonlySet<string> {
  return new Set((first ?? []).filter((name) => others.every((other) => other.includes(name))));
}
