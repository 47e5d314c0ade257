/**
 * A program with its own CUDA text. The builder compiles the text unchanged, so what surrounds it is restricted: plain file
 * names, defines that are identifiers or numbers, compiler flags from a list.
 */
import { backendOf, backends, isDigest, type Json, textBackends } from "@warpfarm/common";
import { fail, readFields, readList, readName, readObject, readOneOf, readString, show } from "../json/read-json.ts";
import { isName } from "../te/graph-error.ts";
import { type Launches, launchVersion, ptxasFlag, ptxasFlagWords, readFlags, readLaunches } from "./launch-json.ts";

export interface CudaSourceProgram extends Launches {
  readonly version: 1 | 2 | 3 | 4 | 5 | 6 | 7;
  readonly kind: "cuda_source";
  readonly target: string;
  /** File name to text. Exactly one .cu is compiled; the others are headers it may include. */
  readonly files: { readonly [name: string]: string };
  readonly defines: { readonly [name: string]: string };
  readonly flags: readonly string[];
  /** Digests of bundles, folders of headers that the text may include: searched in this order. Version 5. */
  readonly bundles?: readonly string[];
  /** The compiler to use; absent = the builder's choice. Version 6. */
  readonly compiler?: CudaCompiler;
  /**
   * For each tunable, what other values of it change. The builder refuses a program whose tunables have no effect, and one whose
   * text defines a tunable itself. Only in a kernel's default config. Version 6.
   */
  readonly tunables?: { readonly [name: string]: Varied };
}

export type Varied = {
  readonly launch: boolean;
  /** The macros with other values, as far as they differ. */
  readonly defines: readonly { readonly [name: string]: string }[];
};

export const cudaCompilers = ["nvcc", "nvrtc"] as const;
export type CudaCompiler = (typeof cudaCompilers)[number];

const file = /^[A-Za-z_]\w{0,63}\.(?:cu|cuh|h|hpp)$/;
const define = /^[\w.+-]{0,128}$/;
const flagPattern =
  /^(?:-use_fast_math|--fmad=(?:true|false)|-O[0-3]|--maxrregcount=(?:1[6-9]|[2-9]\d|1\d\d|2[0-4]\d|25[0-5])|-lineinfo|--extra-device-vectorization)$/;
/** Version 4 also accepts these. ptxas's flags follow `--ptxas-options=`. */
const newerFlag =
  /^(?:--std=c\+\+(?:14|17|20)|--ftz=(?:true|false)|--prec-div=(?:true|false)|--prec-sqrt=(?:true|false)|--restrict|--diag-suppress=\d{1,5})$/;
const ptxas = "--ptxas-options=";
const isFlag = (flag: string): boolean =>
  flagPattern.test(flag) || newerFlag.test(flag) || (flag.startsWith(ptxas) && ptxasFlag.test(flag.slice(ptxas.length)));
const flagWords =
  "-use_fast_math --fmad=true|false -O0..-O3 --maxrregcount=16..255 -lineinfo --extra-device-vectorization " +
  `--std=c++14|c++17|c++20 --ftz= --prec-div= --prec-sqrt=true|false --restrict --diag-suppress=N, and ${ptxas}FLAG with ptxas's ${ptxasFlagWords}`;

/**
 * A C++ name with template arguments: names, numbers and separators. It holds nothing that could end its line, or begin a literal
 * or a directive.
 */
const expression = /^(?:::)?[A-Za-z_][\w:<>, ()*&+-]{0,1023}$/;

function readEntry(json: Json | undefined, path: string): string {
  if (typeof json !== "string" || isName(json)) return readName(json, path);
  if (!expression.test(json))
    fail(
      path,
      `${show(json)}; a kernel's name, or a C++ name of letters, digits and _ : < > , ( ) * & + -, at most 1024 of them`,
    );
  return json;
}

/** The lowest version that can express it. */
export function sourceVersion({
  args,
  kernels,
  flags,
  constants,
  bundles,
  compiler,
  tunables,
}: Pick<
  CudaSourceProgram,
  "args" | "kernels" | "flags" | "constants" | "bundles" | "compiler" | "tunables"
>): CudaSourceProgram["version"] {
  const needed = launchVersion({ args, kernels });
  if (needed !== undefined) return needed;
  if (compiler !== undefined || tunables !== undefined) return 6;
  if (bundles !== undefined) return 5;
  if (constants !== undefined || kernels.some(({ entry }) => !isName(entry)) || flags.some((flag) => !flagPattern.test(flag)))
    return 4;
  if (kernels.some(({ args }) => args !== undefined)) return 3;
  return args.some(({ fill, tolerance }) => typeof fill === "object" || tolerance !== undefined) ? 2 : 1;
}

function readTexts(json: Json, path: string, name: RegExp, what: string): { readonly [name: string]: string } {
  return Object.fromEntries(
    Object.entries(readObject(json, path)).map(([key, text]) => {
      if (!name.test(key)) fail(path, `${show(key)} is not ${what}`);
      return [key, readString(text, `${path}.${key}`)];
    }),
  );
}

function readBundles(json: Json): readonly string[] {
  const bundles = readList(json, "bundles", readString, 8);
  if (bundles.length === 0) fail("bundles", "is empty; 1 to 8 digests, or leave it out");
  for (const [i, digest] of bundles.entries()) {
    if (!isDigest(digest)) fail(`bundles[${i}]`, `${show(digest)} is not a digest, which is sha256: and 64 hex digits`);
    if (bundles.indexOf(digest) !== i) fail(`bundles[${i}]`, `${show(digest)} is named twice`);
  }
  return bundles;
}

const mostVaried = 4;

function readVaried(json: Json): { readonly [name: string]: Varied } {
  const entries = Object.entries(readObject(json, "tunables"));
  if (entries.length === 0 || entries.length > 64) fail("tunables", `has ${entries.length} entries; 1 to 64, or leave it out`);
  return Object.fromEntries(
    entries.map(([name, one]) => {
      const path = `tunables.${readName(name, "tunables")}`;
      const { launch, defines } = readFields(one, path, ["launch", "defines"]);
      if (typeof launch !== "boolean") fail(`${path}.launch`, `${show(launch)} is not true or false`);
      const read = readList(defines, `${path}.defines`, readDefines, mostVaried);
      return [name, { launch: launch as boolean, defines: read }];
    }),
  );
}

function readDefines(json: Json, path: string): { readonly [name: string]: string } {
  const defines = readTexts(json, path, /^[A-Za-z_]\w{0,63}$/, "a name");
  for (const [name, value] of Object.entries(defines))
    if (!define.test(value)) fail(`${path}.${name}`, `${show(value)}; at most 128 letters, digits, _ . + -`);
  return defines;
}

const fields = ["version", "kind", "target", "files", "kernels", "defines", "flags", "args"] as const;

export function decodeCudaSource(json: Json, target: string): CudaSourceProgram {
  const doc = readFields(json, "program", fields, ["constants", "bundles", "compiler", "tunables"]);
  if (!backends.of(backendOf(target)).takesText)
    fail("target", `${show(target)}; CUDA source is accepted for ${textBackends().join(" and ")} targets only`);
  const files = readTexts(doc.files, "files", file, "a file name: a name with .cu, .cuh, .h or .hpp, no folders");
  const units = Object.keys(files).filter((name) => name.endsWith(".cu"));
  if (units.length !== 1) fail("files", `holds ${units.length} .cu files; exactly one is compiled`);
  const defines = readDefines(doc.defines, "defines");
  const flags = readFlags(doc.flags, isFlag, flagWords);
  const launches = readLaunches(doc, readEntry);
  const bundles = doc.bundles === undefined ? {} : { bundles: readBundles(doc.bundles) };
  const compiler = doc.compiler === undefined ? {} : { compiler: readOneOf(doc.compiler, "compiler", cudaCompilers) };
  const tunables = doc.tunables === undefined ? {} : { tunables: readVaried(doc.tunables) };
  const version = sourceVersion({ ...launches, ...bundles, ...compiler, ...tunables, flags });
  return { version, kind: "cuda_source", target, files, defines, flags, ...bundles, ...compiler, ...tunables, ...launches };
}
