/**
 * Values in PostgreSQL's binary form, by the oid of their type (src/include/catalog/pg_type.dat; the send and receive functions
 * of src/backend/utils/adt).
 */
import { invariant } from "@warpfarm/common";

/** Reads the value whose bytes are from `at` to `end`. */
export type Decode = (bytes: Buffer, at: number, end: number) => unknown;

/** 2000-01-01, the origin of timestamps in microseconds. */
const epochMs = Date.UTC(2000, 0, 1);
const int64 = (bytes: Buffer, at: number): number => bytes.readInt32BE(at) * 2 ** 32 + bytes.readUInt32BE(at + 4);
const text: Decode = (bytes, at, end) => bytes.toString("utf8", at, end);
const timestamp: Decode = (bytes, at) => new Date(epochMs + int64(bytes, at) / 1000);

const scalars = new Map<number, Decode>([
  [16, (bytes, at) => bytes[at] === 1],
  [17, (bytes, at, end) => bytes.subarray(at, end)],
  [19, text], // name
  [20, int64],
  [21, (bytes, at) => bytes.readInt16BE(at)],
  [23, (bytes, at) => bytes.readInt32BE(at)],
  [25, text],
  [26, (bytes, at) => bytes.readUInt32BE(at)], // oid
  [114, (bytes, at, end) => JSON.parse(bytes.toString("utf8", at, end)) as unknown],
  [700, (bytes, at) => bytes.readFloatBE(at)],
  [701, (bytes, at) => bytes.readDoubleBE(at)],
  [1043, text], // varchar
  [1114, timestamp],
  [1184, timestamp], // timestamptz
  [2278, () => null], // void
  [2950, (bytes, at, end) => bytes.toString("hex", at, end).replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-")], // uuid
  [3802, (bytes, at, end) => JSON.parse(bytes.toString("utf8", at + 1, end)) as unknown], // jsonb: a version first
]);

const elements = new Map([
  [1000, 16],
  [1001, 17],
  [1005, 21],
  [1007, 23],
  [1009, 25],
  [1016, 20],
  [1022, 701],
]);

export function decoderOf(type: number): Decode | undefined {
  const element = elements.get(type);
  return element === undefined ? scalars.get(type) : decodeArray(scalars.get(element) ?? text);
}

/** array_send: dimensions, null flag, element type; length and lower bound; each element with its length. */
function decodeArray(decode: Decode): Decode {
  return (bytes, from) => {
    const dimensions = bytes.readInt32BE(from);
    if (dimensions === 0) return [];
    invariant(dimensions === 1, `an array of ${dimensions} dimensions came`);
    let at = from + 20;
    return Array.from({ length: bytes.readInt32BE(from + 12) }, () => {
      const length = bytes.readInt32BE(at);
      at += 4;
      if (length < 0) return null;
      at += length;
      return decode(bytes, at - length, at);
    });
  };
}
