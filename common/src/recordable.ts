/**
 * What a store of records can keep of a JSON value that somebody sent. Whoever accepts such a value asks this function, so that
 * whatever is written later can be written: PostgreSQL's json has a limit of depth and no NUL, canonicalJson (which names
 * problems and claims) has no lone surrogates, no infinities and no -0, and `__proto__` is no key that JavaScript keeps
 * everywhere.
 */
import type { Json } from "./canonical.ts";
import { printable } from "./words.ts";

/** The most nested arrays and objects. A program's document may have as many. */
export const mostRecordableDepth = 64;

/** Why a record cannot have the value, for a message that names it; undefined when it can. */
export function whyUnrecordable(value: Json, depth = mostRecordableDepth): string | undefined {
  switch (typeof value) {
    case "string":
      return whyUnrecordableText(value);
    case "number":
      return Number.isFinite(value) && !Object.is(value, -0) ? undefined : `the number ${Object.is(value, -0) ? "-0" : value}`;
    case "object": {
      if (value === null) return undefined;
      if (depth === 0) return `nested deeper than ${mostRecordableDepth}`;
      if (Array.isArray(value)) return firstOf(value, depth);
      const keys = Object.keys(value);
      if (keys.includes("__proto__")) return 'a key "__proto__"';
      return firstOf(keys, 1) ?? firstOf(Object.values(value), depth);
    }
    default:
      return undefined;
  }
}

export function whyUnrecordableText(text: string): string | undefined {
  if (text.includes("\0")) return "a NUL character";
  return text.isWellFormed() ? undefined : "a lone surrogate";
}

/** Why a text cannot be a name, which commands show on other people's terminals; undefined when it can. */
export function whyNoName(text: string): string | undefined {
  return (
    whyUnrecordableText(text) ??
    (printable(text) === text ? undefined : "a control character or one that turns the direction of text")
  );
}

function firstOf(values: readonly Json[], depth: number): string | undefined {
  for (const value of values) {
    const why = whyUnrecordable(value, depth - 1);
    if (why !== undefined) return why;
  }
  return undefined;
}
