/**
 * Canonical JSON (RFC 8785, JCS): keys sorted by UTF-16 code units, no white space, numbers as ECMAScript prints them.
 * Refuses what JSON cannot carry: undefined, NaN, infinities, -0, lone surrogates.
 */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

export const canonicalJson = (value: unknown): string => (isInForm(value) ? JSON.stringify(value) : written(value));

/** Whether JSON.stringify writes the value canonically. */
function isInForm(value: unknown): boolean {
  switch (typeof value) {
    case "boolean":
      return true;
    case "number":
      return Number.isFinite(value) && !Object.is(value, -0);
    case "string":
      return value.isWellFormed();
    case "object": {
      if (value === null) return true;
      if (Array.isArray(value)) {
        for (let i = 0; i < value.length; i++) if (!isInForm(value[i])) return false;
        return true;
      }
      const proto: unknown = Object.getPrototypeOf(value);
      if (proto !== Object.prototype && proto !== null) return false;
      const object = value as Record<string, unknown>;
      let last = "";
      for (const key of Object.keys(object)) {
        if (key < last || !key.isWellFormed() || !isInForm(object[key])) return false;
        last = key;
      }
      return true;
    }
    default:
      return false;
  }
}

function written(value: unknown): string {
  if (value === null || typeof value === "boolean") return String(value);
  if (typeof value === "number") {
    if (!Number.isFinite(value) || Object.is(value, -0)) throw new TypeError(`canonical JSON cannot carry the number ${value}`);
    return JSON.stringify(value);
  }
  if (typeof value === "string") {
    if (!value.isWellFormed()) throw new TypeError("canonical JSON cannot carry a lone surrogate");
    return JSON.stringify(value);
  }
  if (Array.isArray(value)) return `[${value.map(written).join(",")}]`;
  if (typeof value === "object") {
    const object = value as Record<string, unknown>;
    return `{${Object.keys(object)
      .sort()
      .map((key) => `${written(key)}:${written(object[key])}`)
      .join(",")}}`;
  }
  throw new TypeError(`canonical JSON cannot carry ${typeof value}`);
}

/** Nesting depth of a JSON value: 0 for a scalar, 1 for a flat array or object. */
export function jsonDepth(value: unknown): number {
  if (value === null || typeof value !== "object") return 0;
  let deepest = 0;
  for (const child of Object.values(value)) deepest = Math.max(deepest, jsonDepth(child));
  return deepest + 1;
}

/**
 * A reviver for what users write, in JSON or YAML: what JSON.parse takes and canonical JSON does not is refused with the name of
 * its field, in a list with its place, as SyntaxError, and -0 is 0.
 */
export function reviveJson(name: string, value: unknown): unknown {
  const refuse = (why: string): never => {
    throw new SyntaxError(`${name === "" ? "" : `${JSON.stringify(name)}: `}${why}`);
  };
  if (!name.isWellFormed()) refuse("its name has half of a character");
  if (typeof value === "number")
    return Number.isFinite(value) ? value + 0 : refuse("its number is not a finite one (they end at 1.8e308)");
  if (typeof value === "string" && !value.isWellFormed()) return refuse("its text has half of a character");
  return value;
}
