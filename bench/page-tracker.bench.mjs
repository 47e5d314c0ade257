/**
 * What the page costs a tracker while 100 results a second come in: processor time of the tracker's process without a page, with
 * one stream of events as a browser holds it, with three browsers, with 50 streams, and with all of these at once. The cases take
 * turns, and each round is compared with its round without a page. Tracker and load (scripted builders, runners and a search
 * whose programs are built once) are processes of their own (dispatch/); browsers and streams are here. On PostgreSQL, which is
 * its own process, and on the embedded store, which is part of the tracker's. Wanted: less than a tenth of a core, and every
 * trial on every stream.
 *
 *   npm run bench -- page-tracker        # PAGE_SECONDS and PAGE_ROUNDS for less or more
 */
import { loadavg } from "node:os";
import { setTimeout as pause } from "node:timers/promises";
import { chromium } from "playwright-core";
import { withFarm } from "./dispatch/farm.mjs";
import { medianOf, table } from "./table.mjs";

const seconds = Number(process.env.PAGE_SECONDS ?? 6);
const rounds = Number(process.env.PAGE_ROUNDS ?? 5);
const stores = (process.env.PAGE_STORES ?? "postgres,pglite").split(",");
const warmMs = 3_000;
/** A page may take long to come on a machine that is busy, and that is not what is measured. */
const patienceMs = 120_000;
const rate = 100;
const wantedPercent = 10;
const cases = [
  { what: "no page", streams: 0, browsers: 0 },
  { what: "1 stream", streams: 1, browsers: 0 },
  { what: "3 browsers", streams: 0, browsers: 3 },
  { what: "50 streams", streams: 50, browsers: 0 },
  { what: "3 browsers and 50 streams", streams: 50, browsers: 3 },
];

/** A stream of events as a browser holds it; it goes on where it was cut. */
class Stream {
  trials = 0;
  #stopped = new AbortController();

  /** Reads until `close`, and counts the trials. */
  async open(http, run) {
    this.#stopped = new AbortController();
    const headers = { "last-event-id": String(this.trials) };
    const reply = await fetch(`http://${http}/api/events?see=run&run=${run}`, { headers, signal: this.#stopped.signal });
    if (!reply.ok || !reply.body) throw new Error(`the stream of ${run} is refused: ${reply.status}`);
    void this.#read(reply.body).catch(() => {});
  }
  async #read(body) {
    let rest = "";
    for await (const bytes of body.pipeThrough(new TextDecoderStream())) {
      const parts = (rest + bytes).split("\n\n");
      rest = parts.pop() ?? "";
      for (const part of parts) {
        const total = part.startsWith("event: trials") && /"total":(\d+)/.exec(part)?.[1];
        if (total) this.trials = Number(total);
      }
    }
  }
  close() {
    this.#stopped.abort();
  }
}

async function look(page, http, run) {
  await page.goto(`http://${http}/run/${run}`);
  await page.getByText(/trials; the best takes/).waitFor();
}

async function measureOn(store, browser) {
  const farm = { store, http: "127.0.0.1:0", runners: 8, builders: 1, sessions: [{ trials: 1_000_000 }] };
  return withFarm(farm, async ({ order, ready, page: http }) => {
    const [run] = ready.ids;
    const pages = await Promise.all(Array.from({ length: 3 }, () => newPage(browser)));
    const streams = Array.from({ length: 50 }, () => new Stream());
    const measured = cases.map(() => /** @type {{ rate: number, told: number, tracker: number, server: number }[]} */ ([]));
    await order({ rate, warmMs, ms: 1_000 });
    let [sent, behind] = [0, 0];
    for (let round = 0; round < rounds; round++)
      for (const [i, { streams: n, browsers }] of cases.entries()) {
        const watching = streams.slice(0, n);
        await Promise.all(watching.map((stream) => stream.open(http, run)));
        await Promise.all(pages.slice(0, browsers).map((page) => look(page, http, run)));
        const warm = pause(warmMs).then(() => watching[0]?.trials ?? 0);
        const { wall, jobs, trackerSeconds, serverSeconds, ...more } = await order({ rate, warmMs, ms: seconds * 1_000 });
        ({ sent } = more);
        behind = Math.max(behind, ...watching.map(({ trials }) => sent - trials));
        const share = (spent) => (100 * spent) / wall;
        const told = ((watching[0]?.trials ?? 0) - (await warm)) / wall;
        measured[i]?.push({ rate: jobs / wall, told, tracker: share(trackerSeconds), server: share(serverSeconds) });
        for (const stream of watching) stream.close();
        for (const page of pages.slice(0, browsers)) await page.goto("about:blank");
      }
    await Promise.all(streams.map((stream) => stream.open(http, run)));
    for (let i = 0; i < patienceMs / 100 && streams.some(({ trials }) => trials !== sent); i++) await pause(100);
    const whole = streams.filter(({ trials }) => trials === sent).length;
    for (const stream of streams) stream.close();
    await Promise.all(pages.map((page) => page.close()));
    return { measured, whole, sent, behind };
  });
}

/**
 * Percent of a core, and by how much more than without a page at the same rate of results, which a busy machine does not always
 * reach: the median of the rounds, and the least and the most.
 */
function rowsOf(store, measured) {
  const [without = []] = measured;
  return measured.map((all, i) => {
    const more = (of) =>
      all
        .map((one, round) => of(one) - (of(without[round]) * one.rate) / (without[round]?.rate ?? one.rate))
        .sort((a, b) => a - b);
    const spread = (values) => `${medianOf(values).toFixed(1)} (${values[0]?.toFixed(1)} to ${values.at(-1)?.toFixed(1)})`;
    const cost = more(({ tracker }) => tracker);
    return {
      store,
      case: cases[i]?.what,
      "results/s": medianOf(all.map((one) => one.rate)).toFixed(0),
      "told on a stream, /s": cases[i]?.streams ? medianOf(all.map((one) => one.told)).toFixed(0) : "–",
      "tracker, % of a core": medianOf(all.map((one) => one.tracker)).toFixed(1),
      "database server": store === "postgres" ? medianOf(all.map((one) => one.server)).toFixed(1) : "in the tracker",
      "the page costs the tracker": i === 0 ? "–" : `${spread(cost)}${medianOf(cost) < wantedPercent ? "" : " **miss**"}`,
      "and the server": i === 0 || store !== "postgres" ? "–" : spread(more(({ server }) => server)),
    };
  });
}

export async function run() {
  const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
  const costs = [];
  const told = [];
  try {
    for (const store of stores) {
      const { measured, whole, sent, behind } = await measureOn(store, browser);
      costs.push(...rowsOf(store, measured));
      const load = loadavg()[0]?.toFixed(1);
      told.push({
        ...{ store, streams: 50, "with every trial": whole, trials: sent },
        // Results whose records are not written yet, mostly.
        ...{ "furthest behind, trials": behind, "load of the machine": load },
      });
    }
  } finally {
    await browser.close();
  }
  console.log(`${rounds} rounds of ${seconds} s a case; wanted: under ${wantedPercent} % of a core at ${rate} results a second`);
  table("page-tracker", costs);
  table("streams", told);
}

async function newPage(browser) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  page.setDefaultTimeout(patienceMs);
  return page;
}
