/** A PostgreSQL server for tests and benches: its own directory and port, gone with the process that started it. */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";

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

/** The server refuses to run as root: whom it runs as then. */
function otherUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const id = (flag: string, name: string) => Number(execFileSync("id", [flag, name], { stdio: ["ignore", "pipe", "ignore"] }));
  for (const name of ["postgres", "nobody"])
    try {
      return { uid: id("-u", name), gid: id("-g", name) };
    } catch {}
  return undefined;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}

export interface PostgresServer extends AsyncDisposable {
  /** Of the postgres process. */
  readonly pid: number;
  /** A new, empty database. */
  create(name: string): Promise<string>;
}

/** `durable` = as a user would run it; otherwise nothing waits for the disk. */
export async function startPostgres(o: { durable?: boolean } = {}): Promise<PostgresServer> {
  const programs = postgresPrograms();
  if (!programs) throw new Error(`no PostgreSQL under ${installed}`);
  const directory = mkdtempSync(join(tmpdir(), "warpfarm-postgres-"));
  const user = otherUser();
  if (user) chownSync(directory, user.uid, user.gid);
  const data = join(directory, "data");
  const as = { ...user, cwd: directory };
  execFileSync(join(programs, "initdb"), ["-D", data, "-U", "farm", "-A", "trust", "--no-sync", "--no-locale", "-E", "UTF8"], {
    ...as,
    stdio: "ignore",
  });
  const port = await freePort();
  const settings = [`port=${port}`, "listen_addresses=127.0.0.1", `unix_socket_directories=${directory}`, "max_connections=60"];
  if (!o.durable) settings.push("fsync=off", "full_page_writes=off");
  const options = settings.flatMap((s) => ["-c", s]);
  // The shell ends the server when its input closes: with whoever started it, however that ended.
  const child = spawn(
    "sh",
    [
      "-c",
      '"$@" & server=$!; echo $server; read -r _; kill -INT $server; wait $server',
      "sh",
      join(programs, "postgres"),
      "-D",
      data,
      ...options,
    ],
    { ...as, stdio: ["pipe", "pipe", "ignore"] },
  );
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  child.stdout.resume();
  const url = (name: string) => `postgres://farm@127.0.0.1:${port}/${name}`;
  for (let tries = 0; ; tries++) {
    const client = new pg.Client({ connectionString: url("postgres") });
    try {
      await client.connect();
      await client.end();
      break;
    } catch (error) {
      if (tries > 200 || child.exitCode !== null) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
  return {
    pid: Number(line.toString()),
    async create(name) {
      const client = new pg.Client({ connectionString: url("postgres") });
      await client.connect();
      await client.query(`create database ${name}`);
      await client.end();
      return url(name);
    },
    async [Symbol.asyncDispose]() {
      const ended = child.exitCode === null ? once(child, "exit") : undefined;
      child.stdin.end();
      await ended;
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
