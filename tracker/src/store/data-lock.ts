/**
 * The lock of a data directory: PGlite takes none, and two processes on one directory corrupt it. A file beside it, `DIR.lock`, made with
 * O_EXCL, names the holder's pid and the time that process started, so a pid used again by another process is not mistaken for the holder.
 * A live holder is never robbed; a dead one's file is moved aside first, and the move is undone if it caught somebody else's fresh lock.
 */
import { randomUUID } from "node:crypto";
import { readFileSync, unlinkSync } from "node:fs";
import { link, mkdir, readFile, rename, unlink, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { FarmError } from "@warpfarm/common";

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
      // Written whole or not at all: a reader never sees an empty lock.
      const draft = `${path}.${randomUUID()}`;
      await writeFile(draft, mine, { flag: "wx" });
      try {
        await link(draft, path);
      } finally {
        await unlink(draft);
      }
      return hold(path, mine);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw unusable(error);
    }
    const found = await read(path);
    if (found === undefined) continue;
    const holder = parse(found);
    if (holder && isAlive(holder))
      throw new FarmError("FAILED_PRECONDITION", `the data directory ${directory} is in use by process ${holder.pid} (${path})`);
    await removeStale(path, found);
  }
  throw new FarmError("FAILED_PRECONDITION", `could not lock ${path}: other processes keep taking it`);
}

async function removeStale(path: string, stale: string): Promise<void> {
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
