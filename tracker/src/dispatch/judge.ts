/**
 * What a runner is told for a judged job: secrets that no client can compute, and which times it audits. Of the jobs of a session
 * that are compared with one reference on one kind of device, no time that was not audited is the best: each one that could be
 * tied with the least so far is audited, and so is a random part of all others.
 */
import { type DeviceFacts, isUnaudited, type JudgedJob, type LeaseId, medianSeconds, type SessionId } from "@warpfarm/common";
import { mostNoise } from "@warpfarm/records";
import type { Secrets } from "../doors/secrets.ts";
import { decodeResult } from "../store/result-bytes.ts";
import type { Finished } from "../store/sql/effects.ts";
import type { SessionBook } from "./session-book.ts";

/** The part of jobs that are audited whatever their times. */
const alwaysAudited = 0.02;
/** The most least times, and the most running jobs, that are kept. Without them more is audited. */
const keepAtMost = 20_000;

interface JudgedRun {
  readonly session: SessionId;
  readonly sequence: number;
  readonly lease: LeaseId;
  readonly epoch: number;
  readonly reference: string | null;
  /** Finalists are all audited. */
  readonly isFinal: boolean;
}
type Kind = Pick<DeviceFacts, "key" | "name">;

export class Judge {
  readonly #secrets: Pick<Secrets, "judged">;
  readonly #sessions: Pick<SessionBook, "get">;
  /** In seconds. A kernel of another computation, or on a faster device, says nothing. */
  readonly #least = new Map<string, number>();
  /** What jobs that were assigned are compared with. */
  readonly #references = new Map<string, string | null>();

  constructor(secrets: Pick<Secrets, "judged">, sessions: Pick<SessionBook, "get">) {
    this.#secrets = secrets;
    this.#sessions = sessions;
  }

  jobFor({ session, sequence, lease, epoch, reference, isFinal }: JudgedRun, device: Kind | undefined): JudgedJob {
    const leaseSecret = this.#secrets.judged(`lease ${lease} ${epoch}`);
    const secrets = { secret: this.#secrets.judged(`session ${session}`), leaseSecret };
    setWithin(this.#references, `${session} ${sequence}`, reference);
    const least = device && this.#least.get(nameOf(session, reference, device));
    const drawn = Number.parseInt(this.#secrets.judged(`audit ${lease} ${epoch}`).slice(0, 8), 16) / 2 ** 32;
    if (isFinal || least === undefined || drawn < alwaysAudited) return secrets;
    return { ...secrets, auditBelowMs: least * 1e3 * (1 + mostNoise) };
  }

  /** Looks at results that were stored. */
  saw(finished: readonly Finished[]): void {
    for (const { session, sequence, encoded } of finished) {
      if (encoded === undefined || this.#sessions.get(session)?.row.options.judged !== true) continue;
      const job = `${session} ${sequence}`;
      const reference = this.#references.get(job);
      this.#references.delete(job);
      const result = decodeResult(encoded);
      if (reference === undefined || result.kind !== "timed" || isUnaudited(result.judged)) continue;
      const name = nameOf(session, reference, result.device);
      const seconds = medianSeconds(result.costs);
      if (seconds < (this.#least.get(name) ?? Number.POSITIVE_INFINITY)) setWithin(this.#least, name, seconds);
    }
  }
}

const nameOf = (session: SessionId, reference: string | null, { key, name }: Kind): string =>
  `${session} ${reference} ${key} ${name}`;

function setWithin<T>(map: Map<string, T>, key: string, value: T): void {
  if (map.size >= keepAtMost) map.clear();
  map.set(key, value);
}
