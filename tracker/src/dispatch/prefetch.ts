/** Artifacts that come after those a runner gets, of the same sessions: it may fetch them ahead. */
import type { ArtifactDigest, Clock, SessionId } from "@warpfarm/common";
import type { FairShare } from "../policy/fair-share.ts";
import type { Database } from "../store/database.ts";
import { nextArtifacts } from "../store/sql/claim-runs.ts";
import type { Answers } from "./answers.ts";
import type { SessionBook } from "./session-book.ts";

const ahead = 4;
/** What to fetch ahead changes slowly when jobs are short, and there is time to ask when they are long. */
const everyMs = 200;

export interface PrefetchOptions {
  readonly db: Database;
  readonly sessions: SessionBook;
  readonly shares: FairShare;
  readonly clock: Clock;
}

export class Prefetch {
  readonly #o: PrefetchOptions;
  readonly #next = new Map<SessionId, { readonly at: number; readonly artifacts: readonly ArtifactDigest[] }>();

  constructor(options: PrefetchOptions) {
    this.#o = options;
  }

  async addTo(answers: Answers): Promise<void> {
    const { db, clock, shares } = this.#o;
    const now = clock.monotonic();
    const sessions = answers.sessions().filter((id) => shares.hasReady(id));
    const age = (id: SessionId) => now - (this.#next.get(id)?.at ?? Number.NEGATIVE_INFINITY);
    if (sessions.some((id) => age(id) >= everyMs)) {
      // With those that will soon be old: one statement for them all.
      const old = sessions.filter((id) => age(id) >= everyMs / 2);
      const next = await nextArtifacts(db.lazy, old, ahead);
      for (const id of old) this.#next.set(id, { at: now, artifacts: next.get(id) ?? [] });
    }
    for (const id of sessions) answers.addPrefetch(id, this.#next.get(id)?.artifacts ?? []);
  }

  /** Drops what is kept of sessions that are gone. */
  prune(): void {
    for (const id of this.#next.keys()) if (!this.#o.sessions.get(id)) this.#next.delete(id);
  }
}
