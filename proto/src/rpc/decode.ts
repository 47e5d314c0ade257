/** Requests from bytes. What protobufjs lets through and the protobuf specification does not, text that is not UTF-8, is refused here. */
import { isUtf8 } from "node:buffer";
import { FarmError } from "@warpfarm/common";
import protobuf from "protobufjs/minimal.js";

/** What a decoder puts where it found no character. Text may also hold one: only then the bytes are looked at. */
const replacement = "\u{FFFD}";

class StrictReader extends protobuf.BufferReader {
  override string(): string {
    const { pos } = this;
    const text = super.string();
    if (text.includes(replacement)) {
      const end = this.pos;
      this.pos = pos;
      const bytes = this.bytes();
      this.pos = end;
      if (!isUtf8(bytes)) throw new Error("a text is not UTF-8");
    }
    return text;
  }
}

/** Throws INVALID_ARGUMENT. */
export function decodeRequest<T>(deserialize: (bytes: Buffer) => T, bytes: Buffer): T {
  try {
    // Generated decoders take a reader where they take bytes.
    return deserialize(new StrictReader(bytes) as unknown as Buffer);
  } catch (error) {
    throw new FarmError("INVALID_ARGUMENT", `the message cannot be decoded: ${(error as Error).message}`);
  }
}
