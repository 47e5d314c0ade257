/**
 * Makes a directory and its parents, one at a time. `mkdir(..., { recursive: true })` of Node 20 retries for ever where a file
 * system answers ENOENT to what it cannot make, as /proc does.
 */
import { mkdir, rmdir, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { badInput, fileFault } from "@warpfarm/common";
import type { TextSink } from "./context.ts";

/** Whether it was made here. An existing directory is fine, also one that another process makes meanwhile. */
async function makeOne(path: string): Promise<boolean> {
  try {
    await mkdir(path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST" || !(await stat(path)).isDirectory()) throw error;
    return false;
  }
}

/** Those that were made, the outermost first. */
async function make(path: string): Promise<readonly string[]> {
  const one = async () => ((await makeOne(path)) ? [path] : []);
  try {
    return await one();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT" || dirname(path) === path) throw error;
    return [...(await make(dirname(path))), ...(await one())];
  }
}

/** What a directory is for, and which flag, variable or option of the library names another. */
const uses = {
  data: ["the data directory", "WARPFARM_DATA_DIR"],
  cache: ["the cache directory", "WARPFARM_CACHE_DIR"],
  dataDir: ["the data directory", "the option dataDir"],
  cacheDir: ["the cache directory", "the option cacheDir"],
  "a worker's cache": ["the cache directory", "--cache"],
  log: ["the log's directory", "--log"],
  logs: ["the log's directory", "WARPFARM_LOG_DIR"],
  suite: ["the suite's directory", "--dir"],
} as const;

/**
 * Throws bad input that says what the directory is for, why it cannot be made, and what names another. `told` is called with a
 * new directory. Its disposal removes directories that were made and are empty.
 */
export async function makeDirectory(use: keyof typeof uses, path: string, told?: TextSink): Promise<AsyncDisposable> {
  const [what, names] = uses[use];
  try {
    const made = await make(path);
    if (made.includes(path)) told?.write(`${what} ${path} was made\n`);
    return {
      async [Symbol.asyncDispose]() {
        for (const each of made.toReversed()) await rmdir(each).catch(() => {});
      },
    };
  } catch (error) {
    const isRefused = (error as NodeJS.ErrnoException).code === "ENOENT";
    const why = isRefused ? "nothing can be made there" : fileFault(error);
    throw badInput(`${what} ${path} cannot be made: ${why}; ${names} names another`);
  }
}
