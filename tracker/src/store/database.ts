/**
 * What the tracker asks of its engine: parameterised SQL and transactions. Statements are PostgreSQL 15 and run unchanged on
 * PGlite and, through another adapter, on a server. An adapter gives integers as numbers, bytea as Uint8Array, timestamps as
 * Date, arrays as arrays; it does nothing else.
 */
export type Param = string | number | boolean | null | Uint8Array | readonly (string | number | boolean | null | Uint8Array)[];

export interface Queryable {
  query<Row extends object>(sql: string, params?: readonly Param[]): Promise<readonly Row[]>;
}

export interface Transaction extends Queryable {
  /** `copy TABLE (COLUMNS) from stdin` with rows in its text form; absent where the engine has no better way than a statement. */
  copy?(statement: string, text: string): Promise<void>;
}

/** Those of which each job leaves dead rows. */
export type SweptTable = "leases" | "requests";

export interface Database extends Queryable, AsyncDisposable {
  /** For statements whose loss, when the engine dies, costs nothing but work done again: they need not wait for the disk. */
  readonly lazy: Queryable;
  /** Commits when `work` resolves, rolls back when it rejects. Resolved = durable. */
  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
  /** Several statements without parameters. */
  script(sql: string): Promise<void>;
  /** Of a store in this process: aborts, with the reason, when it is no more; only a new start brings it back. */
  readonly gone?: AbortSignal;
  /** Present when other trackers may use the same store. */
  readonly shared?: SharedStore;
  /**
   * A step of what a server does by itself (vacuum, checkpoints) and an embedded engine does not. True when with it all was done
   * once more.
   */
  maintain(): Promise<boolean>;
  /**
   * Clears away the rows that jobs left, which a server does once a minute: after a hundred thousand a batch of outcomes takes
   * three times as long.
   */
  sweep(table: SweptTable): Promise<void>;
}

/**
 * How trackers of one store speak to each other. Nothing depends on a message arriving: whoever misses one sees the store a
 * second later.
 */
export interface SharedStore {
  /** To every tracker that listens, this one included. At most 7,900 bytes. */
  notify(message: string): Promise<void>;
  listen(onMessage: (message: string) => void): void;
  /** Trackers that listen. */
  members(): Promise<number>;
  /** One tracker at a time leads, for as long as it lives and is connected: it does what one of them should do. */
  leads(): Promise<boolean>;
}
