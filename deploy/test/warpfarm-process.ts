/**
 * The real command line as a separate process that writes only inside one scratch directory. For end-to-end tests, which need
 * `npm run build` first (`npm test` does it).
 */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { bundled } from "../../test-support/bundles.ts";
import { hear } from "../../test-support/heard.ts";

/** As it is shipped: many files, of which a start reads hundreds. */
export const shipped = fileURLToPath(new URL("../../bin/warpfarm.js", import.meta.url));
/** As a bundle, for tests of what it does. */
export const bin = (): string => bundled("bin/warpfarm");

export interface Finished {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Running {
  readonly pid: number;
  readonly finished: Promise<Finished>;
  /** What it has said so far. */
  stdout(): string;
  stderr(): string;
  kill(signal: NodeJS.Signals): void;
}

/** A directory removed at disposal, and the environment that keeps warpfarm inside it. */
export class Place implements Disposable {
  readonly directory = mkdtempSync(join(tmpdir(), "warpfarm-e2e-"));
  readonly env: Readonly<Record<string, string | undefined>>;

  /** `isAlone`: the process does not see other runners, of which only one may serve this machine's CPU. */
  constructor(extra: Readonly<Record<string, string>> = {}, { isAlone = false } = {}) {
    const at = (name: string) => join(this.directory, name);
    const { PATH, LD_LIBRARY_PATH } = process.env;
    this.env = {
      PATH,
      LD_LIBRARY_PATH,
      HOME: this.directory,
      XDG_CONFIG_HOME: at("config"),
      XDG_DATA_HOME: at("data"),
      XDG_CACHE_HOME: at("cache"),
      ...(isAlone ? { XDG_RUNTIME_DIR: this.directory } : {}),
      ...extra,
    };
  }
  path(name: string): string {
    return join(this.directory, name);
  }
  [Symbol.dispose](): void {
    rmSync(this.directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }
}

export interface StartOptions {
  /** Flags for node itself, for instance an --import hook. */
  readonly node?: readonly string[];
  readonly script?: string;
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** As on a machine of this name: a tracker has one runner of a machine's processor. Needs root. */
  readonly machine?: string;
}

export function start(
  place: Place,
  args: readonly string[],
  { node = [], script = bin(), cwd, env, machine }: StartOptions = {},
): Running {
  const words = [process.execPath, ...node, script, ...args];
  const [command = "", ...rest] =
    machine === undefined ? words : ["unshare", "--uts", "sh", "-c", 'hostname "$0" && exec "$@"', machine, ...words];
  const child: ChildProcess = spawn(command, rest, {
    cwd: cwd ?? place.directory,
    env: { ...place.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stdout = "";
  let stderr = "";
  child.stdout?.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr?.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  hear({ name: `warpfarm ${args.join(" ")}`, said: () => stdout + stderr, end: () => child.exitCode ?? child.signalCode });
  const finished = new Promise<Finished>((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code, signal) => {
      const end = () => resolve({ code, signal, stdout, stderr });
      // All output is read at "close". A grandchild that outlives the process delays "close"; the test must then fail and not
      // wait.
      child.once("close", end);
      setTimeout(end, 2_000).unref();
    });
  });
  return { pid: child.pid ?? -1, finished, stdout: () => stdout, stderr: () => stderr, kill: (signal) => child.kill(signal) };
}

export const run = (place: Place, args: readonly string[], options?: StartOptions): Promise<Finished> =>
  start(place, args, options).finished;
