/**
 * Calls by the message over a real connection: past grpc-js, as they are served, and through it for a client that compresses.
 */
import { PassThrough } from "node:stream";
import * as grpc from "@grpc/grpc-js";
import { FarmError } from "@warpfarm/common";
import { afterEach, describe, expect, it } from "vitest";
import { until } from "../../../test-support/until.ts";
import { Http2Messages, http2StreamOf, type MessageStream } from "./http2-messages.ts";
import { loadServices } from "./load.ts";
import type { MessageCall, MessageHandler } from "./message-call.ts";
import { maxMessageBytes } from "./message-limit.ts";
import { cleanUp, cleanups, farm } from "./rpc.testing.ts";
import { serve } from "./server.ts";

afterEach(cleanUp);

const { Measure } = loadServices().farm;
const same = (bytes: Buffer) => bytes;

/** Opens a Measure call to a server with this handler, and sends raw bytes. */
async function open(measure: MessageHandler, options: grpc.ClientOptions = {}) {
  const errors: unknown[] = [];
  const server = await serve(
    { farm: { ...farm({}), measure } },
    { listen: "127.0.0.1:0", onError: (_path, e) => errors.push(e) },
  );
  const limits = { "grpc.max_send_message_length": -1, "grpc.max_receive_message_length": -1 };
  const client = new grpc.Client(`127.0.0.1:${server.port}`, grpc.credentials.createInsecure(), { ...limits, ...options });
  cleanups.push(
    () => server.close(0),
    async () => client.close(),
  );
  const call = client.makeBidiStreamRequest(Measure.path, same, same, new grpc.Metadata());
  const got: string[] = [];
  let status: grpc.StatusObject | undefined;
  call.on("data", (bytes: Buffer) => got.push(bytes.length > 100 ? `${bytes.length}` : bytes.toString()));
  call.on("error", () => {});
  call.on("status", (s) => {
    status = s;
  });
  const over = async () => {
    await until(() => status !== undefined, "the status");
    return { code: grpc.status[status?.code ?? 0], details: status?.details };
  };
  return { call, got, over, errors };
}
const echo: MessageHandler = (call) => {
  call.onMessage((message) => void call.send(message));
  call.onEnd(() => call.end());
};
const gzip = { "grpc.default_compression_algorithm": 2 };

describe.each([
  ["past grpc-js", {}],
  ["through grpc-js, compressed", gzip],
])("a call %s", (_name, options) => {
  it("hands out nothing while it is paused, and all in order afterwards", async () => {
    const taken: string[] = [];
    let paused: MessageCall | undefined;
    const { call, over } = await open((served) => {
      served.onMessage((message) => {
        taken.push(message.toString());
        if (paused) return;
        paused = served;
        served.pause();
      });
      served.onEnd(() => served.end());
    }, options);
    for (const text of ["a", "b", "c"]) call.write(Buffer.from(text));
    call.end();
    await until(() => paused !== undefined, "the first message");
    await new Promise((resolve) => setTimeout(resolve, 100)); // the others come, or wait on their way
    expect(taken).toEqual(["a"]);
    paused?.resume();
    expect(await over()).toEqual({ code: "OK", details: "OK" });
    expect(taken).toEqual(["a", "b", "c"]);
  });

  it("carries messages of any size in order, and ends well", async () => {
    const { call, got, over } = await open(echo, options);
    for (const text of ["a", "", "c"]) call.write(Buffer.from(text));
    call.write(Buffer.alloc(maxMessageBytes));
    call.end(Buffer.from("last"));
    expect(await over()).toEqual({ code: "OK", details: "OK" });
    expect(got).toEqual(["a", "", "c", `${4 * 2 ** 20}`, "last"]);
  });
  it("is read no further than it wants, whatever came in one piece", async () => {
    const taken: string[] = [];
    let ended = false;
    let server: MessageCall | undefined;
    const { call, over } = await open((c) => {
      server = c;
      c.onMessage((message) => {
        taken.push(message.toString());
        c.pause();
      });
      c.onEnd(() => {
        ended = true;
        c.end();
      });
    }, options);
    for (const text of ["1", "2", "3"]) call.write(Buffer.from(text));
    call.end();
    for (const expected of [["1"], ["1", "2"], ["1", "2", "3"]]) {
      await until(() => taken.length === expected.length, `${expected.length} messages`);
      await new Promise((resolve) => setTimeout(resolve, 10));
      expect(taken).toEqual(expected);
      if (expected.length < 3) expect(ended).toBe(false);
      server?.resume();
    }
    expect((await over()).code).toBe("OK");
  });
  it("ends with the status of what a handler throws, and tells who looks after errors of those that are nobody's", async () => {
    const failing: MessageHandler = (call) =>
      call.onMessage((message) => {
        if (message.toString() === "farm") throw new FarmError("NOT_FOUND", "no such session");
        throw new Error("a secret path");
      });
    const known = await open(failing, options);
    known.call.write(Buffer.from("farm"));
    expect(await known.over()).toEqual({ code: "NOT_FOUND", details: "no such session" });
    expect(known.errors).toEqual([]);
    const unknown = await open(failing, options);
    unknown.call.write(Buffer.from("other"));
    expect((await unknown.over()).details).toBe("internal error; the server's log has the cause");
    expect(unknown.errors).toEqual([new Error("a secret path")]);
  });
  it("hears when it is cancelled, and whoever waits for room then waits no more", async () => {
    let server: MessageCall | undefined;
    const { call } = await open((c) => {
      server = c;
      c.onMessage(() => {});
    }, options);
    call.write(Buffer.from("hello"));
    await until(() => server !== undefined, "the call");
    call.pause(); // nobody reads: the windows fill
    const message = Buffer.alloc(100_000);
    for (let i = 0; i < 100; i++) server?.send(message);
    const full = server?.send(message) === false ? "full" : "room";
    expect(full).toBe("full");
    const waiting = Promise.all([server?.drained(), server?.drained()]);
    call.cancel();
    await waiting;
    await until(() => server?.context.signal.aborted ?? false, "the end of the call");
    expect(server?.send(message)).toBe(true);
  });
});

it("a message over the limit is refused before it is read", async () => {
  const { call, over } = await open(echo);
  call.write(Buffer.alloc(maxMessageBytes + 1));
  expect(await over()).toEqual({
    code: "RESOURCE_EXHAUSTED",
    details: `a message of ${maxMessageBytes + 1} bytes; allowed: at most ${maxMessageBytes}`,
  });
});

it("this grpc-js is one whose streams can be had", async () => {
  const seen: boolean[] = [];
  const server = new grpc.Server();
  const definition = { Measure: { ...Measure, requestDeserialize: same, responseSerialize: same } };
  server.addService(definition as unknown as grpc.ServiceDefinition, {
    Measure: (stream: MessageStream) => {
      seen.push(http2StreamOf(stream) !== undefined);
      stream.end();
    },
  });
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync("127.0.0.1:0", grpc.ServerCredentials.createInsecure(), (e, p) => (e ? reject(e) : resolve(p))),
  );
  cleanups.push(async () => server.forceShutdown());
  for (const options of [{}, gzip]) {
    const client = new grpc.Client(`127.0.0.1:${port}`, grpc.credentials.createInsecure(), options);
    cleanups.push(async () => client.close());
    const call = client.makeBidiStreamRequest(Measure.path, same, same, new grpc.Metadata());
    call.on("data", () => {});
    await new Promise((resolve) => call.on("status", resolve));
  }
  expect(seen).toEqual([true, false]);
});

it("of messages that come in one piece none is handed out while the call is paused", async () => {
  const stream = new PassThrough();
  const pipe = new Http2Messages(stream as never, () => {});
  const taken: string[] = [];
  pipe.onMessage((message) => {
    taken.push(message.toString());
    if (taken.length === 1) pipe.pause();
  });
  const framed = ["a", "b", "c"].map((text) => Buffer.from([0, 0, 0, 0, text.length, ...Buffer.from(text)]));
  stream.write(Buffer.concat(framed));
  await until(() => taken.length > 0, "the first message");
  expect(taken).toEqual(["a"]);
  pipe.resume();
  expect(taken).toEqual(["a", "b", "c"]);
});
