/**
 * The artifact manifest as a document: canonical JSON whose digest names the artifact. Reading is strict. An unknown field,
 * another version or a form that is not canonical is refused with its path, so everybody reads a digest's manifest alike.
 */
import {
  type ArtifactDigest,
  type ArtifactFormat,
  type ArtifactManifest,
  canonicalJson,
  digestOf,
  dtypeBytes,
  dtypes,
  err,
  fillFault,
  interleaves,
  isDigest,
  isTarget,
  l2Promotions,
  type ManifestArg,
  type ManifestBuffer,
  manifestVersions,
  numberOf,
  ok,
  outOfBounds,
  type Result,
  scalarTypes,
  sharings,
  stageBinaries,
  stageUnaries,
  structBytes,
  sumsFault,
  swizzles,
  targetWords,
  tensorMapFault,
  tensorMapTypes,
  toArtifactDigest,
  toDigest,
  toProgramDigest,
  undetermined,
} from "@warpfarm/common";
import { z } from "zod";

const maxManifestBytes = 1 << 20;

/** The fault of a document, and its place: `kernels[0].grid[2]: ...`. */
export interface DocumentError {
  readonly path: string;
  readonly message: string;
}

const name = z.string().regex(/^[A-Za-z_]\w{0,63}$/, "a name [A-Za-z_]\\w{0,63}");
/** The name of a kernel. Compilers make long names of C++ names. */
const symbol = z.string().regex(/^[A-Za-z_$][\w$.]{0,1023}$/, "a symbol [A-Za-z_$][\\w$.]{0,1023}");
const digestText = z.string().refine(isDigest, "sha256:<64 lower-case hex digits>");
const digest = digestText.transform(toDigest);
const numeral = z.string().refine((text) => numberOf(text) !== undefined, "a finite number as ECMAScript prints it");
const fill = z.union([
  z.literal("zeros"),
  z.discriminatedUnion("kind", [
    z.strictObject({ kind: z.literal("range"), from: numeral, to: numeral }),
    z.strictObject({ kind: z.literal("permutation") }),
    z.strictObject({ kind: z.literal("constant"), value: numeral }),
    z.strictObject({ kind: z.literal("normal"), mean: numeral, deviation: numeral }),
    z.strictObject({ kind: z.literal("blob"), digest: digestText }),
  ]),
]);
const count = (max: number, min = 0) => z.int().min(min).max(max);
const dim3 = z.tuple([count(2 ** 31 - 1, 1), count(2 ** 31 - 1, 1), count(2 ** 31 - 1, 1)]);

const step = z.union([
  z.tuple([z.literal("load"), name, z.enum(sharings)]),
  z.tuple([z.literal("constant"), z.enum(dtypes), z.string().max(64)]),
  z.tuple([z.literal("index"), count(2 ** 31 - 1, 1)]),
  z.tuple([z.literal("cast"), z.enum(dtypes)]),
  z.tuple([z.enum([...stageBinaries, ...stageUnaries, "truth"])]),
]);
const stage = z.strictObject({
  name,
  dtype: z.enum(dtypes),
  combine: z.enum(["sum", "prod", "max", "min"]).exactOptional(),
  terms: count(2 ** 53 - 1, 1),
  steps: count(2 ** 31 - 1, 1).exactOptional(),
  decay: z.array(step).min(1).max(4096).exactOptional(),
  body: z.array(step).min(1).max(4096),
});

const struct = z.strictObject({ bytes: z.string().regex(structBytes) });
const scalarArg = z.strictObject({ scalar: z.enum(scalarTypes), value: numeral });
const arg = z.union([name, z.strictObject({ map: count(15) }), scalarArg, struct], {
  error: () =>
    `a buffer's name, {"map"} from 0 to 15, {"scalar","value"} of ${scalarTypes.join(", ")}, or {"bytes"} in hexadecimal digits`,
});
const attribute = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("dependent") }),
  z.strictObject({ kind: z.literal("cooperative") }),
  z.strictObject({ kind: z.literal("cluster_scheduling"), policy: z.enum(["spread", "load_balancing"]) }),
  z.strictObject({ kind: z.literal("shared_carveout"), percent: count(100) }),
]);
const perDimension = (max: number) => z.array(count(max, 1)).min(1).max(5);
const corners = z.array(z.int().min(-32_768).max(32_767)).min(1).max(3);
const map = z.strictObject({
  buffer: name,
  type: z.enum(tensorMapTypes),
  dims: perDimension(2 ** 32),
  strides_bytes: z.array(count(2 ** 40 - 1, 1)).max(4),
  box: perDimension(1024),
  element_strides: perDimension(8),
  im2col: z.strictObject({ lower: corners, upper: corners }).exactOptional(),
  swizzle: z.literal(swizzles),
  interleave: z.literal(interleaves),
  l2: z.literal(l2Promotions),
  oob: z.enum(outOfBounds),
});

const manifestSchema = z.strictObject({
  version: z.literal(manifestVersions, {
    error: ({ input }) => `${JSON.stringify(input)}; this reader knows ${manifestVersions.join(", ")}`,
  }),
  program: digestText.transform(toProgramDigest),
  target: z.string().refine(isTarget, { error: () => `one of the targets ${targetWords()}` }),
  format: z.enum(["cubin", "ptx", "so"]),
  code: digest,
  kernels: z
    .array(
      z.strictObject({
        name: symbol,
        grid: dim3,
        block: dim3,
        dynamic_shared_bytes: count(1 << 24),
        cluster: dim3,
        args: z.array(arg).max(256),
        attributes: z.array(attribute).min(1).max(8).exactOptional(),
      }),
    )
    .min(1)
    .max(256),
  buffers: z
    .array(
      z.strictObject({
        name,
        dtype: z.enum(dtypes),
        shape: z.array(count(2 ** 40, 1)).max(16),
        bytes: count(2 ** 40),
        align: count(1 << 20, 1),
        role: z.enum(["in", "out", "inout", "workspace"]),
        reduction: count(2 ** 53 - 1, 1),
        fill: fill.exactOptional(),
        tolerance: z.strictObject({ atol: numeral, rtol: numeral }).exactOptional(),
        sum_over: z.array(count(15)).min(1).max(16).exactOptional(),
        deterministic: z.literal(true).exactOptional(),
      }),
    )
    .max(256),
  constants: z
    .array(z.strictObject({ symbol, buffer: name }))
    .min(1)
    .max(64)
    .exactOptional(),
  maps: z.array(map).min(1).max(16).exactOptional(),
  resources: z.strictObject({ registers: count(65_536), spill_bytes: count(2 ** 31 - 1), static_shared_bytes: count(1 << 24) }),
  toolchain: z.string().max(256),
  notes: z.array(z.strictObject({ rule: z.string().max(128), message: z.string().max(1024) })).max(256),
  stages: z.array(stage).min(1).max(256).exactOptional(),
});

export function encodeManifest(manifest: ArtifactManifest): { readonly digest: ArtifactDigest; readonly bytes: Uint8Array } {
  const bytes = Buffer.from(canonicalJson(manifest));
  return { digest: toArtifactDigest(digestOf(bytes)), bytes };
}

/** `a.b[0].c` of a zod path; the document itself is `manifest`. */
function pathText(path: readonly PropertyKey[]): string {
  return path.reduce<string>((at, key) => (typeof key === "number" ? `${at}[${key}]` : `${at}.${String(key)}`), "manifest");
}

export function decodeManifest(bytes: Uint8Array): Result<ArtifactManifest, DocumentError> {
  const refuse = (message: string, path = "manifest") => err({ path, message });
  if (bytes.length > maxManifestBytes) return refuse(`${bytes.length} bytes; at most ${maxManifestBytes}`);
  const text = Buffer.from(bytes).toString();
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return refuse("not JSON");
  }
  const parsed = manifestSchema.safeParse(json);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    const unknown = issue?.code === "unrecognized_keys" ? issue.keys[0] : undefined;
    return unknown === undefined
      ? refuse(issue?.message ?? "invalid", pathText(issue?.path ?? []))
      : refuse("unknown field", pathText([...(issue?.path ?? []), unknown]));
  }
  const manifest: ArtifactManifest = parsed.data;
  const fault = consistency(manifest);
  if (fault) return err(fault);
  if (canonicalJson(manifest) !== text) return refuse("not canonical JSON (RFC 8785)");
  return ok(manifest);
}

/** Rules beyond single fields: names agree, and sizes hold their shapes. */
function consistency(m: ArtifactManifest): DocumentError | undefined {
  const seen = new Set<string>();
  for (const [i, b] of m.buffers.entries()) {
    const path = `manifest.buffers[${i}]`;
    if (seen.has(b.name)) return { path: `${path}.name`, message: `"${b.name}" is there twice` };
    seen.add(b.name);
    const need = dtypeBytes(
      b.dtype,
      b.shape.reduce((n, d) => n * d, 1),
    );
    if (b.bytes < need) return { path: `${path}.bytes`, message: `${b.bytes}; ${b.dtype}[${b.shape}] needs ${need}` };
    const unfit = fillUnfit(b, m.format);
    if (unfit !== undefined) return { path: `${path}.fill`, message: unfit };
    const sums = sumsFault(b, b.sum_over);
    if (sums !== undefined) return { path: `${path}.sum_over`, message: sums };
    if (b.deterministic && b.role !== "out") return { path: `${path}.deterministic`, message: undetermined(b.role) };
    if ((b.align & (b.align - 1)) !== 0) return { path: `${path}.align`, message: `${b.align} is not a power of two` };
  }
  const wrong = mapsFault(m) ?? kernelsFault(m, seen) ?? constantsFault(m, seen);
  if (wrong) return wrong;
  for (const [i, { name, body }] of (m.stages ?? []).entries()) {
    const read = [name, ...body.flatMap((one) => (one[0] === "load" ? [one[1]] : []))];
    const missing = read.find((tensor) => !seen.has(tensor));
    if (missing !== undefined) return { path: `manifest.stages[${i}]`, message: `no buffer "${missing}"` };
  }
  return undefined;
}

function fillUnfit({ dtype, shape, role, fill }: ManifestBuffer, format: ArtifactFormat): string | undefined {
  if (typeof fill !== "object") return undefined;
  if (fill.kind !== "blob") return fillFault(dtype, shape, fill);
  if (role === "out") return "an output cannot be filled; a blob fills an input or a workspace";
  return format === "so" ? "only code for GPUs, cubin and ptx, takes a blob" : undefined;
}

const buffersAlone = "the kernels of a shared object take buffers alone";

function mapsFault({ maps = [], buffers, format }: ArtifactManifest): DocumentError | undefined {
  if (format === "so" && maps.length > 0) return { path: "manifest.maps", message: buffersAlone };
  for (const [i, map] of maps.entries()) {
    const path = `manifest.maps[${i}]`;
    const buffer = buffers.find(({ name }) => name === map.buffer);
    if (!buffer) return { path: `${path}.buffer`, message: `no buffer "${map.buffer}"` };
    const message = tensorMapFault(map, buffer);
    if (message !== undefined) return { path, message };
  }
  return undefined;
}

function constantsFault({ constants = [], format }: ArtifactManifest, names: ReadonlySet<string>): DocumentError | undefined {
  if (format === "so" && constants.length > 0) return { path: "manifest.constants", message: buffersAlone };
  const missing = constants.findIndex(({ buffer }) => !names.has(buffer));
  return missing < 0
    ? undefined
    : { path: `manifest.constants[${missing}].buffer`, message: `no buffer "${constants[missing]?.buffer}"` };
}

function kernelsFault(m: ArtifactManifest, names: ReadonlySet<string>): DocumentError | undefined {
  for (const [i, { args, attributes = [] }] of m.kernels.entries()) {
    const path = `manifest.kernels[${i}]`;
    for (const [j, arg] of args.entries()) {
      const message = argFault(arg, m, names);
      if (message !== undefined) return { path: `${path}.args[${j}]`, message };
    }
    const kinds = attributes.map(({ kind }) => kind);
    const twice = kinds.find((kind, j) => kinds.indexOf(kind) !== j);
    if (twice !== undefined) return { path: `${path}.attributes`, message: `${twice} is there twice` };
    if (i === 0 && kinds.includes("dependent"))
      return { path: `${path}.attributes`, message: "the first kernel depends on none of its run" };
    if (m.format === "so" && kinds.length > 0)
      return { path: `${path}.attributes`, message: "the kernels of a shared object are called, not launched" };
  }
  return undefined;
}

function argFault(arg: ManifestArg, { maps = [], format }: ArtifactManifest, names: ReadonlySet<string>): string | undefined {
  if (typeof arg === "string") return names.has(arg) ? undefined : `no buffer "${arg}"`;
  if (format === "so") return buffersAlone;
  if ("map" in arg) return arg.map < maps.length ? undefined : `no map ${arg.map}; there are ${maps.length}`;
  if ("bytes" in arg) return undefined;
  return fillFault(arg.scalar, [1], { kind: "constant", value: arg.value });
}
