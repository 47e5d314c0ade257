/**
 * One stream of server-sent events for each browser: the states that it shows as they change, and the trials of one run as they
 * end. The source is asked at most twice a second for trials and once a second for states, for each viewer and run, and an
 * answer is encoded once, however many browsers there are. The id of a `trials` event is the number of trials told so far, so
 * that a stream that was cut off goes on where it was (Last-Event-ID).
 */
import type { HttpBindings } from "@hono/node-server";
import { after, type Clock, FarmError } from "@warpfarm/common";
import type { Context } from "hono";
import type { PageSource, Viewer } from "../source.ts";

const everyMs = 500;
const stateEveryMs = 1_000;
/** Most trials in one event, about half a megabyte; while a browser reads it, the next event is prepared. */
const mostTrials = 10_000;
/** A browser that reads nothing for this long is disconnected; it reconnects by itself. */
const stuckMs = 20_000;
/** The longest silence, so that proxies and the page see that the stream is alive. */
const aliveMs = 10_000;
/** The times at which nodes were last seen are sent at this interval, even when nothing else changed. */
const seenMs = 5_000;

const states = ["run", "runs", "fleet", "queue"] as const;
type StateName = (typeof states)[number];

/** Answers shared by several streams, each until the clock's next multiple of its age. */
class Shared {
  readonly #answers = new Map<string, { readonly ageMs: number; readonly turn: number; readonly answer: Promise<unknown> }>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get<T>(key: string, ageMs: number, ask: () => Promise<T>): Promise<T> {
    const now = this.#clock.monotonic();
    const isOld = ({ ageMs: age, turn }: { readonly ageMs: number; readonly turn: number }) => Math.floor(now / age) !== turn;
    const known = this.#answers.get(key);
    if (known && !isOld(known)) return known.answer as Promise<T>;
    for (const [name, entry] of this.#answers) if (isOld(entry)) this.#answers.delete(name);
    const answer = ask();
    this.#answers.set(key, { ageMs, turn: Math.floor(now / ageMs), answer });
    return answer;
  }

  forget(): void {
    this.#answers.clear();
  }
}

/**
 * Limits the streams; a browser needs one. One viewer may hold at most half of them, and so may all unidentified viewers
 * together. Some are kept for admins, who need to see what is wrong with the farm, unless everybody is `local`.
 */
const mostStreams = 200;
const mostOfOne = mostStreams / 2;
const keptForAdmins = mostStreams / 10;

class Places {
  #taken = 0;
  #ofOthers = 0;
  readonly #own = new Map<string, number>();

  /** Throws when no further stream is free for that viewer. Call the result once, when the stream ends. */
  take({ name, isAdmin }: Viewer): () => void {
    const full = (words: string): never => {
      throw new FarmError("RESOURCE_EXHAUSTED", words);
    };
    const who = name === "" ? "without a sign-in" : `of ${name}`;
    if (name !== "local" && (this.#own.get(name) ?? 0) >= mostOfOne)
      full(
        `${mostOfOne} browsers ${who} watch this server, the most that may: close some pages${name === "" ? ", or sign in" : ""}`,
      );
    const ofAll = [this.#taken, mostStreams] as const;
    const ofOthers = [this.#ofOthers, mostStreams - keptForAdmins] as const;
    for (const [taken, most] of isAdmin ? [ofAll] : [ofOthers, ofAll])
      if (taken >= most) full(`${taken} browsers watch this server; at most ${most} may: close some pages`);
    const count = (by: 1 | -1) => {
      this.#taken += by;
      if (!isAdmin) this.#ofOthers += by;
      const own = (this.#own.get(name) ?? 0) + by;
      if (own === 0) this.#own.delete(name);
      else this.#own.set(name, own);
    };
    count(1);
    return () => count(-1);
  }
}

/** `forget`: somebody changed something here, and the streams show it at their next turn. */
export function eventStreams(source: PageSource, clock: Clock, onError: (error: unknown) => void) {
  const shared = new Shared(clock);
  const places = new Places();

  function open(c: Context, viewerNow: () => Viewer): Response {
    const viewer = viewerNow();
    const run = c.req.query("run");
    const see = seeOf(c.req.query("see"));
    const past = Number(c.req.header("last-event-id") ?? c.req.query("after") ?? 0);
    const told = Number.isSafeInteger(past) && past > 0 ? past : 0;
    if (c.req.method === "HEAD") return c.body(null, 200, streamHeaders);
    const leave = places.take(viewer);
    const ended = new AbortController();
    ended.signal.addEventListener("abort", leave, { once: true });
    const listener = { signal: ended.signal, viewerNow, run, see, told };
    const { outgoing } = (c.env ?? {}) as Partial<HttpBindings>;
    const body = streamOf(eventsFor(listener, { source, clock, shared, onError }), ended, clock, () => outgoing?.destroy());
    return c.body(body, 200, streamHeaders);
  }
  return { open, forget: () => shared.forget() };
}

/** Chunked: else the server waits for some events before it sends the head. */
const streamHeaders = { "content-type": "text/event-stream", "cache-control": "no-store", "transfer-encoding": "chunked" };

function seeOf(text: string | undefined): readonly StateName[] {
  if (text === undefined) return ["runs", "fleet", "queue"];
  return text.split(",").flatMap((word) => {
    const found = states.find((name) => name === word);
    if (found === undefined && word !== "")
      throw new FarmError("INVALID_ARGUMENT", `see has ${JSON.stringify(word)}; it is a list of ${states.join(", ")}`);
    return found ?? [];
  });
}

/** A part is made when the browser has taken the one before. `cut` ends its connection, which cancels the stream. */
function streamOf(
  parts: AsyncGenerator<Uint8Array, void>,
  ended: AbortController,
  clock: Clock,
  cut: () => void,
): ReadableStream<Uint8Array> {
  let stuck: Disposable | undefined;
  const end = () => {
    stuck?.[Symbol.dispose]();
    ended.abort();
  };
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        stuck?.[Symbol.dispose]();
        const { value, done } = await parts.next();
        if (done) {
          end();
          return controller.close();
        }
        controller.enqueue(value);
        stuck = after(clock, stuckMs, cut);
      },
      async cancel() {
        end();
        await parts.return();
      },
    },
    { highWaterMark: 0 },
  );
}

interface Listener {
  readonly signal: AbortSignal;
  readonly viewerNow: () => Viewer;
  readonly run: string | undefined;
  readonly see: readonly StateName[];
  readonly told: number;
}
interface Told {
  readonly source: PageSource;
  readonly clock: Clock;
  readonly shared: Shared;
  readonly onError: (error: unknown) => void;
}

/** The content of one turn is one part, until the browser leaves. */
async function* eventsFor(
  { signal, viewerNow, run, see, told }: Listener,
  { source, clock, shared, onError }: Told,
): AsyncGenerator<Uint8Array, void> {
  const last = new Map<StateName, { readonly known: string; readonly data: Buffer; readonly at: number }>();
  let count = told;
  let spokeAt = clock.monotonic();
  try {
    while (!signal.aborted) {
      const viewer = viewerNow(); // whose token is taken away sees nothing more
      const news: Buffer[] = [];
      for (const name of see) {
        const state = await stateOf(name, { source, shared, viewer, run });
        const [before, at] = [last.get(name), clock.monotonic()];
        if (state === undefined) continue;
        const isSame = before?.data === state.data || (before?.known === state.known && at - before.at < seenMs);
        if (isSame || before?.data.equals(state.data)) continue;
        news.push(state.data);
        last.set(name, { ...state, at });
      }
      const part = run === undefined ? undefined : await trialsOf(run, count, { source, shared, viewer });
      if (part !== undefined) {
        count = part.total;
        news.push(part.data);
      }
      if (news.length === 0 && clock.monotonic() - spokeAt > aliveMs) news.push(event("alive", "{}"));
      if (news.length > 0) {
        yield news.length === 1 ? (news[0] as Buffer) : Buffer.concat(news);
        spokeAt = clock.monotonic();
      }
      // All streams wake together, so that those of one run send the same trials.
      if (!part?.left) await clock.sleep(everyMs - (clock.monotonic() % everyMs), { signal });
    }
  } catch (error) {
    if (signal.aborted) return;
    const known = error instanceof FarmError ? error : new FarmError("INTERNAL", "the server failed; its log has the cause");
    if (known !== error) onError(error);
    yield event("fault", JSON.stringify({ code: known.code, message: known.message }));
  }
}

/** An event as it goes over the wire. JSON has no line breaks. */
const event = (name: string, json: string, id?: number): Buffer =>
  Buffer.from(`event: ${name}\ndata: ${json}\n${id === undefined ? "" : `id: ${id}\n`}\n`);

interface Asking {
  readonly source: PageSource;
  readonly shared: Shared;
  readonly viewer: Viewer;
}
const nameOf = ({ isAdmin, name }: Viewer): string => `${isAdmin} ${name}`;

/** Undefined: this source has no such state. */
function stateOf(name: StateName, { source, shared, viewer, run }: Asking & { readonly run: string | undefined }) {
  const viewed = nameOf(viewer);
  const runs = () => shared.get(`list ${viewed}`, stateEveryMs, () => source.runs(viewer));
  const ask = {
    run: async () => (run === undefined ? undefined : (await runs()).find(({ id }) => id === run)),
    runs: async () => ({ runs: await runs() }),
    fleet: async () => source.farm?.fleet(viewer),
    queue: async () => source.farm?.queue(viewer),
  }[name];
  return shared.get(`${name} ${viewed} ${name === "run" ? run : ""}`, stateEveryMs, async () => {
    const state = await ask();
    if (state === undefined) return undefined;
    const json = JSON.stringify(state);
    return { data: event(name, json), known: withoutTime(json) };
  });
}

function trialsOf(run: string, from: number, { source, shared, viewer }: Asking) {
  return shared.get(`trials ${from} ${nameOf(viewer)} ${run}`, everyMs, async () => {
    const columns = await source.trials(run, from, viewer, mostTrials);
    const more = columns?.sequence.length ?? 0;
    if (columns === undefined || more === 0) return undefined;
    const total = from + more;
    return { left: columns.left, total, data: event("trials", JSON.stringify({ run, columns, total }), total) };
  });
}

/** A difference that follows from the time of asking alone is no change. */
const withoutTime = (data: string): string => data.replace(/"(?:atMs|lastSeenMs)":\d+/g, "");
