/** Code and manifests by SHA-256. Immutable, so a second upload of the same bytes is a no-op. */
import { type Digest, FarmError } from "@warpfarm/common";
import type { Database, Queryable } from "../database.ts";

/** False when it was there. `maxTotal`: bytes this store keeps at most. */
export async function putBlob(db: Database, digest: Digest, bytes: Uint8Array, maxTotal: number): Promise<boolean> {
  const [total] = await db.query<{ size: number }>("select coalesce(sum(size), 0)::bigint as size from blobs");
  if ((total?.size ?? 0) + bytes.length > maxTotal)
    throw new FarmError("RESOURCE_EXHAUSTED", `the artifact store holds ${total?.size} bytes; it keeps at most ${maxTotal}`);
  const rows = await db.query(
    "insert into blobs (digest, size, bytes) values ($1, $2, $3) on conflict (digest) do update set used_at = now() returning (xmax = 0) as fresh",
    [digest, bytes.length, bytes],
  );
  return (rows[0] as { fresh: boolean } | undefined)?.fresh ?? false;
}

export async function getBlob(db: Queryable, digest: Digest): Promise<Uint8Array | undefined> {
  const [row] = await db.query<{ bytes: Uint8Array }>("select bytes from blobs where digest = $1", [digest]);
  return row?.bytes;
}

export const statBlobs = (db: Queryable, digests: readonly Digest[]) =>
  db.query<{ digest: Digest; size: number }>("select digest, size from blobs where digest = any($1::text[])", [digests]);
