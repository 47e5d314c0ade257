/** A search as a program has it: its events are read once, its result runs it, and each early end is one FarmError. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defaultMeasureOptions, FarmError } from "@warpfarm/common";
import { encodeTrial, type TrialRecord } from "@warpfarm/records/logs";
import { describe, expect, it, onTestFinished } from "vitest";
import { timedResult } from "../measure/scripted.testing.ts";
import type { OpenSearch } from "../search/open-search.ts";
import type { TuneEvent, TuneSummary } from "../search/tune-events.ts";
import { best } from "./records.ts";
import { placeOf, RunningSearch } from "./search.ts";

const finished = (reason: TuneSummary["reason"]): TuneEvent => ({ kind: "finished", summary: { reason } as TuneSummary });
const resumed = { kind: "resumed", trials: 3 } as TuneEvent;

/** A search with these events; after them it waits for its signal, as a search that waits for devices does. */
function searchOf(events: readonly (TuneEvent | Error)[], { waits = false } = {}) {
  const left = new AbortController();
  const user = new AbortController();
  const signal = AbortSignal.any([left.signal, user.signal]);
  const ends = { closed: 0, left: 0 };
  async function* run(): AsyncGenerator<TuneEvent> {
    try {
      for (const event of events) {
        if (event instanceof Error) throw event;
        yield event;
      }
      if (!waits) return;
      if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
      yield finished("aborted");
    } finally {
      ends.left++;
    }
  }
  const inner = { events: run, [Symbol.asyncDispose]: async () => void ends.closed++ } as unknown as OpenSearch;
  return { search: new RunningSearch(inner, signal, left), user, ends };
}

const kindsOf = async (search: RunningSearch): Promise<string[]> => {
  const kinds: string[] = [];
  for await (const { kind } of search) kinds.push(kind);
  return kinds;
};
const refusalOf = (work: Promise<unknown>): Promise<FarmError> =>
  work.then(
    () => Promise.reject(new Error("it did not fail")),
    (error: unknown) => error as FarmError,
  );

describe("a search of a program", () => {
  it("has events, and a result after them", async () => {
    const { search } = searchOf([resumed, finished("trials")]);
    expect(await kindsOf(search)).toEqual(["resumed", "finished"]);
    expect(await search.result).toEqual({ reason: "trials" });
    expect(await search.result).toEqual({ reason: "trials" });
  });

  it("is run by its result when nobody reads events, and is read once", async () => {
    const { search, ends } = searchOf([resumed, finished("exhausted")]);
    expect(await search.result).toEqual({ reason: "exhausted" });
    expect(ends.left).toBe(1);
    const again = await refusalOf(kindsOf(search));
    expect([again.code, again.message]).toEqual(["FAILED_PRECONDITION", expect.stringMatching(/read once/)]);
    expect(await search.result).toEqual({ reason: "exhausted" });
  });

  it("that the farm ends rejects both with that error", async () => {
    const lost = new FarmError("DEADLINE_EXCEEDED", "no result came for 10m");
    const { search } = searchOf([resumed, lost]);
    expect(await refusalOf(kindsOf(search))).toBe(lost);
    expect(await refusalOf(search.result)).toBe(lost);
  });

  it("that is stopped before it is read asks for nothing", async () => {
    const { search, user, ends } = searchOf([resumed], { waits: true });
    user.abort();
    const error = await refusalOf(kindsOf(search));
    expect(error).toBeInstanceOf(FarmError);
    expect([error.code, error.message]).toEqual(["CANCELLED", "the search was stopped by its signal: AbortError"]);
    expect(ends.left).toBe(0);
    expect(await refusalOf(search.result)).toBe(error);
  });

  it("that is stopped while it waits gives its last event, then one FarmError", async () => {
    const { search, user } = searchOf([resumed], { waits: true });
    const seen: string[] = [];
    const reading = (async () => {
      for await (const { kind } of search) {
        seen.push(kind);
        if (kind === "resumed") setTimeout(() => user.abort(new Error("the user went home")), 0);
      }
    })();
    const error = await refusalOf(reading);
    expect([error.code, error.message]).toEqual(["CANCELLED", "the search was stopped by its signal: the user went home"]);
    expect(seen).toEqual(["resumed", "finished"]);
    expect(await refusalOf(search.result)).toBe(error);
  });

  it("whose farm is closed or lost says so in the farm's words", async () => {
    const { search, user } = searchOf([], { waits: true });
    const result = refusalOf(search.result);
    const closed = new FarmError("FAILED_PRECONDITION", "the farm at 127.0.0.1:1 is closed; openFarm opens another");
    user.abort(closed);
    expect(await result).toBe(closed);
  });

  it("that is left by a loop has no result", async () => {
    const { search, ends } = searchOf([resumed, finished("trials")]);
    for await (const _ of search) break;
    expect(ends.left).toBe(1);
    expect((await refusalOf(search.result)).message).toBe("the search was left before its end");
  });

  it("that is closed while it runs ends, and frees its log after its last event", async () => {
    const { search, ends } = searchOf([resumed], { waits: true });
    const result = refusalOf(search.result);
    await search[Symbol.asyncDispose]();
    expect([(await result).code, (await result).message]).toEqual(["CANCELLED", "the search was closed before its end"]);
    expect(ends).toEqual({ closed: 1, left: 1 });
    const later = await refusalOf(kindsOf(search));
    expect(later.code).toBe("FAILED_PRECONDITION");
  });
});

it("a search runs on devices of the key that it names, with code for the target that it names", () => {
  const there = { devices: [], keys: ["cuda/sm_90"], targets: [], slots: 0 };
  const asked = { target: "cuda/sm_80", where: undefined, key: "cuda/sm_90" };
  expect(placeOf(there, { targets: [{ kind: "cuda" }] }, asked)).toEqual({ key: "cuda/sm_90", target: "cuda/sm_80" });
});

it("the best of each kind of device come the fastest first", async () => {
  const folder = mkdtempSync(join(tmpdir(), "warpfarm-library-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const lines = [2e-3, 1e-3, 3e-3].map((seconds, i) => {
    const timed = timedResult(seconds);
    const device = { key: "cpu/arm64", name: `board ${i}`, uuid: "", node: "", driver: "" };
    return encodeTrial({
      run: { task: "toy", args: [64], target: "cpu/arm64", tuner: "random", seed: 0 },
      ...{ session: "s", sequence: i + 1, told: i, config: { index: i, code_hash: null, entity: [["x", "ot", i]] } },
      ...{ options: defaultMeasureOptions("cpu"), result: { ...timed, device } },
    } as TrialRecord);
  });
  writeFileSync(join(folder, "a.jsonl"), lines.map((line) => `${line}\n`).join(""));
  const found = await best(join(folder, "a.jsonl"), { task: "toy", args: [64] }, {});
  expect(found.map(({ device }) => device.name)).toEqual(["board 1", "board 0", "board 2"]);
});
