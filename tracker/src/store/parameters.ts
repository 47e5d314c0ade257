/** Parameters in a form that both engines accept: bytes as they are, everything else as PostgreSQL's text. */
import { encodeByteaArray, isByteaArray } from "./bytea-array.ts";
import type { Param } from "./database.ts";

type Scalar = string | number | boolean | null;

export function encodeParameter(value: Param): string | Buffer | null {
  if (value === null) return null;
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.length);
  if (typeof value !== "object") return String(value);
  return isByteaArray(value) ? encodeByteaArray(value) : `{${(value as readonly Scalar[]).map(element).join(",")}}`;
}

/** An element of an array literal: quoted unless it is a number. */
function element(value: Scalar): string {
  if (value === null) return "NULL";
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return `"${value.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}
