/**
 * What becomes of claims (records/src/claim.ts): rows of `claims`, made when somebody would read a record if it were verified.
 * The claim itself is in the records that name it.
 *
 *   wanted --lease--> at a builder --same digests--> VERIFIED   its records are shared
 *     ^                   |----------other digests, or refused--> REFUTED   its records stay with their owner
 *     '--lost, at fault---'----------the third time-----> UNVERIFIABLE
 *
 * `base` names the claim without its config. A program that was measured interleaved with others has no config; its claim is its
 * base, and is true when a claim with that base is, which has the same digests.
 */
import { canonicalJson, type LeaseId, toLeaseId, type WorkerId } from "@warpfarm/common";
import type { Outcome } from "@warpfarm/proto";
import {
  type Claim,
  claimName,
  claimOf,
  decodeRecord,
  everybody,
  mostNoise,
  type StandingNo,
  standings,
  type TuningRecord,
  usable,
} from "@warpfarm/records";
import type { Grant, Job, Queue } from "../../policy/dispatch.ts";
import type { Queryable } from "../database.ts";
import { rowsOf, statement, value } from "../statement.ts";
import { claimStates } from "../states.ts";
import type { Granted, LeaseTerms } from "./claim-runs.ts";
import type { Decided } from "./effects.ts";
import { forgetLooks } from "./second-looks.ts";
import { sharedStandings, shareVerified } from "./sharing.ts";

/** The most claims of one principal that wait at a time. Later reads of its records want further ones. */
const mostOfOwner = 1_000;
const ownersAtOnce = 64;
const ofOwnerAtOnce = 4;

interface WaitingClaim extends Job {
  readonly claim: string;
  readonly document: Uint8Array;
}
type GrantedClaim = Granted<WaitingClaim>;

const nameOf = (claim: string): string => claim.replaceAll("-", "");
const baseOf = (claim: Claim): string => claimName({ ...claim, config: null });

const wanting = statement(
  { n: rowsOf({ claim: "text[]::uuid" }) },
  ({ n }) => `insert into claims (claim, owner)
     select n.claim, r.owner from ${n.rows}
     cross join lateral (select owner from records where records.claim = n.claim and standing = ${standings.offered} limit 1) r
     where (select count(*) from (select 1 from claims c where c.owner = r.owner and c.state = ${claimStates.waiting} limit ${mostOfOwner}) w) < ${mostOfOwner}
     on conflict (claim) do nothing returning 1`,
);

/** Wants these replayed. Returns how many were not wanted or decided before. */
export async function wantClaims(db: Queryable, names: readonly string[]): Promise<number> {
  if (names.length === 0) return 0;
  const rows = await wanting.query(db, { n: { claim: [...new Set(names)] } });
  return rows.length;
}

/** The claims of these new records that would be the best, or tied with it, if they were shared. */
export async function winnersOf(tx: Queryable, keys: readonly string[]): Promise<readonly string[]> {
  if (keys.length === 0) return [];
  const rows = await tx.query<{ claim: string }>(
    `select distinct r.claim::text as claim from records r
     where r.key = any($1::text[]::uuid[]) and r.standing = ${standings.offered} and r.usable > 0
       and not exists (select 1 from records b where b.namespace = '${everybody}' and b.task = r.task and b.problem = r.problem
         and b.device_key = r.device_key and b.device_name = r.device_name and b.computation = r.computation and b.usable > 0
         and b.flushed = r.flushed and b.seconds < r.seconds / ${1 + mostNoise})`,
    [keys],
  );
  return rows.map(({ claim }) => nameOf(claim));
}

/** The standing of records whose claims were decided before, in their order; undefined: as for others. */
export async function standingsOf(tx: Queryable, records: readonly TuningRecord[]): Promise<readonly (StandingNo | undefined)[]> {
  const claims = records.map((record) => claimOf(record));
  const names = claims.map((claim) => claim && claimName(claim));
  const asked = [...new Set(names.filter((name) => name !== undefined))];
  if (asked.length === 0) return names.map(() => undefined);
  const rows = await tx.query<{ claim: string; base: string; state: number }>(
    `select claim::text as claim, base::text as base, state from claims
     where claim = any($1::text[]::uuid[]) and state in (${claimStates.verified}, ${claimStates.refuted})
     union all select claim::text, base::text, state from claims where base = any($1::text[]::uuid[]) and state = ${claimStates.verified}`,
    [asked],
  );
  const verified = new Set(rows.flatMap((r) => (r.state === claimStates.verified ? [nameOf(r.claim), nameOf(r.base)] : [])));
  const refuted = new Set(rows.flatMap((r) => (r.state === claimStates.refuted ? [nameOf(r.claim)] : [])));
  const isTrue = (i: number) => verified.has(names[i] ?? "");
  const given = await sharedStandings(
    tx,
    records.filter((_, i) => isTrue(i)),
  );
  let next = 0;
  return names.map((name, i) => {
    if (isTrue(i)) return given[next++];
    return name !== undefined && refuted.has(name) ? standings.refuted : undefined;
  });
}

/** The oldest of each principal. A principal counts as a session of its own. */
export async function readClaims(db: Queryable): Promise<readonly Queue<WaitingClaim>[]> {
  const next = (behind: string) =>
    `select owner from claims where state = ${claimStates.waiting} ${behind} order by owner limit 1`;
  const rows = await db.query<{ claim: string; owner: string; avoid: readonly WorkerId[]; doc: string }>(
    `with recursive owners (owner) as (
       (${next("")}) union all select x.owner from owners cross join lateral (${next("and owner > owners.owner")}) x)
     select c.claim::text as claim, c.owner, c.avoid, c.doc from (select owner from owners limit ${ownersAtOnce}) o cross join lateral (
       select claims.claim, claims.owner, claims.avoid, r.doc, wanted_at from claims
       cross join lateral (select doc from records where records.claim = claims.claim limit 1) r
       where claims.owner = o.owner and state = ${claimStates.waiting} order by wanted_at, claim limit ${ofOwnerAtOnce}) c
     order by c.owner, c.wanted_at, c.claim`,
  );
  const queues = new Map<string, Queue<WaitingClaim> & { readonly jobs: WaitingClaim[] }>();
  for (const { claim, owner, avoid, doc } of rows) {
    const queue = queues.get(owner) ?? { session: owner as never, principal: owner, priority: 0, jobs: [] };
    queues.set(owner, queue);
    const document = documentOf(doc);
    queue.jobs.push({ claim: nameOf(claim), document, avoid, bytes: document.length });
  }
  return [...queues.values()];
}

function documentOf(doc: string): Uint8Array {
  const { program: _, reference: __, ...claimed } = claimOf(decodeRecord(doc)) as Claim;
  return Buffer.from(canonicalJson(claimed));
}

const leasing = statement(
  {
    g: rowsOf({ lease_id: "text", worker_id: "text", epoch: "bigint", device: "integer", claim: "text[]::uuid" }),
    ttl_ms: value(),
  },
  ({ g, ttl_ms }) => `with g as (
       select g.* from ${g.rows}
       join workers w on w.worker_id = g.worker_id and w.epoch = g.epoch and not w.lost
       where not exists (select 1 from leases l where l.worker_id = g.worker_id and l.claim is not null)),
     free as (
       select c.claim, g.lease_id from g join claims c on c.claim = g.claim where c.state = ${claimStates.waiting}
       order by c.claim for update of c skip locked),
     taken as (
       update claims c set state = ${claimStates.leased}, attempts = c.attempts + 1 from free where c.claim = free.claim
       returning free.lease_id)
     insert into leases (lease_id, worker_id, epoch, device, claim, until)
     select g.lease_id, g.worker_id, g.epoch, g.device, g.claim, now() + ${ttl_ms} * interval '1 ms'
     from g join taken on taken.lease_id = g.lease_id returning lease_id as lease`,
);

export async function leaseClaims(
  db: Queryable,
  grants: readonly Grant<WaitingClaim>[],
  { epochs, ttlMs, newId }: LeaseTerms,
): Promise<readonly GrantedClaim[]> {
  if (grants.length === 0) return [];
  const all = grants.map((g) => ({ ...g, lease: toLeaseId(newId()), epoch: epochs.get(g.worker) ?? 0 }));
  const rows = await leasing.query<{ lease: LeaseId }>(db, {
    g: {
      lease_id: all.map((g) => g.lease),
      worker_id: all.map((g) => g.worker),
      epoch: all.map((g) => g.epoch),
      device: all.map((g) => g.device),
      claim: all.map((g) => g.job.claim),
    },
    ttl_ms: ttlMs,
  });
  const leased = new Set(rows.map((r) => r.lease));
  return all.filter((g) => leased.has(g.lease));
}

/** Builders' verdicts on claims that they had. */
export async function decideClaims(
  tx: Queryable,
  said: readonly { readonly claim: string | null; readonly worker: WorkerId; readonly outcome: Outcome }[],
): Promise<readonly Decided[]> {
  const decided: Decided[] = [];
  for (const { claim, worker, outcome } of said) {
    if (claim === null || (outcome.kind !== "replayed" && outcome.kind !== "replay_refused")) continue;
    const [row] = await tx.query<{ doc: string }>("select doc from records where claim = $1::text::uuid limit 1", [claim]);
    const told = row && claimOf(decodeRecord(row.doc));
    if (!told) {
      await tx.query("delete from claims where claim = $1::text::uuid", [claim]);
      continue;
    }
    const message = objectionTo(told, outcome);
    const verdict = message === undefined ? "verified" : "refuted";
    await tx.query(
      `update claims set state = ${claimStates[verdict]}, base = $2::text::uuid, decided_at = now(), message = $3,
         builder = coalesce((select concat(node, ' ', facts ->> 'compilerVersion') from workers where worker_id = $4), '')
       where claim = $1::text::uuid`,
      [claim, baseOf(told), message ?? "", worker],
    );
    if (verdict === "verified") await shareVerified(tx, [claim, baseOf(told)]);
    else await keepFromOthers(tx, claim);
    decided.push({ claim: nameOf(claim), verdict, ...(message === undefined ? {} : { message }) });
  }
  return decided;
}

type Said = Extract<Outcome, { readonly kind: "replayed" | "replay_refused" }>;

function objectionTo({ program, reference }: Claim, said: Said): string | undefined {
  if (said.kind === "replay_refused") return said.message;
  if (said.program !== program) return `it gives program ${said.program}; ${program} was measured`;
  if (reference !== null && said.reference !== reference)
    return `its reference is ${said.reference}; the output was compared with that of ${reference}`;
  return undefined;
}

const keepFromOthers = (tx: Queryable, claim: string) =>
  tx.query(
    `update records set standing = ${standings.refuted}, usable = ${usable.failed} where claim = $1::text::uuid and standing = ${standings.offered}`,
    [claim],
  );

/** How many claims wait, and since when the oldest does. */
export async function claimBacklog(db: Queryable): Promise<{ readonly waiting: number; readonly oldestSeconds: number }> {
  const [row] = await db.query<{ waiting: number; oldestSeconds: number }>(
    `select count(*)::integer as waiting,
       coalesce(greatest(extract(epoch from now() - min(wanted_at)), 0), 0)::double precision as "oldestSeconds"
     from claims where state in (${claimStates.waiting}, ${claimStates.leased})`,
  );
  return row ?? { waiting: 0, oldestSeconds: 0 };
}

const forgottenAtOnce = 1_000;

/** A verdict against a claim is forgotten after `ms`, and everything about a claim that no record makes any more. */
export async function forgetClaims(tx: Queryable, ms: number, after: string): Promise<string | undefined> {
  await tx.query(
    `delete from claims where state in (${claimStates.refuted}, ${claimStates.unverifiable}) and decided_at <= now() - $1 * interval '1 ms'`,
    [ms],
  );
  const looked = await tx.query<{ claim: string }>(
    "select claim::text as claim from claims where claim > $1::text::uuid order by claim limit $2",
    [after, forgottenAtOnce],
  );
  await tx.query(
    `delete from claims c where c.claim = any($1::text[]::uuid[]) and c.state <> ${claimStates.leased}
       and not exists (select 1 from records r where r.claim = c.claim)`,
    [looked.map(({ claim }) => claim)],
  );
  await forgetLooks(tx);
  return looked.length === forgottenAtOnce ? looked.at(-1)?.claim : undefined;
}
