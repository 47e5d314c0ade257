/** What a Measure stream reads and acknowledges: finished results, kept until they are received. */
import type { SessionId } from "@warpfarm/common";
import type { Queryable } from "../database.ts";
import { rowsOf, statement } from "../statement.ts";
import { requestStates } from "../states.ts";
import type { Finished } from "./effects.ts";

export interface StreamStart {
  /** Sequences finished and not received, in order. */
  readonly done: readonly number[];
  readonly open: number;
}

export interface Receipt {
  readonly session: SessionId;
  readonly sequence: number;
}

const receiving = statement(
  { g: rowsOf({ session_id: "text", sequence: "bigint" }) },
  ({ g }) => `update requests r set state = ${requestStates.received} from ${g.rows}
     where r.session_id = g.session_id and r.sequence = g.sequence and r.state = ${requestStates.done}`,
);

/** Received results: their bytes are deleted once their records are written, their names stay. */
export async function receive(db: Queryable, receipts: readonly Receipt[]): Promise<void> {
  await receiving.query(db, {
    g: { session_id: receipts.map((r) => r.session), sequence: receipts.map((r) => r.sequence) },
  });
}

/** Receives everything finished up to this sequence, as a resuming client says. */
export async function receiveThrough(db: Queryable, session: SessionId, through: number): Promise<void> {
  await db.query(
    `update requests set state = ${requestStates.received} where session_id = $1 and sequence <= $2 and state = ${requestStates.done}`,
    [session, through],
  );
}

/** Read at one moment, because receipts of the previous stream are still being stored. */
export async function streamStart(db: Queryable, session: SessionId): Promise<StreamStart> {
  const open = await db.query<{ sequence: number; done: boolean }>(
    `select sequence, state = ${requestStates.done} as done from requests where session_id = $1 and state < ${requestStates.received} order by sequence`,
    [session],
  );
  return { done: open.filter((r) => r.done).map((r) => r.sequence), open: open.length };
}

export const finishedOf = (db: Queryable, sessions: readonly SessionId[]) =>
  db.query<Finished>(
    `select session_id as session, sequence from requests where session_id = any($1::text[]) and state = ${requestStates.done}`,
    [sessions],
  );

export async function readResults(
  db: Queryable,
  session: SessionId,
  sequences: readonly number[],
): Promise<readonly { readonly sequence: number; readonly encoded: Uint8Array }[]> {
  return db.query(
    `select sequence, result as encoded from requests where session_id = $1 and sequence = any($2::bigint[]) and state = ${requestStates.done} order by sequence`,
    [session, sequences],
  );
}
