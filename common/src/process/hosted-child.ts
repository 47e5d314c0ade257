/** One child process of a ChildHost, from its start to its end: its pipes, its frames, and how it ended. */
import { type ChildProcess, spawn } from "node:child_process";
import type { Duplex, Readable } from "node:stream";
import { defined } from "../defined.ts";
import type { ChildLook } from "./child-look.ts";
import { encodeFrame, FrameError, FrameReader } from "./frames.ts";
import { tellInherited } from "./inherited.ts";
import { killGroup, trackGroup } from "./process-group.ts";
import { type ChildMessage, channelFd, heldMessage, lifelineFd, messageOf } from "./protocol.ts";
import { type Confined, confined, type Sandbox, signalOf } from "./sandbox/sandbox.ts";

export interface ChildOptions {
  readonly module: string;
  readonly args?: readonly string[];
  /** The child's whole environment: nothing is inherited, so no secret is. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** The sandbox of a child, requested at its start and before each call; absent: none. */
  readonly sandbox?: () => Sandbox;
  readonly startTimeoutMs?: number;
  /** Most bytes of a message from the child. */
  readonly maxMessageBytes?: number;
  readonly onLine?: (line: string) => void;
}

export type Ending =
  | { readonly kind: "exited"; readonly code: number }
  | { readonly kind: "signalled"; readonly signal: string }
  | { readonly kind: "unstartable"; readonly message: string };

const outputLimit = 64 * 1024;
/** The most bytes of a message with a result or failure; an artifact's code needs more. */
const usualMessageBytes = 4 << 20;
/** Milliseconds from a child's end to that of its pipes. */
const closeMs = 1_000;
/** Milliseconds from the end of a living child's channel to its own. */
const silentMs = 5_000;

export class Child {
  readonly process: ChildProcess;
  readonly ready: Promise<boolean>;
  readonly ended: Promise<Ending>;
  readonly #startTimeoutMs: number;
  readonly stamp: string | undefined;
  /** Receives the child's messages about a request. No message may come while it is undefined. Throws FrameError. */
  onMessage: ((message: ChildMessage) => void) | undefined;
  /** Called once when the child sends bytes that are no valid frame; it is being killed then. */
  onBroken: (why: string) => void = () => {};
  before: ChildLook | undefined;
  alive = true;
  tail = "";
  #isReady = false;
  #isBroken = false;

  #startTimer: NodeJS.Timeout | undefined;
  #settleReady: (up: boolean) => void = () => {};

  /** `held`: the child waits in untilWanted() until release(). */
  constructor(options: ChildOptions, held: boolean) {
    const { module, args: given = [], env, startTimeoutMs = 30_000, maxMessageBytes = usualMessageBytes } = options;
    const sandbox = options.sandbox?.();
    this.stamp = sandbox?.stamp;
    const { cwd = sandbox?.directory } = options;
    this.#startTimeoutMs = startTimeoutMs;
    const args = held ? [...given, heldMessage] : given;
    const start: Confined =
      sandbox === undefined ? { command: process.execPath, args: [module, ...args] } : confined(sandbox, module, args);
    const child = spawn(start.command, start.args, {
      detached: true,
      env: { ...env, ...tellInherited(lifelineFd + 1) },
      // The last are channelFd and lifelineFd.
      stdio: ["ignore", "pipe", "pipe", "pipe", "pipe"],
      ...defined({ cwd }),
    });
    this.process = child;
    if (child.pid !== undefined) trackGroup(child.pid);
    // Errors of pipes are ignored: the child's own end counts.
    for (const stream of child.stdio) stream?.on("error", () => {});
    this.#listen(options.onLine);
    this.#readFrames(maxMessageBytes);
    this.ready = new Promise((resolve) => {
      this.#settleReady = resolve;
    });
    if (!held) this.#expectStart();
    this.ended = this.#end(sandbox, start);
  }

  get pid(): number | undefined {
    return this.process.pid;
  }
  get isUsable(): boolean {
    return this.alive && !this.#isBroken;
  }

  #end(sandbox: Sandbox | undefined, { group }: Confined): Promise<Ending> {
    const child = this.process;
    return new Promise((resolve) => {
      const end = (ending: Ending) => {
        clearTimeout(this.#startTimer);
        group?.[Symbol.dispose]();
        this.alive = false;
        this.#settleReady(false);
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

  #readFrames(maxMessageBytes: number): void {
    const channel = this.process.stdio[channelFd] as Readable | null | undefined;
    const frames = new FrameReader(maxMessageBytes);
    channel?.on("data", (chunk: Buffer) => {
      if (this.#isBroken) return;
      try {
        for (const value of frames.read(chunk)) this.#take(messageOf(value));
      } catch (error) {
        if (!(error instanceof FrameError)) throw error;
        this.#break(error.message);
      }
    });
    channel?.on("end", () => {
      // The pipes of an ending child close before its end is reported.
      setTimeout(() => setImmediate(() => this.alive && this.#break("it closed its channel")), silentMs).unref();
    });
  }

  #take(message: ChildMessage): void {
    if (message.kind === "ready") {
      if (this.#isReady) throw new FrameError("it said a second time that it is ready");
      this.#isReady = true;
      clearTimeout(this.#startTimer);
      this.#settleReady(true);
    } else if (this.onMessage === undefined) throw new FrameError(`a message (${message.kind}) came while nothing was asked`);
    else this.onMessage(message);
  }

  #break(why: string): void {
    if (this.#isBroken) return;
    this.#isBroken = true;
    this.onBroken(why);
    this.kill();
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
    this.send({ kind: "wanted" });
  }

  /** If sending fails, the child's end is seen instead. */
  send(message: object): void {
    (this.process.stdio[channelFd] as Duplex | null | undefined)?.write(encodeFrame(message));
  }

  kill(): void {
    if (this.process.pid !== undefined && this.alive) killGroup(this.process.pid);
  }
}
