/** Calls over a real loopback connection: codes, deadlines, cancellation, lost connections, limits, doors. */
import { createServer, type Socket, connect as tcp } from "node:net";
import * as grpc from "@grpc/grpc-js";
import { digestOf, FarmError, toWorkerId } from "@warpfarm/common";
import { afterEach, describe, expect, it } from "vitest";
import { freePort } from "../../../test-support/free-port.ts";
import { until } from "../../../test-support/until.ts";
import type { MeasureRequest } from "../convert/farm.ts";
import { connect } from "./clients.ts";
import { type Doors, localPrincipal } from "./doors.ts";
import { cleanUp, cleanups, code, farm, forever, kept, nodes, session, start, unused, watched, worker } from "./rpc.testing.ts";
import { serve } from "./server.ts";

afterEach(cleanUp);

it("a download of other bytes than were asked for is no download", async () => {
  const bytes = Buffer.from("what was uploaded");
  const artifact = {
    ...{ Upload: unused, Stat: unused },
    async *Download({ digest }: { readonly digest: string }) {
      yield { chunk: bytes.subarray(0, 5) };
      yield { chunk: digest === digestOf(bytes) ? bytes.subarray(5) : Buffer.from("else") };
    },
  };
  const { client } = await start({ artifact });
  expect(Buffer.from(await client.artifacts.download(digestOf(bytes)))).toEqual(bytes);
  const other = digestOf(Buffer.from("something else"));
  expect(await code(client.artifacts.download(other))).toEqual({
    code: "DATA_LOSS",
    message: expect.stringMatching(`^asked for ${other}, received bytes of ${digestOf(Buffer.from("what else"))}$`),
  });
});

describe("unary calls", () => {
  it("carry a FarmError's code and words, and hide everything else", async () => {
    const seen: unknown[] = [];
    const { client } = await start(
      {
        farm: farm({
          CloseSession: async () => {
            throw new FarmError("NOT_FOUND", "no session s-1");
          },
          ListNodes: async () => {
            throw new TypeError("secret of /home/somebody");
          },
        }),
      },
      { onError: (_path, error) => seen.push(error) },
    );
    expect(await code(client.farm.closeSession(session))).toEqual({ code: "NOT_FOUND", message: "no session s-1" });
    const hidden = await code(client.farm.listNodes());
    expect(hidden.code).toBe("INTERNAL");
    expect(hidden.message).not.toContain("secret");
    expect(seen).toHaveLength(1);
  });

  it("end at their deadline, at their signal, and the handler hears of it", async () => {
    let entered = 0;
    let aborted = 0;
    const { client } = await start({
      farm: farm({
        async ListNodes(_request, { signal }) {
          entered++;
          signal.addEventListener("abort", () => aborted++);
          return await forever(signal);
        },
      }),
    });
    // On a busy machine the handler may be reached in time only at the second try.
    for (let timeoutMs = 50; entered === 0; timeoutMs *= 2)
      expect((await code(client.farm.listNodes({ timeoutMs }))).code).toBe("DEADLINE_EXCEEDED");
    const late = entered;
    const controller = new AbortController();
    const reason = new FarmError("CANCELLED", "ctrl-C");
    const call = expect(client.farm.listNodes({ signal: controller.signal, timeoutMs: 120_000 })).rejects.toBe(reason);
    await until(() => entered > late, "the handler to begin");
    controller.abort(reason);
    await call;
    await until(() => aborted === entered, "all handlers to hear of it");
  });

  it("say UNAVAILABLE when nobody listens, and work again once somebody does", async () => {
    const handlers = { farm: farm({ ListNodes: async () => nodes }) };
    const listen = `127.0.0.1:${await freePort()}`;
    const { server, client } = await start(handlers, { listen });
    expect(await client.farm.listNodes()).toEqual({ nodes: [], queues: [], sessions: [] });
    await server.close(0);
    expect((await code(client.farm.listNodes())).code).toBe("UNAVAILABLE");
    const again = await serve(handlers, { listen });
    cleanups.push(() => again.close(0));
    await until(async () => {
      const back = await client.farm.listNodes().catch((e: FarmError) => e);
      if (back instanceof FarmError) expect(back.code).toBe("UNAVAILABLE");
      return !(back instanceof FarmError);
    }, "an answer");
  });

  it("refuse a message over 4 MiB with RESOURCE_EXHAUSTED", async () => {
    const { client } = await start({ worker: worker({}) });
    const request = { workerId: toWorkerId("w"), epoch: 1, sequence: 1, free: [], outcomes: [], trouble: "" };
    const names = Array.from({ length: 70_000 }, () => `sha256:${"0".repeat(64)}`);
    const of = { secret: Buffer.alloc(32) };
    const call = client.worker.stream().synchronize({ ...request, running: names as never, reportOnly: true, ...of });
    expect((await code(call)).code).toBe("RESOURCE_EXHAUSTED");
  });
});

async function* keptForever(_request: unknown, { signal }: { readonly signal: AbortSignal }) {
  yield kept;
  await forever(signal);
}

describe("streams", () => {
  it("a break out of a server stream cancels the call at the server", async () => {
    let ended = false;
    let sent = 0;
    const { client } = await start({
      suite: watched(async function* (_request, { signal }) {
        try {
          for (;;) {
            sent++;
            yield kept;
            if (sent >= 3) await forever(signal);
          }
        } finally {
          ended = true;
        }
      }),
    });
    let got = 0;
    for await (const _ of client.suites.watch("s")) if (++got === 3) break;
    await until(() => ended, "the handler to end");
    expect(sent).toBe(3);
  });

  it("a slow reader holds the server back", async () => {
    let sent = 0;
    const { client } = await start({
      suite: watched(async function* () {
        // 64 KiB per message: in total far more than the buffers of sockets and flow-control windows.
        const name = "x".repeat(65_536);
        for (; sent < 4_000; sent++) yield { suite: { name } };
      }),
    });
    const stream = client.suites.watch("s")[Symbol.asyncIterator]();
    await stream.next();
    let last = -1;
    while (last !== sent) {
      last = sent;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    expect(sent).toBeLessThan(2_000);
    await stream.return?.();
  });

  it("both directions flow at once, closing the sending side lets the rest arrive, and errors keep their code", async () => {
    const { client } = await start({
      farm: farm({
        async *Measure(requests) {
          for await (const { input } of requests) {
            if (input?.sequence === 99) throw new FarmError("ALREADY_EXISTS", "sequence 99 is taken");
            if (input) yield { accepted: { accepted_through: input.sequence } };
          }
          yield { accepted: { accepted_through: 1_000 } };
        },
      }),
    });
    const input = (sequence: number): MeasureRequest => ({
      kind: "input",
      sequence,
      program: { kind: "digest", digest: `sha256:${"0".repeat(64)}` as never },
    });
    async function* inputs(...sequences: number[]) {
      for (const s of sequences) yield input(s);
    }
    const through: number[] = [];
    for await (const event of client.farm.measure(inputs(1, 2, 3)))
      if (event.kind === "accepted") through.push(event.acceptedThrough);
    expect(through).toEqual([1, 2, 3, 1_000]);
    const drain = async () => {
      for await (const _ of client.farm.measure(inputs(1, 99, 3))) {
      }
    };
    expect(await code(drain())).toEqual({ code: "ALREADY_EXISTS", message: "sequence 99 is taken" });
  });

  it("an error's rule arrives with its code, of one call as of a stream, and one without has none", async () => {
    const away = new FarmError("UNAVAILABLE", "the store cannot be reached", { rule: "store.away" });
    const { client } = await start({
      farm: farm({
        ListNodes: () => Promise.reject(away),
        CloseSession: () => Promise.reject(new FarmError("NOT_FOUND", "no session s-1")),
        // biome-ignore lint/correctness/useYield: it only throws
        async *Measure() {
          throw away;
        },
      }),
    });
    const drain = async () => {
      for await (const _ of client.farm.measure((async function* () {})())) {
      }
    };
    const expected = { code: "UNAVAILABLE", message: away.message, rule: "store.away" };
    await expect(client.farm.listNodes()).rejects.toMatchObject(expected);
    await expect(drain()).rejects.toMatchObject(expected);
    await expect(client.farm.closeSession(session)).rejects.toMatchObject({ code: "NOT_FOUND", rule: undefined });
  });

  it("a request source that throws cancels the call, and the reader gets that very error", async () => {
    let cancelled = false;
    let entered = false;
    const { client } = await start({
      farm: farm({
        async *Measure(requests, { signal }) {
          entered = true;
          signal.addEventListener("abort", () => {
            cancelled = true;
          });
          for await (const _ of requests) yield { accepted: { accepted_through: 1 } };
        },
      }),
    });
    const reason = new FarmError("DATA_LOSS", "the log broke");
    async function* requests(): AsyncGenerator<MeasureRequest> {
      yield { kind: "start", sessionId: session, resumeAfter: 0 };
      await until(() => entered, "the handler to begin");
      throw reason;
    }
    const drain = async () => {
      for await (const _ of client.farm.measure(requests())) {
      }
    };
    await expect(drain()).rejects.toBe(reason);
    await until(() => cancelled, "the call to be cancelled");
  });

  it("a lost connection is UNAVAILABLE on both kinds of streams, and the request source is closed", async () => {
    let sourceClosed = false;
    const { server, client } = await start({
      suite: watched(keptForever),
      farm: farm({
        async *Measure(_requests, { signal }) {
          yield { accepted: { accepted_through: 1 } };
          await forever(signal);
        },
      }),
    });
    async function* requests(): AsyncGenerator<MeasureRequest> {
      try {
        for (;;) {
          yield { kind: "receipt", receivedThrough: 0, received: [] };
          await new Promise((resolve) => setTimeout(resolve, 5));
        }
      } finally {
        sourceClosed = true;
      }
    }
    const watch = client.suites.watch("s")[Symbol.asyncIterator]();
    const measure = client.farm.measure(requests());
    await watch.next();
    await measure.next();
    await server.close(0);
    expect((await code(watch.next())).code).toBe("UNAVAILABLE");
    expect((await code(measure.next())).code).toBe("UNAVAILABLE");
    await until(() => sourceClosed, "the source to be closed");
  });

  it("a peer that goes silent without closing is noticed by keepalive", async () => {
    const { server } = await start({
      suite: watched(keptForever),
    });
    const sockets: Socket[] = [];
    const proxy = createServer((a) => {
      const b = tcp(server.port, "127.0.0.1");
      a.pipe(b).pipe(a);
      for (const s of [a, b]) {
        sockets.push(s);
        s.on("error", () => {});
      }
    });
    const port = await new Promise<number>((resolve) =>
      proxy.listen(0, "127.0.0.1", () => resolve((proxy.address() as { port: number }).port)),
    );
    const client = connect({ address: `127.0.0.1:${port}`, keepalive: { timeMs: 1_000, timeoutMs: 2_000 } });
    cleanups.push(
      async () => {
        for (const s of sockets) s.destroy();
        proxy.close();
      },
      () => client[Symbol.asyncDispose](),
    );
    const watch = client.suites.watch("s")[Symbol.asyncIterator]();
    await watch.next();
    for (const s of sockets) {
      s.unpipe();
      s.pause();
    }
    expect((await code(watch.next())).code).toBe("UNAVAILABLE");
  });
});

describe("doors", () => {
  it("authorize sees path and token, and its refusal is the status", async () => {
    const seen: unknown[] = [];
    const { server, client } = await start(
      { farm: farm({ ListNodes: async () => nodes }) },
      {
        doors: {
          authorize(path, { token }) {
            seen.push([path, token]);
            if (token !== "good") throw new FarmError("UNAUTHENTICATED", "no token, or not one of this farm's");
            return localPrincipal;
          },
        },
      },
    );
    expect((await code(client.farm.listNodes())).code).toBe("UNAUTHENTICATED");
    const known = connect({ address: `127.0.0.1:${server.port}`, token: "good" });
    cleanups.push(() => known[Symbol.asyncDispose]());
    expect((await known.farm.listNodes()).nodes).toEqual([]);
    expect(seen).toEqual([
      ["/warpfarm.farm.v1.FarmService/ListNodes", undefined],
      ["/warpfarm.farm.v1.FarmService/ListNodes", "good"],
    ]);
  });

  it("health answers anybody SERVING, reflection lists the services to those with a token", async () => {
    const authorize: Doors["authorize"] = (path, { token }) => {
      if (token !== "good" && !path.startsWith("/grpc.health.")) throw new FarmError("UNAUTHENTICATED", `no token for ${path}`);
      return localPrincipal;
    };
    const { server } = await start({ farm: farm({}), worker: worker({}) }, { doors: { authorize } });
    const raw = new grpc.Client(`127.0.0.1:${server.port}`, grpc.credentials.createInsecure());
    cleanups.push(async () => raw.close());
    const health = await new Promise<Buffer>((resolve, reject) =>
      raw.makeUnaryRequest(
        "/grpc.health.v1.Health/Check",
        (b: Buffer) => b,
        (b: Buffer) => b,
        Buffer.alloc(0),
        (error, value) => (error ? reject(error) : resolve(value as Buffer)),
      ),
    );
    expect([...health]).toEqual([8, 1]); // field 1, varint 1: SERVING
    const listServices = Buffer.from([0x3a, 0]); // field 7 (list_services), empty
    const serviceNames = (metadata: grpc.Metadata) =>
      new Promise<string>((resolve, reject) => {
        const call = raw.makeBidiStreamRequest(
          "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
          (b: Buffer) => b,
          (b: Buffer) => b,
          metadata,
        );
        call.on("data", (b: Buffer) => resolve(b.toString("latin1")));
        call.on("error", reject);
        call.write(listServices);
        call.end();
      });
    await expect(serviceNames(new grpc.Metadata())).rejects.toMatchObject({
      code: grpc.status.UNAUTHENTICATED,
      details: "no token for /grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
    });
    const known = new grpc.Metadata();
    known.set("authorization", "Bearer good");
    const names = await serviceNames(known);
    for (const name of [
      "warpfarm.farm.v1.FarmService",
      "warpfarm.worker.v1.WorkerService",
      "warpfarm.artifact.v1.ArtifactService",
    ])
      expect(names).toContain(name);
  });
});
