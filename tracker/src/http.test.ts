/** What probes are told. */
import { FarmError, systemClock } from "@warpfarm/common";
import { pino } from "pino";
import { expect, test } from "vitest";
import { httpApp } from "./http.ts";
import type { TrackerContext } from "./services/context.ts";

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
