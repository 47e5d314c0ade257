/**
 * Inputs outside the usual case: repeated, out of order, of a stream that was taken over, naming unknown programs or failed
 * builds. Many are handled in one transaction. Inputs of a stream are taken in order, without gaps. The first refused one ends
 * the stream's share of the batch, so no gap can arise. Inputs that a superseded stream still sends do not affect its successor.
 */
import { defined, type ProgramDigest, type SessionId } from "@warpfarm/common";
import type { Database, Queryable } from "../database.ts";
import { rowsOf, statement } from "../statement.ts";
import { buildStates, requestStates } from "../states.ts";
import { isLeft, wantedOf } from "./accept-usual.ts";
import { buildVerdict } from "./builds.ts";
import { type AcceptOutcome, type NewInput, type ProgramInput, programsOf } from "./new-input.ts";
import { claimReuses, type Reuse, type ReuseAsk } from "./reuses.ts";
import { buildersOfSayers, buildFailureIsCurrent, buildFailureStandsFor } from "./verdicts.ts";

interface BuildState {
  readonly program: string;
  readonly state: number;
  readonly failure: Uint8Array | null;
  readonly manifest: number;
}

const movingOn = statement(
  { n: rowsOf({ session_id: "text", through: "bigint" }) },
  ({ n }) => `update sessions s set accepted_through = n.through from ${n.rows} where s.session_id = n.session_id`,
);

export async function acceptCarefully(db: Database, named: readonly NewInput[], now: number): Promise<readonly AcceptOutcome[]> {
  return db.transaction(async (tx) => {
    const inputs = await withoutArtifacts(tx, named);
    const targets = await storePrograms(tx, inputs);
    const sessions = await lockSessions(tx, inputs);
    const outcomes: AcceptOutcome[] = [];
    const fresh = new Map<number, NewInput>();
    const old: number[] = [];
    const stopped = new Set<string>();
    for (const input of inputs) {
      const session = sessions.get(input.session);
      const stream = `${input.session} ${input.stream}`;
      const outcome = ((): AcceptOutcome => {
        if (stopped.has(stream)) return { kind: "not_tried" };
        if (session?.stream !== input.stream) return { kind: "taken_over" };
        if (input.sequence <= session.before) {
          old.push(outcomes.length);
          return same;
        }
        if (input.sequence > session.through + 1) return { kind: "gap", expected: session.through + 1 };
        if (input.sequence <= session.through)
          return [...fresh.values()].some((f) => isSame(f, input)) ? same : { kind: "different" };
        const missing = programsOf(input).find((p) => p.isAnothers || !targets.has(p.digest));
        if (missing) return { kind: "unknown_program", digest: missing.digest };
        session.through++;
        fresh.set(outcomes.length, input);
        return { kind: "accepted", finished: false, ready: false };
      })();
      if (outcome.kind !== "accepted" && outcome.kind !== "same") stopped.add(stream);
      outcomes.push(outcome);
    }
    await compareOld(tx, inputs, old, outcomes);
    if (fresh.size > 0) {
      const added = [...fresh.values()];
      const states = await wantBuilds(tx, added, targets);
      const inserted = await insertRequests(
        tx,
        added,
        targets,
        states,
        await reusesOf(tx, added, { sessions, targets, now }),
        now,
      );
      await movingOn.query(tx, {
        n: { session_id: [...sessions.keys()], through: [...sessions.values()].map((s) => s.through) },
      });
      for (const [i, at] of [...fresh.keys()].entries()) outcomes[at] = inserted[i] as AcceptOutcome;
    }
    return outcomes;
  });
}

const same: AcceptOutcome = { kind: "same", finished: false };
const isSame = (a: NewInput, b: NewInput): boolean =>
  a.session === b.session &&
  a.sequence === b.sequence &&
  a.program.digest === b.program.digest &&
  a.reference?.digest === b.reference?.digest &&
  othersOf(a).join() === othersOf(b).join();
const othersOf = ({ others = [] }: NewInput): readonly string[] => others.map(({ digest }) => digest);

/** A digest among programs measured interleaved may be an artifact's. */
async function withoutArtifacts(tx: Queryable, inputs: readonly NewInput[]): Promise<readonly NewInput[]> {
  const digests = inputs.flatMap(({ others = [] }) => others.filter((o) => !o.sent).map(({ digest }) => digest));
  if (digests.length === 0) return inputs;
  const rows = await tx.query<{ artifact: string; program: ProgramDigest }>(
    `select artifact, program from builds where state = ${buildStates.built} and artifact = any($1::text[]) order by program`,
    [digests],
  );
  const programs = new Map(rows.map(({ artifact, program }) => [artifact, program]));
  return inputs.map((input) => {
    if (!input.others) return input;
    const others = input.others.map((o) => (o.sent || o.isAnothers ? o : { digest: programs.get(o.digest) ?? o.digest }));
    return { ...input, others };
  });
}

interface Kind {
  readonly target: string;
  readonly version: number;
}

const storingPrograms = statement(
  { p: rowsOf({ digest: "text", target: "text", bytes: "bytea", principal: "text", version: "smallint" }) },
  ({ p }) => `insert into programs (digest, target, bytes, principal, size, version)
       select digest, target, bytes, principal, octet_length(bytes), version
       from ${p.rows} on conflict (digest) do nothing`,
);

async function storePrograms(tx: Queryable, inputs: readonly NewInput[]): Promise<Map<string, Kind>> {
  const named = new Map<string, ProgramInput & { readonly principal: string }>();
  for (const input of inputs)
    for (const p of programsOf(input))
      if (p.sent || !named.has(p.digest)) named.set(p.digest, { ...p, principal: input.principal ?? "local" });
  const digests = [...named.keys()].sort();
  const known = await tx.query<Kind & { digest: string }>(
    "update programs set used_at = now() where digest = any($1::text[]) returning digest, target, version",
    [digests],
  );
  const targets = new Map<string, Kind>(known.map(({ digest, target, version }) => [digest, { target, version }]));
  const p = {
    digest: [] as string[],
    target: [] as string[],
    bytes: [] as Uint8Array[],
    principal: [] as string[],
    version: [] as number[],
  };
  for (const digest of digests) {
    const { sent, principal = "local" } = named.get(digest) ?? {};
    if (!sent || targets.has(digest)) continue;
    const { target, version } = sent;
    targets.set(digest, { target, version });
    p.digest.push(digest);
    p.target.push(target);
    p.bytes.push(sent.bytes);
    p.principal.push(principal);
    p.version.push(version);
  }
  if (p.digest.length > 0) await storingPrograms.query(tx, { p });
  return targets;
}

interface Progress {
  readonly stream: number;
  readonly selector: string;
  readonly before: number;
  through: number;
}

async function lockSessions(tx: Queryable, inputs: readonly NewInput[]): Promise<Map<SessionId, Progress>> {
  const rows = await tx.query<{ id: SessionId; stream: number; selector: string; through: number }>(
    `select session_id as id, stream, selector, accepted_through as through from sessions
     where session_id = any($1::text[]) order by session_id for update`,
    [[...new Set(inputs.map((i) => i.session))]],
  );
  return new Map(rows.map(({ id, stream, selector, through }) => [id, { stream, selector, before: through, through }]));
}

const comparing = statement(
  {
    o: rowsOf({
      ...{ at: "integer", session_id: "text", sequence: "bigint" },
      ...{ program: "text", reference: "text", others: "text" },
    }),
  },
  ({ o }) => `
     select o.at, r.program = o.program and coalesce(r.reference, '') = o.reference and array_to_string(r.others, ',') = o.others as same
     from ${o.rows}
     join requests r on r.session_id = o.session_id and r.sequence = o.sequence
     where r.state = ${requestStates.done} or r.program <> o.program or coalesce(r.reference, '') <> o.reference or array_to_string(r.others, ',') <> o.others`,
);

/** Turns "same" into "different" where the stored request names other programs, and says which of them are finished. */
async function compareOld(
  tx: Queryable,
  inputs: readonly NewInput[],
  old: readonly number[],
  outcomes: AcceptOutcome[],
): Promise<void> {
  if (old.length === 0) return;
  const asked = old.map((i) => inputs[i] as NewInput);
  const rows = await comparing.query<{ at: number; same: boolean }>(tx, {
    o: {
      at: old,
      session_id: asked.map((i) => i.session),
      sequence: asked.map((i) => i.sequence),
      program: asked.map((i) => i.program.digest),
      reference: asked.map((i) => i.reference?.digest ?? ""),
      others: asked.map((i) => othersOf(i).join()),
    },
  });
  for (const { at, same } of rows) outcomes[at] = same ? { kind: "same", finished: true } : { kind: "different" };
}

const wanting = statement(
  {
    w: rowsOf({
      ...{ program: "text", target: "text", session_id: "text", priority: "integer" },
      ...{ timeout_ms: "double precision", principal: "text", version: "smallint" },
    }),
  },
  ({ w }) => `insert into builds (program, target, session_id, priority, timeout_ms, principal, version)
     select * from ${w.rows}
     on conflict (program) do update set
       principal = case when builds.state = ${buildStates.failed} or builds.session_id is null then excluded.principal else builds.principal end,
       session_id = case when builds.state = ${buildStates.failed} or builds.session_id is null or ${isLeft("builds")} then excluded.session_id else builds.session_id end,
       priority = greatest(builds.priority, excluded.priority),
       timeout_ms = greatest(builds.timeout_ms, excluded.timeout_ms),
       state = case when builds.state = ${buildStates.failed} then ${buildStates.waiting} else builds.state end,
       queued_at = case when builds.state = ${buildStates.failed} then now() else builds.queued_at end,
       attempts = case when builds.state = ${buildStates.failed} then 0 else builds.attempts end,
       losses = case when builds.state = ${buildStates.failed} then 0 else builds.losses end,
       ends = case when builds.state = ${buildStates.failed} then 0 else builds.ends end,
       faults = case when builds.state = ${buildStates.failed} then 0 else builds.faults end,
       failure = case when builds.state = ${buildStates.failed} then null else builds.failure end,
       said_by = case when builds.state = ${buildStates.failed} and not ${buildFailureIsCurrent("builds")} then '{}' else builds.said_by end,
       vouched = builds.vouched and (builds.state < ${buildStates.failed} or ${buildFailureIsCurrent("builds")}),
       avoid = case when builds.state = ${buildStates.failed} then ${buildersOfSayers("builds")} else builds.avoid end
     where (builds.state = ${buildStates.failed} and (builds.error_no = 8 or (builds.error_no = 6 and builds.timeout_ms < excluded.timeout_ms)
         or not ${buildFailureIsCurrent("builds")} or not ${buildFailureStandsFor("builds", "excluded.principal")}))
        or (builds.state < ${buildStates.built} and (builds.priority < excluded.priority or builds.timeout_ms < excluded.timeout_ms or builds.session_id is null or ${isLeft("builds")}))`,
);

/**
 * Makes a row of builds for every program, references first. A build that failed by its time limit is tried again with a longer
 * one, one whose failure does not stand for who asks (verdicts.ts), and one that the farm failed, always is. Then the rows
 * are locked in share mode: a build that ends meanwhile is either seen here or sees the new requests.
 */
async function wantBuilds(
  tx: Queryable,
  fresh: readonly NewInput[],
  targets: ReadonlyMap<string, Kind>,
): Promise<Map<string, BuildState>> {
  const rows = [...wantedOf(fresh)].sort(([a], [b]) => (a < b ? -1 : 1));
  await wanting.query(tx, {
    w: {
      program: rows.map(([digest]) => digest),
      target: rows.map(([digest]) => targets.get(digest)?.target ?? ""),
      session_id: rows.map(([, w]) => w.session),
      priority: rows.map(([, w]) => w.priority),
      timeout_ms: rows.map(([, w]) => w.timeoutMs),
      principal: rows.map(([, w]) => w.principal),
      version: rows.map(([digest]) => targets.get(digest)?.version ?? 1),
    },
  });
  const states = await tx.query<BuildState>(
    "select program, state, failure, manifest from builds where program = any($1::text[]) order by program for share",
    [rows.map(([digest]) => digest)],
  );
  return new Map(states.map((s) => [s.program, s]));
}

interface Asking {
  readonly sessions: ReadonlyMap<SessionId, Progress>;
  readonly targets: ReadonlyMap<string, Kind>;
  readonly now: number;
}

async function reusesOf(
  tx: Queryable,
  fresh: readonly NewInput[],
  { sessions, targets, now }: Asking,
): Promise<ReadonlyMap<NewInput, Reuse>> {
  const asks = new Map<NewInput, ReuseAsk>();
  for (const input of fresh) {
    const { reuse: name, session, sequence, program, incumbentOn } = input;
    if (name === undefined) continue;
    const target = targets.get(program.digest)?.target ?? "";
    const selector = sessions.get(session)?.selector ?? "";
    asks.set(input, { name, session, sequence, target, selector, ...defined({ incumbentOn }) });
  }
  if (asks.size === 0) return new Map();
  const reuses = await claimReuses(tx, [...asks.values()], now);
  return new Map([...asks].map(([input, ask]) => [input, reuses.get(ask) as Reuse]));
}

const inserting = statement(
  {
    n: rowsOf({
      ...{ session_id: "text", sequence: "bigint", program: "text", reference: "text", target: "text", state: "smallint" },
      ...{ result: "bytea", reuse: "text", manifest: "smallint", others: "text", avoid: "text", proposal: "text" },
    }),
  },
  ({ n }) => `
     insert into requests (session_id, sequence, program, reference, target, state, result, reuse, manifest, others, avoid, proposal)
     select session_id, sequence, program, nullif(reference, ''), target, state, result, reuse, manifest,
       string_to_array(others, ','), string_to_array(avoid, ','), nullif(proposal, '')
     from ${n.rows}`,
);

async function insertRequests(
  tx: Queryable,
  fresh: readonly NewInput[],
  targets: ReadonlyMap<string, Kind>,
  states: ReadonlyMap<string, BuildState>,
  reuses: ReadonlyMap<NewInput, Reuse>,
  now: number,
): Promise<AcceptOutcome[]> {
  const rows = fresh.map((input) => {
    const reuse = reuses.get(input);
    if (reuse?.kind === "there") return { input, state: requestStates.done, result: reuse.result, reused: true };
    const all = programsOf(input).map(({ digest }) => states.get(digest));
    const built = all.every((b) => b?.state === buildStates.built);
    const failed = all.some((b) => b?.state === buildStates.failed);
    const failures = [input.program, ...(input.others ?? [])].map(({ digest }) => states.get(digest)?.failure ?? null);
    const reference = input.reference && states.get(input.reference.digest);
    const result = failed ? buildVerdict(failures, reference?.failure ?? null, input.reference?.digest ?? null, now) : null;
    if (failed) return { input, state: requestStates.done, result, reused: false };
    if (reuse?.kind === "follower") return { input, state: requestStates.following, result, reused: true };
    return { input, state: built ? requestStates.ready : requestStates.building, result, reused: false };
  });
  await inserting.query(tx, {
    n: {
      session_id: rows.map((r) => r.input.session),
      sequence: rows.map((r) => r.input.sequence),
      program: rows.map((r) => r.input.program.digest),
      reference: rows.map((r) => r.input.reference?.digest ?? ""),
      target: rows.map((r) => targets.get(r.input.program.digest)?.target ?? ""),
      state: rows.map((r) => r.state),
      result: rows.map((r) => r.result),
      reuse: rows.map((r) => r.input.reuse ?? null),
      manifest: rows.map(({ input }) => Math.max(...programsOf(input).map((p) => states.get(p.digest)?.manifest ?? 1))),
      others: rows.map(({ input }) => othersOf(input).join()),
      avoid: rows.map(({ input }) => (input.avoid ?? []).join()),
      proposal: rows.map(({ input }) => input.proposal ?? ""),
    },
  });
  return rows.map(({ state, reused }) => ({
    kind: "accepted",
    finished: state === requestStates.done,
    ready: state === requestStates.ready,
    reused,
  }));
}
