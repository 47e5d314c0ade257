/** Protobuf encoding by field, for messages that are sent by the thousand: their constant parts are encoded once. */

export function varint(value) {
  const bytes = [];
  let left = value;
  for (; left > 127; left = Math.floor(left / 128)) bytes.push((left % 128) | 128);
  bytes.push(left);
  return bytes;
}
/** Field `number` with an integer; empty for zero, as in proto3. */
export const integer = (number, value) =>
  value === 0 ? Buffer.alloc(0) : Buffer.from([...varint(number * 8), ...varint(value)]);
/** Field `number` with bytes, a text or a message. */
export function block(number, ...parts) {
  const bytes = parts.map((part) => (typeof part === "string" ? Buffer.from(part) : part));
  const length = bytes.reduce((n, b) => n + b.length, 0);
  return Buffer.concat([Buffer.from([...varint(number * 8 + 2), ...varint(length)]), ...bytes]);
}

/**
 * Calls `visit(number, value)` for each field: a number for varints, a view of the bytes for blocks. Fixed-size fields are
 * skipped.
 */
export function eachField(bytes, visit) {
  let at = 0;
  const next = () => {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = bytes[at++];
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
  };
  while (at < bytes.length) {
    const key = next();
    const wire = key & 7;
    if (wire === 0) visit(key >>> 3, next());
    else if (wire === 2) {
      const length = next();
      at += length;
      visit(key >>> 3, bytes.subarray(at - length, at));
    } else at += wire === 1 ? 8 : 4;
  }
}
