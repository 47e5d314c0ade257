/**
 * One stream of server-sent events for each browser: state as it is when it changed, and the trials of one run as they end. The
 * source is asked at most four times a second for each viewer and run, however many browsers there are. The id of a `trials`
 * event is the number of trials told so far, so that a stream that was cut off goes on where it was (Last-Event-ID).
 */
import { type Clock, defined, FarmError } from "@warpfarm/common";
import type { Context } from "hono";
import { streamSSE } from "hono/streaming";
import type { TrialColumns } from "../api.ts";
import type { PageSource, Viewer } from "../source.ts";

const everyMs = 250;
/** Trials in one event, of half a megabyte: while a browser reads it the next one is made. */
const mostTrials = 10_000;
/** A browser that takes nothing for this long is cut off; it comes again by itself. */
const stuckMs = 20_000;
/** Something is sent this often, so that proxies and the page see that the stream lives. */
const aliveMs = 10_000;
/** When nodes were last seen is told this often, though nothing else of them changed. */
const seenMs = 5_000;

/** Answers that several streams share, for a quarter of a second. */
class Shared {
  readonly #answers = new Map<string, { readonly at: number; readonly answer: Promise<string> }>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get(key: string, ask: () => Promise<unknown>): Promise<string> {
    const now = this.#clock.monotonic();
    const known = this.#answers.get(key);
    if (known && now - known.at < everyMs) return known.answer;
    for (const [name, { at }] of this.#answers) if (now - at >= everyMs) this.#answers.delete(name);
    const answer = ask().then((value) => JSON.stringify(value));
    this.#answers.set(key, { at: now, answer });
    return answer;
  }
}

/** Who may open one more stream: a browser needs one. Of those one viewer who is known by name has half at most. */
const mostStreams = 200;
const mostOfOne = mostStreams / 2;

export function eventStreams(source: PageSource, clock: Clock) {
  const shared = new Shared(clock);
  let open = 0;
  const own = new Map<string, number>();

  return (c: Context, viewerNow: () => Viewer): Response => {
    const { name } = viewerNow();
    const isNamed = name !== "" && name !== "local";
    if (isNamed && (own.get(name) ?? 0) >= mostOfOne)
      throw new FarmError(
        "RESOURCE_EXHAUSTED",
        `${mostOfOne} browsers of ${name} watch this server, as many as one may: close some pages`,
      );
    if (open >= mostStreams)
      throw new FarmError(
        "RESOURCE_EXHAUSTED",
        `${open} browsers watch this server; at most ${mostStreams} may: close some pages`,
      );
    const run = c.req.query("run");
    const told = Number(c.req.header("last-event-id") ?? c.req.query("after") ?? 0);
    c.header("cache-control", "no-store");
    return streamSSE(c, async (stream) => {
      open++;
      own.set(name, (own.get(name) ?? 0) + 1);
      const ended = new AbortController();
      stream.onAbort(() => ended.abort());
      try {
        await tell(stream, ended.signal, { viewerNow, run, told: Number.isSafeInteger(told) && told > 0 ? told : 0 });
      } finally {
        open--;
        own.set(name, (own.get(name) ?? 1) - 1);
        if (own.get(name) === 0) own.delete(name);
      }
    });
  };

  async function tell(
    stream: { writeSSE(message: { event: string; data: string; id?: string }): Promise<void> },
    signal: AbortSignal,
    { viewerNow, run, told }: { readonly viewerNow: () => Viewer; readonly run: string | undefined; readonly told: number },
  ): Promise<void> {
    const last = new Map<string, { readonly known: string; readonly data: string; readonly at: number }>();
    let count = told;
    let spokeAt = clock.monotonic();
    const send = async (event: string, data: string, id?: string) => {
      spokeAt = clock.monotonic();
      const stuck = clock.sleep(stuckMs, { signal }).then(() => "stuck");
      const written = await Promise.race([stream.writeSSE({ event, data, ...defined({ id }) }), stuck.catch(() => "stuck")]);
      if (written === "stuck") throw new FarmError("DEADLINE_EXCEEDED", "the browser takes nothing");
    };
    try {
      while (!signal.aborted) {
        const viewer = viewerNow(); // whose token is taken away sees nothing more
        for (const [name, ask] of statesOf(source, viewer)) {
          const data = await shared.get(`${name} ${viewer.isAdmin} ${viewer.name}`, async () => ask());
          const [known, before, at] = [withoutTime(data), last.get(name), clock.monotonic()];
          const isNews = before === undefined || before.known !== known || (before.data !== data && at - before.at >= seenMs);
          if (!isNews) continue;
          await send(name, data);
          last.set(name, { known, data, at });
        }
        if (run !== undefined) {
          for await (const { columns, total } of piecesOf(source, run, count, viewerNow, signal)) {
            count = total;
            await send("trials", JSON.stringify({ run, columns, total }), String(total));
          }
        }
        if (clock.monotonic() - spokeAt > aliveMs) await send("alive", "{}");
        await clock.sleep(everyMs, { signal });
      }
    } catch (error) {
      if (signal.aborted) return;
      const told = error instanceof FarmError ? error : new FarmError("INTERNAL", "the server failed; its log has the cause");
      await stream.writeSSE({ event: "fault", data: JSON.stringify({ code: told.code, message: told.message }) });
      if (!(error instanceof FarmError)) throw error;
    }
  }
}

/** The trials that are there and not told, in pieces. */
async function* piecesOf(
  source: PageSource,
  run: string,
  told: number,
  viewerNow: () => Viewer,
  signal: AbortSignal,
): AsyncGenerator<{ readonly columns: TrialColumns; readonly total: number }> {
  for (let [left, total] = [1, told]; left > 0 && !signal.aborted; ) {
    const columns = await source.trials(run, total, viewerNow(), mostTrials);
    const more = columns?.sequence.length ?? 0;
    if (columns === undefined || more === 0) return;
    left = columns.left;
    total += more;
    yield { columns, total };
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

/** What differs by the time of asking alone is no change. */
const withoutTime = (data: string): string => data.replace(/"(?:atMs|lastSeenMs)":\d+/g, "");
