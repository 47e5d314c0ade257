/**
 * The artifact manifest as a document: canonical JSON whose digest names the artifact (design §3a). Reading is strict: an unknown field,
 * another version or a form that is not canonical is refused with its path, so a digest has one reading everywhere.
 */
import {
  type ArtifactDigest,
  type ArtifactManifest,
  canonicalJson,
  digestOf,
  dtypeBytes,
  dtypes,
  err,
  fillFault,
  isDigest,
  isTarget,
  manifestVersionOf,
  manifestVersions,
  numberOf,
  ok,
  type Result,
  sharings,
  stageBinaries,
  stageUnaries,
  targetWords,
  toArtifactDigest,
  toDigest,
  toProgramDigest,
} from "@warpfarm/common";
import { z } from "zod";

const maxManifestBytes = 1 << 20;

/** What is wrong with a document, and where: `kernels[0].grid[2]: ...`. */
export interface DocumentError {
  readonly path: string;
  readonly message: string;
}

const name = z.string().regex(/^[A-Za-z_]\w{0,63}$/, "a name [A-Za-z_]\\w{0,63}");
const digestText = z.string().refine(isDigest, "sha256:<64 lower-case hex digits>");
const digest = digestText.transform(toDigest);
const numeral = z.string().refine((text) => numberOf(text) !== undefined, "a finite number as ECMAScript prints it");
const fill = z.union([
  z.literal("zeros"),
  z.discriminatedUnion("kind", [
    z.strictObject({ kind: z.literal("range"), from: numeral, to: numeral }),
    z.strictObject({ kind: z.literal("permutation") }),
    z.strictObject({ kind: z.literal("constant"), value: numeral }),
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
  combine: z.enum(["sum", "max", "min"]).exactOptional(),
  terms: count(2 ** 53 - 1, 1),
  body: z.array(step).min(1).max(4096),
});

const manifestSchema = z.strictObject({
  version: z.literal(manifestVersions),
  program: digestText.transform(toProgramDigest),
  target: z.string().refine(isTarget, { error: () => `one of the targets ${targetWords()}` }),
  format: z.enum(["cubin", "ptx", "so"]),
  code: digest,
  kernels: z
    .array(
      z.strictObject({
        name,
        grid: dim3,
        block: dim3,
        dynamic_shared_bytes: count(1 << 24),
        cluster: dim3,
        args: z.array(name).max(256),
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
      }),
    )
    .max(256),
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

/** What single fields cannot say: names agree, sizes hold their shapes. */
function consistency(m: ArtifactManifest): DocumentError | undefined {
  const least = manifestVersionOf(m);
  if (m.version !== least) return { path: "manifest.version", message: `${m.version}; what it says is version ${least}` };
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
    const unfit = typeof b.fill === "object" ? fillFault(b.dtype, b.shape, b.fill) : undefined;
    if (unfit !== undefined) return { path: `${path}.fill`, message: unfit };
    if ((b.align & (b.align - 1)) !== 0) return { path: `${path}.align`, message: `${b.align} is not a power of two` };
  }
  for (const [i, k] of m.kernels.entries())
    for (const [j, arg] of k.args.entries())
      if (!seen.has(arg)) return { path: `manifest.kernels[${i}].args[${j}]`, message: `no buffer "${arg}"` };
  for (const [i, { name, body }] of (m.stages ?? []).entries()) {
    const read = [name, ...body.flatMap((one) => (one[0] === "load" ? [one[1]] : []))];
    const missing = read.find((tensor) => !seen.has(tensor));
    if (missing !== undefined) return { path: `manifest.stages[${i}]`, message: `no buffer "${missing}"` };
  }
  return undefined;
}
