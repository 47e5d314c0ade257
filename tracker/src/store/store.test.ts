/**
 * The store itself: its schema, directories, collection. Its statements are tested through the services (tracker/test).
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TLSSocket } from "node:tls";
import { digestOf } from "@warpfarm/common";
import pg from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { type PostgresServer, startPostgres } from "../../../test-support/farm/postgres.ts";
import { has, needs } from "../../../test-support/needs.ts";
import { until } from "../../../test-support/until.ts";
import type { Database, Param } from "./database.ts";
import { type Migration, migrate, migrations } from "./migrate.ts";
import { openPglite } from "./pglite.ts";
import { openPostgres } from "./postgres.ts";
import { schema } from "./schema.ts";
import { collect } from "./sql/collect.ts";
import { rowsOf, statement, value } from "./statement.ts";

const base = mkdtempSync(join(tmpdir(), "warpfarm-store-"));
let db: Database;
let embedded: Database;
let server: PostgresServer | undefined;
let served: Database | undefined;
beforeAll(async () => {
  embedded = await openPglite(join(base, "data"));
  if (!has("postgres")) return;
  server = await startPostgres();
  served = await openPostgres(await server.create("farm"));
});
afterAll(async () => {
  await embedded[Symbol.asyncDispose]();
  await served?.[Symbol.asyncDispose]();
  await server?.[Symbol.asyncDispose]();
  rmSync(base, { recursive: true });
});
/** Both engines must do the same. */
const onBoth = (suite: () => void): void => {
  describe("PGlite", () => {
    beforeAll(() => {
      db = embedded;
    });
    suite();
  });
  describe("PostgreSQL", () => {
    beforeEach((ctx) => {
      needs(ctx, "postgres");
      db = served ?? db;
    });
    suite();
  });
};
const count = async (table: string) => (await db.query<{ n: number }>(`select count(*) as n from ${table}`))[0]?.n;

const aStatement = () => {
  it("makes rows of the columns that a statement is given by name", async () => {
    const chosen = statement(
      {
        least: value(),
        r: rowsOf({ id: "text[]::uuid", size: "bigint", bytes: "bytea", isOwn: "boolean", ms: "double precision" }, "at"),
      },
      ({ least, r }) =>
        `select r.at, r.id::text as id, r.size, r.bytes, r.isOwn as own, r.ms, cardinality(${r.size}) as n from ${r.rows}
         where r.size >= ${least} order by r.at desc`,
    );
    const ids = ["00000000-0000-0000-0000-00000000000a", "00000000-0000-0000-0000-00000000000b"];
    const r = { isOwn: [true, false], ms: [0.5, null], id: ids, bytes: [null, Uint8Array.of(7)], size: [2 ** 40, 3] };
    const rows = await chosen.query<{ bytes: Uint8Array | null }>(db, { r, least: 3 });
    expect(rows.map(({ bytes, ...row }) => ({ ...row, bytes: bytes && [...bytes] }))).toEqual([
      { at: 2, id: ids[1], size: 3, bytes: [7], own: false, ms: null, n: 2 },
      { at: 1, id: ids[0], size: 2 ** 40, bytes: null, own: true, ms: 0.5, n: 2 },
    ]);
    expect(await chosen.query(db, { r, least: 4 })).toHaveLength(1);
  });
};

const aDatabase = () => {
  it("gives and takes every type there and back", async () => {
    const bytes = Uint8Array.from({ length: 256 }, (_, i) => i);
    const texts = ["", "null", "NULL", 'a"b\\c', "{1,2}", "ünï\ncode", " spaced "];
    const params: Param[] = [
      2 ** 53 - 1,
      0.1,
      true,
      null,
      texts.join(),
      bytes,
      texts,
      [1, 2 ** 40],
      [bytes, null, new Uint8Array()],
      '{"a":[1]}',
    ];
    const [row] = await db.query<Record<string, unknown>>(
      `select $1::bigint as a, $2::double precision as b, $3::boolean as c, $4::text as d, $5::text as e, $6::bytea as f,
         $7::text[] as g, $8::bigint[] as h, $9::bytea[] as i, $10::jsonb as j, timestamptz '2026-01-02T03:04:05Z' as k, 7::smallint as l`,
      params,
    );
    expect(row).toMatchObject({
      a: 2 ** 53 - 1,
      b: 0.1,
      c: true,
      d: null,
      e: texts.join(),
      g: texts,
      h: [1, 2 ** 40],
      j: { a: [1] },
      l: 7,
    });
    expect(Buffer.from(row?.f as Uint8Array).equals(bytes)).toBe(true);
    const [first, none, empty] = row?.i as Uint8Array[];
    expect([Buffer.from(first ?? []).equals(bytes), none, empty?.length]).toEqual([true, null, 0]);
    expect((row?.k as Date).toISOString()).toBe("2026-01-02T03:04:05.000Z");
  });

  it("rolls back what throws, and goes on; others wait their turn", async () => {
    await db.script("create table t (n integer primary key)");
    await db.query("insert into t values ($1)", [0]);
    const failing = db.transaction(async (tx) => {
      await tx.query("insert into t values ($1)", [1]);
      await tx.query("insert into t values ($1)", [1]);
    });
    const waiting = db.query("insert into t values ($1)", [2]);
    await expect(failing).rejects.toThrow("duplicate key");
    await waiting;
    expect(await db.query("select n from t order by n")).toEqual([{ n: 0 }, { n: 2 }]);
    await db
      .transaction(async (tx) => {
        await expect(tx.query("select no_such_column")).rejects.toThrow("no_such_column");
      })
      .catch(() => {});
    await db.script("drop table t");
  });

  it("answers statements that come together each with its own", async () => {
    const numbers = Array.from({ length: 50 }, (_, i) => i);
    const asked = () => numbers.map((n) => db.query<{ n: number }>("select 10 / ($1::integer - 7) as n", [n]).catch(() => []));
    for (const answers of [await Promise.all(asked()), await Promise.all(asked())])
      expect(answers).toEqual(numbers.map((n) => (n === 7 ? [] : [{ n: Math.trunc(10 / (n - 7)) + 0 }])));
  });
};

const migrating = () => {
  const sqlOf = (name: string) => `create table ${name} (n integer)`;
  const toys = [1, 2].map((n) => ({ number: n + 100, name: `0.${n}.0`, sql: sqlOf(`extra${n}`) }));

  it("applies what is missing once, in order, whole or not at all", async () => {
    const list = [...migrations, ...toys];
    await migrate(db, "it", list.slice(0, -1));
    await migrate(db, "it", list);
    await migrate(db, "it", list);
    const broken = { number: 103, name: "broken", sql: `${sqlOf("extra3")}; ${sqlOf("extra3")}` };
    await expect(migrate(db, "it", [...list, broken])).rejects.toThrow("extra3");
    expect(await db.query("select number, name from migrations where number > 100 order by number")).toEqual([
      { number: 101, name: "0.1.0" },
      { number: 102, name: "0.2.0" },
    ]);
    await expect(db.query("select 1 from extra3")).rejects.toThrow("extra3");
  });

  it("refuses a store of another schema, which stays as it is", async () => {
    const contents = () =>
      db.query(
        "select number, name, applied_at, (select count(*) from pg_class)::integer as tables from migrations order by number",
      );
    const refuses = async (list: readonly Migration[], words: string) => {
      const before = await contents();
      const message = expect.stringMatching(`^the store it has schema ${words}; nothing was written to it: .*records export`);
      await expect(migrate(db, "the store it", list)).rejects.toMatchObject({ code: "INVALID_ARGUMENT", message });
      expect(await contents()).toEqual(before);
    };
    await refuses(migrations, "102 \\(0.2.0\\), and this Warpfarm reads 1 \\(0.1.0\\)");
    await refuses(
      [...migrations, ...toys.map((toy) => ({ ...toy, sql: `${toy.sql} ` }))],
      "102 \\(0.2.0\\), and this Warpfarm reads 102 \\(0.2.0\\) with another text",
    );
    await db.script("drop table extra1, extra2; delete from migrations where number > 100");
    await migrate(db, "it");
    // Such a store was made while 0.1.0 was being written.
    await db.script("alter table migrations drop column digest");
    await refuses(migrations, "1 \\(0.1.0\\), and this Warpfarm reads 1 \\(0.1.0\\) with another text");
    await db.script("alter table migrations add column digest text not null default ''");
    await db.query("update migrations set digest = $1", [digestOf(schema)]);
    await migrate(db, "it");
  });
};

describe("a database", () => onBoth(aDatabase));
describe("a statement", () => onBoth(aStatement));
describe("migrate", () => onBoth(migrating));

describe("a directory", () => {
  it("keeps what was written; a half-made one is made anew; one that is no store is left alone", async () => {
    const data = join(base, "kept");
    mkdirSync(`${data}.creating`);
    writeFileSync(join(`${data}.creating`, "PG_VERSION"), "half");
    const first = await openPglite(data);
    await first.query("insert into programs (digest, target, bytes) values ('d', 't', '')");
    await expect(openPglite(data)).rejects.toMatchObject({ code: "FAILED_PRECONDITION" });
    await first[Symbol.asyncDispose]();
    const second = await openPglite(data);
    expect(await second.query("select digest from programs")).toEqual([{ digest: "d" }]);
    // Nobody else writes checkpoints: what a crash would have to read again ends here.
    const toRead = () =>
      second.query<{ kb: number }>(
        "select (pg_wal_lsn_diff(pg_current_wal_insert_lsn(), redo_lsn) / 1024)::integer as kb from pg_control_checkpoint()",
      );
    await second.script("create table t as select n from generate_series(1, 20000) n; drop table t");
    expect((await toRead())[0]?.kb).toBeGreaterThan(1000);
    while (!(await second.maintain()));
    expect((await toRead())[0]?.kb).toBeLessThan(100);
    await second[Symbol.asyncDispose]();
    const other = join(base, "other");
    mkdirSync(other);
    writeFileSync(join(other, "thesis.txt"), "mine");
    await expect(openPglite(other)).rejects.toThrow("is not empty and holds no store");
    expect(existsSync(`${other}.lock`)).toBe(false);
    const file = join(other, "thesis.txt");
    await expect(openPglite(file)).rejects.toThrow(
      `the data directory ${file} cannot be made: a part of its path is a file, not a folder`,
    );
    expect([existsSync(`${file}.creating`), readFileSync(file, "utf8")]).toEqual([false, "mine"]);
  });
});

const sweeping = () => {
  it("gives the room of rows that are gone to those that come", async () => {
    const comeAndGo = async () => {
      await db.query(
        `insert into leases (lease_id, worker_id, epoch, device, session_id, sequence, until)
         select 'l' || n, 'w', 1, 0, 's', n, now() from generate_series(1, 5000) n`,
      );
      await db.query("delete from leases");
    };
    const kilobytes = async () =>
      (await db.query<{ kb: number }>("select (pg_relation_size('leases') / 1024)::integer as kb"))[0]?.kb ?? 0;
    await comeAndGo();
    const once = await kilobytes();
    await db.sweep("leases");
    await comeAndGo();
    expect(once).toBeGreaterThan(100);
    expect(await kilobytes()).toBeLessThan(1.1 * once);
    await comeAndGo();
    expect(await kilobytes()).toBeGreaterThan(1.5 * once);
  });
};
describe("a sweep", () => onBoth(sweeping));

it("a tracker that starts while another makes the first table waits, and then finds it", async (ctx) => {
  needs(ctx, "postgres");
  const url = (await server?.create("together")) ?? "";
  const other = new pg.Client(url);
  await other.connect();
  onTestFinished(() => other.end());
  await other.query("begin; select pg_advisory_xact_lock(7246551)");
  await other.query(
    "create table migrations (number integer primary key, name text not null, digest text not null, applied_at timestamptz not null default now())",
  );
  const opening = openPostgres(url);
  opening.catch(() => {});
  await until(
    async () => ((await other.query("select 1 from pg_locks where not granted")).rowCount ?? 0) > 0,
    "the second tracker to wait",
  );
  await other.query("commit");
  await using opened = await opening;
  expect(await opened.query("select number from migrations")).toEqual([{ number: 1 }]);
});

it("a database that is not there is the address's fault", async (ctx) => {
  needs(ctx, "postgres");
  const url = new URL((await server?.create("there")) ?? "");
  url.pathname = "/nowhere";
  await expect(openPostgres(url.href)).rejects.toMatchObject({
    code: "INVALID_ARGUMENT",
    message: '--database-url: database "nowhere" does not exist',
  });
});

it("a database whose certificate nobody vouches for is the address's fault, and what to write there is said", async () => {
  const testdata = (name: string) => readFileSync(new URL(`../../test/testdata/${name}`, import.meta.url));
  // As far as PostgreSQL's protocol goes before TLS: the client asks for it, the server says yes.
  const listener = createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", () => {
      socket.write("S");
      new TLSSocket(socket, { isServer: true, key: testdata("server.key"), cert: testdata("server.pem") }).on("error", () => {});
    });
  });
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void listener.close());
  const url = `postgres://farm@127.0.0.1:${(listener.address() as AddressInfo).port}/farm?sslmode=verify-full`;
  await expect(openPostgres(url)).rejects.toMatchObject({
    code: "INVALID_ARGUMENT",
    message: expect.stringMatching(
      /^--database-url: the server's certificate: .*; sslmode=verify-full&sslrootcert=FILE names who/,
    ),
  });
});

const collection = () => {
  it("takes what nobody can ask for any more, and nothing else", async () => {
    const old = "now() - interval '1 hour'";
    await db.script(`
      insert into sessions (session_id, request_id, task, selector, options, priority, max_in_flight, labels, expires_at)
        values ('s', 'r', 't', 'cpu/arm64', '{}', 0, 1, '{}', now() + interval '1 hour');
      insert into programs (digest, target, bytes, used_at)
        select p, 't', ''::bytea, ${old} from unnest(array['old', 'open', 'reference', 'waiting', 'orphan']) as p union all select 'fresh', 't', ''::bytea, now();
      insert into builds (program, target, state, session_id, priority, timeout_ms, artifact, code, finished_at)
        select p, 't', 2, 's', 0, 1, 'm-' || p, 'c-' || p, ${old} from unnest(array['old', 'open', 'reference', 'fresh']) as p;
      insert into builds (program, target, state, session_id, priority, timeout_ms) values ('waiting', 't', 0, 's', 0, 1), ('orphan', 't', 0, null, 0, 1);
      insert into requests (session_id, sequence, program, reference, target, state) values ('s', 1, 'open', 'reference', 't', 1), ('s', 2, 'old', null, 't', 4);
      insert into blobs (digest, size, bytes, used_at)
        select k || p, 0, ''::bytea, ${old} from unnest(array['old', 'open', 'reference', 'fresh']) as p, unnest(array['m-', 'c-']) as k;
      insert into blobs (digest, size, bytes, used_at) values ('stray', 0, '', ${old}), ('uploading', 0, '', now());
      insert into blobs (digest, size, bytes, used_at)
        select p, 0, ''::bytea, ${old} from unnest(array['kernel', 'kernel-done', 'kernel-cancelled']) as p;
      insert into suites (suite_id, principal, request_id, name, plan, cancelled)
        values ('open', 'p', '1', 's', '', false), ('cancelled', 'p', '2', 's', '', true);
      insert into suite_tasks (suite_id, task_id, place, document, template, ended)
        values ('open', 'a', 0, '', 'kernel', ''), ('open', 'b', 1, '', 'kernel-done', 'budget'), ('cancelled', 'a', 0, '', 'kernel-cancelled', '');
      insert into workers (worker_id, instance_id, epoch, role, node, facts, labels, lost, last_seen)
        values ('w1', 'i1', 1, 'runner', 'n', '{}', '{}', true, ${old}), ('w2', 'i2', 1, 'runner', 'n', '{}', '{}', false, ${old})`);
    const keep = { artifactsMs: 60_000, requestsMs: 60_000 };
    await collect(db, keep);
    await collect(db, keep); // what the first pass freed
    const names = async (sql: string) => (await db.query<{ x: string }>(`${sql} order by 1`)).map(({ x }) => x);
    expect(await names("select program as x from builds")).toEqual(["fresh", "open", "reference", "waiting"]);
    expect(await names("select digest as x from programs")).toEqual(["fresh", "open", "reference", "waiting"]);
    expect(await names("select digest as x from blobs")).toEqual([
      "c-fresh",
      "c-open",
      "c-reference",
      "kernel",
      "m-fresh",
      "m-open",
      "m-reference",
      "uploading",
    ]);
    expect(await names("select worker_id as x from workers")).toEqual(["w2"]);
    expect(await count("requests")).toBe(2);
    for (let rounds = 0; rounds < 2; ) if (await db.maintain()) rounds++;
  });
};
const batches = () => {
  it("go on until all is gone, many rows and a dry run that only counts", async () => {
    await db.script(`
      truncate sessions, programs, builds, requests, blobs, reuses, cancelled_sessions;
      insert into sessions (session_id, request_id, task, selector, options, priority, max_in_flight, labels, expires_at)
        select 's' || i, 'r' || i, 't', 'cpu/arm64', '{}', 0, 1, '{}', now() + interval '1 hour' from generate_series(1, 120) i;
      insert into requests (session_id, sequence, program, target, state, accepted_at)
        select 's' || i, n, 'p', 't', case when n = 1 then 3 else 4 end, now() - interval '1 hour' from generate_series(1, 120) i, generate_series(1, 3) n;
      insert into requests (session_id, sequence, program, target, state) values ('s1', 4, 'p', 't', 4);
      insert into programs (digest, target, bytes, used_at)
        select 'p' || i, 't', ''::bytea, now() - interval '1 hour' from generate_series(1, 1200) i;
      insert into builds (program, target, state, session_id, priority, timeout_ms, artifact, code, finished_at)
        select 'p' || i, 't', 2, 's1', 0, 1, 'm' || i, 'c' || i, now() - interval '1 hour' from generate_series(1, 1200) i;
      insert into blobs (digest, size, bytes, used_at)
        select k || i, 2, '12'::bytea, now() - interval '1 hour' from generate_series(1, 1200) i, unnest(array['m', 'c']) k;
      insert into reuses (name, session_id, sequence, used_at, result)
        values ('old', 'gone', 1, now() - interval '1 hour', null), ('new', 'gone', 1, now(), ''), ('owned', 's1', 1, now() - interval '1 hour', null);
      update requests set state = 2 where session_id = 's1' and sequence = 1`);
    const keep = { artifactsMs: 60_000, requestsMs: 60_000 };
    const all = { builds: 1200, programs: 1200, blobs: 2400, bytes: 4800, requests: 240 };
    expect(await collect(db, keep, { dryRun: true })).toEqual(all);
    expect(await count("builds")).toBe(1200);
    expect(await collect(db, keep)).toEqual(all);
    const left = await Promise.all(["builds", "programs", "blobs", "requests", "sessions"].map(count));
    expect(left).toEqual([0, 0, 0, 121, 120]);
    expect(await db.query("select name from reuses order by 1")).toEqual([{ name: "new" }, { name: "owned" }]);
  });
};
describe("collection", () => onBoth(collection));
describe("collection in batches", () => onBoth(batches));
