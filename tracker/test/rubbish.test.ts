/** Every RPC under rubbish: a status each time, and the process goes on. */
import * as grpc from "@grpc/grpc-js";
import { farmErrorCodes, Random } from "@warpfarm/common";
import { loadServices } from "@warpfarm/proto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { useFarms } from "../../test-support/farm/farms.ts";
import { builder, freshStore, programOf, runner, testTracker } from "../../test-support/farm/scripted.ts";
import { ScriptedClient } from "../../test-support/farm/scripted-client.ts";
import { until } from "../../test-support/until.ts";

const { undo } = useFarms();

describe("rubbish", () => {
  const seed = 20_261_121;
  const { farm, worker, artifact } = loadServices();
  const methods = [farm, worker, artifact].flatMap(
    (service) => Object.values(service) as grpc.MethodDefinition<object, object>[],
  );
  const maxMessageBytes = 4 << 20;
  const raw = { serialize: (b: Buffer) => b, deserialize: (b: Buffer) => b };

  /**
   * One call with these raw messages; the status it ends with. What would stay open is cut after a while; what must not has two
   * minutes.
   */
  function call(
    client: grpc.Client,
    { path, requestStream, responseStream }: grpc.MethodDefinition<object, object>,
    messages: Buffer[],
  ) {
    return new Promise<number>((resolve) => {
      const mayStayOpen = responseStream && messages.every((message) => message.length <= maxMessageBytes);
      const deadline = { deadline: new Date(performance.timeOrigin + performance.now() + (mayStayOpen ? 300 : 120_000)) };
      const [first = Buffer.alloc(0)] = messages;
      const ended = (error: grpc.ServiceError | null) => resolve(error ? error.code : grpc.status.OK);
      if (!requestStream && !responseStream) {
        client.makeUnaryRequest(path, raw.serialize, raw.deserialize, first, new grpc.Metadata(), deadline, ended);
        return;
      }
      const stream = requestStream
        ? responseStream
          ? client.makeBidiStreamRequest(path, raw.serialize, raw.deserialize, new grpc.Metadata(), deadline)
          : client.makeClientStreamRequest(path, raw.serialize, raw.deserialize, new grpc.Metadata(), deadline, ended)
        : client.makeServerStreamRequest(path, raw.serialize, raw.deserialize, first, new grpc.Metadata(), deadline);
      stream.on("error", () => {});
      stream.on("status", ({ code }: { code: number }) => resolve(code));
      if ("resume" in stream) stream.resume();
      if ("write" in stream) {
        for (const message of messages) stream.write(message);
        stream.end();
      }
    });
  }

  it(`any bytes at any method end in a status; afterwards a measurement goes through (seed ${seed})`, async () => {
    const tracker = await testTracker(await freshStore());
    undo.push(() => tracker[Symbol.asyncDispose]());
    const address = `127.0.0.1:${tracker.grpcPort}`;
    const client = new grpc.Client(address, grpc.credentials.createInsecure());
    undo.push(async () => client.close());
    const random = new Random(seed);
    const allowed = new Set<number>([grpc.status.OK, ...farmErrorCodes.map((code) => grpc.status[code])]);
    const statuses = new Map<string, number>();
    const c = new ScriptedClient(address);
    undo.push(() => c.close());
    const { sessionId } = await c.open();
    const fuzz = async (method: grpc.MethodDefinition<object, object>, messages: Buffer[]) => {
      const code = await call(client, method, messages);
      expect(allowed).toContain(code);
      const name = grpc.status[code] ?? "?";
      statuses.set(name, (statuses.get(name) ?? 0) + 1);
    };

    // Well-formed messages with values of every kind in every field.
    const value = fc.oneof(
      fc.constantFrom<unknown>(
        null,
        undefined,
        "",
        "x",
        sessionId,
        "a\0b",
        "x".repeat(70_000),
        -1,
        0,
        1,
        2 ** 31,
        2 ** 53,
        Number.NaN,
        true,
      ),
      fc.uint8Array({ maxLength: 40 }).map((b) => Buffer.from(b)),
    );
    for (const method of methods) {
      const { requestType, requestSerialize } = method as unknown as {
        requestType: { type: { field: readonly { name: string; label: string; type: string }[] } };
        requestSerialize: (o: object) => Buffer;
      };
      const fields = requestType.type.field.map((f) => f.name);
      const samples = fc.sample(fc.array(fc.tuple(fc.nat(Math.max(fields.length - 1, 0)), value), { maxLength: 6 }), {
        numRuns: 12,
        seed,
      });
      for (const sample of samples) {
        const message: Record<string, unknown> = {};
        for (const [i, v] of sample) if (fields[i]) message[fields[i]] = random.below(4) === 0 ? [v] : v;
        let bytes: Buffer;
        try {
          bytes = requestSerialize(message);
        } catch {
          continue; // protobufjs itself refuses to write it
        }
        await fuzz(method, [bytes, bytes]);
      }
      // Bytes that are no message at all, and one larger than the limit.
      for (let i = 0; i < 6; i++)
        await fuzz(method, [Buffer.from(Array.from({ length: random.below(60) }, () => random.below(256)))]);
      await fuzz(method, [Buffer.alloc(maxMessageBytes + 1)]);
    }
    expect(statuses.get("INVALID_ARGUMENT") ?? 0).toBeGreaterThan(20);
    expect(statuses.get("INTERNAL")).toBeUndefined();
    expect(statuses.get("RESOURCE_EXHAUSTED") ?? 0).toBeGreaterThanOrEqual(methods.length);

    for (const w of [builder(address), runner(address, 1)]) {
      undo.push(() => w.kill());
      w.start();
    }
    c.stream();
    c.send(1, programOf("after the storm"));
    await until(() => c.results.size === 1 || c.error !== undefined, "a result");
    expect(c.error).toBeUndefined();
    expect(c.results.get(1)).toMatchObject({ kind: "timed" });
  });
});
