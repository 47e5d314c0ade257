/**
 * Peers that are no farm: one that accepts a connection and says nothing (grpc-js would wait for ever), and a proxy that lost its
 * farm.
 */
import { once } from "node:events";
import * as http2 from "node:http2";
import { createServer, type Socket, connect as tcp } from "node:net";
import * as grpc from "@grpc/grpc-js";
import { FarmError } from "@warpfarm/common";
import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import { Link } from "../../../test-support/link.ts";
import { until } from "../../../test-support/until.ts";
import { connect } from "./clients.ts";
import { type FarmHandlers, serve } from "./server.ts";

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const act of cleanups.splice(0).reverse()) await act();
});
const unused = (): never => {
  throw new Error("not called in this test");
};
const handlers: FarmHandlers = {
  OpenSession: unused,
  Measure: unused,
  CloseSession: unused,
  SettleTrials: unused,
  ListNodes: async () => ({ snapshot: { nodes: [], queues: [], sessions: [] } }),
};

/** A path to a tracker on which the first connections are accepted and get no answer. */
async function mutedAtFirst(mute: number, connectMs: number) {
  const server = await serve({ farm: handlers }, { listen: "127.0.0.1:0" });
  const sockets: Socket[] = [];
  let connections = 0;
  let given = 0;
  const own = (socket: Socket): Socket => {
    sockets.push(socket);
    return socket.on("error", () => {});
  };
  const door = createServer((near) => {
    own(near);
    if (++connections <= mute) {
      near.resume().once("close", () => given++);
      return;
    }
    const far = own(tcp(server.port, "127.0.0.1"));
    near.pipe(far).pipe(near);
  });
  await new Promise<void>((resolve) => door.listen(0, "127.0.0.1", resolve));
  const { port } = door.address() as { port: number };
  const client = connect({ address: `127.0.0.1:${port}`, connectMs });
  cleanups.push(
    () => server.close(0),
    () => door.close(),
    () => sockets.map((socket) => socket.destroy()),
    () => client[Symbol.asyncDispose](),
  );
  /** `givenUp`: the number of silent connections that were closed. */
  const drop = () => {
    for (const socket of sockets.splice(0)) socket.destroy();
  };
  return { client, connections: () => connections, givenUp: () => given, drop };
}
const codeOf = (call: Promise<unknown>) =>
  call.then(
    () => "answered",
    (error: unknown) => (error instanceof FarmError ? error.code : error),
  );

test("is given up after connectMs with all that waits in it, and the next call has a connection of its own", async () => {
  const { client, connections, givenUp } = await mutedAtFirst(2, 1_500);
  // Their own deadlines are a minute away.
  const waiting = [client.farm.listNodes({ timeoutMs: 60_000 }), client.farm.listNodes({ timeoutMs: 60_000 })];
  expect(await Promise.all(waiting.map(codeOf))).toEqual(["UNAVAILABLE", "UNAVAILABLE"]);
  expect(await codeOf(client.farm.listNodes({ timeoutMs: 60_000 }))).toBe("UNAVAILABLE");
  // On a busy machine a good connection may take longer than connectMs.
  for (let code = ""; code !== "answered"; ) {
    code = String(await codeOf(client.farm.listNodes({ timeoutMs: 60_000 })));
    expect(["answered", "UNAVAILABLE"]).toContain(code);
  }
  expect(connections()).toBeGreaterThanOrEqual(3);
  await until(() => givenUp() === 2, "both to be closed");
});

test.each([
  1, 2,
])("%i ways that are longer than connectMs are gone in the end: each try has twice the time of the one before", async (ways) => {
  const server = await serve({ farm: handlers }, { listen: "127.0.0.1:0" });
  cleanups.push(() => server.close(0));
  const links = await Promise.all(Array.from({ length: ways }, () => Link.to([`127.0.0.1:${server.port}`], 1_000)));
  const client = connect({ address: links.map(({ address }) => address).join(), connectMs: 250 });
  cleanups.push(...links.map((link) => () => link[Symbol.asyncDispose]()), () => client[Symbol.asyncDispose]());
  const codes: unknown[] = [];
  while (codes.at(-1) !== "answered" && codes.length < 20) codes.push(await codeOf(client.farm.listNodes({ timeoutMs: 60_000 })));
  expect(codes).toEqual([...codes.slice(0, -1).map(() => "UNAVAILABLE"), "answered"]);
  expect(codes.length).toBeGreaterThan(1);
});

test("a connection lost after a slow time is given up after connectMs again, not after what the slow time took", async () => {
  const asked: number[] = [];
  const { waitForReady } = grpc.Client.prototype;
  vi.spyOn(grpc.Client.prototype, "waitForReady").mockImplementation(function (this: grpc.Client, deadline, callback) {
    asked.push(Number(deadline) - Date.now());
    return waitForReady.call(this, deadline, callback);
  });
  onTestFinished(() => void vi.restoreAllMocks());
  const { client, drop } = await mutedAtFirst(2, 500);
  const answer = async () => {
    while ((await codeOf(client.farm.listNodes({ timeoutMs: 60_000 }))) !== "answered");
  };
  await answer();
  expect(Math.max(...asked)).toBeGreaterThan(1_000);
  const { length } = asked;
  drop();
  await answer();
  expect(asked.length).toBeGreaterThan(length);
  expect(asked[length]).toBeLessThanOrEqual(500);
});

test("is left, not only forgotten, by a client that is closed while it waits", async () => {
  const { client, connections, givenUp } = await mutedAtFirst(1, 60_000);
  const waiting = codeOf(client.farm.listNodes({ timeoutMs: 60_000 }));
  await until(() => connections() === 1, "the connection");
  await client[Symbol.asyncDispose]();
  expect(await waiting).toBe("UNAVAILABLE");
  await until(() => givenUp() === 1, "it to be closed");
});

test("a connection that was made in time outlives the watch over it", async () => {
  const { client, connections } = await mutedAtFirst(0, 500);
  // On a busy machine a good connection may take longer than connectMs.
  while ((await codeOf(client.farm.listNodes())) !== "answered");
  const made = connections();
  await new Promise((resolve) => setTimeout(resolve, 600));
  expect(await codeOf(client.farm.listNodes())).toBe("answered");
  expect(connections()).toBe(made);
});

test.for([
  "NGHTTP2_INTERNAL_ERROR",
  "NGHTTP2_NO_ERROR",
  "NGHTTP2_CANCEL",
] as const)("a call that a proxy resets with %s is a connection lost, and may be tried again", async (code) => {
  const proxy = http2.createServer().on("stream", (stream) => stream.on("error", () => {}).close(http2.constants[code]));
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  const { port } = proxy.address() as { port: number };
  const client = connect({ address: `127.0.0.1:${port}` });
  cleanups.push(
    () => proxy.close(),
    () => client[Symbol.asyncDispose](),
  );
  const error = await client.farm.listNodes().catch((e: unknown) => e);
  expect(error).toMatchObject({ code: "UNAVAILABLE", retryable: true });
});
