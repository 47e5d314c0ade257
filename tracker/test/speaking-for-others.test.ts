/** What a worker that is let in says of a job, a device or a time that is not its own. */
import { expect, it } from "vitest";
import { useFarms } from "../../test-support/farm/farms.ts";
import {
  asRegistered,
  builder,
  cpu,
  runner,
  runOf,
  type ScriptedWorker,
  synchronized,
  timed,
  timedResult,
} from "../../test-support/farm/scripted.ts";
import { until } from "../../test-support/until.ts";

const { farm } = useFarms();
const minute = 60_000;

/** A job in the hands of `a`; `b` is a runner of the same epoch without one. */
async function twoRunners() {
  const { address, start, measuring, store } = await farm({ policy: { ttlMs: 10 * minute } });
  start(builder(address));
  const a = start(runner(address, 1, () => "keep"));
  const c = await measuring(1);
  await until(() => a.jobs.length === 1, "the job");
  const b = runner(address, 2);
  b.registered = await b.tracker.worker.register(b.registration);
  const [job] = a.jobs;
  const { artifact } = runOf(job);
  const { leaseId, epoch } = job as NonNullable<typeof job>;
  expect(epoch).toBe(b.registered.epoch);
  const call = (who: ScriptedWorker, said: { outcome?: ReturnType<typeof timedResult>; running?: readonly never[] }) =>
    synchronized(who.tracker, {
      ...asRegistered(who.registered as NonNullable<typeof who.registered>),
      running: said.running ?? [],
      outcomes: said.outcome ? [{ leaseId, epoch, kind: "run", result: said.outcome }] : [],
    });
  const end = () => b.tracker[Symbol.asyncDispose]();
  return { a, b, c, call, job: job as NonNullable<typeof job>, leaseId, artifact, store, end };
}

it("an outcome of another worker's lease counts for nothing, and the holder's counts", async () => {
  const { a, b, c, call, leaseId, artifact, store, end } = await twoRunners();
  const { acknowledged } = await call(b, { outcome: timedResult(2, cpu(2), artifact) });
  expect(acknowledged).toEqual([leaseId]); // of no use, and not to be sent again
  expect(await store.query("select state from requests")).toEqual([{ state: 2 }]);
  a.measured(0);
  await until(() => c.results.size === 1, "the result");
  expect(c.results.get(1)).toMatchObject({ kind: "timed", costs: [1] });
  await end();
});

it("an outcome of the next epoch's lease, told by one that is over, counts for nothing", async () => {
  const { address, start, measuring, store } = await farm({ policy: { ttlMs: 10 * minute } });
  start(builder(address));
  const one = { instanceId: "one" };
  const former = runner(address, 1, undefined, one);
  const over = await former.tracker.worker.register(former.registration);
  const a = start(runner(address, 1, () => "keep", one));
  const c = await measuring(1);
  await until(() => a.jobs.length === 1, "the job");
  const [job] = a.jobs;
  if (!job) throw new Error("no job");
  const { leaseId, epoch } = job;
  expect([a.registered?.workerId, epoch]).toEqual([over.workerId, over.epoch + 1]);
  const call = synchronized(former.tracker, { ...asRegistered(over), outcomes: [{ leaseId, epoch, ...timed(job, 2) }] });
  await expect(call).rejects.toThrow(/epoch/);
  expect(await store.query("select state from requests")).toEqual([{ state: 2 }]);
  a.measured(0);
  await until(() => c.results.size === 1, "the result");
  expect(c.results.get(1)).toMatchObject({ kind: "timed", costs: [1] });
  await former.tracker[Symbol.asyncDispose]();
});

it("who names another worker's lease as running is told to give it up, and does not renew it", async () => {
  const { a, b, call, leaseId, store, end } = await twoRunners();
  const until = async () =>
    (await store.query<{ s: number }>("select extract(epoch from until)::double precision as s from leases"))[0]?.s ?? 0;
  await store.query("update leases set until = now() + interval '300 s'");
  const before = await until();
  expect((await call(b, { running: [leaseId as never] })).cancel).toEqual([leaseId]);
  expect(await until()).toBe(before);
  expect((await call(a, { running: [leaseId as never] })).cancel).toEqual([]);
  expect(await until()).toBeGreaterThan(before);
  await end();
});

it.each([
  ["from before it registered", 1_000],
  ["from tomorrow", Date.UTC(2100, 0)],
])("a result tells the device that was registered, and a time %s is brought to its bounds", async (_when, timestampMs) => {
  const { a, c, job, artifact, store, end } = await twoRunners();
  const [row] = await store.query<{ since: number; now: number }>(
    `select extract(epoch from registered_at)::double precision * 1000 as since, extract(epoch from now())::double precision * 1000 as now
     from workers where worker_id = $1`,
    [a.registered?.workerId ?? ""],
  );
  const forged = { ...cpu(1), key: "cuda/sm_90", name: "NVIDIA H200", uuid: "GPU-of-somebody", node: "elsewhere", driver: "999" };
  a.finish(job, { kind: "run", result: { ...timedResult(1, forged, artifact), timestampMs } });
  await until(() => c.results.size === 1, "the result");
  const result = c.results.get(1);
  expect(result).toMatchObject({ kind: "timed", costs: [1], device: cpu(1) });
  expect(result?.timestampMs).toBeGreaterThanOrEqual((row?.since ?? 0) - 1);
  expect(result?.timestampMs).toBeLessThan((row?.now ?? 0) + 10 * minute);
  await end();
});
