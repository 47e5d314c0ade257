/**
 * One long-lived child process of a local farm: started, awaited until its ready line, supervised, ended. The child has its own
 * process group, so a Ctrl-C at the terminal reaches only this process, which ends the child in order. The child's stdin is a
 * pipe that closes when this process dies for any reason, and `--exit-with-parent` makes the child end then.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { abortable, anySignal, deadlineSignal, FarmError, systemClock } from "@warpfarm/common";

export interface ProcessSpec<R> {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly readyMs: number;
  /** A line for its standard input, once it is known. */
  readonly told?: Promise<string>;
  readonly parseReady: (line: string) => R | undefined;
  readonly onLog?: (line: string) => void;
}

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly lastWords: readonly string[];
}

const keptLines = 20;
const graceMs = 4000;
const drainMs = 500;

/** How a child ended, in its own words if it printed any: "no C compiler", "exit code 2", "SIGKILL". */
export function endedHow({ code, signal, lastWords }: Ended): string {
  const words = lastWords.at(-1)?.replace(/^warpfarm \w+: /, "");
  if (signal) return signal;
  return words && !words.startsWith("{") ? words : `exit code ${code}`;
}

export class ManagedProcess<R> implements AsyncDisposable {
  readonly name: string;
  readonly pid: number;
  readonly ready: R;
  /** Resolves when the process has ended and its output is read; never rejects. */
  readonly ended: Promise<Ended>;
  readonly #child: ChildProcess;

  private constructor(name: string, child: ChildProcess, pid: number, ready: R, ended: Promise<Ended>) {
    this.name = name;
    this.#child = child;
    this.pid = pid;
    this.ready = ready;
    this.ended = ended;
  }

  /** Throws FarmError UNAVAILABLE with the child's last words when it ends, or is silent for too long, before it is ready. */
  static async start<R>(spec: ProcessSpec<R>, { signal }: { readonly signal: AbortSignal }): Promise<ManagedProcess<R>> {
    signal.throwIfAborted();
    const child = spawn(spec.command, [...spec.args], { env: { ...spec.env }, stdio: ["pipe", "pipe", "pipe"], detached: true });
    const lastWords: string[] = [];
    lines(child.stderr, (line) => {
      if (line.trim() !== "") lastWords.push(line);
      if (lastWords.length > keptLines) lastWords.shift();
      spec.onLog?.(line);
    });
    const ready = new Promise<R>((resolve) =>
      lines(child.stdout, (line) => {
        const parsed = spec.parseReady(line);
        if (parsed !== undefined) resolve(parsed);
      }),
    );
    const ended = new Promise<Ended>((resolve) => {
      child.once("error", (error) => resolve({ code: null, signal: null, lastWords: [error.message] }));
      // "close" comes after the last output; a grandchild that still holds the pipe may delay it for ever.
      child.once("close", (code, ending) => resolve({ code, signal: ending, lastWords }));
      child.once("exit", (code, ending) => setTimeout(resolve, drainMs, { code, signal: ending, lastWords }).unref());
    });
    // A child that dies while this process writes or closes the pipe must not end this process.
    child.stdin?.on("error", () => {});
    // Who waits for the line in vain is killed with the rest.
    spec.told?.then((line) => child.stdin?.write(`${line}\n`)).catch(() => {});
    const early = ended.then((how): never => {
      throw new FarmError("UNAVAILABLE", `the ${spec.name} did not start: ${endedHow(how)}`);
    });
    early.catch(() => {});
    try {
      const deadline = deadlineSignal(systemClock, spec.readyMs, `starting the ${spec.name}`);
      const value = await abortable(Promise.race([ready, early]), anySignal(signal, deadline));
      return new ManagedProcess(spec.name, child, child.pid as number, value, ended);
    } catch (error) {
      // Kill the child before the caller learns of the failure: a child that is still ending holds its locks.
      killGroup(child, "SIGKILL");
      await ended;
      throw error;
    }
  }

  get running(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Idempotent. Sends SIGTERM, and kills the rest of the group when the process has ended or its time is over. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill("SIGTERM");
    const timer = setTimeout(() => killGroup(this.#child, "SIGKILL"), graceMs);
    await this.ended;
    clearTimeout(timer);
    killGroup(this.#child, "SIGKILL");
  }
}

function lines(stream: Readable | null, each: (line: string) => void): void {
  if (stream) createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY }).on("line", each);
}

/** The group outlives its leader when a grandchild hangs, so the group is signalled even after the leader is gone. */
function killGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch {
    // ESRCH: the whole group is gone already.
  }
}
