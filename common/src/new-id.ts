/**
 * Ids and keys are parameters. Code that names something new takes a NewId, and code that makes a key takes RandomBytes; tests
 * give counting ones. Only this file uses randomUUID and randomBytes.
 */
import { randomBytes, randomUUID } from "node:crypto";

/** Gives an id that no other call gave, on this machine or another. */
export type NewId = () => string;

export const randomId: NewId = () => randomUUID();

/** Gives the number of bytes asked for; nobody can guess them. */
export type RandomBytes = (length: number) => Uint8Array;

export const systemRandomBytes: RandomBytes = (length) => randomBytes(length);

/** "lease-1", "lease-2", ... */
export function countedIds(prefix: string): NewId {
  let count = 0;
  return () => `${prefix}-${++count}`;
}
