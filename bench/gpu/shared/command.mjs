/**
 * The command line for benches: its processes have stores of their own in a temporary folder, so nothing is known from before.
 */
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const bin = fileURLToPath(new URL("../../../bin/warpfarm.js", import.meta.url));

/** As on a machine of its own: another name, and so another processor for the tracker, and nobody's locks. Root may do this. */
const elsewhere = (name) => ["unshare", "--uts", "sh", "-c", 'hostname "$0" && exec "$@"', name];

const homes = new Set();
const removed = (folder) => rmSync(folder, { recursive: true, force: true });

/**
 * `home`: the folder, which goes when the script ends. `start(...args)`: a process, { said(): both streams so far, ended: Promise
 * of { code, stdout, stderr }, kill, pid }. `alone(name, ...args)`: the same as on a machine of this name, so that several may
 * serve this one's processor; only for root. `end()` ends them all. `tracker(listen)`: one of this folder, and its address.
 * `warpfarm(...args)`: what one command says with --json; throws when it fails.
 * @param {string} name
 */
export function openHome(name) {
  const home = mkdtempSync(join(tmpdir(), `warpfarm-${name}-`));
  if (homes.size === 0) process.once("exit", () => homes.forEach(removed));
  homes.add(home);
  const env = { ...process.env };
  for (const place of ["XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"]) {
    env[place] = join(home, place);
    mkdirSync(env[place]);
  }
  const parts = [];
  const begin = (command, more = {}) => {
    const child = spawn(command[0], command.slice(1), { env: { ...env, ...more }, cwd: home, stdio: ["ignore", "pipe", "pipe"] });
    const said = { stdout: "", stderr: "" };
    for (const stream of ["stdout", "stderr"])
      child[stream].on("data", (text) => {
        said[stream] += text;
      });
    const ended = new Promise((done) => child.on("close", (code) => done({ code, ...said })));
    const part = { pid: child.pid, said: () => said.stdout + said.stderr, ended, kill: (signal) => child.kill(signal) };
    parts.push(part);
    return part;
  };
  const start = (...args) => begin([process.execPath, bin, ...args]);
  return {
    home,
    start,
    alone(machine, ...args) {
      const runtime = join(home, `runtime-${machine}`);
      mkdirSync(runtime, { recursive: true });
      return begin([...elsewhere(machine), process.execPath, bin, ...args], { XDG_RUNTIME_DIR: runtime });
    },
    async tracker(listen = "127.0.0.1:0") {
      const part = start("tracker", "--listen", listen, "--http", "none", "--data", join(home, "farm"));
      return { part, address: await ready(/^tracker ready grpc=(\S+)/m, part) };
    },
    async end() {
      for (const part of parts) part.kill("SIGTERM");
      const late = setTimeout(() => {
        for (const part of parts) part.kill("SIGKILL");
      }, 10_000);
      await Promise.all(parts.map(({ ended }) => ended));
      clearTimeout(late);
    },
    /** @param {...string} args */
    warpfarm(...args) {
      const run = { cwd: home, encoding: /** @type {const} */ ("utf8"), env, maxBuffer: 2 ** 28 };
      const { status, stdout, stderr } = spawnSync(process.execPath, [bin, ...args, "--json"], run);
      if (status !== 0) throw new Error(`warpfarm ${args.join(" ")}: ${stderr}${stdout}`);
      return JSON.parse(stdout);
    },
  };
}

/** The word of `form` in what a part says, within two minutes. */
export const ready = async (form, part) => (await until(String(form), 120, () => form.exec(part.said()))).found[1];

export async function until(what, seconds, look) {
  const begun = performance.now();
  for (;;) {
    const found = await look();
    const passed = (performance.now() - begun) / 1000;
    if (found) return { found, seconds: passed };
    if (passed > seconds) throw new Error(`${what}: not within ${seconds} s`);
    await new Promise((next) => setTimeout(next, 200));
  }
}

const whole = (log) => (existsSync(log) ? readFileSync(log, "utf8").split("\n").slice(0, -1) : []);
const parsed = (log, prefix) =>
  whole(log).flatMap((line) => (line.startsWith(`${prefix}{`) ? [JSON.parse(line.slice(prefix.length))] : []));
/** The results in a log of `tune`, in its order, those of a search that goes on among them. */
export const linesOf = (log) => parsed(log, "");
/** Its notes: the search, the result of the default schedule, its finalists. */
export const notesOf = (log) => parsed(log, "# warpfarm ");
/** Seconds of a trial; of a failure infinitely many. */
export const secondsOf = (line) => line.warpfarm?.seconds ?? Number.POSITIVE_INFINITY;
