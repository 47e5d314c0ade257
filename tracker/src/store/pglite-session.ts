/**
 * Statements over PGlite's one connection, prepared once and then run with a single exchange. PGlite's own query() makes five
 * exchanges and a new plan each time. A statement is sent at once, unless a transaction holds the connection or waits for it;
 * then it queues.
 */
import { FarmError, outOfFilesWords } from "@warpfarm/common";
import type { Param, Queryable } from "./database.ts";
import type { Engine } from "./engine-thread.ts";
import {
  checkAnswer,
  joined,
  type Messages,
  readRows,
  readStatement,
  SqlError,
  type Statement,
  toPrepare,
  toQuery,
  toRun,
} from "./wire.ts";

/** SQLSTATEs: a full disk, no memory. */
const outOfRoom = /^53/;

export class PgliteSession implements Queryable {
  readonly #engine: Engine;
  readonly #prepared = new Map<string, Statement>();
  #queue: Promise<unknown> = Promise.resolve();
  #queued = 0;
  #names = 0;
  /** Whether the transaction has sent nothing yet: its first request carries the begin. */
  #begins = false;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  async query<Row extends object>(sql: string, params: readonly Param[] = []): Promise<readonly Row[]> {
    const statement = this.#queued === 0 ? this.#prepared.get(sql) : undefined;
    return statement ? this.#run(statement, params) : this.#exclusive(() => this.#query(sql, params));
  }

  command(sql: string): Promise<void> {
    return this.#exclusive(() => this.#command(sql));
  }

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

  /**
   * Runs when everything that waited before is over. Running requests come first by themselves, because the engine takes one
   * request after the other.
   */
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
    return this.#exchange(this.#begun(toRun(statement, params)), (answer) => readRows(statement, answer) as Row[]);
  }

  async #prepare(sql: string): Promise<Statement> {
    const name = `s${++this.#names}`;
    const statement = await this.#exchange(this.#begun(toPrepare(name, sql)), (answer) => readStatement(name, answer));
    this.#prepared.set(sql, statement);
    return statement;
  }

  async #command(sql: string): Promise<void> {
    await this.#exchange(toQuery(sql), checkAnswer);
  }

  /** A full disk is not the fault of the statement. */
  async #exchange<T>(request: Messages, read: (answer: Uint8Array) => T): Promise<T> {
    const answer = await this.#engine.exchange(joined(request));
    try {
      return read(answer);
    } catch (error) {
      if (!(error instanceof SqlError)) throw error;
      if (error.isLast) {
        this.#engine.abandon(error);
        throw this.#engine.gone.reason;
      }
      if (!outOfRoom.test(error.code)) throw error;
      // The engine has one code for everything that the system lacks.
      if (/No file descriptors available|Too many open files/.test(error.message))
        throw new FarmError("UNAVAILABLE", outOfFilesWords, { cause: error, rule: "store.files" });
      throw new FarmError("UNAVAILABLE", `the store has no room: ${error.message}`, { cause: error, rule: "store.full" });
    }
  }

  #begun(request: Messages): Messages {
    const begun = this.#begins ? [...toQuery("begin"), ...request] : request;
    this.#begins = false;
    return begun;
  }
}
