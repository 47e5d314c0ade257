/**
 * Artifacts on disk, so that a runner downloads each once. Manifest, code and the blobs that fill buffers are files named by
 * their digests. They are checked against them at each use; blobs, which may be large, only at the first.
 */
import {
  type ArtifactDigest,
  type ArtifactManifest,
  abortable,
  blobsOf,
  type Digest,
  digestOf,
  FarmError,
  toDigest,
} from "@warpfarm/common";
import { FileCache } from "@warpfarm/common/process";
import { decodeManifest } from "@warpfarm/proto";
import type { LocalArtifact } from "./worker/messages.ts";

interface ArtifactCacheOptions {
  readonly directory: string;
  readonly maxBytes: number;
  readonly download: (digest: Digest, options: { readonly signal?: AbortSignal }) => Promise<Uint8Array>;
}

export class ArtifactCache {
  readonly #files: FileCache;
  readonly #download: ArtifactCacheOptions["download"];
  readonly #fetching = new Map<string, Promise<Uint8Array>>();
  readonly #checked = new Set<string>();

  constructor({ directory, maxBytes, download }: ArtifactCacheOptions) {
    this.#download = download;
    const pattern = /^[0-9a-f]{64}\.(manifest|code|blob)$/;
    this.#files = new FileCache({ directory, maxBytes, pattern });
  }

  /** Finds the files of earlier runs. Throws FarmError when the directory cannot be used. */
  open(): Promise<void> {
    return this.#files.open();
  }

  /**
   * The artifact, from disk or downloaded. Throws FarmError: NOT_FOUND, DATA_LOSS (a malformed manifest), or why it could not be
   * fetched.
   */
  async get(digest: ArtifactDigest, { signal }: { readonly signal?: AbortSignal } = {}): Promise<LocalArtifact> {
    const manifest = manifestOf(digest, await this.#blob(manifestName(digest), digest, [], signal));
    const files = filesOf(digest, manifest);
    const all = files.map(([name]) => name);
    for (const [name, of] of files.slice(1)) {
      if (this.#checked.has(name) && (await this.#files.touch(name))) continue;
      await this.#blob(name, of, all, signal);
      if (name.endsWith(".blob")) this.#checked.add(name);
    }
    const blobs = blobsOf(manifest.buffers);
    const blobPaths = Object.fromEntries(blobs.map((blob) => [blob, this.#files.pathOf(blobName(blob))]));
    const codePath = this.#files.pathOf(codeName(manifest.code));
    return { digest, manifest, codePath, ...(blobs.length > 0 ? { blobPaths } : {}) };
  }

  get trouble(): string {
    return this.#files.trouble;
  }
  probe(): Promise<void> {
    return this.#files.probe();
  }

  async #blob(name: string, digest: Digest, keep: readonly string[], signal: AbortSignal | undefined): Promise<Uint8Array> {
    for (;;) {
      const bytes = await this.#onDisk(name, digest);
      if (bytes !== undefined) return bytes;
      const fetching = this.#fetching.get(name);
      if (fetching === undefined) break;
      // Two jobs that need the same blob share one download.
      const over = fetching.then(
        () => {},
        () => {},
      );
      await (signal ? abortable(over, signal) : over);
    }
    const fetched = this.#fetch(name, digest, keep, signal).finally(() => this.#fetching.delete(name));
    this.#fetching.set(name, fetched);
    return fetched;
  }

  async #onDisk(name: string, digest: Digest): Promise<Uint8Array | undefined> {
    const bytes = await this.#files.read(name);
    if (bytes === undefined || digestOf(bytes) === digest) return bytes;
    await this.#files.remove(name);
    return undefined;
  }

  async #fetch(name: string, digest: Digest, keep: readonly string[], signal: AbortSignal | undefined): Promise<Uint8Array> {
    const bytes = await this.#download(digest, signal === undefined ? {} : { signal });
    if (digestOf(bytes) !== digest) throw new FarmError("DATA_LOSS", `asked for ${digest}, received other bytes`);
    await this.#files.write(name, bytes, keep);
    return bytes;
  }
}

const hex = (digest: Digest): string => toDigest(digest).slice("sha256:".length);
const manifestName = (digest: ArtifactDigest): string => `${hex(digest)}.manifest`;
const codeName = (digest: Digest): string => `${hex(digest)}.code`;
const blobName = (digest: Digest): string => `${hex(digest)}.blob`;

const filesOf = (digest: ArtifactDigest, { code, buffers }: ArtifactManifest): readonly (readonly [string, Digest])[] => [
  [manifestName(digest), digest],
  [codeName(code), code],
  ...blobsOf(buffers).map((blob) => [blobName(blob), blob] as const),
];

function manifestOf(digest: ArtifactDigest, bytes: Uint8Array): ArtifactManifest {
  const decoded = decodeManifest(bytes);
  if (decoded.ok) return decoded.value;
  throw new FarmError("DATA_LOSS", `artifact ${digest} is not a manifest: ${decoded.error.path}: ${decoded.error.message}`);
}
