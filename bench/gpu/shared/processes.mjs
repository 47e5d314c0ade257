/** The command line as processes of a home of their own, for GPU scripts: a farm, and who uses it. */
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const bin = fileURLToPath(new URL("../../../bin/warpfarm.js", import.meta.url));

/** As on a machine of its own: another name, and so another processor for the tracker, and nobody's locks. Root may do this. */
const elsewhere = (name) => ["unshare", "--uts", "sh", "-c", 'hostname "$0" && exec "$@"', name];

/**
 * `start(...args)`: { said(): both streams so far, ended: Promise of { code, stdout, stderr }, kill, pid }. `alone(name,
 * ...args)`: the same for a process as on a machine of this name, so that several may serve this one's processor; only for root.
 */
export function openHome(name) {
  const home = mkdtempSync(join(tmpdir(), `warpfarm-${name}-`));
  const env = { ...process.env };
  for (const place of ["XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"]) {
    env[place] = join(home, place);
    mkdirSync(env[place]);
  }
  const begin = (command, env) => {
    const child = spawn(command[0], command.slice(1), { env, cwd: home, stdio: ["ignore", "pipe", "pipe"] });
    const said = { stdout: "", stderr: "" };
    for (const stream of ["stdout", "stderr"])
      child[stream].on("data", (text) => {
        said[stream] += text;
      });
    const ended = new Promise((done) => child.on("close", (code) => done({ code, ...said })));
    return { pid: child.pid, said: () => said.stdout + said.stderr, ended, kill: (signal) => child.kill(signal) };
  };
  const start = (...args) => begin([process.execPath, bin, ...args], env);
  const alone = (machine, ...args) => {
    const runtime = join(home, `runtime-${machine}`);
    mkdirSync(runtime, { recursive: true });
    return begin([...elsewhere(machine), process.execPath, bin, ...args], { ...env, XDG_RUNTIME_DIR: runtime });
  };
  return { home, start, alone };
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
