import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { countedIds, defined, systemClock } from "@warpfarm/common";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { bestContract } from "../../../test-support/record-best-contract.ts";
import { sharingContract } from "../../../test-support/record-sharing-contract.ts";
import { contract, failed, nowMs, record } from "../../../test-support/record-store-contract.ts";
import { encodeRecord } from "../record-json.ts";
import { dropInInbox, inboxOf } from "./inbox.ts";
import { hasLocalRecords, openLocalRecords } from "./local.ts";
import { MemoryStore } from "./memory.ts";
import { type OpenedSql, openPgliteSql } from "./pglite.ts";
import { PackedRecord } from "./rows.ts";
import { recordIndexes } from "./schema.ts";
import { SqlStore } from "./sql-store.ts";

describe("records in memory", () => {
  for (const [name, check] of Object.entries({ ...contract, ...bestContract })) it(name, () => check(new MemoryStore()));
});

describe("records in PGlite", () => {
  let sql: OpenedSql;
  beforeAll(async () => {
    sql = await openPgliteSql("memory");
  });
  afterAll(() => sql[Symbol.asyncDispose]());
  beforeEach(() => sql.query("delete from records"));
  for (const [name, check] of Object.entries({ ...contract, ...bestContract })) it(name, () => check(new SqlStore({ sql })));

  for (const [name, check] of Object.entries(sharingContract)) it(name, () => check(sql));
});

describe("records in PGlite, a page of bounded bytes at a time", () => {
  it("are all given, however much longer they are than what was imported", async () => {
    await using sql = await openPgliteSql("memory");
    const line = (i: number) => encodeRecord(record(`r${i}`, { timestampMs: i }));
    const long = (i: number, n: number) => line(i).replace('"task"', `"foreign":{"a":[${Array(n).fill("1e20").join()}]},"task"`);
    // From 500 records on they come by COPY.
    const others = Array.from({ length: 500 }, (_, i) => line(100 + i));
    // Two are longer than a page: the first of all, and one between others.
    const all = [long(0, 500), long(1, 200), long(2, 200), line(3), long(4, 600), line(5), long(6, 10)];
    const store = new SqlStore({ sql, pageBytes: 8_000 });
    await store.append([...all, ...others].map((each) => PackedRecord.imported(each, "eve")));
    const sizes: number[][] = [];
    for (let cursor: string | undefined, more = true; more; ) {
      const { records, next } = await store.query({ order: "oldest", untilMs: 100, ...defined({ cursor }) });
      sizes.push(records.map((each) => encodeRecord(each).length));
      [cursor, more] = [next, next !== undefined];
    }
    expect(sizes.flat()).toHaveLength(all.length);
    expect(sizes.flat().filter((size) => size > 8_000)).toHaveLength(2);
    for (const of of sizes) expect(of.length === 1 || of.reduce((a, b) => a + b) <= 8_000).toBe(true);
    expect(sizes.length).toBeLessThan(all.length);
  });
});

describe("the records of a machine", () => {
  const directory = async () => {
    const path = await mkdtemp(join(tmpdir(), "warpfarm-records-"));
    onTestFinished(() => rm(path, { recursive: true, force: true }));
    return join(path, "records");
  };

  it("of another schema are refused, and stay as they are", async () => {
    const path = await directory();
    const first = await openPgliteSql(path);
    await first.query("comment on table records is 'warpfarm records, of before'");
    await first.query("drop index records_at");
    await first[Symbol.asyncDispose]();
    await expect(openPgliteSql(path)).rejects.toMatchObject({
      code: "INVALID_ARGUMENT",
      message: expect.stringMatching(
        /^the records in \S+records have another schema .* nothing was written there: .* delete the folder$/,
      ),
    });
    const { PGlite } = await import("@electric-sql/pglite");
    const left = await PGlite.create(path);
    const { rows } = await left.query("select 1 from pg_indexes where indexname = 'records_at'");
    await left.close();
    expect(rows).toEqual([]);
  });

  it("are kept from one opening to the next, take in what lies in the inbox once, and are open in one process at a time", async () => {
    const path = await directory();
    expect(await hasLocalRecords(path)).toBe(false);
    const newId = countedIds("batch");
    await dropInInbox(inboxOf(path), [record("a"), record("b")], { newId });
    expect(await hasLocalRecords(path)).toBe(true);
    const warnings: string[] = [];
    const open = () => openLocalRecords(path, { clock: systemClock, warn: (w) => warnings.push(w) });
    const first = await open();
    await first.append([record("c")]);
    expect((await first.query({})).records).toHaveLength(3);
    // The state after a process was killed between taking a batch in and removing it.
    await dropInInbox(inboxOf(path), [record("a"), record("d")], { newId });
    await writeFile(join(inboxOf(path), "z.jsonl"), '{"version":1}\n');
    await writeFile(join(inboxOf(path), "half.writing"), '{"vers');
    const refused = openLocalRecords(path, { clock: systemClock, patienceMs: 0 });
    await expect(refused).rejects.toThrow(`are open in process ${process.pid}`);
    const patient = open();
    await first[Symbol.asyncDispose]();
    await using store = await patient;
    expect((await store.query({})).records.map((r) => r.id).sort()).toEqual(["a", "b", "c", "d"]);
    expect((await readdir(inboxOf(path))).sort()).toEqual(["half.writing", "z.jsonl"]);
    expect(warnings).toEqual([expect.stringContaining("z.jsonl is not a file of records")]);
  });

  describe("of a large import", () => {
    const many = Array.from({ length: 600 }, (_, i) =>
      record(`r-${i}`, { args: [64, 64, i % 3], timestampMs: nowMs + i, ...(i % 5 === 0 ? { result: failed(4) } : {}) }),
    );
    const open = (path: string) => openLocalRecords(path, { clock: systemClock, bulkFrom: 100 });
    const indexesIn = async (sql: OpenedSql) => {
      const rows = await sql.query<{ name: string }>(
        "select indexname::text as name from pg_indexes where tablename = 'records'",
      );
      return rows.map(({ name }) => name).sort();
    };
    const all = ["records_pkey", ...recordIndexes.keys()].sort();

    it("are stored without indexes first, answer as ever, and have them again at the end, and after a process was killed before it", async () => {
      const path = await directory();
      const expected = new MemoryStore();
      {
        await using store = await open(path);
        for (const part of [many.slice(0, 80), many.slice(60, 300), many]) {
          const [added, wanted] = [await store.append(part), await expected.append(part)];
          expect(added).toEqual(wanted);
        }
        const query = { task: "matmul", args: [64, 64, 1], order: "fastest" } as const;
        expect((await store.query(query)).records).toEqual((await expected.query(query)).records);
      }
      const sql = await openPgliteSql(join(path, "db"));
      expect(await indexesIn(sql)).toEqual(all);
      // The state after a process was killed in the middle.
      await sql.dropIndexes();
      expect(await indexesIn(sql)).toEqual(["records_pkey"]);
      await sql[Symbol.asyncDispose]();
      await using next = await openPgliteSql(join(path, "db"));
      expect(await indexesIn(next)).toEqual(all);
    });
  });

  it("begin anew where a process was killed while it made them", async () => {
    const path = await directory();
    await mkdir(join(path, "db.creating", "base"), { recursive: true });
    await using store = await openLocalRecords(path, { clock: systemClock });
    await store.append([record("a")]);
    expect((await store.query({})).records.map((r) => r.id)).toEqual(["a"]);
    expect((await readdir(path)).sort()).toEqual(["db", "lock"]);
  });
});
