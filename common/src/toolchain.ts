/**
 * Names of what decides about a program at a builder: its compilers and their versions, Warpfarm's own compiler for programs that
 * it does not lower, and both for text that the one wrote and the other refused. A verdict on a program belongs to its toolchain:
 * another one may decide otherwise.
 */
import type { BuilderFacts } from "./worker-calls.ts";

/** For programs that a client brings as a cubin. */
export const noCompiler = "none: the client's cubin";

/** The toolchain of programs that are not lowered. */
export const loweringToolchain = (compilerVersion: string): string => `warpfarm ${compilerVersion}`;

/** Stands between a compiler and the Warpfarm's that wrote its text. */
export const onTextOf = " on text of ";
export const textToolchain = (id: string, compilerVersion: string): string =>
  `${id}${onTextOf}${loweringToolchain(compilerVersion)}`;

/** All toolchains that a result of this builder can name. */
export const toolchainsOf = ({
  toolchains,
  compilerVersion,
}: Pick<BuilderFacts, "toolchains" | "compilerVersion">): readonly string[] => [
  ...toolchains,
  ...toolchains.map((id) => textToolchain(id, compilerVersion)),
  loweringToolchain(compilerVersion),
  noCompiler,
];

/** The toolchains that all of these builders have; none without a builder. */
export function sharedToolchains([first, ...others]: readonly (readonly string[])[]): ReadonlySet<string> {
  return new Set((first ?? []).filter((name) => others.every((other) => other.includes(name))));
}
