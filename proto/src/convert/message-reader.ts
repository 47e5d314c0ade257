/**
 * Finds the fields of a protobuf message that hold bytes, a text or a message, without decoding them.
 * https://protobuf.dev/programming-guides/encoding
 */

const kind = { varint: 0, fixed64: 1, block: 2, fixed32: 5 } as const;

/** Values of `field`, in order, as views of the message. Requires a message that was decoded before, since nothing is checked. */
export function blocksOf(message: Uint8Array, field: number): Uint8Array[] {
  const blocks: Uint8Array[] = [];
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = message[at++] ?? 0;
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
  };
  while (at < message.length) {
    const tag = varint();
    switch (tag % 8) {
      case kind.varint:
        varint();
        break;
      case kind.fixed64:
        at += 8;
        break;
      case kind.fixed32:
        at += 4;
        break;
      case kind.block: {
        const length = varint();
        at += length;
        if (Math.floor(tag / 8) === field) blocks.push(message.subarray(at - length, at));
        break;
      }
      default:
        return blocks; // groups, which proto3 has not
    }
  }
  return blocks;
}
