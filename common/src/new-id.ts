/**
 * Ids and keys are parameters: code that names something new takes a NewId, code that makes a key takes RandomBytes, tests give
 * what counts. The only randomUUID and randomBytes of the project.
 */
import { randomBytes, randomUUID } from "node:crypto";

/** An id that no other call gave, here or elsewhere. */
export type NewId = () => string;

export const randomId: NewId = () => randomUUID();

/** As many bytes as asked for, that nobody can guess. */
export type RandomBytes = (length: number) => Uint8Array;

export const systemRandomBytes: RandomBytes = (length) => randomBytes(length);

/** "lease-1", "lease-2", ... */
export function countedIds(prefix: string): NewId {
  let count = 0;
  return () => `${prefix}-${++count}`;
}
