/** What a caller of an exported kernel sees of its buffers: C types, parameters, offsets of workspaces. */
import { type DType, fillFor, isFloat, type ManifestBuffer, machineEpsilon } from "@warpfarm/common";
import type { ExportUnit, KernelText } from "./unit.ts";

const cTypes: Partial<Record<DType, string>> = {
  float32: "float",
  float64: "double",
  int8: "signed char",
  uint8: "unsigned char",
  int32: "int",
  int64: "long long",
};

/** The C type behind a pointer; `void` where C has no such type (float16, bfloat16, floats of 8 bits, packed integers). */
const cType = (dtype: DType): string => cTypes[dtype] ?? "void";

const reserved = new Set(
  "auto break case char const continue default do double else enum extern float for goto if inline int long register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while class delete new operator private public template this throw true false workspace stream error args dim3".split(
    " ",
  ),
);
export const parameterName = (buffer: string): string => (reserved.has(buffer) ? `${buffer}_` : buffer);

export const isWorkspace = ({ role }: ManifestBuffer): boolean => role === "workspace";
export const tensorsOf = ({ buffers }: Pick<KernelText, "buffers">): readonly ManifestBuffer[] =>
  buffers.filter((buffer) => !isWorkspace(buffer));

/** `const float *a, float *c`, in the order of the manifest's buffers. */
export const parametersOf = (text: Pick<KernelText, "buffers">): string =>
  tensorsOf(text)
    .map(({ name, dtype, role }) => `${role === "in" ? "const " : ""}${cType(dtype)} *${parameterName(name)}`)
    .join(", ");

const unit = 256;
export interface Workspaces {
  readonly bytes: number;
  /** Offset of each workspace by name, a multiple of 256. */
  readonly offsets: ReadonlyMap<string, number>;
}

export function workspacesOf({ buffers }: Pick<KernelText, "buffers">): Workspaces {
  const offsets = new Map<string, number>();
  let bytes = 0;
  for (const buffer of buffers.filter(isWorkspace)) {
    offsets.set(buffer.name, bytes);
    bytes += Math.ceil(buffer.bytes / unit) * unit;
  }
  return { bytes, offsets };
}

/** The name that a text defines for a C++ name, `::tiles::gemm<64, float>`. */
const bareName = (entry: string): string => /(\w+)\s*$/.exec(entry.replace(/<.*$/s, ""))?.[1] ?? entry;

/** Names of entry points that a text defines; each text of a library has them under a prefix of its own. */
export function entriesOf({ kernels, source }: KernelText): readonly string[] {
  const defined = Object.values(source?.files ?? {}).flatMap((file) =>
    Array.from(file.matchAll(/__global__\s+(?:void\s+|__launch_bounds__\s*\([^)]*\)\s*)*(\w+)\s*\(/g), ([, name = ""]) => name),
  );
  return [...new Set([...kernels.map(({ name }) => bareName(name)), ...defined])];
}

/** Lines that give the entry points their prefix. */
export const renamed = (text: KernelText, prefix: string): string =>
  entriesOf(text)
    .map((entry) => `#define ${entry} ${prefix}_${entry}\n`)
    .join("");

/**
 * The greatest difference of a right output from the reference: stated; exact for integers; otherwise the worst errors of K-term
 * sums.
 */
export function toleranceOf({ reference }: ExportUnit, output: ManifestBuffer): { readonly atol: number; readonly rtol: number } {
  const { tolerance, dtype, reduction } = output;
  if (tolerance !== undefined) return { atol: Number(tolerance.atol), rtol: Number(tolerance.rtol) };
  if (!isFloat(dtype)) return { atol: 0, rtol: 0 };
  const written = reference.buffers.filter(({ role, dtype: of }) => role !== "in" && isFloat(of));
  const epsilon = Math.max(machineEpsilon(dtype), ...written.map((buffer) => machineEpsilon(buffer.dtype)));
  const k = Math.max(reduction, ...written.map((buffer) => buffer.reduction));
  const [a = 1, b = 1] = reference.buffers
    .filter(({ role, dtype: of }) => role !== "out" && isFloat(of))
    .map(largest)
    .sort((x, y) => y - x);
  return { rtol: 4 * machineEpsilon(dtype), atol: epsilon * Math.max(4, k) * a * b };
}

/** Of normal values, few are further from the mean than three deviations. */
function largest({ dtype, fill: said }: ManifestBuffer): number {
  const fill = fillFor(dtype, said, "full");
  if (typeof fill !== "object" || fill.kind === "permutation" || fill.kind === "blob") return 1;
  if (fill.kind === "normal") return Math.abs(Number(fill.mean)) + 3 * Number(fill.deviation);
  const ends = fill.kind === "range" ? [fill.from, fill.to] : [fill.value];
  return Math.max(...ends.map((end) => Math.abs(Number(end)))) || 1;
}

/** Comment lines that describe the file. */
export function aboutLines({ task, args, target, config, index, program, measured, nearest }: ExportUnit): readonly string[] {
  const time = ({ seconds, device }: NonNullable<ExportUnit["measured"]>) =>
    `${(seconds * 1e6).toPrecision(4)} us${device ? ` on ${device}` : ""}`;
  const knobs = Object.entries(config).map(([knob, value]) => `${knob}=${JSON.stringify(value)}`);
  return [
    `${task} ${JSON.stringify(args)} for ${target}. Written by warpfarm export.`,
    index === undefined ? "the default schedule" : `config ${index}: ${knobs.join(" ")}`,
    `program ${program.digest}`,
    ...(measured ? [`measured: ${time(measured)}`] : []),
    ...(nearest
      ? [
          `not measured: it is the best config of the nearest measured shape ${JSON.stringify(nearest.args)}, there ${time(nearest)}`,
        ]
      : []),
  ];
}

export const comment = (lines: readonly string[]): string => lines.map((line) => `// ${line.replaceAll("*/", "* /")}\n`).join("");

export const shapeWords = ({ name, dtype, shape, role, align }: ManifestBuffer): string =>
  `${name}: ${dtype}[${shape.join("][")}], row-major, ${role}, aligned to ${align} bytes`;
