/** The recorder's end: it writes records for some seconds, and the next start writes the rest. */
import { type ArtifactDigest, defaultMeasureOptions, digestOf, ManualClock, randomId } from "@warpfarm/common";
import { pino } from "pino";
import { expect, it } from "vitest";
import { cpu, timedResult } from "../../../test-support/farm/scripted.ts";
import { openPglite } from "../store/pglite.ts";
import { encodeResult } from "../store/result-bytes.ts";
import { type RecorderContext, startRecorder } from "./recorder.ts";

it("ends within some seconds, however much is left, and the next start writes the rest once", async () => {
  await using db = await openPglite("memory");
  const results = 120;
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
  /** Each reading of the clock is a second after the previous one. */
  class Slow extends ManualClock {
    override monotonic(): number {
      this.advance(1_000);
      return super.monotonic();
    }
  }
  const others = { newId: randomId, log: pino({ level: "silent" }), registry: { uses: () => new Map() } };
  const limits = { keepFailuresMs: 1e12, maxRecords: 1e6 };
  const context = (clock: ManualClock) => ({ ...others, db, clock, limits }) as unknown as RecorderContext;
  await startRecorder(context(new Slow())).stop();
  const first = (await written()) as number;
  expect(first).toBeGreaterThan(0);
  expect(first).toBeLessThan(results);
  await startRecorder(context(new ManualClock())).stop();
  expect(await written()).toBe(results);
});
