/** A tracker for each test, on a database engine that the test files of a worker share, and parties that end with the test. */
import { abortable, type Clock, FarmError, systemClock } from "@warpfarm/common";
import { afterEach, beforeAll, expect } from "vitest";
import type { Database, Param, Queryable } from "../../tracker/src/store/database.ts";
import type { TrackerOptions } from "../../tracker/src/tracker.ts";
import { until } from "../until.ts";
import { freshStore, loggedErrors, programOf, type ScriptedWorker, testTracker } from "./scripted.ts";
import { ScriptedClient } from "./scripted-client.ts";

/**
 * Times short enough for tests. Leases do not expire by themselves. A worker that reports ends its call and begins another. On a
 * busy machine seconds may pass in between, during which the worker does not count as gone.
 */
export const quick = { policy: { suspectMs: 300 }, limits: { brokenOffMs: 3_000 } };

/**
 * The store of a tracker that scans it regularly (reaper.ts). `looks` is the number of scans begun; a scan counts as begun once
 * it has handled expired leases. `look` resolves when a complete scan has taken place that began after the call.
 */
export function looked(store: Database) {
  let begun = 0;
  const lazy: Queryable = {
    query<Row extends object>(sql: string, parameters?: readonly Param[]) {
      if (sql.includes("from workers where not lost")) begun++;
      return store.lazy.query<Row>(sql, parameters);
    },
  };
  const look = () => {
    const next = begun + 1;
    return until(() => begun > next, "a look at the store");
  };
  return { data: { ...store, lazy }, look, looks: () => begun };
}

/** The longest time for which a statement waits to be sent together with others. */
const longestGatherMs = 50;

/**
 * For a tracker that, after `stop()`, does not scan its store by itself and lets no held call end: whatever still happens was
 * caused by a message.
 */
export function stoppable() {
  let isStopped = false;
  const never = ({ signal = new AbortController().signal }: { readonly signal?: AbortSignal } = {}) =>
    abortable(new Promise<void>(() => {}), signal);
  const clock: Clock = {
    ...systemClock,
    sleep: (ms, options) => (isStopped && ms > longestGatherMs ? never(options) : systemClock.sleep(ms, options)),
  };
  const stop = () => {
    isStopped = true;
  };
  const long = 3_600_000;
  return { options: { clock, policy: { ttlMs: long }, limits: { holdMs: long } }, stop };
}

/** Call it once per test file. After each test everything is disposed of, and no tracker may have logged an error. */
export function useFarms() {
  const undo: (() => PromiseLike<unknown>)[] = [];
  // The first call starts the engine, which on a busy machine takes longer than a test may.
  beforeAll(async () => void (await freshStore()));
  afterEach(async () => {
    for (const f of undo.splice(0).reverse()) await f();
    expect(loggedErrors.splice(0)).toEqual([]);
  });
  async function farm({ data, ...options }: Omit<Partial<TrackerOptions>, "data"> & { readonly data?: Database } = {}) {
    const store = data ?? (await freshStore());
    const { data: watched, look, looks } = looked(store);
    const tracker = await testTracker(watched, options);
    undo.push(() => tracker[Symbol.asyncDispose]());
    const address = `127.0.0.1:${tracker.grpcPort}`;
    const start = (worker: ScriptedWorker) => {
      undo.push(() => worker.kill());
      return worker.start();
    };
    const client = (token?: string) => {
      const c = new ScriptedClient(address, token);
      undo.push(() => c.close());
      return c;
    };
    /** A client with a session and its stream open, and the programs p1, p2, ... sent as inputs 1, 2, ... */
    const measuring = async (inputs: number, ...session: Parameters<ScriptedClient["open"]>) => {
      const c = client();
      await c.open(...session);
      c.stream();
      for (let i = 1; i <= inputs; i++) c.send(i, programOf(`p${i}`));
      return c;
    };
    /** The tracker knows that the client has this result. */
    const received = ({ session }: ScriptedClient, sequence: number) => {
      const sql = "select state from requests where session_id = $1 and sequence = $2 and state = 4";
      return until(async () => (await store.query(sql, [session ?? "", sequence])).length > 0, `receipt ${sequence}`);
    };
    return { tracker, store, address, start, client, measuring, look, looks, received };
  }
  return { farm, undo };
}

/** What a refused call says. */
export async function codeOf(promise: Promise<unknown>) {
  const error = await promise.then(
    () => undefined,
    (e: unknown) => e,
  );
  expect(error).toBeInstanceOf(FarmError);
  return { code: (error as FarmError).code, message: (error as FarmError).message };
}

/** The store behind a door that can be shut. */
export function withDoor(store: Database) {
  let shut = false;
  const guard = <T>(go: () => Promise<T>) =>
    shut ? Promise.reject<T>(new FarmError("UNAVAILABLE", "the store cannot be reached")) : go();
  const guarded = (inner: Queryable): Queryable => ({ query: (sql, parameters) => guard(() => inner.query(sql, parameters)) });
  const data: Database = {
    ...store,
    ...guarded(store),
    lazy: guarded(store.lazy),
    transaction: (work) => guard(() => store.transaction(work)),
  };
  const setShut = (now: boolean) => {
    shut = now;
  };
  return { data, setShut };
}
