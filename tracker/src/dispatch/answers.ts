/**
 * The results of one pass, by worker: each held call is answered once, with its jobs. Leases of calls that are gone are returned.
 */
import type { DeviceFacts, LeaseId, RunJob, SessionId, WorkerId } from "@warpfarm/common";
import type { Assignment } from "@warpfarm/proto";
import type { Secrets } from "../doors/secrets.ts";
import type { LeasePolicy } from "../policy/lease.ts";
import type { GrantedBuild } from "../store/sql/claim.ts";
import type { ClaimedRun } from "../store/sql/claim-runs.ts";
import type { LeaseSpans } from "../views/lease-spans.ts";
import type { Poll } from "./held-poll.ts";
import type { Judge } from "./judge.ts";
import type { Registry } from "./registry.ts";
import type { SessionBook } from "./session-book.ts";

export interface AnswersOptions {
  readonly sessions: SessionBook;
  readonly registry: Registry;
  readonly policy: LeasePolicy;
  readonly secrets: Pick<Secrets, "ownerTag">;
  readonly leaseSpans: Pick<LeaseSpans, "granted">;
  readonly judge: Pick<Judge, "jobFor">;
  readonly onGranted: (kind: "build" | "run", count: number, waitedMs: readonly number[]) => void;
}

export class Answers {
  readonly #o: AnswersOptions;
  readonly #assignments = new Map<WorkerId, Assignment[]>();
  readonly #orphans: LeaseId[] = [];
  readonly #granted = { run: 0, build: 0 };
  readonly #waited: { readonly run: number[]; readonly build: number[] } = { run: [], build: [] };

  constructor(options: AnswersOptions) {
    this.#o = options;
  }

  addRun(run: ClaimedRun): void {
    const entry = this.#o.sessions.get(run.session);
    if (!entry) {
      this.#orphans.push(run.lease); // its session was closed meanwhile
      return;
    }
    this.#count("run", run.waitedMs);
    const { options, paired, principal } = entry.row;
    const { lease, epoch, worker, device, artifact, reference, others, attempt, buildMs, queueMs, session } = run;
    const checked = options.check === "reference" && reference !== null;
    const facts = this.#factsOf(run);
    this.#add(worker, {
      leaseId: lease,
      epoch,
      ttlMs: this.#o.policy.ttlMs,
      ...this.#o.leaseSpans.granted(lease, entry.row, run.sequence),
      job: {
        ...{ kind: "run", device, artifact, options, attempt, buildMs, queueMs, owner: this.#o.secrets.ownerTag(principal) },
        ...(checked ? { reference } : {}),
        ...(options.judged ? { judged: this.#o.judge.jobFor({ ...run, isFinal: paired !== null }, facts) } : {}),
        ...(options.incumbent === "best" ? this.#incumbentOf(session, facts) : {}),
        ...(paired && others ? { paired: { others, options: paired } } : {}),
      },
    });
  }

  #factsOf({ worker, device }: ClaimedRun): DeviceFacts | undefined {
    const facts = this.#o.registry.get(worker)?.facts;
    return facts?.kind === "runner" ? facts.devices.find((each) => each.device === device)?.facts : undefined;
  }

  #incumbentOf(session: SessionId, facts: DeviceFacts | undefined): Pick<RunJob, "incumbentMs"> {
    const seconds = facts && this.#o.sessions.incumbentOf(session, facts);
    return seconds === undefined ? {} : { incumbentMs: seconds * 1e3 };
  }

  addBuild({ lease, epoch, job, program, worker, session, waitedMs }: GrantedBuild): void {
    this.#count("build", waitedMs);
    const { policy, leaseSpans, sessions } = this.#o;
    const of = { leaseId: lease, epoch, ttlMs: policy.ttlMs, ...leaseSpans.granted(lease, sessions.get(session)?.row) };
    this.#add(worker, { ...of, job: { kind: "build", program, timeoutMs: job.timeoutMs } });
  }

  #count(kind: "run" | "build", waitedMs: number | undefined): void {
    this.#granted[kind]++;
    if (waitedMs !== undefined) this.#waited[kind].push(waitedMs);
  }

  #add(worker: WorkerId, assignment: Assignment): void {
    const there = this.#assignments.get(worker);
    if (there) there.push(assignment);
    else this.#assignments.set(worker, [assignment]);
  }

  get count(): number {
    return this.#granted.run + this.#granted.build;
  }

  give(asked: ReadonlyMap<WorkerId, Poll>): readonly LeaseId[] {
    for (const kind of ["run", "build"] as const)
      if (this.#granted[kind] > 0) this.#o.onGranted(kind, this.#granted[kind], this.#waited[kind]);
    for (const [worker, assignments] of this.#assignments) {
      const poll = asked.get(worker);
      if (poll?.isOpen) poll.answer({ assignments, cancel: [] });
      else this.#orphans.push(...assignments.map((a) => a.leaseId));
    }
    return this.#orphans;
  }
}
