/**
 * Many records that only their owner reads cost nobody else's reads anything: each statement of the store reads as many rows as
 * without them, by PostgreSQL's own count.
 */
import { type Json, shortNameOf } from "@warpfarm/common";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isFull } from "../../../test-support/campaign.ts";
import { digest, failed, h100, h200, nowMs, record, timed } from "../../../test-support/record-store-contract.ts";
import { standings } from "../standing.ts";
import { problemOf, type TuningRecord } from "../tuning-record.ts";
import { type OpenedSql, openPgliteSql } from "./pglite.ts";
import { PackedRecord } from "./rows.ts";
import type { Sql } from "./sql.ts";
import { SqlStore } from "./sql-store.ts";

const flood = isFull ? 100_000 : 20_000;
const task = "matmul";
const args: Json[] = [64, 64, 64];
const program = digest("p");

let sql: OpenedSql;
beforeAll(async () => {
  sql = await openPgliteSql("memory");
  const honest = Array.from({ length: 400 }, (_, i) =>
    record(`s/${i}`, {
      origin: { kind: i % 9 === 0 ? "imported" : "measured", by: i % 3 ? "carl" : "ada", format: "x" } as TuningRecord["origin"],
      args: [64, 64, 32 << (i % 4)],
      program: i % 50 === 1 ? program : digest(`${i}`),
      device: i % 2 ? h100 : h200,
      result: i % 5 === 0 || i === 101 ? failed(5) : timed(1e-3 * (1 + (i % 17))),
      timestampMs: nowMs - 1_000_000 + i,
    }),
  );
  await new SqlStore({ sql }).append(honest.map((each) => PackedRecord.of(each, standings.verified)));
}, 120_000);
afterAll(() => sql[Symbol.asyncDispose]());

/** Copies of one row under eve's name: newer, faster, of the same program and device, half of the same problem, each a claim. */
async function pourIn(standing: number, what: string): Promise<void> {
  await sql.query(
    `insert into records select md5($1 || i)::uuid, $1 || i, at + 2000000 + i, 'eve', $2, md5($1 || i)::uuid, task,
       case when i % 2 = 0 then problem else md5(i::text) end, computation, template, kernel, target, device_key, device_name, session, 'eve', imported,
       usable, conditions, seconds * 1e-6, error_no, doc
     from (select * from records where namespace = '' and task = $3 and problem = $4 and kernel = $5 and ${what} limit 1) one,
       generate_series(1, $6::int) i`,
    [`${standing} ${what}`, standing, task, problemOf({ task, args }), shortNameOf(program), flood / 4],
  );
}

interface Plan {
  readonly "Actual Rows": number;
  readonly "Actual Loops": number;
  readonly "Rows Removed by Filter"?: number;
  readonly "Relation Name"?: string;
  readonly Plans?: readonly Plan[];
}
const rowsOf = ({ Plans = [], ...plan }: Plan): number =>
  (plan["Relation Name"] === "records"
    ? (plan["Actual Rows"] + (plan["Rows Removed by Filter"] ?? 0)) * plan["Actual Loops"]
    : 0) + Plans.reduce((sum, each) => sum + rowsOf(each), 0);

/** Rows of the table that the statements of the question read. */
async function readBy(ask: (store: SqlStore) => Promise<unknown>): Promise<number> {
  let rows = 0;
  const watched: Sql = {
    async query(text, params) {
      const [plan] = await sql.query<{ readonly "QUERY PLAN": readonly { readonly Plan: Plan }[] }>(
        `explain (analyze, format json) ${text}`,
        params ?? [],
      );
      rows += rowsOf((plan as { readonly "QUERY PLAN": readonly [{ readonly Plan: Plan }] })["QUERY PLAN"][0].Plan);
      return sql.query(text, params ?? []);
    },
    transaction: () => Promise.reject(new Error("a read needs none")),
  };
  await ask(new SqlStore({ sql: watched, viewer: { name: "ada", seesAll: false } }));
  return rows;
}

const questions: { readonly [name: string]: (store: SqlStore) => Promise<unknown> } = {
  "the best of a task": (store) => store.best({ task, args }),
  "the best of any origin on a device": (store) => store.best({ task, args, deviceName: h100.name, origin: "any" }),
  ...Object.fromEntries(
    (["newest", "oldest", "fastest"] as const).flatMap((order) =>
      [
        {},
        { task },
        { task, args },
        { task, args, outcome: "failed" as const },
        { task, args, deviceName: h200.name },
        { device: h100.key },
        { template: "matmul_mma" },
        { outcome: "failed" as const },
        { origin: "imported" as const },
        { program },
        { by: "eve" },
        { by: "ada" },
      ].map((filter) => [
        `${order} of ${JSON.stringify(filter)}`,
        (store: SqlStore) => store.query({ ...filter, order, limit: 20 }),
      ]),
    ),
  ),
};

describe(`${flood} records that only eve reads`, () => {
  const before = new Map<string, number>();
  beforeAll(async () => {
    await sql.query("analyze records");
    for (const [name, ask] of Object.entries(questions)) before.set(name, await readBy(ask));
    await pourIn(standings.offered, "seconds is not null");
    await pourIn(standings.offered, "error_no > 0");
    await pourIn(standings.own, "seconds is not null");
    await pourIn(standings.refuted, "seconds is not null");
    await sql.query("analyze records");
    const [eves] = await sql.query<{ n: number }>("select count(*)::int as n from records where namespace = 'eve'");
    expect(eves?.n).toBe(flood);
  }, 300_000);

  it.each(Object.keys(questions))("cost ada's question for %s nothing", async (name) => {
    const rows = await readBy(questions[name] as (store: SqlStore) => Promise<unknown>);
    // Another plan may read some more of the 400 that she may read.
    expect(rows).toBeLessThanOrEqual((before.get(name) as number) + 400);
  });

  it("are counted to a thousand, and a few of their claims are wanted", async () => {
    const store = new SqlStore({ sql, viewer: { name: "ada", seesAll: false } });
    expect((await store.offered({ task, args }, 64)).rows).toBe(1_000);
    expect((await store.offered({ task }, 64)).claims).toHaveLength(64);
    expect(await readBy((each) => each.offered({ task, args }, 64))).toBeLessThan(flood / 4);
  });
});
