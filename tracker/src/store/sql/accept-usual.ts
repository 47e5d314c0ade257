/**
 * The usual batch in one statement. A session's inputs are taken all or not at all: its stream is current, the first sequence is
 * the next one, they have no gap. The whole batch is taken only when every program is known or sent and no build is to be tried
 * again or raised; otherwise nothing is, but what was sent is kept.
 *
 * Against what happens at the same time in another transaction:
 * a build ends        rows of builds that are not finished are locked in share mode: the one that ends them waits and then sees
 *                     the new requests, or has ended and this statement finds fewer rows to lock than it saw, and takes nothing
 * a build is wanted   by another tracker first: fewer rows are added than were missing, nothing is taken
 * collection          takes the lock of a program's row before it looks; a program used here is marked as used, which waits for
 *                     that lock
 */
import type { SessionId } from "@warpfarm/common";
import type { Queryable } from "../database.ts";
import { type AcceptOutcome, type NewInput, type ProgramInput, programsOf } from "./accept.ts";

/** A program's time of use is written when it is older than this. Collection keeps programs longer. */
export const usedWithinMs = 60_000;

/**
 * Whether a build waits for a session that is no more: its last inputs were on their way while it was closed, and the statement
 * below stores their builds although the session is gone by then. Nobody would be given such a build.
 */
export const isLeft = (build: string): string =>
  `${build}.state = 0 and not exists (select 1 from sessions s where s.session_id = ${build}.session_id)`;

const statement = `
  with wanted as (
    select * from unnest($1::text[], $2::boolean[], $3::text[], $4::text[], $5::integer[], $6::double precision[], $22::text[], $24::smallint[])
      as w(program, sent, target, session_id, priority, timeout_ms, principal, version)),
  seen as (
    select w.*, b.state, (b.state < 2 and (b.session_id is null or b.priority < w.priority or b.timeout_ms < w.timeout_ms)
      or ${isLeft("b")}) as raised
    from wanted w left join builds b on b.program = w.program),
  stored as (
    insert into programs (digest, target, bytes, principal, size, version)
    select digest, target, bytes, principal, octet_length(bytes), version
    from unnest($7::text[], $8::text[], $9::bytea[], $23::text[], $25::smallint[]) as p(digest, target, bytes, principal, version)
    on conflict (digest) do update set used_at = now() where programs.used_at < now() - $19 * interval '1 ms'),
  marked as (
    update programs set used_at = now()
    where digest = any($10::text[]) and used_at < now() - $19 * interval '1 ms' returning 1),
  held as (
    select 1 from builds where program = any($1::text[]) and state < 2 order by program for share),
  added as (
    insert into builds (program, target, session_id, priority, timeout_ms, principal, version)
    select program, target, session_id, priority, timeout_ms, principal, version from seen where state is null and sent
    on conflict (program) do nothing returning 1),
  fine as (
    select (select count(*) from seen where state is null) = (select count(*) from added)
      and (select count(*) from seen where state < 2) = (select count(*) from held)
      and (select count(*) from marked)
        + (select count(*) from programs where digest = any($10::text[]) and used_at >= now() - $19 * interval '1 ms')
        = cardinality($10::text[])
      and not exists (select 1 from seen where state = 3 or raised) as ok),
  moved as (
    update sessions x set accepted_through = s.last
    from unnest($11::text[], $12::bigint[], $13::bigint[], $14::bigint[]) with ordinality as s(session_id, stream, first, last, at)
    where (select ok from fine) and x.session_id = s.session_id and x.stream = s.stream and x.accepted_through = s.first - 1
    returning s.at)
  insert into requests (session_id, sequence, program, reference, target, state, manifest, proposal)
  select i.session_id, i.sequence, i.program, nullif(i.reference, ''), coalesce(b.target, i.target),
    case when b.state = 2 and (i.reference = '' or r.state = 2) then 1 else 0 end,
    greatest(coalesce(b.manifest, 1), coalesce(r.manifest, 1)), nullif(i.proposal, '')
  from unnest($15::integer[], $16::text[], $17::bigint[], $18::text[], $20::text[], $21::text[], $26::text[])
    as i(at, session_id, sequence, program, reference, target, proposal)
  left join builds b on b.program = i.program
  left join builds r on r.program = i.reference
  where i.at = any(array(select at from moved)::integer[])
  returning session_id as session, sequence, state`;

interface Run {
  readonly session: SessionId;
  readonly stream: number;
  readonly inputs: NewInput[];
}

/** Inputs by session, for sessions that send one sequence after the other on one stream. */
function runsOf(inputs: readonly NewInput[]): Run[] {
  const runs = new Map<SessionId, Run & { broken: boolean }>();
  for (const input of inputs) {
    const run = runs.get(input.session);
    if (!run) {
      runs.set(input.session, { session: input.session, stream: input.stream, inputs: [input], broken: false });
      continue;
    }
    if (input.stream !== run.stream || input.sequence !== (run.inputs.at(-1)?.sequence ?? 0) + 1) run.broken = true;
    run.inputs.push(input);
  }
  return [...runs.values()].filter((run) => !run.broken);
}

export interface Wanted {
  readonly session: SessionId;
  readonly priority: number;
  readonly timeoutMs: number;
  readonly principal: string;
  readonly sent: ProgramInput["sent"];
}

/** The builds that these inputs need: for whom, with what priority and time limit. */
export function wantedOf(inputs: readonly NewInput[]): Map<string, Wanted> {
  const wanted = new Map<string, Wanted>();
  for (const input of inputs) {
    const { session, priority, options, principal = "local" } = input;
    for (const p of programsOf(input)) {
      const there = wanted.get(p.digest);
      wanted.set(p.digest, {
        session: there?.session ?? session,
        priority: Math.max(there?.priority ?? priority, priority),
        timeoutMs: Math.max(there?.timeoutMs ?? 0, options.buildTimeoutMs),
        principal: there?.principal ?? principal,
        sent: there?.sent ?? p.sent,
      });
    }
  }
  return wanted;
}

/** Outcomes of the accepted inputs. Others are not in the map. */
export async function acceptUsual(db: Queryable, all: readonly NewInput[]): Promise<Map<NewInput, AcceptOutcome>> {
  const accepted = new Map<NewInput, AcceptOutcome>();
  const runs = runsOf(all);
  if (runs.length === 0) return accepted;
  const inputs = runs.flatMap((run, i) => run.inputs.map((input) => ({ input, at: i + 1 })));
  // All statements use one order, so that two trackers do not wait for each other.
  const programs = wantedOf(inputs.map(({ input }) => input));
  const wanted = [...programs].sort(([a], [b]) => (a < b ? -1 : 1));
  const sent = wanted.flatMap(([digest, w]) => (w.sent ? [{ digest, principal: w.principal, ...w.sent }] : []));
  const named = wanted.flatMap(([digest, w]) => (w.sent ? [] : [digest]));
  const rows = await db.query<{ session: SessionId; sequence: number; state: number }>(statement, [
    wanted.map(([digest]) => digest),
    wanted.map(([, w]) => w.sent !== undefined),
    wanted.map(([, w]) => w.sent?.target ?? ""),
    wanted.map(([, w]) => w.session),
    wanted.map(([, w]) => w.priority),
    wanted.map(([, w]) => w.timeoutMs),
    sent.map((s) => s.digest),
    sent.map((s) => s.target),
    sent.map((s) => s.bytes),
    named,
    runs.map((r) => r.session),
    runs.map((r) => r.stream),
    runs.map((r) => r.inputs[0]?.sequence ?? 0),
    runs.map((r) => r.inputs.at(-1)?.sequence ?? 0),
    inputs.map(({ at }) => at),
    inputs.map(({ input }) => input.session),
    inputs.map(({ input }) => input.sequence),
    inputs.map(({ input }) => input.program.digest),
    usedWithinMs,
    inputs.map(({ input }) => input.reference?.digest ?? ""),
    // The target of a build that this statement adds: its program may come with another input of the batch, and by digest alone
    // with this one.
    inputs.map(({ input }) => programs.get(input.program.digest)?.sent?.target ?? ""),
    wanted.map(([, w]) => w.principal),
    sent.map((s) => s.principal),
    wanted.map(([, w]) => w.sent?.version ?? 1),
    sent.map((s) => s.version ?? 1),
    inputs.map(({ input }) => input.proposal ?? ""),
  ]);
  const states = new Map(rows.map(({ session, sequence, state }) => [`${session} ${sequence}`, state]));
  for (const { input } of inputs) {
    const state = states.get(`${input.session} ${input.sequence}`);
    if (state !== undefined) accepted.set(input, { kind: "accepted", finished: false, ready: state === 1 });
  }
  return accepted;
}
