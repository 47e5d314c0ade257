import { rename, rm, writeFile } from "node:fs/promises";

/** In one step: a process that dies meanwhile leaves the file from before, or none. Of a failure no draft stays. */
export async function replaceFile(path: string, contents: string | Uint8Array): Promise<void> {
  const draft = `${path}.${process.pid}`;
  try {
    await writeFile(draft, contents, { flush: true });
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}
