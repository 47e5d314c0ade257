/**
 * Reads untrusted JSON. Every fault is a DecodeError with the path, what was found and what is allowed. An unknown field is a
 * fault, because the document may mean something that this code does not understand.
 */
import type { Json } from "@warpfarm/common";
import { isName } from "../te/graph-error.ts";

export class DecodeError extends Error {
  override readonly name = "DecodeError";
}

export function fail(path: string, message: string): never {
  throw new DecodeError(`${path}: ${message}`);
}

export function show(value: unknown): string {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length <= 60 ? text : `${text.slice(0, 57)}...`;
}

export type JsonObject = { readonly [key: string]: Json };

export function readObject(value: Json | undefined, path: string): JsonObject {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return fail(path, `${show(value)} is not an object`);
  return value as JsonObject;
}

export function readFields<K extends string, O extends string = never>(
  value: Json | undefined,
  path: string,
  fields: readonly K[],
  others: readonly O[] = [],
): { readonly [key in K]: Json } & { readonly [key in O]?: Json } {
  const object = readObject(value, path);
  const known: readonly string[] = [...fields, ...others];
  for (const key of Object.keys(object))
    if (!known.includes(key)) fail(path, `unknown field ${show(key)}; known are ${known.join(", ")}`);
  for (const key of fields) if (!Object.hasOwn(object, key)) fail(path, `the field "${key}" is missing`);
  return object as { readonly [key in K]: Json } & { readonly [key in O]?: Json };
}

export function readList<T>(value: Json | undefined, path: string, read: (item: Json, path: string) => T, most = 65_536): T[] {
  if (!Array.isArray(value)) return fail(path, `${show(value)} is not a list`);
  if (value.length > most) fail(path, `a list of ${value.length}; at most ${most} are allowed`);
  return value.map((item, i) => read(item, `${path}[${i}]`));
}

export function readString(value: Json | undefined, path: string): string {
  return typeof value === "string" ? value : fail(path, `${show(value)} is not a string`);
}

export function readName(value: Json | undefined, path: string): string {
  const text = readString(value, path);
  return isName(text)
    ? text
    : fail(path, `${show(text)} is not a name; a name is a letter or _, then up to 63 letters, digits or _`);
}

export function readInt(value: Json | undefined, path: string, least: number, most: number): number {
  if (typeof value !== "number" || !Number.isSafeInteger(value) || value < least || value > most)
    return fail(path, `${show(value)} is not a whole number from ${least} to ${most}`);
  return value;
}

export function readOneOf<T extends string>(value: Json | undefined, path: string, allowed: readonly T[]): T {
  const found = allowed.find((item) => item === value);
  return found ?? fail(path, `${show(value)}; one of ${allowed.join(", ")}`);
}
