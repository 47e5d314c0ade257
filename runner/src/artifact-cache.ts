/**
 * Artifacts on disk, so that a runner downloads each once: manifest and code as files named by their digests. Invariants: a file under its
 * final name is whole (written aside, then renamed), bytes are checked against the digest each time they are taken, and all files together
 * stay under the limit, least recently used first out. Nothing else may write into the directory; two runners may share it.
 */
import { randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  type ArtifactDigest,
  type ArtifactManifest,
  type Digest,
  digestOf,
  FarmError,
  systemClock,
  toArtifactDigest,
  toDigest,
} from "@warpfarm/common";
import { decodeManifest } from "@warpfarm/proto";
import type { LocalArtifact } from "./worker/messages.ts";

export interface ArtifactCacheOptions {
  readonly directory: string;
  readonly maxBytes: number;
  readonly download: (digest: Digest, options: { readonly signal?: AbortSignal }) => Promise<Uint8Array>;
}

interface Entry {
  readonly bytes: number;
  /** Artifacts that need this file. */
  readonly artifacts: Set<ArtifactDigest>;
}

/** Another runner may be writing a part now, but not for an hour. */
const ABANDONED_MS = 3_600_000;

async function sizeAndTime(path: string): Promise<{ readonly size: number; readonly mtimeMs: number }> {
  const { size, mtimeMs } = await stat(path);
  return { size, mtimeMs };
}

type Extension = "json" | "code";

export class ArtifactCache {
  readonly #options: ArtifactCacheOptions;
  /** By file name, in order of use: the least recent first. */
  readonly #entries = new Map<string, Entry>();
  readonly #fetching = new Map<string, Promise<Uint8Array>>();
  #added = new Set<ArtifactDigest>();
  #dropped = new Set<ArtifactDigest>();

  constructor(options: ArtifactCacheOptions) {
    this.#options = options;
  }

  /** Finds what earlier runs left; removes half-written files. Throws FarmError when the directory cannot be used. */
  async open(): Promise<void> {
    const { directory } = this.#options;
    try {
      await mkdir(directory, { recursive: true });
      const files: { readonly name: string; readonly size: number; readonly mtimeMs: number }[] = [];
      for (const name of await readdir(directory)) files.push({ name, ...(await sizeAndTime(join(directory, name))) });
      for (const { name, size, mtimeMs } of files.sort((a, b) => a.mtimeMs - b.mtimeMs)) {
        if (/^[0-9a-f]{64}\.(json|code)$/.test(name)) this.#entries.set(name, { bytes: size, artifacts: new Set() });
        else if (name.endsWith(".part") && systemClock.now() - mtimeMs > ABANDONED_MS)
          await rm(join(directory, name), { force: true });
      }
    } catch (error) {
      throw new FarmError("FAILED_PRECONDITION", `artifact cache ${directory} cannot be used: ${wordsOf(error)}`, {
        cause: error,
      });
    }
    for (const name of [...this.#entries.keys()]) if (name.endsWith(".json")) await this.#announce(name);
  }

  /** The artifact, from disk or downloaded. Throws FarmError: NOT_FOUND, DATA_LOSS (a manifest that is none), or why it could not come. */
  async get(digest: ArtifactDigest, { signal }: { readonly signal?: AbortSignal } = {}): Promise<LocalArtifact> {
    const manifest = manifestOf(digest, await this.#blob(digest, "json", digest, signal));
    await this.#blob(manifest.code, "code", digest, signal);
    this.#added.add(digest);
    this.#dropped.delete(digest);
    await this.#evict(new Set([nameOf(digest, "json"), nameOf(manifest.code, "code")]));
    return { digest, manifest, codePath: join(this.#options.directory, nameOf(manifest.code, "code")) };
  }

  /** What came and went since the last call. */
  changes(): { readonly added: readonly ArtifactDigest[]; readonly dropped: readonly ArtifactDigest[] } {
    const changes = { added: [...this.#added], dropped: [...this.#dropped] };
    this.#added = new Set();
    this.#dropped = new Set();
    return changes;
  }

  async #blob(digest: Digest, extension: Extension, owner: ArtifactDigest, signal: AbortSignal | undefined): Promise<Uint8Array> {
    const name = nameOf(digest, extension);
    const bytes = (await this.#read(name, digest)) ?? (await this.#fetchOnce(name, digest, signal));
    const artifacts = this.#entries.get(name)?.artifacts ?? new Set();
    this.#entries.delete(name);
    this.#entries.set(name, { bytes: bytes.length, artifacts: artifacts.add(owner) });
    return bytes;
  }

  /** Undefined when it is not here, or not what its name says. */
  async #read(name: string, digest: Digest): Promise<Uint8Array | undefined> {
    const path = join(this.#options.directory, name);
    try {
      const bytes = await readFile(path);
      if (digestOf(bytes) === digest) {
        const now = new Date(systemClock.now());
        await utimes(path, now, now).catch(() => {});
        return bytes;
      }
      await rm(path, { force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    }
    this.#forget(name);
    return undefined;
  }

  /** Two jobs that need the same blob share one download; one that gives up does not take it from the other. */
  async #fetchOnce(name: string, digest: Digest, signal: AbortSignal | undefined): Promise<Uint8Array> {
    for (;;) {
      const underWay = this.#fetching.get(name);
      if (underWay === undefined) break;
      try {
        return await underWay;
      } catch (error) {
        signal?.throwIfAborted();
        if (!(error instanceof FarmError && error.code === "CANCELLED")) throw error;
      }
    }
    const fetched = this.#fetch(name, digest, signal).finally(() => this.#fetching.delete(name));
    this.#fetching.set(name, fetched);
    return fetched;
  }

  async #fetch(name: string, digest: Digest, signal: AbortSignal | undefined): Promise<Uint8Array> {
    const { directory, download } = this.#options;
    const bytes = await download(digest, signal === undefined ? {} : { signal });
    if (digestOf(bytes) !== digest) throw new FarmError("DATA_LOSS", `asked for ${digest}, received other bytes`);
    const part = join(directory, `${name}.${randomUUID()}.part`);
    try {
      await writeFile(part, bytes, { mode: 0o600 });
      await rename(part, join(directory, name));
    } catch (error) {
      await rm(part, { force: true });
      throw new FarmError("UNAVAILABLE", `artifact cache ${directory}: ${wordsOf(error)}`, { cause: error });
    }
    return bytes;
  }

  async #evict(keep: ReadonlySet<string>): Promise<void> {
    let total = 0;
    for (const { bytes } of this.#entries.values()) total += bytes;
    for (const [name, { bytes }] of this.#entries) {
      if (total <= this.#options.maxBytes) return;
      if (keep.has(name)) continue;
      total -= bytes;
      this.#forget(name);
      await rm(join(this.#options.directory, name), { force: true });
    }
  }

  #forget(name: string): void {
    for (const artifact of this.#entries.get(name)?.artifacts ?? []) {
      this.#added.delete(artifact);
      this.#dropped.add(artifact);
    }
    this.#entries.delete(name);
  }

  /** A manifest found on disk counts when its code is there too. */
  async #announce(name: string): Promise<void> {
    const digest = toArtifactDigest(`sha256:${name.slice(0, 64)}`);
    const bytes = await this.#read(name, digest);
    const decoded = bytes && decodeManifest(bytes);
    if (decoded?.ok !== true) return;
    const code = this.#entries.get(nameOf(decoded.value.code, "code"));
    if (code === undefined) return;
    code.artifacts.add(digest);
    this.#entries.get(name)?.artifacts.add(digest);
    this.#added.add(digest);
  }
}

const nameOf = (digest: Digest, extension: Extension): string => `${toDigest(digest).slice("sha256:".length)}.${extension}`;
const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

function manifestOf(digest: ArtifactDigest, bytes: Uint8Array): ArtifactManifest {
  const decoded = decodeManifest(bytes);
  if (decoded.ok) return decoded.value;
  throw new FarmError("DATA_LOSS", `artifact ${digest} is no manifest: ${decoded.error.path}: ${decoded.error.message}`);
}
