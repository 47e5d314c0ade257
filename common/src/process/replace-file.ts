import { rename, writeFile } from "node:fs/promises";

/** In one step and durably, so that a process that dies meanwhile leaves the file from before, or none. */
export async function replaceFile(path: string, contents: string | Uint8Array): Promise<void> {
  const draft = `${path}.${process.pid}`;
  await writeFile(draft, contents, { flush: true });
  await rename(draft, path);
}
