/**
 * One stream of server-sent events for each browser: state as it is when it changed, and the trials of one run as they end. The
 * source is asked at most four times a second for each viewer and run, however many browsers there are. The id of a `trials`
 * event is the number of trials told so far, so that a stream that was cut off goes on where it was (Last-Event-ID).
 */
import { type Clock, defined, FarmError } from "@warpfarm/common";
import type { Context } from "hono";
import { streamSSE } from "hono/streaming";
import type { PageSource, Viewer } from "../source.ts";

const everyMs = 250;
/** Most trials in one event, about half a megabyte; while a browser reads it, the next event is prepared. */
const mostTrials = 10_000;
/** A browser that reads nothing for this long is disconnected; it reconnects by itself. */
const stuckMs = 20_000;
/** Something is sent at this interval, so that proxies and the page see that the stream is alive. */
const aliveMs = 10_000;
/** The times at which nodes were last seen are sent at this interval, even when nothing else changed. */
const seenMs = 5_000;

/** Answers shared by several streams for a quarter of a second. */
class Shared {
  readonly #answers = new Map<string, { readonly at: number; readonly answer: Promise<unknown> }>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Equal keys are answers of one type. */
  get<T>(key: string, ask: () => Promise<T>): Promise<T> {
    const now = this.#clock.monotonic();
    const known = this.#answers.get(key);
    if (known && now - known.at < everyMs) return known.answer as Promise<T>;
    for (const [name, { at }] of this.#answers) if (now - at >= everyMs) this.#answers.delete(name);
    const answer = ask();
    this.#answers.set(key, { at: now, answer });
    return answer;
  }
}

/** Limits the streams; a browser needs one. One named viewer may hold at most half of them. */
const mostStreams = 200;
const mostOfOne = mostStreams / 2;

class Places {
  #taken = 0;
  readonly #own = new Map<string, number>();

  /** Throws when no further stream is free for that viewer. */
  check(name: string): void {
    const full = (words: string): never => {
      throw new FarmError("RESOURCE_EXHAUSTED", `${words}: close some pages`);
    };
    const isNamed = name !== "" && name !== "local";
    if (isNamed && (this.#own.get(name) ?? 0) >= mostOfOne)
      full(`${mostOfOne} browsers of ${name} watch this server, the most that one may have`);
    if (this.#taken >= mostStreams) full(`${this.#taken} browsers watch this server; at most ${mostStreams} may`);
  }
  take(name: string): void {
    this.#taken++;
    this.#own.set(name, (this.#own.get(name) ?? 0) + 1);
  }
  leave(name: string): void {
    this.#taken--;
    const left = (this.#own.get(name) ?? 1) - 1;
    if (left > 0) this.#own.set(name, left);
    else this.#own.delete(name);
  }
}

export function eventStreams(source: PageSource, clock: Clock) {
  const shared = new Shared(clock);
  const places = new Places();

  return (c: Context, viewerNow: () => Viewer): Response => {
    const { name } = viewerNow();
    places.check(name);
    const run = c.req.query("run");
    const after = Number(c.req.header("last-event-id") ?? c.req.query("after") ?? 0);
    const told = Number.isSafeInteger(after) && after > 0 ? after : 0;
    c.header("cache-control", "no-store");
    return streamSSE(c, async (stream) => {
      places.take(name);
      const ended = new AbortController();
      stream.onAbort(() => ended.abort());
      try {
        await tell({ stream, signal: ended.signal, viewerNow, run, told }, { source, clock, shared });
      } finally {
        places.leave(name);
      }
    });
  };
}

interface Listener {
  readonly stream: { writeSSE(message: { event: string; data: string; id?: string }): Promise<void> };
  readonly signal: AbortSignal;
  readonly viewerNow: () => Viewer;
  readonly run: string | undefined;
  /** Trials that it has already. */
  readonly told: number;
}
interface Told {
  readonly source: PageSource;
  readonly clock: Clock;
  readonly shared: Shared;
}

/** Until the browser goes. */
async function tell({ stream, signal, viewerNow, run, told }: Listener, { source, clock, shared }: Told): Promise<void> {
  const last = new Map<string, { readonly known: string; readonly data: string; readonly at: number }>();
  let count = told;
  let spokeAt = clock.monotonic();
  const send = async (event: string, data: string, id?: string) => {
    spokeAt = clock.monotonic();
    const over = new AbortController();
    const stop = () => over.abort();
    signal.addEventListener("abort", stop, { once: true });
    try {
      const stuck = clock.sleep(stuckMs, { signal: over.signal }).then(
        () => true,
        () => signal.aborted,
      );
      const written = stream.writeSSE({ event, data, ...defined({ id }) }).then(() => false);
      if (await Promise.race([written, stuck])) throw new FarmError("DEADLINE_EXCEEDED", "the browser takes nothing");
    } finally {
      signal.removeEventListener("abort", stop);
      over.abort();
    }
  };
  try {
    while (!signal.aborted) {
      const viewer = viewerNow(); // whose token is taken away sees nothing more
      const viewed = `${viewer.isAdmin} ${viewer.name}`;
      for (const [name, ask] of statesOf(source, viewer)) {
        const { data, known } = await shared.get(`${name} ${viewed}`, async () => stateOf(await ask()));
        const [before, at] = [last.get(name), clock.monotonic()];
        const isNews = before === undefined || before.known !== known || (before.data !== data && at - before.at >= seenMs);
        if (!isNews) continue;
        await send(name, data);
        last.set(name, { known, data, at });
      }
      if (run !== undefined) {
        for (let left = 1; left > 0 && !signal.aborted; ) {
          const from = count;
          const part = await shared.get(`trials ${from} ${viewed} ${run}`, () => partOf(source, run, from, viewerNow()));
          if (part === undefined) break;
          ({ left, total: count } = part);
          await send("trials", part.data, String(count));
        }
      }
      if (clock.monotonic() - spokeAt > aliveMs) await send("alive", "{}");
      // All streams wake together, so that those of one run tell the same trials.
      await clock.sleep(everyMs - (clock.monotonic() % everyMs), { signal });
    }
  } catch (error) {
    if (signal.aborted) return;
    const told = error instanceof FarmError ? error : new FarmError("INTERNAL", "the server failed; its log has the cause");
    await stream.writeSSE({ event: "fault", data: JSON.stringify({ code: told.code, message: told.message }) });
    if (!(error instanceof FarmError)) throw error;
  }
}

/** What is told whenever it changes. */
const statesOf = (source: PageSource, viewer: Viewer) =>
  [
    ["runs", async () => ({ runs: await source.runs(viewer) })],
    ...(source.farm
      ? ([
          ["fleet", () => source.farm?.fleet(viewer)],
          ["queue", () => source.farm?.queue(viewer)],
        ] as const)
      : []),
  ] as const;

function stateOf(state: unknown): { readonly data: string; readonly known: string } {
  const data = JSON.stringify(state);
  return { data, known: withoutTime(data) };
}

/** The trials of a run after the first `from`, as one event; undefined when there are none. */
async function partOf(source: PageSource, run: string, from: number, viewer: Viewer) {
  const columns = await source.trials(run, from, viewer, mostTrials);
  const more = columns?.sequence.length ?? 0;
  if (columns === undefined || more === 0) return undefined;
  const total = from + more;
  return { left: columns.left, total, data: JSON.stringify({ run, columns, total }) };
}

/** What differs by the time of asking alone is no change. */
const withoutTime = (data: string): string => data.replace(/"(?:atMs|lastSeenMs)":\d+/g, "");
