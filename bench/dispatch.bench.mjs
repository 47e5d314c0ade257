/**
 * Dispatch at scale: one tracker under 1,000 runners, 50 builders and 20 sessions over real gRPC. Load, tracker and PostgreSQL
 * are processes of their own (dispatch/). A job is a run whose artifact is cached: submit -> lease -> result -> acknowledged.
 * Beside it, in the same run, what gRPC alone allows for the same jobs.
 *
 * Wanted on 2 cores: 3,000 jobs/s on PostgreSQL, 1,000 on PGlite, p99 of submit to result under 20 ms at half of that; 1,000 idle
 * runners under 10 % of a core; under 300 MB with 1,000 runners and 10,000 queued jobs on PostgreSQL.
 *
 *   npm run bench -- dispatch          or      DISPATCH=postgres,pglite,ceilings npm run bench -- dispatch
 */
import { execFileSync } from "node:child_process";
import { loadavg } from "node:os";
import { fileURLToPath } from "node:url";
import { equalSessions, latencyLoad, perSecond, scale, windowFor, withFarm } from "./dispatch/farm.mjs";
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

async function ceilings(rows) {
  await withFarm({ store: "none", ...scale, sessions: equalSessions(scale.sessions) }, async ({ order }) => {
    const m = await order({ ms: 1_000 * seconds, warmMs: 4_000, window: windowFor(scale.runners, scale.sessions), jobMs: 0 });
    rows.push(rowOf("gRPC alone: the same messages, nothing stored", m));
    // The limit of the two cores at that rate at this minute; their speed varies by a third.
    rows.push(rowOf("gRPC alone: 1500 jobs/s offered", await order({ ...latencyLoad, rate: 1_500 })));
  });
}

const parts = {
  ceilings,
  postgres: (rows, found) => engine("postgres", rows, found),
  pglite: (rows, found) => engine("pglite", rows, found),
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
