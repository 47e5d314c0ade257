/** The recorder's rest between batches, and its end: it writes records for some seconds, and the next start writes the rest. */
import {
  type ArtifactDigest,
  abortable,
  defaultMeasureOptions,
  digestOf,
  ManualClock,
  randomId,
  type SleepOptions,
} from "@warpfarm/common";
import { pino } from "pino";
import { expect, it } from "vitest";
import { cpu, timedResult } from "../../../test-support/farm/scripted.ts";
import { until } from "../../../test-support/until.ts";
import { openPglite } from "../store/pglite.ts";
import { encodeResult } from "../store/result-bytes.ts";
import { type RecorderContext, startRecorder } from "./recorder.ts";

/** A store with results without records. */
async function storeWith(results: number) {
  const db = await openPglite("memory");
  const options = JSON.stringify(defaultMeasureOptions("cpu"));
  const bytes = encodeResult(timedResult(1, cpu(1), digestOf("an artifact") as string as ArtifactDigest));
  await db.query(
    `insert into sessions (session_id, request_id, task, selector, options, priority, max_in_flight, labels, stream, expires_at)
     values ('s', 's', 'task', 'cpu', $1, 0, 1, '{}', 1, now() + interval '1 hour')`,
    [options],
  );
  await db.query(
    `insert into requests (session_id, sequence, program, target, state, result)
     select 's', n, 'p', 'cpu/x86-64-v3', 4, $1 from generate_series(1, $2::integer) as n`,
    [bytes, results],
  );
  const written = async () => (await db.query<{ n: number }>("select count(*)::integer as n from records"))[0]?.n;
  const others = {
    trialsShown: { atMs: Number.NEGATIVE_INFINITY },
    newId: randomId,
    log: pino({ level: "silent" }),
    registry: { uses: () => new Map() },
  };
  const limits = { keepFailuresMs: 1e12, maxRecords: 1e6 };
  const context = (clock: ManualClock) => ({ ...others, db, clock, limits }) as unknown as RecorderContext;
  return { db, written, context };
}

/** Each reading of the clock is a second after the previous one. */
class Slow extends ManualClock {
  override monotonic(): number {
    this.advance(1_000);
    return super.monotonic();
  }
}

it.each([
  ["much longer than a batch takes", Number.NEGATIVE_INFINITY, 39_000],
  ["shortly while a page shows trials", Number.POSITIVE_INFINITY, 400],
])("rests %s", async (_what, atMs, rest) => {
  const { db, written, context } = await storeWith(120);
  await using _ = db;
  const rests: number[] = [];
  class Impatient extends Slow {
    override async sleep(ms: number, { signal = new AbortController().signal }: SleepOptions = {}): Promise<void> {
      if (rests.push(ms) > 10) await abortable(new Promise<void>(() => {}), signal);
    }
  }
  const recorder = startRecorder({ ...context(new Impatient()), trialsShown: { atMs } });
  await until(async () => (await written()) === 120, "all records");
  await recorder.stop();
  expect(rests[0]).toBeGreaterThanOrEqual(rest);
  expect(rests[0]).toBeLessThan(3 * rest);
});

it("ends within some seconds, however much is left, and the next start writes the rest once", async () => {
  const results = 120;
  const { db, written, context } = await storeWith(results);
  await using _ = db;
  await startRecorder(context(new Slow())).stop();
  const first = (await written()) as number;
  expect(first).toBeGreaterThan(0);
  expect(first).toBeLessThan(results);
  await startRecorder(context(new ManualClock())).stop();
  expect(await written()).toBe(results);
});

it.each([
  ["as many as it is told", undefined, 120_000, "30000"],
  ["a hundred thousand beside an inbox", "/inbox", 120_000, "50000"],
  ["as many as it is told, if these are fewer", "/inbox", 80_000, "70000"],
])("keeps %s, after an hour again", async (_what, recordInbox, maxRecords, over) => {
  const deletes: string[] = [];
  const query = async (sql: string) => {
    if (sql.startsWith("select owner, count(*)")) return [{ owner: "a", n: 150_000 }];
    const [, limit] = /r\.owner = \$1.*limit (\d+)/s.exec(sql) ?? [];
    if (limit !== undefined) deletes.push(limit);
    return [];
  };
  const db = { query, lazy: { query }, transaction: (work: (tx: object) => unknown) => work({ query }) };
  const clock = new ManualClock(0);
  const context = { db, clock, limits: { keepFailuresMs: 1, maxRecords, recordInbox }, log: pino({ level: "silent" }) };
  const recorder = startRecorder(context as unknown as RecorderContext);
  for (const [afterMs, times] of [
    [59_000, 0],
    [1_000, 1],
    [3_599_000, 1],
    [1_000, 2],
  ] as const) {
    clock.advance(afterMs);
    // A tick is over when the next sleep has begun.
    for (let i = 0; i < 50; i++) await new Promise((resolve) => setImmediate(resolve));
    expect(deletes).toEqual(Array(times).fill(over));
  }
  await recorder.stop();
});
