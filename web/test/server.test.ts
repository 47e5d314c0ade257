/** The page's server on log files: its routes, who may ask, events and their resumption, and whatever else comes. */
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { abortable, defined, systemClock } from "@warpfarm/common";
import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { until } from "../../test-support/until.ts";
import {
  openDoors,
  openFiles,
  type PageDoors,
  type PageServer,
  type PageSource,
  pageApp,
  servePage,
  type TrialColumns,
} from "../src/index.ts";
import { lines } from "./logs.testing.ts";

let folder = "";
let log = "";
let server: PageServer;
const failures: unknown[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "warpfarm-page-"));
  log = join(folder, "a.jsonl");
  writeFileSync(log, lines(1, 20, { failing: 0.3, message: "<script>alert(1)</script>" }));
  const source = await openFiles([folder], { now: Date.now, programOf: async () => undefined });
  const app = pageApp({
    source,
    doors: openDoors,
    clock: systemClock,
    version: "1.2.3",
    isLoopback: true,
    onError: (error) => failures.push(error),
    assets: new Map([
      ["index.html", { type: "text/html; charset=utf-8", etag: '"1"', plain: Buffer.from("<p>page") }],
      ["assets/x-1.js", { type: "text/javascript; charset=utf-8", etag: '"2"', plain: Buffer.from("1") }],
    ]),
  });
  server = await servePage(app, 0);
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

/** By node:http, which sends whatever Host it is told. */
function ask(
  path: string,
  { method = "GET", headers = {}, body }: { method?: string; headers?: Record<string, string>; body?: string } = {},
) {
  return new Promise<{ status: number; headers: Record<string, unknown>; text: string }>((resolve, reject) => {
    const call = request({ hostname: "127.0.0.1", port: new URL(server.address).port, path, method, headers }, (answer) => {
      let text = "";
      answer.setEncoding(answer.headers["content-encoding"] === undefined ? "utf8" : "latin1");
      const isStream = /^text\/event-stream/.test(answer.headers["content-type"] ?? "");
      answer.on("data", (part: string) => {
        text += part;
        // Of a stream, which does not end, the first bytes are the answer.
        if (isStream) call.destroy();
      });
      answer.on("close", () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text }));
    });
    call.on("error", reject);
    call.end(body);
  });
}
const json = async (path: string) => JSON.parse((await ask(path)).text);

it("answers runs, trials, records", async () => {
  expect(await json("/api/me")).toMatchObject({ source: "files", version: "1.2.3", principal: "local", signIn: "none" });
  const { runs } = await json("/api/runs");
  expect(runs).toMatchObject([{ task: "matmul_derived", finished: 20 }]);
  const id = encodeURIComponent(runs[0].id);
  expect(await json(`/api/runs/${id}`)).toMatchObject({ knobs: [{ name: "tile_x" }, { name: "vector" }] });
  const columns = (await json(`/api/runs/${id}/trials?after=15`)) as TrialColumns;
  expect(columns.sequence).toEqual([16, 17, 18, 19, 20]);
  const { records } = await json("/api/records?outcome=failed&limit=1");
  expect(records[0].rule).toBe("device.crash");
  const failed = await ask(`/api/records/${records[0].id}`);
  expect(JSON.parse(failed.text).record.message).toBe("<script>alert(1)</script>");
  expect(failed.headers["content-type"]).toMatch(/^application\/json/);
});

it("refuses what is wrong with a sentence that names it", async () => {
  const refusals: readonly [string, number, RegExp][] = [
    ["/api/runs/none", 404, /no run "none"/],
    ["/api/runs/none/trials", 404, /no run "none"/],
    [`/api/runs/${encodeURIComponent((await json("/api/runs")).runs[0].id)}/trials?after=-1`, 400, /after is "-1"/],
    ["/api/records?order=best", 400, /order is "best"; it is one of newest, oldest, fastest/],
    ["/api/records?limit=5000", 400, /limit is "5000"/],
    ["/api/records/none", 404, /no record "none"/],
    ["/api/fleet", 404, /files/],
    ["/api/suites", 404, /files/],
    ["/api/nothing", 404, /\/api\/nothing/],
    ["/assets/none.js", 404, /none\.js/],
  ];
  for (const [path, status, words] of refusals) {
    const answer = await ask(path);
    expect([path, answer.status]).toEqual([path, status]);
    expect(JSON.parse(answer.text).error.message).toMatch(words);
  }
});

it("answers its own names alone, its own page alone, and changes nothing for a form", async () => {
  const port = new URL(server.address).port;
  expect((await ask("/api/me", { headers: { host: `rebound.example:${port}` } })).status).toBe(403);
  expect((await ask("/", { headers: { host: "rebound.example" } })).status).toBe(403);
  expect((await ask("/api/me", { headers: { host: `localhost:${port}` } })).status).toBe(200);
  expect((await ask("/api/me", { headers: { origin: "https://evil.example" } })).status).toBe(403);
  expect((await ask("/api/me", { headers: { origin: "null" } })).status).toBe(403);
  // Another server of this machine, and a name that only begins as ours.
  for (const origin of ["http://127.0.0.1:1", "http://127.0.0.1", `http://127.0.0.1.evil.example:${port}`])
    expect((await ask("/api/me", { headers: { origin } })).status).toBe(403);
  expect((await ask("/api/me", { headers: { origin: `http://127.0.0.1:${port}` } })).status).toBe(200);
  expect((await ask("/api/sign-out", { method: "POST" })).status).toBe(403);
  expect((await ask("/api/sign-out", { method: "POST", headers: { "x-warpfarm": "1" } })).status).toBe(200);
  expect((await ask("/api/sign-in", { method: "POST", headers: { "x-warpfarm": "1" }, body: "x".repeat(100_000) })).status).toBe(
    400,
  );
  expect((await ask("/api/sign-in", { method: "POST", headers: { "x-warpfarm": "1" }, body: "[1" })).status).toBe(400);
});

it("serves the page packed, with a policy that lets nothing else in", async () => {
  const page = await ask("/run/some/trials", { headers: { "accept-encoding": "gzip, br" } });
  expect(gunzipSync(Buffer.from(page.text, "latin1")).toString()).toBe("<p>page");
  expect(page.headers["content-encoding"]).toBe("gzip");
  expect(page.headers.vary).toBe("accept-encoding");
  expect(page.headers["content-security-policy"]).toMatch(/^default-src 'none'; script-src 'self'/);
  expect(page.headers["content-security-policy"]).not.toMatch(/unsafe/);
  expect((await ask("/", { headers: { "if-none-match": '"1"' } })).status).toBe(304);
  expect((await ask("/")).text).toBe("<p>page");
  expect((await ask("/assets/x-1.js")).headers["cache-control"]).toMatch(/immutable/);
  expect((await ask("/")).headers["cache-control"]).toBe("no-cache");
});

interface Event {
  readonly event: string;
  readonly id?: string;
  readonly data: { readonly columns?: TrialColumns; readonly runs?: readonly unknown[] };
}
/** The events until `enough`, of one connection. */
async function events(
  path: string,
  headers: Record<string, string>,
  enough: (all: readonly Event[]) => boolean,
): Promise<readonly Event[]> {
  const stop = new AbortController();
  const answer = await fetch(new URL(path, server.address), { headers, signal: stop.signal });
  const all: Event[] = [];
  let text = "";
  for await (const part of answer.body as unknown as AsyncIterable<Uint8Array>) {
    text += Buffer.from(part).toString();
    const whole = text.split("\n\n");
    text = whole.pop() ?? "";
    for (const block of whole) {
      const fields = Object.fromEntries(
        block.split("\n").map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)]),
      );
      all.push({
        event: fields.event ?? "",
        ...defined({ id: fields.id }),
        data: JSON.parse(fields.data ?? "{}"),
      });
    }
    if (enough(all)) break;
  }
  stop.abort();
  return all;
}

it("tells of trials as they come, and goes on where a stream was cut", async () => {
  const id = (await json("/api/runs")).runs[0].id as string;
  const path = `/api/events?run=${encodeURIComponent(id)}`;
  const hasTrials = (all: readonly Event[]) => all.some(({ event }) => event === "trials");
  const first = await events(path, {}, hasTrials);
  expect(first.map(({ event }) => event)).toEqual(["runs", "trials"]);
  const last = first.at(-1);
  expect([last?.id, last?.data.columns?.sequence.length]).toEqual(["20", 20]);
  appendFileSync(log, lines(21, 23));
  const resumed = await events(path, { "last-event-id": "20" }, hasTrials);
  expect(resumed.at(-1)?.data.columns?.sequence).toEqual([21, 22, 23]);
  // A browser asks again by the address with which it began.
  const growing = events(`${path}&after=20`, { "last-event-id": "23" }, hasTrials);
  appendFileSync(log, lines(24, 24));
  expect((await growing).at(-1)?.data.columns?.sequence).toEqual([24]);
});

it("answers whatever is asked with JSON or a page, and fails at nothing", async () => {
  const words = fc.oneof(
    fc.constantFrom(
      "api",
      "runs",
      "records",
      "trials",
      "events",
      "me",
      "fleet",
      "stop",
      "pause",
      "extend",
      "..",
      "%00",
      "%",
      "a.jsonl",
      "assets",
      "sign-in",
    ),
    fc.string({ maxLength: 12 }).map(encodeURIComponent),
  );
  const query = fc.dictionary(fc.constantFrom("after", "limit", "order", "cursor", "see", "run"), fc.string({ maxLength: 8 }), {
    maxKeys: 3,
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(words, { maxLength: 5 }),
      query,
      fc.constantFrom("GET", "POST", "PUT", "DELETE", "HEAD"),
      fc.string({ maxLength: 50 }),
      async (path, asked, method, body) => {
        const answer = await ask(`/${path.join("/")}?${new URLSearchParams(asked)}`, {
          method,
          headers: { "x-warpfarm": "1" },
          ...(method === "GET" || method === "HEAD" ? {} : { body }),
        });
        expect(answer.status).toBeLessThan(500);
      },
    ),
    { numRuns: 300 },
  );
  expect(failures).toEqual([]);
});

it("tells when nodes were seen every few seconds, though nothing else of them changed", async () => {
  // Twenty times as fast as the test.
  const clock = { ...systemClock, monotonic: () => systemClock.monotonic() * 20 };
  let lastSeenMs = 0;
  const nothing = async () => undefined;
  const source: PageSource = {
    kind: "tracker",
    runs: async () => [],
    run: nothing,
    trials: nothing,
    record: nothing,
    records: async () => ({ records: [] }),
    farm: {
      fleet: async () => ({ atMs: ++lastSeenMs, sinceMs: 1, nodes: [] }),
      queue: async () => ({ atMs: 1, queues: [], shares: [] }),
      suites: async () => [],
      suite: nothing,
      stop: nothing,
      pause: nothing,
      extend: nothing,
      drain: nothing,
    },
  };
  const onError = (error: unknown) => failures.push(error);
  const app = pageApp({ source, doors: openDoors, clock, version: "1", isLoopback: true, onError, assets: new Map() });
  await using fast = await servePage(app, 0);
  const stop = new AbortController();
  const answer = await fetch(new URL("/api/events", fast.address), { signal: stop.signal });
  let text = "";
  for await (const part of answer.body as unknown as AsyncIterable<Uint8Array>) {
    text += Buffer.from(part).toString();
    if (text.split("event: fleet").length > 3) break;
  }
  stop.abort();
  expect(text.split("event: queue").length).toBe(2); // which is the same to the last digit
});

describe("streams", () => {
  const runs = async () => [];
  const nothing = async () => undefined;
  const source = {
    kind: "files",
    runs,
    run: nothing,
    trials: nothing,
    record: nothing,
    records: nothing,
  } as unknown as PageSource;
  const sleep = (_ms: number, { signal = new AbortController().signal } = {}) => abortable(new Promise<void>(() => {}), signal);
  const viewerOf: PageDoors["viewerOf"] = (c) => {
    const name = c.req.header("x-name") ?? "";
    return { name, isAdmin: name === "boss" || name === "local" };
  };
  const streams = () => {
    const app = pageApp({
      source,
      doors: { ...openDoors, viewerOf },
      clock: { ...systemClock, sleep },
      version: "1",
      isLoopback: false,
      onError: (error) => failures.push(error),
      assets: new Map(),
    });
    const all: Response[] = [];
    onTestFinished(async () => void (await Promise.all(all.map(({ body }) => body?.cancel()))));
    const open = async (name: string, count = 1) => {
      for (let i = 0; i < count; i++) all.push(await app.request("/api/events", { headers: { "x-name": name } }));
      const { status } = all.at(-1) as Response;
      return status === 200 ? 200 : `${status} ${await (all.pop() as Response).text()}`;
    };
    return { all, open };
  };

  it("of one viewer are at most half, however many browsers ask; another has one then, and so has the first after an end", async () => {
    const { all, open } = streams();
    expect(await open("greedy", 100)).toBe(200);
    expect(await open("greedy")).toMatch(/^429 .*100 browsers of greedy watch/);
    expect(await open("honest")).toBe(200);
    await all.shift()?.body?.cancel();
    await until(async () => (await open("greedy")) === 200, "room for another");
    expect(await open("greedy")).toMatch(/^429/);
  });

  it("of nobody are at most half too", async () => {
    const { open } = streams();
    expect(await open("", 100)).toBe(200);
    expect(await open("")).toMatch(/^429 .*100 browsers without a sign-in watch this server.*or sign in/);
    expect(await open("alice")).toBe(200);
  });

  it("are left to an admin by nobody and clients together, until admins have them", async () => {
    const { all, open } = streams();
    expect([await open("", 100), await open("alice", 80)]).toEqual([200, 200]);
    for (const name of ["alice", "bob"])
      expect(await open(name)).toMatch(/^429 .*180 browsers watch this server; at most 180 may/);
    await all.shift()?.body?.cancel();
    await until(async () => (await open("bob")) === 200, "the place of one who left");
    expect(await open("bob")).toMatch(/^429/);
    expect(await open("boss", 20)).toBe(200);
    expect(await open("boss")).toMatch(/^429 .*200 browsers watch this server; at most 200 may/);
  });

  it("are two hundred in all; admins who have few take none from others", async () => {
    const few = streams();
    expect([await few.open("boss", 20), await few.open("", 100), await few.open("alice", 80)]).toEqual([200, 200, 200]);
    expect(await few.open("bob")).toMatch(/^429 .*180 browsers/);
    const many = streams();
    expect([await many.open("boss", 100), await many.open("", 100)]).toEqual([200, 200]);
    expect(await many.open("alice")).toMatch(/^429 .*200 browsers watch this server; at most 200 may/);
  });

  it("are all of `local`, who is everybody there", async () => {
    const { open } = streams();
    expect(await open("local", 200)).toBe(200);
    expect(await open("local")).toMatch(/^429 .*200 browsers/);
  });
});
