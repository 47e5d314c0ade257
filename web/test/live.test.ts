/** The page's stream of events, with a clock and an EventSource that the test controls. */

import { recordOfTrial } from "@warpfarm/records";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { onSignedOut, post } from "../page/state/api.ts";
import type { PageClock } from "../page/state/clock.ts";
import { Live } from "../page/state/live.ts";
import { RunTrials } from "../src/run/run-trials.ts";
import { trial } from "./logs.testing.ts";

class Source extends EventTarget {
  onopen: (() => void) | null = null;
  onerror: (() => void) | null = null;
  readyState = 1;
  readonly url: string;
  constructor(url: string) {
    super();
    this.url = url;
  }
  close(): void {
    this.readyState = 2;
  }
  say(name: string, data: unknown): void {
    this.dispatchEvent(new MessageEvent(name, { data: JSON.stringify(data) }));
  }
  fail(readyState: number): void {
    this.readyState = readyState;
    this.onerror?.();
  }
}

/** Moves when told. */
class Time implements PageClock {
  #now = 1_000_000;
  readonly #waiting = new Set<{ at: number; readonly every: number; readonly act: () => void }>();
  now = () => this.#now;
  monotonic = () => this.#now;
  #wait(ms: number, every: number, act: () => void): () => void {
    const one = { at: this.#now + ms, every, act };
    this.#waiting.add(one);
    return () => void this.#waiting.delete(one);
  }
  after = (ms: number, act: () => void) => this.#wait(ms, 0, act);
  every = (ms: number, act: () => void) => this.#wait(ms, ms, act);
  pass(ms: number): void {
    const end = this.#now + ms;
    for (;;) {
      const [next] = [...this.#waiting].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
      if (next === undefined) break;
      this.#now = next.at;
      if (next.every > 0) next.at += next.every;
      else this.#waiting.delete(next);
      next.act();
    }
    this.#now = end;
  }
}

function begun(run?: string) {
  const [time, sources] = [new Time(), [] as Source[]];
  const open = (url: string) => {
    sources.push(new Source(url));
    return sources.at(-1) as unknown as EventSource;
  };
  const live = new Live(time, open, (act) => {
    act();
    return 0;
  });
  live.show(run === undefined ? { see: "queue" } : { see: "run", run });
  return { time, sources, live, last: () => sources.at(-1) as Source };
}

describe("the stream of events", () => {
  it("is opened again when nothing was heard for 25 s, and tells since when", () => {
    const { time, sources, live, last } = begun();
    last().say("queue", { sessions: [] });
    const heardAt = time.now();
    time.pass(20_000);
    last().say("alive", {});
    time.pass(25_000);
    expect([sources.length, live.state.staleSince]).toEqual([1, undefined]);
    time.pass(5_000);
    expect([sources.length, sources[0]?.readyState, live.state.staleSince]).toEqual([2, 2, heardAt + 20_000]);
    last().say("alive", {});
    expect(live.state.staleSince).toBeUndefined();
    expect(live.state.queue).toEqual({ sessions: [] });
  });

  it("is opened again two seconds after the browser gave up, and not while it tries by itself", () => {
    const { time, sources, live, last } = begun();
    const heardAt = time.now();
    last().fail(0);
    time.pass(4_000);
    expect([sources.length, live.state.staleSince]).toEqual([1, heardAt]);
    // It is heard again before it says anything.
    last().onopen?.();
    expect(live.state.staleSince).toBeUndefined();
    last().fail(2);
    time.pass(1_999);
    expect(sources).toHaveLength(1);
    time.pass(1);
    expect(sources).toHaveLength(2);
    // Another run is shown meanwhile: its stream is the one.
    last().fail(2);
    live.show({ see: "run", run: "r" });
    time.pass(2_000);
    expect(sources.map(({ url }) => url)).toEqual([
      "/api/events?see=queue",
      "/api/events?see=queue",
      "/api/events?see=run&run=r&after=0",
    ]);
    live.end();
    time.pass(100_000);
    expect(sources).toHaveLength(3);
  });

  it("asks for the trials after those that it has, and takes each once", () => {
    const { time, live, last } = begun("r");
    const trials = new RunTrials();
    for (let i = 1; i <= 3; i++) trials.add(recordOfTrial(trial(i), "local"));
    const columns = trials.columns(0);
    last().say("trials", { run: "r", columns, total: 3 });
    expect(live.state.run?.data.count).toBe(3);
    last().say("trials", { run: "r", columns, total: 3 });
    last().say("trials", { run: "other", columns, total: 6 });
    expect(live.state.run?.data.count).toBe(3);
    time.pass(30_000);
    expect(last().url).toBe("/api/events?see=run&run=r&after=3");
  });
});

it("a sign-in that is over is told, and one that fails is not", async () => {
  const refusal = { error: { code: "UNAUTHENTICATED", message: "no" } };
  const fetched = vi.spyOn(globalThis, "fetch").mockImplementation(async () => Response.json(refusal, { status: 401 }));
  onTestFinished(() => fetched.mockRestore());
  const told: string[] = [];
  onTestFinished(onSignedOut((words) => told.push(words)));
  for (const path of ["/api/sign-in", "/api/runs/x/stop"])
    await expect(post(path)).rejects.toMatchObject({ status: 401, code: "UNAUTHENTICATED", message: "no" });
  expect(told).toEqual(["no"]);
});
