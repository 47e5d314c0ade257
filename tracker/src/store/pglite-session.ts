/**
 * Statements over PGlite's one connection, prepared once and then run with a single exchange. PGlite's own query() makes five exchanges
 * and a new plan each time, which is most of what a small statement costs. A statement goes out at once unless a transaction holds the
 * connection or waits for it; then it takes its turn.
 */
import type { Param, Queryable } from "./database.ts";
import type { Engine } from "./engine.ts";
import { checkAnswer, Requests, readRows, readStatement, type Statement } from "./wire.ts";

export class PgliteSession implements Queryable {
  readonly #engine: Engine;
  readonly #prepared = new Map<string, Statement>();
  #queue: Promise<unknown> = Promise.resolve();
  #queued = 0;
  #names = 0;
  /** A transaction that has sent nothing yet: its first request carries the beginning. */
  #begins = false;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  async query<Row extends object>(sql: string, params: readonly Param[] = []): Promise<readonly Row[]> {
    const statement = this.#queued === 0 ? this.#prepared.get(sql) : undefined;
    return statement ? this.#run(statement, params) : this.#exclusive(() => this.#query(sql, params));
  }

  /** Statements without parameters and without interest in rows. */
  command(sql: string): Promise<void> {
    return this.#exclusive(() => this.#command(sql));
  }

  /** A transaction without statements is none. */
  transaction<T>(work: (tx: Queryable) => Promise<T>): Promise<T> {
    return this.#exclusive(async () => {
      this.#begins = true;
      try {
        const result = await work({ query: (sql, params) => this.#query(sql, params) });
        if (!this.#begins) await this.#command("commit");
        return result;
      } catch (error) {
        if (!this.#begins) await this.#command("rollback");
        throw error;
      } finally {
        this.#begins = false;
      }
    });
  }

  /** Runs when everything that waited before is over. What is under way comes first by itself: the engine takes one request after the other. */
  #exclusive<T>(work: () => Promise<T>): Promise<T> {
    this.#queued++;
    const turn = this.#queue.then(work).finally(() => {
      this.#queued--;
    });
    this.#queue = turn.catch(() => {});
    return turn;
  }

  async #query<Row extends object>(sql: string, params: readonly Param[] = []): Promise<readonly Row[]> {
    return this.#run(this.#prepared.get(sql) ?? (await this.#prepare(sql)), params);
  }

  async #run<Row extends object>(statement: Statement, params: readonly Param[]): Promise<readonly Row[]> {
    const answer = await this.#engine.exchange(this.#requests().run(statement, params).bytes);
    return readRows(statement, answer) as Row[];
  }

  async #prepare(sql: string): Promise<Statement> {
    const name = `s${++this.#names}`;
    const statement = readStatement(name, await this.#engine.exchange(this.#requests().prepare(name, sql).bytes));
    this.#prepared.set(sql, statement);
    return statement;
  }

  async #command(sql: string): Promise<void> {
    checkAnswer(await this.#engine.exchange(new Requests().query(sql).bytes));
  }

  #requests(): Requests {
    const requests = new Requests();
    if (this.#begins) requests.query("begin");
    this.#begins = false;
    return requests;
  }
}
