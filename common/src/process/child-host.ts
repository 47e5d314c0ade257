/**
 * Owns one child process that answers requests, and replaces it when it dies. The code in the child (a compiler, foreign native
 * code) may hang or crash, and only the child suffers. With `spare` a second child waits ready, so a death costs no start-up
 * time. With `reserve` a third child has loaded its code, so the next spare is ready soon.
 * IDLE -> BUSY by call(); BUSY -> IDLE by an answer; BUSY -> DEAD by the deadline, the caller's signal, an exit or a signal; DEAD
 * -> IDLE when the next call takes the spare or forks. A child that the host kills is replaced at once: the next spare starts
 * while it dies. When a child is ended, its whole process group is (process-group.ts).
 */

import { type ChildProcess, spawn } from "node:child_process";
import { defined } from "../defined.ts";
import { invariant } from "../invariant.ts";
import { outOfFilesWords } from "../open-files.ts";
import { abortable } from "../signals.ts";
import { killGroup, trackGroup } from "./process-group.ts";
import { type ChildMessage, heldMessage, type RequestMessage, type WantedMessage } from "./protocol.ts";
import { confined, type Sandbox, signalOf } from "./sandbox/sandbox.ts";

export interface ChildHostOptions {
  /** Path of the module to fork; see moduleBeside. */
  readonly module: string;
  /** For people: "compile child". */
  readonly name: string;
  readonly args?: readonly string[];
  /** The child's whole environment: nothing is inherited, so no secret is. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly spare?: boolean;
  /** With `spare`: keep one more child that has called untilWanted() (serve.ts). It continues when it becomes the spare. */
  readonly reserve?: boolean;
  /**
   * The sandbox of a child, requested at its start and before each call; absent = none. Cannot be combined with `reserve`: the
   * sandbox loses what a child is told before it is ready.
   */
  readonly sandbox?: () => Sandbox;
  /** Limit in milliseconds from fork to ready. */
  readonly startTimeoutMs?: number;
  /** Receives the child's output line by line, at most 64 KiB per child. */
  readonly onLine?: (line: string) => void;
}

export type CallOutcome<A> =
  | { readonly kind: "answered"; readonly value: A }
  /** The handler in the child threw, which is a bug in our code; `message` is the error's. */
  | { readonly kind: "threw"; readonly message: string }
  /** Killed by us at its deadline. */
  | { readonly kind: "killed"; readonly deadlineMs: number }
  /** The caller's signal ended the call, and the child was killed. */
  | { readonly kind: "cancelled" }
  | { readonly kind: "exited"; readonly code: number; readonly output: string }
  | { readonly kind: "signalled"; readonly signal: string; readonly output: string }
  /** It never became ready. */
  | { readonly kind: "unstartable"; readonly message: string };

export interface CallOptions {
  /** The child is killed after this many milliseconds in which this process ran; absent = none until onProgress sets one. */
  readonly deadlineMs?: number;
  readonly signal?: AbortSignal;
  /** Receives the child's progress. May set a new deadline, counted from now, or lift it with undefined. */
  readonly onProgress?: (value: unknown, setDeadline: (ms: number | undefined) => void) => void;
}

type Ending =
  | { readonly kind: "exited"; readonly code: number }
  | { readonly kind: "signalled"; readonly signal: string }
  | { readonly kind: "unstartable"; readonly message: string };

const outputLimit = 64 * 1024;
const deadlineParts = 8;
/** From a child's end to that of its pipes. */
const closeMs = 1_000;

class Child {
  readonly process: ChildProcess;
  readonly ready: Promise<boolean>;
  readonly ended: Promise<Ending>;
  readonly #startTimeoutMs: number;
  /** Of its sandbox. */
  readonly stamp: string | undefined;
  onMessage: ((message: ChildMessage) => void) | undefined;
  alive = true;
  /** Last words, for messages. */
  tail = "";

  #startTimer: NodeJS.Timeout | undefined;

  /** `held`: the child waits in untilWanted() until release(). */
  constructor(options: ChildHostOptions, held: boolean) {
    const { module, args: given = [], env, startTimeoutMs = 30_000 } = options;
    const sandbox = options.sandbox?.();
    this.stamp = sandbox?.stamp;
    const { cwd = sandbox?.directory } = options;
    this.#startTimeoutMs = startTimeoutMs;
    const args = held ? [...given, heldMessage] : given;
    const start =
      sandbox === undefined ? { command: process.execPath, args: [module, ...args] } : confined(sandbox, module, args);
    const child = spawn(start.command, start.args, {
      detached: true,
      serialization: "advanced",
      env: { ...env },
      // The last is lifelineFd.
      stdio: ["ignore", "pipe", "pipe", "ipc", "pipe"],
      ...defined({ cwd }),
    });
    this.process = child;
    if (child.pid !== undefined) trackGroup(child.pid);
    this.#listen(options.onLine);

    let settleReady: (up: boolean) => void = () => {};
    this.ready = new Promise((resolve) => {
      settleReady = resolve;
    });
    if (!held) this.#expectStart();
    child.on("message", (message: ChildMessage) => {
      if (message.kind === "ready") {
        clearTimeout(this.#startTimer);
        settleReady(true);
      } else this.onMessage?.(message);
    });
    this.ended = new Promise((resolve) => {
      const end = (ending: Ending) => {
        clearTimeout(this.#startTimer);
        if ("group" in start) start.group?.[Symbol.dispose]();
        this.alive = false;
        settleReady(false);
        resolve(ending);
      };
      child.on("error", (error) => child.pid === undefined && end({ kind: "unstartable", message: error.message }));
      child.on("exit", (code, signal) => {
        this.alive = false;
        if (child.pid !== undefined) killGroup(child.pid);
        const told = signal ?? (sandbox === undefined ? undefined : signalOf(sandbox, code ?? 0));
        const ending: Ending = told === undefined ? { kind: "exited", code: code ?? 0 } : { kind: "signalled", signal: told };
        // "exit" may come before the child's last messages. "close" comes after them, unless another process has the child's
        // pipes.
        child.once("close", () => end(ending));
        setTimeout(() => setImmediate(end, ending), closeMs).unref();
      });
    });
  }

  #listen(onLine: ((line: string) => void) | undefined): void {
    let budget = outputLimit;
    for (const stream of [this.process.stdout, this.process.stderr]) {
      let rest = "";
      stream?.setEncoding("utf8");
      stream?.on("data", (text: string) => {
        if (budget <= 0) return;
        budget -= text.length;
        this.tail = (this.tail + text).slice(-2048);
        const lines = (rest + text).split("\n");
        rest = (lines.pop() ?? "").slice(-outputLimit);
        for (const line of lines) onLine?.(line);
      });
    }
  }

  #expectStart(): void {
    this.#startTimer = setTimeout(() => this.kill(), this.#startTimeoutMs);
    this.#startTimer.unref();
  }

  /** Lets a held child continue until it is ready. */
  release(): void {
    this.#expectStart();
    const wanted: WantedMessage = { kind: "wanted" };
    // If sending fails, the child's end is seen instead.
    this.process.send(wanted, () => {});
  }

  kill(): void {
    if (this.process.pid !== undefined && this.alive) killGroup(this.process.pid);
  }
}

export class ChildHost<Q, A> implements AsyncDisposable {
  readonly #options: ChildHostOptions;
  #current: Child | undefined;
  #spare: Child | undefined;
  #reserve: Child | undefined;
  readonly #all = new Set<Child>();
  #nextId = 1;
  #busy = false;
  #disposed = false;

  constructor(options: ChildHostOptions) {
    invariant(options.sandbox === undefined || options.reserve !== true, `${options.name}: a sandbox, and a child in reserve`);
    this.#options = options;
  }

  /** Process id of the serving child, for tests and logs. */
  get pid(): number | undefined {
    return this.#current?.alive === true ? this.#current.process.pid : undefined;
  }

  /** Forks the missing children and waits until they are ready. Throws with the child's message when one does not start. */
  async start(): Promise<void> {
    const waiting = [this.#take()];
    if (this.#options.spare === true) waiting.push(this.#ensureSpare());
    for (const child of waiting) {
      if (!(await child.ready)) throw new Error(this.#whyNotStarted(await child.ended, child));
    }
  }

  /** Sends the request and waits for its outcome. Requires that no other call is in flight. Never rejects. */
  async call(request: Q, options: CallOptions = {}): Promise<CallOutcome<A>> {
    invariant(!this.#busy, `${this.#options.name}: one request at a time`);
    invariant(!this.#disposed, `${this.#options.name}: used after disposal`);
    this.#busy = true;
    try {
      const isGivenUp = () => options.signal?.aborted === true;
      if (isGivenUp()) return { kind: "cancelled" };
      const child = this.#take();
      if (this.#options.spare === true) this.#ensureSpare();
      const { ready } = child;
      // Who gives up while the child starts leaves it to the next call.
      const isReady = await (options.signal ? abortable(ready, options.signal).catch(() => false) : ready);
      if (isGivenUp()) return { kind: "cancelled" };
      if (!isReady) return { kind: "unstartable", message: this.#whyNotStarted(await child.ended, child) };
      return await this.#exchange(child, request, options);
    } finally {
      this.#busy = false;
    }
  }

  /**
   * Ends the serving child when its state is no longer trusted. The next call gets another one. Requires that no call is in
   * flight.
   */
  async recycle(): Promise<void> {
    const child = this.#current;
    if (child === undefined) return;
    this.#end(child);
    await child.ended;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#disposed = true;
    for (const child of this.#all) child.kill();
    await Promise.all([...this.#all].map((child) => child.ended));
  }

  async #exchange(child: Child, request: Q, options: CallOptions): Promise<CallOutcome<A>> {
    const id = this.#nextId++;
    let given: CallOutcome<A> | undefined;
    let timer: NodeJS.Timeout | undefined;
    const giveUp = (outcome: CallOutcome<A>): void => {
      given ??= outcome;
      this.#end(child);
    };
    // The deadline is counted in parts. When this process stood still (a machine asleep, or overloaded), one part at most counts,
    // and the child's messages are read before the next part.
    const setDeadline = (ms: number | undefined, parts = deadlineParts): void => {
      clearTimeout(timer);
      if (ms === undefined) return;
      const next = () => (parts === 0 ? giveUp({ kind: "killed", deadlineMs: ms }) : setDeadline(ms, parts - 1));
      timer = setTimeout(next, parts === 0 ? 0 : ms / deadlineParts);
    };
    const onAbort = (): void => giveUp({ kind: "cancelled" });
    const answered = new Promise<CallOutcome<A>>((resolve) => {
      child.onMessage = (message) => {
        if (message.kind === "ready" || message.id !== id || given !== undefined) return;
        if (message.kind === "progress") options.onProgress?.(message.value, (ms) => setDeadline(ms));
        else if (message.kind === "answer") resolve({ kind: "answered", value: message.value as A });
        else resolve({ kind: "threw", message: message.message });
      };
    });
    const died = child.ended.then(
      (ending): CallOutcome<A> => given ?? (ending.kind === "unstartable" ? ending : { ...ending, output: child.tail }),
    );
    setDeadline(options.deadlineMs);
    options.signal?.addEventListener("abort", onAbort, { once: true });
    try {
      const message: RequestMessage = { id, request };
      // If sending fails, the child's end is seen instead.
      child.process.send(message, () => {});
      const outcome = await Promise.race([answered, died]);
      if (outcome.kind === "threw") await this.recycle();
      return outcome;
    } finally {
      clearTimeout(timer);
      options.signal?.removeEventListener("abort", onAbort);
      child.onMessage = undefined;
    }
  }

  /**
   * Kills the serving child. The spare takes its place, and the next spare starts while the killed child dies, which can take a
   * while with a GPU.
   */
  #end(child: Child): void {
    child.kill();
    if (this.#current !== child) return;
    this.#current = undefined;
    if (this.#options.spare !== true || this.#disposed) return;
    this.#take();
    this.#ensureSpare();
  }

  /** The serving child: the living one, otherwise the spare, otherwise a new one. */
  #take(): Child {
    const stamp = this.#options.sandbox?.().stamp;
    for (const child of [this.#current, this.#spare]) if (child?.stamp !== stamp) child?.kill();
    if (this.#current?.stamp !== stamp) this.#current = undefined;
    if (this.#spare?.stamp !== stamp) this.#spare = undefined;
    if (this.#current?.alive !== true) {
      this.#current = this.#spare?.alive === true ? this.#spare : this.#fork();
      this.#spare = undefined;
    }
    return this.#current;
  }

  #ensureSpare(): Child {
    if (this.#spare?.alive !== true) {
      this.#spare = this.#reserve?.alive === true ? this.#reserve : this.#fork();
      if (this.#spare === this.#reserve) this.#spare.release();
      this.#reserve = this.#options.reserve === true ? this.#fork({ held: true }) : undefined;
    }
    return this.#spare;
  }

  #fork({ held = false } = {}): Child {
    const child = new Child(this.#options, held);
    this.#all.add(child);
    void child.ended.then(() => this.#all.delete(child));
    return child;
  }

  #whyNotStarted(ending: Ending, child: Child): string {
    const how =
      ending.kind === "exited"
        ? `exited with code ${ending.code}`
        : ending.kind === "signalled"
          ? `was ended by ${ending.signal}`
          : ending.message;
    if (/\bE[MN]FILE\b/.test(`${how} ${child.tail}`)) return `${this.#options.name} did not start: ${outOfFilesWords}`;
    return `${this.#options.name} did not start: it ${how}${child.tail === "" ? "" : `; it said: ${child.tail.trim()}`}`;
  }
}
