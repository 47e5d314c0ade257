/** Where NVRTC and the programs of a toolkit may be. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { run } from "../collect.ts";

/** Of what a compiler says. */
export const logBytes = 256 * 1024;

/** Supported major versions, the newest first. Version 11's library name has the minor version that introduced it. */
const sonames = ["libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2"] as const;

export interface ToolkitPlaces {
  readonly homes: readonly string[];
  readonly list: (folder: string) => readonly string[];
}

export function cudaHomes(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  const { CUDA_HOME = "", CUDA_PATH = "", LD_LIBRARY_PATH = "" } = env;
  return [CUDA_HOME, CUDA_PATH, ...LD_LIBRARY_PATH.split(":")].filter((folder) => folder.startsWith("/"));
}

export const filesOf = (folder: string): readonly string[] => {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
};

/** Roots of toolkits: the operator's, the usual link, versioned folders (newest first), distributions'. */
export function toolkitRoots({ homes, list }: ToolkitPlaces): readonly string[] {
  const versioned = list("/usr/local")
    .filter((name) => /^cuda-\d+(\.\d+)?$/.test(name))
    .sort((a, b) => Number(b.slice(5)) - Number(a.slice(5)))
    .map((name) => join("/usr/local", name));
  return [...new Set([...homes, "/usr/local/cuda", ...versioned, "/opt/cuda", "/usr/lib/cuda"])];
}

/** The first program of this name that says its version, on the search path or in a toolkit. */
export async function findTool(name: string, path: string, places: ToolkitPlaces, directory: string) {
  const inPath = path.split(":").map((folder) => join(folder || ".", name));
  for (const file of [...inPath, ...toolkitRoots(places).map((root) => join(root, "bin", name))]) {
    const asked = await run(file, ["--version"], { directory, searchPath: path, logBytes }).catch(() => undefined);
    const version = /\bV([\d.]+)/.exec(asked?.output ?? "")?.[1];
    if (version !== undefined) return { file, version };
  }
  return undefined;
}

/** Paths of libnvrtc that exist, then bare names for the loader's own search. */
export function nvrtcCandidates(places: ToolkitPlaces): readonly string[] {
  const below = toolkitRoots(places).flatMap((root) => [
    join(root, "lib64"),
    join(root, "targets/x86_64-linux/lib"),
    join(root, "targets/sbsa-linux/lib"),
    join(root, "lib"),
  ]);
  const system = ["/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64"];
  const found = [...new Set([...places.homes, ...below, ...system])].flatMap((folder) => {
    const files = new Set(places.list(folder));
    return sonames.filter((name) => files.has(name)).map((name) => join(folder, name));
  });
  return [...found, ...sonames];
}

/** Include folders of existing toolkits, for kernels with their own text. */
export function includeFolders(places: ToolkitPlaces): readonly string[] {
  for (const root of toolkitRoots(places)) {
    for (const folder of [join(root, "include"), join(root, "targets/x86_64-linux/include")]) {
      const files = places.list(folder);
      if (files.includes("cuda_fp16.h")) return [folder, ...(files.includes("cccl") ? [join(folder, "cccl")] : [])];
    }
  }
  return [];
}
