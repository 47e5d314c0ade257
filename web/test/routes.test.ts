/** Every route of the page's server, asked for anything: an answer or a refusal that fits, and never a fault of its own. */
import { systemClock } from "@warpfarm/common";
import { recordToJson, type TuningRecord } from "@warpfarm/records";
import * as fc from "fast-check";
import { expect, it } from "vitest";
import { openDoors, type PageSource, pageApp } from "../src/index.ts";
import { farm, hostile } from "./farm.testing.ts";

const record = { id: "r/1", task: "matmul", args: [], device: "d", deviceName: "", errorNo: 0, timestampMs: 1 };

const whole: TuningRecord = {
  id: record.id,
  origin: { kind: "measured", by: "" },
  ...{ task: "matmul", args: [], target: "d", timestampMs: 1 },
  result: { kind: "timed", costs: [1] },
};

function farmApp() {
  const faults: unknown[] = [];
  const source: PageSource = {
    ...farm().source,
    trials: async (_, after) => {
      if (!Number.isSafeInteger(after) || after < 0) throw new Error(`after is ${after}`);
      return undefined;
    },
    records: async ({ limit = 1 }) => ({ records: Array.from({ length: limit }, () => record) }),
    record: async (id) =>
      id === record.id ? { record: recordToJson(whole), conditions: "", others: [], reproduce: "" } : undefined,
    code: async (id) => (id === record.id ? { name: "kernel.ptx", bytes: new Uint8Array(3) } : undefined),
  };
  const onError = (error: unknown) => faults.push(error);
  const common = { clock: systemClock, version: "1", isLoopback: false, onError, assets: new Map() };
  return { app: pageApp({ source, doors: openDoors, ...common }), faults };
}

const word = fc.oneof(
  fc.string({ unit: "binary", maxLength: 20 }).map((text) => text.toWellFormed()),
  fc.constantFrom("session-7", "r/1", "s1", "gpu2", "runs", "run,,queue", "fleet,fleet", "moon", "..", "%", "\0", hostile),
  fc.constantFrom("1", "-1", "0.5", "1e400", "99999999999999999999", "timed", "fastest", "true"),
);
const names = ["task", "device", "outcome", "order", "limit", "cursor", "after", "code", "run", "see"];
const query = fc.dictionary(fc.constantFrom(...names), word, { maxKeys: 4 });
const body = fc.oneof(
  fc.json(),
  fc.string(),
  fc
    .record({ undo: fc.oneof(fc.boolean(), word), trials: fc.oneof(fc.integer(), fc.double(), word), token: word })
    .map((o) => JSON.stringify(o)),
);

/** The paths that the server has handlers for, as it says itself; `*` is anything. */
const { app: listed } = farmApp();
const routes = [...new Set(listed.routes.map(({ path }) => path.replace(/\{.*?\}/g, "")))];

/** What a stream says first, when it has been asked for something; then it is closed. */
async function firstOf(answer: Response, isAsked: boolean): Promise<string> {
  const reader = answer.body?.getReader();
  const part = isAsked ? await reader?.read() : undefined;
  await reader?.cancel();
  return Buffer.from(part?.value ?? []).toString();
}

it("answers what is asked of any of its routes, its stream too, with a status and a form that fit", async () => {
  expect(routes).toContain("/api/events");
  expect(routes.length).toBeGreaterThan(18);
  const { app, faults } = farmApp();
  let streams = 0;
  const asking = fc.record({
    route: fc.oneof({ weight: 2, arbitrary: fc.constant("/api/events") }, { weight: 3, arbitrary: fc.constantFrom(...routes) }),
    parts: fc.array(word, { minLength: 2, maxLength: 2 }),
    query,
    body,
    method: fc.constantFrom("GET", "GET", "GET", "POST", "HEAD", "PUT"),
    lastEvent: word,
  });
  await fc.assert(
    fc.asyncProperty(asking, async ({ route, parts, query: asked, body: text, method, lastEvent }) => {
      let n = 0;
      const path = route.replace(/:\w+|\*/g, () => encodeURIComponent(parts[n++ % 2] ?? ""));
      const hasBody = method === "POST" || method === "PUT";
      const headers = { "x-warpfarm": "1", ...(/^[!-~]+$/.test(lastEvent) ? { "last-event-id": lastEvent } : {}) };
      const at = `${path}?${new URLSearchParams(asked)}`;
      const answer = await app.request(at, { method, headers, ...(hasBody ? { body: text } : {}) });
      const type = answer.headers.get("content-type") ?? "";
      if (type.startsWith("text/event-stream") && method === "GET") {
        streams++;
        const { see = "runs", run } = asked;
        const isAsked = /runs|fleet|queue/.test(see) || (/run/.test(see) && run === "session-7");
        const first = await firstOf(answer, isAsked);
        expect(first).toMatch(isAsked ? /^(event: (run|runs|fleet|queue|trials)\ndata: .*\n\n)+$/ : /^$/);
      } else if (answer.status === 200) {
        const said = Buffer.from(await answer.arrayBuffer());
        if (type.startsWith("application/json") && method !== "HEAD") JSON.parse(said.toString());
      } else {
        // Without assets there is no page.
        expect([400, 404, 409, 503]).toContain(answer.status);
        const isApi = new URL(answer.url || at, "http://x").pathname.startsWith("/api/");
        if (isApi && method !== "HEAD")
          expect(await answer.json()).toEqual({ error: { code: expect.any(String), message: expect.any(String) } });
      }
    }),
    { numRuns: 1_400 },
  );
  // The server has 200 places for streams, so each left its own.
  expect(streams).toBeGreaterThan(200);
  expect(faults).toEqual([]);
});
