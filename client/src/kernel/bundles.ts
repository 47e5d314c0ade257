/** Folders of headers that a kernel includes, read into bundles, and sending bundles to a farm. */
import { isUtf8 } from "node:buffer";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Bundle, badInput, bundleLimits, encodeBundle, isBundlePath, unreadable } from "@warpfarm/common";
import type { ArtifactClient } from "@warpfarm/proto";

const isNamedAsHeader = (name: string): boolean => /\.(?:h|hh|hpp|hxx|cuh|inl|inc|ipp|tpp|def|cu)$/.test(name);
/** Headers of the standard library have no dot, like users' keys and logs: such a file must begin as headers do. */
const mayBeHeader = (name: string): boolean => isNamedAsHeader(name) || /^[A-Za-z_]\w*$/.test(name);
/** A directive after comments. A space after # is a remark in other programs' settings. */
const beginsAsHeader = (text: string): boolean =>
  /^(?:\s|\/\/[^\n]*\n|\/\*[^*]*\*+(?:[^/*][^*]*\*+)*\/)*#(?:pragma[ \t]+\w|(?:ifn?def|define)[ \t]+[A-Za-z_]|if[ \t(!]|include[ \t]*[<"])/.test(
    text,
  );
const left = new Set(["node_modules", "__pycache__"]);

function headerIn(name: string, content: Uint8Array): string | undefined {
  if (content.includes(0) || !isUtf8(content)) return undefined;
  const text = Buffer.from(content).toString("utf8");
  return isNamedAsHeader(name) || beginsAsHeader(text) ? text : undefined;
}

export interface HeaderFolder extends Bundle {
  readonly paths: readonly string[];
}

/** `word`: the user's name for the folder. Throws FarmError with one sentence. */
export async function readBundle(folder: string, word: string): Promise<HeaderFolder> {
  const refuse = (why: string) => badInput(`includes: ${word} ${why}`);
  const files = new Map<string, string>();
  let bytes = 0;
  const open = [""];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const entries = await readdir(join(folder, at), { withFileTypes: true }).catch(unreadable(`includes: ${word}`));
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = at === "" ? entry.name : `${at}/${entry.name}`;
      if (entry.name.startsWith(".") || left.has(entry.name) || !isBundlePath(path)) continue;
      if (entry.isDirectory()) open.push(path);
      else if (entry.isFile() && mayBeHeader(entry.name)) {
        const content = await readFile(join(folder, path));
        const text = headerIn(entry.name, content);
        if (text === undefined) continue;
        bytes += content.length;
        files.set(path, text);
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
  return { ...bundle.value, paths: [...files.keys()].sort() };
}

const mostNamed = 100;

/** A folder's headers, for the user who sends them. */
export function headersWords({ paths, bytes }: HeaderFolder, word: string): string {
  const top = paths.filter((path) => !path.includes("/"));
  const counts = new Map<string, number>();
  for (const path of paths) if (path.includes("/")) counts.set(firstOf(path), (counts.get(firstOf(path)) ?? 0) + 1);
  const listed = paths.length <= mostNamed ? paths : [...top, ...[...counts].map(([name, n]) => `${name}/ (${n})`)];
  const kib = Math.ceil(bytes.length / 1024);
  return `${paths.length} ${paths.length === 1 ? "header" : "headers"} of ${word} (${kib} KiB): ${listed.join(", ")}`;
}
const firstOf = (path: string): string => path.slice(0, path.indexOf("/"));

/** Sends missing bundles, and marks the others as used. */
export async function sendUploads(
  artifacts: Pick<ArtifactClient, "upload">,
  { uploads = [] }: { readonly uploads?: readonly Bundle[] },
  signal: AbortSignal,
): Promise<void> {
  for (const { bytes } of uploads) await artifacts.upload(bytes, { signal });
}
