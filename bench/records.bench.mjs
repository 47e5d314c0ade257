/**
 * A store of records at scale, in PGlite and in PostgreSQL where one is installed: import per second (a file of JSON lines to
 * rows, with the opening of a machine's store and its indexes) and append per second, the processor time of each in this process
 * and in the server, how long `query` and `best` take at the median and at worst, export per second, and the most memory the
 * process had. RECORDS (1000000) and ENGINES (pglite,postgres) make a run smaller.
 */
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { digestOf, Random, systemClock } from "@warpfarm/common";
import { appendAll, encodeRecord, openLocalRecords, readRecords, SqlStore } from "@warpfarm/records";
import { openPgliteSql } from "../records/dist/store/pglite.js";
import { openPostgres } from "../tracker/dist/store/postgres.js";
import { processorSeconds, openPostgres as startPostgres } from "./dispatch/farm.mjs";
import { quantile, table } from "./table.mjs";

const count = Number(process.env.RECORDS ?? 1_000_000);
const engines = (process.env.ENGINES ?? "pglite,postgres").split(",");
const devices = ["NVIDIA H100 80GB HBM3", "NVIDIA H200", "NVIDIA A100-SXM4-80GB", "NVIDIA L4"];
const tasks = 250;
const shapes = 4;
const nowMs = 1_790_000_000_000;
const questions = 200;
const batch = 10_000;

const argsOf = (shape) => [1024 << shape, 1024, 4096];

const drawsFrom = (seed) => {
  const random = new Random(seed);
  return () => random.float();
};

/**
 * The i-th record: every task, shape and device in turn, a fifth of them failures, each config measured 1.2 times.
 * @param {number} i
 * @returns {import("@warpfarm/records").TuningRecord}
 */
export function recordAt(i) {
  const problem = i % (tasks * shapes);
  const device = devices[Math.floor(i / (tasks * shapes)) % devices.length];
  const config = Math.floor(i / (tasks * shapes * devices.length) / 1.2);
  const chance = drawsFrom(i);
  const seconds = 1e-4 * (1 + 4 * drawsFrom(config * 7919 + problem)()) * (1 + 0.01 * chance());
  const failed = chance() < 0.2;
  const task = `task_${problem % tasks}`;
  return {
    id: `s-${Math.floor(i / 1000)}/${i}`,
    origin: { kind: "measured", by: `user_${i % 20}` },
    task,
    args: argsOf(Math.floor(problem / tasks)),
    template: "matmul_mma",
    templateVersion: "3",
    space: digestOf(task),
    search: { tuner: "auto", seed: 1, trials: 300, sequence: (i % 300) + 1, told: i % 300 },
    config: {
      index: config,
      code_hash: null,
      entity: ["tile_y", "tile_x", "tile_k", "stages", "warps", "swizzle"].map((name) => [name, "sp", [-1, config % 64]]),
    },
    program: digestOf(`${problem}/${config}`),
    artifact: digestOf(`artifact ${problem}/${config}`),
    target: "cuda/sm_90a",
    toolchain: "nvrtc 13.0",
    device: {
      key: "cuda/sm_90",
      name: device,
      uuid: `GPU-${i % 64}`,
      node: `node-${i % 8}`,
      driver: "580.65",
      sharing: "exclusive",
    },
    observations: { smClockMhz: 1980, memoryClockMhz: 2619, temperatureC: 40 + (i % 20), powerW: 500 },
    options: { number: 0, repeat: 3, minRepeatMs: 20, l2: "warm", buildTimeoutMs: 60_000, runTimeoutMs: 10_000 },
    result: failed
      ? { kind: "failed", errorNo: 4, rule: "runtime.illegal-address", message: "illegal address in matmul_kernel0" }
      : { kind: "timed", costs: [seconds, seconds * 1.001, seconds * 0.999], number: 100, checked: true },
    buildMs: 800,
    runMs: 120,
    busyMs: 70,
    attempt: 1,
    session: `s-${Math.floor(i / 1000)}`,
    timestampMs: nowMs + i * 100,
  };
}

function writeLines(path, to) {
  const file = openSync(path, "w");
  for (let i = 0; i < to; i += 1_000) {
    const lines = Array.from({ length: Math.min(1_000, to - i) }, (_, j) => `${encodeRecord(recordAt(i + j))}\n`);
    writeSync(file, lines.join(""));
  }
  closeSync(file);
}

const perSecond = (n, ms) => Math.round((n / ms) * 1000);

async function open(engine, directory, stack) {
  if (engine === "pglite") {
    const sql = await openPgliteSql(join(directory, "db"));
    stack.push(() => sql[Symbol.asyncDispose]());
    return { sql };
  }
  const server = await startPostgres();
  stack.push(() => server[Symbol.asyncDispose]());
  const db = await openPostgres(await server.create("records"));
  stack.push(() => db[Symbol.asyncDispose]());
  return { sql: db, pid: server.pid };
}

const half = Math.floor(count / 2);
const importInto = (store, file) => appendAll(store, readRecords(file, "ada"));

async function importedHere(directory, file) {
  const store = await openLocalRecords(directory, { clock: systemClock });
  try {
    await importInto(store, file);
  } finally {
    await store[Symbol.asyncDispose]();
  }
}

function stopwatch(n) {
  const sum = { ms: 0, js: 0, server: 0 };
  return {
    async time(pid, work) {
      const [begun, js, server] = [performance.now(), process.cpuUsage(), pid === undefined ? 0 : processorSeconds(pid)];
      await work();
      const { user, system } = process.cpuUsage(js);
      sum.ms += performance.now() - begun;
      sum.js += user + system;
      if (pid !== undefined) sum.server += 1e6 * (processorSeconds(pid) - server);
    },
    columns: (what) => ({
      [`${what} per s`]: perSecond(n, sum.ms),
      [`${what}: us here`]: Math.round(sum.js / n),
      [`${what}: us server`]: Math.round(sum.server / n),
    }),
  };
}

async function measured(engine, directory, file, open) {
  // Memory of the process, the engine's with it where it is inside.
  let most = process.memoryUsage().rss;
  const watch = setInterval(() => {
    most = Math.max(most, process.memoryUsage().rss);
  }, 100);
  const [imports, appends] = [stopwatch(half), stopwatch(count - half)];
  if (engine === "pglite") await imports.time(undefined, () => importedHere(directory, file));
  const { sql, pid } = await open();
  const store = new SqlStore({ sql });
  if (engine !== "pglite") await imports.time(pid, () => importInto(store, file));
  for (let i = half; i < count; i += batch) {
    const records = Array.from({ length: Math.min(batch, count - i) }, (_, j) => recordAt(i + j));
    await appends.time(pid, () => store.append(records));
  }
  const begun = performance.now();
  let exported = 0;
  for await (const record of store.export({})) {
    if (record.id !== "" && ++exported >= Math.min(count, 100_000)) break;
  }
  const exportMs = performance.now() - begun;
  clearInterval(watch);
  const row = {
    engine,
    records: count,
    ...imports.columns("import"),
    ...appends.columns("append"),
    "export per s": perSecond(exported, exportMs),
    "most MB": Math.round(most / 1e6),
  };
  return { store, row };
}

async function asked(engine, store) {
  const draw = drawsFrom(5);
  const any = (list) => list[Math.floor(draw() * list.length)];
  const task = () => `task_${Math.floor(draw() * tasks)}`;
  const args = () => argsOf(Math.floor(draw() * shapes));
  const kinds = {
    "best of a task": () => store.best({ task: task(), args: args(), origin: "any" }),
    "best on a device": () => store.best({ task: task(), args: args(), deviceName: any(devices) }),
    newest: () => store.query({}),
    "newest of a task": () => store.query({ task: task() }),
    "fastest of a task": () => store.query({ task: task(), order: "fastest" }),
    "fastest of task, args, device": () =>
      store.query({ task: task(), args: args(), deviceName: any(devices), order: "fastest" }),
    "newest of a device": () => store.query({ deviceName: any(devices) }),
    "failures of task and args": () => store.query({ task: task(), args: args(), outcome: "failed" }),
    "a session's": () => store.query({ session: `s-${Math.floor((draw() * count) / 1000)}`, order: "oldest" }),
    "a user's": () => store.query({ by: `user_${Math.floor(draw() * 20)}` }),
    "a template's": () => store.query({ template: "matmul_mma", target: "cuda/sm_90a" }),
    "of a time": () => store.query({ sinceMs: nowMs + Math.floor(draw() * count) * 100, order: "oldest" }),
    "nobody's": () => store.query({ by: "nobody", origin: "imported" }),
    "no such device of a task": () => store.query({ task: task(), deviceName: "NVIDIA V100", order: "fastest" }),
    "fastest of all": () => store.query({ order: "fastest" }),
    "a program's": () =>
      store.query({ program: digestOf(`${Math.floor(draw() * tasks * shapes)}/${Math.floor(draw() * (count / 4800))}`) }),
  };
  const rows = [];
  for (const [question, ask] of Object.entries(kinds)) {
    const took = [];
    let found = 0;
    for (let i = 0; i < questions; i++) {
      const begun = performance.now();
      const answer = await ask();
      took.push(performance.now() - begun);
      found += answer.records?.length ?? answer.length;
    }
    rows.push({
      engine,
      question,
      "found a question": (found / questions).toFixed(1),
      "median ms": quantile(took, 0.5).toFixed(1),
      "p99 ms": quantile(took, 0.99).toFixed(1),
      "worst ms": Math.max(...took).toFixed(1),
    });
  }
  return rows;
}

export async function run() {
  /** @type {Record<"stored" | "questioned", object[]>} */
  const { stored, questioned } = { stored: [], questioned: [] };
  const files = mkdtempSync(join(tmpdir(), "warpfarm-bench-records-"));
  const file = join(files, "records.jsonl");
  writeLines(file, half);
  for (const engine of engines) {
    const directory = mkdtempSync(join(tmpdir(), "warpfarm-bench-records-"));
    const stack = [() => rmSync(directory, { recursive: true, force: true })];
    try {
      const { store, row } = await measured(engine, directory, file, () => open(engine, directory, stack));
      stored.push(row);
      await store.analyze();
      questioned.push(...(await asked(engine, store)));
    } finally {
      for (const end of stack.reverse()) await end();
    }
  }
  rmSync(files, { recursive: true, force: true });
  table("stored", stored);
  console.log("");
  table("questions", questioned);
}
