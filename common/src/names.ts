/**
 * Names from outside as keys of objects. `constructor` is a name like any other if it is looked up as an object's own.
 * `__proto__` is refused: assigned to an object it is no key of it, and readers of documents drop it.
 */
export const own = <T>(map: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(map, name) ? map[name] : undefined;

/** Where a document has a field `__proto__`, `tunables.__proto__`; undefined where it has none. */
export function unnamable(json: unknown, path = ""): string | undefined {
  if (typeof json !== "object" || json === null) return undefined;
  for (const name of Object.keys(json)) {
    const at = Array.isArray(json) ? `${path}[${name}]` : path === "" ? name : `${path}.${name}`;
    if (name === "__proto__") return at;
    const found = unnamable((json as Readonly<Record<string, unknown>>)[name], at);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The end of a sentence that begins with where it is. */
export const unnamableWords = "no field may have this name; choose another";

/** A field's name: camelCase in the code, snake_case in JSON and on the wire. */
export type Snake<S extends string> = S extends `${infer C}${infer Rest}`
  ? `${C extends Lowercase<C> ? C : `_${Lowercase<C>}`}${Snake<Rest>}`
  : "";

/** `minRepeatMs` -> `min_repeat_ms`. */
export const snakeOf = <S extends string>(name: S): Snake<S> =>
  name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`) as Snake<S>;
