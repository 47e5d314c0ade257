/**
 * A farm that identifies everybody by certificates: tracker, builder, runner and clients as processes, each with a certificate of
 * one authority whose first URI or DNS name is listed in the token file. There are no tokens.
 */
import { randomUUID } from "node:crypto";
import { readdirSync } from "node:fs";
import { request } from "node:https";
import { hostname } from "node:os";
import { connect, type TrackerConnection } from "@warpfarm/proto";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { openRequest } from "../../test-support/farm/scripted.ts";
import { has, needs } from "../../test-support/needs.ts";
import { until } from "../../test-support/until.ts";
import { Authority } from "./certificates.ts";
import { command } from "./command.testing.ts";
import { quickTune, tinyTask } from "./faults/campaign.ts";
import { Place, type Running, run, start } from "./warpfarm-process.ts";

const slow = { timeout: 300_000 };
const needed = ["cc", "openssl"] as const;

/** For each file the names of its certificate, of which the first URI or DNS name counts, and the token file's entry for it. */
const people = {
  alice: { names: "email:alice@example.com,URI:spiffe://farm/alice,DNS:boss.example", role: "client" },
  bob: { names: "DNS:bob.example,DNS:alice.example", role: "client" },
  carol: { names: "DNS:carol.example", role: "client" },
  builder: { names: "DNS:builder-1.example", role: "builder" },
  runner: { names: "DNS:gpu-1.example", role: "runner" },
  boss: { names: "DNS:boss.example", role: "admin" },
  mallory: { names: "DNS:mallory.example,DNS:boss.example", role: undefined },
} as const;
type Person = keyof typeof people;
const nameOf = (person: Person): string => /(?:URI|DNS):([^,]+)/.exec(people[person].names)?.[1] ?? "";

describe("certificates as principals", () => {
  const place = new Place({}, { isAlone: true });
  const parts: Running[] = [];
  let authority: Authority;
  let tracker = "";
  let pages = "";

  const shows = (person: Person) => ["--tls-ca", "farm.pem", "--tls-cert", `${person}.pem`, "--tls-key", `${person}.key`];
  const token = (...words: readonly string[]) => command(place, ["token", ...words, "--file", "tokens"]);
  const as = (person: Person | undefined): TrackerConnection => {
    const connection = connect({ address: tracker, tls: authority.tls(person) });
    onTestFinished(() => connection[Symbol.asyncDispose]());
    return connection;
  };
  const open = (person: Person) => as(person).farm.openSession({ ...openRequest, selector: "cpu/*", requestId: randomUUID() });
  const tune = (person: Person, log: string, trials: number) =>
    command(place, [
      ...["tune", ...tinyTask, ...quickTune, "--trials", String(trials), "--log", log, "--json"],
      ...["--tracker", tracker, ...shows(person)],
    ]);
  const audited = () =>
    (parts[0]?.stderr() ?? "")
      .split("\n")
      .filter((line) => line.includes('"log":"audit"'))
      .map((line) => JSON.parse(line) as Record<string, unknown>);

  beforeAll(async () => {
    if (!needed.every(has)) return;
    authority = new Authority(place.directory, "farm");
    authority.sign("tracker", "DNS:localhost,IP:127.0.0.1");
    new Authority(place.directory, "elsewhere").sign("outsider", `DNS:${nameOf("boss")}`);
    for (const [file, { names, role }] of Object.entries(people)) {
      authority.sign(file, names);
      if (role !== undefined) await token("create", role, nameOf(file as Person), "--certificate");
    }
    const serving = start(place, [
      ...["tracker", "--listen", "127.0.0.1:0", "--http", "0.0.0.0:0", "--data", "memory", "--quota", "sessions=2"],
      ...["--tls-cert", "tracker.pem", "--tls-key", "tracker.key", "--tls-ca", "farm.pem", "--token-file", "tokens"],
    ]);
    parts.push(serving);
    const isReady = (part: Running) => async () => {
      if (part.stdout().includes("ready ")) return true;
      const ended = await Promise.race([part.finished, undefined]);
      if (ended !== undefined) throw new Error(ended.stderr);
      return false;
    };
    await until(isReady(serving), "the tracker");
    const [, port, page] = /grpc=127\.0\.0\.1:(\d+) http=0\.0\.0\.0:(\d+)/.exec(serving.stdout()) ?? [];
    [tracker, pages] = [`localhost:${port}`, `${page}`];
    // Commands as a user types them, in the folder of the certificates; the cache is also in that folder.
    for (const role of ["builder", "runner"] as const)
      parts.push(start(place, [role, "--tracker", tracker, "--cache", `cache-of-${role}`, ...shows(role)]));
    for (const part of parts) await until(isReady(part), "a worker");
  }, 300_000);
  afterAll(() => {
    for (const part of parts) part.kill("SIGKILL");
    place[Symbol.dispose]();
  });

  test("a client tunes; its session is its own; caches lie where their relative paths say", slow, async (ctx) => {
    needs(ctx, ...needed);
    const tuned = await tune("carol", "carol.jsonl", 4);
    expect([tuned.code, JSON.parse(tuned.stdout || "{}")], tuned.stderr).toEqual([
      0,
      expect.objectContaining({ trials: 4, errors: { NO_ERROR: 4 } }),
    ]);
    for (const role of ["builder", "runner"]) expect(readdirSync(place.path(`cache-of-${role}`)), role).not.toEqual([]);
    await expect
      .poll(audited)
      .toContainEqual(expect.objectContaining({ msg: "open_session", principal: "carol.example", role: "client" }));
    for (const role of ["builder", "runner"] as const) {
      const by = { principal: nameOf(role), role };
      await expect.poll(audited).toContainEqual(expect.objectContaining({ msg: "register_worker", kind: role, ...by }));
    }
    await expect.poll(audited).toContainEqual(expect.objectContaining({ msg: "upload", principal: "builder-1.example" }));
  });

  test("each may do what its role may; one that is not listed, or of another authority, nothing", slow, async (ctx) => {
    needs(ctx, ...needed);
    const registration = { protocolVersion: openRequest.protocolVersion, node: "n", instanceId: "i", labels: {} };
    const asBuilder = {
      ...registration,
      role: { kind: "builder", slots: 1, targets: ["cuda/sm_90"], toolchains: [], compilerVersion: "0", programVersions: [1] },
    };
    const { sessionId } = await open("alice");
    const attempts: Readonly<Record<string, (c: TrackerConnection) => Promise<unknown>>> = {
      look: (c) => c.farm.listNodes(),
      "see alice's session": async (c) => {
        if (!(await c.admin.listSessions()).some((s) => s.sessionId === sessionId)) return Promise.reject({ code: "not seen" });
      },
      "register a builder": (c) => c.worker.register(asBuilder as Parameters<typeof c.worker.register>[0]),
      upload: (c) => c.artifacts.upload(Buffer.from(randomUUID())),
      drain: (c) => c.admin.drainNode(hostname(), "undo"),
    };
    const outcomes: Record<string, readonly string[]> = {};
    for (const person of [...(Object.keys(people) as Person[]), undefined]) {
      const connection = as(person);
      outcomes[person ?? "no certificate"] = await Promise.all(
        Object.values(attempts).map((attempt) =>
          attempt(connection).then(
            () => "ok",
            ({ code }: { code: string }) => code,
          ),
        ),
      );
    }
    const denied = "PERMISSION_DENIED";
    const all = (word: string) => Object.keys(attempts).map(() => word);
    expect(outcomes).toEqual({
      alice: ["ok", "ok", denied, "ok", denied],
      bob: ["ok", "not seen", denied, "ok", denied],
      carol: ["ok", "not seen", denied, "ok", denied],
      builder: [denied, denied, "ok", "ok", denied],
      runner: [denied, denied, denied, denied, denied],
      // An admin may register a builder, but not under the name of another principal's node.
      boss: ["ok", "ok", "ALREADY_EXISTS", "ok", "ok"],
      mallory: all("UNAUTHENTICATED"),
      "no certificate": all("UNAVAILABLE"),
    });
    await using outsider = connect({ address: tracker, tls: authority.tls("outsider", "farm") });
    await expect(outsider.farm.listNodes()).rejects.toMatchObject({ code: "UNAVAILABLE" });
    expect((await as("boss").admin.cancelSession(sessionId, "over")).dropped).toBe(0);
    await expect
      .poll(audited)
      .toContainEqual(
        expect.objectContaining({ msg: "cancel_session", principal: "boss.example", role: "admin", session: sessionId }),
      );
    // No more than some of those refused are told a second.
    const refused = expect.objectContaining({
      msg: "refused",
      code: "UNAUTHENTICATED",
      why: expect.stringContaining("mallory.example"),
    });
    const mallory = as("mallory");
    const tried = () => mallory.farm.listNodes().then(audited, audited);
    await expect.poll(tried).toContainEqual(refused);
  });

  test("who is refused reads why, at the command line and as a worker", slow, async (ctx) => {
    needs(ctx, ...needed);
    const at = ["--tracker", tracker];
    const asked = await command(place, ["nodes", ...at, ...shows("mallory")]);
    const why =
      "the certificate's name mallory.example is not in this tracker's token file; its administrator adds it with \"warpfarm token create ROLE NAME --certificate\"";
    expect([asked.code, asked.stderr]).toEqual([2, `warpfarm nodes: ${why}\n`]);
    const worker = await run(place, ["builder", ...at, "--cache", "cache-of-mallory", ...shows("mallory")]);
    expect([worker.code, worker.stderr]).toEqual([2, expect.stringContaining(why)]);
    const unreached = async (...flags: readonly string[]) => {
      const { code, stderr } = await command(place, ["nodes", ...at, "--tls-ca", "farm.pem", ...flags]);
      expect(code, stderr).toBe(3);
      return stderr.replace(`warpfarm nodes: cannot reach the tracker at ${tracker}: `, "");
    };
    // The end of the connection may arrive before its reason.
    expect(await unreached()).toContain("--tls-cert");
    expect(await unreached("--tls-cert", "outsider.pem", "--tls-key", "outsider.key")).toContain("--tls-cert");
  });

  test("a quota is of the certificate's principal: a tune beyond it ends with 3 and says what to do", slow, async (ctx) => {
    needs(ctx, ...needed);
    const [first] = [await open("alice"), await open("alice")];
    const refused = await tune("alice", "alice.jsonl", 4);
    expect([refused.code, refused.stderr]).toEqual([
      3,
      expect.stringContaining(
        "spiffe://farm/alice has 2 open sessions; --quota sessions of this tracker allows 2: " +
          "wait until one ends, or end one (warpfarm sessions lists them, --cancel ID ends one)",
      ),
    ]);
    expect((await open("bob")).sessionId).toBeTypeOf("string");
    const cancelled = await command(place, ["sessions", "--cancel", first.sessionId, "--tracker", tracker, ...shows("alice")]);
    expect(cancelled.code, cancelled.stderr).toBe(0);
    const tuned = await tune("alice", "alice.jsonl", 2);
    expect(tuned.code, tuned.stderr).toBe(0);
  });

  test("a certificate that ends soon is told at the start, before the store is opened", slow, async (ctx) => {
    needs(ctx, ...needed);
    const began = parts[0]?.stderr() ?? "";
    expect(began).toMatch(/"level":40.*the certificate of --tls-cert expires on /);
    const tls = ["--tls-cert", "tracker.pem", "--tls-key", "tracker.key", "--tls-ca", "farm.pem"];
    const nowhere = await run(place, [
      "tracker",
      "--listen",
      "127.0.0.1:0",
      "--http",
      "none",
      "--data",
      "/dev/null/store",
      ...tls,
    ]);
    expect(nowhere.code).toBe(2);
    expect(nowhere.stderr).toMatch(
      /the certificate of --tls-cert expires on .*the certificate of --tls-ca expires on .*\/dev\/null\/store/s,
    );
  });

  test("pages off loopback take a certificate too", slow, async (ctx) => {
    needs(ctx, ...needed);
    const get = (path: string, person: Person | "outsider" | undefined) =>
      new Promise<string>((resolve, reject) => {
        const asked = request({ host: "localhost", port: pages, path, ...authority.tls(person) }, (answer) => {
          let text = "";
          answer.on("data", (part) => (text += part));
          answer.on("end", () => resolve(`${answer.statusCode} ${text.includes("spiffe://farm/alice") ? "alice" : ""}`.trim()));
        });
        asked.once("error", reject).end();
      });
    await until(async () => (await as("alice").admin.listSessions()).length > 0, "a session of alice");
    const asking = ["alice", "bob", "runner", "mallory", "outsider", undefined] as const;
    expect(await Promise.all(asking.map((person) => get("/farm", person)))).toEqual([
      "200 alice",
      "200",
      "403",
      "401",
      "401",
      "401",
    ]);
    expect(await Promise.all(asking.map((person) => get("/metrics", person)))).toEqual([
      "200",
      "200",
      "200",
      "401",
      "401",
      "401",
    ]);
    expect(await get("/healthz", undefined)).toBe("200");
  });

  test("one that is revoked loses what it has open", slow, async (ctx) => {
    needs(ctx, ...needed);
    const { suites } = as("bob");
    const document = Buffer.from("{}");
    const suite = { requestId: randomUUID(), name: "s", plan: document, tasks: [{ taskId: "a", document, template: "" }] };
    const watching = suites.watch(await suites.create(suite))[Symbol.asyncIterator]();
    await watching.next();
    const ended = watching.next();
    const over = expect(ended).rejects.toMatchObject({
      code: "UNAUTHENTICATED",
      message: expect.stringContaining("bob.example"),
    });
    expect((await token("revoke", "bob.example")).code).toBe(0);
    await over;
    expect((await as("alice").farm.listNodes()).nodes).not.toEqual([]);
  });
});
