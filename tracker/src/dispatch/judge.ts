/**
 * What a runner is told for a judged job: secrets that no client can compute, and which times it audits. A time that was not
 * audited is never the least of its session: each one below the least so far is audited, and so is a random part of all others.
 */
import { type JudgedJob, type LeaseId, medianSeconds, type SessionId } from "@warpfarm/common";
import type { Secrets } from "../doors/secrets.ts";
import { decodeResult } from "../store/result-bytes.ts";
import type { Finished } from "../store/sql/effects.ts";
import type { SessionBook } from "./session-book.ts";

/** The part of jobs that are audited whatever their times. */
const alwaysAudited = 0.02;
/** The most sessions whose least time is kept. Without it more is audited. */
const keepAtMost = 20_000;

export class Judge {
  readonly #secrets: Pick<Secrets, "judged">;
  readonly #sessions: Pick<SessionBook, "get">;
  readonly #least = new Map<SessionId, number>();

  constructor(secrets: Pick<Secrets, "judged">, sessions: Pick<SessionBook, "get">) {
    this.#secrets = secrets;
    this.#sessions = sessions;
  }

  /** `isFinal`: finalists are all audited. */
  jobFor(session: SessionId, lease: LeaseId, epoch: number, isFinal: boolean): JudgedJob {
    const leaseSecret = this.#secrets.judged(`lease ${lease} ${epoch}`);
    const secrets = { secret: this.#secrets.judged(`session ${session}`), leaseSecret };
    const least = this.#least.get(session);
    const drawn = Number.parseInt(this.#secrets.judged(`audit ${lease} ${epoch}`).slice(0, 8), 16) / 2 ** 32;
    return isFinal || least === undefined || drawn < alwaysAudited ? secrets : { ...secrets, auditBelowMs: least * 1e3 };
  }

  /** Looks at results that were stored. */
  saw(finished: readonly Finished[]): void {
    for (const { session, encoded } of finished) {
      if (encoded === undefined || this.#sessions.get(session)?.row.options.judged !== true) continue;
      const result = decodeResult(encoded);
      if (result.kind !== "timed") continue;
      const seconds = medianSeconds(result.costs);
      if (this.#least.size >= keepAtMost) this.#least.clear();
      if (seconds < (this.#least.get(session) ?? Number.POSITIVE_INFINITY)) this.#least.set(session, seconds);
    }
  }
}
