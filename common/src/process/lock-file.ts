/**
 * A lock that is a file, made with O_EXCL. It names the holding process and since when it holds the lock. It also has the start
 * time of that process, since a pid may be reused. A live holder keeps its lock. The file of a dead holder is removed by one
 * process at a time (`PATH.breaking`, made the same way), which checks again first, so nobody removes a lock that another process
 * has just made.
 */

import { randomUUID } from "node:crypto";
import { readFileSync, unlinkSync } from "node:fs";
import { link, readFile, rename, unlink, writeFile } from "node:fs/promises";
import { systemClock } from "../clock.ts";
import { defined } from "../defined.ts";
import { FarmError } from "../farm-error.ts";
import { isRunning } from "./work-directory.ts";

const breakMs = 10;

export interface LockHolder {
  readonly pid: number;
  /** Clock ticks from boot to the start of the process (Linux), or "" where that is not known. */
  readonly started: string;
  /** ISO 8601, UTC. */
  readonly since?: string;
  /** The holder's host, for a lock that several machines may see. No other host can tell whether the holder lives. */
  readonly host?: string;
}

export interface LockFile extends AsyncDisposable {
  readonly path: string;
}

interface LockFileOptions {
  /** This machine's name in the lock. Processes of other hosts count as alive. */
  readonly host?: string;
  readonly held: (holder: LockHolder) => Error;
}

/** Throws `held` for a live holder, or the file system's error when no lock can be written. */
export async function lockFile(path: string, { host, held }: LockFileOptions): Promise<LockFile> {
  const mine = JSON.stringify({
    pid: process.pid,
    started: startOf(process.pid),
    since: new Date(systemClock.now()).toISOString(),
    ...defined({ host }),
  } satisfies LockHolder);
  for (let tries = 0; tries < 10; tries++) {
    if (await take(path, mine)) return hold(path, mine);
    const found = await read(path);
    if (found === undefined) continue;
    const holder = parse(found);
    if (holder && isAlive(holder, host)) throw held(holder);
    await removeStale(path, found, mine);
  }
  throw new FarmError("FAILED_PRECONDITION", `could not lock ${path}: other processes keep taking it`);
}

/** The live holder of a lock; undefined when there is none. */
export async function lockHolder(path: string, host?: string): Promise<LockHolder | undefined> {
  const found = await read(path);
  const holder = found === undefined ? undefined : parse(found);
  return holder && isAlive(holder, host) ? holder : undefined;
}

/**
 * The start time of the process: field 22 of /proc/PID/stat, counted after the command's closing parenthesis. A zombie, which a
 * container without an init never reaps, holds no lock: it gives "".
 */
function startOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return fields[0] === "Z" ? "zombie" : (fields[19] ?? "");
  } catch {
    return "";
  }
}

function isAlive({ pid, started, host }: LockHolder, here?: string): boolean {
  if (host !== undefined && here !== undefined && host !== here) return true;
  return isRunning(pid) && (started === "" || startOf(pid) === started);
}

function parse(text: string): LockHolder | undefined {
  try {
    const { pid, started, since, host } = JSON.parse(text) as Record<string, unknown>;
    if (typeof pid !== "number" || !Number.isInteger(pid) || pid <= 0 || typeof started !== "string") return undefined;
    return {
      pid,
      started,
      ...(typeof since === "string" ? { since } : {}),
      ...(typeof host === "string" ? { host } : {}),
    };
  } catch {
    return undefined;
  }
}

async function read(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch {
    return undefined;
  }
}

/** False when another process has the lock. The file is written completely or not at all, so no reader sees an empty lock. */
async function take(path: string, mine: string): Promise<boolean> {
  const draft = `${path}.${randomUUID()}`;
  await writeFile(draft, mine, { flag: "wx" });
  try {
    await link(draft, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    return false;
  } finally {
    await unlink(draft);
  }
}

async function removeStale(path: string, stale: string, mine: string): Promise<void> {
  const breaking = `${path}.breaking`;
  if (await take(breaking, mine))
    try {
      if ((await read(path)) === stale) await unlink(path);
    } finally {
      await unlink(breaking);
    }
  else {
    const found = await read(breaking);
    const holder = found === undefined ? undefined : parse(found);
    if (found === undefined || (holder && isAlive(holder))) await systemClock.sleep(breakMs);
    else await moveAside(breaking, found);
  }
}

/**
 * Moves away the lock of a process that died within these few file operations. The move is undone if it caught another process's
 * lock.
 */
async function moveAside(path: string, stale: string): Promise<void> {
  const aside = `${path}.stale-${randomUUID()}`;
  try {
    await rename(path, aside);
  } catch {
    return; // somebody else moved it first
  }
  if ((await read(aside)) !== stale) await link(aside, path).catch(() => {});
  await unlink(aside);
}

/** Releases of the locks that are held now, for the exit of the process. */
const releases = new Set<() => void>();
const releaseAll = () => {
  for (const release of releases) release();
};

function hold(path: string, mine: string): LockFile {
  const release = () => {
    if (!releases.delete(release)) return;
    if (releases.size === 0) process.off("exit", releaseAll);
    try {
      if (readFileSync(path, "utf8") === mine) unlinkSync(path);
    } catch {
      // Already gone.
    }
  };
  if (releases.size === 0) process.on("exit", releaseAll);
  releases.add(release);
  return { path, [Symbol.asyncDispose]: async () => release() };
}
