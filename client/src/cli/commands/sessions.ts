/** `sessions`: lists who uses the farm and how much; pauses, resumes, extends or ends a session. */
import { writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { badInput, countWords, type SessionId, spanWords, unwritable } from "@warpfarm/common";
import { type Waiting, waitingWords } from "@warpfarm/common/waiting";
import type { AdminClient, SessionStatus } from "@warpfarm/proto";
import type { CliContext, RegisterCommand } from "../context.ts";
import { askTracker, type FarmFlags } from "../farm/farm-flags.ts";
import { integer } from "../flags/parse.ts";
import { connection, takes } from "../flags/shared-flags.ts";
import { type Screen, screenOf } from "../terminal/screen.ts";
import { table } from "../terminal/table.ts";

interface SessionsFlags extends FarmFlags {
  readonly cancel?: string;
  readonly reason?: string;
  readonly pause?: string;
  readonly resume?: string;
  readonly extend?: string;
  readonly trials?: number;
  readonly perfetto?: string;
  readonly json?: boolean;
}

const doneOf = ({ accepted, building, ready, running }: SessionStatus): number => accepted - building - ready - running;

function stateOf({ streaming, expiresInMs, paused }: SessionStatus): string {
  const state = streaming ? "streaming" : `client gone, ends in ${spanWords(expiresInMs)}`;
  return paused ? `paused, ${state}` : state;
}

function row(s: SessionStatus): string[] {
  const jobs = `${s.building + s.ready}/${s.running}/${doneOf(s)}`;
  const seconds = `${(s.deviceMs / 1000).toFixed(1)} s`;
  return [
    s.sessionId,
    s.principal,
    s.task,
    s.selector,
    stateOf(s),
    `${s.weight}/${s.priority}`,
    jobs,
    seconds,
    spanWords(s.ageMs),
  ];
}

const head = ["session", "of", "client's task", "on", "state", "weight/priority", "waiting/running/done", "device time", "age"];

const toJson = (s: SessionStatus) => ({
  session_id: s.sessionId,
  principal: s.principal,
  task: s.task,
  selector: s.selector,
  state: s.streaming ? "streaming" : "client_gone",
  weight: s.weight,
  priority: s.priority,
  accepted: s.accepted,
  to_build: s.building,
  to_run: s.ready,
  running: s.running,
  done: doneOf(s),
  queue_seconds: s.queueMs / 1000,
  build_seconds: s.buildMs / 1000,
  transfer_seconds: s.transferMs / 1000,
  device_seconds: s.deviceMs / 1000,
  timed_seconds: s.timedMs / 1000,
  age_seconds: s.ageMs / 1000,
  expires_in_seconds: s.expiresInMs / 1000,
  paused: s.paused,
  more_trials: s.moreTrials,
  takes_trials: s.takesTrials,
  waiting: waitingJson(s.waiting),
});

const waitingJson = (waiting: Waiting | undefined) =>
  waiting === undefined
    ? null
    : {
        holds: waiting.holds,
        share: waiting.share,
        due: waiting.due,
        before: waiting.before ?? null,
        starts_in_seconds: secondsOrNull(waiting.startsInMs),
        done_in_seconds: secondsOrNull(waiting.doneInMs),
      };
const secondsOrNull = (ms: number | undefined): number | null => (ms === undefined ? null : ms / 1000);

const times = ["queueMs", "buildMs", "transferMs", "deviceMs", "timedMs"] as const;
const timesHead = ["of", "sessions", "queue", "build", "transfer", "lease held", "timed"];

/** What the results of each principal's open sessions took. */
function principalsOf(sessions: readonly SessionStatus[]) {
  const names = [...new Set(sessions.map(({ principal }) => principal))].sort();
  return names.map((principal) => {
    const own = sessions.filter((s) => s.principal === principal);
    const [queue = 0, build = 0, transfer = 0, held = 0, timed = 0] = times.map(
      (time) => own.reduce((sum, s) => sum + s[time], 0) / 1000,
    );
    return { principal, sessions: own.length, ...{ queue, build, transfer, held, timed } };
  });
}

const principalsJson = (sessions: readonly SessionStatus[]) =>
  principalsOf(sessions).map(({ queue, build, transfer, held, timed, ...of }) => ({
    ...of,
    ...{ queue_seconds: queue, build_seconds: build, transfer_seconds: transfer, device_seconds: held, timed_seconds: timed },
  }));

const principalRows = (sessions: readonly SessionStatus[]): string[][] =>
  principalsOf(sessions).map(({ principal, sessions: count, queue, build, transfer, held, timed }) => [
    ...[principal, String(count)],
    ...[queue, build, transfer, held, timed].map((seconds) => `${seconds.toFixed(1)} s`),
  ]);

const waitingLines = (sessions: readonly SessionStatus[]): string =>
  sessions.map((s) => (s.waiting ? `${s.sessionId} waits: ${waitingWords(s.waiting)}\n` : "")).join("");

function chosen(sessions: readonly SessionStatus[], flag: string, asked: string): SessionId {
  const found = sessions.filter(({ sessionId }) => sessionId.startsWith(asked));
  const exact = found.find(({ sessionId }) => sessionId === asked);
  const [only] = found;
  if (exact) return exact.sessionId;
  if (only && found.length === 1) return only.sessionId;
  const open = sessions.length === 0 ? "no session is open" : `open sessions: ${sessions.map((s) => s.sessionId).join(", ")}`;
  throw badInput(`--${flag} is ${JSON.stringify(asked)}, which begins the id of ${found.length} sessions; ${open}`);
}

export const register: RegisterCommand = (program, context) => {
  const command = program
    .command("sessions")
    .option("--pause <id>", "pause this session (its first characters are enough): nothing more of it is built or run")
    .option("--resume <id>", "resume a paused session")
    .option("--extend <id>", "give the search of this session more --trials; its client runs them")
    .option("--trials <n>", "for --extend: how many more", integer("--trials", 1, 1_000_000))
    .option("--cancel <id>", "end this session: what waits is dropped, running kernels are stopped")
    .option("--reason <text>", "for --cancel: the reason that the client prints")
    .option("--perfetto <file>", "write what each device and builder did lately as a trace for https://ui.perfetto.dev");
  takes(command, ...connection, "json").action((flags: SessionsFlags) => sessionsCommand(context, flags));
};

const changes = ["cancel", "pause", "resume", "extend"] as const;

function changeOf(flags: SessionsFlags): { readonly change: (typeof changes)[number]; readonly asked: string } | undefined {
  const { reason, trials } = flags;
  const [change, ...more] = changes.filter((name) => flags[name] !== undefined);
  if (change !== undefined && flags.perfetto !== undefined) throw badInput(`--perfetto and --${change} cannot be given together`);
  if (flags.perfetto === "") throw badInput("--perfetto is empty; give the file to write, such as farm.json");
  if (more.length > 0) throw badInput(`--${change} and --${more.join(" and --")} cannot be given together`);
  const asked = change === undefined ? undefined : flags[change];
  if (asked === "") throw badInput(`--${change} is empty; give the id of a session or its first characters`);
  if (reason !== undefined && change !== "cancel") throw badInput("--reason needs --cancel");
  if (reason !== undefined && reason.length > 256)
    throw badInput(`--reason is ${reason.length} characters; it takes at most 256`);
  if (change === "extend" && trials === undefined) throw badInput("--extend needs --trials N: how many more");
  if (trials !== undefined && change !== "extend") throw badInput("--trials needs --extend");
  return change === undefined || asked === undefined ? undefined : { change, asked };
}

function listed(sessions: readonly SessionStatus[], { width }: Screen): string {
  const all = table(head, sessions.map(row), { width, fold: 4 });
  return `${all}${waitingLines(sessions)}\n${table(timesHead, principalRows(sessions), { width })}`;
}

async function sessionsCommand(context: CliContext, flags: SessionsFlags): Promise<void> {
  const { json } = flags;
  const { signal, stdout } = context;
  const wanted = changeOf(flags);
  if (flags.perfetto !== undefined) return writeTrace(context, flags, flags.perfetto);
  if (!wanted) {
    const sessions = await askTracker(flags, context, ({ admin }) => admin.listSessions({ signal }));
    if (json) stdout.write(`${JSON.stringify({ sessions: sessions.map(toJson), principals: principalsJson(sessions) })}\n`);
    else stdout.write(sessions.length === 0 ? "no session is open\n" : listed(sessions, screenOf(context)));
    return;
  }
  const { change, asked } = wanted;
  const done = await askTracker(flags, context, async ({ admin }) => {
    const id = chosen(await admin.listSessions({ signal }), change, asked);
    return make[change](admin, id, flags, { signal });
  });
  stdout.write(json ? `${JSON.stringify(done.json)}\n` : `${done.words}\n`);
}

/** Of one tracker: it keeps the newest leases that ended there, in memory. */
async function writeTrace(context: CliContext, flags: SessionsFlags, file: string): Promise<void> {
  const { signal, cwd, stdout } = context;
  const [leases, sessions] = await askTracker(flags, context, ({ admin }) =>
    Promise.all([admin.listLeases({ signal }), admin.listSessions({ signal })]),
  );
  const tasks = new Map<string, string>(sessions.map(({ sessionId, task }) => [sessionId, task]));
  const { perfettoTrace } = await import("../perfetto.ts");
  const trace = perfettoTrace(leases, (session) => tasks.get(session));
  const cannotWrite = unwritable(`--perfetto names ${JSON.stringify(file)}, which`);
  await writeFile(resolve(cwd, file), JSON.stringify(trace)).catch(cannotWrite);
  if (flags.json) stdout.write(`${JSON.stringify({ perfetto: file, leases: leases.length })}\n`);
  else stdout.write(`wrote ${countWords(leases.length, "lease")} to ${file}; open it in https://ui.perfetto.dev\n`);
}

interface Made {
  readonly json: object;
  readonly words: string;
}
type Make = (admin: AdminClient, id: SessionId, flags: SessionsFlags, o: { readonly signal: AbortSignal }) => Promise<Made>;

const make: Readonly<Record<(typeof changes)[number], Make>> = {
  async cancel(admin, id, { reason = "" }, o) {
    const { stopped, dropped } = await admin.cancelSession(id, reason, o);
    return {
      json: { cancelled: { session_id: id, stopped, dropped } },
      words: `cancelled ${id}: ${stopped} running stopped, ${countWords(dropped, "measurement")} dropped`,
    };
  },
  async pause(admin, id, _, o) {
    const { waiting, running } = await admin.pauseSession(id, "pause", o);
    return {
      json: { paused: { session_id: id, waiting, running } },
      words: `paused ${id}: ${countWords(waiting, "measurement")} ${waiting === 1 ? "waits" : "wait"}, ${running} still running; --resume ${id} resumes it`,
    };
  },
  async resume(admin, id, _, o) {
    const { waiting, running } = await admin.pauseSession(id, "undo", o);
    return {
      json: { resumed: { session_id: id, waiting, running } },
      words: `resumed ${id}: ${waiting} waiting, ${running} running`,
    };
  },
  async extend(admin, id, { trials = 0 }, o) {
    const { moreTrials } = await admin.extendSession(id, trials, o);
    return {
      json: { extended: { session_id: id, trials, more_trials: moreTrials } },
      words: `extended ${id} by ${countWords(trials, "trial")}: ${moreTrials} more than it began with`,
    };
  },
};
