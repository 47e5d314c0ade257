/** A PostgreSQL server for tests and benches, with its own directory and port; it ends with the process that started it. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, mkdirSync, mkdtempSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { freePort } from "../free-port.ts";
import { isAlive } from "../processes.ts";
import { madeOnce } from "../run-directory.ts";

const installed = "/usr/lib/postgresql";

/** The newest version's programs, or undefined. */
export function postgresPrograms(): string | undefined {
  try {
    const versions = readdirSync(installed).sort((a, b) => Number(b) - Number(a));
    return versions[0] === undefined ? undefined : join(installed, versions[0], "bin");
  } catch {
    return undefined;
  }
}

/** The server refuses to run as root; this is the user that it runs as in that case. */
function otherUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const id = (flag: string, name: string) => Number(execFileSync("id", [flag, name], { stdio: ["ignore", "pipe", "ignore"] }));
  for (const name of ["postgres", "nobody"])
    try {
      return { uid: id("-u", name), gid: id("-g", name) };
    } catch {}
  return undefined;
}

export interface PostgresServer extends AsyncDisposable {
  /** Of the postgres process that runs now. */
  readonly pid: number;
  /** host:port */
  readonly address: string;
  /** Ends the server by a signal (SIGKILL, or SIGINT as from a service manager) and starts it again on its port. */
  restart(signal: NodeJS.Signals, downMs?: number): Promise<void>;
  /** A new, empty database. */
  create(name: string): Promise<string>;
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Resolves when the server takes a connection; rejects when its shell has ended. */
async function connects(connectionString: string, shell: ChildProcess): Promise<void> {
  for (let tries = 0; ; tries++) {
    const client = new pg.Client({ connectionString });
    try {
      await client.connect();
      await client.end();
      return;
    } catch (error) {
      if (tries > 2_000 || shell.exitCode !== null) throw error;
      await pause(50);
    }
  }
}

/** `durable` = as a user would run it; otherwise no write waits for the disk. */
export async function startPostgres(o: { durable?: boolean } = {}): Promise<PostgresServer> {
  const programs = postgresPrograms();
  if (!programs) throw new Error(`no PostgreSQL under ${installed}`);
  const directory = mkdtempSync(join(tmpdir(), "warpfarm-postgres-"));
  const user = otherUser();
  if (user) chownSync(directory, user.uid, user.gid);
  const data = join(directory, "data");
  const as = { ...user, cwd: directory };
  // A copy takes a tenth of the time of a new one.
  const fresh = madeOnce("postgres", (path) => {
    mkdirSync(path, { mode: 0o700 });
    if (user) chownSync(path, user.uid, user.gid);
    const flags = ["-U", "farm", "-A", "trust", "--no-sync", "--no-locale", "-E", "UTF8"];
    execFileSync(join(programs, "initdb"), ["-D", path, ...flags], { ...as, stdio: "ignore" });
  });
  execFileSync("cp", ["-a", fresh, data]);
  const port = await freePort();
  const settings = [`port=${port}`, "listen_addresses=127.0.0.1", `unix_socket_directories=${directory}`, "max_connections=60"];
  if (!o.durable) settings.push("fsync=off", "full_page_writes=off");
  const options = settings.flatMap((s) => ["-c", s]);
  // The shell ends the server when its own input closes, that is when its parent has ended for any reason. It also ends when the
  // server ends, which may refuse to start.
  const script = `exec 3<&0; "$@" 3<&- & server=$!; echo $server
    { read -r _ <&3; kill -INT $server; } & reader=$!; wait $server; code=$?; kill $reader; exit $code`;
  const launch = async () => {
    const shell = spawn("sh", ["-c", script, "sh", join(programs, "postgres"), "-D", data, ...options], {
      ...as,
      stdio: ["pipe", "pipe", "ignore"],
    });
    const [line] = (await once(shell.stdout, "data")) as [Buffer];
    shell.stdout.resume();
    return { shell, pid: Number(line.toString()) };
  };
  const url = (name: string) => `postgres://farm@127.0.0.1:${port}/${name}`;
  const answers = (shell: ChildProcess) => connects(url("postgres"), shell);
  const end = async ({ shell, pid }: { shell: ChildProcess; pid: number }, signal?: NodeJS.Signals) => {
    const ended = shell.exitCode === null && shell.signalCode === null ? once(shell, "exit") : undefined;
    if (signal) process.kill(pid, signal);
    while (signal && isAlive(pid)) await pause(5);
    shell.stdin?.end();
    await ended;
  };
  let running = await launch();
  await answers(running.shell);
  return {
    get pid() {
      return running.pid;
    },
    address: `127.0.0.1:${port}`,
    async restart(signal, downMs = 0) {
      await end(running, signal);
      await pause(downMs);
      for (let tries = 0; ; tries++) {
        running = await launch();
        try {
          return await answers(running.shell);
        } catch (error) {
          // After a SIGKILL the server's children may still be ending, and until then it refuses to start.
          if (tries > 400) throw error;
          await pause(50);
        }
      }
    },
    async create(name) {
      const client = new pg.Client({ connectionString: url("postgres") });
      await client.connect();
      await client.query(`create database ${name}`);
      await client.end();
      return url(name);
    },
    async [Symbol.asyncDispose]() {
      // At once: nobody reads again what a checkpoint would write.
      await end(running, "SIGQUIT");
      // A thousand files, for which Node takes ten times as long.
      execFileSync("rm", ["-rf", directory]);
    },
  };
}
