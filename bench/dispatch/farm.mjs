/**
 * A farm under load for the dispatch bench: a tracker and its load, each a separate process, with the processor time that they
 * used.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { tsImport } from "tsx/esm/api";

const here = fileURLToPath(new URL("../..", import.meta.url));
export const scale = { runners: 1000, builders: 50, sessions: 20 };
/** A long load, because causes of late jobs are rare: a garbage collection in the tracker, a vacuum of a table. */
export const latencyLoad = { ms: 20_000, warmMs: 6_000, jobMs: 0 };
/** Inputs that a session keeps open in a closed loop: every runner has a job, and one more waits for it. */
export const windowFor = (runners, sessions) => Math.max(16, Math.ceil((2 * runners) / sessions));

/** User and system seconds of a process and its children until now, including children that ended. */
export function processorSeconds(pid) {
  const stat = (id) => {
    try {
      const fields = readFileSync(`/proc/${id}/stat`, "utf8")
        .replace(/^.*\) /, "")
        .split(" ");
      const [own, ended] = [11, 13].map((i) => (Number(fields[i]) + Number(fields[i + 1])) / 100);
      return { parent: Number(fields[1]), own, ended };
    } catch {
      return undefined;
    }
  };
  const { own = 0, ended = 0 } = stat(pid) ?? {};
  let sum = own + ended;
  for (const id of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    const s = stat(id);
    if (s !== undefined && s.parent === pid) sum += s.own;
  }
  return sum;
}
function residentMB(pid) {
  try {
    return (Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) * 1024) / 1e6;
  } catch {
    return 0; // it ended
  }
}

function nodeFlags() {
  const [, flags] = /^#!.* -S node (.*)/.exec(readFileSync(join(here, "bin/warpfarm.js"), "utf8")) ?? [];
  return flags === undefined ? [] : flags.split(" ");
}

export class Process {
  /** `script`: its path from this folder. */
  constructor(script, ...args) {
    const path = join(here, "bench/dispatch", script);
    this.child = spawn(process.execPath, [...nodeFlags(), path, ...args], { stdio: "pipe" });
    // A tracker logs connections; only its complaints are shown.
    createInterface({ input: this.child.stderr }).on("line", (line) => line.includes('"level":30') || console.error(line));
    this.#lines = createInterface({ input: this.child.stdout })[Symbol.asyncIterator]();
  }
  #lines;
  get pid() {
    return this.child.pid;
  }
  async line() {
    const { value, done } = await this.#lines.next();
    if (done)
      throw new Error(`${this.child.spawnargs.join(" ")} ended too early (${this.child.exitCode ?? this.child.signalCode})`);
    return value;
  }
  async end() {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    this.child.kill("SIGTERM");
    await once(this.child, "exit");
  }
}

export async function openPostgres() {
  const { startPostgres } = await tsImport("../../test-support/farm/postgres.ts", import.meta.url);
  return startPostgres({ durable: true }); // as a user would run it: commits wait for the disk
}

/**
 * A tracker and its load. `store`: postgres, pglite, or none for the bare gRPC server. `http`: of the page.
 * @param {{ store: string, http?: string, runners: number, builders: number, sessions: object[] }} farm
 * @param {(farm: any) => Promise<any>} work
 */
export async function withFarm(farm, work) {
  const { store, http = "none", runners, builders, sessions } = farm;
  const directory = mkdtempSync(join(tmpdir(), "warpfarm-dispatch-"));
  const running = [];
  let server;
  try {
    let where = ["--data", join(directory, "data")];
    if (store === "postgres") {
      server = await openPostgres();
      where = ["--database-url", await server.create("farm")];
    }
    const args = ["--listen", "127.0.0.1:0", "--http", http, ...where];
    const tracker = store === "none" ? new Process("echo.mjs") : new Process("tracker.mjs", ...args);
    running.push(tracker);
    const said = await tracker.line();
    const [address, page] = [/grpc=(\S+)/, /http=(\S+)/].map((form) => form.exec(said)?.[1]);
    const load = new Process("load.mjs", JSON.stringify({ address, runners, builders, sessions }));
    const ready = JSON.parse(await load.line());
    running.push(load);
    /** Orders the load; what it counted, with the processor seconds of all and the tracker's largest memory meanwhile. */
    const order = async (what) => {
      load.child.stdin.write(`${JSON.stringify(what)}\n`);
      await load.line();
      return watch(tracker.pid, server?.pid, async () => JSON.parse(await load.line()));
    };
    const idle = (ms) =>
      watch(tracker.pid, server?.pid, () => new Promise((resolve) => setTimeout(() => resolve({ wall: ms / 1000 }), ms)));
    return await work({ order, idle, ready, page });
  } finally {
    for (const process of running.reverse()) await process.end();
    await server?.[Symbol.asyncDispose]();
    rmSync(directory, { recursive: true, force: true });
  }
}

async function watch(tracker, server, work) {
  const spent = () => [tracker, server].map((pid) => (pid === undefined ? 0 : processorSeconds(pid)));
  const before = spent();
  let memory = 0;
  const look = () => {
    memory = Math.max(memory, residentMB(tracker));
  };
  look();
  const timer = setInterval(look, 250);
  const outcome = await work();
  clearInterval(timer);
  look();
  const [trackerSeconds, serverSeconds] = spent().map((s, i) => s - before[i]);
  return { ...outcome, trackerSeconds, serverSeconds, memory };
}

export const equalSessions = (n) => Array.from({ length: n }, () => ({}));
export const perSecond = (m) => m.jobs / m.wall;
