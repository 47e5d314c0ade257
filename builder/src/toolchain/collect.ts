import { type ChildProcess, spawn } from "node:child_process";

interface Collected {
  /** Null when a signal ended it. */
  readonly code: number | null;
  readonly signal: string | null;
  /** stdout and stderr as they came; only the beginning when they exceed the limit. */
  readonly output: string;
}

/** Rejects when the command could not be started. Continues reading beyond the limit, so that the command does not block. */
export function collect(child: ChildProcess, limitBytes: number): Promise<Collected> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    for (const stream of [child.stdout, child.stderr])
      stream?.on("data", (chunk: Buffer) => {
        if (size < limitBytes) chunks.push(chunk.subarray(0, limitBytes - size));
        size += chunk.length;
      });
    child.on("error", reject);
    child.on("close", (code, signal) => resolve({ code, signal, output: Buffer.concat(chunks).toString("utf8") }));
  });
}

interface RunOptions {
  readonly directory: string;
  /** PATH of its environment, which has none of our other variables. */
  readonly searchPath: string;
  readonly logBytes: number;
}

export function run(command: string, args: readonly string[], options: RunOptions): Promise<Collected> {
  const { directory, searchPath, logBytes } = options;
  const env = { PATH: searchPath, LC_ALL: "C", TMPDIR: directory };
  return collect(spawn(command, args, { cwd: directory, env, stdio: ["ignore", "pipe", "pipe"] }), logBytes);
}

/** Added to the deadline, in case the process that enforces it is gone. */
const cpuSlackSeconds = 5;

/**
 * Runs in the process group of the caller, so one kill ends all of it. Its processor time is limited by its deadline, so it also
 * ends by itself. Limits on memory, files and processes are the caller's.
 */
export function runLimited(
  command: string,
  args: readonly string[],
  { timeoutMs, ...options }: RunOptions & { readonly timeoutMs: number },
): Promise<Collected> {
  const seconds = Math.ceil(timeoutMs / 1000) + cpuSlackSeconds;
  const script = `ulimit -c 0; ulimit -t ${seconds}; exec "$@"`;
  return run("/bin/sh", ["-c", script, "sh", command, ...args], options);
}
