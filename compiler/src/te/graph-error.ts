import { dtypes, strangeKey } from "@warpfarm/common";

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

/** A user's file is not checked by types. */
export function checkType(what: string, dtype: string): void {
  if (!(dtypes as readonly string[]).includes(dtype))
    refuse(`${what} is of ${JSON.stringify(dtype)}, which is no type; types are ${dtypes.join(", ")}`);
}

/** Index arithmetic is int32: an extent stays below 2^31. */
export function checkExtent(what: string, extent: number): number {
  if (!Number.isSafeInteger(extent) || extent < 1 || extent >= 2 ** 31)
    refuse(`${what} has extent ${extent}; an extent is a whole number from 1 to 2147483647`);
  return extent;
}

/**
 * `given`, which has no other options than these. Throws GraphError that names the operator. A user's file is not checked by
 * types, and an option that is misspelt would be left out in silence: another computation would be searched.
 */
export function optionsOf<Options extends object>(
  what: string,
  given: Options,
  names: readonly (keyof Options & string)[],
): Options {
  if (typeof given !== "object" || given === null || Array.isArray(given))
    refuse(`${what} takes its options by name, as { ${names[0]}: ... }, and was given ${JSON.stringify(given) ?? typeof given}`);
  const strange = strangeKey("option", given, names);
  if (strange) refuse(`${what} ${strange.words}`);
  return given;
}
