/**
 * What a hostile client tries, alone, and what it is told. Each is one row; the honest user's view is the same after each.
 */
import { randomUUID } from "node:crypto";
import { FarmError, type Json, type SessionId } from "@warpfarm/common";
import type { TuningRecord } from "@warpfarm/records";
import type { Sent } from "../../../test-support/farm/claims.ts";
import type { ScriptedClient } from "../../../test-support/farm/scripted-client.ts";
import type { Told } from "../../../test-support/farm/told.ts";
import { until } from "../../../test-support/until.ts";
import { type Hostile, type HostileKind, hostile } from "../survival/hostile-programs.ts";
import { args, cheap, honest, onHonest, other, real, type Stage, target } from "./stage.ts";

export interface Attack {
  readonly name: string;
  /** Who attacks: with which rights. */
  readonly by: "client" | "runner" | "builder" | "kernel";
  /** Also in `npm test`. */
  readonly short?: true;
  /** Resolves with what the attacker was told. */
  readonly attempt: (stage: Stage) => Promise<string>;
  readonly told: RegExp;
}

/** The code of the error, with its words. */
export const refusal = async (attempt: Promise<unknown>): Promise<string> => {
  try {
    return `nothing: ${JSON.stringify(await attempt)?.slice(0, 200)}`;
  } catch (error) {
    if (error instanceof FarmError) return `${error.code}: ${error.message}`;
    throw error;
  }
};

/** What a claim came to, in the attacker's own list. */
async function claimed(stage: Stage, words: Told, sent: Sent, more: object = {}): Promise<string> {
  const client = stage.mallory();
  const result = await stage.measured(client, sent, { provenance: { ...real.provenance, ...words }, ...more });
  await stage.settled();
  const { records } = await client.tracker.records.query({ program: sent.program.digest, limit: 1 });
  // Whoever asks has it replayed.
  const asked = { task: words.task ?? real.task.name, args: words.args ?? args };
  await stage.alice.tracker.records.best(asked);
  await stage.alice.tracker.records.query({ task: asked.task });
  await stage.settled();
  const [record] = (await client.tracker.records.query({ program: sent.program.digest, limit: 100 })).records.filter(
    ({ origin }) => origin.by === "mallory",
  );
  return `${result}, ${record?.standing ?? `no record of ${records.length}`}`;
}
const opens = (stage: Stage, provenance: object) =>
  refusal(
    stage.mallory().open({ check: "reference" }, { selector: onHonest, provenance: { ...real.provenance, ...provenance } }),
  );

async function imported(stage: Stage, more: Partial<TuningRecord> & { readonly [field: string]: unknown }): Promise<string> {
  const [alices] = (await stage.alice.tracker.records.query({ limit: 1 })).records as [TuningRecord];
  const { device, options } = alices;
  const lie = {
    ...{ id: alices.id, origin: { kind: "measured", by: "alice" }, task: real.task.name, args, template: real.task.name },
    ...{ target, program: alices.program, reference: alices.reference, computation: alices.computation, device, options },
    ...{
      config: { code_hash: null, entity: JSON.parse(real.configAt(1)) },
      result: { kind: "timed", costs: [2e-9], number: 1, checked: true },
      timestampMs: 1,
    },
    ...more,
  } as TuningRecord;
  const mallory = stage.mallory();
  const told = await refusal(mallory.tracker.records.append([lie]));
  return `${told}; ${(await mallory.tracker.records.query({ origin: "imported", limit: 1 })).records.map(({ standing }) => standing)}`;
}

async function program(stage: Stage, kind: HostileKind): Promise<string> {
  const { program, reference, options }: Hostile = hostile(kind, 1, target);
  return stage.measured(
    stage.mallory(),
    { program, reference: reference ?? program },
    { options: { ...options, check: reference ? "reference" : "none" } },
  );
}

const session = (stage: Stage): SessionId => stage.alice.session as SessionId;
const alicesProgram = () => honest(1).program.digest;

async function stolen(stage: Stage, what: (client: ScriptedClient) => Promise<unknown>): Promise<string> {
  return refusal(what(stage.mallory()));
}

/** The claims of a client. */
const claims: readonly Attack[] = [
  {
    name: "a copy of one element, compared with itself, is called the best",
    by: "client",
    short: true,
    attempt: (stage) =>
      claimed(stage, {}, { program: cheap.programAt(0), reference: cheap.programAt(0), config: real.configAt(1) }),
    told: /^timed, refuted$/,
  },
  {
    name: "honest programs are compared with a wrong reference",
    by: "client",
    short: true,
    attempt: (stage) => claimed(stage, {}, { ...honest(2), reference: other.task.reference }),
    told: /^5 reference, refuted$/,
  },
  {
    name: "the right program under another config's values",
    by: "client",
    attempt: (stage) => claimed(stage, {}, { ...honest(3), config: real.configAt(4) }),
    told: /^timed, refuted$/,
  },
  {
    name: "the right program with arguments of another shape",
    by: "client",
    attempt: (stage) => claimed(stage, { args: [64, 64, 64, "float32", "NN"] }, honest(5)),
    told: /^timed, refuted$/,
  },
  {
    name: "a true claim whose space and search are lies",
    by: "client",
    short: true,
    attempt: (stage) =>
      claimed(stage, { space: `sha256:${"0".repeat(64)}`, tuner: "mine", seed: 1, trials: 1, defaultSeconds: 1e-9 }, honest(6)),
    told: /^timed, (verified|confirmed)$/,
  },
  {
    name: "a template of a file of mallory's has a built-in one's name",
    by: "client",
    attempt: (stage) =>
      claimed(
        stage,
        { templateVersion: `sha256:${"1".repeat(64)}` },
        { program: cheap.programAt(0), reference: cheap.programAt(0) },
      ),
    told: /^timed, own$/,
  },
  {
    name: "arguments whose replay takes all memory",
    by: "client",
    attempt: (stage) =>
      claimed(
        stage,
        { args: [2 ** 31 - 1, 2 ** 31 - 1, 2 ** 31 - 1, "float32", "NN"] },
        { ...honest(7), config: real.configAt(7) },
      ),
    told: /^timed, (refuted|unverified)$/,
  },
  {
    name: "an import with a better time says that this farm measured it for alice",
    by: "client",
    short: true,
    attempt: (stage) => imported(stage, {}),
    told: /"added":1.*; own$/,
  },
  {
    name: "an import says that it is shared",
    by: "client",
    attempt: (stage) => imported(stage, { standing: "shared", timestampMs: 2 }),
    told: /INVALID_ARGUMENT|; own$/,
  },
];

/** What no door may let in, because a later step chokes on it. */
const doors: readonly Attack[] = [
  {
    name: "a lone surrogate in the arguments",
    by: "client",
    short: true,
    attempt: (stage) => opens(stage, { args: ["\ud800"] }),
    told: /^INVALID_ARGUMENT/,
  },
  { name: "a task with NUL", by: "client", attempt: (stage) => opens(stage, { task: "a\0b" }), told: /^INVALID_ARGUMENT/ },
  {
    name: "a task of 1 MB",
    by: "client",
    attempt: (stage) => opens(stage, { task: "t".repeat(1 << 20) }),
    told: /^(INVALID_ARGUMENT|RESOURCE_EXHAUSTED)/,
  },
  {
    name: "arguments in 200 lists",
    by: "client",
    attempt: (stage) => {
      let deep: Json = 1;
      for (let i = 0; i < 200; i++) deep = [deep];
      return opens(stage, { args: [deep] });
    },
    told: /^INVALID_ARGUMENT/,
  },
  { name: "an import with NUL", by: "client", attempt: (stage) => imported(stage, { task: "a\0b" }), told: /^INVALID_ARGUMENT/ },
  {
    name: "%00 in a query of the page",
    by: "client",
    short: true,
    attempt: async ({ httpPort }) => {
      const told = await Promise.all(
        ["/api/records?task=%00", "/api/runs/%00", "/api/records/%ff"].map((path) =>
          fetch(`http://127.0.0.1:${httpPort}${path}`).then(({ status }) => status),
        ),
      );
      return told.join(" ");
    },
    told: /^4\d\d 4\d\d 4\d\d$/,
  },
];

/** What is alice's. */
const others: readonly Attack[] = [
  {
    name: "continue alice's session",
    by: "client",
    short: true,
    attempt: async (stage) => {
      const opened = await stage.mallory().open({}, { selector: onHonest, continues: session(stage) });
      return opened.sessionId === session(stage) ? "alice's session" : `another, with ${opened.outstanding.length} inputs`;
    },
    told: /^another, with 0 inputs$/,
  },
  {
    name: "a stream of alice's session",
    by: "client",
    attempt: async (stage) => {
      const client = stage.mallory();
      client.session = session(stage);
      client.stream();
      return (await client.failure()).code;
    },
    told: /^NOT_FOUND$/,
  },
  {
    name: "cancel alice's session",
    by: "client",
    short: true,
    attempt: (s) => stolen(s, ({ tracker }) => tracker.admin.cancelSession(session(s), "")),
    told: /^NOT_FOUND/,
  },
  {
    name: "pause alice's session",
    by: "client",
    attempt: (s) => stolen(s, ({ tracker }) => tracker.admin.pauseSession(session(s), "pause")),
    told: /^NOT_FOUND/,
  },
  {
    name: "close alice's session",
    by: "client",
    attempt: (s) => stolen(s, ({ tracker }) => tracker.farm.closeSession(session(s))),
    told: /^nothing: undefined$/,
  },
  {
    name: "delete everybody's records",
    by: "client",
    attempt: (s) => stolen(s, ({ tracker }) => tracker.records.delete({ task: real.task.name })),
    told: /^PERMISSION_DENIED/,
  },
  {
    name: "share its own records",
    by: "client",
    short: true,
    attempt: (s) => stolen(s, ({ tracker }) => tracker.records.share({ task: real.task.name })),
    told: /^PERMISSION_DENIED/,
  },
  {
    name: "drain the node",
    by: "client",
    attempt: (s) => stolen(s, ({ tracker }) => tracker.admin.drainNode("honest", "drain")),
    told: /^PERMISSION_DENIED/,
  },
  {
    name: "the text of alice's program by its digest",
    by: "client",
    attempt: (s) => stolen(s, ({ tracker }) => tracker.artifacts.download(alicesProgram())),
    told: /^(NOT_FOUND|PERMISSION_DENIED)/,
  },
  {
    name: "a measurement of alice's program by its digest",
    by: "client",
    short: true,
    attempt: async (stage) => {
      const client = stage.mallory();
      await client.open({}, { selector: onHonest });
      client.stream();
      // Mallory knows only the first; the others' digests are in shared records.
      client.send(1, alicesProgram());
      await until(() => client.error !== undefined || client.results.size > 0, "what mallory is told");
      return client.error?.code ?? "a result";
    },
    told: /^(NOT_FOUND|INVALID_ARGUMENT|FAILED_PRECONDITION|PERMISSION_DENIED)$/,
  },
  {
    name: "without a token",
    by: "client",
    attempt: (stage) => refusal(stage.client("nobody").open({}, { selector: onHonest })),
    told: /^UNAUTHENTICATED/,
  },
  {
    name: "a client's token registers a runner",
    by: "client",
    attempt: (stage) => {
      const worker = stage.hostileRunner(() => "keep");
      return stolen(stage, ({ tracker }) => tracker.worker.register(worker.registration));
    },
    told: /^PERMISSION_DENIED/,
  },
];

/** What takes the farm's time. */
const floods: readonly Attack[] = [
  {
    name: "a compile without end, whose client is killed",
    by: "client",
    short: true,
    attempt: async (stage) => {
      const { program, reference } = hostile("a compile without end", 2, target);
      const client = stage.mallory();
      await client.open({ check: "reference", buildTimeoutMs: 300_000 }, { selector: onHonest });
      client.stream();
      client.send(1, program, reference);
      const leased = async () => (await stage.store.query("select 1 from leases where program = $1", [program.digest])).length;
      await until(async () => (await leased()) === 1, "the builder's work", 120_000);
      await client.close();
      await until(async () => (await leased()) === 0, "the end of its build", 120_000);
      return "its build stops";
    },
    told: /^its build stops$/,
  },
  {
    name: "a candidate that never ends",
    by: "client",
    attempt: (stage) => program(stage, "a candidate that never ends"),
    told: /^7 run_timeout$/,
  },
  {
    name: "a candidate that divides by zero",
    by: "client",
    attempt: (stage) => program(stage, "a candidate that divides by zero"),
    told: /^4 SIGFPE$/,
  },
  {
    name: "a computation that crashes",
    by: "client",
    attempt: (stage) => program(stage, "a computation that divides by zero"),
    told: /^8 reference\.SIGFPE$/,
  },
  {
    name: "inputs of more memory than there is",
    by: "client",
    attempt: (stage) => program(stage, "inputs of more memory than there is, unchecked"),
    told: /^4 out_of_memory$/,
  },
  {
    name: "sessions without end",
    by: "client",
    short: true,
    attempt: async (stage) => {
      const clients = [stage.mallory()];
      let told = "";
      for (let i = 0; i < 40 && told === ""; i++) {
        told = await refusal((clients[0] as ScriptedClient).open({}, { selector: onHonest, requestId: randomUUID() }));
        if (told.startsWith("nothing")) told = "";
      }
      for (const { sessionId, principal } of await stage.client("boss").tracker.admin.listSessions())
        if (principal === "mallory") await stage.mallory().tracker.farm.closeSession(sessionId);
      return told;
    },
    told: /^RESOURCE_EXHAUSTED/,
  },
];

export const attacksOfClients: readonly Attack[] = [...claims, ...doors, ...others, ...floods];
