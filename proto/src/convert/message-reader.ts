/** Finds the fields of a protobuf message that hold bytes, a text or a message, without decoding them. */
import protobuf from "protobufjs/minimal.js";

const blockKind = 2;

/** Values of `field`, in order, as views of the message. */
export function blocksOf(message: Uint8Array, field: number): Uint8Array[] {
  const blocks: Uint8Array[] = [];
  const reader = protobuf.Reader.create(message);
  while (reader.pos < reader.len) {
    const tag = reader.uint32();
    if (tag === field * 8 + blockKind) blocks.push(reader.bytes());
    else reader.skipType(tag % 8);
  }
  return blocks;
}
