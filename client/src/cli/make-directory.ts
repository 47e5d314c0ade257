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

/**
 * Throws bad input that says what the directory is for, and why it cannot be made. `told` is called with a new directory. Its
 * disposal removes directories that were made and are empty.
 */
export async function makeDirectory(what: string, path: string, told?: TextSink): Promise<AsyncDisposable> {
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
    throw badInput(`${what} ${path} cannot be made: ${isRefused ? "nothing can be made there" : fileFault(error)}`);
  }
}
