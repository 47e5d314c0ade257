/**
 * A compiler as the builder sees it. What is known about one is data (ToolchainFacts): found once by the process that serves,
 * handed to the children that compile. Flags are part of the facts of a build, so they are part of the cache key.
 */
import type { ArtifactFormat, ArtifactManifest, ManifestNote, Refusal } from "@warpfarm/common";
import type { CudaSourceProgram, DeviceText } from "@warpfarm/compiler";

/** A compiler that was found. */
export interface ToolchainFacts {
  /** Name of what opens it (index.ts): "cc", "nvrtc", "nvcc", "ptxas". */
  readonly kind: string;
  /** Name and version as they stand in manifests: "gcc 12.2.0". */
  readonly id: string;
  /** Of the command, or of the library. */
  readonly path: string;
  /** PATH of its environment: where it finds its assembler and linker. */
  readonly searchPath: string;
  /** Folders of the headers that client's text may include besides its own. */
  readonly includes?: readonly string[];
  /** Exact build targets. */
  readonly targets: readonly string[];
}

/**
 * What becomes of text that a client brought: `all` of it is compiled, where the sandbox shows the compiler no file but the
 * program's and the toolkit's; it is `checked`, and only plain directives are taken, where nothing else keeps the compiler from
 * other files; or `refused`.
 */
export type ClientText = "all" | "checked" | "refused";

export interface CompileJob {
  readonly text: DeviceText;
  /** The program, when it brings its own text: its other files, defines and flags count too. */
  readonly source?: CudaSourceProgram;
  /** Of PTX that a client brought. */
  readonly flags?: readonly string[];
  readonly clientText: ClientText;
  readonly target: string;
  /** Empty and private to this job; whoever made it removes it. */
  readonly directory: string;
  /** Folders of headers that the client sent ahead: searched after the program's own files and before the toolkit's. */
  readonly includes?: readonly string[];
  readonly timeoutMs: number;
}

export type Compiled =
  | {
      readonly ok: true;
      readonly code: Uint8Array;
      readonly resources: ArtifactManifest["resources"];
      readonly notes: readonly ManifestNote[];
      /** By each C++ name among the entries of the program: what the code calls it. */
      readonly symbols?: Readonly<Record<string, string>>;
    }
  /** The compiler refused the text. `log` holds its words: at most 64 KiB, without paths of this machine. */
  | (Refusal & { readonly ok: false; readonly log: string });

export interface Toolchain {
  readonly facts: ToolchainFacts;
  readonly language: DeviceText["language"];
  readonly format: ArtifactFormat;
  /** Of one build. Never of this machine's own processor. */
  flags(target: string): readonly string[];
  /** Requires that `target` is one of the facts'. Rejects only when the compiler itself could not be run. */
  compile(job: CompileJob): Promise<Compiled>;
}
