/** What event streams cost: those of one viewer share what they are told, and a message that was taken leaves nothing. */
import { abortable, systemClock } from "@warpfarm/common";
import { expect, it } from "vitest";
import { until } from "../../test-support/until.ts";
import { openDoors, type PageSource, pageApp } from "../src/index.ts";

const columns = {
  ...{ id: ["a", "b"], idPrefix: "r", sequence: [1, 2], index: [0, 1], seconds: [1e-6, 2e-6], errorNo: [0, 0] },
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
