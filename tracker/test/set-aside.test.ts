/** One row that cannot be done holds up nobody else's: background queues set it aside after three tries, and go on. */
import { PassThrough } from "node:stream";
import type { SessionId } from "@warpfarm/common";
import { pino } from "pino";
import { describe, expect, it } from "vitest";
import { codeOf, quick, useFarms } from "../../test-support/farm/farms.ts";
import { builder, programOf, runner } from "../../test-support/farm/scripted.ts";
import { until } from "../../test-support/until.ts";
import { collect } from "../src/store/sql/collect.ts";

const { farm } = useFarms();
const deep = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`;

/** A log that keeps what it was told, and how often a row was set aside. */
function listening() {
  const lines: string[] = [];
  const out = new PassThrough();
  out.on("data", (line: Buffer) => lines.push(line.toString()));
  const aside = () => lines.filter((line) => line.includes("set aside"));
  return { log: pino({ level: "error", serializers: { error: pino.stdSerializers.err } }, out), lines, aside };
}

const metricOf = async (port: number | undefined) =>
  /^warpfarm_set_aside_total\{.*$/m.exec(await (await fetch(`http://127.0.0.1:${port}/metrics`)).text())?.[0];

it("a session with args that no record can have is refused, and the farm records on", async () => {
  const { address, start, client, store } = await farm();
  start(builder(address));
  start(runner(address, 1));
  const [bad, good] = [client(), client()];
  expect(await codeOf(bad.open({}, { provenance: { args: ["\ud800"] } }))).toEqual({
    code: "INVALID_ARGUMENT",
    message: expect.stringMatching(/^provenance\.search is JSON with a lone surrogate;/),
  });
  await good.open();
  good.stream();
  good.send(1, programOf("p1"));
  await until(async () => (await store.query("select 1 from records")).length === 1, "the record");
});

describe("the recorder", () => {
  it.each([
    ["args with a lone surrogate", "provenance", String.raw`{"search":{"task":{"template":"t"},"args":["\ud800"]}}`],
    ["args deeper than a stack", "provenance", `{"search":{"task":{"template":"t"},"args":${deep(7_000)}}}`],
    ["no JSON at all", "provenance", "{"],
    [
      "a task longer than an entry of an index",
      "provenance",
      JSON.stringify({
        search: {
          task: {
            template: Array.from({ length: 9_000 }, (_, i) => String.fromCodePoint(0x4e00 + ((i * 7_919) % 20_000))).join(""),
          },
        },
      }),
    ],
  ])("sets a result with %s aside, once, and writes everybody else's", async (_what, column, poison) => {
    const { log, lines, aside } = listening();
    const { address, start, client, store, tracker } = await farm({ log, http: "127.0.0.1:0" });
    start(builder(address));
    start(runner(address, 1));
    const [bad, good] = [client(), client()];
    await bad.open({}, { requestId: "a" });
    // As a tracker of before accepted it.
    await store.query(`update sessions set ${column} = $1 where session_id = $2`, [poison, bad.session as string]);
    await good.open({}, { requestId: "b" });
    for (const c of [bad, good]) {
      c.stream();
      for (const n of [1, 2]) c.send(n, programOf(`p${n}`));
    }
    const records = async () => (await store.query<{ session: string }>("select session from records")).map((r) => r.session);
    // A row is named in the log before it is taken out of the queue.
    const kept = () =>
      store.query("select session_id, sequence, set_aside from unrecorded where set_aside is not null order by sequence");
    await until(async () => (await records()).length === 2 && (await kept()).length === 2, "the good ones, and two set aside");
    expect(aside()).toHaveLength(2);
    expect(new Set(await records())).toEqual(new Set([good.session]));
    expect(await kept()).toEqual(
      [1, 2].map((sequence) => ({ session_id: bad.session, sequence, set_aside: expect.stringMatching(/./) })),
    );
    const unwritten = () => store.query("select 1 from requests where result is not null");
    await until(async () => (await unwritten()).length === 0, "requests without results");
    expect(await metricOf(tracker.httpPort)).toBe('warpfarm_set_aside_total{queue="records"} 2');
    expect(lines).toHaveLength(2);
    // A record that comes later is written too, and the collector forgets what was set aside long ago.
    good.send(3, programOf("p3"));
    await until(async () => (await records()).length === 3, "a third record");
    await collect(store, { artifactsMs: 60_000, requestsMs: 60_000 });
    expect(await store.query("select 1 from unrecorded")).toHaveLength(2);
    await store.query("update unrecorded set set_aside_at = now() - interval '2 minutes'");
    // One is to be tried again (docs/operations.md), so it is not forgotten.
    await store.query("update unrecorded set set_aside = null where sequence = 1");
    await collect(store, { artifactsMs: 60_000, requestsMs: 60_000 });
    expect(await store.query("select sequence from unrecorded")).toEqual([{ sequence: 1 }]);
  });

  it("sets one aside of a session that is gone as well, and reads the queue past fifty of them", async () => {
    const { log, aside } = listening();
    const { address, start, client, store } = await farm({ log });
    const poison = JSON.stringify({ task: "t", principal: "local", options: {}, labels: {}, provenance: "{", keep: 0 });
    start(builder(address));
    start(runner(address, 1));
    const c = client();
    await c.open();
    await store.query(
      `insert into unrecorded (session_id, sequence, session, program, others, target, proposal, result)
       select '!', n, $1, 'p', '{}', 't', null, ''::bytea from generate_series(1, 60) n`,
      [poison],
    );
    c.stream();
    c.send(1, programOf("p1"));
    await until(async () => (await store.query("select 1 from records")).length === 1, "the record");
    await until(async () => aside().length === 60, "all set aside");
  });
});

describe("the reaper", () => {
  it("sets a session aside that cannot be removed, and ends the others", async () => {
    const { log, aside } = listening();
    const { store, client } = await farm({ ...quick, log });
    const [stuck, other] = [client(), client()];
    await stuck.open({}, { requestId: "a" });
    await other.open({}, { requestId: "b" });
    await store.script(`create or replace function stuck() returns trigger language plpgsql as $$ begin
        if old.session_id = '${stuck.session}' then raise exception 'stuck' using errcode = '22023'; end if; return old; end $$;
      create trigger stuck before delete on sessions for each row execute function stuck()`);
    try {
      await store.query("update sessions set expires_at = now()");
      await until(async () => aside().length === 1, "one set aside");
      expect(aside()[0]).toContain(JSON.stringify({ queue: "sessions", row: stuck.session }).slice(1, -1));
      const left = await store.query<{ id: SessionId }>("select session_id as id from sessions");
      expect(left.map(({ id }) => id)).toEqual([stuck.session]);
    } finally {
      await store.script("drop trigger stuck on sessions; drop function stuck()");
    }
  });

  it("goes on where one of its steps fails", async () => {
    const { log, lines } = listening();
    const { store, ...first } = await farm();
    await first.tracker[Symbol.asyncDispose]();
    const failing: typeof store.query = (sql, params) =>
      sql.includes("where state = -1 limit 1") ? Promise.reject(new Error("planted")) : store.query(sql, params);
    const { client } = await farm({ ...quick, log, data: { ...store, query: failing } });
    const c = client();
    await c.open();
    await store.query("update sessions set expires_at = now()");
    await until(async () => (await store.query("select 1 from sessions")).length === 0, "the session ends");
    expect(lines.some((line) => line.includes("reaper: followers"))).toBe(true);
  });
});
