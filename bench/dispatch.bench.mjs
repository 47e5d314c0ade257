/**
 * Dispatch: jobs a second through one tracker over real gRPC, tracker and load in processes of their own (dispatch/). A job is a run whose
 * artifact is cached: submit -> lease -> result -> acknowledged. Wanted on 2 cores: 1,000 jobs/s on PGlite, 3,000 on PostgreSQL, p99 of
 * submit to result under 20 ms at half that. On a shared machine jobs/s means little; processor time a job is what to compare.
 *
 *   node bench/dispatch.bench.mjs [--store pglite|postgres] [--runners 100] [--sessions 20] [--window 64] [--jobs 6000] [--rate 0]
 *                                 [--job-ms 0] [--profile DIR]
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { tsImport } from "tsx/esm/api";
import { table } from "./table.mjs";

/** As a user would run it: commits wait for the disk. */
async function startPostgres() {
  const { startPostgres } = await tsImport("../tracker/test/postgres.testing.ts", import.meta.url);
  return startPostgres({ durable: true });
}

const file = (name) => fileURLToPath(new URL(`dispatch/${name}`, import.meta.url));

/** User and system seconds of a process and its live children so far. */
function processorSeconds(pid) {
  const stat = (id) => {
    try {
      const fields = readFileSync(`/proc/${id}/stat`, "utf8")
        .replace(/^.*\) /, "")
        .split(" ");
      return { parent: Number(fields[1]), seconds: (Number(fields[11]) + Number(fields[12])) / 100 };
    } catch {
      return undefined;
    }
  };
  let sum = stat(pid)?.seconds ?? 0;
  for (const id of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    const s = stat(id);
    if (s?.parent === pid) sum += s.seconds;
  }
  return sum;
}
const residentMiB = (pid) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024;

async function lineOf(lines, start) {
  for (;;) {
    const { value, done } = await lines.next();
    if (done) throw new Error(`the process ended before it said ${JSON.stringify(start)}`);
    if (value.startsWith(start)) return value;
  }
}
const linesOf = (child) => createInterface({ input: child.stdout })[Symbol.asyncIterator]();

export async function measure(options) {
  const plan = {
    runners: 100,
    sessions: 20,
    window: 64,
    jobs: 6000,
    warmJobs: 3000,
    maxSeconds: 40,
    rate: 0,
    jobMs: 0,
    ...options,
  };
  const directory = mkdtempSync(join(tmpdir(), "warpfarm-dispatch-"));
  const server = plan.store === "postgres" ? await startPostgres() : undefined;
  const store = server ? ["--database-url", await server.create("farm")] : ["--data", join(directory, "data")];
  const profile = plan.profile ? ["--cpu-prof", "--cpu-prof-dir", plan.profile] : [];
  const tracker = spawn(
    process.execPath,
    [...profile, file("tracker.mjs"), "--listen", "127.0.0.1:0", "--http", "none", ...store],
    { stdio: ["ignore", "pipe", "ignore"] },
  );
  try {
    const ready = await lineOf(linesOf(tracker), "tracker ready");
    const address = /grpc=(\S+)/.exec(ready)?.[1];
    const load = spawn(process.execPath, [file("load.mjs"), JSON.stringify({ ...plan, address })], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const lines = linesOf(load);
    await lineOf(lines, "measuring");
    const spent = () => [tracker.pid, server?.pid ?? 0].map(processorSeconds);
    const before = spent();
    const outcome = JSON.parse(await lineOf(lines, "{"));
    const [trackerSeconds, serverSeconds] = spent().map((seconds, i) => seconds - before[i]);
    const memory = residentMiB(tracker.pid);
    return { ...outcome, trackerSeconds, serverSeconds, memory };
  } finally {
    tracker.kill("SIGTERM");
    await once(tracker, "exit");
    await server?.[Symbol.asyncDispose]();
    rmSync(directory, { recursive: true, force: true });
  }
}

const rowOf = (what, m) => ({
  what,
  jobs: m.jobs,
  "jobs/s": (m.jobs / m.wall).toFixed(0),
  "tracker ms/job": ((m.trackerSeconds * 1000) / m.jobs).toFixed(3),
  "server ms/job": ((m.serverSeconds * 1000) / m.jobs).toFixed(3),
  "load ms/job": ((m.cpuSeconds * 1000) / m.jobs).toFixed(3),
  "p50 ms": m.p50?.toFixed(1),
  "p99 ms": m.p99?.toFixed(1),
  "tracker MiB": m.memory.toFixed(0),
});

export async function run() {
  const rows = [];
  for (const store of ["pglite", "postgres"]) {
    const closed = await measure({ store });
    rows.push(rowOf(`${store}, closed loop`, closed));
    const half = Math.round(closed.jobs / closed.wall / 2);
    rows.push(
      rowOf(`${store}, ${half} jobs/s offered`, await measure({ store, rate: half, warmJobs: half * 2, jobs: half * 6 })),
    );
  }
  table(rows);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const number = (value) => Number(value);
  const { values } = parseArgs({
    options: Object.fromEntries(
      ["store", "runners", "sessions", "window", "jobs", "rate", "job-ms", "profile"].map((name) => [name, { type: "string" }]),
    ),
  });
  const { store = "pglite", profile, "job-ms": jobMs = "0", ...rest } = values;
  const numbers = Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, number(value)]));
  table([rowOf(store, await measure({ store, profile, jobMs: number(jobMs), ...numbers }))]);
}
