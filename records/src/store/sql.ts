import type { Cell } from "./columns.ts";

/** The common part of a tracker's Database and a PGlite directory. */
export interface Sql {
  query<Row extends object>(sql: string, params?: readonly SqlParam[]): Promise<readonly Row[]>;
  transaction<T>(work: (tx: SqlTransaction) => Promise<T>): Promise<T>;
}

export interface SqlTransaction extends Pick<Sql, "query"> {
  /** `copy TABLE (COLUMNS) from stdin with (...)`, with rows in the form that it names. */
  copy?(statement: string, rows: Uint8Array): Promise<void>;
}

export type SqlParam = Cell | readonly Cell[];
