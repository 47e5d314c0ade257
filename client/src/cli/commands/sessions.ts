/** `sessions`: who uses the farm and how much of it; ends one with `--cancel`. A client sees and ends its own, an admin all. */
import type { SessionId } from "@warpfarm/common";
import type { SessionStatus } from "@warpfarm/proto";
import type { CliContext, RegisterCommand } from "../context.ts";
import { badInput } from "../exit.ts";
import { addFarmFlags, askTracker, defaultTracker, type FarmFlags } from "../farm/farm-flags.ts";
import { screenOf } from "../terminal/screen.ts";
import { countWords, spanWords, table } from "../terminal/table.ts";

interface SessionsFlags extends FarmFlags {
  readonly cancel?: string;
  readonly reason?: string;
  readonly json?: boolean;
}

const doneOf = ({ accepted, building, ready, running }: SessionStatus): number => accepted - building - ready - running;

const stateOf = ({ streaming, expiresInMs }: SessionStatus): string =>
  streaming ? "streaming" : `client gone, ends in ${spanWords(expiresInMs)}`;

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
  device_seconds: s.deviceMs / 1000,
  age_seconds: s.ageMs / 1000,
  expires_in_seconds: s.expiresInMs / 1000,
});

/** The one session of that id, or whose id begins so. */
function chosen(sessions: readonly SessionStatus[], asked: string): SessionId {
  const found = sessions.filter(({ sessionId }) => sessionId.startsWith(asked));
  const exact = found.find(({ sessionId }) => sessionId === asked);
  const [only] = found;
  if (exact) return exact.sessionId;
  if (only && found.length === 1) return only.sessionId;
  const open = sessions.length === 0 ? "none is open" : `open are ${sessions.map((s) => s.sessionId).join(", ")}`;
  throw badInput(`--cancel is ${JSON.stringify(asked)}, which begins the id of ${found.length} sessions; ${open}`);
}

export const register: RegisterCommand = (program, context) => {
  const command = program
    .command("sessions")
    .description("list who uses a farm: what waits, runs and is done, and the device time used; or end a session")
    .option("--cancel <id>", "end this session (its first characters do): what waits is dropped, running kernels are stopped")
    .option("--reason <text>", "told to the client of the session that is cancelled");
  addFarmFlags(command, `default ${defaultTracker}`)
    .option("--json", "one line of JSON on stdout")
    .action((flags: SessionsFlags) => sessionsCommand(context, flags));
};

async function sessionsCommand(context: CliContext, flags: SessionsFlags): Promise<void> {
  const { cancel, reason, json } = flags;
  const { signal } = context;
  if (cancel === "") throw badInput("--cancel is empty; it takes the id of a session, or how it begins");
  if (reason !== undefined && cancel === undefined) throw badInput("--reason goes with --cancel");
  if (reason !== undefined && reason.length > 256)
    throw badInput(`--reason is ${reason.length} characters; it takes at most 256`);
  if (cancel === undefined) {
    const sessions = await askTracker(flags, context, ({ admin }) => admin.listSessions({ signal }));
    if (json) context.stdout.write(`${JSON.stringify({ sessions: sessions.map(toJson) })}\n`);
    else
      context.stdout.write(
        sessions.length === 0
          ? "no session is open\n"
          : table(head, sessions.map(row), { width: screenOf(context).width, fold: 4 }),
      );
    return;
  }
  const { id, stopped, dropped } = await askTracker(flags, context, async ({ admin }) => {
    const id = chosen(await admin.listSessions({ signal }), cancel);
    return { id, ...(await admin.cancelSession(id, reason ?? "", { signal })) };
  });
  if (json) context.stdout.write(`${JSON.stringify({ cancelled: { session_id: id, stopped, dropped } })}\n`);
  else context.stdout.write(`cancelled ${id}: ${stopped} running stopped, ${countWords(dropped, "measurement")} dropped\n`);
}
