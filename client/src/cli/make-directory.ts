/**
 * Makes a directory and its parents, one at a time. `mkdir(..., { recursive: true })` of Node 20 retries for ever where a file
 * system answers ENOENT to what it cannot make, as /proc does.
 */
import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { fileFault } from "@warpfarm/common";
import type { TextSink } from "./context.ts";
import { badInput } from "./exit.ts";

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

async function make(path: string): Promise<boolean> {
  try {
    return await makeOne(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT" || dirname(path) === path) throw error;
    await make(dirname(path));
    return await makeOne(path);
  }
}

/** Throws bad input that says what the directory is for, and why it cannot be made. `told` is called with a new directory. */
export async function makeDirectory(what: string, path: string, told?: TextSink): Promise<void> {
  try {
    if (await make(path)) told?.write(`${what} ${path} was made\n`);
  } catch (error) {
    const isRefused = (error as NodeJS.ErrnoException).code === "ENOENT";
    throw badInput(`${what} ${path} cannot be made: ${isRefused ? "nothing can be made there" : fileFault(error)}`);
  }
}
