/** Who sent which programs, as far as the store knows: the first sender of each, and everybody who had it measured. */
import type { Queryable } from "../database.ts";
import { rowsOf, statement } from "../statement.ts";
import { buildStates } from "../states.ts";

interface Sending {
  readonly principal: string;
  readonly digest: string;
}

const sending = statement(
  { n: rowsOf({ principal: "text", digest: "text" }) },
  ({ n }) => `with named as (
       select n.principal, n.digest, coalesce(b.program, n.digest) as program
       from ${n.rows}
       left join lateral (select program from builds where artifact = n.digest and state = ${buildStates.built} order by program desc limit 1) b on true)
     select n.principal, n.digest from named n
     where exists (select 1 from programs p where p.digest = n.program and p.principal = n.principal)
       or exists (select 1 from sessions s join requests r on r.session_id = s.session_id
         where s.principal = n.principal and (r.program = n.program or r.reference = n.program or n.program = any(r.others)))
       or exists (select 1 from records k where k.namespace in ('', n.principal) and k.kernel = substr(encode(sha256(convert_to(n.program, 'UTF8')), 'hex'), 1, 32) and k.owner = n.principal and not k.imported)`,
);

/** The given pairs that are so. */
export const sentBefore = (db: Queryable, asked: readonly Sending[]): Promise<readonly Sending[]> =>
  sending.query<Sending>(db, {
    n: { principal: asked.map(({ principal }) => principal), digest: asked.map(({ digest }) => digest) },
  });
