/**
 * A whole farm on one machine: tracker, builder and runner as separate processes on loopback, each `node bin/warpfarm.js ROLE`.
 * They start at once, since opening a GPU and a store take seconds each: tracker and builder before the device is chosen, the
 * workers before the tracker has an address, which they are told. A process that dies is started again, the tracker on its old
 * ports, so that workers, clients and pages reconnect by themselves. After maxRestarts within restartWindowMs the farm is lost,
 * and `lost` gives the reason. Disposal ends every process. The store is the given directory, or a temporary one when a live
 * process holds that directory; only the tracker checks that.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { EmbeddedFarm, EmbeddedFarmOptions } from "@warpfarm/client/cli";
import { AsyncStack, type Clock, defined, FarmError } from "@warpfarm/common";
import { lockHolder } from "@warpfarm/common/process";
import { elsewhere } from "./choose-device.ts";
import { endedHow, ManagedProcess, type ProcessSpec } from "./managed-process.ts";
import { parseReadyLine, type ReadyLine, type Role } from "./ready-line.ts";

/** The first tracker of an installation makes its packed store, which takes ten seconds of a processor that others may want. */
const readyMs: Readonly<Record<Role, number>> = { tracker: 300_000, builder: 120_000, runner: 120_000 };
const defaultMaxRestarts = 20;
const restartWindowMs = 60_000;
const restartDelayMs = 100;

export interface LocalFarmOptions extends Omit<EmbeddedFarmOptions, "device"> {
  readonly bin: string;
  /** As the runner takes it: `cpu`, `cuda:0`; unset: cpu. The runner starts when it is known. */
  readonly device?: string | Promise<string>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly onLog?: (role: Role, line: string) => void;
  /** Within a minute, all parts together; unset: 20. */
  readonly maxRestarts?: number;
  readonly flags?: Partial<Record<Role, readonly string[]>>;
}

type Part = ManagedProcess<ReadyLine>;

export class LocalFarm implements EmbeddedFarm {
  readonly #options: LocalFarmOptions;
  readonly #parts = new Map<Role, Part>();
  readonly #stack = new AsyncStack();
  readonly #lost = new AbortController();
  readonly #stopping = new AbortController();
  readonly #starting: Promise<unknown>[] = [];
  #restarts: number[] = [];
  #dataDir: string;

  private constructor(options: LocalFarmOptions) {
    this.#options = options;
    this.#dataDir = options.dataDir;
  }

  /** Resolves when all three are ready and registered. Throws FarmError with the message of the part that failed. */
  static async start(options: LocalFarmOptions): Promise<LocalFarm> {
    const farm = new LocalFarm(options);
    try {
      const address = farm.#startTracker().then(() => farm.address);
      farm.#starting.push(address, farm.#startBuilder(address), farm.#startRunner(address));
      await Promise.all(farm.#starting);
      return farm;
    } catch (error) {
      await farm[Symbol.asyncDispose]();
      throw error;
    }
  }

  get address(): string {
    return this.#ready("tracker").address ?? "";
  }
  get httpAddress(): string {
    return this.#ready("tracker").http ?? "";
  }
  get page(): string {
    return `http://${this.httpAddress}/`;
  }
  get key(): string {
    return this.#ready("runner").key ?? "";
  }
  get dataDir(): string {
    return this.#dataDir;
  }
  get lost(): AbortSignal {
    return this.#lost.signal;
  }
  /** For messages and for fault tests; undefined while that part is being restarted. */
  pidOf(role: Role): number | undefined {
    const part = this.#parts.get(role);
    return part?.running ? part.pid : undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort(new FarmError("CANCELLED", "the local farm was stopped"));
    await Promise.allSettled(this.#starting);
    await Promise.all([...this.#parts.values()].map((part) => part[Symbol.asyncDispose]()));
    await this.#stack[Symbol.asyncDispose]();
  }

  #ready(role: Role): ReadyLine {
    return this.#parts.get(role)?.ready ?? {};
  }

  async #startTracker(): Promise<void> {
    // Records belong to the machine, whichever store this run uses.
    const inbox = join(this.#options.dataDir, "records", "inbox");
    const start = () => {
      const store = ["--data", join(this.#dataDir, "tracker"), "--record-inbox", inbox];
      return this.#spawn("tracker", ["--listen", "127.0.0.1:0", "--http", "127.0.0.1:0", ...store]);
    };
    try {
      await start();
    } catch (error) {
      const holder = await lockHolder(join(this.#dataDir, "tracker.lock"));
      if (holder === undefined) throw error;
      this.#options.notice(`${this.#dataDir} is in use by process ${holder.pid}: this run takes a temporary store`);
      const temporary = await mkdtemp(join(tmpdir(), "warpfarm-"));
      this.#stack.defer(() => rm(temporary, { recursive: true, force: true }));
      this.#dataDir = temporary;
      await start();
    }
  }

  async #startBuilder(address: Promise<string>): Promise<void> {
    try {
      await this.#spawn("builder", this.#workerFlags("builder"), address);
    } catch (error) {
      // What is wrong with the device is told first: without a compiler neither is there.
      await this.#options.device;
      throw error;
    }
  }

  async #startRunner(address: Promise<string>): Promise<void> {
    const device = await this.#options.device;
    const flags = [...this.#workerFlags("runner"), ...(device === undefined ? [] : ["--device", device])];
    const started = this.#spawn("runner", flags, address).catch((error: unknown) => {
      const isOfGpu = device !== undefined && device !== "cpu" && error instanceof FarmError && !this.#options.signal.aborted;
      throw isOfGpu ? new FarmError(error.code, `${error.message}; ${elsewhere}`, { cause: error }) : error;
    });
    // Disposal waits for it, also when `meanwhile` throws.
    this.#starting.push(started);
    await Promise.all([started, Promise.resolve().then(this.#options.meanwhile)]);
  }

  #workerFlags(role: "builder" | "runner"): readonly string[] {
    return ["--tracker-on-stdin", "--cache", join(this.#options.cacheDir, role)];
  }

  /** `told`: the tracker's address, for a worker. */
  async #spawn(role: Role, flags: readonly string[], told?: Promise<string>): Promise<void> {
    const { bin, env, onLog, flags: extra, signal } = this.#options;
    const spec: ProcessSpec<ReadyLine> = {
      name: role,
      command: process.execPath,
      args: [bin, role, ...flags, "--exit-with-parent", ...(extra?.[role] ?? [])],
      env,
      readyMs: readyMs[role],
      ...defined({ told }),
      parseReady: parseReadyLine(role),
      ...(onLog ? { onLog: (line: string) => onLog(role, line) } : {}),
    };
    const part = await ManagedProcess.start(spec, { signal: AbortSignal.any([signal, this.#stopping.signal]) });
    this.#parts.set(role, part);
    void part.ended.then((ended) => this.#revive(role, flags, endedHow(ended)));
  }

  async #revive(role: Role, flags: readonly string[], how: string): Promise<void> {
    if (this.#stopping.signal.aborted) return;
    const { clock, notice, maxRestarts = defaultMaxRestarts } = this.#options;
    const now = clock.monotonic();
    this.#restarts = [...this.#restarts.filter((at) => now - at < restartWindowMs), now];
    if (this.#restarts.length > maxRestarts) return this.#giveUp(`the ${role} keeps dying, last by ${how}`);
    notice(`the ${role} ended (${how}); starting it again`);
    const again = role === "tracker" ? this.#onItsPorts(flags) : flags;
    try {
      await clock.sleep(restartDelayMs, { signal: this.#stopping.signal });
      await this.#spawn(role, again, role === "tracker" ? undefined : Promise.resolve(this.address));
    } catch (error) {
      if (!this.#stopping.signal.aborted) this.#giveUp(`the ${role} could not be started again: ${(error as Error).message}`);
    }
  }

  #onItsPorts(flags: readonly string[]): readonly string[] {
    const ports: Readonly<Record<string, string>> = { "--listen": this.address, "--http": this.httpAddress };
    return flags.map((flag, i) => ports[flags[i - 1] ?? ""] ?? flag);
  }

  #giveUp(why: string): void {
    this.#lost.abort(new FarmError("UNAVAILABLE", why));
  }
}
