/** A tracker process under test: started, asked for its ports, killed. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { bundled } from "../../test-support/bundles.ts";
import { hear } from "../../test-support/heard.ts";

export interface TrackerProcess {
  readonly child: ChildProcess;
  readonly address: string;
  readonly http: string;
  readonly readyLine: string;
  /** Everything on stderr so far. */
  log(): string;
  /** Resolves with the exit code, or the signal's name. */
  end(signal: NodeJS.Signals): Promise<number | string>;
}

const started = new Set<ChildProcess>();

export function spawnTracker(args: readonly string[]): ChildProcess {
  const child = spawn(process.execPath, [bundled("tracker"), ...args], { stdio: ["pipe", "pipe", "pipe"] });
  started.add(child);
  let log = "";
  child.stderr?.on("data", (text: Buffer) => {
    log += text;
  });
  hear({ name: `tracker ${args.join(" ")}`, said: () => log, end: () => child.exitCode ?? child.signalCode });
  child.once("exit", () => started.delete(child));
  return child;
}

/** Ends every process a failed test left behind. */
export async function killAll(): Promise<void> {
  for (const child of [...started]) {
    child.kill("SIGKILL");
    await exitOf(child);
  }
}

export async function exitOf(child: ChildProcess): Promise<number | string> {
  if (child.exitCode !== null) return child.exitCode;
  if (child.signalCode !== null) return child.signalCode;
  const [code, signal] = (await once(child, "exit")) as [number | null, string | null];
  return code ?? signal ?? "?";
}

export async function startProcess(args: readonly string[]): Promise<TrackerProcess> {
  const child = spawnTracker(args);
  let log = "";
  child.stderr?.on("data", (text: Buffer) => {
    log += text;
  });
  if (!child.stdout) throw new Error("no stdout");
  for await (const line of createInterface({ input: child.stdout })) {
    const m = /^tracker ready grpc=(\S+) http=(\S+)$/.exec(line);
    if (!m) throw new Error(`not a ready line: ${line}`);
    return {
      child,
      address: m[1] as string,
      http: m[2] as string,
      readyLine: line,
      log: () => log,
      async end(signal) {
        child.kill(signal);
        return exitOf(child);
      },
    };
  }
  throw new Error(`the tracker ended before it was ready: ${log}`);
}
