/** Servers and clients over loopback for tests of calls. They are closed after each test. */
import { abortable, FarmError, type SessionId, toSessionId } from "@warpfarm/common";
import { expect } from "vitest";
import { connect, type TrackerConnection } from "./clients.ts";
import {
  type FarmHandlers,
  type Handlers,
  type RpcServer,
  type ServeOptions,
  type SuiteHandlers,
  serve,
  type WorkerHandlers,
} from "./server.ts";

export const cleanups: (() => PromiseLike<unknown>)[] = [];
/** To be called after each test. */
export async function cleanUp(): Promise<void> {
  for (const f of cleanups.splice(0).reverse()) await f();
}

export async function start(
  handlers: Handlers,
  options: Partial<ServeOptions> = {},
): Promise<{ server: RpcServer; client: TrackerConnection }> {
  const server = await serve(handlers, { listen: "127.0.0.1:0", ...options });
  const client = connect({ address: `127.0.0.1:${server.port}` });
  cleanups.push(
    () => server.close(0),
    () => client[Symbol.asyncDispose](),
  );
  return { server, client };
}

export const unused = (): never => {
  throw new Error("not called in this test");
};
export const farm = (some: Partial<FarmHandlers>): FarmHandlers => ({
  OpenSession: unused,
  Measure: unused,
  CloseSession: unused,
  SettleTrials: unused,
  ListNodes: unused,
  ...some,
});
/** Suites that can only be watched. */
export const watched = (Watch: SuiteHandlers["Watch"]): SuiteHandlers => ({
  ...{ Create: unused, Get: unused, List: unused, Claim: unused, Report: unused, Cancel: unused },
  Watch,
});
export const worker = (some: Partial<WorkerHandlers>): WorkerHandlers => ({ Register: unused, synchronize: unused, ...some });
export const code = async (promise: Promise<unknown>) => {
  const error = await promise.then(
    () => undefined,
    (e: unknown) => e,
  );
  expect(error).toBeInstanceOf(FarmError);
  const { code: c, message } = error as FarmError;
  return { code: c, message };
};
export const session: SessionId = toSessionId("s-1");
export const kept = { suite: { suite_id: "s" } };
export const nodes = { snapshot: { nodes: [], queues: [], sessions: [] } };
export const forever = (signal: AbortSignal) => abortable(new Promise<never>(() => {}), signal);
