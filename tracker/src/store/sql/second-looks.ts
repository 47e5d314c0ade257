/**
 * Second looks: a verified record that is much faster than expected is measured on a second node before others read it. One row
 * of second_looks for a claim on a kind of device.
 *
 *   wanted --its node is free--> measured --same time--> AGREED      the records are `verified by two`
 *     ^ |                          | |-------another-----> DISPUTED    they stay with their owner
 *     | '--no second node is left--|-|--------------------> (no row)   they are `seen by one node`
 *     '----node or session gone----' '--cannot be measured-> (no row)   they stay with their owner, and are measured anew
 *
 * Two times are the same when neither is more than `apart` times the other: both are within the noise (mostNoise), each to its
 * side.
 */
import {
  defined,
  type Json,
  type MeasureResult,
  medianSeconds,
  type NewId,
  type Seconds,
  type SessionId,
  toSessionId,
  type WorkerId,
} from "@warpfarm/common";
import type { Provenance } from "@warpfarm/proto";
import { claimName, claimOf, decodeRecord, everybody, mostNoise, standings, type TuningRecord } from "@warpfarm/records";
import type { Database, Queryable } from "../database.ts";
import { decodeResult } from "../result-bytes.ts";
import { rowsOf, statement } from "../statement.ts";
import { buildStates, lookStates, requestStates } from "../states.ts";

/** In whose name second looks are measured. No token has a name with a space. */
const farmPrincipal = "the farm";

export const apart = (1 + mostNoise) ** 2;
export const isSameTime = (a: Seconds, b: Seconds): boolean => Math.max(a, b) <= apart * Math.min(a, b);

interface LookName {
  readonly claim: string;
  readonly deviceKey: string;
  readonly deviceName: string;
}

export interface Look extends LookName {
  readonly state: number;
  readonly node: string;
  readonly seconds: Seconds;
  readonly secondSeconds: Seconds | null;
  readonly attempts: number;
}

/** Undefined for a record that no builder can replay, or that met no device. */
export function lookNameOf(record: TuningRecord): LookName | undefined {
  const claim = claimOf(record);
  const { device } = record;
  return claim && device && { claim: claimName(claim), deviceKey: device.key, deviceName: device.name };
}

const columns = `s.claim::text as claim, s.device_key as "deviceKey", s.device_name as "deviceName", s.state, s.node, s.seconds,
  s.second_seconds as "secondSeconds", s.attempts`;

const looking = statement(
  { n: rowsOf({ claim: "text[]::uuid", device_key: "text", device_name: "text" }) },
  ({ n }) => `select ${columns} from second_looks s
     where (s.claim, s.device_key, s.device_name) in (select * from ${n.rows})`,
);

/** Second looks at these records, by their place. */
export async function looksOf(tx: Queryable, names: readonly LookName[]): Promise<ReadonlyMap<string, Look>> {
  if (names.length === 0) return new Map();
  const rows = await looking.query<Look>(tx, {
    n: {
      claim: names.map((n) => n.claim),
      device_key: names.map((n) => n.deviceKey),
      device_name: names.map((n) => n.deviceName),
    },
  });
  return new Map(rows.map((row) => [placeOf(row), row]));
}
export const placeOf = ({ claim, deviceKey, deviceName }: LookName): string =>
  JSON.stringify([claim.replaceAll("-", ""), deviceKey, deviceName]);

/** Another node with a live runner of the kind of device, preferably of another principal, since one may lie twice. */
export async function secondNodes(
  tx: Queryable,
  { deviceKey, deviceName, node }: Pick<Look, "deviceKey" | "deviceName" | "node">,
): Promise<readonly { readonly node: string; readonly worker: WorkerId }[]> {
  const rows = await tx.query<{ node: string; worker: WorkerId }>(
    `select w.node, w.worker_id as worker from workers w
     where not w.lost and w.role = 'runner' and w.node <> $3 and w.quarantine = ''
       and not exists (select 1 from drained_nodes d where d.node = w.node)
       and w.facts -> 'devices' @> jsonb_build_array(jsonb_build_object('facts', jsonb_build_object('key', $1::text, 'name', $2::text)))
     order by exists (select 1 from workers f where f.role = 'runner' and f.node = $3 and f.principal = w.principal), w.node, w.worker_id
     limit 64`,
    [deviceKey, deviceName, node],
  );
  return rows.filter((row) => selectable.test(row.node));
}
const selectable = /^[\w.:/-]{1,128}$/;

/** Wants the record measured once more. False: there is no second node. */
export async function wantLook(tx: Queryable, record: TuningRecord, key: string): Promise<boolean> {
  const name = lookNameOf(record);
  const node = record.device?.node;
  if (!name || node === undefined || record.result.kind !== "timed") return false;
  if ((await secondNodes(tx, { ...name, node })).length === 0) return false;
  await tx.query(
    `insert into second_looks (claim, device_key, device_name, record, node, seconds) values ($1::text::uuid, $2, $3, $4::text::uuid, $5, $6)
     on conflict (claim, device_key, device_name) do update set record = excluded.record, node = excluded.node, seconds = excluded.seconds,
       state = ${lookStates.wanted}, wanted_at = now(), second_seconds = null, message = ''
     where second_looks.state = ${lookStates.agreed}`,
    [name.claim, name.deviceKey, name.deviceName, key, node, medianSeconds(record.result.costs)],
  );
  return true;
}

export interface WantedLook extends Look {
  readonly doc: string;
  readonly waitedMs: number;
}

export const wantedLooks = (db: Queryable, most: number): Promise<readonly WantedLook[]> =>
  db.query<WantedLook>(
    `select ${columns}, r.doc, extract(epoch from now() - s.wanted_at)::double precision * 1000 as "waitedMs"
     from second_looks s join records r on r.key = s.record where s.state = ${lookStates.wanted} order by s.wanted_at limit $1`,
    [most],
  );

const priority = -100;
const keptDays = 1;

/**
 * Measures it at `node`: a session with one input. Undefined: its programs are not built any more. Its runs take the way of those
 * that are tried again, one by one, since only there a node is looked at (dispatch/one-by-one.ts).
 */
export async function beginLook(db: Database, look: WantedLook, node: string, newId: NewId): Promise<SessionId | undefined> {
  const record = decodeRecord(look.doc);
  const { program, reference = null, options, task, args, templateVersion: version, config } = record;
  if (program === undefined || options === undefined) return undefined;
  const session = toSessionId(newId());
  // Others' records are of templates that come with Warpfarm.
  const named = { template: task, ...defined({ version }) };
  const provenance: Provenance = { search: { version: 1, task: named, args: [...args] as Json[] } };
  return db.transaction(async (tx) => {
    const built = await tx.query(
      `select 1 from builds where state = ${buildStates.built} and program = any($1::text[]) order by program for share`,
      [[program, ...(reference === null ? [] : [reference])]],
    );
    if (built.length < (reference === null || reference === program ? 1 : 2)) return undefined;
    await tx.query(
      `insert into sessions (session_id, request_id, task, selector, options, priority, max_in_flight, labels, accepted_through, expires_at,
         weight, principal, provenance)
       values ($1, $1, $2, $3, $4::jsonb, $5, 1, '{}', 1, now() + interval '${keptDays} days', 1, $6, $7)`,
      [
        session,
        task,
        `${look.deviceKey},node=${node}`,
        JSON.stringify({ ...options, incumbent: undefined }),
        priority,
        farmPrincipal,
        JSON.stringify(provenance),
      ],
    );
    await tx.query(
      `insert into requests (session_id, sequence, program, reference, target, state, manifest, avoid, proposal, ready_at)
       select $1, 1, $2, $3, $4, 1, max(b.manifest), array['none'], $5, now() from builds b where b.program = any($6::text[])`,
      [
        session,
        program,
        reference,
        record.target,
        config === undefined ? null : JSON.stringify({ config: JSON.stringify(config.entity), trial: 0, told: 0 }),
        [program, ...(reference === null ? [] : [reference])],
      ],
    );
    await tx.query(
      `update second_looks set state = ${lookStates.measured}, session_id = $4, second_node = $5
       where claim = $1::text::uuid and device_key = $2 and device_name = $3`,
      [look.claim, look.deviceKey, look.deviceName, session, node],
    );
    return session;
  });
}

export interface EndedLook extends Look {
  readonly session: SessionId;
  readonly secondNode: string;
  /** Undefined: its node or its session is gone. */
  readonly result: MeasureResult | undefined;
}

export async function endedLooks(db: Queryable): Promise<readonly EndedLook[]> {
  const rows = await db.query<Omit<EndedLook, "result"> & { readonly result: Uint8Array | null }>(
    `select ${columns}, s.session_id as session, s.second_node as "secondNode",
       case when r.state >= ${requestStates.done} then r.result end as result
     from second_looks s left join requests r on r.session_id = s.session_id and r.sequence = 1
     where s.state = ${lookStates.measured} and (r.state is null or r.state >= ${requestStates.done} or (r.state = ${requestStates.ready}
       and not exists (select 1 from workers w where w.node = s.second_node and w.role = 'runner' and not w.lost)))`,
  );
  return rows.map(({ result, ...row }) => ({ ...row, result: result ? decodeResult(result) : undefined }));
}

const ofLook = "claim = $1::text::uuid and device_key = $2 and device_name = $3";
const doubted = `${ofLook} and standing = ${standings.doubted}`;
const nameParams = (look: LookName) => [look.claim, look.deviceKey, look.deviceName];

/** Applies the second node's time. Records near it are everybody's, faster ones stay with their owner. */
export async function endLook(tx: Queryable, look: Look, seconds: Seconds, message: string): Promise<void> {
  const state = message === "" ? lookStates.agreed : lookStates.disputed;
  await tx.query(
    `update second_looks set state = ${state}, second_seconds = $4, message = $5, session_id = null where ${ofLook}`,
    [...nameParams(look), seconds, message],
  );
  if (message === "")
    await tx.query(
      `update records set standing = ${standings.confirmed}, namespace = '${everybody}'
       where ${doubted} and seconds between $4::double precision / ${apart} and $4::double precision * ${apart}`,
      [...nameParams(look), seconds],
    );
  await tx.query(`update records set standing = ${standings.disputed} where ${doubted}`, nameParams(look));
}

/** Wants it once more: its node is gone, or failed it (`isFault`). */
export const wantAgain = (tx: Queryable, look: LookName, isFault: boolean) =>
  tx.query(
    `update second_looks set state = ${lookStates.wanted}, session_id = null, attempts = attempts + ${isFault ? 1 : 0} where ${ofLook}`,
    nameParams(look),
  );

export const forgetLooks = (tx: Queryable) =>
  tx.query("delete from second_looks s where not exists (select 1 from records r where r.claim = s.claim)");

/** Gives it up: its records are everybody's on the word of one node, or stay with their owner. */
export async function dropLook(tx: Queryable, look: LookName, isShared: boolean): Promise<void> {
  await tx.query(`delete from second_looks where ${ofLook}`, nameParams(look));
  await tx.query(
    isShared
      ? `update records set standing = ${standings.verified}, namespace = '${everybody}' where ${doubted}`
      : `update records set standing = ${standings.own} where ${doubted}`,
    nameParams(look),
  );
}

/** Adds what the nodes of disputed records say. Their owners and admins alone read these. */
export async function withDisputes(db: Queryable, records: readonly TuningRecord[]): Promise<readonly TuningRecord[]> {
  const ids = records.flatMap(({ id, standing }) => (standing === "disputed" ? [id] : []));
  if (ids.length === 0) return records;
  const rows = await db.query<{ id: string; message: string }>(
    `select r.id, s.message from records r
     join second_looks s on s.claim = r.claim and s.device_key = r.device_key and s.device_name = r.device_name
     where r.id = any($1::text[]) and s.state = ${lookStates.disputed}`,
    [ids],
  );
  const why = new Map(rows.map(({ id, message }) => [id, message]));
  return records.map((record) => ({ ...record, ...defined({ why: why.get(record.id) }) }));
}
