/**
 * Reads a kernel from its files: the .cu with the headers next to it that it includes in quotes, the .ptx or the .cubin, and its
 * spec. Throws FarmError with one sentence.
 */
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { type Bundle, badInput, defined, type FarmError, type Json, ok, textBackends, unreadable } from "@warpfarm/common";
import { readYaml } from "../task/read-yaml.ts";
import { type HeaderFolder, headersWords, readBundle } from "./bundles.ts";
import { fromForeign, isForeign } from "./foreign-spec.ts";
import { type KernelSource, uploadsOf } from "./kernel-task.ts";
import { rangesOf } from "./ranges.ts";
import { type Reach, reached } from "./reach.ts";
import { readReference, referenceFrom } from "./reference.ts";
import { isTensor, type KernelSpec, readSpec, type SpecReference } from "./spec.ts";
import { type PlaceOf, placesIn } from "./spec-lines.ts";
import { inputValues, type ValuesByName } from "./tensor-values.ts";

/** The most bytes of all files together. A program has at most a mebibyte. */
const mostBytes = 1 << 20;

const ends = [".yaml", ".yml", ".json"];
const specNames = (path: string): readonly string[] => ends.map((end) => path.replace(/\.(?:cu|ptx|cubin)$/, end));

/** A launch from the command line, in place of a spec for a kernel without tunables. */
export interface Launch {
  readonly entry: string;
  readonly grid: readonly (number | string)[];
  readonly block: readonly (number | string)[];
  readonly shared_bytes: number;
  readonly cluster: readonly number[];
  readonly cooperative: boolean;
  readonly flags: readonly string[];
  readonly args: Json;
  readonly argsFile?: { readonly name: string; readonly text: string };
}

interface KernelFiles {
  readonly path: string;
  readonly word: string;
  /** Absolute path. Without it, and without a launch, the spec has the kernel's name and is next to it. */
  readonly specPath?: string;
  readonly launch?: Launch;
  /** The user's own reference, which replaces the spec's. Relative to the folder `cwd`. */
  readonly reference?: { readonly said: SpecReference; readonly cwd: string };
  readonly allowed?: readonly string[];
}

export async function loadKernel({ path, word, specPath, launch, reference, allowed = [] }: KernelFiles): Promise<KernelSource> {
  const { json: said, from, placeOf } = launch ? ofLaunch(launch, word) : await specFile(path, word, specPath);
  const refuse = (why: string) => badInput(`${placeOf(why) ?? basename(from)}: ${why}`);
  const { kind, files } = await codeOf(path, allowed);
  const text = files[fileName(path)] ?? "";
  const foreign = isForeign(said) ? fromForeign(said, text) : undefined;
  if (foreign?.ok === false) throw refuse(foreign.error);
  const { json, values: generated, ...theirs } = foreign?.value ?? { json: said, values: {} };
  const ranges = kind === "cuda_source" && !launch ? rangesOf(text, basename(path)) : ok({});
  if (!ranges.ok) throw badInput(ranges.error);
  const spec = readSpec(withRanges(json, ranges.value));
  if (!spec.ok) throw refuse(spec.error);
  if (spec.value.compiler !== undefined && kind !== "cuda_source")
    throw refuse("compiler is for CUDA text only; PTX is assembled, and a cubin is used as it is");
  const name = spec.value.name ?? basename(path).replace(/\.\w+$/, "");
  const targets = textBackends().map((backend) => ({ kind: backend }));
  const textFolder = dirname(path);
  const reach: Reach = { folder: launch ? textFolder : dirname(from), allowed, of: "the spec" };
  const folders = await bundlesOf(spec.value, { kind, files, reach, textFolder }, refuse);
  const args = spec.value.args.flatMap((arg) => (isTensor(arg) ? [arg] : []));
  const fromFiles = await inputValues(args, reach).catch((error: Error) => {
    throw refuse(error.message);
  });
  const values = { ...generated, ...fromFiles };
  const given = Object.keys(values).length > 0 ? { values } : {};
  const bundles = folders.map(({ digest, bytes }) => ({ digest, bytes }));
  const sent = [
    Object.keys(files).join(", "),
    ...folders.map((headers, i) => headersWords(headers, spec.value.includes?.[i] ?? "")),
    ...tensorsWords(fromFiles),
  ];
  const source = { kind, ...theirs, name, word, targets, spec: spec.value, files, bundles, placeOf, sent, ...given };
  const compared = reference ?? (spec.value.reference && { said: spec.value.reference });
  if (compared === undefined) return source;
  const theirUploads: Bundle[] = [];
  const theirFiles: string[] = [];
  const other = async (file: string, called: string, itsSpec: string | undefined) => {
    const loaded = await loadKernel({ path: file, word: called, allowed, ...defined({ specPath: itsSpec }) });
    theirUploads.push(...uploadsOf(loaded));
    theirFiles.push(...(loaded.sent ?? []));
    return loaded;
  };
  const outputs = args.flatMap((arg) => (arg.role === "out" || arg.role === "inout" ? [arg.name] : []));
  const placesOf = reference ? ({ folder: reference.cwd, allowed: "everything", of: "the command" } as const) : reach;
  const referenceSource = await readReference(compared.said, placesOf, outputs, other);
  // Names that a foreign spec lacks are added here.
  const { notes: _, ...named } = source;
  return {
    ...named,
    referenceSource,
    ...defined({ reference: referenceFrom(referenceSource) }),
    uploadsOfReference: theirUploads,
    sent: [
      ...sent,
      ...theirFiles,
      ...("outputs" in referenceSource ? tensorsWords(referenceSource.outputs) : []),
      ...("program" in referenceSource ? [compared.said.program ?? ""] : []),
    ],
  };
}

const tensorsWords = (values: ValuesByName): readonly string[] =>
  Object.entries(values).map(([name, { word, bytes }]) => `${word} for ${name} (${Math.ceil(bytes.length / 1024)} KiB)`);

/** A program's files are in one folder and have plain names. A bundle has folders and most names. */
const plainName = /^[A-Za-z_]\w{0,63}\.(?:cu|cuh|h|hpp)$/;

const fileName = (path: string): string => {
  const name = basename(path)
    .replace(/\.cu$/, "")
    .replace(/\W/g, "_")
    .replace(/^(?=\d)/, "_");
  return path.endsWith(".cu") ? `${name.slice(0, 64)}.cu` : basename(path);
};

const includedBy = (text: string): readonly string[] => [...text.matchAll(includeLine)].map(([, included = ""]) => included);

interface Included {
  readonly kind: KernelSource["kind"];
  readonly files: KernelSource["files"];
  readonly reach: Reach;
  readonly textFolder: string;
}

async function bundlesOf(
  { includes = [] }: KernelSpec,
  { kind, files, reach, textFolder }: Included,
  refuse: (why: string) => FarmError,
): Promise<readonly HeaderFolder[]> {
  if (includes.length > 0 && kind !== "cuda_source")
    throw refuse("includes are for CUDA text only; PTX and cubins include nothing");
  const below =
    includes.length > 0
      ? undefined
      : Object.values(files)
          .flatMap(includedBy)
          .find((file) => !plainName.test(file) && existsSync(join(textFolder, file)));
  if (below !== undefined) {
    const why = below.includes("/") ? "which is in a folder" : "whose name has more than letters, digits, _ and .cuh, .h or .hpp";
    throw refuse(`the text includes ${below}, ${why}; write includes: [.] to send the headers here and below as one bundle`);
  }
  const folders: HeaderFolder[] = [];
  for (const word of includes) {
    const folder = await reached(reach, word, (why) => refuse(`includes: ${why}`));
    folders.push(await readBundle(folder, word));
  }
  return folders;
}

function withRanges(json: unknown, ranges: Readonly<Record<string, readonly number[]>>): unknown {
  if (Object.keys(ranges).length === 0 || typeof json !== "object" || json === null || Array.isArray(json)) return json;
  const { tunables = {} } = json as { readonly tunables?: object };
  return { ...json, tunables: { ...ranges, ...tunables } };
}

const specOf = ({ entry, grid, block, shared_bytes, cluster, cooperative, flags, args }: Launch): Json => ({
  args,
  flags: [...flags],
  kernels: [{ entry, grid: [...grid], block: [...block], shared_bytes, cluster: [...cluster], cooperative }],
});

interface SpecFile {
  readonly json: unknown;
  readonly from: string;
  readonly placeOf: PlaceOf;
}

const ofLaunch = (launch: Launch, word: string): SpecFile => ({
  json: specOf(launch),
  from: word,
  placeOf: launch.argsFile ? placesIn(launch.argsFile.text, launch.argsFile.name, "args") : () => undefined,
});

async function specFile(path: string, word: string, specPath: string | undefined): Promise<SpecFile> {
  const written = specPath ?? [".ts", ".mts"].map((end) => path.replace(/\.\w+$/, end)).find((file) => existsSync(file));
  if (written !== undefined && /\.[mc]?[jt]s$/.test(written)) {
    const { loadModule } = await import("../task/template-file.ts");
    const json = (await loadModule(written, basename(written))).default;
    return { json, from: written, placeOf: () => undefined };
  }
  const { text, from } = await readSpecText(path, word, specPath);
  return { json: await readYaml(basename(from), text), from, placeOf: placesIn(text, basename(from)) };
}

async function codeOf(path: string, allowed: readonly string[]): Promise<Pick<KernelSource, "kind" | "files">> {
  if (path.endsWith(".cu")) return { kind: "cuda_source", files: await sourcesOf(path, allowed) };
  const bytes = await readFile(path).catch(unreadable(path));
  if (bytes.length > mostBytes)
    throw badInput(`${basename(path)} has ${bytes.length} bytes; a program takes ${mostBytes} at most`);
  const name = basename(path);
  return path.endsWith(".ptx")
    ? { kind: "ptx", files: { [name]: bytes.toString("utf8") } }
    : { kind: "cubin", files: { [name]: bytes.toString("base64") } };
}

async function readSpecText(path: string, word: string, specPath: string | undefined): Promise<{ text: string; from: string }> {
  const names = specPath === undefined ? specNames(path) : [specPath];
  for (const from of names) {
    const text = await readFile(from, "utf8").catch((error: NodeJS.ErrnoException) => {
      return error.code === "ENOENT" ? undefined : unreadable(from)(error);
    });
    if (text !== undefined) return { text, from };
  }
  if (specPath !== undefined) throw badInput(`--spec: there is no ${specPath}`);
  throw badInput(
    `${word} needs a spec, which says what is tuned and how it is launched: ${names.map((name) => basename(name)).join(" or ")} beside it, or --spec FILE`,
  );
}

const includeLine = /^[ \t]*#[ \t]*include[ \t]*"([^"\n]+)"/gm;

/** The text, and the headers next to it that it includes in quotes. */
async function sourcesOf(path: string, allowed: readonly string[]): Promise<Record<string, string>> {
  const reach: Reach = { folder: dirname(path), allowed, of: "the text" };
  const files: Record<string, string> = {};
  const main = basename(path);
  const open = [main];
  let bytes = 0;
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    const isMain = Object.keys(files).length === 0;
    if (name in files || (name === main && !isMain)) continue;
    const file = isMain ? path : await reached(reach, name, (why) => badInput(`${main}: ${why}`));
    const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
      return error.code === "ENOENT" && !isMain ? undefined : unreadable(file)(error);
    });
    if (text === undefined) continue;
    bytes += Buffer.byteLength(text);
    if (bytes > mostBytes)
      throw badInput(`${basename(path)} and the headers it includes have over ${mostBytes} bytes; a program takes no more`);
    files[isMain ? fileName(path) : name] = text;
    open.push(...includedBy(text).filter((included) => plainName.test(included)));
  }
  return files;
}
