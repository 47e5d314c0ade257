/**
 * Headers that programs name by the digest of a bundle, as folders on this machine. Each is fetched once, and is complete before
 * anybody sees it. The least recently used is evicted first.
 */
import { mkdir, readdir, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { abortable, badInput, type Clock, type Digest, decodeBundle, digestOf, FarmError, type NewId } from "@warpfarm/common";
import { isDiskFull } from "@warpfarm/common/process";
import { programEnvelope } from "@warpfarm/proto";
import type { BuildExecutor } from "../build-executor.ts";

/** Throws FarmError NOT_FOUND for an unknown bundle. */
export type FetchBundle = (digest: Digest, signal?: AbortSignal) => Promise<Uint8Array>;

/** More than builders have slots, so no bundle in use is evicted. */
const mostKept = 64;
const folderName = /^[0-9a-f]{64}$/;

interface FoldersOptions {
  readonly clock: Pick<Clock, "now">;
  readonly newId: NewId;
}

export class BundleFolders {
  readonly #directory: string;
  readonly #fetch: FetchBundle;
  readonly #clock: Pick<Clock, "now">;
  readonly #newId: NewId;
  readonly #coming = new Map<Digest, Promise<string>>();

  constructor(directory: string, fetch: FetchBundle, { clock, newId }: FoldersOptions) {
    this.#directory = directory;
    this.#fetch = fetch;
    this.#clock = clock;
    this.#newId = newId;
  }

  /** One fetch for all concurrent callers. Aborting one of them does not abort the others. */
  folderOf(digest: Digest): Promise<string> {
    const coming = this.#coming.get(digest) ?? this.#bring(digest).finally(() => this.#coming.delete(digest));
    this.#coming.set(digest, coming);
    return coming;
  }

  async #bring(digest: Digest): Promise<string> {
    const folder = join(this.#directory, digest.slice("sha256:".length));
    const now = this.#clock.now() / 1000;
    const isHere = await utimes(folder, now, now).then(
      () => true,
      () => false,
    );
    if (isHere) return folder;
    const bytes = await this.#fetch(digest);
    const files = decodeBundle(bytes);
    if (digestOf(bytes) !== digest || !files.ok)
      throw badInput(`the bundle ${digest} ${files.ok ? "has other bytes" : files.error}`, {
        rule: "source.bundle",
      });
    const part = join(this.#directory, `part-${this.#newId()}`);
    try {
      for (const folders of new Set([...files.value.keys()].map((file) => dirname(join(part, file)))))
        await mkdir(folders, { recursive: true, mode: 0o700 });
      for (const [file, text] of files.value) await writeFile(join(part, file), text, { mode: 0o600 });
      await utimes(part, now, now);
      await this.#makeRoom();
      // Another process of this machine may have been faster.
      await rename(part, folder).catch(async (error: unknown) => {
        if (!(await stat(folder).catch(() => undefined))) throw error;
      });
      return folder;
    } catch (error) {
      throw isDiskFull(error) ? new FarmError("RESOURCE_EXHAUSTED", (error as Error).message) : error;
    } finally {
      await rm(part, { recursive: true, force: true });
    }
  }

  async #makeRoom(): Promise<void> {
    const names = (await readdir(this.#directory)).filter((name) => folderName.test(name));
    if (names.length < mostKept) return;
    const used = await Promise.all(
      names.map(async (name) => ({ name, ms: (await stat(join(this.#directory, name)).catch(() => undefined))?.mtimeMs ?? 0 })),
    );
    for (const { name } of used.sort((a, b) => a.ms - b.ms).slice(0, names.length - mostKept + 1))
      await rm(join(this.#directory, name), { recursive: true, force: true });
  }
}

export function withBundles(inner: BuildExecutor, folders: BundleFolders): BuildExecutor {
  return {
    async build(request, options) {
      const { bundles = [] } = programEnvelope("program", request.program.bytes);
      if (bundles.length === 0) return inner.build(request, options);
      const fetched = Promise.all(bundles.map((digest) => folders.folderOf(digest)));
      // Another build may wait for the same folders.
      const includes = await (options?.signal ? abortable(fetched, options.signal) : fetched);
      return inner.build({ ...request, includes }, options);
    },
    [Symbol.asyncDispose]: () => inner[Symbol.asyncDispose](),
  };
}
