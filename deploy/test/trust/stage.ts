/**
 * One farm with an honest user, whom a hostile principal and hostile workers attack: a tracker that asks for tokens in this
 * process, a builder and a runner of this machine's processor as processes. After each attack the honest user measures and reads;
 * what that user sees must be true, whatever was tried.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { encodeManifest } from "@warpfarm/proto";
import { secondsOfRecord, type TuningRecord } from "@warpfarm/records";
import { replay } from "@warpfarm/templates/replay";
import { doorsOf, product, type Sent } from "../../../test-support/farm/claims.ts";
import {
  type Answer,
  builder,
  freshStore,
  programOf,
  runner,
  type ScriptedWorker,
  testTracker,
} from "../../../test-support/farm/scripted.ts";
import { ScriptedClient } from "../../../test-support/farm/scripted-client.ts";
import { KernelFolder, tensor } from "../../../test-support/kernels.ts";
import { until } from "../../../test-support/until.ts";
import { Place, type Running, start } from "../warpfarm-process.ts";

type LocalArtifact = ReturnType<KernelFolder["build"]>;
export const target = "cpu/x86-64-v1";
/** What alice searches, and what mallory passes off as it. */
export const real = product(32, target);
export const cheap = product(1, target);
/** Of the same tensors, with one transposed. */
export const other = product(32, target, "NT");
export const args = real.provenance.args ?? [];
export const honest = (index: number): Sent => ({
  program: real.programAt(index),
  reference: real.task.reference,
  config: real.configAt(index),
});
const indices = [0, 1, 2];
/** No product of this size takes less on any processor; every time that is forged here is below it. */
const floorSeconds = 5e-8;

const parties = [
  "client alice",
  "client mallory",
  "admin boss",
  "builder maker",
  "builder evil-maker",
  "runner racer",
  "runner evil-racer",
];
export const tokenOf = (name: string) => `token-of-${name}`;
const doors = () => doorsOf(parties);

/** What the honest user saw. `untrue`: what is wrong with what that user reads of others. */
export interface Seen {
  readonly measured: string;
  readonly best: string;
  readonly untrue: readonly string[];
}
export const allIsWell: Seen = { measured: "timed", best: "true", untrue: [] };

const fields = new Set(
  (
    "id origin task args template config trace program reference computation operations target toolchain device observations options " +
    "result buildMs runMs busyMs lease attempt standing timestampMs"
  ).split(" "),
);

/** Whether the words of the record make its program. */
function isMadeOf({ template = "", args, target, config, program, task }: TuningRecord): boolean {
  const made = replay({ template, args, target, ...(config === undefined ? {} : { config: config.entity }) });
  return made.ok && made.value.program.digest === program && made.value.task === task;
}

/** What does not follow from what the record says of its program, or is not its reader's to see. */
function untrueIn(record: TuningRecord): readonly string[] {
  const { template = "", args, task, result, origin } = record;
  const name = `${task} ${JSON.stringify(args)} by ${template}`;
  return [
    ...(isMadeOf(record) ? [] : [`${name}: another program`]),
    ...(origin.kind === "measured" && origin.by === "" ? [] : [`${name}: ${origin.kind} by ${origin.by}`]),
    ...((secondsOfRecord(record) ?? 1) >= floorSeconds || args[0] !== 32 ? [] : [`${name}: ${secondsOfRecord(record)} s`]),
    ...(result.kind === "failed" ? [`${name}: failed`] : []),
    ...Object.keys(record).flatMap((field) => (fields.has(field) ? [] : [`${name}: ${field}`])),
  ];
}

export class Stage implements AsyncDisposable {
  readonly place = new Place({}, { isAlone: true });
  readonly kernels = new KernelFolder();
  readonly parts: Running[] = [];
  /** By the digest of the program that the hostile builder is given. */
  readonly hostileCode = new Map<string, LocalArtifact>();
  store!: Awaited<ReturnType<typeof freshStore>>;
  alice!: ScriptedClient;
  address = "";
  httpPort = 0;
  readonly #undo: (() => PromiseLike<unknown>)[] = [];
  #sequence = 0;
  #named = 0;
  #device = { key: target, name: "" };
  #evil: ScriptedWorker | undefined;

  static async open(): Promise<Stage> {
    const stage = new Stage();
    await stage.#open().catch(async (error: unknown) => {
      await stage[Symbol.asyncDispose]();
      throw error;
    });
    return stage;
  }

  async #open(): Promise<void> {
    this.store = await freshStore();
    const tracker = await testTracker(this.store, {
      doors: doors(),
      http: "127.0.0.1:0",
      limits: { buildsOutliveMs: 0, brokenOffMs: 500, maxOwnSessions: 12 },
    });
    this.#undo.push(() => tracker[Symbol.asyncDispose]());
    this.address = `127.0.0.1:${tracker.grpcPort}`;
    this.httpPort = tracker.httpPort ?? 0;
    await Promise.all([
      this.#serving("builder", "maker", "--slots", "2", "--node", "honest-builder"),
      this.#serving("runner", "racer", "--device", "cpu", "--threads", "1", "--node", "honest", "--label", "team=honest"),
    ]);
    const { nodes } = await this.client("boss").tracker.farm.listNodes();
    this.#device = nodes.find(({ node }) => node === "honest")?.devices[0]?.facts ?? this.#device;
    this.alice = this.client("alice");
    await this.alice.open({ check: "reference", minRepeatMs: 1, repeat: 1 }, { selector: onHonest, provenance: real.provenance });
    this.alice.stream();
    for (const _ of indices) await this.#measures();
    await until(async () => (await this.#best()).length === 1, "alice's best");
    await this.settled();
  }

  async #serving(role: string, principal: string, ...flags: readonly string[]): Promise<void> {
    const file = this.place.path(`${principal}.token`);
    writeFileSync(file, tokenOf(principal), { mode: 0o600 });
    const part = start(this.place, [role, "--tracker", this.address, "--token-file", file, ...flags]);
    this.parts.push(part);
    await until(() => part.stdout().includes("ready"), `the ${role}`, 300_000).catch((error: Error) => {
      throw new Error(`${error.message}\n${part.stderr()}`);
    });
  }

  client(name: string): ScriptedClient {
    const client = new ScriptedClient(this.address, name === "nobody" ? undefined : tokenOf(name));
    this.#undo.push(() => client.close());
    return client;
  }
  /** Another of mallory's, without a session. */
  mallory = (): ScriptedClient => this.client("mallory");

  /** Of the model of the honest one's device. */
  hostileRunner(answer: Answer, more: object = {}) {
    const { key, name: model } = this.#device;
    const o = { token: tokenOf("evil-racer"), node: "evil", labels: { team: "evil" }, key, model, uuid: `evil-${++this.#named}` };
    const worker = runner(this.address, 66, answer, { ...o, ...more });
    this.#undo.push(() => worker.kill());
    return worker;
  }

  /** Builds what `hostileCode` has for the program, and says of every other program that it does not compile. */
  hostileBuilder() {
    const answer: Answer = async ({ job }, { tracker }) => {
      if (job.kind !== "build") return { kind: "fault", message: "no", suspect: false };
      const made = this.hostileCode.get(job.program.digest);
      if (!made) return { kind: "build_failed", buildMs: 1, cached: false, result: uncompiled() };
      const code = await tracker.artifacts.upload(readFileSync(made.codePath));
      const { bytes, digest } = encodeManifest({ ...made.manifest, program: job.program.digest, code: code as never });
      await tracker.artifacts.upload(bytes);
      return { kind: "built", artifact: digest, buildMs: 1, cached: false };
    };
    const worker = builder(this.address, answer, 4, tokenOf("evil-maker"), [target]);
    Object.assign(worker.registration, { node: "evil-builder" });
    return worker;
  }

  /** The node of the honest builder is drained, and the hostile one builds. What was built before stays. */
  async onlyHostileBuilder(): Promise<void> {
    if (this.#evil) return;
    await this.client("boss").tracker.admin.drainNode("honest-builder", "drain");
    this.#evil = this.hostileBuilder().start();
    await until(() => this.#evil?.registered !== undefined, "the hostile builder");
  }
  async onlyHonestBuilder(): Promise<void> {
    await this.#evil?.kill();
    this.#evil = undefined;
    await this.client("boss").tracker.admin.drainNode("honest-builder", "undo");
  }

  /** What mallory is told of a kernel of C, whose builder is mallory's too. */
  async kernel(body: string, before = "", changed = (made: LocalArtifact) => made): Promise<string> {
    const n = 64;
    const specs = [tensor("x", "in", "float32", [n]), tensor("y", "out", "float32", [n])];
    const good = `float *x = (float *)a0, *y = (float *)a1; for (int i = 0; i < ${n}; i++) y[i] = 2 * x[i] + 1;`;
    const [program, reference] = [programOf(`hostile ${++this.#named}`, target), programOf("harmless", target)];
    this.hostileCode.set(program.digest, changed(this.kernels.build(specs, `${good}\n${body}`, { before: head + before })));
    this.hostileCode.set(reference.digest, this.kernels.build(specs, good));
    return this.measured(this.mallory(), { program, reference }, { options: { runTimeoutMs: 3_000 } });
  }

  /** What comes of one program, in a session of its own. */
  async measured(
    client: ScriptedClient,
    { program, reference, config }: Sent,
    { options = {}, ...more }: Parameters<ScriptedClient["open"]>[1] & { readonly options?: object } = {},
  ): Promise<string> {
    await client.open({ check: "reference", minRepeatMs: 1, repeat: 1, ...options }, { selector: onHonest, ...more });
    client.stream();
    client.raw({
      kind: "input",
      sequence: 1,
      program: { kind: "program", program },
      reference: { kind: "program", program: reference },
      ...(config === undefined ? {} : { proposal: { config, trial: 1, told: 0 } }),
    });
    await until(() => client.results.size === 1 || client.error !== undefined, "what mallory is told", 180_000);
    const words = client.error ? client.error.code : wordsOf(client.results.get(1));
    await client.tracker.farm.closeSession(client.session as never).catch(() => {});
    return words;
  }

  /** All results are records, and every claim that anybody wants is decided. */
  async settled(): Promise<void> {
    const waits = async (sql: string) => (await this.store.query(sql)).length > 0;
    const unrecorded =
      "select 1 from unrecorded where set_aside is null union all select 1 from requests where state in (3, 4) and result is not null";
    await until(async () => !(await waits(unrecorded)), "the records", 300_000);
    await until(async () => !(await waits("select 1 from claims where state < 2 limit 1")), "the verdicts", 300_000);
    await until(async () => !(await waits("select 1 from second_looks where state < 2 limit 1")), "the second looks", 300_000);
  }

  async #measures(): Promise<string> {
    const sequence = ++this.#sequence;
    const { program, reference, config = "" } = honest(indices[sequence % indices.length] ?? 0);
    this.alice.raw({
      kind: "input",
      sequence,
      program: { kind: "program", program },
      reference: { kind: "program", program: reference },
      proposal: { config, trial: sequence, told: 0 },
    });
    await until(() => this.alice.results.has(sequence) || this.alice.error !== undefined, "alice's result", 300_000);
    return this.alice.error?.message ?? wordsOf(this.alice.results.get(sequence));
  }
  #best = () => this.alice.tracker.records.best({ task: real.task.name, args });

  async sees(): Promise<Seen> {
    const measured = await this.#measures();
    const [first] = await this.#best();
    const isTrue = first !== undefined && isMadeOf(first.record) && first.seconds >= floorSeconds;
    const { records } = await this.alice.tracker.records.query({ limit: 1_000 });
    const untrue = records.filter(({ origin }) => origin.by !== "alice").flatMap(untrueIn);
    return { measured, best: isTrue ? "true" : JSON.stringify(first ?? null), untrue: [...new Set(untrue)] };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#evil?.kill();
    for (const undo of this.#undo.splice(0).reverse()) await Promise.resolve(undo()).catch(() => {});
    for (const part of this.parts) part.kill("SIGKILL");
    await Promise.all(this.parts.map(({ finished }) => finished));
    this.kernels[Symbol.dispose]();
    this.place[Symbol.dispose]();
  }
}

const uncompiled = () =>
  ({
    kind: "failed",
    errorNo: 3,
    rule: "cc",
    message: "no",
    buildMs: 1,
    runMs: 0,
    attempt: 1,
    timestampMs: Date.now(),
    toolchain: "cc 13",
  }) as const;

export const onHonest = "cpu/*,team=honest";
const wordsOf = (result: ScriptedClient["results"] extends Map<number, infer R> ? R | undefined : never): string =>
  result?.kind === "failed" ? `${result.errorNo} ${result.rule ?? ""}` : (result?.kind ?? "nothing");

const head = `#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
`;
