/**
 * Files by name in one directory, bounded in size, which survive a restart. Invariants: a file under its final name is complete
 * (it is written under another name, then renamed), and the files together stay under the limit. The least recently used file is
 * evicted first; a single file may be larger than the limit. Contents are not checked here, because the reader knows what they
 * must be. Processes may share the directory.
 */
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Clock, systemClock } from "../clock.ts";
import { FarmError, fileFault, isDiskFull } from "../farm-error.ts";
import { type NewId, randomId } from "../new-id.ts";

interface FileCacheOptions {
  readonly directory: string;
  readonly maxBytes: number;
  readonly pattern: RegExp;
  /** Writes a new file. Unset: node:fs. */
  readonly writeFile?: (path: string, bytes: Uint8Array) => Promise<void>;
  readonly clock?: Pick<Clock, "now">;
  readonly newId?: NewId;
}

const writePrivate = (path: string, bytes: Uint8Array): Promise<void> => writeFile(path, bytes, { mode: 0o600 });

/** Another process may be writing a part now, but none writes for an hour. */
const abandonedMs = 3_600_000;

export class FileCache {
  readonly #options: FileCacheOptions;
  readonly #clock: Pick<Clock, "now">;
  readonly #newId: NewId;
  /** Bytes by name, in order of use: the least recent first. */
  readonly #sizes = new Map<string, number>();
  #total = 0;
  #trouble = "";
  /** Bytes that did not fit. */
  #refused = 0;

  constructor(options: FileCacheOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#newId = options.newId ?? randomId;
  }

  get names(): readonly string[] {
    return [...this.#sizes.keys()];
  }
  /** Why no more files can be stored: the disk is full even without this cache's files. Empty: no trouble. */
  get trouble(): string {
    return this.#trouble;
  }
  pathOf(name: string): string {
    return join(this.#options.directory, name);
  }

  /**
   * Finds the files of earlier processes and removes incomplete ones. Throws FAILED_PRECONDITION that names the directory if it
   * cannot be used or nothing can be written there. A full disk is not an error, since files may be evicted.
   */
  async open(): Promise<void> {
    const { directory, pattern } = this.#options;
    try {
      await mkdir(directory, { recursive: true, mode: 0o700 });
      const found: { readonly name: string; readonly size: number; readonly mtimeMs: number }[] = [];
      for (const name of await readdir(directory)) {
        const facts = await stat(this.pathOf(name)).catch(() => undefined);
        if (facts?.isFile() !== true) continue;
        const { size, mtimeMs } = facts;
        if (pattern.test(name)) found.push({ name, size, mtimeMs });
        else if (name.endsWith(".part") && this.#clock.now() - mtimeMs > abandonedMs)
          await rm(this.pathOf(name), { force: true });
      }
      for (const { name, size } of found.sort((a, b) => a.mtimeMs - b.mtimeMs)) this.#note(name, size);
    } catch (error) {
      throw unusable("FAILED_PRECONDITION", directory, error);
    }
    await this.#putProbe(0).catch((error: NodeJS.ErrnoException) => {
      if (isDiskFull(error)) return;
      const why = `nothing can be written there (${fileFault(error)})`;
      throw unusable(
        "FAILED_PRECONDITION",
        directory,
        `${why}; name another directory, or give this process the right to write there`,
      );
    });
    await this.#evict(new Set());
  }

  async read(name: string): Promise<Uint8Array | undefined> {
    const path = this.pathOf(name);
    try {
      const bytes = await readFile(path);
      const now = new Date(this.#clock.now());
      await utimes(path, now, now).catch(() => {});
      this.#note(name, bytes.length);
      return bytes;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw unusable("UNAVAILABLE", this.#options.directory, error);
      this.#forget(name);
      return undefined;
    }
  }

  /**
   * Stores a file. `keep` names files that must not be evicted for it. On a full disk other files are evicted one after the
   * other. Throws RESOURCE_EXHAUSTED when that does not help, UNAVAILABLE when the disk refuses for another reason.
   */
  async write(name: string, bytes: Uint8Array, keep: readonly string[] = []): Promise<void> {
    const kept = new Set([name, ...keep]);
    for (;;) {
      try {
        await this.#put(name, bytes);
        break;
      } catch (error) {
        if (!isDiskFull(error)) throw unusable("UNAVAILABLE", this.#options.directory, error);
        const oldest = this.names.find((other) => !kept.has(other));
        if (oldest === undefined) {
          const full = unusable("RESOURCE_EXHAUSTED", this.#options.directory, error);
          this.#trouble = full.message;
          this.#refused = bytes.length;
          throw full;
        }
        await this.remove(oldest);
      }
    }
    this.#trouble = "";
    this.#note(name, bytes.length);
    await this.#evict(kept);
  }

  /** After trouble: tries whether what did not fit would fit now. */
  async probe(): Promise<void> {
    if (this.#trouble === "") return;
    try {
      await this.#putProbe(this.#refused);
      this.#trouble = "";
    } catch {
      // It is as it was.
    }
  }

  /** Marks the file as just used. False when there is no such file. */
  async touch(name: string): Promise<boolean> {
    const size = this.#sizes.get(name);
    if (size === undefined) return false;
    const now = new Date(this.#clock.now());
    const isThere = await utimes(this.pathOf(name), now, now).then(
      () => true,
      (error: NodeJS.ErrnoException) => error.code !== "ENOENT",
    );
    if (isThere) this.#note(name, size);
    else this.#forget(name);
    return isThere;
  }
  async #putProbe(bytes: number): Promise<void> {
    await this.#put("probe", new Uint8Array(bytes));
    await rm(this.pathOf("probe"), { force: true });
  }

  async #put(name: string, bytes: Uint8Array): Promise<void> {
    const part = this.pathOf(`${name}.${this.#newId()}.part`);
    const { writeFile: put = writePrivate } = this.#options;
    try {
      await put(part, bytes);
      await rename(part, this.pathOf(name));
    } catch (error) {
      await rm(part, { force: true });
      throw error;
    }
  }

  async remove(name: string): Promise<void> {
    await rm(this.pathOf(name), { force: true });
    this.#forget(name);
  }

  #note(name: string, size: number): void {
    this.#total += size - (this.#sizes.get(name) ?? 0);
    this.#sizes.delete(name);
    this.#sizes.set(name, size);
  }
  #forget(name: string): void {
    const size = this.#sizes.get(name);
    if (size === undefined) return;
    this.#total -= size;
    this.#sizes.delete(name);
  }
  async #evict(keep: ReadonlySet<string>): Promise<void> {
    for (const name of this.names) {
      if (this.#total <= this.#options.maxBytes) return;
      if (!keep.has(name)) await this.remove(name);
    }
  }
}

function unusable(
  code: "FAILED_PRECONDITION" | "UNAVAILABLE" | "RESOURCE_EXHAUSTED",
  directory: string,
  cause: unknown,
): FarmError {
  return new FarmError(code, `cache directory ${directory}: ${cause instanceof Error ? cause.message : String(cause)}`, {
    cause,
  });
}
