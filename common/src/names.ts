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
