/**
 * Decodes requests. Refuses text that is cut off or not UTF-8: the protobuf specification does, and protobufjs does not.
 */
import { isUtf8 } from "node:buffer";
import { FarmError } from "@warpfarm/common";
import protobuf from "protobufjs/minimal.js";

/** A decoder writes this for invalid bytes. Valid text may hold it too, so only then are the bytes examined. */
const replacement = "\u{FFFD}";

interface Sliced {
  utf8Slice(start: number, end: number): string;
}

class StrictReader extends protobuf.BufferReader {
  override string(): string {
    const length = this.uint32();
    const [start, end] = [this.pos, this.pos + length];
    if (end > this.len) throw new Error("a text goes beyond the end of the message");
    const bytes = this.buf as Buffer;
    // Buffer.toString checks bounds, which takes as long as a short text, and thousands a second are decoded here.
    const text = (bytes as unknown as Sliced).utf8Slice(start, end);
    if (text.includes(replacement) && !isUtf8(bytes.subarray(start, end))) throw new Error("a text is not UTF-8");
    this.pos = end;
    return text;
  }
}

export function decodeRequest<T>(deserialize: (bytes: Buffer) => T, bytes: Buffer): T {
  try {
    // Generated decoders take a reader where they take bytes.
    return deserialize(new StrictReader(bytes) as unknown as Buffer);
  } catch (error) {
    throw new FarmError("INVALID_ARGUMENT", `the message cannot be decoded: ${(error as Error).message}`);
  }
}
