/** TLS, tokens and roles on a real listener. */
import { X509Certificate } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect as tlsConnect } from "node:tls";
import { fileURLToPath } from "node:url";
import * as grpc from "@grpc/grpc-js";
import { systemClock } from "@warpfarm/common";
import { certificateWarnings, connect } from "@warpfarm/proto";
import { pino } from "pino";
import { afterEach, describe, expect, it } from "vitest";
import { freshStore, loggedErrors, openRequest, testTracker } from "../../test-support/farm/scripted.ts";
import { until } from "../../test-support/until.ts";
import { watchTokenFile } from "../src/doors/token-doors.ts";
import { hashOf } from "../src/doors/token-file.ts";
import { TokenFileEditor } from "../src/doors/token-file-editor.ts";
import { parseTrackerFlags, type TrackerFlags } from "../src/flags/flags.ts";

const undo: (() => PromiseLike<unknown>)[] = [];
afterEach(async () => {
  for (const f of undo.splice(0).reverse()) await f();
  expect(loggedErrors.splice(0)).toEqual([]);
});
const testdata = (name: string) => fileURLToPath(new URL(`testdata/${name}`, import.meta.url));

describe("TLS and tokens", () => {
  it("who proves nothing stays out, roles hold, no token is logged", async () => {
    const directory = mkdtempSync(join(tmpdir(), "warpfarm-doors-"));
    const tokenFile = join(directory, "tokens");
    const lines = ["client", "runner"].map((role) => `${role} ${role}-1 sha256:${hashOf(`${role}-token-77`)}\n`);
    writeFileSync(tokenFile, lines.join(""));
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
    await using outsider = connect({ address, tls: { ca } });
    await expect(outsider.farm.listNodes()).rejects.toMatchObject({ code: "UNAVAILABLE" });
    const cert = { cert: readFileSync(testdata("client.pem")), key: readFileSync(testdata("client.key")) };
    await using friend = connect({ address, tls: { ca, ...cert } });
    expect((await friend.farm.listNodes()).nodes).toEqual([]);
  });
});

/** A tracker with these lines as its token file, which it reads again when it changes. */
async function guarded(lines: readonly string[], options: Parameters<typeof testTracker>[1] = {}, at?: string) {
  const directory = mkdtempSync(join(tmpdir(), "warpfarm-doors-"));
  undo.push(async () => rmSync(directory, { recursive: true }));
  const path = at ?? join(directory, "tokens");
  const write = (now: readonly string[]) => {
    writeFileSync(`${path}.new`, `${now.join("\n")}\n`);
    renameSync(`${path}.new`, path);
  };
  if (at === undefined) write(lines);
  const { tokens } = parseTrackerFlags(["--token-file", path], "unused") as TrackerFlags;
  if (!tokens) throw new Error("no tokens");
  const told: string[] = [];
  const log = pino({ level: "info" }, { write: (line: string) => told.push(line) });
  const watch = watchTokenFile(tokens, { clock: systemClock, log });
  undo.push(() => watch.stop());
  const tracker = await testTracker(await freshStore(), { doors: tokens.doors, log, ...options });
  undo.push(() => tracker[Symbol.asyncDispose]());
  const as = (token: string, tls?: object) => {
    const c = connect({ address: `localhost:${tracker.grpcPort}`, token, ...(tls ? { tls } : {}) });
    undo.push(() => c[Symbol.asyncDispose]());
    return c;
  };
  return { tracker, write, told, as, editor: new TokenFileEditor(path) };
}
const line = (role: string, name: string) => `${role} ${name} sha256:${hashOf(`token-of-${name}`)}`;
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => "ok",
    (error: { code: string }) => error.code,
  );

describe("the token file", () => {
  it("is read again: who is new gets in, who is revoked is out and loses what was open; a bad edit changes nothing", async () => {
    const { write, told, as } = await guarded([line("client", "alice")]);
    const [alice, bob] = [as("token-of-alice"), as("token-of-bob")];
    expect([await codeOf(alice.farm.listNodes()), await codeOf(bob.farm.listNodes())]).toEqual(["ok", "UNAUTHENTICATED"]);
    const document = Buffer.from("{}");
    const suite = { requestId: "r", name: "s", plan: document, tasks: [{ taskId: "a", document, template: "" }] };
    const watching = alice.suites.watch(await alice.suites.create(suite))[Symbol.asyncIterator]();
    await watching.next();
    const ended = codeOf(watching.next());
    write([line("client", "alice"), "nonsense"]);
    await until(() => told.some((l) => l.includes("line 2")), "its refusal");
    expect(await codeOf(alice.farm.listNodes())).toBe("ok");
    write([line("client", "bob")]);
    expect(await ended).toBe("UNAUTHENTICATED");
    expect([await codeOf(alice.farm.listNodes()), await codeOf(bob.farm.listNodes())]).toEqual(["UNAUTHENTICATED", "ok"]);
  });

  it("is read again when the link that names its folder goes to another, as a Kubernetes Secret's does", async () => {
    const mount = mkdtempSync(join(tmpdir(), "warpfarm-secret-"));
    undo.push(async () => rmSync(mount, { recursive: true }));
    const version = (name: string, lines: readonly string[]) => {
      mkdirSync(join(mount, name));
      writeFileSync(join(mount, name, "tracker"), `${lines.join("\n")}\n`);
      symlinkSync(name, join(mount, "..data.new"));
      renameSync(join(mount, "..data.new"), join(mount, "..data"));
    };
    version("..1", [line("client", "alice")]);
    symlinkSync("..data/tracker", join(mount, "tracker"));
    const { as } = await guarded([], {}, join(mount, "tracker"));
    const bob = as("token-of-bob");
    expect(await codeOf(bob.farm.listNodes())).toBe("UNAUTHENTICATED");
    version("..2", [line("client", "bob")]);
    rmSync(join(mount, "..1"), { recursive: true });
    await until(async () => (await codeOf(bob.farm.listNodes())) === "ok", "the new table");
    expect(await codeOf(as("token-of-alice").farm.listNodes())).toBe("UNAUTHENTICATED");
  });

  it("rotate gives the same principal another token; the audit log says who did what, and who was refused", async () => {
    const { told, as, editor } = await guarded([line("client", "alice")]);
    const { sessionId } = await as("token-of-alice").farm.openSession({ ...openRequest, requestId: "r" });
    const kept = await editor.rotate("alice", true);
    const again = as(kept);
    await until(async () => (await codeOf(again.farm.listNodes())) === "ok", "the new token");
    expect((await again.admin.listSessions()).map((s) => [s.sessionId, s.principal])).toEqual([[sessionId, "alice"]]);
    const last = as(await editor.rotate("alice", false));
    await until(async () => (await codeOf(last.farm.listNodes())) === "ok", "the next token");
    expect(await codeOf(again.farm.listNodes())).toBe("UNAUTHENTICATED");
    await last.admin.cancelSession(sessionId, "enough");
    expect(await editor.revoke("alice")).toBe(1);
    const audited = told.map((l) => JSON.parse(l)).filter(({ log }) => log === "audit");
    expect(audited).toContainEqual(
      expect.objectContaining({ msg: "open_session", principal: "alice", role: "client", session: sessionId }),
    );
    expect(audited).toContainEqual(expect.objectContaining({ msg: "cancel_session", principal: "alice", reason: "enough" }));
    expect(audited).toContainEqual(expect.objectContaining({ msg: "refused", code: "UNAUTHENTICATED" }));
    expect(told.join("")).not.toContain("token-of");
  });

  it("a certificate is the principal of its first name; TLS is 1.2 or later, without RSA key exchange and CBC", async () => {
    const ca = readFileSync(testdata("ca.pem"));
    const tls = { cert: readFileSync(testdata("server.pem")), key: readFileSync(testdata("server.key")), ca };
    const own = { ca, cert: readFileSync(testdata("client.pem")), key: readFileSync(testdata("client.key")) };
    const { tracker } = await guarded([line("client", "alice")], { tls });
    const address = `localhost:${tracker.grpcPort}`;
    await using friend = connect({ address, tls: own });
    expect(await codeOf(friend.farm.listNodes())).toBe("UNAUTHENTICATED"); // its certificate has a common name only
    const shakes = (options: object) =>
      new Promise<string>((resolve) => {
        const socket = tlsConnect(
          { host: "localhost", port: tracker.grpcPort, ALPNProtocols: ["h2"], ...own, ...options },
          () => {
            resolve(`${socket.getProtocol()} ${socket.getCipher().name}`);
            socket.destroy();
          },
        );
        socket.on("error", () => resolve("refused"));
      });
    expect(await shakes({ maxVersion: "TLSv1.2" })).toMatch(/^TLSv1.2 ECDHE-.*(GCM|CHACHA20)/);
    const weak = { minVersion: "TLSv1.2", maxVersion: "TLSv1.2" };
    expect(await shakes({ ...weak, ciphers: "AES256-GCM-SHA384:AES128-GCM-SHA256" })).toBe("refused");
    expect(await shakes({ ...weak, ciphers: "ECDHE-RSA-AES256-SHA384:ECDHE-RSA-AES128-SHA" })).toBe("refused");
    expect(await shakes({ minVersion: "TLSv1", maxVersion: "TLSv1.1", ciphers: "DEFAULT@SECLEVEL=0" })).toBe("refused");
    const end = Date.parse(new X509Certificate(tls.cert).validTo);
    expect(certificateWarnings(tls, end + 1).join()).toContain("the certificate of --tls-cert expired on");
    expect(certificateWarnings(tls, Date.parse(new X509Certificate(tls.cert).validFrom) + 1)).toEqual([]);
  });

  it.each([
    ["off loopback a page wants a token", true, ["401", "200 alice", "403", "401"]],
    ["on loopback who shows none sees what every client may", false, ["200", "200 alice", "403", "401"]],
  ])("%s", async (_what, isRequired, expected) => {
    const { tracker, as } = await guarded([line("client", "alice"), line("runner", "gpu")], {
      http: isRequired ? "0.0.0.0:0" : "127.0.0.1:0",
    });
    await as("token-of-alice").farm.openSession({ ...openRequest, requestId: "r" });
    const get = async (path: string, token?: string) => {
      const headers: Record<string, string> = token ? { authorization: `Bearer ${token}` } : {};
      const answer = await fetch(`http://127.0.0.1:${tracker.httpPort}${path}`, { headers });
      const text = await answer.text();
      return `${answer.status}${text.includes('"principal":"alice"') ? " alice" : ""}`;
    };
    const asked = [undefined, "token-of-alice", "token-of-gpu", "token-of-nobody"];
    expect(await Promise.all(asked.map((token) => get("/farm", token)))).toEqual(expected);
    expect([await get("/metrics"), await get("/metrics", "token-of-gpu"), await get("/healthz")]).toEqual([
      isRequired ? "401" : "200",
      "200",
      "200",
    ]);
  });
});

describe("what is no message", () => {
  it("is INVALID_ARGUMENT to who may call, and to others what they are told of everything; text that is not UTF-8 too", async () => {
    const { tracker } = await guarded([line("client", "alice")]);
    const client = new grpc.Client(`localhost:${tracker.grpcPort}`, grpc.credentials.createInsecure());
    undo.push(async () => client.close());
    const call = (token: string, bytes: number[]) =>
      new Promise<string>((resolve) => {
        const metadata = new grpc.Metadata();
        metadata.set("authorization", `Bearer ${token}`);
        const same = (b: Buffer) => b;
        const path = "/warpfarm.farm.v1.FarmService/CloseSession";
        client.makeUnaryRequest(path, same, same, Buffer.from(bytes), metadata, (error) =>
          resolve(error ? `${grpc.status[error.code]}: ${error.details}` : "ok"),
        );
      });
    expect(await call("token-of-alice", [10, 100, 1])).toMatch(/^INVALID_ARGUMENT: the message cannot be decoded/);
    expect(await call("token-of-alice", [10, 2, 0xc3, 0x28])).toBe(
      "INVALID_ARGUMENT: the message cannot be decoded: a text is not UTF-8",
    );
    // A replacement character that was sent is valid text.
    expect(await call("token-of-alice", [10, 3, 0xef, 0xbf, 0xbd])).toBe("INVALID_ARGUMENT: session_id is not an id");
    expect(await call("token-of-bob", [10, 100, 1])).toMatch(/^UNAUTHENTICATED/);
  });
});
