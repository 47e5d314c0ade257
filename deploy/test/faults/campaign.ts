/**
 * The fault campaign: a real farm, a real client and one tuning run, with kill -9 of a process at random times. Afterwards the
 * log must hold exactly the sequences 1..trials, and every line that was ever there must still be there. Nothing may have been
 * executed again except what the kill of a runner or tracker lost, and never a trial whose result the client had. Times and
 * victims come from a seed, so a failure can be repeated (as far as processes repeat).
 */
import { existsSync, readFileSync } from "node:fs";
import { exitCode } from "@warpfarm/client/cli";
import { Random, systemClock } from "@warpfarm/common";
import { LocalFarm, type Role } from "@warpfarm/deploy";
import { childrenOf } from "../process-tree.ts";
import { bin, type Finished, type Place, type Running, start } from "../warpfarm-process.ts";
import { ExecutionJournal } from "./execution-journal.ts";

export const victims = ["builder", "builder-child", "runner", "runner-child", "tracker", "client"] as const;
export type Victim = (typeof victims)[number];

/** So small that a trial takes milliseconds, with far more configs than trials. */
export const tinyTask = ["conv2d_nchw_cpu", "--args", "[1,8,8,16,16,3,3,1,1]"] as const;
export const quickOptions = ["--measure", "repeat=1,min_repeat=1ms,cutoff=none"] as const;
/** For a search whose finalists do not matter: their interleaved measurement takes longer than some trials. */
export const quickTune = [...quickOptions, "--finalists", "0"] as const;

export interface CampaignOptions {
  readonly trials: number;
  /** Killed one after the other, each a random time after a random trial; the trials are spread over the run. */
  readonly victims: readonly Victim[];
  readonly seed: number;
  readonly deadlineMs: number;
  /** Unset = SIGKILL. With SIGTERM each part ends in order, as in an upgrade, and is started again. */
  readonly signal?: "SIGKILL" | "SIGTERM";
}

export interface CampaignReport {
  readonly sequences: readonly number[];
  /** Victims that were alive at their time, with the number of finished trials at that moment. */
  readonly kills: readonly { readonly victim: Victim; readonly done: number }[];
  /** Lines that were in the log before some kill and are not in it at the end. */
  readonly lostLines: readonly string[];
  /** Programs executed after the client had their result. */
  readonly repeated: readonly string[];
  /** Programs executed more than once although no kill of the runner, its child or the tracker explains it. */
  readonly unexplained: readonly string[];
  readonly executions: number;
  /** Trials with their own measurement, not answered by an equal program's. */
  readonly measured: number;
  /** Trials that failed; every config here is valid. */
  readonly failures: readonly string[];
  /** Starts of the client. */
  readonly clients: number;
  readonly last: Finished;
}

/** Most starts of the client in one campaign, however they ended. */
const maxClients = 20;

/** Those that are whole: the last may be being written. */
const linesOf = (path: string): string[] =>
  existsSync(path)
    ? readFileSync(path, "utf8")
        .split("\n")
        .slice(0, -1)
        .filter((line) => line.startsWith("{"))
    : [];

const pick = <T>(random: Random, items: readonly T[]): T | undefined => (items.length === 0 ? undefined : random.pick(items));

/** It says what it continues. */
const isBegun = (log: string): boolean => existsSync(log) && readFileSync(log, "utf8").includes('{"search":');

/** The client of a campaign, restarted as its user would, and the lines that its log had at any time. */
class Search {
  readonly log: string;
  readonly seen = new Set<string>();
  readonly #journal: ExecutionJournal;
  readonly #start: () => Running;
  #running: Running;
  starts = 1;
  last: Finished | undefined;

  constructor(place: Place, journal: ExecutionJournal, address: string, { trials, seed }: CampaignOptions) {
    this.log = place.path("campaign.jsonl");
    this.#journal = journal;
    const how = ["--tuner", "random", "--seed", String(seed), "--trials", String(trials)];
    const search = [...tinyTask, ...how, "--log", this.log, ...quickTune];
    this.#start = () =>
      start(place, ["tune", ...(isBegun(this.log) ? ["--resume", this.log] : search), "--tracker", address, "--json"]);
    this.#running = this.#follow(this.#start());
  }
  #follow(running: Running): Running {
    void running.finished.then((finished) => {
      if (running === this.#running) this.last = finished;
    });
    return running;
  }
  again(): void {
    this.starts++;
    this.last = undefined;
    this.#running = this.#follow(this.#start());
  }
  /** How many trials are logged. */
  observe(): number {
    const lines = linesOf(this.log);
    for (const line of lines)
      if (!this.seen.has(line)) {
        this.#journal.acknowledged(line, systemClock.now());
        this.seen.add(line);
      }
    return lines.length;
  }
  /** One check of everything; a client that could not reach the farm (exit code 3) is started again. */
  async step(signal: AbortSignal): Promise<number> {
    const done = this.observe();
    if (this.last !== undefined && this.isRunning) this.again();
    await systemClock.sleep(5, { signal });
    return done;
  }
  get isRunning(): boolean {
    return this.last === undefined || (this.last.code === exitCode.farmLost && this.starts < maxClients);
  }
  get pid(): number {
    return this.#running.pid;
  }
  get finished(): Promise<Finished> {
    return this.#running.finished;
  }
  kill(): void {
    this.#running.kill("SIGKILL");
  }
}

type Kill = CampaignReport["kills"][number];

/** Kills one after the other, each a random time after a random trial, for as long as the search runs. */
async function killAll(
  { trials, seed, victims: all, signal: deadly = "SIGKILL" }: CampaignOptions,
  { farm, search, journal, signal }: { farm: LocalFarm; search: Search; journal: ExecutionJournal; signal: AbortSignal },
): Promise<readonly Kill[]> {
  const random = new Random(seed);
  const kills: Kill[] = [];
  const pidsOf = (victim: Victim): readonly number[] => {
    if (victim === "client") return [search.pid];
    const [role, child] = victim.split("-") as [Role, string | undefined];
    const pid = farm.pidOf(role);
    if (pid === undefined) return [];
    return child ? childrenOf(pid) : [pid];
  };
  const due = all.map((victim, i) => ({
    victim,
    after: Math.floor(((i + 0.9 * random.float()) * trials) / all.length),
    pauseMs: random.below(300),
  }));
  for (const { victim, after, pauseMs } of due) {
    while (search.isRunning && (await search.step(signal)) < after);
    const until = systemClock.monotonic() + pauseMs;
    while (search.isRunning && systemClock.monotonic() < until) await search.step(signal);
    // A runner executes for a tenth of the time here. The first kill, and every other one after it, waits for an execution.
    if (victim.startsWith("runner") && kills.filter((kill) => kill.victim === victim).length % 2 === 0) {
      const before = journal.executions;
      while (search.isRunning && journal.executions === before) await search.step(signal);
    }
    if (!search.isRunning) break;
    const target = pick(random, pidsOf(victim));
    const done = search.observe();
    if (target === undefined) continue;
    const part = victim === "tracker" ? victim : victim.startsWith("runner") ? "runner" : undefined;
    const from = systemClock.now();
    try {
      process.kill(target, deadly);
    } catch {
      continue;
    }
    if (part) journal.killed(part, from, systemClock.now());
    kills.push({ victim, done });
    if (victim === "client") {
      await search.finished;
      search.again();
    }
  }
  return kills;
}

export async function campaign(place: Place, options: CampaignOptions): Promise<CampaignReport> {
  const signal = AbortSignal.timeout(options.deadlineMs);
  const journal = new ExecutionJournal();
  await using farm = await LocalFarm.start({
    bin: bin(),
    env: { ...place.env, WARPFARM_DEBUG: "1" },
    dataDir: place.path("data/warpfarm"),
    cacheDir: place.path("cache/warpfarm"),
    clock: systemClock,
    signal,
    notice: () => {},
    onLog: (role, line) => role === "runner" && journal.take(line),
  });
  const search = new Search(place, journal, farm.address, options);
  let kills: readonly Kill[];
  try {
    kills = await killAll(options, { farm, search, journal, signal });
    while (search.isRunning) await search.step(signal);
  } finally {
    search.kill();
  }
  if (!search.last) throw new Error("the client neither runs nor has ended");
  const final = linesOf(search.log);
  const logged = final.map((line) => (JSON.parse(line) as LoggedTrial).warpfarm);
  return {
    sequences: logged.map((trial) => trial.sequence).sort((a, b) => a - b),
    kills,
    lostLines: [...search.seen].filter((line) => !final.includes(line)),
    repeated: journal.repeated(),
    unexplained: journal.unexplained(),
    executions: journal.executions,
    measured: logged.filter((trial) => trial.duplicate_of === undefined).length,
    failures: logged.filter((trial) => trial.kind === "failed").map((trial) => `${trial.rule ?? ""}: ${trial.message ?? ""}`),
    clients: search.starts,
    last: search.last,
  };
}

/** What the campaign looks at of a log line. */
interface LoggedTrial {
  readonly warpfarm: {
    readonly sequence: number;
    readonly duplicate_of?: number;
    readonly kind: "timed" | "failed";
    readonly rule?: string;
    readonly message?: string;
  };
}
