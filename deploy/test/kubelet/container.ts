/**
 * One container: the command of its image with the arguments, variables, files and user that it is given, on a read-only root,
 * in a network that others made. bubblewrap stands for the container runtime.
 */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import { hear } from "../../../test-support/heard.ts";
import { until } from "../../../test-support/until.ts";
import type { Image } from "./image.ts";
import { inNetworkOf } from "./network.ts";

const execute = promisify(execFile);

export interface Mount {
  /** On this machine. */
  readonly from: string;
  readonly to: string;
  readonly isReadOnly: boolean;
}

export interface ContainerOptions {
  readonly name: string;
  readonly image: Image;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly mounts: readonly Mount[];
  readonly user: { readonly uid: number; readonly gid: number };
  readonly isRootReadOnly: boolean;
  readonly hostname?: string;
  /** A process in whose network it starts. */
  readonly network: number;
}

export class Container {
  readonly name: string;
  readonly env: Readonly<Record<string, string>>;
  readonly mounts: readonly Mount[];
  readonly words: readonly string[];
  readonly #command: readonly string[];
  #child: ChildProcess;
  /** Resolves when the present process has ended and all that it said is read. */
  #closed: Promise<unknown> = Promise.resolve();
  #restarts = 0;
  #said = "";
  /** Of its first process, as this machine counts. */
  #pid = -1;
  #isKilled = false;

  constructor({ name, image, command, args, env, mounts, user, isRootReadOnly, hostname, network }: ContainerOptions) {
    this.name = name;
    this.env = { ...image.env, ...env };
    this.mounts = mounts;
    this.words = [...(command ?? image.entrypoint), ...(args ?? (command ? [] : image.command))];
    const [program = "", ...flags] = [
      ...inNetworkOf(network),
      ...["/usr/bin/bwrap", "--unshare-user", "--uid", String(user.uid), "--gid", String(user.gid)],
      ...["--unshare-pid", "--unshare-ipc", "--unshare-uts", "--hostname", hostname ?? name, "--die-with-parent"],
      ...["--info-fd", "3", ...image.files],
      // Parents before what is mounted in them.
      ...[...mounts, ...image.places.map((path): Mount => ({ from: path, to: path, isReadOnly: true }))]
        .sort((a, b) => a.to.length - b.to.length)
        .flatMap(({ from, to, isReadOnly }) => [isReadOnly ? "--ro-bind" : "--bind", from, to]),
      ...(isRootReadOnly ? ["--remount-ro", "/"] : []),
      ...["--chdir", image.workdir, "--", ...this.words],
    ];
    this.#command = [program, ...flags];
    this.#child = this.#launch();
    hear({ name: `container ${name}`, said: () => this.#said, end: () => this.#child.exitCode ?? this.#child.signalCode });
  }

  #launch(): ChildProcess {
    const [program = "", ...flags] = this.#command;
    this.#pid = -1;
    this.#isKilled = false;
    const child = spawn(program, flags, { env: { ...this.env }, stdio: ["ignore", "pipe", "pipe", "pipe"] });
    for (const stream of [child.stdout, child.stderr])
      stream?.on("data", (chunk: Buffer) => {
        this.#said += chunk.toString();
      });
    this.#closed = once(child, "close");
    this.#closed.catch(() => {}); // it could not be started; whoever waits hears of it
    let info = "";
    child.stdio[3]?.on("data", (chunk: Buffer) => {
      info += chunk.toString();
      const [, pid] = /"child-pid": (\d+)/.exec(info) ?? [];
      if (pid === undefined || this.#pid > 0) return;
      this.#pid = Number(pid);
      if (this.#isKilled) this.kill();
    });
    return child;
  }

  /** As a kubelet does with one that has ended. Throws when that happened too often to be the start of a farm. */
  restart(): void {
    if (++this.#restarts > 10) throw new Error(`${this.name} ends again and again: ${this.#said.slice(-2_000)}`);
    this.#child = this.#launch();
  }

  get said(): string {
    return this.#said;
  }
  get exitCode(): number | null {
    return this.#child.exitCode;
  }
  get hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** For a person: whether it runs, and how often it was started again. */
  get state(): string {
    const now = this.hasEnded ? `ended with ${this.#child.exitCode ?? this.#child.signalCode}` : "runs";
    return this.#restarts === 0 ? now : `${now}, started again ${this.#restarts} times`;
  }

  /** Throws, with what it said, when it has ended. */
  expectAlive(): void {
    if (this.hasEnded) throw new Error(`${this.name} ${this.state}: ${this.#said.slice(-2_000)}`);
  }

  async finished(): Promise<number | null> {
    await this.#closed;
    return this.#child.exitCode;
  }

  /** Runs a command inside. Resolves to its exit code. */
  async exec(command: readonly string[], timeoutMs = 120_000): Promise<number> {
    await until(() => this.#pid > 0 || this.exitCode !== null, `${this.name} to begin`);
    const inside = ["--target", String(this.#pid), "--user", "--mount", "--net", "--pid", "--root", "--preserve-credentials"];
    try {
      await execute("/usr/bin/nsenter", [...inside, "--", ...command], { env: { ...this.env }, timeout: timeoutMs });
      return 0;
    } catch (error) {
      return (error as { code?: number }).code ?? -1;
    }
  }

  /** The process of the command. The container's first one started it, as tini does in an image. Undefined before that. */
  get #program(): number | undefined {
    try {
      const [first = ""] = readFileSync(`/proc/${this.#pid}/task/${this.#pid}/children`, "utf8").split(" ");
      return first === "" ? undefined : Number(first);
    } catch {
      return undefined;
    }
  }

  get hasProgram(): boolean {
    return this.#program !== undefined;
  }

  signal(signal: NodeJS.Signals): void {
    const pid = this.#program;
    if (pid !== undefined && !this.hasEnded) send(pid, signal);
  }

  /**
   * SIGTERM, and what the container says to it; SIGKILL after two minutes. The system spares a first process that does not catch
   * SIGTERM yet, which is why the command is not the first.
   */
  async stop(): Promise<number | null> {
    if (this.hasEnded) return this.#child.exitCode;
    const end = setTimeout(() => this.kill(), 120_000);
    this.signal("SIGCONT");
    if (this.#program === undefined) this.kill();
    else this.signal("SIGTERM");
    const code = await this.finished();
    clearTimeout(end);
    return code;
  }

  kill(): void {
    this.#isKilled = true;
    // All of a container end with its first process, and the one that made it ends then. Without that one, a container that is
    // just being made would stay.
    if (!this.hasEnded) send(this.#pid, "SIGKILL");
  }
}

function send(pid: number, signal: NodeJS.Signals): void {
  if (pid <= 0) return;
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended, and this process was not told yet.
  }
}
