/** What probes are told. */
import { FarmError, systemClock } from "@warpfarm/common";
import type { FarmSnapshot } from "@warpfarm/proto";
import { pino } from "pino";
import { expect, test } from "vitest";
import type { TrackerContext } from "../services/context.ts";
import { httpApp, snakeCased } from "./http.ts";
import { Metrics } from "./metrics.ts";

const app = (query: () => Promise<never[]>, clock: Pick<TrackerContext["clock"], "sleep"> = systemClock) =>
  httpApp({ db: { lazy: { query } }, clock, log: pino({ level: "silent" }) } as unknown as TrackerContext);

test("a store that fails, or does not answer, is not ready; the process lives all the same", async () => {
  const gone = app(() => Promise.reject(new FarmError("UNAVAILABLE", "the store cannot be reached: no route")));
  const said = await gone.request("/readyz");
  expect([said.status, await said.text()]).toEqual([503, "not ready: the store cannot be reached: no route\n"]);
  expect((await gone.request("/healthz")).status).toBe(200);
  const secret = await app(() => Promise.reject(new Error("password of farm@db is wrong"))).request("/readyz");
  expect([secret.status, await secret.text()]).toEqual([503, "not ready: the store fails; the tracker's log has the cause\n"]);
  const asleep = await app(() => new Promise(() => {}), { sleep: async () => {} }).request("/readyz");
  expect([asleep.status, await asleep.text()]).toEqual([503, "not ready: the store did not answer within 2000 ms\n"]);
  expect((await app(async () => []).request("/readyz")).status).toBe(200);
});

test("metrics without the store are what the tracker counted, and that the store is away", async () => {
  const scrape = async (get: () => Promise<FarmSnapshot>) => {
    const context = { db: { lazy: { query: async () => [] } }, snapshots: { get }, metrics: new Metrics(), clock: systemClock };
    const said = await httpApp({ ...context, log: pino({ level: "silent" }) } as unknown as TrackerContext).request("/metrics");
    const lines = (await said.text()).split("\n").filter((line) => line !== "" && !line.startsWith("#"));
    expect(new Set(lines).size).toBe(lines.length);
    return { status: said.status, lines };
  };
  const away = await scrape(() => Promise.reject(new FarmError("UNAVAILABLE", "the store cannot be reached: no route")));
  expect(away.status).toBe(200);
  expect(away.lines).toEqual(expect.arrayContaining(["warpfarm_store_up 0", "warpfarm_inputs_accepted_total 0"]));
  expect(away.lines.join()).not.toMatch(/warpfarm_(sessions|nodes|queue)/);
  const there = await scrape(async () => ({ nodes: [], queues: [], sessions: [] }));
  expect(there.lines).toEqual(
    expect.arrayContaining(["warpfarm_store_up 1", "warpfarm_inputs_accepted_total 0", "warpfarm_sessions 0"]),
  );
  expect((await scrape(() => Promise.reject(new Error("a bug")))).status).toBe(500);
});

test("the farm's fields are named as on the wire; names that users gave are left alone", () => {
  const nodes = [{ workerId: "w", lastSeenMs: 1, labels: { myLabel: "aB" }, devices: [{ memoryBytes: 2, limits: { maxX: 3 } }] }];
  expect(snakeCased({ nodes, queues: [{ waitingRuns: 0, key: "cpu/arm64" }] })).toEqual({
    nodes: [{ worker_id: "w", last_seen_ms: 1, labels: { myLabel: "aB" }, devices: [{ memory_bytes: 2, limits: { maxX: 3 } }] }],
    queues: [{ waiting_runs: 0, key: "cpu/arm64" }],
  });
});
