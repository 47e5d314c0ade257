/**
 * The part of PostgreSQL's wire protocol that a session over PGlite needs (PostgreSQL documentation, "Message Formats").
 * node-postgres writes the requests. It reads answers as text; here they are read in binary, because text costs more at both
 * ends, and the engine's end is WebAssembly.
 */
import { invariant } from "@warpfarm/common";
import { serialize } from "pg-protocol";
import type { Param } from "./database.ts";
import { encodeParameter } from "./parameters.ts";
import { type Decode, decoderOf } from "./wire-types.ts";

/** Messages that follow each other. */
export type Messages = readonly Buffer[];

export const toQuery = (sql: string): Messages => [serialize.query(sql)];

export const toPrepare = (name: string, text: string): Messages => [
  serialize.parse({ name, text }),
  serialize.describe({ type: "S", name }),
  serialize.sync(),
];

export function toRun({ name, parameters }: Statement, params: readonly Param[]): Messages {
  invariant(params.length === parameters, `${params.length} parameters were given of ${parameters}`);
  return [
    serialize.bind({ statement: name, values: params.map(encodeParameter), binary: true }),
    serialize.execute(),
    serialize.sync(),
  ];
}

/** In a buffer of its own, which may be transferred. */
export function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((n, part) => n + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

interface Column {
  readonly name: string;
  readonly decode: Decode;
}

/** A prepared statement: the number of its parameters, and its columns. */
export interface Statement {
  readonly name: string;
  readonly parameters: number;
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
  let parameters = 0;
  let columns: readonly Column[] = [];
  eachMessage(answer, (kind, from) => {
    if (kind === parameterDescription) parameters = answer.readInt16BE(from);
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
    const decode = decoderOf(type);
    invariant(decode, `column ${name} has type ${type}, which wire-types.ts does not read; the statement must cast it`);
    at = end + 19;
    return { name, decode };
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
      row[name] = decode(answer, at, at + length);
      at += length;
    }
  }
  return row;
}

const asBuffer = ({ buffer, byteOffset, length }: Uint8Array): Buffer => Buffer.from(buffer, byteOffset, length);
