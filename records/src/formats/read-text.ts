/** The text of a file of records, gzipped or not: its first bytes, its lines, or all of it. */
import { createReadStream } from "node:fs";
import { open, readFile } from "node:fs/promises";
import { basename } from "node:path";
import { createGunzip } from "node:zlib";
import { badInput, FarmError, unreadable } from "@warpfarm/common";
import { textOf } from "../json-text.ts";

interface ReadFile {
  readonly path: string;
  readonly name: string;
  readonly zipped: boolean;
}

export async function startOf(path: string): Promise<Buffer> {
  const file = await open(path).catch(unreadable(path));
  try {
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(16) });
    return buffer.subarray(0, bytesRead);
  } catch (error) {
    return unreadable(path)(error);
  } finally {
    await file.close();
  }
}

/** The lines of a file in groups, one for each piece that is read. A line that did not end with LF alone has its end. */
export async function* linesOf(
  { path, zipped }: Omit<ReadFile, "name">,
  encoding: "utf-16le" | "utf-8",
): AsyncGenerator<readonly string[]> {
  const raw = createReadStream(path, { highWaterMark: pieceBytes });
  const input = zipped ? raw.pipe(createGunzip({ chunkSize: pieceBytes })) : raw;
  if (zipped) raw.on("error", (error) => input.destroy(error));
  const decoder = new TextDecoder(encoding);
  // Pieces of an incomplete line. Joining them with each new piece would cost more.
  let rest: string[] = [];
  try {
    for await (const bytes of input as AsyncIterable<Buffer>) {
      const piece = decoder.decode(bytes, { stream: true });
      if (!/[\r\n]/.test(piece)) {
        rest.push(piece);
        continue;
      }
      const text = rest.join("") + piece;
      const lines = text.split(text.includes("\r") ? lineEnd : "\n");
      rest = [lines.pop() ?? ""];
      yield lines;
    }
    const last = rest.join("");
    if (last !== "") yield [last];
  } catch (error) {
    throw error instanceof FarmError ? error : badInput(`${basename(path)} cannot be read: ${(error as Error).message}`);
  } finally {
    raw.destroy();
  }
}
const pieceBytes = 1 << 18;
/** A last CR is no line end yet: an LF may come with the next piece. */
const lineEnd = /(?<=\n)|(?<=\r)(?=[^\n])/;

/** The first line, trimmed, of which `is` says so. */
export async function firstLine(
  groups: AsyncIterable<readonly string[]>,
  is: (line: string) => boolean,
): Promise<string | undefined> {
  for await (const lines of groups) {
    const line = lines.find((each) => is(each.trim()));
    if (line !== undefined) return line.trim();
  }
  return undefined;
}

export async function wholeOf({ path, name }: Omit<ReadFile, "zipped">): Promise<string> {
  const bytes = await readFile(path);
  try {
    return textOf(bytes);
  } catch (error) {
    throw badInput(`${name} does not unpack: ${(error as Error).message}`);
  }
}
