import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { status } from "@grpc/grpc-js";
import { afterEach, describe, expect, it, onTestFinished } from "vitest";
import { connect } from "./clients.ts";
import { readCredentials } from "./credential-files.ts";
import { cleanUp, code, farm, nodes, start } from "./rpc.testing.ts";
import { serve } from "./server.ts";
import { farmErrorOf } from "./status.ts";

afterEach(cleanUp);

/** `server` is for localhost and 127.0.0.1. */
const pem = (name: string) => readFileSync(new URL(`../../../tracker/test/testdata/${name}`, import.meta.url));
const tls = { cert: pem("server.pem"), key: pem("server.key") };
const handlers = { farm: farm({ ListNodes: async () => nodes }) };

describe("TLS at an address", () => {
  const listing = async (host: string) => {
    const { server } = await start(handlers, { listen: `${host}:0`, tls });
    await using client = connect({ address: `${host}:${server.port}`, tls: { ca: pem("ca.pem") } });
    return await client.farm.listNodes();
  };

  it("is that of the certificate, and Node has nothing to warn of", async () => {
    const warnings: Error[] = [];
    const warned = (warning: Error) => warnings.push(warning);
    process.on("warning", warned);
    onTestFinished(() => void process.off("warning", warned));
    expect((await listing("127.0.0.1")).nodes).toEqual([]);
    await new Promise((resolve) => setImmediate(resolve)); // warnings come a tick later
    expect(warnings).toEqual([]);
  });

  it("is refused when the certificate is for another one", async (ctx) => {
    if (process.platform !== "linux") ctx.skip("only Linux listens at every address of 127.0.0.0/8");
    const refused = await code(listing("127.0.0.2"));
    expect(refused.code).toBe("UNAVAILABLE");
    expect(refused.message).toMatch(/IP: 127\.0\.0\.2 is not in the cert's list/);
  });
});

it("TLS to a server without it is told so, and does not keep the server from closing", async () => {
  const server = await serve(handlers, { listen: "127.0.0.1:0" });
  {
    await using client = connect({ address: `127.0.0.1:${server.port}`, tls: { ca: pem("ca.pem") } });
    expect(await code(client.farm.listNodes())).toEqual({ code: "UNAVAILABLE", message: "wrong version number" });
  }
  await server.close(0);
});

it.each([
  ["no certificate", { cert: tls.key, key: tls.key }],
  ["another's key", { cert: tls.cert, key: pem("client.key") }],
])("a server with %s says so", async (_, files) => {
  expect(await code(serve(handlers, { listen: "127.0.0.1:0", tls: files }))).toEqual({
    code: "INVALID_ARGUMENT",
    message: expect.stringMatching(/^the files of --tls-cert and --tls-key cannot be used together: [a-z ]+$/),
  });
});

it("a port that is taken is named once", async () => {
  const { server } = await start(handlers);
  const listen = `127.0.0.1:${server.port}`;
  expect(await code(serve(handlers, { listen }))).toEqual({
    code: "FAILED_PRECONDITION",
    message: `cannot listen on ${listen}: listen EADDRINUSE: address already in use ${listen}`,
  });
});

it("an HTTP port is told from a tracker's gRPC port", async () => {
  const page = createServer((_, response) => response.end("a page"));
  await new Promise<void>((resolve) => page.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void page.close());
  const { port } = page.address() as AddressInfo;
  await using tracker = connect({ address: `127.0.0.1:${port}` });
  expect(await code(tracker.farm.listNodes())).toEqual({
    code: "UNAVAILABLE",
    message: expect.stringContaining("does not speak gRPC: give the port of the tracker's --listen (default 9290)"),
  });
});

it.each([
  [
    "No connection established. Last error: Error: self-signed certificate. Resolution note: ",
    "self-signed certificate",
    "connection.authority",
  ],
  ["unable to verify the first certificate", "unable to verify the first certificate", "connection.authority"],
  ["unable to get local issuer certificate", "unable to get local issuer certificate", "connection.authority"],
  ["certificate has expired", "certificate has expired", "connection.expired"],
  ["certificate is not yet valid", "certificate is not yet valid", "connection.early"],
  ["another fault", "another fault", undefined],
  [
    "No connection established. Last error: connect ECONNREFUSED 127.0.0.1:1 (2026-11-22T00:25:17.909Z). Resolution note: ",
    "connect ECONNREFUSED 127.0.0.1:1",
    "connection.refused",
  ],
  [
    "No connection established. Last error: Error: 80BC2208F27F0000:error:0A00010B:SSL routines:ssl3_get_record:wrong version number:../deps/openssl/ssl3_record.c:350:\n. Resolution note: ",
    "wrong version number",
    "connection.no_tls",
  ],
  ["Name resolution failed for target dns:nohost:1", "Name resolution failed for target dns:nohost:1", "connection.name"],
  ["tlsv13 alert certificate required", "tlsv13 alert certificate required", "connection.certificate"],
  ["Failed to connect", "Failed to connect", "connection.reset"],
  ["read ECONNRESET", "read ECONNRESET", "connection.reset"],
])("why there is no connection: %j", (details, message, rule) => {
  const error = Object.assign(new Error(details), { code: status.UNAVAILABLE, details });
  expect(farmErrorOf(error)).toMatchObject({ code: "UNAVAILABLE", message, rule });
});

describe("a worker's token", () => {
  const read = (contents: string) => {
    const folder = mkdtempSync(join(tmpdir(), "warpfarm-test-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const tokenFile = join(folder, "token");
    writeFileSync(tokenFile, contents);
    return readCredentials({ tokenFile }).token;
  };

  it.each(["abc", "abc\n", " abc \r\nanother\n", "a".repeat(512)])("is the first line of its file", (contents) => {
    expect(read(contents)).toBe(contents.split("\n")[0]?.trim());
  });

  it.each([
    "",
    "\nabc",
    "se cret",
    "secret\u00e9",
    "secret".repeat(86),
  ])("that is none is refused and not repeated", (contents) => {
    const refused = expect.objectContaining({
      code: "INVALID_ARGUMENT",
      message: expect.stringMatching(/^(?!.*secret)--token-file names ".*", whose first line is not a token/),
    });
    expect(() => read(contents)).toThrow(refused);
  });
});
