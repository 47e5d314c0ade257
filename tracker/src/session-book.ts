/**
 * The open sessions and the stream each has here. The store has the truth; the book spares dispatch a query per pass and finds the stream
 * that waits for a result.
 */
import { FarmError, parseSelector, type Selector, type SessionId } from "@warpfarm/common";
import type { Finished } from "./store/sql/builds.ts";
import type { SessionRow } from "./store/sql/sessions.ts";

export interface LiveStream {
  /** These sequences have a result to deliver. */
  finished(sequences: readonly number[]): void;
  /** Ends the stream with this status. */
  end(error: FarmError): void;
}

export interface OpenSessionEntry {
  readonly row: SessionRow;
  readonly selector: Selector;
  readonly added: number;
}

export class SessionBook {
  readonly #sessions = new Map<SessionId, OpenSessionEntry>();
  readonly #streams = new Map<SessionId, LiveStream>();

  /** What the store held at `asOf` (monotonic); sessions it did not hold are forgotten, but those opened since. */
  refresh(rows: readonly SessionRow[], asOf: number): void {
    const there = new Set(rows.map((r) => r.id));
    for (const [id, { added }] of this.#sessions) if (!there.has(id) && added < asOf) this.#sessions.delete(id);
    for (const row of rows) if (!this.#sessions.has(row.id)) this.put(row, asOf);
  }

  put(row: SessionRow, added: number): void {
    this.#sessions.set(row.id, { row, selector: parseSelector(row.selector), added });
  }

  get(id: SessionId): OpenSessionEntry | undefined {
    return this.#sessions.get(id);
  }

  entries(): IterableIterator<OpenSessionEntry> {
    return this.#sessions.values();
  }

  /** The newest stream of a session; the one before it ends with ABORTED. */
  attach(id: SessionId, stream: LiveStream): void {
    this.#streams.get(id)?.end(new FarmError("ABORTED", `another stream took session ${id} over`));
    this.#streams.set(id, stream);
  }

  detach(id: SessionId, stream: LiveStream): void {
    if (this.#streams.get(id) === stream) this.#streams.delete(id);
  }

  connected(): SessionId[] {
    return [...this.#streams.keys()];
  }

  deliver(finished: readonly Finished[]): void {
    const bySession = new Map<SessionId, number[]>();
    for (const { session, sequence } of finished) bySession.set(session, [...(bySession.get(session) ?? []), sequence]);
    for (const [session, sequences] of bySession) this.#streams.get(session)?.finished(sequences);
  }

  remove(ids: readonly SessionId[], error: FarmError): void {
    for (const id of ids) {
      this.#sessions.delete(id);
      this.#streams.get(id)?.end(error);
      this.#streams.delete(id);
    }
  }

  endAll(error: FarmError): void {
    for (const stream of this.#streams.values()) stream.end(error);
  }
}
