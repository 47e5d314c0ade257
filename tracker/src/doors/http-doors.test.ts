/** On which connections a token is taken, and whose: the sign-in of the page, /farm and /metrics by one rule. */
import { TLSSocket } from "node:tls";
import { systemClock } from "@warpfarm/common";
import { pageApp } from "@warpfarm/web";
import { Hono } from "hono";
import { pino } from "pino";
import { expect, it } from "vitest";
import { pageDoors } from "../page/sign-in.ts";
import type { TrackerContext } from "../services/context.ts";
import { httpApp } from "../views/http.ts";
import { Metrics } from "../views/metrics.ts";
import { Audit } from "./audit.ts";
import { Secrets } from "./secrets.ts";
import { TokenDoors } from "./token-doors.ts";
import { hashOf, parseTokenFile } from "./token-file.ts";

const tokenOf = (name: string) => `token-of-${name}`;
const doors = new TokenDoors(
  parseTokenFile(
    ["client alice", "admin boss", "runner gpu", "metrics prometheus"]
      .map((words) => `${words} sha256:${hashOf(tokenOf(words.split(" ")[1] ?? ""))}`)
      .join("\n"),
  ),
);
const log = pino({ level: "silent" });
const audit = new Audit(log, systemClock);
const secrets = new Secrets(Buffer.alloc(32, 7), (bytes) => Buffer.alloc(bytes, 3));
const http = { doors, isRequired: true };
const source = { kind: "tracker", runs: async () => [] } as never;

/** As in a pod: listening off loopback, with whom the socket says. */
const server = () => {
  const page = pageApp({
    source,
    doors: pageDoors({ secrets, clock: systemClock, audit }, http, { isTls: false }),
    clock: systemClock,
    version: "0",
    isLoopback: false,
    onError: (error) => {
      throw error;
    },
  });
  const context = {
    db: { lazy: { query: async () => [] } },
    snapshots: { get: async () => ({ nodes: [], queues: [], sessions: [] }) },
    metrics: new Metrics(),
    ...{ clock: systemClock, log, audit, secrets },
  };
  return httpApp(context as unknown as TrackerContext, { doors: http, page: new Hono().route("/", page) });
};
const plain = (remoteAddress: string) => ({ incoming: { socket: { remoteAddress } } });
const tls = { incoming: { socket: Object.create(TLSSocket.prototype, { authorized: { value: false } }) } };

it.each<[what: string, env: object, host: string, isTaken: boolean]>([
  ["TLS from anywhere", tls, "farm.example.com", true],
  ["a forwarded port", plain("127.0.0.1"), "127.0.0.1:9291", true],
  ["a forwarded port, as a socket of IPv6 shows it", plain("::ffff:127.0.0.1"), "localhost:8080", true],
  ["another pod", plain("10.42.0.7"), "warpfarm-tracker:9291", false],
  ["compose's bridge", plain("172.18.0.1"), "127.0.0.1:9291", false],
  ["the machine's own address, which a proxy may use", plain("10.0.0.4"), "127.0.0.1:9291", false],
  ["a proxy beside the tracker, which others reach", plain("127.0.0.1"), "farm.example.com", false],
  ["a socket that says nothing", { incoming: { socket: {} } }, "127.0.0.1", false],
])("%s", async (_what, env, host, isTaken) => {
  const app = server();
  const get = async (path: string, name: string) =>
    (await app.request(path, { headers: { host, authorization: `Bearer ${tokenOf(name)}` } }, env)).status;
  const signedIn = await app.request(
    "/api/sign-in",
    { method: "POST", headers: { host, "x-warpfarm": "1" }, body: JSON.stringify({ token: tokenOf("alice") }) },
    env,
  );
  const cookie = signedIn.headers.get("set-cookie")?.split(";")[0];
  const me = await (await app.request("/api/me", { headers: { host, ...(cookie ? { cookie } : {}) } }, env)).json();
  const taken = isTaken ? 200 : 403;
  expect([signedIn.status, await get("/farm", "alice"), await get("/farm", "boss"), await get("/metrics", "boss")]).toEqual(
    Array(4).fill(taken),
  );
  expect(me).toMatchObject({ principal: isTaken ? "alice" : "", signIn: "required" });
  if (isTaken) expect(me).not.toHaveProperty("refusal");
  else expect(me.refusal).toMatch(/kubectl port-forward/);
  // What Prometheus is given opens /metrics on any connection, and nothing else on any.
  expect([await get("/metrics", "prometheus"), await get("/farm", "prometheus"), await get("/api/runs", "prometheus")]).toEqual([
    200,
    403,
    isTaken ? 403 : 401,
  ]);
  expect([await get("/metrics", "nobody"), await get("/metrics", "gpu")]).toEqual([401, taken]);
});

it("a cookie does not follow to a connection that others can read", async () => {
  const app = server();
  const headers = { host: "127.0.0.1", "x-warpfarm": "1" };
  const body = JSON.stringify({ token: tokenOf("alice") });
  const reply = await app.request("/api/sign-in", { method: "POST", headers, body }, plain("127.0.0.1"));
  const cookie = reply.headers.get("set-cookie")?.split(";")[0] ?? "";
  const runs = async (env: object) => (await app.request("/api/runs", { headers: { host: "127.0.0.1", cookie } }, env)).status;
  expect([await runs(plain("127.0.0.1")), await runs(plain("10.42.0.7"))]).toEqual([200, 401]);
});
