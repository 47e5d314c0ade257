/**
 * A directory and its parents, one at a time. Not `mkdir(..., { recursive: true })`: where a file system answers ENOENT for what
 * it will not make (/proc does), Node 20 tries for ever.
 */
import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { badInput } from "./exit.ts";

/** Made by another process meanwhile is made too. */
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

/** Throws bad input naming what the directory is for, and why it cannot be made. */
export async function makeDirectory(what: string, path: string): Promise<void> {
  try {
    await make(path);
  } catch (error) {
    throw badInput(`${what} ${path} cannot be made: ${(error as NodeJS.ErrnoException).code ?? (error as Error).message}`);
  }
}
