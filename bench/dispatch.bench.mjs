/**
 * Dispatch at scale: one tracker (and two) under 1,000 runners, 50 builders and 20 sessions over real gRPC; load, tracker and
 * PostgreSQL are processes of their own (dispatch/). A job is a run whose artifact is cached: submit -> lease -> result ->
 * acknowledged. Beside it, in the same run, what gRPC alone allows for the same jobs.
 *
 * Wanted on 2 cores: 3,000 jobs/s on PostgreSQL, 1,000 on PGlite, p99 of submit to result under 20 ms at half of that; 1,000 idle
 * runners under 10 % of a core; under 300 MB with 1,000 runners and 10,000 queued jobs on PostgreSQL; device time within 5 % of
 * the weights over 60 s.
 *
 *   npm run bench -- dispatch          or      DISPATCH=postgres,pglite,growth,two,fairness,ceilings npm run bench -- dispatch
 */
import { execFileSync } from "node:child_process";
import { loadavg } from "node:os";
import { fileURLToPath } from "node:url";
import { equalSessions, latencyLoad, offWeights, perSecond, scale, unequal, windowFor, withFarm } from "./dispatch/farm.mjs";
import { table } from "./table.mjs";

const seconds = 8;

const each = (m, s) => ((s * 1000) / m.jobs).toFixed(3);
const rowOf = (what, m) => ({
  what,
  jobs: m.jobs,
  "jobs/s": perSecond(m).toFixed(0),
  "tracker ms/job": each(m, m.trackerSeconds),
  "PostgreSQL ms/job": each(m, m.serverSeconds),
  "load ms/job": each(m, m.cpuSeconds),
  "to lease p50, p99 ms": m.leaseP50 ? `${m.leaseP50.toFixed(1)}, ${m.leaseP99.toFixed(1)}` : "",
  "to result p50, p99 ms": m.p50 ? `${m.p50.toFixed(1)}, ${m.p99.toFixed(1)}` : "",
  "tracker MB": m.memory.toFixed(0),
});

/** Full throughput, latency at half of it and at half of the target, long jobs, a long queue, an idle farm. */
async function engine(store, rows, found) {
  const wanted = store === "postgres" ? 3000 : 1000;
  const window = windowFor(scale.runners, scale.sessions);
  await withFarm({ store, ...scale, sessions: equalSessions(scale.sessions) }, async ({ order, idle, ready }) => {
    found.push({
      what: `${store}: 1,000 runners and 50 builders register`,
      measured: `${ready.startSeconds.toFixed(1)} s`,
      wanted: "",
    });
    const resting = await idle(1_000 * seconds);
    const latencyAt = async (rate, when) => {
      const m = await order({ ...latencyLoad, rate });
      rows.push(rowOf(`${store}: 0 ms jobs, ${rate} jobs/s offered${when}`, m));
      return { rate, when, ...m };
    };
    const fresh = await latencyAt(wanted / 2, " to a new store");
    const full = await order({ ms: 1_000 * seconds, warmMs: 4_000, window, jobMs: 0 });
    rows.push(rowOf(`${store}: 0 ms jobs, closed loop`, full));
    const atHalf = [fresh, await latencyAt(wanted / 2, " after that"), await latencyAt(Math.round(perSecond(full) / 2), "")];
    const long = await order({ ms: 1_000 * seconds, window, jobMs: 300 });
    rows.push(rowOf(`${store}: 300 ms jobs, closed loop (${scale.runners} runners can do 3,333)`, long));
    const queued = await order({ ms: 4_000, window: 11_000 / scale.sessions, jobMs: 300 });
    found.push(
      {
        what: `${store}: jobs a second`,
        measured: perSecond(full).toFixed(0),
        wanted: `${wanted}${verdict(perSecond(full) >= wanted)}`,
      },
      ...atHalf.map(({ rate, when, p99, leaseP99 }) => ({
        what: `${store}: p99 of submit to result at half of what is ${rate === wanted / 2 ? "wanted" : "measured"}, ${rate} jobs/s${when}`,
        measured: `${p99?.toFixed(1)} ms; to its lease ${leaseP99?.toFixed(1)} ms`,
        wanted: `20 ms${verdict(p99 < 20)}`,
      })),
      {
        what: `${store}: tracker with 1,000 idle runners`,
        measured: `${((100 * resting.trackerSeconds) / resting.wall).toFixed(1)} % of a core; PostgreSQL ${((100 * resting.serverSeconds) / resting.wall).toFixed(1)} %`,
        wanted: `10 %${verdict(resting.trackerSeconds / resting.wall < 0.1)}`,
      },
      {
        what: `${store}: memory, 1,000 runners and ${queued.open} jobs open`,
        measured: `${queued.memory.toFixed(0)} MB`,
        wanted: store === "postgres" ? `300 MB${verdict(queued.memory < 300)}` : "",
      },
    );
  });
}
const verdict = (met) => (met ? "" : " **miss**");

async function growth(rows) {
  for (const runners of [10, 100])
    await withFarm({ store: "postgres", ...scale, runners, sessions: equalSessions(scale.sessions) }, async ({ order }) => {
      const m = await order({ ms: 1_000 * seconds, window: windowFor(runners, scale.sessions), jobMs: 0 });
      rows.push(rowOf(`postgres: 0 ms jobs, ${runners} runners`, m));
    });
}

async function two(rows) {
  await withFarm({ store: "postgres", trackers: 2, ...scale, sessions: equalSessions(scale.sessions) }, async ({ order }) => {
    const m = await order({ ms: 1_000 * seconds, warmMs: 4_000, window: windowFor(scale.runners, scale.sessions), jobMs: 0 });
    rows.push(rowOf("two trackers on one PostgreSQL: 0 ms jobs, closed loop", m));
  });
}

/**
 * Sessions of unequal weight and unequal jobs on too few devices: each session's share of device time, as measured by the
 * runners.
 */
async function fairness(found) {
  const sessions = unequal;
  await withFarm({ store: "postgres", runners: 60, builders: 2, sessions }, async ({ order }) => {
    const { deviceMs, heldMs } = await order({ ms: 60_000, warmMs: 3_000, window: 200, settle: false, held: true });
    const off = offWeights(sessions, heldMs);
    const worst = Math.max(...off.map(Math.abs));
    const told = (values) =>
      sessions.map(({ weight, jobMs }, i) => `${weight} ${jobMs} ms ${(100 * values[i]).toFixed(1)} %`).join(", ");
    found.push(
      {
        what: "device time held over 60 s, off the weights by (weight, jobs)",
        measured: told(off),
        wanted: `5 %${verdict(worst <= 0.05)}`,
      },
      {
        what: "the same as the runners' timers saw it, without the way there and back",
        measured: told(offWeights(sessions, deviceMs)),
        wanted: "",
      },
    );
  });
}

async function ceilings(rows) {
  await withFarm({ store: "none", ...scale, sessions: equalSessions(scale.sessions) }, async ({ order }) => {
    const m = await order({ ms: 1_000 * seconds, warmMs: 4_000, window: windowFor(scale.runners, scale.sessions), jobMs: 0 });
    rows.push(rowOf("gRPC alone: the same messages, nothing stored", m));
    // The limit of the two cores at that rate at this minute; their speed varies by a third.
    rows.push(rowOf("gRPC alone: 1500 jobs/s offered", await order({ ...latencyLoad, rate: 1_500 })));
  });
}

const parts = {
  ceilings: (rows) => ceilings(rows),
  postgres: (rows, found) => engine("postgres", rows, found),
  pglite: (rows, found) => engine("pglite", rows, found),
  growth: (rows) => growth(rows),
  two: (rows) => two(rows),
  fairness: (_rows, found) => fairness(found),
};

export async function run() {
  const asked = process.env.DISPATCH?.split(",") ?? Object.keys(parts);
  const unknown = asked.find((name) => !(name in parts));
  if (unknown !== undefined)
    throw new Error(`DISPATCH names ${JSON.stringify(unknown)}; known are ${Object.keys(parts).join(", ")}`);
  console.log(
    execFileSync(process.execPath, [fileURLToPath(new URL("dispatch/check.mjs", import.meta.url))], {
      encoding: "utf8",
      timeout: 60_000,
    }),
  );
  /** @type {Record<string, string | number>[]} */
  const rows = [];
  /** @type {{ what: string, measured: string, wanted: string }[]} */
  const found = [];
  const began = performance.now();
  for (const name of asked)
    await parts[name](rows, found).catch((error) => found.push({ what: name, measured: `failed: ${error.message}`, wanted: "" }));
  console.log(`load average at the end ${loadavg()[0].toFixed(1)}, ${((performance.now() - began) / 1000).toFixed(0)} s\n`);
  if (rows.length > 0) table("loads", rows);
  console.log("");
  const rate = (start) => Number(rows.find((r) => String(r.what).startsWith(start))?.["jobs/s"]);
  for (const store of ["postgres", "pglite"])
    for (const ceiling of ["gRPC", store]) {
      const share = rate(`${store}: 0 ms jobs, closed`) / rate(`${ceiling} alone`);
      if (!Number.isNaN(share))
        found.push({
          what: `${store}: share of what ${ceiling === store ? "the store" : ceiling} alone allows`,
          measured: `${(100 * share).toFixed(0)} %`,
          wanted: "",
        });
    }
  if (found.length > 0) table("budgets", found);
}
