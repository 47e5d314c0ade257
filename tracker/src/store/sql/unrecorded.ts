/** Results whose records are not written yet: of received requests, and of sessions that are gone. */
import type { Json, MeasureOptions } from "@warpfarm/common";
import type { Provenance } from "@warpfarm/proto";
import type { Queryable } from "../database.ts";
import { rowsOf, statement, value } from "../statement.ts";
import { requestStates } from "../states.ts";

interface RecordedSession {
  readonly task: string;
  readonly principal: string;
  readonly options: MeasureOptions;
  readonly labels: Readonly<{ [name: string]: string }>;
  readonly provenance: Provenance;
  /** 0 shared, 1 private, 2 none. */
  readonly keep: number;
}

/**
 * SQL: the session's row as JSON text, for sessionOf. What the client told stays text here: no row of it may make a statement
 * fail that reads the rows of all.
 */
export const sessionText = `json_build_object('task', s.task, 'principal', s.principal, 'options', s.options, 'labels', s.labels,
  'provenance', s.provenance, 'keep', s.keep)::text`;

export function sessionOf({ session }: Pick<Unrecorded, "session">): RecordedSession {
  const { provenance, ...of } = JSON.parse(session) as Omit<RecordedSession, "provenance"> & { readonly provenance: string };
  return { ...of, provenance: provenance === "" ? {} : (JSON.parse(provenance) as Provenance) };
}

export interface Unrecorded {
  readonly id: string;
  readonly sequence: number;
  readonly session: string;
  readonly program: string;
  readonly others: readonly string[];
  readonly reference: string | null;
  readonly target: string;
  readonly proposal: string | null;
  readonly result: Uint8Array;
  readonly isLeft: boolean;
}

export type UnrecordedName = Pick<Unrecorded, "id" | "sequence">;

/** Some of them, or only one, locked until the transaction ends. Skips those that another tracker holds. */
export async function takeUnrecorded(tx: Queryable, most: number, only?: UnrecordedName): Promise<readonly Unrecorded[]> {
  const named = (alias: string) => (only ? `and ${alias}.session_id = $2 and ${alias}.sequence = $3` : "");
  const params = only ? [only.id, only.sequence] : [];
  const left = await tx.query<Unrecorded>(
    `select u.session_id as id, u.sequence, u.session, u.program, u.others, u.reference, u.target, u.proposal, u.result, true as "isLeft"
     from unrecorded u where u.set_aside is null ${named("u")} order by u.session_id, u.sequence limit $1 for update skip locked`,
    [most, ...params],
  );
  if (left.length === most) return left;
  const received = await tx.query<Unrecorded>(
    `select r.session_id as id, r.sequence, ${sessionText} as session, r.program, r.others, r.reference, r.target, r.proposal, r.result, false as "isLeft"
     from requests r join sessions s on s.session_id = r.session_id
     where r.state = ${requestStates.received} and r.result is not null ${named("r")} order by r.session_id, r.sequence limit $1 for update of r skip locked`,
    [most - left.length, ...params],
  );
  return [...left, ...received];
}

const settingAside = statement(
  {
    ...{ id: value(), sequence: value(), session: value(), program: value(), others: value() },
    ...{ reference: value(), target: value(), proposal: value(), result: value(), why: value() },
  },
  (u) => `
     insert into unrecorded (session_id, sequence, session, program, others, reference, target, proposal, result, set_aside, set_aside_at)
       values (${u.id}, ${u.sequence}, ${u.session}, ${u.program}, ${u.others}, ${u.reference}, ${u.target}, ${u.proposal}, ${u.result}, ${u.why}, now())
       on conflict (session_id, sequence) do update set set_aside = excluded.set_aside, set_aside_at = excluded.set_aside_at`,
);

export async function setUnrecordedAside(tx: Queryable, name: UnrecordedName, why: string): Promise<void> {
  for (const row of await takeUnrecorded(tx, 1, name)) {
    const { id, sequence, session, program, others, reference, target, proposal, result } = row;
    await settingAside.query(tx, { id, sequence, session, program, others, reference, target, proposal, result, why });
    if (!row.isLeft) await setRecorded(tx, [row]);
  }
}

export const forgetSetAside = (tx: Queryable, afterMs: number) =>
  tx.query("delete from unrecorded where set_aside is not null and set_aside_at <= now() - $1 * interval '1 ms'", [afterMs]);

const recorded = { d: rowsOf({ session_id: "text", sequence: "bigint" }) };
const forgettingLeft = statement(
  recorded,
  ({ d }) =>
    `delete from unrecorded u using (select d.* from ${d.rows}) d where u.session_id = d.session_id and u.sequence = d.sequence`,
);
const forgettingResults = statement(
  recorded,
  ({ d }) =>
    `update requests r set result = null from ${d.rows} where r.session_id = d.session_id and r.sequence = d.sequence and r.state = ${requestStates.received}`,
);

export async function setRecorded(tx: Queryable, done: readonly Unrecorded[]): Promise<void> {
  const [left, received] = [done.filter(({ isLeft }) => isLeft), done.filter(({ isLeft }) => !isLeft)];
  const columnsOf = (rows: readonly Unrecorded[]) => ({
    d: { session_id: rows.map(({ id }) => id), sequence: rows.map(({ sequence }) => sequence) },
  });
  if (left.length > 0) await forgettingLeft.query(tx, columnsOf(left));
  if (received.length > 0) await forgettingResults.query(tx, columnsOf(received));
}

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
