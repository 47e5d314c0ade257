/** The columns of the table of records (schema.ts), in the order in which statements name them. */

export type Cell = string | number | boolean | null;

/** Name, type of a parameter, and its cast to the column's type where that differs. */
export const columns: readonly (readonly [name: string, type: string, cast?: string])[] = [
  ["key", "text", "::uuid"],
  ["id", "text"],
  ["at", "bigint"],
  ["namespace", "text"],
  ["standing", "smallint"],
  ["claim", "text", "::uuid"],
  ["task", "text"],
  ["problem", "text"],
  ["computation", "text", "::uuid"],
  ["template", "text"],
  ["kernel", "text"],
  ["target", "text"],
  ["device_key", "text"],
  ["device_name", "text"],
  ["session", "text"],
  ["owner", "text"],
  ["imported", "boolean"],
  ["usable", "smallint"],
  ["flushed", "boolean"],
  ["seconds", "double precision"],
  ["error_no", "smallint"],
  ["doc", "text"],
];
