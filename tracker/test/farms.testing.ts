/** A tracker for each test, on an engine that a worker's test files share, and parties that end with the test. */
import { FarmError } from "@warpfarm/common";
import { afterEach, beforeAll, expect } from "vitest";
import type { Database, Queryable } from "../src/store/database.ts";
import type { TrackerOptions } from "../src/tracker.ts";
import { freshStore, loggedErrors, programOf, ScriptedClient, type ScriptedWorker, testTracker } from "./scripted.testing.ts";

/** Times that a test can wait for. */
export const quick = { policy: { ttlMs: 1_500, suspectMs: 300 }, limits: { brokenOffMs: 200 } };

/** Once per test file. After each test all is undone, and no tracker may have logged an error. */
export function useFarms() {
  const undo: (() => PromiseLike<unknown>)[] = [];
  // The first to ask starts the engine, which on a busy machine takes longer than a test may.
  beforeAll(async () => void (await freshStore()));
  afterEach(async () => {
    for (const f of undo.splice(0).reverse()) await f();
    expect(loggedErrors.splice(0)).toEqual([]);
  });
  async function farm({ data, ...options }: Omit<Partial<TrackerOptions>, "data"> & { readonly data?: Database } = {}) {
    const store = data ?? (await freshStore());
    const tracker = await testTracker(store, options);
    undo.push(() => tracker[Symbol.asyncDispose]());
    const address = `127.0.0.1:${tracker.grpcPort}`;
    const start = (worker: ScriptedWorker) => {
      undo.push(() => worker.kill());
      return worker.start();
    };
    const client = () => {
      const c = new ScriptedClient(address);
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
    return { tracker, store, address, start, client, measuring };
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
