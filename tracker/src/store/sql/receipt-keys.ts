/** The public keys of receipts. A key is valid for what it signed, however old; its private part is never in the store. */
import type { KeyObject } from "node:crypto";
import { defined } from "@warpfarm/common";
import { publicKeyOf, type ReceiptKey } from "@warpfarm/records/receipts";
import type { Queryable } from "../database.ts";

/** Makes it the newest, also when it was one before. */
export async function keepReceiptKey(db: Queryable, key: KeyObject): Promise<void> {
  const { id, pem } = publicKeyOf(key);
  await db.query(
    `insert into receipt_keys (key_id, pem) values ($1, $2)
     on conflict (key_id) do update set number = default, since = now()
     where receipt_keys.number < (select max(number) from receipt_keys)`,
    [id, pem],
  );
}

/** The newest first. */
export async function receiptKeys(db: Queryable): Promise<readonly ReceiptKey[]> {
  const rows = await db.query<{ id: string; pem: string; since: number; until: number | null }>(
    `select key_id as id, pem, floor(extract(epoch from since) * 1000)::bigint as since,
       floor(extract(epoch from lead(since) over (order by number)) * 1000)::bigint as until
     from receipt_keys order by number desc`,
  );
  return rows.map(({ id, pem, since, until }) => ({ id, pem, sinceMs: since, ...defined({ untilMs: until ?? undefined }) }));
}
