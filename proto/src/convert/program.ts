/**
 * What every package but the compiler may know of a Program: that it is a canonical document within its limits, its version, kind
 * and target. Only the compiler reads the rest (compiler/src/serial). Nothing here recurses before the depth is known.
 */
import {
  backendOf,
  backends,
  canonicalJson,
  type Digest,
  FarmError,
  isDigest,
  isTarget,
  maxProgramBytes,
  maxProgramDepth,
  programVersions,
  targetWords,
  textBackends,
  toDigest,
} from "@warpfarm/common";

const fieldsOf = {
  schedule: ["graph", "intrinsics", "kind", "target", "trace", "version"],
  cuda_source: [
    ...[
      "args",
      "bundles",
      "compiler",
      "constants",
      "defines",
      "files",
      "flags",
      "kernels",
      "kind",
      "target",
      "tunables",
      "version",
    ],
  ],
  ptx: ["args", "constants", "flags", "kernels", "kind", "target", "text", "version"],
  cubin: ["args", "code", "constants", "kernels", "kind", "target", "version"],
} as const;

export interface ProgramEnvelope {
  readonly version: number;
  readonly kind: keyof typeof fieldsOf;
  /** Build target, "cpu/x86-64-v3". */
  readonly target: string;
  readonly bundles?: readonly Digest[];
}

/** Throws INVALID_ARGUMENT with `name` and the broken rule. */
export function programEnvelope(name: string, bytes: Uint8Array): ProgramEnvelope {
  const refuse = (why: string): never => {
    throw new FarmError("INVALID_ARGUMENT", `${name}: ${why}`);
  };
  if (bytes.length > maxProgramBytes) refuse(`${bytes.length} bytes; at most ${maxProgramBytes}`);
  if (nesting(bytes) > maxProgramDepth) refuse(`nested deeper than ${maxProgramDepth}`);
  const text = Buffer.from(bytes).toString();
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return refuse("not JSON");
  }
  if (json === null || typeof json !== "object" || Array.isArray(json)) return refuse("not a JSON object");
  const { version, kind, target, bundles } = json as Readonly<Record<string, unknown>>;
  if (typeof version !== "number" || !programVersions.some((one) => one === version))
    return refuse(
      `version is ${String(JSON.stringify(version)).slice(0, 60)}; this farm reads versions ${programVersions.join(", ")}`,
    );
  if (!isKind(kind)) return refuse(`kind is not one of ${Object.keys(fieldsOf).join(", ")}`);
  const known: readonly string[] = fieldsOf[kind];
  for (const key of Object.keys(json)) if (!known.includes(key)) refuse(`unknown field ${JSON.stringify(key.slice(0, 60))}`);
  if (typeof target !== "string" || !isTarget(target)) return refuse(`target is not one of ${targetWords()}`);
  if (kind !== "schedule" && !backends.of(backendOf(target)).takesText)
    refuse(`kind "${kind}" with target ${target}; source text and code are taken for ${textBackends().join(" and ")} only`);
  if (canonicalOf(json) !== text) refuse("not canonical JSON (RFC 8785)");
  if (bundles === undefined) return { version, kind, target };
  if (!Array.isArray(bundles) || !bundles.every((digest): digest is string => typeof digest === "string" && isDigest(digest)))
    return refuse("bundles is no list of digests");
  return { version, kind, target, bundles: bundles.map(toDigest) };
}

const isKind = (kind: unknown): kind is ProgramEnvelope["kind"] => typeof kind === "string" && Object.hasOwn(fieldsOf, kind);

function canonicalOf(json: unknown): string | undefined {
  try {
    return canonicalJson(json);
  } catch {
    return undefined; // a lone surrogate, or a number that JSON cannot carry such as -0
  }
}

function nesting(bytes: Uint8Array): number {
  let depth = 0;
  let deepest = 0;
  let inString = false;
  for (let i = 0; i < bytes.length; i++) {
    const c = bytes[i];
    if (inString) {
      if (c === 0x5c) i++;
      else if (c === 0x22) inString = false;
    } else if (c === 0x22) inString = true;
    else if (c === 0x5b || c === 0x7b) deepest = Math.max(deepest, ++depth);
    else if (c === 0x5d || c === 0x7d) depth--;
  }
  return deepest;
}
