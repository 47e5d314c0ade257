/** A client with several trackers: to which one its calls go. */
import { createServer } from "node:net";
import { FarmError } from "@warpfarm/common";
import { afterEach, describe, expect, it } from "vitest";
import { freePort } from "../../../test-support/free-port.ts";
import type { MeasureRequest } from "../convert/farm.ts";
import { connect, type TrackerConnection } from "./clients.ts";
import { cleanUp, cleanups, code, farm, forever, nodes, session, watched } from "./rpc.testing.ts";
import { type ServeOptions, serve } from "./server.ts";

afterEach(cleanUp);

describe("several trackers", () => {
  const tracker = async (name: string, options: Partial<ServeOptions> = {}) => {
    const facts = { snapshot: { ...nodes.snapshot, sessions: [{ session_id: name, task: "t", selector: "cpu" }] } };
    const server = await serve(
      {
        farm: farm({
          ListNodes: async () => facts,
          async *Measure() {
            yield { accepted: { accepted_through: name.length } };
          },
        }),
        suite: watched(async function* (_request, { signal }) {
          yield { suite: { name } };
          await forever(signal);
        }),
      },
      { listen: `127.0.0.1:${await freePort()}`, ...options },
    );
    cleanups.push(() => server.close(0));
    return server;
  };
  /** Two connections are tried within a call's own deadline of ten seconds. */
  const dial = (...ports: number[]) => {
    const client = connect({ address: ports.map((port) => `127.0.0.1:${port}`).join(), connectMs: 4_000 });
    cleanups.push(() => client[Symbol.asyncDispose]());
    return client;
  };
  const answering = async ({ farm }: TrackerConnection) => (await farm.listNodes()).sessions[0]?.sessionId;
  const watch = (client: TrackerConnection, signal?: AbortSignal) =>
    client.suites.watch("s", signal && { signal })[Symbol.asyncIterator]();
  /** A port on which nobody listens. */
  const deserted = async () => {
    const server = await tracker("gone");
    await server.close(0);
    return server.port;
  };
  /** A port that accepts connections and says nothing. */
  const mute = async () => {
    const server = createServer(() => {});
    const port = await new Promise<number>((resolve) =>
      server.listen(0, "127.0.0.1", () => resolve((server.address() as { port: number }).port)),
    );
    cleanups.push(async () => server.close());
    return port;
  };
  async function* start(): AsyncGenerator<MeasureRequest> {
    yield { kind: "start", sessionId: session, resumeAfter: 0 };
  }

  it("one that is absent from the start is passed over, by every kind of call", async () => {
    const [gone, here] = [await deserted(), await tracker("here")];
    expect(await answering(dial(gone, here.port))).toBe("here");
    const watching = watch(dial(gone, here.port));
    expect((await watching.next()).value.name).toBe("here");
    await watching.return?.();
    const events = [];
    for await (const event of dial(gone, here.port).farm.measure(start())) events.push(event);
    expect(events).toEqual([{ kind: "accepted", acceptedThrough: 4 }]);
  });

  it("calls move when theirs dies, stay when it comes back, and move back when the other dies", async () => {
    const [one, two] = [await tracker("one"), await tracker("two")];
    const client = dial(one.port, two.port);
    expect(await answering(client)).toBe("one");
    const watching = watch(client);
    await watching.next();
    await one.close(0);
    expect((await code(watching.next())).code).toBe("UNAVAILABLE");
    expect(await Promise.all([answering(client), answering(client)])).toEqual(["two", "two"]);
    await tracker("one", { listen: `127.0.0.1:${one.port}` });
    expect(await answering(client)).toBe("two");
    await two.close(0);
    expect(await answering(client)).toBe("one");
  });

  it("one that takes connections and says nothing is passed over", async () => {
    const port = await mute();
    const here = await tracker("here");
    expect(await answering(dial(port, here.port))).toBe("here");
  });

  it("is UNAVAILABLE when none is there, and the first that comes back is found", async () => {
    const [one, two] = [await deserted(), await deserted()];
    const client = dial(one, two);
    expect((await code(client.farm.listNodes())).code).toBe("UNAVAILABLE");
    expect((await code(watch(client).next())).message).toContain("ECONNREFUSED");
    await tracker("one", { listen: `127.0.0.1:${one}` });
    expect(await answering(client)).toBe("one");
  });

  it("a signal ends the search for one caller, closing the connection for all", async () => {
    const port = await mute();
    const client = connect({ address: `127.0.0.1:${port},localhost:${port}`, connectMs: 60_000 });
    const reason = new FarmError("CANCELLED", "ctrl-C");
    const controller = new AbortController();
    const call = client.farm.listNodes({ signal: controller.signal });
    const watching = watch(client, controller.signal).next();
    const others = [client.farm.listNodes(), watch(client).next()].map(code);
    controller.abort(reason);
    await expect(call).rejects.toBe(reason);
    await expect(watching).rejects.toBe(reason);
    await client[Symbol.asyncDispose]();
    for (const other of await Promise.all(others)) expect(other.code).toBe("CANCELLED");
  });

  it("a search that begins for a caller who has stopped ends without a word when the connection closes", async () => {
    const unheard: unknown[] = [];
    const hear = (reason: unknown) => unheard.push(reason);
    process.prependListener("unhandledRejection", hear);
    cleanups.push(async () => void process.off("unhandledRejection", hear));
    const port = await mute();
    const client = connect({ address: `127.0.0.1:${port},localhost:${port}`, connectMs: 60_000 });
    const signal = AbortSignal.abort(new FarmError("CANCELLED", "stopped by SIGTERM"));
    await expect(client.farm.listNodes({ signal })).rejects.toThrow("stopped by SIGTERM");
    await expect(watch(client, signal).next()).rejects.toThrow("stopped by SIGTERM");
    await client[Symbol.asyncDispose]();
    // The search notices when its connection's state changes; unhandled rejections are told after the microtasks.
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(unheard).toEqual([]);
  });

  it.each([
    ["a:1,b", 'address "b" is not host:port'],
    ["a:1,,b:2", 'address "" is not host:port'],
    ["a:1,b:2, a:1", 'address "a:1" is given twice'],
  ])("%s is refused", (address, message) => {
    expect(() => connect({ address })).toThrow(message);
  });
});
