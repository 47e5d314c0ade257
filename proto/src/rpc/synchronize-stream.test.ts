/** Tests the stream itself. The meaning of its calls is tested with the Synchronizer and with trackers. */
import { FarmError, type SyncReply, type SyncRequest, toLeaseId, toWorkerId } from "@warpfarm/common";
import { afterEach, expect, test } from "vitest";
import { until } from "../../../test-support/until.ts";

import { Channel } from "./channel.ts";
import { workerClient } from "./clients.ts";
import type { Doors } from "./doors.ts";
import { type RpcServer, serve, type WorkerHandlers } from "./server.ts";
import type { CallContext } from "./types.ts";

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

const nothing: SyncReply = { acknowledged: [], assignments: [], cancel: [], state: "active" };

interface Seen {
  readonly trouble: string;
  readonly context: CallContext;
  answer(): void;
  fail(error: FarmError): void;
}

/** A tracker whose answers the test gives, and a worker's stream to it. */
async function stage(authorize?: Doors["authorize"]) {
  const seen: Seen[] = [];
  const handlers: WorkerHandlers = {
    Register: async () => ({}),
    synchronize({ trouble }, context, to) {
      const answer = () => to.reply({ ...nothing, acknowledged: [toLeaseId(`to-${trouble}`)] });
      seen.push({ trouble, context, answer, fail: (error) => to.fail(error) });
    },
  };
  const server: RpcServer = await serve(
    { worker: handlers },
    { listen: "127.0.0.1:0", ...(authorize ? { doors: { authorize } } : {}) },
  );
  cleanups.push(() => server.close(0));
  const channel = new Channel({ address: `127.0.0.1:${server.port}` });
  cleanups.push(() => channel[Symbol.asyncDispose]());
  const stream = workerClient(channel).stream();
  let sequence = 0;
  const call = (trouble: string, more: Partial<SyncRequest> = {}, signal?: AbortSignal) => {
    const request: SyncRequest = {
      workerId: toWorkerId("w"),
      epoch: 1,
      sequence: ++sequence,
      free: [],
      running: [],
      outcomes: [],
      trouble,
      reportOnly: false,
      secret: Buffer.alloc(32),
      ...more,
    };
    const reply = stream.synchronize(request, signal ? { signal } : {}).then(
      ({ acknowledged }) => acknowledged.join(),
      (error: FarmError) => error.code,
    );
    return reply;
  };
  const nth = async (n: number): Promise<Seen> => {
    await until(() => seen.length >= n, `request ${n}`);
    return seen[n - 1] as Seen;
  };
  return { server, call, nth, seen };
}

test("answers find their requests in any order", async () => {
  const { call, nth } = await stage();
  const replies = [call("a"), call("b"), call("c")];
  for (const n of [3, 1, 2]) (await nth(n)).answer();
  expect(await Promise.all(replies)).toEqual(["to-a", "to-b", "to-c"]);
});

test("a stream has 8 requests in hand, and takes the next one when one of them is answered", async () => {
  const { call, nth, seen } = await stage();
  const names = [..."abcdefghijk"];
  const replies = names.map((name) => call(name));
  for (let taken = 8; taken <= 11; taken++) {
    await nth(taken);
    await new Promise((resolve) => setTimeout(resolve, 20)); // more would come now
    expect(seen).toHaveLength(taken);
    seen[taken - 8]?.answer();
  }
  for (const held of seen.slice(4)) held.answer();
  expect(await Promise.all(replies)).toEqual(names.map((name) => `to-${name}`));
});

test("a call that is given up before it is made asks for nothing, and the others go on", async () => {
  const { call, nth, seen } = await stage();
  const over = new AbortController();
  over.abort(new FarmError("CANCELLED", "over"));
  const other = call("other");
  expect(await call("never", { free: [{ device: 0, count: 1 }] }, over.signal)).toBe("CANCELLED");
  (await nth(1)).answer();
  expect(await other).toBe("to-other");
  expect(seen.map(({ trouble }) => trouble)).toEqual(["other"]);
});

test("an error ends running calls, and the next call opens another stream", async () => {
  const { call, nth } = await stage();
  const replies = [call("a"), call("b")];
  const held = await nth(1);
  (await nth(2)).fail(new FarmError("ABORTED", "the epoch is over"));
  expect(await Promise.all(replies)).toEqual(["ABORTED", "ABORTED"]);
  await new Promise<void>((resolve) =>
    held.context.signal.aborted ? resolve() : held.context.signal.addEventListener("abort", () => resolve()),
  );
  const next = call("c");
  (await nth(3)).answer();
  expect(await next).toBe("to-c");
});

test("a call that asks for work and is given up takes its stream along; one that does not leaves it alone", async () => {
  const { call, nth } = await stage();
  const [idle, busy, given] = [call("idle"), new AbortController(), new AbortController()];
  const first = call("busy", {}, busy.signal);
  await nth(2);
  busy.abort(new FarmError("CANCELLED", "over"));
  expect(await first).toBe("CANCELLED");
  (await nth(2)).answer();
  (await nth(1)).answer();
  expect(await idle).toBe("to-idle");
  const second = call("free", { free: [{ device: 0, count: 1 }] }, given.signal);
  const { context } = await nth(3);
  given.abort(new FarmError("CANCELLED", "over"));
  expect(await second).toBe("CANCELLED");
  await new Promise<void>((resolve) =>
    context.signal.aborted ? resolve() : context.signal.addEventListener("abort", () => resolve()),
  );
});

test("a tracker that closes answers what waits before the stream ends", async () => {
  const { server, call, nth } = await stage();
  const reply = call("a");
  const held = await nth(1);
  const closed = server.close(3_600_000); // longer than this test may take: it must not be cut off at the end of that
  await new Promise((resolve) => setTimeout(resolve, 20));
  held.answer();
  expect(await reply).toBe("to-a");
  await closed;
});
