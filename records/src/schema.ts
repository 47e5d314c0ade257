/**
 * zod, whose refusals say what was found and what is allowed in the words of the other messages. A schema's own message comes
 * first.
 */
import { z } from "zod";

const kinds: Readonly<Record<string, string>> = {
  string: "a string",
  number: "a number",
  int: "an integer",
  boolean: "true or false",
  array: "a list",
  tuple: "a list",
  object: "an object",
  record: "an object",
  null: "null",
};

function found(value: unknown): string {
  if (value === undefined) return "missing";
  if (value === "") return "an empty string";
  if (Array.isArray(value)) return value.length === 0 ? "an empty list" : "a list";
  if (typeof value === "object" && value !== null) return "an object";
  const text = typeof value === "string" ? JSON.stringify(value) : String(value);
  return text.length > 60 ? `${text.slice(0, 60)}...` : text;
}

/** `1 item`, `2 characters`; a number alone. */
function counted(origin: string, count: number | bigint): string {
  const noun = ({ string: "character", array: "item", set: "item", map: "key" } as Readonly<Record<string, string>>)[origin];
  return noun === undefined ? `${count}` : `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/** What zod calls an issue, as a sentence after the field's name; undefined for a kind that has its own words. */
function issueWords(issue: z.core.$ZodRawIssue): string | undefined {
  // A file of nothing is null.
  const isEmptyFile = issue.input === null && (issue.path ?? []).length === 0;
  const is = `it is ${isEmptyFile ? "empty" : found(issue.input)}`;
  switch (issue.code) {
    case "invalid_type":
      return `${is}; it takes ${kinds[issue.expected] ?? issue.expected}`;
    case "invalid_value":
      return `${is}; it takes ${issue.values.map(String).join(", ")}`;
    case "too_small":
      return `${is}; it takes ${issue.inclusive === false ? "more than" : "at least"} ${counted(issue.origin, issue.minimum)}`;
    case "too_big":
      return `${is}; it takes ${issue.inclusive === false ? "less than" : "at most"} ${counted(issue.origin, issue.maximum)}`;
    case "unrecognized_keys":
      return `${issue.keys.join(", ")} ${issue.keys.length === 1 ? "is no field" : "are no fields"} of it`;
    case "invalid_union":
    case "custom":
      if ("discriminator" in issue && typeof issue.discriminator === "string")
        return `it is ${found((issue.input as { readonly [name: string]: unknown })[issue.discriminator])}, which is none of the kinds that are allowed here`;
      return `${is}, which is of none of the forms that are allowed here`;
    default:
      return undefined;
  }
}

z.config({ customError: issueWords });

export { z };
