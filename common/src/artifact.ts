/**
 * An artifact is a code blob plus a manifest that says how to launch it. The manifest is canonical JSON (RFC 8785) with its own
 * digest, which names the artifact; `code` is the digest of the blob. Field names are the wire's (snake_case): this type *is*
 * the document, checked by proto/convert/manifest.ts.
 */
import { type Digest, type ProgramDigest, toDigest } from "./brand.ts";
import type { DType } from "./dtype.ts";
import type { BlobFill, Fill, StatedTolerance } from "./fill.ts";
import type { StageModel } from "./rounding.ts";
import type { TensorMap } from "./tensor-map.ts";

export type ArtifactFormat = "cubin" | "ptx" | "so";

/** Scalars are passed by value; the text is a number as ECMAScript prints it. */
export const scalarTypes = [
  "float16",
  "bfloat16",
  "float32",
  "float64",
  "int8",
  "uint8",
  "int32",
  "int64",
] as const satisfies readonly DType[];
export type ScalarType = (typeof scalarTypes)[number];

/** A structure, passed by value: its bytes in hexadecimal digits, at most 4096, which is what parameters may have. */
export type StructArg = { readonly bytes: string };
export const structBytes = /^(?:[\da-f]{2}){1,4096}$/;

/**
 * The name of a buffer, whose address is passed; the number of one of the manifest's maps; or a value.
 */
export type ManifestArg = string | { readonly map: number } | { readonly scalar: ScalarType; readonly value: string } | StructArg;

/** How a kernel is launched beyond its shape. Each kind occurs at most once. */
export type LaunchAttribute =
  /**
   * The kernel may start while the kernel before it in the run still works. It waits by itself for what that kernel writes. The
   * first kernel of a run cannot be dependent.
   */
  | { readonly kind: "dependent" }
  /** All blocks are on the device at once: the kernel may wait for its grid. A grid that does not fit is refused. */
  | { readonly kind: "cooperative" }
  | { readonly kind: "cluster_scheduling"; readonly policy: "spread" | "load_balancing" }
  /** The percentage of the memory shared with the first-level cache that becomes shared memory. */
  | { readonly kind: "shared_carveout"; readonly percent: number };

export interface ManifestKernel {
  /**
   * The symbol to launch: up to 1024 letters, digits, _, $ and . A `so` has `void name(void *const *args)`, with args in the
   * order of `args`.
   */
  readonly name: string;
  readonly grid: readonly [number, number, number];
  readonly block: readonly [number, number, number];
  readonly dynamic_shared_bytes: number;
  readonly cluster: readonly [number, number, number];
  /** In parameter order. */
  readonly args: readonly ManifestArg[];
  readonly attributes?: readonly LaunchAttribute[];
}

export interface ManifestConstant {
  /** The name of the constant in the code: `__constant__ float filter[225]`. */
  readonly symbol: string;
  readonly buffer: string;
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
  /**
   * Length of the longest reduction into this buffer; 1 for inputs and copies. The tolerance uses it as K where there are no
   * stages.
   */
  readonly reduction: number;
  /**
   * What an input or a workspace holds before each measurement; absent = seeded random values. A kernel may rely on
   * nothing in a workspace that no blob fills.
   */
  readonly fill?: "zeros" | Fill | BlobFill;
  /** The tolerance that the program states for an output. */
  readonly tolerance?: StatedTolerance;
  /** The output holds parts of a sum along these axes: it is compared after they are added up. */
  readonly sum_over?: readonly number[];
  /** Every run writes the same bits into this output. */
  readonly deterministic?: true;
}

/** What is wrong with the axes that a tensor is summed over. */
export function sumsFault(
  { shape, role }: { readonly shape: readonly unknown[]; readonly role: BufferRole },
  axes: readonly number[] = [],
): string | undefined {
  if (axes.length === 0) return undefined;
  if (role !== "out") return `its role is "${role}"; only an output is compared`;
  const wrong = axes.find((axis, i) => axis >= shape.length || axes.indexOf(axis) !== i);
  if (wrong === undefined) return undefined;
  return wrong >= shape.length ? `there is no axis ${wrong}; the tensor has ${shape.length}` : `axis ${wrong} is there twice`;
}

/** Why a tensor that is not an output cannot be deterministic. */
export const undetermined = (role: BufferRole): string =>
  `its role is "${role}"; only an output that a kernel does not read takes it`;

/** The shape that an output is compared in. */
export const comparedShape = ({ shape, sum_over = [] }: Pick<ManifestBuffer, "shape" | "sum_over">): readonly number[] =>
  shape.filter((_, axis) => !sum_over.includes(axis));

export interface ManifestNote {
  readonly rule: string;
  readonly message: string;
}

/** Versions of a manifest that this release reads and its runners register. */
export const manifestVersions = [1] as const;
type ManifestVersion = (typeof manifestVersions)[number];

export interface ArtifactManifest {
  readonly version: ManifestVersion;
  readonly program: ProgramDigest;
  /** Build target, for instance `cpu/x86-64-v3`, `cuda/sm_90`, `cuda/sm_90a`. */
  readonly target: string;
  readonly format: ArtifactFormat;
  readonly code: Digest;
  /** Launched in this order, one after the other, as one run. */
  readonly kernels: readonly ManifestKernel[];
  readonly buffers: readonly ManifestBuffer[];
  /** Constant memory of the code, filled from buffers before its kernels run. */
  readonly constants?: readonly ManifestConstant[];
  /** The maps that kernels name by number in their arguments. */
  readonly maps?: readonly TensorMap[];
  readonly resources: {
    readonly registers: number;
    readonly spill_bytes: number;
    readonly static_shared_bytes: number;
  };
  /** Compiler id and version, for instance `gcc 12.2.0` or `nvrtc 13.0`. */
  readonly toolchain: string;
  readonly notes: readonly ManifestNote[];
  /**
   * The effect of each stage of a default schedule on rounding errors; all of these stages are buffers. Present where the program
   * may be a reference.
   */
  readonly stages?: readonly StageModel[];
}

/** The blob from which a buffer is filled; undefined for another fill. */
export const blobOf = (fill: ManifestBuffer["fill"]): Digest | undefined =>
  typeof fill === "object" && fill.kind === "blob" ? toDigest(fill.digest) : undefined;

/** The blobs that buffers are filled from, each once. */
export const blobsOf = (buffers: readonly Pick<ManifestBuffer, "fill">[]): readonly Digest[] => [
  ...new Set(buffers.flatMap(({ fill }) => blobOf(fill) ?? [])),
];

/** The buffers that a kernel takes, directly or by a map, each once. */
export function buffersOf({ args }: Pick<ManifestKernel, "args">, maps: readonly TensorMap[] = []): readonly string[] {
  const names = args.flatMap((arg) => {
    if (typeof arg === "string") return [arg];
    const map = "map" in arg ? maps[arg.map] : undefined;
    return map ? [map.buffer] : [];
  });
  return [...new Set(names)];
}
