/** The text of a file of records, gzipped or not: its first bytes, its lines, or all of it. */
import { constants } from "node:buffer";
import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { basename } from "node:path";
import { createGunzip } from "node:zlib";
import { badInput, FarmError, unreadable } from "@warpfarm/common";
import type { Encoding } from "../json-text.ts";

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
  { path, zipped }: { readonly path: string; readonly zipped: boolean },
  encoding: Encoding,
  took: (piece: string) => void = () => {},
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
      took(piece);
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

/** A text that comes in pieces. Throws INVALID_ARGUMENT when it has more characters than one text can. */
export class LongText {
  readonly #pieces: string[] = [];
  readonly #name: string;
  readonly #most: number;
  #length = 0;

  constructor(name: string, most = constants.MAX_STRING_LENGTH) {
    this.#name = name;
    this.#most = most;
  }
  add(piece: string): void {
    this.#length += piece.length;
    if (this.#length > this.#most)
      throw badInput(`${this.#name} has more than ${this.#most} characters, the most that a document can have; split it`);
    this.#pieces.push(piece);
  }
  whole(): string {
    return this.#pieces.join("");
  }
}
