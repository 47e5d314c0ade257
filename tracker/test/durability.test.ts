/** Who is told what before it is durable: runners may work already, clients and runners hear nothing. */
import { FarmError } from "@warpfarm/common";
import { expect, it } from "vitest";
import { until } from "../../test-support/until.ts";
import { useFarms } from "./farms.testing.ts";
import { builder, freshStore, pause, runner } from "./scripted.testing.ts";

const { farm } = useFarms();

it("a job waits for the disk once: it is run before its input is durable, and nothing is said of either before a flush", async () => {
  const store = await freshStore();
  let finish = () => {};
  const disk = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const { address, start, measuring } = await farm({ data: { ...store, flush: () => disk } });
  start(builder(address));
  const r = start(runner(address, 1));
  const c = await measuring(2);
  const isStored = async () => (await store.query("select 1 from requests where state = 3")).length > 0;
  await until(isStored, "a result in the store");
  await pause(50);
  expect(r.jobs.length).toBeGreaterThan(0);
  expect([c.acceptedThrough, c.results.size, r.acknowledged.length]).toEqual([0, 0, 0]);
  finish();
  await until(() => c.results.size === 2 && r.acknowledged.length === 2, "both results");
  await c.finish();
  expect([c.acceptedThrough, c.deliveries.toSorted(), r.jobs.length]).toEqual([2, [1, 2], 2]);
});

it("when the disk fails: the stream ends, a runner's outcome is told again, and counts once", async () => {
  const store = await freshStore();
  let failures = 0;
  const flush = async () => {
    if (failures++ < 2) throw new FarmError("UNAVAILABLE", "the store cannot be reached: no space left on device");
  };
  const { address, start, measuring } = await farm({ data: { ...store, flush } });
  start(builder(address));
  const r = start(runner(address, 1));
  const c = await measuring(1);
  expect((await c.failure()).code).toBe("UNAVAILABLE");
  await until(() => r.acknowledged.length === 1, "the outcome to be acknowledged");
  c.stream(c.acceptedThrough);
  await until(() => c.results.size === 1, "the result");
  await c.finish();
  expect([c.acceptedThrough, c.deliveries, r.jobs.length]).toEqual([1, [1], 1]);
  expect(r.errors.map(({ code }) => code)).toEqual(["UNAVAILABLE"]);
});
