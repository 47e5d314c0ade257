/**
 * A directory shared by the files of one test run, for results that one file makes and others use. vitest creates it before its
 * workers start and removes it after they end (globalSetup).
 */
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const variable = "WARPFARM_TEST_RUN";

export function setup(): () => void {
  const directory = mkdtempSync(join(tmpdir(), "warpfarm-tests-"));
  // Servers that run as another user copy from it.
  chmodSync(directory, 0o711);
  process.env[variable] = directory;
  return () => rmSync(directory, { recursive: true, force: true });
}

/** Its path; a process that vitest did not start, such as a bench, has its own directory. */
function runDirectory(): string {
  const known = process.env[variable];
  if (known !== undefined) return known;
  process.once("exit", setup());
  return runDirectory();
}

/** For a maker that was killed: others wait with their whole process, which no limit of a test ends. */
const longestMakingMs = 540_000;
const pause = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

/** Path of the file that `make` writes to the given path. The first caller makes it; callers in the meantime wait for it. */
export function madeOnce(name: string, make: (path: string) => void): string {
  const path = join(runDirectory(), name);
  const making = `${path}.making`;
  const made = `${path}.made`;
  const from = performance.now();
  while (!existsSync(made)) {
    if (performance.now() - from > longestMakingMs) throw new Error(`${path} was not made in ${longestMakingMs} ms`);
    try {
      mkdirSync(making);
    } catch {
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
      rmdirSync(making);
    }
  }
  return path;
}
