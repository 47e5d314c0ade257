/**
 * A compiler for the builder. Its facts are data (ToolchainFacts): the serving process finds them once and passes them to the
 * compile children. Flags are part of a build's identity, so they are part of the cache key.
 */
import type { ArtifactFormat, ArtifactManifest, ManifestNote, Refusal } from "@warpfarm/common";
import type { CudaSourceProgram, DeviceText } from "@warpfarm/compiler";

export interface ToolchainFacts {
  readonly kind: string;
  readonly id: string;
  readonly path: string;
  readonly searchPath: string;
  readonly includes?: readonly string[];
  readonly targets: readonly string[];
}

/**
 * How text of a client is treated. `all`: compiled, because the sandbox shows the compiler only the program's files and the
 * toolkit's. `checked`: compiled if it has only plain directives, because nothing else keeps the compiler from other files.
 * `refused`: not compiled.
 */
export type ClientText = "all" | "checked" | "refused";

export interface CompileJob {
  readonly text: DeviceText;
  readonly source?: CudaSourceProgram;
  readonly flags?: readonly string[];
  readonly clientText: ClientText;
  readonly target: string;
  /** Empty and private to this job. Its creator removes it. */
  readonly directory: string;
  /** Folders of headers that the client sent before, searched after the program's own files and before the toolkit's. */
  readonly includes?: readonly string[];
  readonly timeoutMs: number;
}

export type Compiled =
  | {
      readonly ok: true;
      readonly code: Uint8Array;
      readonly resources: ArtifactManifest["resources"];
      readonly notes: readonly ManifestNote[];
      readonly symbols?: Readonly<Record<string, string>>;
    }
  /** The compiler refused the text. `log` has its messages: at most 64 KiB, without paths of this machine. */
  | (Refusal & { readonly ok: false; readonly log: string });

export interface Toolchain {
  readonly facts: ToolchainFacts;
  readonly language: DeviceText["language"];
  readonly format: ArtifactFormat;
  /** The flags of one build. They never depend on this machine's processor. */
  flags(target: string): readonly string[];
  /** Requires that `target` is one of the facts'. Rejects only when the compiler could not be run. */
  compile(job: CompileJob): Promise<Compiled>;
  /** A digest that is equal for texts that are equal to the compiler. Only for compilers of clients' text. */
  expand?(job: CompileJob): Promise<Expanded>;
}

export interface Expanded {
  /** Undefined when the compiler refuses it. */
  readonly digest: string | undefined;
  definitionOf(macro: string): Promise<string | undefined>;
}
