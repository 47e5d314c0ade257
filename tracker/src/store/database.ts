/**
 * What the tracker needs of its engine: SQL with parameters, and transactions. Statements are PostgreSQL 15 and run unchanged on
 * PGlite and, through another adapter, on a server. An adapter returns integers as numbers, bytea as Uint8Array, timestamps as
 * Date, arrays as arrays, and does nothing else.
 */

/** SQLSTATE of a full disk. */
export const diskFull = "53100";

export type Param = string | number | boolean | null | Uint8Array | readonly (string | number | boolean | null | Uint8Array)[];

export interface Queryable {
  query<Row extends object>(sql: string, params?: readonly Param[]): Promise<readonly Row[]>;
}

export interface Transaction extends Queryable {
  /** `copy TABLE (COLUMNS) from stdin with (...)`, with rows in the form that it names; absent where a statement is as good. */
  copy?(statement: string, rows: Uint8Array): Promise<void>;
}

type SweptTable = "leases" | "requests";

export interface Database extends Queryable, AsyncDisposable {
  /** For statements whose loss, when the engine dies, only costs repeated work: they need not wait for the disk. */
  readonly lazy: Queryable;
  /** Commits when `work` resolves, rolls back when it rejects. Resolved = durable. */
  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
  script(sql: string): Promise<void>;
  /** For a store in this process: aborts, with the reason, when the store stopped. Only a new start brings it back. */
  readonly gone?: AbortSignal;
  readonly shared?: SharedStore;
  /** One step of what a server does by itself (vacuum, checkpoints) and an embedded engine does not. */
  maintain(): Promise<boolean>;
  /** Removes the dead rows of jobs, as a server does once a minute. */
  sweep(table: SweptTable): Promise<void>;
}

/** Messages between trackers of one store. */
export interface SharedStore {
  /** Sends to every tracker that listens, including this one. At most 7,900 bytes. */
  notify(message: string): Promise<void>;
  listen(onMessage: (message: string) => void): void;
  members(): Promise<number>;
  /** One tracker leads as long as it is alive and connected. */
  leads(): Promise<boolean>;
}
