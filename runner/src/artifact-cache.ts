/**
 * Artifacts on disk, so that a runner downloads each once: manifest and code as files named by their digests, checked against
 * them each time they are taken. An artifact is here when both files are; that is what the tracker is told.
 */
import {
  type ArtifactDigest,
  type ArtifactManifest,
  type Digest,
  digestOf,
  FarmError,
  toArtifactDigest,
  toDigest,
} from "@warpfarm/common";
import { FileCache } from "@warpfarm/common/process";
import { decodeManifest } from "@warpfarm/proto";
import type { LocalArtifact } from "./worker/messages.ts";

export interface ArtifactCacheOptions {
  readonly directory: string;
  readonly maxBytes: number;
  readonly download: (digest: Digest, options: { readonly signal?: AbortSignal }) => Promise<Uint8Array>;
}

export class ArtifactCache {
  readonly #files: FileCache;
  readonly #download: ArtifactCacheOptions["download"];
  readonly #underWay = new Map<string, Promise<Uint8Array>>();
  /** Artifacts that need a file, by its name. */
  readonly #needing = new Map<string, Set<ArtifactDigest>>();
  #added = new Set<ArtifactDigest>();
  #dropped = new Set<ArtifactDigest>();

  constructor({ directory, maxBytes, download }: ArtifactCacheOptions) {
    this.#download = download;
    const pattern = /^[0-9a-f]{64}\.(manifest|code)$/;
    this.#files = new FileCache({ directory, maxBytes, pattern, onDrop: (name) => this.#lost(name) });
  }

  /** Finds what earlier runs left. Throws FarmError when the directory cannot be used. */
  async open(): Promise<void> {
    await this.#files.open();
    for (const name of this.#files.names) {
      if (!name.endsWith(".manifest")) continue;
      const digest = toArtifactDigest(`sha256:${name.slice(0, 64)}`);
      const bytes = await this.#onDisk(name, digest);
      const decoded = bytes && decodeManifest(bytes);
      if (decoded?.ok === true && this.#files.has(codeName(decoded.value.code))) this.#here(digest, decoded.value);
    }
  }

  /**
   * The artifact, from disk or downloaded. Throws FarmError: NOT_FOUND, DATA_LOSS (a manifest that is none), or why it could not
   * come.
   */
  async get(digest: ArtifactDigest, { signal }: { readonly signal?: AbortSignal } = {}): Promise<LocalArtifact> {
    const manifest = manifestOf(digest, await this.#blob(manifestName(digest), digest, [], signal));
    await this.#blob(codeName(manifest.code), manifest.code, [manifestName(digest)], signal);
    this.#here(digest, manifest);
    return { digest, manifest, codePath: this.#files.pathOf(codeName(manifest.code)) };
  }

  /** Why no artifact can be kept; empty = well. */
  get trouble(): string {
    return this.#files.trouble;
  }
  /** After trouble: tries again whether there is room. */
  probe(): Promise<void> {
    return this.#files.probe();
  }

  /** What came and went since the last call. */
  changes(): { readonly added: readonly ArtifactDigest[]; readonly dropped: readonly ArtifactDigest[] } {
    const changes = { added: [...this.#added], dropped: [...this.#dropped] };
    this.#added = new Set();
    this.#dropped = new Set();
    return changes;
  }

  async #blob(name: string, digest: Digest, keep: readonly string[], signal: AbortSignal | undefined): Promise<Uint8Array> {
    for (;;) {
      const bytes = await this.#onDisk(name, digest);
      if (bytes !== undefined) return bytes;
      const underWay = this.#underWay.get(name);
      if (underWay === undefined) break;
      // Two jobs that need the same blob share one download; should the first give up, this one starts its own.
      await underWay.catch(() => {});
      signal?.throwIfAborted();
    }
    const fetched = this.#fetch(name, digest, keep, signal).finally(() => this.#underWay.delete(name));
    this.#underWay.set(name, fetched);
    return fetched;
  }

  /** Undefined when it is not there, or not what its name says. */
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

  #here(digest: ArtifactDigest, { code }: ArtifactManifest): void {
    const isNew = this.#needing.get(manifestName(digest))?.has(digest) !== true;
    for (const name of [manifestName(digest), codeName(code)])
      this.#needing.set(name, (this.#needing.get(name) ?? new Set()).add(digest));
    if (isNew) this.#added.add(digest);
    this.#dropped.delete(digest);
  }

  #lost(name: string): void {
    for (const digest of this.#needing.get(name) ?? []) {
      this.#added.delete(digest);
      this.#dropped.add(digest);
      this.#needing.delete(manifestName(digest));
    }
    this.#needing.delete(name);
  }
}

const hex = (digest: Digest): string => toDigest(digest).slice("sha256:".length);
const manifestName = (digest: ArtifactDigest): string => `${hex(digest)}.manifest`;
const codeName = (digest: Digest): string => `${hex(digest)}.code`;

function manifestOf(digest: ArtifactDigest, bytes: Uint8Array): ArtifactManifest {
  const decoded = decodeManifest(bytes);
  if (decoded.ok) return decoded.value;
  throw new FarmError("DATA_LOSS", `artifact ${digest} is no manifest: ${decoded.error.path}: ${decoded.error.message}`);
}
