/** Results whose records are not written yet: of received requests, and of sessions that are gone. */
import type { Json, MeasureOptions } from "@warpfarm/common";
import type { Provenance } from "@warpfarm/proto";
import type { Queryable } from "../database.ts";

/** A session as its records need it. */
export interface RecordedSession {
  readonly task: string;
  readonly principal: string;
  readonly options: MeasureOptions;
  readonly labels: Readonly<{ [name: string]: string }>;
  readonly provenance: Provenance;
  /** 0 shared, 1 private, 2 none. */
  readonly keep: number;
}

/** SQL: the session's row as JSON text. An empty provenance is none. */
export const sessionText = `json_build_object('task', s.task, 'principal', s.principal, 'options', s.options, 'labels', s.labels,
  'provenance', coalesce(nullif(s.provenance, ''), '{}')::json, 'keep', s.keep)::text`;

export interface Unrecorded {
  readonly id: string;
  readonly sequence: number;
  /** JSON of RecordedSession. */
  readonly session: string;
  readonly program: string;
  readonly others: readonly string[];
  readonly target: string;
  readonly proposal: string | null;
  readonly result: Uint8Array;
  /** Of a session that is gone. */
  readonly isLeft: boolean;
}

/** Some of them, locked until the transaction ends. Skips those that another tracker holds. */
export async function takeUnrecorded(tx: Queryable, most: number): Promise<readonly Unrecorded[]> {
  const left = await tx.query<Unrecorded>(
    `select session_id as id, sequence, session, program, others, target, proposal, result, true as "isLeft" from unrecorded
     order by session_id, sequence limit $1 for update skip locked`,
    [most],
  );
  if (left.length === most) return left;
  const received = await tx.query<Unrecorded>(
    `select r.session_id as id, r.sequence, ${sessionText} as session, r.program, r.others, r.target, r.proposal, r.result, false as "isLeft"
     from requests r join sessions s on s.session_id = r.session_id
     where r.state = 4 and r.result is not null order by r.session_id, r.sequence limit $1 for update of r skip locked`,
    [most - left.length],
  );
  return [...left, ...received];
}

/** Marks them, in this transaction, as recorded. */
export async function setRecorded(tx: Queryable, done: readonly Unrecorded[]): Promise<void> {
  const [left, received] = [done.filter(({ isLeft }) => isLeft), done.filter(({ isLeft }) => !isLeft)];
  const named = (rows: readonly Unrecorded[]) => [rows.map(({ id }) => id), rows.map(({ sequence }) => sequence)];
  const of = "from unnest($1::text[], $2::bigint[]) as d(session_id, sequence)";
  if (left.length > 0)
    await tx.query(
      `delete from unrecorded u using (select d.* ${of}) d where u.session_id = d.session_id and u.sequence = d.sequence`,
      named(left),
    );
  if (received.length > 0)
    await tx.query(
      `update requests r set result = null ${of} where r.session_id = d.session_id and r.sequence = d.sequence and r.state = 4`,
      named(received),
    );
}

/** Documents of programs and manifests, by digest. Deleted ones are missing. */
export async function documentsOf(
  tx: Queryable,
  table: "programs" | "blobs",
  digests: readonly string[],
): Promise<ReadonlyMap<string, Json>> {
  if (digests.length === 0) return new Map();
  const rows = await tx.query<{ digest: string; bytes: Uint8Array }>(
    `select digest, bytes from ${table} where digest = any($1::text[])`,
    [[...new Set(digests)]],
  );
  return new Map(rows.map(({ digest, bytes }) => [digest, parsed(bytes)]));
}

function parsed(bytes: Uint8Array): Json {
  try {
    return JSON.parse(Buffer.from(bytes).toString("utf8")) as Json;
  } catch {
    return null;
  }
}
