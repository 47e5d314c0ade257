/**
 * Code that names something new takes a NewId, and code that makes a key takes RandomBytes; tests give counting ones. Only this
 * file uses randomUUID and randomBytes.
 */
import { randomBytes, randomUUID } from "node:crypto";

export type NewId = () => string;

export const randomId: NewId = () => randomUUID();

export type RandomBytes = (length: number) => Uint8Array;

export const systemRandomBytes: RandomBytes = (length) => randomBytes(length);

export function countedIds(prefix: string): NewId {
  let count = 0;
  return () => `${prefix}-${++count}`;
}
