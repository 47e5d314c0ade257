/** Artifacts that follow those a runner gets, from the same sessions, so that it can fetch them ahead. */
import type { ArtifactDigest, Clock, SessionId } from "@warpfarm/common";
import type { FairShare } from "../policy/fair-share.ts";
import type { Database } from "../store/database.ts";
import { nextArtifacts } from "../store/sql/claim-runs.ts";
import type { Answers } from "./answers.ts";
import type { SessionBook } from "./session-book.ts";

const ahead = 4;
/** With short jobs the list changes slowly, and with long jobs there is time to ask. */
const everyMs = 200;

interface PrefetchOptions {
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
      // Includes sessions whose list is soon old, so one statement serves all.
      const old = sessions.filter((id) => age(id) >= everyMs / 2);
      const next = await nextArtifacts(db.lazy, old, ahead);
      for (const id of old) this.#next.set(id, { at: now, artifacts: next.get(id) ?? [] });
    }
    for (const id of sessions) answers.addPrefetch(id, this.#next.get(id)?.artifacts ?? []);
  }

  prune(): void {
    for (const id of this.#next.keys()) if (!this.#o.sessions.get(id)) this.#next.delete(id);
  }
}
