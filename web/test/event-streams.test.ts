/**
 * What event streams cost: those of one viewer share what they are told, a message that was taken leaves nothing, nobody is told
 * of what he does not see, and a browser that takes nothing is cut off.
 */
import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { connect } from "node:net";
import { abortable, systemClock } from "@warpfarm/common";
import { expect, it, onTestFinished } from "vitest";
import { until } from "../../test-support/until.ts";
import { openDoors, type PageDoors, type PageSource, pageApp, servePage } from "../src/index.ts";

const columns = {
  ...{ id: ["a", "b"], idPrefix: "r", sequence: [1, 2], seconds: [1e-6, 2e-6], errorNo: [0, 0] },
  left: 0,
};

it("twenty streams of a run ask for its trials once, and each waits for one thing when all are told", async () => {
  let asked = 0;
  let waiting = 0;
  const source = {
    kind: "files",
    runs: async () => [],
    trials: async (_: string, after: number) => {
      if (after > 0) return undefined;
      asked++;
      return columns;
    },
  } as unknown as PageSource;
  // Time stands, so no answer grows old; nothing that is waited for comes.
  const clock = {
    ...systemClock,
    monotonic: () => 0,
    sleep: async (_ms: number, { signal = new AbortController().signal } = {}) => {
      waiting++;
      await abortable(new Promise<void>(() => {}), signal).finally(() => waiting--);
    },
  };
  const faults: unknown[] = [];
  const onError = (error: unknown) => faults.push(error);
  const app = pageApp({ source, doors: openDoors, clock, version: "1", isLoopback: false, onError, assets: new Map() });
  const streams = await Promise.all(Array.from({ length: 20 }, async () => app.request("/api/events?run=x")));
  expect(new Set(streams.map(({ status }) => status))).toEqual(new Set([200]));
  const told = streams.map(() => "");
  streams.forEach(async ({ body }, i) => {
    for await (const part of (body ?? []) as unknown as AsyncIterable<Uint8Array>) told[i] += Buffer.from(part).toString();
  });
  await until(() => told.every((text) => text.includes("event: trials")), "trials on every stream");
  await until(() => waiting === streams.length, "one wait a stream");
  expect(new Set(told).size).toBe(1);
  expect(told[0]).toContain(`data: ${JSON.stringify({ run: "x", columns, total: 2 })}`);
  expect([asked, faults]).toEqual([1, []]);
});

const state = { atMs: 1, nodes: [], queues: [], shares: [] };
/** A farm with two runs; `asked` counts what it was asked for. */
function farm() {
  const asked = new Map<string, number>();
  const ask = (name: string, answer: unknown) => async () => {
    asked.set(name, (asked.get(name) ?? 0) + 1);
    return answer;
  };
  const runs = ask("runs", [{ id: "x", finished: 7 }, { id: "y" }]);
  const more = { fleet: ask("fleet", state), queue: ask("queue", state), pause: ask("pause", undefined) };
  return { source: { kind: "tracker", runs, trials: async () => undefined, farm: more } as unknown as PageSource, asked };
}

function appOf(source: PageSource, more: { clock?: typeof systemClock; doors?: PageDoors } = {}) {
  const faults: unknown[] = [];
  const onError = (error: unknown) => faults.push(error);
  const common = { doors: openDoors, clock: systemClock, version: "1", isLoopback: false, onError, assets: new Map() };
  return { app: pageApp({ source, ...common, ...more }), faults };
}

/** What a stream tells, as far as it came. */
function heard(reply: Response): { readonly text: () => string } {
  let text = "";
  const read = async () => {
    for await (const part of (reply.body ?? []) as unknown as AsyncIterable<Uint8Array>) text += Buffer.from(part).toString();
  };
  void read();
  return { text: () => text };
}

it("a stream tells of what it is asked for alone, and the farm is asked for nothing else", async () => {
  const { source, asked } = farm();
  const { app } = appOf(source);
  const told = heard(await app.request("/api/events?see=run,queue&run=x"));
  await until(() => told.text().includes("event: queue"), "the queue");
  expect(told.text()).toBe(`event: run\ndata: {"id":"x","finished":7}\n\nevent: queue\ndata: ${JSON.stringify(state)}\n\n`);
  expect([...asked.keys()]).toEqual(["runs", "queue"]);
  const refused = await app.request("/api/events?see=queue,moon");
  expect([refused.status, await refused.json()]).toEqual([
    400,
    { error: { code: "INVALID_ARGUMENT", message: 'see has "moon"; it is a list of run, runs, fleet, queue' } },
  ]);
});

it("streams of two runs are told of their own", async () => {
  const { source } = farm();
  // Time stands: both ask within one turn.
  const { app } = appOf(source, { clock: { ...systemClock, monotonic: () => 0 } });
  const told = await Promise.all(["x", "y"].map(async (run) => heard(await app.request(`/api/events?see=run&run=${run}`))));
  await until(() => told.every(({ text }) => text().includes("event: run")), "a run on each");
  expect(told.map(({ text }) => /"id":"(\w)"/.exec(text())?.[1])).toEqual(["x", "y"]);
});

it("what somebody changes on the page is told at the next turn, though states are asked for once a second", async () => {
  const { source, asked } = farm();
  // Time goes by, and never so far that an answer grows old.
  let steps = 0;
  const clock = { ...systemClock, monotonic: () => (steps++ % 100) / 100 };
  const { app } = appOf(source, { clock: { ...clock, sleep: (_: number, o) => systemClock.sleep(1, o) } });
  const told = heard(await app.request("/api/events?see=queue"));
  await until(() => told.text().includes("event: queue"), "the queue");
  const pause = () => app.request("/api/runs/x/pause", { method: "POST", headers: { "x-warpfarm": "1" } });
  expect(asked.get("queue")).toBe(1);
  expect((await pause()).status).toBe(200);
  await until(() => asked.get("queue") === 2, "the queue, asked for again");
});

it("a browser that takes nothing is cut off and leaves its place; asking for the head alone takes none", async () => {
  const long = { ...columns, id: ["a".repeat(1 << 20)], sequence: [1], left: 1 };
  const source = { kind: "files", runs: async () => [], trials: async () => long } as unknown as PageSource;
  let answer: ServerResponse | undefined;
  const viewerOf: PageDoors["viewerOf"] = ({ env }) => {
    answer ??= (env as { outgoing?: ServerResponse } | undefined)?.outgoing;
    return { name: "ada", isAdmin: false };
  };
  const doors: PageDoors = { ...openDoors, viewerOf };
  // Patience ends when the test says so.
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const sleep: typeof systemClock.sleep = (ms, { signal = new AbortController().signal, ...o } = {}) =>
    ms >= 20_000 ? abortable(ended, signal) : systemClock.sleep(ms, { signal, ...o });
  const { app, faults } = appOf(source, { clock: { ...systemClock, sleep }, doors });
  const opened: Response[] = [];
  const open = async (method = "GET") => {
    const reply = await app.request("/api/events", { method });
    opened.push(reply);
    return reply.status;
  };
  for (let i = 0; i < 200; i++) expect(await open("HEAD")).toBe(200);
  await using server = await servePage(app, 0);
  const { port } = new URL(server.address);
  const slow = connect(Number(port), "127.0.0.1");
  onTestFinished(() => void slow.destroy());
  slow.write("GET /api/events?run=x HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n");
  await once(slow, "data");
  slow.pause();
  for (let i = 0; i < 99; i++) expect(await open()).toBe(200);
  expect(await open()).toBe(429);
  end();
  await until(async () => (await open()) === 200, "the place of the browser that takes nothing");
  await until(() => answer?.destroyed === true, "the end of its connection, though it never reads");
  await Promise.all(opened.map(({ body }) => body?.cancel()));
  expect(faults).toEqual([]);
});
