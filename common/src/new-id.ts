/**
 * Ids are a parameter: code that names something new takes a NewId, tests give one that counts. The only randomUUID of the farm's
 * services.
 */
import { randomUUID } from "node:crypto";

/** An id that no other call gave, here or elsewhere. */
export type NewId = () => string;

export const randomId: NewId = () => randomUUID();

/** "lease-1", "lease-2", ... */
export function countedIds(prefix: string): NewId {
  let count = 0;
  return () => `${prefix}-${++count}`;
}
