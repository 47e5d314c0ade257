/**
 * A directory shared by the files of one test run, for results that one file makes and others use. vitest creates it before its
 * workers start and removes it after they end (globalSetup).
 */
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readlinkSync, rmSync, symlinkSync, unlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isRunning } from "../common/src/process/work-directory.ts";

const variable = "WARPFARM_TEST_RUN";

export function setup(): () => void {
  const directory = mkdtempSync(join(tmpdir(), "warpfarm-tests-"));
  // Servers that run as another user copy from it.
  chmodSync(directory, 0o711);
  process.env[variable] = directory;
  return () => rmSync(directory, { recursive: true, force: true });
}

/** Its path; a process that vitest did not start, such as a bench, has its own directory. */
export function runDirectory(): string {
  const known = process.env[variable];
  if (known !== undefined) return known;
  process.once("exit", setup());
  return runDirectory();
}

const pause = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

/** Others wait with their whole process, which no limit of a test ends. Throws when the maker was killed. */
function expectMaker(path: string, making: string): void {
  const maker = makerIn(making);
  // One that ended in order took its link away before, so the link is read once more.
  if (maker !== undefined && !isRunning(maker) && makerIn(making) === maker)
    throw new Error(`${path} was not made: its maker, process ${maker}, ended`);
}

function makerIn(making: string): number | undefined {
  try {
    return Number(readlinkSync(making));
  } catch {
    return undefined;
  }
}

/** Path of the file that `make` writes to the given path. The first caller makes it; callers in the meantime wait for it. */
export function madeOnce(name: string, make: (path: string) => void): string {
  const path = join(runDirectory(), name);
  const making = `${path}.making`;
  const made = `${path}.made`;
  while (!existsSync(made)) {
    try {
      symlinkSync(String(process.pid), making);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
      expectMaker(path, making);
      pause(50);
      continue;
    }
    try {
      // By somebody else, between the look and the lock.
      if (!existsSync(made)) {
        rmSync(path, { recursive: true, force: true });
        make(path);
        mkdirSync(made);
      }
    } finally {
      unlinkSync(making);
    }
  }
  return path;
}
