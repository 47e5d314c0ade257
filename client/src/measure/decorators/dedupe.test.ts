/** Equal programs are measured once, whoever asks and whatever is known of them. */
import { describe, expect, it } from "vitest";
import { programOf } from "../../search/session.testing.ts";
import type { Measurer } from "../measurer.ts";
import { failedResult, scriptedMeasurer, timedResult } from "../scripted.testing.ts";
import { dedupe } from "./dedupe.ts";

describe("dedupe", () => {
  it("measures a program again when the farm failed its first measurement", async () => {
    let calls = 0;
    const measurer = scriptedMeasurer(() => (++calls === 1 ? failedResult(8) : timedResult(1)), { width: 1 });
    const input = (sequence: number) => ({ sequence, program: programOf("same") });
    const got = [];
    async function* inputs() {
      for (const s of [1, 2, 3]) yield input(s);
    }
    for await (const record of dedupe(measurer).measure(inputs(), { signal: new AbortController().signal })) got.push(record);
    expect(got.map((r) => [r.sequence, r.result.kind, r.duplicateOf])).toEqual([
      [1, "failed", undefined],
      [2, "timed", undefined],
      [3, "timed", 2],
    ]);
    expect(calls).toBe(2);
  });
});

describe("dedupe of a run that goes on", () => {
  it("answers from the log what was a verdict, and measures again what was the farm's own failure", async () => {
    const measurer = scriptedMeasurer(() => timedResult(1), { width: 1 });
    const known = new Map([
      [programOf("failed").digest, { sequence: 7, result: failedResult(8) }],
      [programOf("refused").digest, { sequence: 8, result: failedResult(1) }],
    ]);
    async function* inputs() {
      yield { sequence: 10, program: programOf("failed") };
      yield { sequence: 11, program: programOf("refused") };
    }
    const got = [];
    const { signal } = new AbortController();
    for await (const record of dedupe(measurer, known).measure(inputs(), { signal })) got.push(record);
    expect(got.map((r) => [r.sequence, r.result.kind, r.duplicateOf]).sort()).toEqual([
      [10, "timed", undefined],
      [11, "failed", 8],
    ]);
    expect(measurer.inputs.map(({ sequence }) => sequence)).toEqual([10]);
  });
});

it("leaves the measurer when it is left, though what it was asked comes from the log", async () => {
  const known = new Map([[programOf("failed").digest, { sequence: 1, result: failedResult(4) }]]);
  async function* inputs() {
    yield { sequence: 10, program: programOf("failed") };
    yield { sequence: 11, program: programOf("other") };
    await new Promise(() => {});
  }
  let heard: AbortSignal | undefined;
  const measurer: Measurer = {
    measure(source, o) {
      heard = o.signal;
      return scriptedMeasurer(() => timedResult(1)).measure(source, o);
    },
  };
  const got = [];
  for await (const record of dedupe(measurer, known).measure(inputs(), { signal: new AbortController().signal }))
    if (got.push([record.sequence, record.duplicateOf]) === 2) break;
  expect(got).toEqual([
    [10, 1],
    [11, undefined],
  ]);
  expect(heard?.aborted).toBe(true);
});
