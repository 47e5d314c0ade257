/** Thrown when an invariant is broken, so the code is wrong. Nobody catches it and continues. */
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
