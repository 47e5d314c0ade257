/**
 * The part of PostgreSQL's wire protocol that a session over PGlite needs: requests of the extended and the simple query
 * protocol, and their answers (PostgreSQL documentation, "Message Formats"). Values are binary wherever wire-types.ts knows their
 * type: text costs more at both ends, and the engine's end is WebAssembly.
 */
import { invariant } from "@warpfarm/common";
import type { Param } from "./database.ts";
import { type Decode, decoderOf, elementOf } from "./wire-types.ts";

/** Requests, one after the other, in a buffer of their own that may be transferred. */
export class Requests {
  #buffer = Buffer.allocUnsafeSlow(1 << 12);
  #at = 0;
  #start = 0;

  get bytes(): Uint8Array<ArrayBuffer> {
    return this.#buffer.subarray(0, this.#at);
  }

  query(sql: string): this {
    return this.#open("Q").#zeroEnded(sql).#close();
  }

  prepare(name: string, sql: string): this {
    this.#open("P").#zeroEnded(name).#zeroEnded(sql).int16(0).#close();
    this.#open("D").#text("S").#zeroEnded(name).#close();
    return this.#sync();
  }

  run(statement: Statement, params: readonly Param[]): this {
    const { name, parameters, columns } = statement;
    invariant(params.length === parameters.length, `${params.length} parameters were given of ${parameters.length}`);
    const binary = params.map((value, i) => isBinary(value, parameters[i] ?? 0));
    this.#open("B").#zeroEnded("").#zeroEnded(name).int16(params.length);
    for (const b of binary) this.int16(b ? 1 : 0);
    this.int16(params.length);
    for (const [i, value] of params.entries()) this.#value(value, parameters[i] ?? 0);
    this.int16(columns.length);
    for (const { decode } of columns) this.int16(decode ? 1 : 0);
    this.#close();
    this.#open("E").#zeroEnded("").int32(0).#close();
    return this.#sync();
  }

  int16(n: number): this {
    this.#room(2);
    this.#at = this.#buffer.writeInt16BE(n, this.#at);
    return this;
  }
  int32(n: number): this {
    this.#room(4);
    this.#at = this.#buffer.writeInt32BE(n, this.#at);
    return this;
  }
  int64(n: number): this {
    this.#room(8);
    this.#at = this.#buffer.writeInt32BE(Math.floor(n / 2 ** 32), this.#at);
    this.#at = this.#buffer.writeUInt32BE(n >>> 0, this.#at);
    return this;
  }
  float64(n: number): this {
    this.#room(8);
    this.#at = this.#buffer.writeDoubleBE(n, this.#at);
    return this;
  }
  byte(n: number): this {
    this.#room(1);
    this.#buffer[this.#at++] = n;
    return this;
  }
  /** The text with its length before it, as PostgreSQL has every value. */
  sizedText(text: string): this {
    return this.sized(() => this.#text(text));
  }
  sizedBytes(bytes: Uint8Array): this {
    this.int32(bytes.length).#room(bytes.length);
    this.#buffer.set(bytes, this.#at);
    this.#at += bytes.length;
    return this;
  }
  sized(write: () => void): this {
    const at = this.#at;
    this.int32(0);
    write();
    this.#buffer.writeInt32BE(this.#at - at - 4, at);
    return this;
  }

  #value(value: Param, type: number): void {
    if (value === null) this.int32(-1);
    else if (value instanceof Uint8Array) this.sizedBytes(value);
    else if (typeof value !== "object") this.sizedText(String(value));
    else this.sized(() => writeArray(this, value, type));
  }

  #open(type: string): this {
    this.#text(type);
    this.#start = this.#at;
    return this.int32(0);
  }
  #close(): this {
    this.#buffer.writeInt32BE(this.#at - this.#start, this.#start);
    return this;
  }
  #sync(): this {
    return this.#open("S").#close();
  }
  #zeroEnded(text: string): this {
    return this.#text(text).byte(0);
  }
  #text(text: string): this {
    this.#room(3 * text.length);
    this.#at += this.#buffer.write(text, this.#at, "utf8");
    return this;
  }
  #room(bytes: number): void {
    if (this.#at + bytes <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(2 * this.#buffer.length, this.#at + bytes));
    this.#buffer.copy(larger, 0, 0, this.#at);
    this.#buffer = larger;
  }
}

/** In the form of array_recv. `type` is that of the array. */
function writeArray(to: Requests, values: Extract<Param, readonly unknown[]>, type: number): void {
  const element = elementOf(type) ?? 25;
  to.int32(1)
    .int32(values.includes(null) ? 1 : 0)
    .int32(element)
    .int32(values.length)
    .int32(1);
  for (const value of values) {
    if (value === null) to.int32(-1);
    else if (value instanceof Uint8Array) to.sizedBytes(value);
    else if (element === 25) to.sizedText(String(value));
    else if (element === 16) to.int32(1).byte(value === true ? 1 : 0);
    else if (element === 701) to.int32(8).float64(Number(value));
    else if (element === 20) to.int32(8).int64(Number(value));
    else if (element === 23) to.int32(4).int32(Number(value));
    else to.int32(2).int16(Number(value));
  }
}

const isBinary = (value: Param, type: number): boolean => {
  if (value === null || typeof value !== "object") return false;
  if (value instanceof Uint8Array) return true;
  invariant(elementOf(type) !== undefined, `an array was given for a parameter of type ${type}`);
  return true;
};

interface Column {
  readonly name: string;
  /** Decodes the binary form. A column without a decoder is requested as text. */
  readonly decode: Decode | undefined;
}

/** Parameters and columns of a prepared statement. Types by their oid. */
export interface Statement {
  readonly name: string;
  readonly parameters: readonly number[];
  readonly columns: readonly Column[];
}

/** The engine's error on a statement. `code` is its SQLSTATE. */
export class SqlError extends Error {
  readonly code: string;
  readonly detail: string | undefined;
  readonly isLast: boolean;

  constructor(message: string, code: string, detail: string | undefined, isLast = false) {
    super(message);
    this.name = "SqlError";
    this.code = code;
    this.detail = detail;
    this.isLast = isLast;
  }
}

/** Gives out each message with its kind and the range of its body. Throws the first error. */
function eachMessage(answer: Buffer, take: (kind: number, from: number, to: number) => void): void {
  for (let at = 0; at < answer.length; ) {
    const kind = answer[at] ?? 0;
    const end = at + 1 + answer.readInt32BE(at + 1);
    invariant(end <= answer.length, "the engine's answer ends within a message");
    if (kind === error) throw toError(answer.subarray(at + 5, end));
    take(kind, at + 5, end);
    at = end;
  }
}

const [error, parameterDescription, rowDescription, dataRow] = [0x45, 0x74, 0x54, 0x44]; // E t T D

function toError(body: Buffer): SqlError {
  const fields = new Map(
    body
      .toString("utf8")
      .split("\0")
      .map((field) => [field[0], field.slice(1)]),
  );
  const isLast = fields.get("V") === "PANIC" || fields.get("V") === "FATAL";
  return new SqlError(fields.get("M") ?? "an error without a message", fields.get("C") ?? "XX000", fields.get("D"), isLast);
}

export function checkAnswer(answer: Uint8Array): void {
  eachMessage(asBuffer(answer), () => {});
}

export function readStatement(name: string, bytes: Uint8Array): Statement {
  const answer = asBuffer(bytes);
  let parameters: readonly number[] = [];
  let columns: readonly Column[] = [];
  eachMessage(answer, (kind, from) => {
    if (kind === parameterDescription)
      parameters = Array.from({ length: answer.readInt16BE(from) }, (_, i) => answer.readInt32BE(from + 2 + 4 * i));
    if (kind === rowDescription) columns = readColumns(answer, from);
  });
  return { name, parameters, columns };
}

function readColumns(answer: Buffer, from: number): Column[] {
  let at = from + 2;
  return Array.from({ length: answer.readInt16BE(from) }, () => {
    const end = answer.indexOf(0, at);
    const name = answer.toString("utf8", at, end);
    const type = answer.readInt32BE(end + 7); // after the table and the column's number in it
    at = end + 19;
    return { name, decode: decoderOf(type) };
  });
}

export function readRows({ columns }: Statement, bytes: Uint8Array): object[] {
  const answer = asBuffer(bytes);
  const rows: object[] = [];
  eachMessage(answer, (kind, from) => {
    if (kind === dataRow) rows.push(readRow(columns, answer, from + 2));
  });
  return rows;
}

function readRow(columns: readonly Column[], answer: Buffer, from: number): object {
  const row: Record<string, unknown> = {};
  let at = from;
  for (const { name, decode } of columns) {
    const length = answer.readInt32BE(at);
    at += 4;
    if (length < 0) row[name] = null;
    else {
      row[name] = decode ? decode(answer, at, at + length) : answer.toString("utf8", at, at + length);
      at += length;
    }
  }
  return row;
}

const asBuffer = ({ buffer, byteOffset, length }: Uint8Array): Buffer => Buffer.from(buffer, byteOffset, length);
