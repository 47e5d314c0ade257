/** Thrown when an invariant is broken, so the code is wrong. Ends the child and fails the test; nobody catches it and goes on. */
export class InternalError extends Error {
  override readonly name = "InternalError";
}

export function invariant(condition: unknown, message: string): asserts condition {
  if (!condition) throw new InternalError(message);
}

/** Ends a switch over a union: a new member makes this call a type error. */
export function assertNever(value: never): never {
  throw new InternalError(`unexpected value ${JSON.stringify(value)}`);
}
