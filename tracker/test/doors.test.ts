/** TLS, tokens and roles on a real listener; and every RPC under rubbish: a status each time, and the process goes on. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import * as grpc from "@grpc/grpc-js";
import { farmErrorCodes, Random } from "@warpfarm/common";
import { connect, loadServices } from "@warpfarm/proto";
import fc from "fast-check";
import { pino } from "pino";
import { afterEach, describe, expect, it } from "vitest";
import { until } from "../../test-support/until.ts";
import { parseTrackerFlags, type TrackerFlags } from "../src/flags.ts";
import { builder, freshStore, loggedErrors, programOf, runner, ScriptedClient, testTracker } from "./scripted.testing.ts";

const undo: (() => PromiseLike<unknown>)[] = [];
afterEach(async () => {
  for (const f of undo.splice(0).reverse()) await f();
  expect(loggedErrors.splice(0)).toEqual([]);
});
const testdata = (name: string) => fileURLToPath(new URL(`testdata/${name}`, import.meta.url));

describe("TLS and tokens", () => {
  it("strangers stay out, roles hold, no token is logged", async () => {
    const directory = mkdtempSync(join(tmpdir(), "warpfarm-doors-"));
    const tokenFile = join(directory, "tokens");
    writeFileSync(tokenFile, "client client-token-77\nrunner runner-token-77\n");
    const argv = ["--tls-cert", testdata("server.pem"), "--tls-key", testdata("server.key"), "--token-file", tokenFile];
    const { tls, tokens } = parseTrackerFlags(argv, "unused") as TrackerFlags;
    rmSync(directory, { recursive: true });
    if (!tls || !tokens) throw new Error("no TLS or tokens");
    let logged = "";
    const write = (line: string) => {
      logged += line;
    };
    const log = pino({ level: "trace" }, { write });
    const tracker = await testTracker(await freshStore(), { tls, doors: tokens.doors, log });
    undo.push(() => tracker[Symbol.asyncDispose]());
    const ca = readFileSync(testdata("ca.pem"));
    const as = async (token: string | undefined, clientTls: object | "plain") => {
      await using c = connect({
        address: `localhost:${tracker.grpcPort}`,
        ...(clientTls === "plain" ? {} : { tls: clientTls }),
        ...(token ? { token } : {}),
      });
      return await c.farm.listNodes().then(
        () => "ok",
        (e: { code: string }) => e.code,
      );
    };
    expect(await as("client-token-77", { ca })).toBe("ok");
    expect(await as("runner-token-77", { ca })).toBe("PERMISSION_DENIED");
    expect(await as("wrong-token-77", { ca })).toBe("UNAUTHENTICATED");
    expect(await as(undefined, { ca })).toBe("UNAUTHENTICATED");
    expect(await as("client-token-77", "plain")).toBe("UNAVAILABLE");
    expect(await as("client-token-77", {})).toBe("UNAVAILABLE"); // signed by an authority the system does not know
    expect(logged).not.toContain("token-77");
  });

  it("with an authority for clients, one without a certificate is refused", async () => {
    const ca = readFileSync(testdata("ca.pem"));
    const tls = { cert: readFileSync(testdata("server.pem")), key: readFileSync(testdata("server.key")), ca };
    const tracker = await testTracker(await freshStore(), { tls });
    undo.push(() => tracker[Symbol.asyncDispose]());
    const address = `localhost:${tracker.grpcPort}`;
    await using stranger = connect({ address, tls: { ca } });
    await expect(stranger.farm.listNodes()).rejects.toMatchObject({ code: "UNAVAILABLE" });
    const cert = { cert: readFileSync(testdata("client.pem")), key: readFileSync(testdata("client.key")) };
    await using friend = connect({ address, tls: { ca, ...cert } });
    expect((await friend.farm.listNodes()).nodes).toEqual([]);
  });
});

describe("rubbish", () => {
  const seed = 20_261_121;
  const { farm, worker, artifact } = loadServices();
  const methods = [farm, worker, artifact].flatMap(
    (service) => Object.values(service) as grpc.MethodDefinition<object, object>[],
  );
  const maxMessageBytes = 4 << 20;
  const raw = { serialize: (b: Buffer) => b, deserialize: (b: Buffer) => b };

  /** One call with these raw messages; the status it ends with. What would stay open is cut after a while; what must not has two minutes. */
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
