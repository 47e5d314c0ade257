/** An invalid computation. The message names the tensor, what was found and what is allowed. Thrown at declaration. */
export class GraphError extends Error {
  override readonly name = "GraphError";
}

const namePattern = /^[A-Za-z_]\w{0,63}$/;
export const isName = (text: string): boolean => namePattern.test(text);

export function refuse(message: string): never {
  throw new GraphError(message);
}

/** Names go into programs, IR and device text, so they are identifiers of bounded length everywhere. */
export function checkName(what: string, name: string): string {
  if (!isName(name))
    refuse(
      `${what} ${JSON.stringify(name.slice(0, 80))} is not a name; a name is a letter or _, then up to 63 letters, digits or _`,
    );
  return name;
}

/** Index arithmetic is int32: an extent stays below 2^31. */
export function checkExtent(what: string, extent: number): number {
  if (!Number.isSafeInteger(extent) || extent < 1 || extent >= 2 ** 31)
    refuse(`${what} has extent ${extent}; an extent is a whole number from 1 to 2147483647`);
  return extent;
}
