/**
 * Suites and their tasks.
 *
 * A task  OPEN -> CLAIMED -> OPEN, when its claim was not renewed for `claimMs`, or -> ENDED by who holds the claim.
 *
 * Each claim has a greater epoch than those before, so that a worker that was away too long cannot write into the log of the
 * one that follows.
 */
import { FarmError } from "@warpfarm/common";
import type { Claim, KeptSuite, KeptTask, NewSuite, TaskReport } from "@warpfarm/proto";
import type { Database, Queryable } from "../database.ts";
import { megabytes } from "../megabytes.ts";
import { rowsOf, statement, value } from "../statement.ts";
import type { Owner } from "./sessions.ts";

const keepDays = 30;
const maxOpenSuites = 100;
const maxLogBytes = 64 << 20;

type SuiteRow = Omit<KeptSuite, "tasks">;

const columns = `s.suite_id as "suiteId", s.name, s.principal, s.plan, s.cancelled,
  (select count(*)::int from suite_tasks t where t.suite_id = s.suite_id) as "taskCount",
  (select count(*)::int from suite_tasks t where t.suite_id = s.suite_id and t.ended <> '') as "endedCount"`;

/**
 * Throws RESOURCE_EXHAUSTED when the principal's suites would exceed its quota. Its oldest ended suites are deleted first to make
 * room.
 */
async function makeRoom(tx: Queryable, principal: string, fresh: number, most: number, keep = ""): Promise<void> {
  if (!Number.isFinite(most)) return;
  const suites = await tx.query<{ id: string; size: number; over: boolean }>(
    `select s.suite_id as id, s.size::double precision as size,
       s.cancelled or not exists (select 1 from suite_tasks t where t.suite_id = s.suite_id and t.ended = '') as over
     from suites s where s.principal = $1 order by s.created_at, s.suite_id`,
    [principal],
  );
  let bytes = suites.reduce((n, s) => n + s.size, 0);
  const gone: string[] = [];
  for (const { id, size, over } of suites) {
    if (bytes + fresh <= most) break;
    if (!over || id === keep) continue;
    gone.push(id);
    bytes -= size;
  }
  if (bytes + fresh > most)
    throw new FarmError(
      "RESOURCE_EXHAUSTED",
      `suites of ${principal} that go on hold ${megabytes(bytes)}, and ${megabytes(fresh)} more were to come; --quota suite_mb of this ` +
        `tracker allows ${megabytes(most)}: cancel one, or let some end first`,
    );
  if (gone.length > 0) await tx.query("delete from suites where suite_id = any($1::text[])", [gone]);
}

const addingTasks = statement(
  { suite: value(), t: rowsOf({ task_id: "text", place: "int", document: "bytea", template: "text" }) },
  ({ suite, t }) => `insert into suite_tasks (suite_id, task_id, place, document, template)
       select ${suite}, task_id, place, document, template
       from ${t.rows}`,
);

export async function createSuite(
  db: Database,
  id: string,
  principal: string,
  { requestId, name, plan, tasks }: NewSuite,
  mostBytes = Number.POSITIVE_INFINITY,
): Promise<string> {
  return db.transaction(async (tx) => {
    const [there] = await tx.query<{ id: string }>("select suite_id as id from suites where principal = $1 and request_id = $2", [
      principal,
      requestId,
    ]);
    if (there) return there.id;
    await tx.query(
      `delete from suites s where created_at < now() - $1 * interval '1 day'
         and (cancelled or not exists (select 1 from suite_tasks t where t.suite_id = s.suite_id and t.ended = ''))`,
      [keepDays],
    );
    const [open] = await tx.query<{ count: number }>(
      `select count(*)::int as count from suites s where principal = $1 and not cancelled
         and exists (select 1 from suite_tasks t where t.suite_id = s.suite_id and t.ended = '')`,
      [principal],
    );
    if ((open?.count ?? 0) >= maxOpenSuites)
      throw new FarmError(
        "RESOURCE_EXHAUSTED",
        `${principal || "this client"} has ${maxOpenSuites} suites that go on, as many as one may have; cancel one`,
      );
    const size = tasks.reduce((n, { document }) => n + document.length, plan.length);
    await makeRoom(tx, principal, size, mostBytes);
    await tx.query("insert into suites (suite_id, principal, request_id, name, plan, size) values ($1, $2, $3, $4, $5, $6)", [
      id,
      principal,
      requestId,
      name,
      plan,
      size,
    ]);
    await addingTasks.query(tx, {
      suite: id,
      t: {
        task_id: tasks.map((t) => t.taskId),
        place: tasks.map((_, i) => i),
        document: tasks.map((t) => t.document),
        template: tasks.map((t) => t.template),
      },
    });
    return id;
  });
}

const suiteOf = async (db: Queryable, id: string, owner: Owner): Promise<SuiteRow> => {
  const [row] = await db.query<SuiteRow>(
    `select ${columns} from suites s where s.suite_id = $1 and ($2::text is null or s.principal = $2)`,
    [id, owner ?? null],
  );
  if (!row) throw new FarmError("NOT_FOUND", `there is no suite ${id}`);
  return row;
};

const tasksOf = (db: Queryable, id: string, only: readonly string[] | null): Promise<readonly KeptTask[]> =>
  db.query<KeptTask>(
    `select task_id as "taskId", document, template, ended, log_bytes as "logBytes",
       case when ended = '' and claimed_until > now() then worker else '' end as worker
     from suite_tasks where suite_id = $1 and ($2::text[] is null or task_id = any($2)) order by place`,
    [id, only],
  );

export async function getSuite(db: Queryable, id: string, owner: Owner): Promise<KeptSuite> {
  const row = await suiteOf(db, id, owner);
  return { ...row, tasks: await tasksOf(db, id, null) };
}

export async function listSuites(db: Queryable, owner: Owner): Promise<readonly KeptSuite[]> {
  const rows = await db.query<SuiteRow>(
    `select ${columns} from suites s where $1::text is null or s.principal = $1 order by s.created_at desc, s.suite_id limit 1000`,
    [owner ?? null],
  );
  return rows.map((row) => ({ ...row, tasks: [] }));
}

/** At most `most` bytes from `from` on. */
export async function readLogOf(db: Queryable, suite: string, task: string, from: number, most: number): Promise<Uint8Array> {
  const rows = await db.query<{ at: number; bytes: Uint8Array }>(
    `select log_at as at, bytes from suite_logs where suite_id = $1 and task_id = $2 and log_at + octet_length(bytes) > $3 and log_at < $3 + $4::bigint order by log_at`,
    [suite, task, from, most],
  );
  const pieces = rows.map(({ at, bytes }) => bytes.subarray(Math.max(0, from - at)));
  return Buffer.concat(pieces).subarray(0, most);
}

interface Claiming {
  readonly worker: string;
  readonly limit: number;
  readonly templates: readonly string[];
  readonly claimMs: number;
  readonly owner: Owner;
}

export async function claimTasks(
  db: Database,
  { worker, limit, templates, claimMs, owner }: Claiming,
): Promise<Claim | undefined> {
  return db.transaction(async (tx) => {
    const free =
      "t.ended = '' and t.claimed_until <= now() and (t.template = '' or t.template = any($1::text[]) or exists (select 1 from blobs b where b.digest = t.template))";
    const [next] = await tx.query<{ id: string }>(
      `select s.suite_id as id from suites s where not s.cancelled and ($2::text is null or s.principal = $2)
         and exists (select 1 from suite_tasks t where t.suite_id = s.suite_id and ${free})
       order by s.created_at, s.suite_id limit 1 for update skip locked`,
      [templates, owner ?? null],
    );
    if (!next) return undefined;
    const tasks = await tx.query<{ taskId: string; epoch: number }>(
      `update suite_tasks u set worker = $2, epoch = u.epoch + 1, claimed_until = now() + $3 * interval '1 ms'
       from (select t.task_id from suite_tasks t where t.suite_id = $4 and ${free} order by t.place limit $5) f
       where u.suite_id = $4 and u.task_id = f.task_id returning u.task_id as "taskId", u.epoch`,
      [templates, worker, claimMs, next.id, limit],
    );
    const row = await suiteOf(tx, next.id, undefined);
    return {
      suite: {
        ...row,
        tasks: await tasksOf(
          tx,
          next.id,
          tasks.map((t) => t.taskId),
        ),
      },
      tasks,
    };
  });
}

/** Throws ABORTED when the claim is over, FAILED_PRECONDITION when the log would have a gap. */
export async function reportTask(
  db: Database,
  { suiteId, taskId, epoch, logAt, log, ended = "" }: TaskReport,
  claimMs: number,
  owner: Owner,
  mostBytes = Number.POSITIVE_INFINITY,
): Promise<{ readonly cancelled: boolean; readonly logBytes: number }> {
  return db.transaction(async (tx) => {
    const { cancelled, principal } = await suiteOf(tx, suiteId, owner);
    const [task] = await tx.query<{ epoch: number; ended: string; logBytes: number }>(
      `select epoch, ended, log_bytes as "logBytes" from suite_tasks where suite_id = $1 and task_id = $2 for update`,
      [suiteId, taskId],
    );
    if (!task) throw new FarmError("NOT_FOUND", `suite ${suiteId} has no task ${taskId}`);
    if (task.epoch !== epoch || (task.ended !== "" && task.ended !== ended))
      throw new FarmError("ABORTED", `task ${taskId} is ${task.ended === "" ? "another worker's by now" : "ended"}`);
    if (logAt > task.logBytes)
      throw new FarmError("FAILED_PRECONDITION", `log_at is ${logAt}, and the log of ${taskId} ends at ${task.logBytes}`);
    const fresh = log.subarray(task.logBytes - logAt);
    const logBytes = task.logBytes + fresh.length;
    if (logBytes > maxLogBytes)
      throw new FarmError("RESOURCE_EXHAUSTED", `the log of ${taskId} would have ${logBytes} bytes; it may have ${maxLogBytes}`);
    if (fresh.length > 0) {
      await makeRoom(tx, principal, fresh.length, mostBytes, suiteId);
      await tx.query("update suites set size = size + $2 where suite_id = $1", [suiteId, fresh.length]);
      await tx.query("insert into suite_logs (suite_id, task_id, log_at, bytes) values ($1, $2, $3, $4)", [
        suiteId,
        taskId,
        task.logBytes,
        fresh,
      ]);
    }
    await tx.query(
      `update suite_tasks set log_bytes = $3, ended = $4, claimed_until = case when $4 = '' and not $6 then now() + $5 * interval '1 ms' else '-infinity' end
       where suite_id = $1 and task_id = $2`,
      [suiteId, taskId, logBytes, ended, claimMs, cancelled],
    );
    return { cancelled, logBytes };
  });
}

/** Throws FAILED_PRECONDITION when it ended without being cancelled. */
export async function cancelSuite(db: Queryable, id: string, owner: Owner): Promise<void> {
  const rows = await db.query<{ refused: boolean }>(
    `update suites s set cancelled = s.cancelled or not e.over
     from (select not exists (select 1 from suite_tasks t where t.suite_id = $1 and t.ended = '') as over) e
     where s.suite_id = $1 and ($2::text is null or s.principal = $2) returning e.over and not s.cancelled as refused`,
    [id, owner ?? null],
  );
  if (rows.length === 0) throw new FarmError("NOT_FOUND", `there is no suite ${id}`);
  if (rows[0]?.refused) throw new FarmError("FAILED_PRECONDITION", `suite ${id} has ended: there is nothing to cancel`);
}
