/**
 * One scenario, played twice: what workers and clients are told, what the tracker logs and what is in its store are equal, ids,
 * secrets and times included. Time moves only when the scenario says so, in the store too, whose now() is the tracker's clock.
 */
import { countedIds, ManualClock, type RandomBytes, type SleepOptions } from "@warpfarm/common";
import { pino } from "pino";
import { expect, it } from "vitest";
import { build, programOf, runner, ScriptedWorker, target } from "../../test-support/farm/scripted.ts";
import { ScriptedClient } from "../../test-support/farm/scripted-client.ts";
import { until } from "../../test-support/until.ts";
import type { Database, Param, Queryable } from "../src/store/database.ts";
import { openPglite } from "../src/store/pglite.ts";
import { startTracker } from "../src/tracker.ts";

const startMs = 1_700_000_000_000;

/** Knows how many of a tracker's loops rest: those are the sleeps of half a second to a second. */
class RestClock extends ManualClock {
  readonly #rests = new Set<{ readonly at: number }>();

  override async sleep(ms: number, options: SleepOptions = {}): Promise<void> {
    const rest = { at: this.monotonic() + ms };
    if (ms >= 500 && ms <= 1_000 && !options.isBackground) this.#rests.add(rest);
    try {
      await super.sleep(ms, options);
    } finally {
      this.#rests.delete(rest);
    }
  }
  get resting(): number {
    return [...this.#rests].filter(({ at }) => at > this.monotonic()).length;
  }
}

/** From here on now() is what `stage.ms` says, in defaults of columns too. */
const takeTime = `
  create schema stage;
  create function stage.now() returns timestamptz language sql stable
    as $$ select to_timestamp(current_setting('stage.ms')::double precision / 1000) $$;
  do $$ declare c record; begin
    for c in select d.adrelid::regclass as relation, a.attname as name, pg_get_expr(d.adbin, d.adrelid) as value
      from pg_attrdef d join pg_attribute a on a.attrelid = d.adrelid and a.attnum = d.adnum
      where pg_get_expr(d.adbin, d.adrelid) like '%now()%'
    loop execute format('alter table %s alter column %I set default %s', c.relation, c.name, replace(c.value, 'now()', 'stage.now()'));
    end loop;
  end $$;
  set stage.ms = '${startMs}';
  set search_path = stage, pg_catalog, public;
  update migrations set applied_at = now()`;

/** A store whose time is the clock's, and that knows how many calls of workers it took note of. */
function watched(store: Database) {
  let calls = 0;
  const counting = (inner: Queryable): Queryable => ({
    async query<Row extends object>(sql: string, parameters?: readonly Param[]) {
      const rows = await inner.query<Row>(sql, parameters);
      if (sql.includes("from callers")) calls++;
      return rows;
    },
  });
  const data: Database = {
    ...store,
    ...counting(store),
    lazy: counting(store.lazy),
    transaction: (work) => store.transaction((tx) => work({ ...tx, ...counting(tx) })),
    [Symbol.asyncDispose]: async () => {},
  };
  return { data, calls: () => calls };
}

async function contentsOf(store: Database): Promise<Record<string, unknown>> {
  const tables = await store.query<{ name: string }>(
    "select tablename::text as name from pg_tables where schemaname = 'public' order by tablename",
  );
  const contents: Record<string, unknown> = {};
  for (const { name } of tables)
    contents[name] = await store.query(`select to_jsonb(t)::text as row from public.${name} t order by to_jsonb(t)::text`);
  return contents;
}

function countedBytes(): RandomBytes {
  let made = 0;
  return (length) => {
    made++;
    return Uint8Array.from({ length }, (_, i) => (31 * made + 7 * i) & 255);
  };
}

/** Of whoever calls: the system chooses it. */
const ownPort = /(?<="peer":"127\.0\.0\.1):\d+/;

/** Reaper, recorder, and the watch of the store. */
const loops = 3;

async function stage() {
  const store = await openPglite("memory");
  await store.script(takeTime);
  const { data, calls } = watched(store);
  const clock = new RestClock(startMs);
  const log: string[] = [];
  const tracker = await startTracker({
    data,
    listen: "127.0.0.1:0",
    log: pino({ level: "info", base: null, timestamp: false }, { write: (line: string) => log.push(line.replace(ownPort, "")) }),
    clock,
    newId: countedIds("id"),
    randomBytes: countedBytes(),
  });
  const rest = () => until(() => clock.resting === loops, "the tracker to rest");
  /** Half a second at a time, each over before the next begins. */
  const pass = async (ms: number) => {
    await rest();
    for (let passed = 0; passed < ms; passed += 500) {
      await store.query("select set_config('stage.ms', $1, false)", [String(clock.now() + 500)]);
      clock.advance(500);
      await rest();
    }
  };
  const close = async () => {
    await tracker[Symbol.asyncDispose]();
    await store[Symbol.asyncDispose]();
  };
  /** The next call of a worker was taken note of, and is held. */
  const nextCall = (before: number) => until(() => calls() > before, "a worker's call");
  return { store, address: `127.0.0.1:${tracker.grpcPort}`, clock, log, pass, calls, nextCall, close };
}

const toldTo = (worker: ScriptedWorker) => ({
  registered: worker.registered,
  jobs: worker.jobs,
  acknowledged: worker.acknowledged,
  cancelled: worker.cancelled,
  state: worker.state,
});

const builds = {
  kind: "builder",
  slots: 1,
  targets: [target],
  toolchains: ["scripted"],
  compilerVersion: "0",
  programVersions: [1],
} as const;

/** A job of a runner that dies goes to another; the builder's held call runs out meanwhile; another job follows. */
async function play() {
  const { store, address, clock, log, pass, calls, nextCall, close } = await stage();
  const named = (instanceId: string) => ({ instanceId, node: instanceId });
  const c = new ScriptedClient(address);
  const parties: ScriptedWorker[] = [];
  const start = async (worker: ScriptedWorker) => {
    const before = calls();
    parties.push(worker.start());
    await nextCall(before);
    return worker;
  };
  const holds = (what: string, sql: string) => until(async () => (await store.query(sql)).length > 0, what);
  /** And the tracker knows that the client has it. */
  const received = (sequence: number) => holds("a result", `select 1 from requests where sequence = ${sequence} and state = 4`);
  try {
    await start(new ScriptedWorker(address, builds, build, named("builds")));
    await c.open({}, { requestId: "first" });
    c.stream();
    c.send(1, programOf("p1"));
    await holds("the build", "select 1 from builds where state = 2");
    const dies = await start(runner(address, 1, () => "keep", named("dies")));
    await until(() => dies.jobs.length === 1, "the job of the one that dies");
    await dies.kill();
    const before = calls();
    await pass(18_000); // what a call is held at most; the builder calls again
    await nextCall(before);
    const nodes = [(await c.tracker.farm.listNodes()).nodes];
    await start(runner(address, 2, undefined, named("lives")));
    await received(1);
    await pass(500); // what time does after it, such as its record
    c.send(2, programOf("p2"));
    await received(2);
    await pass(500);
    nodes.push((await c.tracker.farm.listNodes()).nodes);
    for (const party of parties) await party.kill();
    await c.close();
    const contents = await contentsOf(store);
    const told = { session: c.session, results: [...c.results], deliveries: c.deliveries, workers: parties.map(toldTo) };
    return { told, nodes, log, contents, endMs: clock.now() };
  } finally {
    for (const party of parties) await party.kill();
    await c.close();
    await close();
  }
}

it("a scenario played twice is the same in all that is told, logged and stored, to the id and the millisecond", async () => {
  const first = await play();
  const second = await play();
  expect(second).toEqual(first);
  // Ids and times are those that were given.
  const { told, contents, endMs } = first;
  expect(endMs).toBe(startMs + 19_000);
  expect(told.workers.map(({ registered }) => registered?.workerId)).toEqual(["id-1", "id-4", "id-6"]);
  expect(JSON.stringify(contents.requests)).toContain("2023-11-14T22:13:20+00:00");
});
