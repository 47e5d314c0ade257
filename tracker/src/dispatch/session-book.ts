/** The open sessions, and the stream of each at this tracker. */
import { FarmError, parseSelector, type Seconds, type Selector, type SessionId } from "@warpfarm/common";
import type { Incumbent } from "@warpfarm/proto";
import type { Finished } from "../store/sql/effects.ts";
import type { SessionRow } from "../store/sql/sessions.ts";

export type FinishedRun = Omit<Finished, "session">;

export interface LiveStream {
  finished(results: readonly FinishedRun[]): void;
  changed(session: SessionRow): void;
  end(error: FarmError): void;
}

interface OpenSessionEntry {
  readonly row: SessionRow;
  readonly selector: Selector;
  readonly added: number;
}

export class SessionBook {
  readonly #sessions = new Map<SessionId, OpenSessionEntry>();
  readonly #streams = new Map<SessionId, { readonly stream: LiveStream; readonly number: number }>();
  /** Times to beat, by session and kind of device, as clients tell them. */
  readonly #incumbents = new Map<SessionId, Map<string, Seconds>>();

  /**
   * Takes over the store's sessions of `asOf` (monotonic). Sessions that it does not have are forgotten, unless they were opened
   * since. Streams end whose session is gone or has a newer stream, here or at another tracker.
   */
  refresh(rows: readonly SessionRow[], asOf: number): void {
    const there = new Set(rows.map((r) => r.id));
    for (const [id, { added }] of this.#sessions)
      if (!there.has(id) && added < asOf)
        this.remove([id], new FarmError("UNAVAILABLE", `session ${id} ended at another tracker; reconnecting tells how`));
    for (const row of rows) {
      const known = this.#sessions.get(row.id);
      // The store's answer is older than this tracker's state.
      if (known && known.row.stream > row.stream) continue;
      this.put(row, known?.added ?? asOf);
      const live = this.#streams.get(row.id);
      if (live && live.number < row.stream) live.stream.end(takenOver(row.id));
    }
  }

  /** Returns the row that is kept. The control of an older reading is ignored. */
  put(read: SessionRow, added: number): SessionRow {
    const there = this.#sessions.get(read.id);
    const selector = there?.row.selector === read.selector ? there.selector : parseSelector(read.selector);
    const isOlder = there !== undefined && there.row.control > read.control;
    const row = isOlder ? { ...read, ...controlOf(there.row) } : read;
    this.#sessions.set(row.id, { row, selector, added });
    this.#streams.get(row.id)?.stream.changed(row);
    return row;
  }

  get(id: SessionId): OpenSessionEntry | undefined {
    return this.#sessions.get(id);
  }

  /** Kinds beyond the most that one session has are not kept: programs on them are measured to their end. */
  toldIncumbent(id: SessionId, { seconds, ...kind }: Incumbent): void {
    const known = this.#incumbents.get(id) ?? new Map<string, Seconds>();
    const name = nameOf(kind);
    if (known.size < mostKinds || known.has(name)) known.set(name, seconds);
    this.#incumbents.set(id, known);
  }

  incumbentOf(id: SessionId, device: Omit<Incumbent, "seconds">): Seconds | undefined {
    return this.#incumbents.get(id)?.get(nameOf(device));
  }

  entries(): IterableIterator<OpenSessionEntry> {
    return this.#sessions.values();
  }

  /** The newest stream of a session owns it, whatever the order of arrival. The other one ends with ABORTED. */
  attach(id: SessionId, stream: LiveStream, number: number): void {
    const there = this.#streams.get(id);
    if (there && there.number > number) {
      stream.end(takenOver(id));
      return;
    }
    there?.stream.end(takenOver(id));
    this.#streams.set(id, { stream, number });
    const known = this.#sessions.get(id);
    if (known) stream.changed(known.row); // while it was made
  }

  detach(id: SessionId, stream: LiveStream): void {
    if (this.#streams.get(id)?.stream !== stream) return;
    this.#streams.delete(id);
    this.#incumbents.delete(id);
  }

  connected(): SessionId[] {
    return [...this.#streams.keys()];
  }

  /** Delivers to the streams of this tracker. Returns results without a stream here. */
  deliver(finished: readonly Finished[]): readonly Finished[] {
    const byStream = new Map<LiveStream, Finished[]>();
    const elsewhere: Finished[] = [];
    for (const f of finished) {
      const stream = this.#streams.get(f.session)?.stream;
      const there = stream && byStream.get(stream);
      if (!stream) elsewhere.push(f);
      else if (there) there.push(f);
      else byStream.set(stream, [f]);
    }
    for (const [stream, results] of byStream) stream.finished(results);
    return elsewhere;
  }

  remove(ids: readonly SessionId[], error: FarmError): void {
    for (const id of ids) {
      this.#sessions.delete(id);
      this.#streams.get(id)?.stream.end(error);
      this.#streams.delete(id);
      this.#incumbents.delete(id);
    }
  }

  endAll(error: FarmError): void {
    for (const { stream } of this.#streams.values()) stream.end(error);
  }
}

const mostKinds = 64;
const nameOf = ({ key, name }: Omit<Incumbent, "seconds">): string => `${key} ${name}`;

const controlOf = ({ paused, moreTrials, control }: SessionRow) => ({ paused, moreTrials, control });

const takenOver = (id: SessionId): FarmError => new FarmError("ABORTED", `another stream took session ${id} over`);
