/**
 * A real farm, a real client and one tuning run, in which processes are asked to end at random times, as in an upgrade, and
 * started again. Afterwards the log must hold exactly the sequences 1..trials, and every line that was ever there must still be
 * there. Nothing may have been executed again except what the end of a runner or tracker lost, and never a trial whose result the
 * client had. Times come from a seed, so a failure can be repeated (as far as processes repeat). ../survival kills with -9.
 */
import { existsSync, readFileSync } from "node:fs";
import { Random, systemClock } from "@warpfarm/common";
import { LocalFarm, type Role } from "@warpfarm/deploy";
import { bin, type Finished, type Place, type Running, start } from "../warpfarm-process.ts";
import { ExecutionJournal } from "./execution-journal.ts";

/** So small that a trial takes milliseconds, with far more configs than trials. */
export const tinyTask = ["conv2d_nchw_cpu", "--args", "[1,8,8,16,16,3,3,1,1]"] as const;
export const quickOptions = ["--measure", "repeat=1,min_repeat=1ms,cutoff=none"] as const;
/** For a search whose finalists do not matter: their interleaved measurement takes longer than some trials. */
export const quickTune = [...quickOptions, "--finalists", "0"] as const;

export interface CampaignOptions {
  readonly trials: number;
  /** Asked one after the other, each a random time after a random trial; the trials are spread over the run. */
  readonly asked: readonly Role[];
  readonly seed: number;
  readonly deadlineMs: number;
}

export interface CampaignReport {
  readonly sequences: readonly number[];
  /** Those that were alive at their time. */
  readonly ended: readonly Role[];
  /** Lines that were in the log at some time and are not in it at the end. */
  readonly lostLines: readonly string[];
  /** Programs executed after the client had their result. */
  readonly repeated: readonly string[];
  /** Programs executed more than once although no end of the runner or the tracker explains it. */
  readonly unexplained: readonly string[];
  readonly executions: number;
  /** Trials with their own measurement, not answered by an equal program's. */
  readonly measured: number;
  /** Trials that failed; every config here is valid. */
  readonly failures: readonly string[];
  readonly last: Finished;
}

/** Those that are whole: the last may be being written. */
const linesOf = (path: string): string[] =>
  existsSync(path)
    ? readFileSync(path, "utf8")
        .split("\n")
        .slice(0, -1)
        .filter((line) => line.startsWith("{"))
    : [];

/** The client of a campaign, and the lines that its log had at any time. */
class Search {
  readonly log: string;
  readonly seen = new Set<string>();
  readonly #journal: ExecutionJournal;
  readonly #running: Running;
  last: Finished | undefined;

  constructor(place: Place, journal: ExecutionJournal, address: string, { trials, seed }: CampaignOptions) {
    this.log = place.path("campaign.jsonl");
    this.#journal = journal;
    const how = ["--tuner", "random", "--seed", String(seed), "--trials", String(trials)];
    const search = [...tinyTask, ...how, "--log", this.log, ...quickTune];
    this.#running = start(place, ["tune", ...search, "--tracker", address, "--json"]);
    void this.#running.finished.then((finished) => {
      this.last = finished;
    });
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
  async step(signal: AbortSignal): Promise<number> {
    const done = this.observe();
    await systemClock.sleep(5, { signal });
    return done;
  }
  get isRunning(): boolean {
    return this.last === undefined;
  }
  kill(): void {
    this.#running.kill("SIGKILL");
  }
}

/** Asks one after the other, each a random time after a random trial, for as long as the search runs. */
async function askAll(
  { trials, seed, asked }: CampaignOptions,
  { farm, search, journal, signal }: { farm: LocalFarm; search: Search; journal: ExecutionJournal; signal: AbortSignal },
): Promise<readonly Role[]> {
  const random = new Random(seed);
  const ended: Role[] = [];
  const due = asked.map((role, i) => ({
    role,
    after: Math.floor(((i + 0.9 * random.float()) * trials) / asked.length),
    pauseMs: random.below(300),
  }));
  for (const { role, after, pauseMs } of due) {
    while (search.isRunning && (await search.step(signal)) < after);
    const until = systemClock.monotonic() + pauseMs;
    while (search.isRunning && systemClock.monotonic() < until) await search.step(signal);
    // A runner executes for a tenth of the time here. The first end, and every other one after it, waits for an execution.
    if (role === "runner" && ended.filter((each) => each === role).length % 2 === 0) {
      const before = journal.executions;
      while (search.isRunning && journal.executions === before) await search.step(signal);
    }
    if (!search.isRunning) break;
    const pid = farm.pidOf(role);
    search.observe();
    if (pid === undefined) continue;
    const from = systemClock.now();
    try {
      process.kill(pid, "SIGTERM");
    } catch {
      continue;
    }
    if (role !== "builder") journal.ended(role, from, systemClock.now());
    ended.push(role);
  }
  return ended;
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
  let ended: readonly Role[];
  try {
    ended = await askAll(options, { farm, search, journal, signal });
    while (search.isRunning) await search.step(signal);
  } finally {
    search.kill();
  }
  if (!search.last) throw new Error("the client neither runs nor has ended");
  const final = linesOf(search.log);
  const logged = final.map((line) => (JSON.parse(line) as LoggedTrial).warpfarm);
  return {
    sequences: logged.map((trial) => trial.sequence).sort((a, b) => a - b),
    ended,
    lostLines: [...search.seen].filter((line) => !final.includes(line)),
    repeated: journal.repeated(),
    unexplained: journal.unexplained(),
    executions: journal.executions,
    measured: logged.filter((trial) => trial.duplicate_of === undefined).length,
    failures: logged.filter((trial) => trial.kind === "failed").map((trial) => `${trial.rule ?? ""}: ${trial.message ?? ""}`),
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
