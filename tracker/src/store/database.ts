/**
 * What the tracker asks of its engine: parameterised SQL and transactions. Statements are PostgreSQL 15 and run unchanged on PGlite and,
 * through another adapter, on a server. An adapter gives integers as numbers, bytea as Uint8Array, timestamps as Date, arrays as arrays;
 * it does nothing else.
 */
export type Param = string | number | boolean | null | Uint8Array | readonly (string | number | boolean | null | Uint8Array)[];

export interface Queryable {
  query<Row extends object>(sql: string, params?: readonly Param[]): Promise<readonly Row[]>;
}

export interface Database extends Queryable, AsyncDisposable {
  /** For statements whose loss, when the engine dies, costs nothing but work done again: they need not wait for the disk. */
  readonly lazy: Queryable;
  /** Commits when `work` resolves, rolls back when it rejects. Resolved = durable. */
  transaction<T>(work: (tx: Queryable) => Promise<T>): Promise<T>;
  /** Several statements without parameters. */
  script(sql: string): Promise<void>;
  /** What a server does by itself (autovacuum) and an embedded engine does not. */
  maintain(): Promise<void>;
}
