/**
 * Statements over PGlite's one connection, prepared once and then run with a single exchange. PGlite's own query() makes five exchanges
 * and a new plan each time, which is most of what a small statement costs. One user at a time: `exclusive` is the lock, and whoever is
 * in it may run any number of statements.
 */
import { type messages, type PGlite, parse, protocol, types } from "@electric-sql/pglite";
import type { Param, Queryable } from "./database.ts";
import { encodeParameter } from "./parameters.ts";

const { serialize } = protocol;

/** For PGlite.create: 64-bit integers as numbers, whatever their size. Its array parsers follow. */
export const integerParsers = { [types.INT8]: Number };

interface Prepared {
  readonly name: string;
  /** How its rows read; absent when it returns none. */
  readonly rows: messages.RowDescriptionMessage | undefined;
}

export class PgliteSession implements Queryable {
  readonly #engine: PGlite;
  readonly #prepared = new Map<string, Prepared>();
  #queue: Promise<unknown> = Promise.resolve();
  #begin: readonly Uint8Array[] = [];

  constructor(engine: PGlite) {
    this.#engine = engine;
  }

  /** Runs when everything asked for before is over. */
  exclusive<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#queue.then(work);
    this.#queue = turn.catch(() => {});
    return turn;
  }

  async query<Row extends object>(sql: string, params: readonly Param[] = []): Promise<readonly Row[]> {
    const { name, rows } = this.#prepared.get(sql) ?? (await this.#prepare(sql));
    const answer = await this.#exchange([
      serialize.bind({ statement: name, values: params.map(encodeParameter) }),
      serialize.execute({}),
    ]);
    if (!rows) return [];
    // Before bindComplete stands what a transaction's begin was answered with.
    const own = answer.slice(answer.findIndex((m) => m.name === "bindComplete"));
    const [result] = parse.parseResults([rows, ...own], this.#engine.parsers);
    const found: readonly unknown[] = result?.rows ?? [];
    return found as readonly Row[];
  }

  /** `begin` travels with the first statement; a transaction without statements is none. */
  async transaction<T>(work: (tx: Queryable) => Promise<T>): Promise<T> {
    this.#begin = [serialize.query("begin")];
    try {
      const result = await work(this);
      if (this.#begin.length === 0) await this.command("commit");
      return result;
    } catch (error) {
      if (this.#begin.length === 0) await this.command("rollback");
      throw error;
    } finally {
      this.#begin = [];
    }
  }

  /** Statements without parameters and without interest in rows. */
  async command(sql: string): Promise<void> {
    await this.#engine.execProtocol(serialize.query(sql), { syncToFs: false });
  }

  async #prepare(sql: string): Promise<Prepared> {
    const name = `s${this.#prepared.size + 1}`;
    const answer = await this.#exchange([serialize.parse({ name, text: sql }), serialize.describe({ type: "S", name })]);
    const rows = answer.find((m): m is messages.RowDescriptionMessage => m.name === "rowDescription");
    const prepared = { name, rows };
    this.#prepared.set(sql, prepared);
    return prepared;
  }

  async #exchange(requests: readonly Uint8Array[]) {
    const message = Buffer.concat([...this.#begin, ...requests, serialize.sync()]);
    this.#begin = [];
    return (await this.#engine.execProtocol(message, { syncToFs: false })).messages;
  }
}
