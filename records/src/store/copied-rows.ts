/** Rows in COPY's binary form. */
import { type Cell, columns } from "./columns.ts";

const start = Buffer.from("PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0", "latin1");
const end = Buffer.from([0xff, 0xff]);

/** Rows share pieces of memory: one of its own for each takes as long as writing it. */
const pieceBytes = 1 << 18;
let piece = Buffer.alloc(0);
let used = 0;
/** A unit of UTF-16 has at most three bytes; a number, a null and a length fit in 12. */
const mostBytes = (cells: readonly Cell[]): number =>
  2 + cells.reduce<number>((sum, cell) => sum + 12 + (typeof cell === "string" ? 3 * cell.length : 0), 0);

/** The cells in the order of the columns. */
export function copiedRow(cells: readonly Cell[]): Buffer {
  const most = mostBytes(cells);
  if (used + most > piece.length) {
    piece = Buffer.allocUnsafeSlow(Math.max(pieceBytes, most));
    used = 0;
  }
  const begin = used;
  used = piece.writeInt16BE(cells.length, used);
  for (let i = 0; i < cells.length; i++) {
    const value = cells[i] as Cell;
    const bytes = value === null ? -1 : write[formOf[i] as Form](value as never, used + 4);
    piece.writeInt32BE(bytes, used);
    used += 4 + Math.max(0, bytes);
  }
  return piece.subarray(begin, used);
}

export function lastOf(row: Buffer): string {
  let at = 2;
  for (let left = row.readInt16BE(0); left > 1; left--) at += 4 + Math.max(0, row.readInt32BE(at));
  return row.toString("utf8", at + 4);
}

export const copiedRows = (rows: readonly Buffer[]): Buffer => Buffer.concat([start, ...rows, end]);

const write = {
  text: (value: string, at: number) => piece.write(value, at),
  uuid: (value: string, at: number) => piece.write(value, at, "hex"),
  boolean: (value: boolean, at: number) => piece.writeUInt8(value ? 1 : 0, at) - at,
  smallint: (value: number, at: number) => piece.writeInt16BE(value, at) - at,
  bigint: (value: number, at: number) => piece.writeBigInt64BE(BigInt(value), at) - at,
  "double precision": (value: number, at: number) => piece.writeDoubleBE(value, at) - at,
};
type Form = keyof typeof write;
const formOf = columns.map(([, type, cast]) => (cast === "::uuid" ? "uuid" : type) as Form);
