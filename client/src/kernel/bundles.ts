/** Folders of headers that a kernel includes, read into bundles, and sending bundles to a farm. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Bundle, bundleLimits, encodeBundle, FarmError, isBundlePath } from "@warpfarm/common";
import type { ArtifactClient } from "@warpfarm/proto";

/** Names of headers. The standard library's have no dot. */
const isHeader = (name: string): boolean => /^[^.]+$|\.(?:h|hh|hpp|hxx|cuh|inl|inc|ipp|tpp|def|cu)$/.test(name);
/** Folders that no header is included from. */
const left = new Set(["node_modules", "__pycache__"]);

/** `word`: the user's name for the folder. Throws FarmError with one sentence. */
export async function readBundle(folder: string, word: string): Promise<Bundle> {
  const refuse = (why: string) => new FarmError("INVALID_ARGUMENT", `includes: ${word} ${why}`);
  const files = new Map<string, string>();
  let bytes = 0;
  const open = [""];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const entries = await readdir(join(folder, at), { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
      throw refuse(`cannot be read: ${error.code ?? error.message}`);
    });
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = at === "" ? entry.name : `${at}/${entry.name}`;
      if (entry.name.startsWith(".") || left.has(entry.name) || !isBundlePath(path)) continue;
      if (entry.isDirectory()) open.push(path);
      else if (entry.isFile() && isHeader(entry.name)) {
        const content = await readFile(join(folder, path));
        // Only text: a compiled program in the folder is not a header, whatever its name.
        if (content.includes(0)) continue;
        bytes += content.length;
        files.set(path, content.toString("utf8"));
        if (bytes > bundleLimits.bytes || files.size > bundleLimits.files)
          throw refuse(
            `has more than ${bundleLimits.bytes >> 20} MiB or ${bundleLimits.files} headers, the most that a bundle has; name a folder further down`,
          );
      }
    }
  }
  if (files.size === 0) throw refuse("has no headers (.h, .hpp, .cuh, .inl, ...)");
  const bundle = encodeBundle(files);
  if (!bundle.ok) throw refuse(bundle.error);
  return bundle.value;
}

/** Sends missing bundles, and marks the others as used. */
export async function sendUploads(
  artifacts: Pick<ArtifactClient, "upload">,
  { uploads = [] }: { readonly uploads?: readonly Bundle[] },
  signal: AbortSignal,
): Promise<void> {
  for (const { bytes } of uploads) await artifacts.upload(bytes, { signal });
}
