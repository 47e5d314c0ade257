/**
 * An artifact is a code blob plus a manifest that says how to launch it. The manifest is canonical JSON (RFC 8785) with its own
 * digest, which names the artifact; `code` is the digest of the blob. Field names are the wire's (snake_case): this type *is*
 * the document, checked by proto/convert/manifest.ts.
 */
import type { Digest, ProgramDigest } from "./brand.ts";
import type { DType } from "./dtype.ts";
import type { Fill, StatedTolerance } from "./fill.ts";
import type { StageModel } from "./rounding.ts";

export type ArtifactFormat = "cubin" | "ptx" | "so";

export interface ManifestKernel {
  /** Symbol to launch. For `so`: `void name(void *const *args)`, args in the order of `args`. */
  readonly name: string;
  readonly grid: readonly [number, number, number];
  readonly block: readonly [number, number, number];
  readonly dynamic_shared_bytes: number;
  readonly cluster: readonly [number, number, number];
  /** Names of buffers, in parameter order. */
  readonly args: readonly string[];
}

export type BufferRole = "in" | "out" | "inout" | "workspace";

export interface ManifestBuffer {
  readonly name: string;
  readonly dtype: DType;
  /** Row-major, in elements. */
  readonly shape: readonly number[];
  readonly bytes: number;
  /** Required alignment of the base address in bytes, a power of two. */
  readonly align: number;
  readonly role: BufferRole;
  /** Length of the longest reduction into this buffer (K of the tolerance where there are no stages); 1 for inputs and copies. */
  readonly reduction: number;
  /** What an input holds before each measurement; absent = seeded random values. All but "zeros" need version 2. */
  readonly fill?: "zeros" | Fill;
  /** Of an output, where the program states one. Version 2. */
  readonly tolerance?: StatedTolerance;
}

export interface ManifestNote {
  readonly rule: string;
  readonly message: string;
}

/** Those this code reads; a writer writes the lowest that can say it. */
export const manifestVersions = [1, 2] as const;
export type ManifestVersion = (typeof manifestVersions)[number];

export interface ArtifactManifest {
  readonly version: ManifestVersion;
  readonly program: ProgramDigest;
  /** Build target, for instance `cpu/x86-64-v3`, `cuda/sm_90`, `cuda/sm_90a`. */
  readonly target: string;
  readonly format: ArtifactFormat;
  readonly code: Digest;
  /** Launched in order, one after the other, as one run. */
  readonly kernels: readonly ManifestKernel[];
  readonly buffers: readonly ManifestBuffer[];
  readonly resources: {
    readonly registers: number;
    readonly spill_bytes: number;
    readonly static_shared_bytes: number;
  };
  /** Compiler id and version, for instance `gcc 12.2.0` or `nvrtc 13.0`. */
  readonly toolchain: string;
  readonly notes: readonly ManifestNote[];
  /** Of a default schedule, which may be a reference: what each of its stages, all of them buffers, does to rounding errors. Version 2. */
  readonly stages?: readonly StageModel[];
}

/** The lowest version that can say it. */
export const manifestVersionOf = ({ buffers, stages }: Pick<ArtifactManifest, "buffers" | "stages">): ManifestVersion =>
  stages !== undefined || buffers.some(({ fill, tolerance }) => typeof fill === "object" || tolerance !== undefined) ? 2 : 1;
