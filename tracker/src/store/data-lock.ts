/**
 * The lock of a data directory: PGlite takes none, and two processes on one directory corrupt it. A file beside it, `DIR.lock`, made with
 * O_EXCL, names the holder's pid and the time that process started, so a pid used again by another process is not mistaken for the holder.
 * A live holder is never robbed: a dead one's file is removed by one process at a time (`DIR.lock.breaking`, made the same way), which looks again
 * first, so nobody removes what another has just made.
 */
import { randomUUID } from "node:crypto";
import { readFileSync, unlinkSync } from "node:fs";
import { link, mkdir, readFile, rename, unlink, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { FarmError, systemClock } from "@warpfarm/common";

/** For another process to remove a dead one's lock. */
const breakMs = 10;

interface Holder {
  readonly pid: number;
  /** Clock ticks since boot at which the process started (Linux), or "" where that is not known. */
  readonly started: string;
}

export interface DataLock extends AsyncDisposable {
  readonly path: string;
}

/**
 * Field 22 of /proc/PID/stat, counted after the command's closing parenthesis. A zombie, which a container without an init never
 * reaps, holds nothing any more: it has no start that a lock could name.
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

function isAlive({ pid, started }: Holder): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ESRCH") return false;
  }
  return started === "" || startOf(pid) === started;
}

function parse(text: string): Holder | undefined {
  try {
    const { pid, started } = JSON.parse(text) as Partial<Holder>;
    return typeof pid === "number" && Number.isInteger(pid) && pid > 0 && typeof started === "string"
      ? { pid, started }
      : undefined;
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

/** Throws FAILED_PRECONDITION naming the holder when a live process has the directory, INVALID_ARGUMENT when no lock can be written. */
export async function lockDataDirectory(directory: string): Promise<DataLock> {
  const path = `${directory.replace(/\/+$/, "")}.lock`;
  const mine = JSON.stringify({ pid: process.pid, started: startOf(process.pid) } satisfies Holder);
  const unusable = (error: unknown) => {
    const { code, message } = error as NodeJS.ErrnoException;
    return new FarmError("INVALID_ARGUMENT", `the data directory ${directory} cannot be used: ${code ?? message}`, {
      cause: error,
    });
  };
  await mkdir(dirname(path), { recursive: true }).catch((error) => Promise.reject(unusable(error)));
  for (let tries = 0; tries < 10; tries++) {
    try {
      if (await take(path, mine)) return hold(path, mine);
    } catch (error) {
      throw unusable(error);
    }
    const found = await read(path);
    if (found === undefined) continue;
    const holder = parse(found);
    if (holder && isAlive(holder))
      throw new FarmError("FAILED_PRECONDITION", `the data directory ${directory} is in use by process ${holder.pid} (${path})`);
    await removeStale(path, found, mine);
  }
  throw new FarmError("FAILED_PRECONDITION", `could not lock ${path}: other processes keep taking it`);
}

/** False when somebody has it. Written whole or not at all: a reader never sees an empty lock. */
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

/** What was left by a process that died within the few file operations above. The move is undone if it caught somebody else's. */
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

function hold(path: string, mine: string): DataLock {
  let held = true;
  const release = () => {
    if (!held) return;
    held = false;
    process.off("exit", release);
    try {
      if (readFileSync(path, "utf8") === mine) unlinkSync(path);
    } catch {
      // already gone: nothing to release
    }
  };
  process.on("exit", release);
  return { path, [Symbol.asyncDispose]: async () => release() };
}
