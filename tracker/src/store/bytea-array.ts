/**
 * An array of bytes in PostgreSQL's binary form (array_recv in src/backend/utils/adt/arrayfuncs.c): dimensions, null flag,
 * element type, length and lower bound, then each element with its length. As text every byte would take two, and two more for
 * quoting.
 */
const bytea = 17;

export function isByteaArray(value: readonly unknown[]): value is readonly (Uint8Array | null)[] {
  return value.some((v) => v instanceof Uint8Array);
}

export function encodeByteaArray(values: readonly (Uint8Array | null)[]): Buffer {
  const out = Buffer.allocUnsafe(values.reduce((n, v) => n + 4 + (v?.length ?? 0), 20));
  out.writeInt32BE(1, 0);
  out.writeInt32BE(values.includes(null) ? 1 : 0, 4);
  out.writeInt32BE(bytea, 8);
  out.writeInt32BE(values.length, 12);
  out.writeInt32BE(1, 16);
  let at = 20;
  for (const v of values) {
    at = out.writeInt32BE(v === null ? -1 : v.length, at);
    if (v === null) continue;
    out.set(v, at);
    at += v.length;
  }
  return out;
}
