/**
 * Makes a directory and its parents, one at a time. `mkdir(..., { recursive: true })` of Node 20 retries for ever where a file
 * system answers ENOENT to what it cannot make, as /proc does.
 */
import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { badInput } from "./exit.ts";

/** A directory that another process makes meanwhile is fine. */
async function makeOne(path: string): Promise<void> {
  try {
    await mkdir(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST" || !(await stat(path)).isDirectory()) throw error;
  }
}

async function make(path: string): Promise<void> {
  try {
    await makeOne(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT" || dirname(path) === path) throw error;
    await make(dirname(path));
    await makeOne(path);
  }
}

/** Throws bad input that says what the directory is for, and why it cannot be made. */
export async function makeDirectory(what: string, path: string): Promise<void> {
  try {
    await make(path);
  } catch (error) {
    throw badInput(`${what} ${path} cannot be made: ${(error as NodeJS.ErrnoException).code ?? (error as Error).message}`);
  }
}
