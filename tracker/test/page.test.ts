/** The page of a tracker, over HTTP: what it answers of a farm that works, who may see what, and the stream of events. */
import { randomUUID } from "node:crypto";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { request as httpRequest } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type SessionId, systemClock } from "@warpfarm/common";
import type { Fleet, Me, Queue, RecordDetail, RunDetail, RunSummary, TrialColumns } from "@warpfarm/web";
import * as fc from "fast-check";
import { pino } from "pino";
import { expect, it, onTestFinished } from "vitest";
import { useFarms } from "../../test-support/farm/farms.ts";
import { type Answer, builder, programOf, runner, target, timed } from "../../test-support/farm/scripted.ts";
import { until } from "../../test-support/until.ts";
import { TokenDoors } from "../src/doors/token-doors.ts";
import { hashOf, parseTokenFile } from "../src/doors/token-file.ts";
import type { TrackerOptions } from "../src/tracker.ts";

const { farm } = useFarms();
const silent = pino({ level: "silent" });
const tokens = ["client alice", "client bob", "builder maker", "runner racer", "admin boss"];
const tokenOf = (name: string) => `token-of-${name}`;
const linesOf = (names: readonly string[]) =>
  parseTokenFile(names.map((words) => `${words} sha256:${hashOf(tokenOf(words.split(" ")[1] ?? ""))}`).join("\n"));

const answer: Answer = (given) => timed(given, 2);
/** What a hostile client calls its task. */
const hostile = `<img src=x onerror="alert(1)">`;

async function pageFarm(isAsked: boolean, more: Pick<Partial<TrackerOptions>, "limits" | "clock"> = {}, answers = answer) {
  const doors = new TokenDoors(linesOf(tokens));
  const made = await farm({ http: "127.0.0.1:0", ...(isAsked ? { doors, log: silent } : {}), ...more });
  const web = `http://127.0.0.1:${made.tracker.httpPort}`;
  made.start(builder(made.address, undefined, 4, isAsked ? tokenOf("maker") : undefined));
  const racer = runner(made.address, 1, answers, isAsked ? { token: tokenOf("racer") } : {});
  made.start(racer);
  const get = async <T>(path: string, headers: Record<string, string> = {}) => {
    const reply = await fetch(web + path, { headers });
    return { status: reply.status, body: (await reply.json()) as T };
  };
  const post = (path: string, body: object = {}, headers: Record<string, string> = {}) =>
    fetch(web + path, { method: "POST", headers: { "x-warpfarm": "1", ...headers }, body: JSON.stringify(body) });
  const signIn = async (name: string) => {
    const reply = await post("/api/sign-in", { token: tokenOf(name) });
    return { status: reply.status, cookie: reply.headers.get("set-cookie") ?? "" };
  };
  /** A client with two measured inputs whose records are written. */
  const measured = async (name?: string, task = "matmul") => {
    const c = made.client(name === undefined ? undefined : tokenOf(name));
    await c.open({}, { provenance: { task, args: [1, "x"], tuner: "auto", trials: 9, defaultSeconds: 4 } });
    c.stream();
    for (const i of [1, 2]) {
      const config = JSON.stringify([["tile", "sp", [-1, 2 ** i]]]);
      const program = { kind: "program", program: programOf(`${name}${i}`) } as const;
      c.raw({ kind: "input", sequence: i, program, proposal: { config, trial: i, told: 0 } });
    }
    const id = c.session ?? "";
    await until(
      async () => (await made.store.query("select 1 from records where session = $1", [id])).length === 2,
      "two records",
    );
    return { id, client: c };
  };
  return { ...made, racer, doors, web, get, post, signIn, measured };
}

it("answers runs, trials, records, fleet and queue of a farm, and of a session that is gone its records", async () => {
  const { get, web, measured } = await pageFarm(false);
  expect((await get<Me>("/api/me")).body).toMatchObject({ source: "tracker", principal: "local", role: "admin", signIn: "none" });
  const { id, client } = await measured(undefined, hostile);
  const listed = async () => (await get<{ runs: RunSummary[] }>("/api/runs")).body.runs;
  await until(async () => (await listed())[0]?.best === 2, "the run with its best");
  expect(await listed()).toMatchObject([
    { id, task: hostile, state: "open", accepted: 2, finished: 2, trials: 9, tuner: "auto" },
  ]);
  const run = (await get<RunDetail>(`/api/runs/${id}`)).body;
  expect(run).toMatchObject({ id, defaultSeconds: 4, running: [], knobs: [{ name: "tile", values: ["[-1,2]", "[-1,4]"] }] });
  const columns = (await get<TrialColumns>(`/api/runs/${id}/trials`)).body;
  expect(columns).toMatchObject({ sequence: [1, 2], seconds: [2, 2], errorNo: [0, 0], config: [[0, 1]], nodes: ["test-node"] });
  expect((await get<TrialColumns>(`/api/runs/${id}/trials?after=1`)).body.sequence).toEqual([2]);
  const record = (await get<RecordDetail>(`/api/records/${columns.idPrefix}${columns.id[0]}`)).body;
  expect(record).toMatchObject({ seconds: 2, manifest: { toolchain: "scripted" }, record: { task: hostile } });
  expect(JSON.parse(record.program ?? "")).toMatchObject({ target, graph: { name: "undefined1" } });
  expect(record).toMatchObject({
    codeFile: "kernel.so",
    take: expect.stringMatching(/^warpfarm export .* --index '\{"tile":\[-1,2\]\}' -o kernel$/),
  });
  expect(record.ptx).toBeUndefined();
  const file = await fetch(`${web}/api/records/${columns.idPrefix}${columns.id[0]}?code`);
  const { digest } = programOf("undefined1");
  expect([file.headers.get("content-disposition"), await file.text()]).toEqual([
    'attachment; filename="kernel.so"',
    `code of ${digest}`,
  ]);
  expect((await get(`/api/records/none?code`)).status).toBe(404);
  const fleet = (await get<Fleet>("/api/fleet")).body;
  expect(fleet.nodes.map(({ node, role, state }) => [node, role, state]).sort()).toEqual([
    ["test-node", "builder", "ACTIVE"],
    ["test-node", "runner", "ACTIVE"],
  ]);
  expect((await get<Queue>("/api/queue")).body).toMatchObject({ queues: [{ key: target, devices: 1, waitingRuns: 0 }] });
  await client.tracker.farm.closeSession(client.session as NonNullable<typeof client.session>);
  await until(async () => (await listed())[0]?.state === "ended", "the run ended");
  expect(await listed()).toMatchObject([{ id, task: hostile, accepted: 2, failed: 0, best: 2, trials: 9 }]);
  expect((await get<TrialColumns>(`/api/runs/${id}/trials`)).body.sequence).toEqual([1, 2]);
});

it("gives an ended run to who had the session, whatever an import says that names it", async () => {
  const { get, signIn, measured, store } = await pageFarm(true);
  const { id, client } = await measured("alice");
  const imported = JSON.stringify({ key: randomUUID(), at: Date.UTC(2100), owner: "bob", imported: true });
  await store.query(
    "insert into records select (jsonb_populate_record(r, $2::jsonb)).* from records r where session = $1 limit 1",
    [id, imported],
  );
  await client.tracker.farm.closeSession(id as SessionId);
  const cookie = (await signIn("boss")).cookie.split(";")[0] ?? "";
  const runs = async () => (await get<{ runs: RunSummary[] }>("/api/runs", { cookie })).body.runs;
  await until(async () => (await runs())[0]?.state === "ended", "the run ended");
  expect(await runs()).toMatchObject([{ id, principal: "alice" }]);
});

it("tells how a device's own kernels drift, as its runner told, through other calls and a call that tells nothing", async () => {
  const { get, racer, measured } = await pageFarm(false);
  await measured();
  const told = async () => (await get<Fleet>("/api/fleet")).body.nodes.find(({ role }) => role === "runner")?.devices[0]?.drift;
  expect(await told()).toEqual([]);
  const begunMs = Date.now();
  racer.checks = [
    { agoMs: 120_000, ratio: 1 },
    { agoMs: 1_000, ratio: 1.25 },
  ];
  await racer.report();
  racer.checks = [];
  await racer.report();
  const drift = (await told()) ?? [];
  expect(drift.map(([, ratio]) => ratio)).toEqual([1, 1.25]);
  const [first = 0, second = 0] = drift.map(([atMs]) => atMs);
  expect(second - first).toBe(119_000);
  expect(second).toBeGreaterThanOrEqual(begunMs - 1_000);
  expect(second).toBeLessThanOrEqual(Date.now() - 1_000);
});

it("tells when a device worked, though no page was open", async () => {
  const sleep: typeof systemClock.sleep = (ms, o) => systemClock.sleep(ms === 2_000 ? 20 : ms, o);
  const { get, client } = await pageFarm(false, { clock: { ...systemClock, sleep } }, () => "keep");
  const c = client();
  await c.open();
  c.stream();
  c.raw({ kind: "input", sequence: 1, program: { kind: "program", program: programOf("long") } });
  const nodes = async () => (await get<Fleet>("/api/fleet")).body;
  await until(async () => (await nodes()).nodes.some(({ devices }) => (devices[0]?.work.length ?? 0) > 0), "work of a device");
  const fleet = await nodes();
  const [[begin, end] = [0, 0], ...more] = fleet.nodes.find(({ role }) => role === "runner")?.devices[0]?.work ?? [];
  expect(more).toEqual([]);
  expect([fleet.sinceMs <= begin, begin < end, end <= fleet.atMs]).toEqual([true, true, true]);
});

it("shows PTX of an artifact that is PTX", async () => {
  const { get, store, measured } = await pageFarm(false);
  const { id } = await measured();
  const [{ digest = "", bytes = new Uint8Array() } = {}] = await store.query<{ digest: string; bytes: Uint8Array }>(
    "select digest, bytes from blobs where digest = (select (doc::json)->>'artifact' from records where id = $1)",
    [`${id}/1`],
  );
  const manifest = JSON.parse(Buffer.from(bytes).toString());
  const text = ".version 8.0 // <script>";
  const as = (format: string) => Buffer.from(JSON.stringify({ ...manifest, format }));
  await store.query("update blobs set bytes = $2 where digest = $1", [digest, as("ptx")]);
  await store.query("update blobs set bytes = $2 where digest = $1", [manifest.code, Buffer.from(text)]);
  const record = async () => (await get<RecordDetail>(`/api/records/${id}/1`)).body;
  expect(await record()).toMatchObject({ ptx: text, codeFile: "kernel.ptx" });
  await store.query("update blobs set bytes = $2 where digest = $1", [digest, as("cubin")]);
  expect([(await record()).ptx, (await record()).codeFile]).toEqual([undefined, "kernel.cubin"]);
});

it("signs in by a cookie that is no token, shows a client its own, and an admin all", async () => {
  const { get, web, signIn, measured, post, doors, store } = await pageFarm(true);
  const { id } = await measured("alice");
  const [alice, bob, boss] = [await signIn("alice"), await signIn("bob"), await signIn("boss")];
  expect(alice.cookie).toMatch(/HttpOnly/i);
  expect(alice.cookie).toMatch(/SameSite=Strict/i);
  for (const secret of [tokenOf("alice"), hashOf(tokenOf("alice"))])
    expect(alice.cookie + Buffer.from(alice.cookie.split(/[=;]/)[1] ?? "", "base64url").toString("latin1")).not.toContain(secret);
  const as = ({ cookie }: { cookie: string }) => ({ cookie: cookie.split(";")[0] ?? "" });
  expect((await get<Me>("/api/me", as(alice))).body).toMatchObject({ principal: "alice", role: "client", signIn: "possible" });
  const runsOf = async (headers: Record<string, string>) => (await get<{ runs: RunSummary[] }>("/api/runs", headers)).body.runs;
  await until(async () => (await runsOf(as(boss))).length === 1, "the run");
  expect((await runsOf(as(alice))).map((run) => run.id)).toEqual([id]);
  expect([await runsOf(as(bob)), await runsOf({})]).toEqual([[], []]);
  const statusOf = async (path: string, headers: Record<string, string>) => (await fetch(web + path, { headers })).status;
  for (const path of [`/api/runs/${id}`, `/api/runs/${id}/trials`, `/api/records/${id}/1`, `/api/records/${id}/1?code`])
    expect([path, await statusOf(path, as(bob)), await statusOf(path, as(alice))]).toEqual([path, 404, 200]);
  const bearer = { authorization: `Bearer ${tokenOf("alice")}` };
  expect((await get(`/api/runs/${id}`, bearer)).status).toBe(200);

  for (const name of ["maker", "racer"]) expect((await signIn(name)).status).toBe(403);
  expect((await signIn("nobody")).status).toBe(401);
  expect((await post("/api/nodes/test-node/drain", {}, as(alice))).status).toBe(403);
  expect((await post("/api/nodes/test-node/drain", {}, as(boss))).status).toBe(200);
  expect(await store.query("select node from drained_nodes")).toEqual([{ node: "test-node" }]);
  const change = async (what: string, body: object, who: { cookie: string }) =>
    (await post(`/api/runs/${id}/${what}`, body, as(who))).status;
  for (const [what, body] of [
    ["pause", {}],
    ["pause", { undo: true }],
    ["extend", { trials: 5 }],
  ] as const)
    expect([what, await change(what, body, bob), await change(what, body, alice), await change(what, body, boss)]).toEqual(
      what === "pause" ? [what, 404, 200, 200] : [what, 404, 409, 409], // her client takes no more trials
    );
  expect((await post(`/api/runs/${id}/stop`, {}, as(bob))).status).toBe(404);
  expect((await post(`/api/runs/${id}/stop`, {}, as(alice))).status).toBe(200);
  expect(await store.query("select principal from cancelled_sessions")).toEqual([{ principal: "alice" }]);

  const out = await post("/api/sign-out", {}, as(alice));
  expect(out.headers.get("set-cookie")).toMatch(/warpfarm=;.*Max-Age=0/);
  doors.replace(linesOf(tokens.filter((words) => words !== "client alice")));
  expect((await get("/api/runs", as(alice))).status).toBe(401);
  expect((await get("/api/runs", { cookie: `${as(alice).cookie}A` })).status).toBe(401);
});

/** fetch() sets Host and Origin itself. */
const asked = (port: number | undefined, path: string, headers: Record<string, string>, method = "GET") =>
  new Promise<number>((answered, failed) => {
    httpRequest({ host: "127.0.0.1", port, path, headers, method }, (reply) => {
      reply.resume();
      answered(reply.statusCode ?? 0);
    })
      .on("error", failed)
      .end();
  });

it("answers on loopback to names of this machine only, and lets no other site change anything", async () => {
  const { tracker, web } = await pageFarm(false);
  const port = tracker.httpPort;
  const host = new URL(web).host;
  for (const path of ["/api/runs", "/", "/farm", "/metrics"])
    expect([path, await asked(port, path, { host: "evil.example" })]).toEqual([path, 403]);
  expect(await asked(port, "/healthz", { host: "10.0.0.7" })).toBe(200);
  const stop = (headers: Record<string, string>) => asked(port, "/api/runs/x/stop", { host, ...headers }, "POST");
  expect(await stop({ "x-warpfarm": "1", origin: "http://evil.example" })).toBe(403);
  expect(await stop({ origin: web })).toBe(403);
  expect(await stop({ "x-warpfarm": "1", origin: web })).toBe(404);
});

interface Told {
  readonly event: string;
  readonly id?: string;
  readonly data: unknown;
}

/** Reads events until `enough`. */
async function events(url: string, headers: Record<string, string>, enough: (told: readonly Told[]) => boolean) {
  const stop = new AbortController();
  const told: Told[] = [];
  const reply = await fetch(url, { headers, signal: stop.signal });
  let text = "";
  for await (const bytes of reply.body as unknown as AsyncIterable<Uint8Array>) {
    text += Buffer.from(bytes).toString("utf8");
    for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
      const fields = Object.fromEntries(
        text
          .slice(0, end)
          .split("\n")
          .map((line) => line.split(/: (.*)/s, 2)),
      );
      text = text.slice(end + 2);
      told.push({ event: fields.event, ...(fields.id === undefined ? {} : { id: fields.id }), data: JSON.parse(fields.data) });
    }
    if (enough(told)) break;
  }
  stop.abort();
  return told;
}

it("streams what changes, goes on where a stream was cut off, and ends with the token", async () => {
  const { web, measured, doors } = await pageFarm(true);
  const { id } = await measured("alice");
  const headers = { authorization: `Bearer ${tokenOf("alice")}` };
  const trialsOf = (told: readonly Told[]) => told.filter(({ event }) => event === "trials");
  const all = await events(`${web}/api/events?run=${id}`, headers, (told) => trialsOf(told).length > 0);
  expect(new Set(all.map(({ event }) => event))).toEqual(new Set(["runs", "fleet", "queue", "trials"]));
  expect(trialsOf(all)).toMatchObject([{ id: "2", data: { run: id, columns: { sequence: [1, 2] } } }]);
  const rest = await events(
    `${web}/api/events?run=${id}`,
    { ...headers, "last-event-id": "1" },
    (told) => trialsOf(told).length > 0,
  );
  expect(trialsOf(rest)).toMatchObject([{ id: "2", data: { columns: { sequence: [2] } } }]);
  const ended = events(`${web}/api/events`, headers, (told) => {
    doors.replace(linesOf(["admin boss"]));
    return told.some(({ event }) => event === "fault");
  });
  expect((await ended).at(-1)).toMatchObject({ event: "fault", data: { message: expect.stringMatching(/token/) } });
});

it("answers whatever is asked of a tracker by JSON with a status that fits, and never by a fault of its own", async () => {
  const { web, get, post, measured } = await pageFarm(false);
  const { id } = await measured();
  const word = fc.oneof(
    fc.string({ unit: "binary", maxLength: 40 }),
    fc.constantFrom(id, `${id}/1`, "..", "%", "'", "\0", "a/b"),
  );
  const value = fc.oneof(word, fc.integer().map(String), fc.constantFrom("fastest", "timed", "1e9", "-1", "NaN"));
  const queries = fc.dictionary(fc.constantFrom("task", "device", "outcome", "order", "limit", "cursor", "after"), value);
  const path = fc
    .tuple(
      fc.constantFrom("runs", "runs/X", "runs/X/trials", "records", "records/X", "fleet", "queue", "suites", "suites/X", "X"),
      word,
      queries,
    )
    .map(([route, x, query]) => `/api/${route.replace("X", encodeURIComponent(x.toWellFormed()))}?${new URLSearchParams(query)}`);
  await fc.assert(
    fc.asyncProperty(path, async (asked) => {
      const { status, body } = await get<object>(asked);
      expect([200, 400, 404]).toContain(status);
      if (status !== 200) expect(body).toMatchObject({ error: { code: expect.any(String), message: expect.any(String) } });
    }),
    { numRuns: 100, seed: 20 },
  );
  const actions = ["runs/X/stop", "runs/X/pause", "runs/X/extend", "nodes/X/drain", "sign-in"];
  const bodies = fc
    .record({
      undo: fc.oneof(fc.boolean(), fc.integer()),
      trials: fc.oneof(fc.integer(), fc.double(), fc.constantFrom(1, 1_000_000, 1_000_001, 1e300), fc.string()),
    })
    .map((body) => JSON.stringify(body));
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...actions), word, fc.oneof(fc.json(), bodies), async (route, x, body) => {
      const where = `/api/${route.replace("X", encodeURIComponent(x.toWellFormed()))}`;
      if (where === `/api/runs/${id}/stop`) return;
      const { status } = await post(where, JSON.parse(body) ?? {});
      expect([200, 400, 404, 409]).toContain(status);
      // Where nobody is asked, everybody is in; the client here takes no more trials.
      if (status === 200) expect(["/api/sign-in", `/api/runs/${id}/pause`]).toContain(where);
      if (status === 409) expect(where).toBe(`/api/runs/${id}/extend`);
    }),
    { numRuns: 100, seed: 20 },
  );
  expect((await fetch(`${web}/healthz`)).status).toBe(200);
});

it("holds, lets go on and extends a session by the page, which tells of it, and the queue says why something waits", async () => {
  const { get, post, client } = await pageFarm(false);
  const c = client();
  await c.open({}, { provenance: { task: "matmul", trials: 9 } });
  await c.tracker.admin.pauseSession(c.session as SessionId, "pause");
  c.stream(0, { takesControl: true, takesTrials: true });
  for (const i of [1, 2]) c.send(i, programOf(`p${i}`));
  await until(() => c.acceptedThrough === 2, "acceptance");
  const id = c.session ?? "";
  const runOf = async () => (await get<RunDetail>(`/api/runs/${id}`)).body;
  await until(async () => (await runOf()).accepted === 2, "the run with its inputs");
  expect(await runOf()).toMatchObject({ paused: true, trials: 9, takesTrials: true });
  const waits = async () => (await get<Queue>("/api/queue")).body.shares[0]?.sessions[0]?.waits;
  await until(async () => (await waits())?.holds[0]?.kind === "paused", "the reason");
  expect((await post(`/api/runs/${id}/extend`, { trials: 11 })).status).toBe(200);
  expect(await runOf()).toMatchObject({ paused: true, trials: 20 });
  await until(() => c.controls.at(-1)?.moreTrials === 11, "the word");
  expect((await post(`/api/runs/${id}/pause`, { undo: true })).status).toBe(200);
  expect((await runOf()).paused).toBeUndefined();
  await until(() => c.results.size === 2, "the results");
});

it("shows the trials of a tracker whose records go into an inbox", async () => {
  const inbox = await mkdtemp(join(tmpdir(), "warpfarm-inbox-"));
  onTestFinished(() => rm(inbox, { recursive: true, force: true }));
  const { get, measured } = await pageFarm(false, { limits: { recordInbox: inbox } });
  const { id } = await measured();
  expect((await get<TrialColumns>(`/api/runs/${id}/trials`)).body).toMatchObject({ sequence: [1, 2], config: [[0, 1]] });
  expect((await readdir(inbox)).length).toBeGreaterThan(0);
});

it("a sign-in ends after twelve hours, and says so", async () => {
  let hours = 0;
  const clock = { ...systemClock, now: () => systemClock.now() + hours * 3_600_000 };
  const { get, signIn } = await pageFarm(true, { clock });
  const { cookie } = await signIn("alice");
  const headers = { cookie: cookie.split(";")[0] ?? "" };
  expect(Number(/Max-Age=(\d+)/i.exec(cookie)?.[1])).toBeGreaterThan(12 * 3_600); // else the browser would send nothing
  hours = 11.9;
  expect((await get("/api/runs", headers)).status).toBe(200);
  hours = 12.1;
  expect(await get("/api/runs", headers)).toMatchObject({
    status: 401,
    body: { error: { code: "UNAUTHENTICATED", message: "the sign-in has ended: sign in again" } },
  });
  expect((await get<Me>("/api/me", headers)).body).toMatchObject({ principal: "", signIn: "possible" });
});
