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
import { rowsOf, statement, value } from "../statement.ts";
import { buildStates, requestStates } from "../states.ts";
import { type AcceptOutcome, type NewInput, type ProgramInput, programsOf } from "./new-input.ts";

/** A program's time of use is written when it is older than this. Collection keeps programs longer. */
export const usedWithinMs = 60_000;

/**
 * Whether a build waits for a session that is no more: its last inputs were on their way while it was closed, and the statement
 * below stores their builds although the session is gone by then. Nobody would be given such a build.
 */
export const isLeft = (build: string): string =>
  `${build}.state = ${buildStates.waiting} and not exists (select 1 from sessions s where s.session_id = ${build}.session_id)`;

const accepting = statement(
  {
    w: rowsOf({
      ...{ program: "text", sent: "boolean", target: "text", session_id: "text", priority: "integer" },
      ...{ timeout_ms: "double precision", principal: "text", version: "smallint" },
    }),
    p: rowsOf({ digest: "text", target: "text", bytes: "bytea", principal: "text", version: "smallint" }),
    named: value("text[]"),
    s: rowsOf({ session_id: "text", stream: "bigint", first: "bigint", last: "bigint" }, "at"),
    i: rowsOf({
      ...{ at: "integer", session_id: "text", sequence: "bigint", program: "text", reference: "text" },
      ...{ target: "text", proposal: "text" },
    }),
    used_within_ms: value(),
  },
  ({ w, p, named, s, i, used_within_ms }) => `
  with wanted as (
    select * from ${w.rows}),
  seen as (
    select w.*, b.state, (b.state < ${buildStates.built} and (b.session_id is null or b.priority < w.priority or b.timeout_ms < w.timeout_ms)
      or ${isLeft("b")}) as raised
    from wanted w left join builds b on b.program = w.program),
  stored as (
    insert into programs (digest, target, bytes, principal, size, version)
    select digest, target, bytes, principal, octet_length(bytes), version
    from ${p.rows}
    on conflict (digest) do update set used_at = now() where programs.used_at < now() - ${used_within_ms} * interval '1 ms'),
  marked as (
    update programs set used_at = now()
    where digest = any(${named}) and used_at < now() - ${used_within_ms} * interval '1 ms' returning 1),
  held as (
    select 1 from builds where program = any(${w.program}) and state < ${buildStates.built} order by program for share),
  added as (
    insert into builds (program, target, session_id, priority, timeout_ms, principal, version)
    select program, target, session_id, priority, timeout_ms, principal, version from seen where state is null and sent
    on conflict (program) do nothing returning 1),
  fine as (
    select (select count(*) from seen where state is null) = (select count(*) from added)
      and (select count(*) from seen where state < ${buildStates.built}) = (select count(*) from held)
      and (select count(*) from marked)
        + (select count(*) from programs where digest = any(${named}) and used_at >= now() - ${used_within_ms} * interval '1 ms')
        = cardinality(${named})
      and not exists (select 1 from seen where state = ${buildStates.failed} or raised) as ok),
  moved as (
    update sessions x set accepted_through = s.last
    from ${s.rows}
    where (select ok from fine) and x.session_id = s.session_id and x.stream = s.stream and x.accepted_through = s.first - 1
    returning s.at)
  insert into requests (session_id, sequence, program, reference, target, state, manifest, proposal)
  select i.session_id, i.sequence, i.program, nullif(i.reference, ''), coalesce(b.target, i.target),
    case when b.state = ${buildStates.built} and (i.reference = '' or r.state = ${buildStates.built}) then ${requestStates.ready} else ${requestStates.building} end,
    greatest(coalesce(b.manifest, 1), coalesce(r.manifest, 1)), nullif(i.proposal, '')
  from ${i.rows}
  left join builds b on b.program = i.program
  left join builds r on r.program = i.reference
  where i.at = any(array(select at from moved)::integer[])
  returning session_id as session, sequence, state`,
);

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
  const rows = await accepting.query<{ session: SessionId; sequence: number; state: number }>(db, {
    w: {
      program: wanted.map(([digest]) => digest),
      sent: wanted.map(([, w]) => w.sent !== undefined),
      target: wanted.map(([, w]) => w.sent?.target ?? ""),
      session_id: wanted.map(([, w]) => w.session),
      priority: wanted.map(([, w]) => w.priority),
      timeout_ms: wanted.map(([, w]) => w.timeoutMs),
      principal: wanted.map(([, w]) => w.principal),
      version: wanted.map(([, w]) => w.sent?.version ?? 1),
    },
    p: {
      digest: sent.map((p) => p.digest),
      target: sent.map((p) => p.target),
      bytes: sent.map((p) => p.bytes),
      principal: sent.map((p) => p.principal),
      version: sent.map((p) => p.version),
    },
    named,
    s: {
      session_id: runs.map((r) => r.session),
      stream: runs.map((r) => r.stream),
      first: runs.map((r) => r.inputs[0]?.sequence ?? 0),
      last: runs.map((r) => r.inputs.at(-1)?.sequence ?? 0),
    },
    i: {
      at: inputs.map(({ at }) => at),
      session_id: inputs.map(({ input }) => input.session),
      sequence: inputs.map(({ input }) => input.sequence),
      program: inputs.map(({ input }) => input.program.digest),
      reference: inputs.map(({ input }) => input.reference?.digest ?? ""),
      // The target of a build that this statement adds: its program may come with another input of the batch, and by digest
      // alone with this one.
      target: inputs.map(({ input }) => programs.get(input.program.digest)?.sent?.target ?? ""),
      proposal: inputs.map(({ input }) => input.proposal ?? ""),
    },
    used_within_ms: usedWithinMs,
  });
  const states = new Map(rows.map(({ session, sequence, state }) => [`${session} ${sequence}`, state]));
  for (const { input } of inputs) {
    const state = states.get(`${input.session} ${input.sequence}`);
    if (state !== undefined) accepted.set(input, { kind: "accepted", finished: false, ready: state === requestStates.ready });
  }
  return accepted;
}
