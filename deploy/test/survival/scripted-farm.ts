/**
 * A farm of real processes with scripted devices: trackers on one store, processes of builders and runners, client processes.
 * Workers and clients reach the trackers through a balancing proxy, as behind a service of Kubernetes, unless a test gives them
 * their own link.
 */
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AsyncStack, systemClock } from "@warpfarm/common";
import { bundled } from "../../../test-support/bundles.ts";
import { type PostgresServer, startPostgres } from "../../../test-support/farm/postgres.ts";
import { freePort } from "../../../test-support/free-port.ts";
import { Link } from "../../../test-support/link.ts";
import { accountOf, type ClientAccount, resultsIn, type Work, workOf } from "./accounts.ts";
import { Party } from "./party.ts";

export interface FarmPlan {
  readonly trackers: number;
  /** Without it the only tracker has a PGlite store. */
  readonly postgres: boolean;
  readonly leaseSeconds?: number;
  readonly idleSeconds?: number;
  /** A link between each of the trackers and PostgreSQL, and after how long a tracker takes a silent server for gone. */
  readonly storeLink?: { readonly queryMs: number };
}

export interface DevicesPlan {
  readonly builders?: number;
  readonly slots?: number;
  readonly runners?: number;
  readonly jobMs?: readonly [number, number];
  readonly buildMs?: readonly [number, number];
  readonly keepalive?: { readonly timeMs: number; readonly timeoutMs: number };
  /** What the builders build for and the runners are; unset = cpu/x86-64-v1. */
  readonly target?: string;
  /** Of the runners. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Unset = the balancing proxy. */
  readonly addresses?: readonly string[];
}

export interface ClientRun {
  readonly run: string;
  readonly count: number;
  /** Unset = the balancing proxy. */
  readonly address?: string;
}

export interface ClientPlan {
  readonly window?: number;
  readonly seed?: number;
  readonly patienceMs?: number;
  /** Further parts of the selector: ",label=value". */
  readonly labels?: string;
  /** A file: the client sends at most as many programs of each run as this file has bytes. */
  readonly gate?: string;
  readonly keepalive?: { readonly timeMs: number; readonly timeoutMs: number };
}

/** A process that is started again with the same plan. */
export class Seat {
  readonly #start: () => Party;
  party: Party;
  starts = 1;

  constructor(start: () => Party) {
    this.#start = start;
    this.party = start();
  }
  /** Ends the process, and starts it again once it is gone. Resolves with how it ended. */
  async replace(signal: NodeJS.Signals, downMs = 0) {
    const { party } = this;
    party.kill(signal);
    const exit = await party.ended;
    await systemClock.sleep(downMs);
    this.again();
    return exit;
  }
  again(): void {
    this.starts++;
    this.party = this.#start();
  }
}

export class ScriptedFarm implements AsyncDisposable {
  readonly directory = mkdtempSync(join(tmpdir(), "warpfarm-survival-"));
  readonly journal = join(this.directory, "journal.jsonl");
  readonly #stack = new AsyncStack();
  readonly #seats: Seat[] = [];
  readonly #done = new Map<string, { readonly version: string; readonly results: number }>();
  readonly #plan: FarmPlan;
  readonly trackers: Seat[] = [];
  /** Of each tracker, host:port of gRPC. */
  readonly trackerAddresses: string[] = [];
  postgres: PostgresServer | undefined;
  /** To PostgreSQL, of each tracker in turn, where the plan asks for them. */
  readonly storeLinks: Link[] = [];
  #balancer: Link | undefined;
  /** Without links; where a tracker's data is. */
  #databaseUrl: string | undefined;

  private constructor(plan: FarmPlan) {
    this.#plan = plan;
    this.#stack.defer(async () => rmSync(this.directory, { recursive: true, force: true }));
  }

  static async start(plan: FarmPlan): Promise<ScriptedFarm> {
    const farm = new ScriptedFarm(plan);
    try {
      await farm.#open();
      return farm;
    } catch (error) {
      await farm[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** host:port of the proxy before the trackers. */
  get address(): string {
    return this.#balancer?.address ?? "";
  }

  async #open(): Promise<void> {
    const { trackers, postgres } = this.#plan;
    if (postgres) {
      this.postgres = this.#stack.use(await startPostgres());
      this.#databaseUrl = await this.postgres.create("farm");
    }
    for (let i = 0; i < trackers; i++) {
      const { seat, address } = await this.tracker();
      this.trackers.push(seat);
      this.trackerAddresses.push(address);
    }
    this.#balancer = this.#stack.use(await Link.to(this.trackerAddresses));
  }

  async #storeFlags(): Promise<readonly string[]> {
    const { postgres } = this;
    const { storeLink } = this.#plan;
    if (!postgres || this.#databaseUrl === undefined) return ["--data", join(this.directory, "store")];
    if (!storeLink) return ["--database-url", this.#databaseUrl];
    const link = this.#stack.use(await Link.to([postgres.address]));
    this.storeLinks.push(link);
    return ["--database-url", `${this.#databaseUrl.replace(postgres.address, link.address)}?query_timeout=${storeLink.queryMs}`];
  }

  /** Another tracker on the store, which the balancing proxy does not know. Started again it takes the same port. */
  async tracker(
    node: readonly string[] = [],
    leaseSeconds = this.#plan.leaseSeconds ?? 2,
  ): Promise<{ readonly seat: Seat; readonly address: string }> {
    const { idleSeconds = 900 } = this.#plan;
    const store = await this.#storeFlags();
    const flags = ["--http", "none", "--lease-ttl", `${leaseSeconds}s`, "--session-idle", `${idleSeconds}s`, ...store];
    const address = `127.0.0.1:${await freePort()}`;
    const seat = this.#seat(() => {
      const args = [...node, bundled("tracker"), "--listen", address, "--exit-with-parent", ...flags];
      return new Party(process.execPath, args, /^tracker ready /, {});
    });
    await seat.party.ready;
    return { seat, address };
  }

  #seat(start: () => Party): Seat {
    const seat = new Seat(start);
    this.#seats.push(seat);
    return seat;
  }

  /** A link to the trackers of somebody's own. */
  async link(): Promise<Link> {
    return this.#stack.use(await Link.to(this.trackerAddresses));
  }

  devices(name: string, plan: DevicesPlan, node: readonly string[] = []): Seat {
    const whole = { name, journal: this.journal, addresses: [this.address], ...plan };
    return this.#seat(() => Party.run(bundled("devices"), whole, node));
  }

  /** One process for these runs. */
  client(runs: ClientRun | readonly ClientRun[], plan: ClientPlan = {}, node: readonly string[] = []): Seat {
    const all = "run" in runs ? [runs] : runs;
    const whole = { runs: all.map((run) => ({ address: this.address, log: this.logOf(run.run), ...run })), ...plan };
    return this.#seat(() => Party.run(bundled("client"), whole, node));
  }

  logOf(run: string): string {
    return join(this.directory, `${run}.jsonl`);
  }
  /** Asked again and again of hundreds of runs: a log that has not grown is not read again. */
  doneOf(run: string): number {
    const log = this.logOf(run);
    const { size = 0, mtimeMs = 0 } = statSync(log, { throwIfNoEntry: false }) ?? {};
    const version = `${size} ${mtimeMs}`;
    const known = this.#done.get(log);
    if (known?.version === version) return known.results;
    const results = resultsIn(log).length;
    this.#done.set(log, { version, results });
    return results;
  }
  account(run: string, count: number): ClientAccount {
    return accountOf(run, count, this.logOf(run));
  }
  work(runs: readonly { readonly run: string; readonly count: number }[]): Work {
    return workOf(this.journal, runs);
  }

  /** What every process said last, for a failure's message. */
  said(): string {
    return this.#seats.map(({ party }) => party.said.slice(-1500)).join("\n--\n");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { party } of this.#seats) {
      party.kill("SIGCONT");
      party.kill("SIGKILL");
    }
    await Promise.all(this.#seats.map(({ party }) => party.ended));
    await this.#stack[Symbol.asyncDispose]();
  }
}
