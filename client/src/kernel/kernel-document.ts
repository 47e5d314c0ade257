/** A kernel as one document that travels: its text and headers, its spec, its reference, and its bundles by their digests. */
import {
  type Bundle,
  badInput,
  canonicalJson,
  type Digest,
  defined,
  dtypes,
  type FarmError,
  type Json,
  textBackends,
  toDigest,
  toProgramDigest,
} from "@warpfarm/common";
import { z } from "@warpfarm/records/schema";
import { type KernelSource, type ReferenceSource, uploadsOf } from "./kernel-task.ts";
import { referenceFrom } from "./reference.ts";
import { readSpec } from "./spec.ts";
import type { TensorValues, ValuesByName } from "./tensor-values.ts";

const digest = z.string().regex(/^sha256:[0-9a-f]{64}$/);
const value = z.json() as z.ZodType<Json>;
const values = z.record(
  z.string(),
  z.strictObject({ word: z.string(), type: z.string(), dtypes: z.array(z.enum(dtypes)), shape: z.array(z.int().min(0)), digest }),
);
const reference = z.union([
  z.strictObject({
    get kernel() {
      return document;
    },
  }),
  z.strictObject({ template: z.string(), args: value.optional() }),
  z.strictObject({ program: z.string(), digest }),
  z.strictObject({ outputs: values }),
  z.strictObject({ config: z.union([z.int().min(0), z.record(z.string(), z.union([z.number(), z.string(), z.boolean()]))]) }),
]);
const document = z.strictObject({
  version: z.literal(1),
  kind: z.enum(["cuda_source", "ptx", "cubin"]),
  name: z.string(),
  word: z.string(),
  files: z.record(z.string(), z.string()),
  spec: value,
  bundles: z.array(digest).max(8),
  lenient: z.literal(true).optional(),
  values: values.optional(),
  reference: reference.optional(),
});
type Document = z.output<typeof document>;

/** Throws FarmError for a kernel whose reference is a user's template, which is a module and not data. */
export const encodeKernel = (source: KernelSource): Uint8Array => new TextEncoder().encode(canonicalJson(documentOf(source)));

function documentOf(source: KernelSource): Document {
  const { kind, name, word, files, spec, bundles = [], lenientDefault, values: given, referenceSource } = source;
  return {
    version: 1,
    kind,
    name,
    word,
    files: { ...files },
    spec: JSON.parse(JSON.stringify(spec)) as Json,
    bundles: bundles.map((bundle) => bundle.digest),
    ...(lenientDefault ? { lenient: true as const } : {}),
    ...(given ? { values: valuesJson(given) } : {}),
    ...(referenceSource ? { reference: referenceJson(referenceSource, word) } : {}),
  };
}

const valuesJson = (given: ValuesByName): z.output<typeof values> =>
  Object.fromEntries(
    Object.entries(given).map(([name, { word, type, dtypes: fit, shape, digest: of }]) => [
      name,
      { word, type, dtypes: [...fit], shape: [...shape], digest: of },
    ]),
  );

async function valuesIn(read: z.output<typeof values>, fetch: Fetch): Promise<ValuesByName> {
  const found: Record<string, TensorValues> = {};
  for (const [name, { digest: text, ...rest }] of Object.entries(read)) {
    const of = toDigest(text);
    found[name] = { ...rest, digest: of, bytes: await fetch(of) };
  }
  return found;
}

function referenceJson(source: ReferenceSource, word: string): NonNullable<Document["reference"]> {
  if ("kernel" in source) return { kernel: documentOf(source.kernel) };
  if ("outputs" in source) return { outputs: valuesJson(source.outputs) };
  if ("config" in source) return { config: typeof source.config === "number" ? source.config : { ...source.config } };
  if ("program" in source) return { program: Buffer.from(source.program.bytes).toString("utf8"), digest: source.program.digest };
  const { template, args } = source;
  if (typeof template !== "string")
    throw badInput(
      `${word}: its reference is the template file ${template.file ?? template.name}, which does not travel; name a shipped template, another kernel or a program`,
    );
  return { template, ...(args === undefined ? {} : { args }) };
}

type Fetch = (digest: Digest) => Promise<Uint8Array>;

/** Throws FarmError. */
export async function decodeKernel(bytes: Uint8Array, fetch: Fetch): Promise<KernelSource> {
  let json: unknown;
  try {
    json = JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    throw bad("it is not JSON");
  }
  const read = document.safeParse(json);
  if (!read.success) throw bad(read.error.issues[0]?.message ?? "");
  return sourceOf(read.data, fetch);
}

async function sourceOf(read: Document, fetch: Fetch): Promise<KernelSource> {
  const spec = readSpec(read.spec);
  if (!spec.ok) throw bad(spec.error);
  const bundles: Bundle[] = [];
  for (const text of read.bundles) bundles.push({ digest: toDigest(text), bytes: await fetch(toDigest(text)) });
  const source: KernelSource = {
    kind: read.kind,
    name: read.name,
    word: read.word,
    files: read.files,
    spec: spec.value,
    targets: textBackends().map((kind) => ({ kind })),
    bundles,
    ...(read.lenient ? { lenientDefault: true } : {}),
    ...(read.values ? { values: await valuesIn(read.values, fetch) } : {}),
  };
  if (read.reference === undefined) return source;
  const referenceSource = await referenceIn(read.reference, fetch);
  const uploadsOfReference = "kernel" in referenceSource ? uploadsOf(referenceSource.kernel) : [];
  return { ...source, referenceSource, ...defined({ reference: referenceFrom(referenceSource) }), uploadsOfReference };
}

async function referenceIn(said: NonNullable<Document["reference"]>, fetch: Fetch): Promise<ReferenceSource> {
  if ("outputs" in said) return { outputs: await valuesIn(said.outputs, fetch) };
  if ("config" in said) return { config: said.config };
  if ("kernel" in said) return { kernel: await sourceOf(said.kernel, fetch) };
  if ("program" in said) return { program: { digest: toProgramDigest(said.digest), bytes: Buffer.from(said.program) } };
  return { template: said.template, args: said.args };
}

const bad = (why: string): FarmError => badInput(`it is not a kernel document: ${why}`);
