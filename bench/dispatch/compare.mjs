/**
 * Two checkouts side by side, in turn, so that what else the machine does hits both: A B A B A B. Each with its own tracker and
 * load, on PostgreSQL and on PGlite: jobs a second and processor time a job in a closed loop, p99 of submit to result at half of
 * what is wanted; and once each, how far sessions of unequal weight are off their part of the devices.
 *
 *   git worktree add ../before COMMIT && (cd ../before && npm ci && npm run build)
 *   npm run build && node bench/dispatch/compare.mjs ../before .
 *
 * Some 15 minutes. Options: --rounds 3, --stores postgres,pglite, --time 8s (of a loop; of latency it takes twice as long),
 * --fairness 60s (0s: none). The figures go into bench/results/dispatch-compare.json.
 */
import { spawnSync } from "node:child_process";
import { loadavg } from "node:os";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { parseDuration } from "@warpfarm/common";
import { saveResults } from "../results.mjs";
import { medianOf, table, takeTables } from "../table.mjs";
import { equalSessions, offWeights, perSecond, scale, unequal, windowFor, withFarm } from "./farm.mjs";

const text = /** @type {const} */ ({ type: "string" });
const options = { rounds: text, stores: text, time: text, fairness: text };
const { values, positionals } = parseArgs({ options, allowPositionals: true });
const stop = (why) => {
  console.error(why);
  process.exit(2);
};
if (positionals.length !== 2)
  stop(`give two checkouts, the older first: node bench/dispatch/compare.mjs ../before . (got ${positionals.length})`);
const rounds = Number(values.rounds ?? 3);
if (!Number.isInteger(rounds) || rounds < 1) stop(`--rounds is ${JSON.stringify(values.rounds)}; allowed: a whole number from 1`);
const stores = String(values.stores ?? "postgres,pglite").split(",");
const wanted = { postgres: 3_000, pglite: 1_000 };
const unknown = stores.find((store) => !(store in wanted));
if (unknown !== undefined) stop(`--stores names ${JSON.stringify(unknown)}; known are ${Object.keys(wanted).join(", ")}`);
const msOf = (name, unset) => {
  const ms = parseDuration(`--${name}`, values[name] ?? unset, { highMs: 3_600_000 });
  return ms.ok ? ms.value : stop(ms.error);
};
const loopMs = msOf("time", "8s");
const fairMs = msOf("fairness", "60s");

const commitOf = (path) => {
  const { status, stdout } = spawnSync("git", ["-C", path, "rev-parse", "--short=10", "HEAD"], { encoding: "utf8" });
  return status === 0 ? stdout.trim() : "unknown";
};
const checkouts = positionals.map((path, i) => ({ name: "AB"[i], path: resolve(path), commit: commitOf(path) }));
for (const { name, path, commit } of checkouts) console.log(`${name}: ${commit} ${path}`);

async function figuresOf(checkout, store) {
  return withFarm({ store, ...scale, sessions: equalSessions(scale.sessions), checkout }, async ({ order }) => {
    const window = windowFor(scale.runners, scale.sessions);
    const latency = await order({ ms: 2 * loopMs, warmMs: loopMs / 2, jobMs: 0, rate: wanted[store] / 2 });
    const loop = await order({ ms: loopMs, warmMs: loopMs / 2, window, jobMs: 0 });
    return {
      "jobs/s": perSecond(loop),
      "tracker ms/job": (1_000 * loop.trackerSeconds) / loop.jobs,
      [`p99 ms at ${wanted[store] / 2} jobs/s`]: latency.p99,
      [`tracker ms/job at ${wanted[store] / 2} jobs/s`]: (1_000 * latency.trackerSeconds) / latency.jobs,
    };
  });
}

const fairnessOf = (checkout, store) =>
  withFarm({ store, runners: 60, builders: 2, sessions: unequal, checkout }, async ({ order }) => {
    const { heldMs } = await order({ ms: fairMs, warmMs: 3_000, window: 200, settle: false, held: true });
    return Math.max(...offWeights(unequal, heldMs).map(Math.abs));
  });

const shown = (value) => value.toPrecision(4);
const began = performance.now();
const runs = [];
for (let round = 1; round <= rounds; round++)
  for (const store of stores)
    for (const { name, path } of checkouts) {
      const figures = await figuresOf(path, store);
      runs.push({ round, store, name, figures });
      const words = Object.entries(figures).map(([what, value]) => `${what} ${shown(value)}`);
      console.log(`round ${round}, ${store}, ${name}: ${words.join("; ")}; load ${loadavg()[0].toFixed(1)}`);
    }
const rows = stores.flatMap((store) => {
  const of = (name) => runs.filter((run) => run.store === store && run.name === name).map(({ figures }) => figures);
  const [a, b] = [of("A"), of("B")];
  return Object.keys(a[0]).map((what) => {
    const ratios = a.map((figures, i) => b[i][what] / figures[what]);
    return {
      store,
      what,
      A: shown(medianOf(a.map((figures) => figures[what]))),
      B: shown(medianOf(b.map((figures) => figures[what]))),
      "B/A, the median": medianOf(ratios).toFixed(3),
      "B/A by round": ratios.map((ratio) => ratio.toFixed(3)).join(" "),
    };
  });
});
console.log("");
table("ratios", rows);
if (fairMs > 0) {
  const off = [];
  for (const store of stores) {
    const [a, b] = [await fairnessOf(checkouts[0].path, store), await fairnessOf(checkouts[1].path, store)];
    off.push({
      store,
      what: `most off its weight within ${fairMs / 1_000} s`,
      A: `${(100 * a).toFixed(1)} %`,
      B: `${(100 * b).toFixed(1)} %`,
    });
  }
  console.log("");
  table("fairness", off);
}
console.log(`\nload average at the end ${loadavg()[0].toFixed(1)}, ${((performance.now() - began) / 1000).toFixed(0)} s`);
const commits = checkouts.map(({ name, commit }) => ({ name, commit }));
saveResults("dispatch-compare", "node bench/dispatch/compare.mjs BEFORE .", { commits, ...takeTables() });
