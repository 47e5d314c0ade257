/**
 * What the page costs a tracker while 100 results a second come in: processor time of the tracker's process, its embedded store
 * included. Without a page and with one browser in turns, so that whatever else the machine does meets both alike; then with 50
 * more event streams and three browsers, all on the run that goes on. Wanted: the page takes less than a tenth of a core with one
 * browser, and every stream gets every trial. A machine that cannot take 100 a second has its figures scaled to them, which makes
 * the page look dearer than it is: part of its cost is by the second. Workers and client are scripted, in this process.
 * `npm run bench -- page-tracker` (two minutes; PAGE_SECONDS=2 for a quick look).
 */
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { AsyncQueue, canonicalJson, defaultMeasureOptions, digestOf } from "@warpfarm/common";
import { connect, protocolVersion } from "@warpfarm/proto";
import { Synchronizer } from "@warpfarm/worker";
import { chromium } from "playwright-core";
import { buildScripted } from "../test-support/farm/script.mjs";
import { timedResult } from "./dispatch/timed-result.mjs";
import { medianOf, table } from "./table.mjs";

const seconds = Number(process.env.PAGE_SECONDS ?? 12);
const rounds = 3;
/** A page may take long to come on a machine that is busy, and that is not what is measured. */
const patienceMs = 120_000;
const perSecond = 100;
const streams = 50;
const browsers = 3;
const target = "cpu/x86-64-v3";
const runners = 8;
/** As `getconf CLK_TCK` says on every Linux of ours. */
const ticksPerSecond = 100;
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function startTracker(directory) {
  const bin = fileURLToPath(new URL("../bin/warpfarm.js", import.meta.url));
  const flags = ["tracker", "--listen", "127.0.0.1:0", "--http", "127.0.0.1:0", "--data", directory];
  const child = spawn(process.execPath, [bin, ...flags], { stdio: ["ignore", "pipe", "ignore"] }); // it tells of each upload
  for await (const line of createInterface({ input: child.stdout })) {
    const [, address, http] = /ready grpc=(\S+) http=(\S+)/.exec(line) ?? [];
    if (address !== undefined) return { child, address, http };
  }
  throw new Error("the tracker ended before it was ready");
}

function startWorkers(address, signal) {
  const { worker, artifacts } = connect({ address });
  const begin = (role, count, work) => {
    const registration = { node: `${role.kind}-${randomUUID()}`, labels: {}, role };
    const run = { registration, capacity: [{ device: 0, count }], work: ({ job }) => work(job) };
    void new Synchronizer({ client: worker, role: run }).run({ signal }).catch(() => {});
  };
  begin({ kind: "builder", slots: 8, targets: [target], toolchains: ["scripted"], compilerVersion: "0" }, 8, async (job) => {
    const artifact = await buildScripted({ program: job.program.digest, target }, (bytes) => artifacts.upload(bytes));
    return { kind: "built", artifact, buildMs: 1, cached: false };
  });
  for (let n = 0; n < runners; n++) {
    const facts = { key: target, name: "scripted", uuid: `scripted-${n}`, node: `runner-${n}`, driver: "none" };
    const devices = [{ device: 0, facts, memoryBytes: 2 ** 30, limits: { threads: 1 } }];
    begin({ kind: "runner", devices }, 1, async (job) => ({
      kind: "run",
      result: timedResult(job.artifact, facts, Date.now()),
    }));
  }
}

/** A search that sends a given number of trials per second, as long as the farm keeps up. */
async function startSearch(address) {
  const { farm } = connect({ address });
  const { sessionId } = await farm.openSession({
    requestId: randomUUID(),
    protocolVersion,
    task: "steady",
    selector: target,
    options: { ...defaultMeasureOptions("cpu"), check: "none" },
    priority: 0,
    maxInFlight: 256,
    labels: {},
    provenance: { task: "steady", args: [], tuner: "random", trials: 1_000_000 },
  });
  const outgoing = new AsyncQueue(1024);
  outgoing.tryPush({ kind: "start", sessionId, resumeAfter: 0 });
  const state = { id: sessionId, sent: 0, received: 0, isOver: false };
  const begun = performance.now();
  const timer = setInterval(() => {
    const due = ((performance.now() - begun) / 1000) * perSecond;
    while (state.sent < due && state.sent - state.received < 200) {
      const graph = { name: randomUUID() };
      const text = canonicalJson({ version: 1, kind: "schedule", target, graph, intrinsics: [], trace: [] });
      const program = { digest: digestOf(text), bytes: Buffer.from(text) };
      const config = JSON.stringify({ index: state.sent, code_hash: null, entity: [["tile", "ot", state.sent % 16]] });
      const proposal = { config, trial: ++state.sent, told: state.received };
      outgoing.tryPush({ kind: "input", sequence: state.sent, program: { kind: "program", program }, proposal });
    }
  }, 20);
  const reading = (async () => {
    for await (const event of farm.measure(outgoing)) {
      if (event.kind !== "result") continue;
      state.received++;
      outgoing.tryPush({ kind: "receipt", receivedThrough: 0, received: [event.sequence] });
    }
  })().catch((error) => {
    if (!state.isOver) throw error;
  });
  return { state, stop: () => clearInterval(timer), reading };
}

/** Reads a stream of events to its end, and counts the trials in it. */
async function watch(http, run, signal, seen) {
  const reply = await fetch(`http://${http}/api/events?run=${run}`, { signal });
  if (!reply.body) throw new Error(`the stream of ${run} has no body`);
  let rest = "";
  for await (const bytes of reply.body.pipeThrough(new TextDecoderStream())) {
    const parts = (rest + bytes).split("\n\n");
    rest = parts.pop() ?? "";
    for (const part of parts) {
      const total = part.startsWith("event: trials") && /"total":(\d+)/.exec(part)?.[1];
      if (total) seen.trials = Number(total);
    }
  }
}

/** Processor time of a process and its threads, in seconds. */
function cpuSeconds(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}

/**
 * @typedef {{ rate: number, share: number, scaled: number }} Measured
 * @param {Measured[]} all
 * @param {(one: Measured) => number} of
 */
const medianBy = (all, of) => medianOf(all.map(of));

/** Percent of a core at the rate that is wanted, and the rate that was reached. */
async function measured(pid, state) {
  await pause(2_000); // what a first look costs is not what goes on
  const [cpu, results, at] = [cpuSeconds(pid), state.received, performance.now()];
  await pause(seconds * 1_000);
  const wall = (performance.now() - at) / 1_000;
  const rate = (state.received - results) / wall;
  const share = (100 * (cpuSeconds(pid) - cpu)) / wall;
  return { rate, share, scaled: (share * perSecond) / rate };
}

const row = (what, all, more) => ({
  what,
  "results/s": medianBy(all, ({ rate }) => rate).toFixed(0),
  "% of a core": medianBy(all, ({ share }) => share).toFixed(1),
  [`at ${perSecond} results/s`]: medianBy(all, ({ scaled }) => scaled).toFixed(1),
  "more than without": more,
});

export async function run() {
  const directory = mkdtempSync(join(tmpdir(), "warpfarm-page-tracker-"));
  const { child, address, http } = await startTracker(directory);
  const ended = once(child, "exit");
  const stopped = new AbortController();
  const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
  try {
    startWorkers(address, stopped.signal);
    const search = await startSearch(address);
    const { state } = search;
    while (state.received < 200) await pause(50);
    const pages = await Promise.all(Array.from({ length: browsers }, () => newPage(browser)));
    const look = async (page) => {
      await page.goto(`http://${http}/run/${state.id}`);
      await page.getByText(/trials; the best takes/).waitFor();
    };
    const alone = /** @type {Measured[]} */ ([]);
    const one = /** @type {Measured[]} */ ([]);
    const differences = () => one.map(({ scaled }, round) => scaled - (alone[round]?.scaled ?? Number.NaN));
    for (let round = 0; round < rounds; round++) {
      await pages[0].goto("about:blank");
      alone.push(await measured(child.pid, state));
      await look(pages[0]);
      one.push(await measured(child.pid, state));
      console.log(`round ${round + 1} of ${rounds}: ${differences()[round]?.toFixed(1)} % of a core more with a browser`);
    }
    for (const page of pages.slice(1)) await look(page);
    const seen = Array.from({ length: streams }, () => ({ trials: 0 }));
    for (const each of seen) void watch(http, state.id, stopped.signal, each).catch(() => {});
    const many = await measured(child.pid, state);
    search.stop();
    const isWhole = () => state.received === state.sent && seen.every(({ trials }) => trials === state.sent);
    for (let i = 0; i < 600 && !isWhole(); i++) await pause(100);
    const whole = seen.filter(({ trials }) => trials === state.sent).length;
    state.isOver = true;
    const aloneScaled = medianBy(alone, ({ scaled }) => scaled);
    table("page-tracker", [
      row("no page", alone, "–"),
      row("1 browser", one, `${medianOf(differences()).toFixed(1)} (wanted: under 10)`),
      row(`${browsers} browsers and ${streams} streams`, [many], (many.scaled - aloneScaled).toFixed(1)),
    ]);
    table("streams", [
      { streams, "with every trial": whole, trials: state.sent, "load of the machine": loadavg()[0]?.toFixed(1) },
    ]);
  } finally {
    stopped.abort();
    await browser.close();
    child.kill("SIGTERM");
    await ended;
    rmSync(directory, { recursive: true, force: true });
  }
}

async function newPage(browser) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  page.setDefaultTimeout(patienceMs);
  return page;
}
