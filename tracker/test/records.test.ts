/** Records of what a tracker measured, and RecordService, over real loopback gRPC. */
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defined } from "@warpfarm/common";
import { recordFromJson, type TuningRecord } from "@warpfarm/records";
import { pino } from "pino";
import { describe, expect, it, onTestFinished } from "vitest";
import { doorsOf } from "../../test-support/farm/claims.ts";
import { codeOf, useFarms } from "../../test-support/farm/farms.ts";
import { type Answer, builder, programOf, runner, target, timed } from "../../test-support/farm/scripted.ts";
import type { ScriptedClient } from "../../test-support/farm/scripted-client.ts";
import type { Told } from "../../test-support/farm/told.ts";
import { until } from "../../test-support/until.ts";

const { farm } = useFarms();
const silent = pino({ level: "silent" });

const provenance: Told = {
  task: "matmul",
  args: [64, [1, 2], "x"],
  templateVersion: "3",
  space: `sha256:${"5".repeat(64)}`,
  tuner: "auto",
  seed: -7,
  trials: 300,
  defaultSeconds: 0.5,
  librarySeconds: 0.25,
};
const entity = [["tile", "sp", [-1, 8]]];
const secondsOf: Answer = (given) => timed(given, 2);

async function recordsOf(client: ScriptedClient, count: number): Promise<readonly TuningRecord[]> {
  let found: readonly TuningRecord[] = [];
  await until(async () => {
    found = (await client.tracker.records.query({ order: "oldest", limit: 1000 })).records;
    return found.length >= count;
  }, `${count} records`);
  return [...found].sort((a, b) => (a.id < b.id ? -1 : 1));
}

function propose(c: ScriptedClient, sequence: number, proposal?: { config: string; trial: number; told: number }): void {
  const program = { kind: "program", program: programOf(`p${sequence}`) } as const;
  c.raw({ kind: "input", sequence, program, ...(proposal ? { proposal } : {}) });
}

describe("records", () => {
  it("have all that is known of a measurement, and of an older client's what there is", async () => {
    const { address, start, client } = await farm();
    start(builder(address));
    start(runner(address, 1, secondsOf));
    const c = client();
    await c.open({ repeat: 5 }, { provenance, labels: { team: "kernels" } });
    c.stream();
    propose(c, 1, { config: JSON.stringify(entity), trial: 9, told: 4 });
    propose(c, 2, { config: "no JSON", trial: 10, told: 4 });
    await until(() => c.results.size === 2, "results");
    const [first, second] = await recordsOf(c, 2);
    const { defaultSeconds, librarySeconds, tuner, seed, trials } = provenance;
    expect(first).toMatchObject({
      id: `${c.session}/1`,
      origin: { kind: "measured", by: "local" },
      task: "matmul",
      args: [64, [1, 2], "x"],
      template: "matmul",
      templateVersion: "3",
      space: provenance.space,
      search: { tuner, seed, trials, sequence: 9, told: 4, defaultSeconds, librarySeconds },
      config: { code_hash: null, entity },
      trace: [],
      program: programOf("p1").digest,
      target,
      device: { key: target, name: expect.any(String), uuid: expect.any(String) },
      options: { repeat: 5, check: "none" },
      result: { kind: "timed", costs: [2], checked: true },
      session: c.session,
      labels: { team: "kernels" },
    });
    expect(first?.toolchain).toEqual(expect.any(String));
    expect(second).toMatchObject({ task: "matmul", program: programOf("p2").digest, search: { sequence: 10 } });
    expect(second).not.toHaveProperty("config");
    const old = client();
    await old.open();
    old.stream();
    old.send(1, programOf("p3"));
    await until(() => old.results.size === 1, "the result");
    const all = await recordsOf(c, 3);
    expect(all.find(({ session }) => session === old.session)).toMatchObject({ task: "a task", args: [] });
    expect(all.find(({ session }) => session === old.session)).not.toHaveProperty("config");
  });

  it("are of failures too, and of what a session that was closed had not received", async () => {
    const { address, start, client } = await farm();
    const failing: Answer = () => ({
      kind: "run",
      result: {
        kind: "failed",
        errorNo: 4,
        rule: "signal.SIGSEGV",
        message: "it fell",
        buildMs: 0,
        runMs: 1,
        timestampMs: 1,
        attempt: 1,
      },
    });
    start(builder(address));
    start(runner(address, 1, failing));
    const c = client();
    c.receipts = false;
    await c.open({}, { provenance });
    c.stream();
    c.send(1, programOf("p1"));
    await until(() => c.results.size === 1, "the result");
    expect((await c.tracker.records.query({})).records).toEqual([]); // the client does not have it yet
    await c.tracker.farm.closeSession(c.session ?? ("" as never));
    const [record] = await recordsOf(c, 1);
    expect(record).toMatchObject({ id: `${c.session}/1`, result: { kind: "failed", errorNo: 4, rule: "signal.SIGSEGV" } });
  });

  it("are written once each, however often writing them was cut off", async () => {
    let cut = 3;
    const { store, ...first } = await farm();
    await first.tracker[Symbol.asyncDispose]();
    const transaction: typeof store.transaction = (work) =>
      store.transaction(async (tx) => {
        let records = false;
        const result = await work({
          query: (sql, params) => {
            records ||= sql.includes("insert into records");
            return tx.query(sql, params);
          },
        });
        if (records && cut-- > 0) throw Object.assign(new Error("cut off"), { isPlanted: true });
        return result;
      });
    const { address, start, client } = await farm({ data: { ...store, transaction }, log: silent });
    start(builder(address));
    start(runner(address, 1, secondsOf));
    const c = client();
    await c.open();
    c.stream();
    for (let i = 1; i <= 5; i++) c.send(i, programOf(`p${i}`));
    await until(() => c.results.size === 5, "results");
    expect((await recordsOf(c, 5)).map(({ id }) => id)).toEqual([1, 2, 3, 4, 5].map((i) => `${c.session}/${i}`));
    expect(cut).toBeLessThan(0);
    await until(async () => (await store.query("select 1 from requests where result is not null")).length === 0, "results to go");
  });

  it("are not kept where a session asks for none, and go to an inbox where the tracker has one", async () => {
    const directory = await mkdtemp(join(tmpdir(), "warpfarm-inbox-"));
    onTestFinished(() => rm(directory, { recursive: true, force: true }));
    const { address, start, client, store } = await farm({ limits: { recordInbox: join(directory, "inbox") } });
    start(builder(address));
    start(runner(address, 1, secondsOf));
    for (const keep of ["none", "private"] as const) {
      const c = client();
      await c.open({}, { keep, provenance: { ...provenance, task: keep } });
      c.stream();
      c.send(1, programOf(keep));
      await until(() => c.results.size === 1, "the result");
    }
    await until(async () => (await store.query("select 1 from requests where result is not null")).length === 0, "results to go");
    const files = (await readdir(join(directory, "inbox"))).filter((name) => name.endsWith(".jsonl"));
    const lines = await Promise.all(files.map((name) => readFile(join(directory, "inbox", name), "utf8")));
    const found = lines.flatMap((text) => text.trim().split("\n")).map((line) => recordFromJson(JSON.parse(line)));
    expect(found.map(({ task, private: hidden }) => [task, hidden])).toEqual([["private", true]]);
    // The page shows them from here.
    expect((await store.query<{ task: string }>("select task from records")).map(({ task }) => task)).toEqual(["private"]);
  });

  it("of a task come oldest first, page by page, whatever their arguments are", async () => {
    const { client } = await farm();
    const { records } = client().tracker;
    const result = { kind: "timed", costs: [1] } as const;
    const origin = { kind: "imported", by: "", format: "csv" } as const;
    const all = [2, 0, 1].map(
      (i): TuningRecord => ({ id: `paged/${i}`, origin, task: "paged", args: [i % 2], target, result, timestampMs: i }),
    );
    expect(await records.append(all)).toMatchObject({ added: 3 });
    const asked = { task: "paged", order: "oldest", limit: 2 } as const;
    const { records: first, next = "" } = await records.query(asked);
    const { records: last, next: end } = await records.query({ ...asked, cursor: next });
    expect([first, last].map((page) => page.map(({ timestampMs }) => timestampMs))).toEqual([[0, 1], [2]]);
    expect(end).toBeUndefined();
  });

  it("travel in messages of at most 4 MiB, however large they are", async () => {
    const { client } = await farm();
    const { records } = client().tracker;
    const large = Array.from(
      { length: 150 },
      (_, i): TuningRecord => ({
        id: `large/${i}`,
        origin: { kind: "imported", by: "", format: "csv" },
        task: "large",
        args: [i],
        trace: "\u00e9".repeat(30_000),
        target,
        result: { kind: "timed", costs: [1] },
        timestampMs: i,
      }),
    );
    expect(await records.append(large)).toMatchObject({ added: 150 });
    const paged: TuningRecord[] = [];
    for (let cursor: string | undefined, more = true; more; ) {
      const { records: page, next } = await records.query({
        task: "large",
        order: "oldest",
        limit: 1000,
        ...defined({ cursor }),
      });
      paged.push(...page);
      [cursor, more] = [next, next !== undefined];
    }
    const exported: TuningRecord[] = [];
    for await (const record of records.export({ task: "large" })) exported.push(record);
    const numbers = (of: readonly TuningRecord[]) => of.map(({ args }) => args[0]).sort((a, b) => Number(a) - Number(b));
    for (const of of [paged, exported]) expect(numbers(of)).toEqual(large.map(({ args }) => args[0]));
  });

  it("that are imported name no session of somebody else, open or ended: it is whose run the page shows", async () => {
    const lines: { readonly msg: string }[] = [];
    const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line)) });
    const doors = doorsOf(["client ada", "client bob", "admin root", "builder b", "runner r"]);
    const { address, start, client, store } = await farm({ doors, log });
    start(builder(address, undefined, 4, "token-of-b"));
    start(runner(address, 1, secondsOf, { token: "token-of-r" }));
    const [ada, bob] = [client("token-of-ada"), client("token-of-bob")];
    await ada.open({}, { provenance });
    const ended = ada.session;
    ada.stream();
    ada.send(1, programOf("p"));
    const [measured] = await recordsOf(ada, 1);
    await ada.cut();
    await ada.tracker.farm.closeSession(ended as never);
    await ada.open({}, { provenance });
    // A session that ended, of which no record is written yet.
    await store.query(
      `insert into unrecorded (session_id, sequence, session, program, others, target, result, set_aside)
       values ('waits', 1, '{"principal": "ada"}', 'p', '{}', 't', '', 'why')`,
    );
    const named = [ended, ada.session, "elsewhere", "waits"].map((session, i) => ({
      ...(measured as TuningRecord),
      task: `run${i}`,
      session: session as string,
    }));
    const sessions = async (of: ScriptedClient) => {
      const found = await Promise.all(named.map(({ task }) => of.tracker.records.query({ task })));
      return found.map(({ records: [one] }) => one?.session);
    };
    expect(await bob.tracker.records.append(named)).toMatchObject({ added: 4 });
    expect(await sessions(bob)).toEqual([undefined, undefined, "elsewhere", undefined]);
    expect(lines.find(({ msg }) => msg === "import_records")).toMatchObject({ records: 4, added: 4, without_session: 3 });
    expect(await bob.tracker.records.append(named)).toMatchObject({ added: 0, existed: 4 });
    // By now this name is bob's.
    expect(await ada.tracker.records.append(named)).toMatchObject({ added: 4 });
    expect(await sessions(ada)).toEqual([ended, ada.session, undefined, "waits"]);
    // Nobody has the session any more, so an import has it; the record that was kept without it is the same.
    expect(await client("token-of-root").tracker.records.delete({ by: "ada" })).toBe(5);
    expect(await bob.tracker.records.append(named)).toEqual({ added: 0, existed: 4, conflicts: [] });
  });

  it("are their owner's until an admin shares them: then others see no session, user, labels, and nothing of a private one", async () => {
    const doors = doorsOf(["client ada", "client bob", "admin root", "builder b", "runner r"]);
    const { address, start, client } = await farm({ doors });
    start(builder(address, undefined, 4, "token-of-b"));
    start(runner(address, 1, secondsOf, { token: "token-of-r" }));
    const [ada, bob, root] = ["token-of-ada", "token-of-bob", "token-of-root"].map(client) as [
      ScriptedClient,
      ScriptedClient,
      ScriptedClient,
    ];
    for (const keep of ["shared", "private"] as const) {
      await ada.open({}, { keep, provenance: { ...provenance, task: keep }, labels: { team: "a" } });
      ada.stream();
      ada.send(1, programOf(keep));
      await until(() => ada.results.has(1), "the result");
      await ada.cut();
      await ada.tracker.farm.closeSession(ada.session ?? ("" as never));
      ada.results.clear();
    }
    const own = { task: "shared", args: provenance.args ?? [] };
    expect((await recordsOf(ada, 2)).map(({ task, standing }) => [task, standing]).sort()).toEqual([
      ["private", "own"],
      ["shared", "own"],
    ]);
    expect((await ada.tracker.records.best(own)).map(({ record }) => record.standing)).toEqual(["own"]);
    expect(await recordsOf(root, 2)).toHaveLength(2);
    expect((await bob.tracker.records.query({})).records).toEqual([]);
    expect(await bob.tracker.records.best(own)).toEqual([]);
    expect(await codeOf(bob.tracker.records.share({ task: "shared" }))).toMatchObject({ code: "PERMISSION_DENIED" });
    expect(await codeOf(root.tracker.records.share({}))).toMatchObject({ code: "INVALID_ARGUMENT" });
    expect([
      await root.tracker.records.share({ session: "none" }),
      await root.tracker.records.share({ outcome: "timed" }),
    ]).toEqual([0, 1]);
    const [seen, ...more] = await recordsOf(bob, 1);
    expect(more).toEqual([]);
    expect(seen).toMatchObject({
      task: "shared",
      device: { key: target },
      origin: { kind: "measured", by: "" },
      standing: "shared",
    });
    for (const key of ["session", "labels"]) expect(seen).not.toHaveProperty(key);
    const exported: TuningRecord[] = [];
    for await (const record of bob.tracker.records.export({})) exported.push(record);
    expect(exported).toEqual([seen]);
    expect((await bob.tracker.records.best({ task: "shared", args: provenance.args ?? [] })).map((b) => b.seconds)).toEqual([2]);
    expect(await bob.tracker.records.best({ task: "private", args: provenance.args ?? [] })).toEqual([]);
    expect(await codeOf(bob.tracker.records.delete({ task: "shared" }))).toMatchObject({ code: "PERMISSION_DENIED" });
    // What bob imports is imported, by bob, whatever it says.
    const lie = {
      ...(seen as TuningRecord),
      id: `${ada.session}/1`,
      task: "lie",
      result: { kind: "timed", costs: [1e-9], checked: true } as const,
    };
    expect(await bob.tracker.records.append([lie])).toMatchObject({ added: 1 });
    const [imported] = (await bob.tracker.records.query({ task: "lie" })).records;
    expect(imported).toMatchObject({ origin: { kind: "imported", by: "bob" } });
    expect(imported?.id).not.toBe(lie.id);
    expect(imported).toMatchObject({ standing: "own" });
    expect(await bob.tracker.records.best({ task: "lie", args: lie.args })).toEqual([]);
    expect((await ada.tracker.records.query({ task: "lie" })).records).toEqual([]);
    expect(await ada.tracker.records.best({ task: "lie", args: lie.args, origin: "any" })).toEqual([]);
    // What an admin imports is for all.
    expect(await root.tracker.records.append([lie])).toMatchObject({ added: 1 });
    expect((await ada.tracker.records.query({ task: "lie" })).records).toMatchObject([{ standing: "shared" }]);
    expect(await root.tracker.records.delete({ task: "shared" })).toBe(1);
    expect(await codeOf(root.tracker.records.delete({}))).toMatchObject({ code: "INVALID_ARGUMENT" });
    expect(await root.tracker.records.prune({ nowMs: 0, most: 1, keepBest: 0 })).toBe(2);
  });
});
