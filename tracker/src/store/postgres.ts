/**
 * A PostgreSQL server as the engine: any number of trackers on one database. Two pools, one whose commits wait for the disk and
 * one whose do not (Database.lazy), and one connection that listens and holds the leader's lock. Statements are parsed once a
 * connection and planned every few seconds: a plan made for an empty table is a disaster for one full of dead rows. A server that
 * cannot be reached, or not written to for the moment, is UNAVAILABLE; a deadlock is tried again.
 */
import { Socket } from "node:net";
import { AsyncStack, badInput, type Clock, FarmError, systemClock } from "@warpfarm/common";
import pg from "pg";
import { type Repeated, repeat } from "../flow/repeat.ts";
import { type Database, diskFull, type Param, type Queryable, type SharedStore, type Transaction } from "./database.ts";
import { migrate } from "./migrate.ts";
import { encodeParameter } from "./parameters.ts";
import { copyIn } from "./postgres-copy.ts";

/** The most of each pool. */
const connections = { durable: 8, lazy: 4 };
const connectMs = 5_000;
const statementMs = 30_000;
/** A server that has not answered a statement for this time counts as gone. */
const shippedSilentMs = 35_000;
const lookForSilentMs = 1_000;
/** Server settings, so that a tracker that vanished does not keep its locks and connections for two hours. */
const letGoOfTheDead =
  "set idle_in_transaction_session_timeout = 30000; set tcp_keepalives_idle = 10; set tcp_keepalives_interval = 5; set tcp_keepalives_count = 3";
/** A plan is made anew after this time. */
const planMs = 3_000;
const tries = 4;
const reconnectMs = 500;
/** The time for closing a listening connection in order. */
const partingMs = 1_000;
const channel = "warpfarm";
const listenerName = "warpfarm-listener";
const leaderLock = 7_246_552;

interface PostgresOptions {
  /** Receives errors that belong to no caller, such as a connection that broke while idle. */
  readonly onError?: (error: Error) => void;
  readonly clock?: Clock;
}

/** `url`: postgres://user:password@host:port/database?sslmode=require. Returns the database migrated and ready. */
export async function openPostgres(url: string, options: PostgresOptions = {}): Promise<Database> {
  const { onError = () => {}, clock = systemClock } = options;
  const stack = new AsyncStack();
  const around: Around = { stack, onError, clock };
  try {
    await migrated(url, around);
    const durable = openPool(url, connections.durable, "on", around);
    const lazy = openPool(url, connections.lazy, "off", around);
    const shared = new Listener(url, lazy, onError, clock);
    stack.use(shared);
    return adaptPostgres({ durable, lazy, shared, clock }, stack);
  } catch (error) {
    await stack[Symbol.asyncDispose]();
    const { cause } = error as Error;
    const remedy = "sslmode=verify-full&sslrootcert=FILE names who signed it, sslmode=no-verify takes any";
    if (cause instanceof Error && isCertificate(cause))
      throw badInput(`--database-url: the server's certificate: ${cause.message}; ${remedy}`, { cause });
    if (!isRefusal.test(stateOf(error) ?? "")) throw error;
    throw badInput(`--database-url: ${(error as Error).message}`, { cause: error });
  }
}

/** On a connection of its own: a migration of a large table takes longer than any other statement may. */
async function migrated(url: string, { onError, clock }: Around): Promise<void> {
  await using stack = new AsyncStack();
  const pool = openPool(url, 2, "on", { stack, onError, clock }, { statementMs: 0, silentMs: Number.POSITIVE_INFINITY });
  const { pathname, host } = new URL(url);
  await migrate(adaptPostgres({ durable: pool, lazy: pool, clock }, stack), `the database ${pathname.slice(1)} of ${host}`);
}

/** SQLSTATEs of a wrong address: the role or its password (28), the database (3D), no right to make tables (42501). */
const isRefusal = /^(28|3D|42501)/;

const integer = { 20: Number, 1016: (text: string) => (text === "{}" ? [] : text.slice(1, -1).split(",").map(Number)) } as const;
type TypeParser = (text: string) => unknown;
const types = {
  getTypeParser: (oid: number, format?: "text" | "binary"): TypeParser =>
    (integer as Record<number, TypeParser>)[oid] ?? (pg.types.getTypeParser(oid, format) as TypeParser),
};

interface Around {
  readonly stack: AsyncStack;
  readonly onError: (error: Error) => void;
  readonly clock: Clock;
}

function openPool(
  url: string,
  max: number,
  synchronousCommit: "on" | "off",
  { stack, onError, clock }: Around,
  patience?: { readonly statementMs: number; readonly silentMs: number },
): pg.Pool {
  const { connectionString, silentMs } = { ...withoutQueryTimeout(url), ...patience };
  const pool = new pg.Pool({
    connectionString,
    max,
    types: types as pg.CustomTypesConfig,
    connectionTimeoutMillis: connectMs,
    statement_timeout: patience?.statementMs ?? statementMs,
    keepAlive: true,
    application_name: "warpfarm-tracker",
    onConnect: (client) =>
      client.query({
        text: `set synchronous_commit = ${synchronousCommit}; set plan_cache_mode = force_generic_plan; set jit = off; ${letGoOfTheDead}`,
        query_timeout: connectMs, // it is not in use yet, so that nobody else looks (endSilent)
      } as pg.QueryConfig),
  });
  const planned = new WeakMap<pg.PoolClient, number>();
  // Sent before the statement for which the connection was taken. That statement reports a broken connection.
  pool.on("acquire", (client) => {
    const now = clock.monotonic();
    if (now - (planned.get(client) ?? now) > planMs) client.query("discard plans").catch(() => {});
    else if (planned.has(client)) return;
    planned.set(client, now);
  });
  pool.on("error", onError);
  const watch = endSilent(pool, silentMs, clock);
  // A connection that breaks between the statements of a transaction reports to nobody; the next statement fails.
  pool.on("connect", (client) => void client.on("error", () => {}));
  stack.defer(async () => {
    await pool.end(); // for which what is silent is ended
    await watch.stop();
  });
  return pool;
}

const askedAt = new WeakMap<pg.ClientBase, number>();

/**
 * Ends silent connections, which fails their statements. The driver's query_timeout is not used: its timer for each statement
 * keeps the statement's data so long that only a full garbage collection frees it.
 */
function endSilent(pool: pg.Pool, silentMs: number, clock: Clock): Repeated {
  const inUse = new Set<pg.PoolClient>();
  pool.on("acquire", (client) => {
    askedAt.set(client, clock.monotonic());
    inUse.add(client);
  });
  pool.on("release", (_, client) => void inUse.delete(client));
  const endThem = async () => {
    const since = clock.monotonic() - silentMs;
    for (const client of inUse)
      if ((askedAt.get(client) ?? since) < since)
        client.connection.stream.destroy(new Error(`a connection that was silent for ${silentMs} ms`));
  };
  return repeat({ clock, everyMs: lookForSilentMs }, endThem, () => {});
}

/** The URL's query_timeout, in ms, says how long a server may be silent, as in other programs. */
function withoutQueryTimeout(url: string): { readonly connectionString: string; readonly silentMs: number } {
  const [, ms] = /[?&]query_timeout=(\d+)/.exec(url) ?? [];
  return {
    connectionString: url.replace(/(?<=[?&])query_timeout=\d+&?/, ""),
    silentMs: ms === undefined ? shippedSilentMs : Number(ms),
  };
}

const names = new Map<string, string>();
function nameOf(sql: string): string {
  const name = names.get(sql) ?? `s${names.size + 1}`;
  names.set(sql, name);
  return name;
}

async function run<Row extends object>(
  on: pg.Pool | pg.PoolClient,
  sql: string,
  params: readonly Param[] = [],
): Promise<readonly Row[]> {
  return (await on.query({ name: nameOf(sql), text: sql, values: params.map(encodeParameter) })).rows as Row[];
}

const stateOf = (error: unknown): string | undefined => (error instanceof pg.DatabaseError ? error.code : undefined);
const isTransient = (error: unknown): boolean => ["40P01", "40001"].includes(stateOf(error) ?? "");

/**
 * SQLSTATEs that are not the fault of the statement: connections (08), resources such as a full disk (53), shutdown and start
 * (57P), a statement that waited too long for others (57014), a transaction left alone too long (25P03), a standby that becomes
 * the server (25006), and repeated conflicts (40001, 40P01).
 */
const isElsewhere = /^(08|53|57P|57014|25P03|25006|40001|40P01)/;

function toFarmError(error: unknown): unknown {
  const state = stateOf(error);
  if (!(state === undefined ? isGone(error) : isElsewhere.test(state))) return error;
  const { message } = error as Error;
  if (state === diskFull)
    return new FarmError("UNAVAILABLE", `the store has no room: ${message}`, { cause: error, rule: "store.full" });
  return new FarmError("UNAVAILABLE", `the store cannot be reached: ${message}`, { cause: error, rule: "store.away" });
}

/** An error of the connection itself and not of the server. */
const isGone = (error: unknown): error is Error => error instanceof Error && stateOf(error) === undefined && isConnection(error);
const isConnection = (error: Error & { code?: string }): boolean =>
  /^E[A-Z]+$|^ERR_(STREAM|SOCKET|SSL|TLS)_/.test(error.code ?? "") ||
  isCertificate(error) ||
  /connection|timeout|terminated|not queryable/i.test(error.message);

/** The error's code is one of OpenSSL's names, such as DEPTH_ZERO_SELF_SIGNED_CERT. */
const isCertificate = (error: Error & { code?: string }): boolean => /CERT|^UNABLE_TO_(GET|VERIFY)_/.test(error.code ?? "");

async function again<T>(work: () => Promise<T>): Promise<T> {
  for (let left = tries - 1; ; left--) {
    try {
      return await work();
    } catch (error) {
      if (left === 0 || !isTransient(error)) throw toFarmError(error);
    }
  }
}

interface Connections {
  readonly durable: pg.Pool;
  readonly lazy: pg.Pool;
  readonly shared?: SharedStore;
  readonly clock: Clock;
}

function adaptPostgres({ durable, lazy, shared, clock }: Connections, stack: AsyncStack): Database {
  const on = (pool: pg.Pool): Queryable => ({ query: (sql, params) => again(() => run(pool, sql, params)) });
  return {
    ...on(durable),
    lazy: on(lazy),
    ...(shared && { shared }),
    transaction: (work) => again(() => transact(durable, clock, work)),
    async script(sql) {
      await again(() => durable.query(sql));
    },
    maintain: async () => true, // autovacuum does
    // Truncating the file would lock out everybody.
    sweep: async (table) => void (await on(lazy).query(`vacuum (skip_locked, truncate off) ${table}`)),
    [Symbol.asyncDispose]: () => stack[Symbol.asyncDispose](),
  };
}

async function transact<T>(pool: pg.Pool, clock: Clock, work: (tx: Transaction) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    await client.query("begin");
    const query: Queryable["query"] = (sql, params) => {
      askedAt.set(client, clock.monotonic());
      return run(client, sql, params);
    };
    const copy: Transaction["copy"] = (statement, rows) => {
      askedAt.set(client, clock.monotonic());
      return copyIn(client, statement, rows);
    };
    const result = await work({ query, copy });
    await client.query("commit");
    return result;
  } catch (error) {
    // A lost connection has nothing to roll back, and asking it would take as long again.
    if (isGone(error)) broken = error;
    else
      await client.query("rollback").catch((e: Error) => {
        broken = e;
      });
    throw error;
  } finally {
    client.release(broken);
  }
}

interface Connection {
  readonly client: pg.Client;
  readonly socket: Socket;
}

/**
 * The connection that listens. It is made anew when it breaks. The leader's lock belongs to its session and goes with it. `leads`
 * asks the server each time, and gives up a connection that does not answer.
 */
class Listener implements SharedStore, AsyncDisposable {
  readonly #url: string;
  readonly #pool: pg.Pool;
  readonly #onError: (error: Error) => void;
  #onMessage: (message: string) => void = () => {};
  #connection: Connection | undefined;
  #connecting: Promise<Connection | undefined> | undefined;
  readonly #clock: Clock;
  #retryAt = Number.NEGATIVE_INFINITY;
  #isLeader = false;
  #closed = false;

  constructor(url: string, pool: pg.Pool, onError: (error: Error) => void, clock: Clock) {
    this.#clock = clock;
    this.#url = url;
    this.#pool = pool;
    this.#onError = onError;
  }

  async notify(message: string): Promise<void> {
    await run(this.#pool, "select pg_notify($1, $2)", [channel, message]).catch((error: Error) => this.#onError(error));
  }

  listen(onMessage: (message: string) => void): void {
    this.#onMessage = onMessage;
    void this.#connected();
  }

  async members(): Promise<number> {
    const others =
      "select count(*)::integer as n from pg_stat_activity where datname = current_database() and application_name = $1";
    const [row] = await again(() => run<{ n: number }>(this.#pool, others, [listenerName]));
    return row?.n ?? 0;
  }

  async leads(): Promise<boolean> {
    const connection = await this.#connected();
    if (!connection) return false;
    const { client, socket } = connection;
    try {
      const { rows } = await (this.#isLeader
        ? client.query<{ got: boolean }>("select true as got")
        : client.query<{ got: boolean }>("select pg_try_advisory_lock($1) as got", [leaderLock]));
      this.#isLeader = this.#connection === connection && (rows[0]?.got ?? false);
    } catch (error) {
      this.#gone(connection, error as Error);
      socket.destroy();
    }
    return this.#isLeader;
  }

  #gone(connection: Connection, error: Error): void {
    if (this.#connection !== connection) return;
    this.#connection = undefined;
    this.#isLeader = false;
    if (!this.#closed) this.#onError(error);
  }

  async #connected(): Promise<Connection | undefined> {
    if (this.#connection || this.#closed) return this.#connection;
    if (!this.#connecting && this.#clock.monotonic() >= this.#retryAt)
      this.#connecting = this.#connect().finally(() => {
        this.#connecting = undefined;
      });
    return this.#connecting;
  }

  async #connect(): Promise<Connection | undefined> {
    const socket = new Socket();
    const client = new pg.Client({
      connectionString: this.#url,
      connectionTimeoutMillis: connectMs,
      query_timeout: connectMs,
      keepAlive: true,
      application_name: listenerName,
      stream: () => socket,
    });
    const connection = { client, socket };
    client.on("error", (error) => this.#gone(connection, error));
    client.on("end", () => this.#gone(connection, new Error("the listening connection ended")));
    client.on("notification", ({ payload }) => this.#onMessage(payload ?? ""));
    try {
      await client.connect();
      await client.query(`${letGoOfTheDead}; listen ${channel}`);
      this.#connection = connection;
      return connection;
    } catch (error) {
      this.#retryAt = this.#clock.monotonic() + reconnectMs;
      if (!this.#closed) this.#onError(error as Error);
      socket.destroy();
      return undefined;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    const connection = this.#connection ?? (await this.#connecting);
    if (!connection) return;
    const { client, socket } = connection;
    const parted = new AbortController();
    await Promise.race([client.end(), this.#clock.sleep(partingMs, { signal: parted.signal })]).catch(() => {});
    parted.abort();
    socket.destroy();
  }
}
