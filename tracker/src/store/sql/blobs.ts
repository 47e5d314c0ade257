/** Code and manifests by SHA-256. They are immutable, so a second upload of the same bytes changes nothing. */
import type { Digest } from "@warpfarm/common";
import type { Database, Queryable } from "../database.ts";
import { rowsOf, statement, value } from "../statement.ts";
import { usedWithinMs } from "./accept-usual.ts";

export interface Blob {
  readonly digest: Digest;
  readonly bytes: Uint8Array;
  /** The client that sent it; absent: it is the farm's own. */
  readonly principal?: string;
}

export const totalBytes = async (db: Queryable): Promise<number> =>
  (await db.query<{ size: number }>("select coalesce(sum(size), 0)::bigint as size from blobs"))[0]?.size ?? 0;

const putting = statement(
  { b: rowsOf({ digest: "text", bytes: "bytea", principal: "text" }), used_within_ms: value() },
  ({ b, used_within_ms }) => `insert into blobs (digest, size, bytes, principal)
     select distinct on (digest) digest, octet_length(bytes), bytes, principal
     from ${b.rows} order by digest
     on conflict (digest) do update set used_at = now() where blobs.used_at < now() - ${used_within_ms} * interval '1 ms'
     returning case when xmax = 0 then digest end as digest`,
);

/** Returns those that did not exist. */
export async function putBlobs(db: Database, blobs: readonly Blob[]): Promise<ReadonlySet<Digest>> {
  const rows = await putting.query<{ digest: Digest }>(db, {
    b: {
      digest: blobs.map((b) => b.digest),
      bytes: blobs.map((b) => b.bytes),
      principal: blobs.map((b) => b.principal ?? "local"),
    },
    used_within_ms: usedWithinMs,
  });
  return new Set(rows.map((r) => r.digest).filter((d) => d !== null));
}

export async function useBlobs(db: Queryable, digests: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const rows = await db.query<{ digest: string; size: number }>(
    `with marked as (
       update blobs set used_at = now() where digest = any($1::text[]) and used_at < now() - $2 * interval '1 ms' returning digest, size)
     select digest, size from marked
     union all select digest, size from blobs where digest = any($1::text[]) and used_at >= now() - $2 * interval '1 ms'`,
    [digests, usedWithinMs],
  );
  return new Map(rows.map((b) => [b.digest, b.size]));
}

export async function getBlob(db: Queryable, digest: Digest): Promise<Uint8Array | undefined> {
  const [row] = await db.query<{ bytes: Uint8Array }>("select bytes from blobs where digest = $1", [digest]);
  return row?.bytes;
}

export const statBlobs = (db: Queryable, digests: readonly Digest[]) =>
  db.query<{ digest: Digest; size: number }>("select digest, size from blobs where digest = any($1::text[])", [digests]);
