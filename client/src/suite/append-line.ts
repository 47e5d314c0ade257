/** Adds a line to a file that a process may have left in the middle of one. */
import { open } from "node:fs/promises";

/** In one call, so lines of two processes do not mix. The new line is apart from a torn one before it. */
export async function appendLine(
  file: string,
  line: string,
  { flush = false }: { readonly flush?: boolean } = {},
): Promise<void> {
  await using handle = await open(file, "a+");
  const { size } = await handle.stat();
  const last = Buffer.alloc(1);
  if (size > 0) await handle.read(last, 0, 1, size - 1);
  const isApart = size === 0 || last.toString() === "\n";
  await handle.appendFile(`${isApart ? "" : "\n"}${line}\n`);
  if (flush) await handle.sync();
}
