/**
 * What trackers of one store tell each other: ready work, results for a stream that another tracker may have, leases to give up,
 * sessions to read again. Messages of a few milliseconds go together, and a tracker that is alone sends none. A lost message
 * delays its subject by at most a second, because every tracker reads the store that often (reaper.ts).
 */
import { after, type Clock, type SessionId, toLeaseId, toSessionId, toWorkerId } from "@warpfarm/common";
import type { SharedStore } from "./store/database.ts";
import type { Effects, Finished, FreedLease } from "./store/sql/effects.ts";

const gatherMs = 5;
/** PostgreSQL takes 8,000 bytes. */
const maxBytes = 7_900;
/** The most entries of one message, each of at most 128 + 20 characters. */
const maxEntries = 40;

/** One entry has one fact. Keys are short, because there is little room. */
type Entry =
  | { readonly k: "run"; readonly s: string; readonly n: number }
  | { readonly k: "others"; readonly n: number }
  | { readonly k: "done"; readonly s: string; readonly n: number }
  | { readonly k: "cancel"; readonly w: string; readonly l: string }
  | { readonly k: "session"; readonly s: string };

interface PeerHandlers {
  readonly onWork: (effects: Pick<Effects, "runs" | "others">) => void;
  readonly onFinished: (finished: readonly Finished[]) => void;
  readonly onCancel: (freed: readonly FreedLease[]) => void;
  readonly onSession: (id: SessionId) => void;
}

export class Peers {
  readonly #store: SharedStore;
  readonly #handlers: PeerHandlers;
  readonly #me: string;
  #alone = true;
  #entries: Entry[] = [];
  readonly #clock: Clock;
  #timer: Disposable | undefined;

  constructor(store: SharedStore, me: string, clock: Clock, handlers: PeerHandlers) {
    this.#clock = clock;
    this.#store = store;
    this.#me = me;
    this.#handlers = handlers;
    store.listen((message) => this.#hear(message));
  }

  get isAlone(): boolean {
    return this.#alone;
  }

  async look(): Promise<void> {
    this.#alone = (await this.#store.members()) <= 1;
  }

  work({ runs, others }: Pick<Effects, "runs" | "others">): void {
    const counts = new Map<SessionId, number>();
    for (const id of runs) counts.set(id, (counts.get(id) ?? 0) + 1);
    this.#tell([
      ...[...counts].map(([s, n]) => ({ k: "run", s, n }) as const),
      ...(others > 0 ? [{ k: "others", n: others } as const] : []),
    ]);
  }

  finished(finished: readonly Finished[]): void {
    this.#tell(finished.map(({ session, sequence }) => ({ k: "done", s: session, n: sequence })));
  }

  cancel(freed: readonly FreedLease[]): void {
    this.#tell(freed.map(({ worker, lease }) => ({ k: "cancel", w: worker, l: lease })));
  }

  session(s: SessionId): void {
    this.#tell([{ k: "session", s }]);
  }

  close(): void {
    this.#timer?.[Symbol.dispose]();
  }

  #tell(entries: readonly Entry[]): void {
    if (this.#alone || entries.length === 0) return;
    this.#entries.push(...entries);
    this.#timer ??= after(this.#clock, gatherMs, () => this.#send());
  }

  #send(): void {
    this.#timer = undefined;
    const entries = this.#entries;
    this.#entries = [];
    for (let at = 0; at < entries.length; at += maxEntries) {
      const message = JSON.stringify([this.#me, ...entries.slice(at, at + maxEntries)]);
      if (message.length <= maxBytes) void this.#store.notify(message);
    }
  }

  #hear(message: string): void {
    const [from, ...entries] = parse(message);
    if (from === this.#me) return;
    const runs: SessionId[] = [];
    const finished: Finished[] = [];
    const freed: FreedLease[] = [];
    let others = 0;
    for (const entry of entries)
      if (entry.k === "run") for (let i = 0; i < entry.n; i++) runs.push(toSessionId(entry.s));
      else if (entry.k === "others") others += entry.n;
      else if (entry.k === "done") finished.push({ session: toSessionId(entry.s), sequence: entry.n });
      else if (entry.k === "cancel") freed.push({ worker: toWorkerId(entry.w), lease: toLeaseId(entry.l) });
      else if (entry.k === "session") this.#handlers.onSession(toSessionId(entry.s));
    if (runs.length > 0 || others > 0) this.#handlers.onWork({ runs, others });
    if (finished.length > 0) this.#handlers.onFinished(finished);
    if (freed.length > 0) this.#handlers.onCancel(freed);
  }
}

/** Anybody with access to the database may send. A message in another form is ignored. */
function parse(message: string): readonly [string, ...Entry[]] {
  try {
    const value: unknown = JSON.parse(message);
    return Array.isArray(value) && typeof value[0] === "string" ? (value as [string, ...Entry[]]) : [""];
  } catch {
    return [""];
  }
}
