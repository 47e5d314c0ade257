/**
 * What a kernel's programs name by digests, as files of its export: folders of headers, and tensors. Their names come from the
 * digests, so that several kernels of one folder share them.
 */
import { badInput, blobOf, type Digest, decodeBundle, type ManifestBuffer } from "@warpfarm/common";
import { workspacesOf } from "./layout.ts";
import type { ExportUnit, KernelText } from "./unit.ts";

const short = (digest: string): string => digest.slice("sha256:".length, "sha256:".length + 12);
const headerFolder = (digest: string): string => `headers_${short(digest)}`;

/** The file that holds an input's or a workspace's elements, raw; undefined for one that is filled otherwise. */
export function tensorFile({ fill }: Pick<ManifestBuffer, "fill">): string | undefined {
  const digest = blobOf(fill);
  return digest && `tensor_${short(digest)}.bin`;
}

/** Workspaces whose content counts, with their places in the block of workspaces. */
export function filledWorkspaces(text: Pick<KernelText, "buffers">) {
  const { offsets } = workspacesOf(text);
  return text.buffers.flatMap((buffer) => {
    const [offset, file] = [offsets.get(buffer.name), tensorFile(buffer)];
    return offset === undefined || file === undefined ? [] : [{ name: buffer.name, bytes: buffer.bytes, offset, file }];
  });
}
export const headerFolders = ({ source }: KernelText): readonly string[] => (source?.bundles ?? []).map(headerFolder);

export function attachedFiles(unit: ExportUnit): readonly (readonly [path: string, content: string | Uint8Array])[] {
  const content = (digest: Digest): Uint8Array => {
    const bytes = unit.uploads.get(digest);
    if (bytes !== undefined) return bytes;
    throw badInput(`${unit.task} names the blob ${digest}, which none of its files is`);
  };
  return [unit.kernel, unit.reference].flatMap(({ source, buffers }) => [
    ...(source?.bundles ?? []).flatMap((digest) => {
      const files = decodeBundle(content(digest as Digest));
      if (!files.ok) throw badInput(`${unit.task}: the folder of headers ${digest} ${files.error}`);
      return [...files.value].map(([name, text]) => [`${headerFolder(digest)}/${name}`, text] as const);
    }),
    ...buffers.flatMap((buffer) => {
      const [digest, file] = [blobOf(buffer.fill), tensorFile(buffer)];
      return digest === undefined || file === undefined ? [] : [[file, content(digest)] as const];
    }),
  ]);
}
