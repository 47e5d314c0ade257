import type { TuningRecord } from "@warpfarm/records";
import { expect, it } from "vitest";
import type { Channel } from "./channel.ts";
import { recordClient } from "./record-client.ts";

const record = (i: number): TuningRecord => ({
  id: `r/${i}`,
  origin: { kind: "imported", by: "", format: "csv" },
  task: "t",
  args: [i],
  target: "",
  result: { kind: "timed", costs: [1] },
  timestampMs: 1,
});

it("adds up what a tracker tells of each message of an import", async () => {
  const sizes: number[] = [];
  const channel = {
    async unary(_: object, { records }: { readonly records: readonly string[] }) {
      sizes.push(records.length);
      return { added: records.length - 3, existed: 2, conflicts: [`c${sizes.length}`] };
    },
  } as unknown as Channel;
  const done = await recordClient(channel).append(Array.from({ length: 2_500 }, (_, i) => record(i)));
  expect(sizes).toEqual([1_000, 1_000, 500]);
  expect(done).toEqual({ added: 2_491, existed: 6, conflicts: ["c1", "c2", "c3"] });
});

it("tells how many records wait only where some do, and never takes the standing from a record's text alone", async () => {
  const waiting = [0, 1];
  const text = `{"version":1,"id":"a","origin":{"kind":"measured","by":""},"task":"t","args":[],"target":"","timestamp_ms":1,"kind":"timed","costs":[1],"checked":true,"standing":`;
  const channel = {
    unary: async () => ({ records: [`${text}"verified"}`, `${text}"best"}`], next_cursor: "", waiting: waiting.shift() }),
  } as unknown as Channel;
  const told: number[] = [];
  const ask = () => recordClient(channel).query({ task: "t" }, { waiting: (n) => void told.push(n) });
  for (const { records } of [await ask(), await ask()])
    expect(records.map(({ standing }) => standing)).toEqual(["verified", undefined]);
  expect(told).toEqual([1]);
});
