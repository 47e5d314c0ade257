/**
 * The campaign: clients, trackers, builders and runners as real processes with scripted devices, and random faults of the whole
 * matrix while they work; faults of several seconds overlap the next ones. A process that ends is started again a moment later,
 * as by a service manager. accounts.ts checks the results. The seed decides faults and victims; the timing of processes decides
 * the rest.
 */
import { fileURLToPath } from "node:url";
import { Random, systemClock } from "@warpfarm/common";
import type { Link } from "../../../test-support/link.ts";
import type { ClientAccount, Work } from "./accounts.ts";
import { ScriptedFarm, type Seat } from "./scripted-farm.ts";
import { type Part, Strikes } from "./strikes.ts";

export interface CampaignPlan {
  readonly seed: number;
  /** In all, over the clients. */
  readonly measurements: number;
  readonly clients: number;
  readonly runnerProcesses: number;
  readonly runnersEach: number;
  readonly builderProcesses: number;
  readonly jobMs: readonly [number, number];
  readonly everyMs: number;
  /**
   * The least number of results between two faults. On a busy machine, where a process takes ten seconds to start, faults at
   * fixed times would end every process before it has done anything.
   */
  readonly resultsBetween: number;
  /** No more than these. */
  readonly maxFaults: number;
  /** The longest time that holes, stops and far links last. */
  readonly longestMs: number;
  readonly postgres: boolean;
  /** The campaign fails after this time without a result and without a fault. */
  readonly stuckMs: number;
}

export interface CampaignReport {
  readonly accounts: readonly ClientAccount[];
  readonly work: Work;
  /** How often each fault struck, by name. */
  readonly faults: Readonly<Record<string, number>>;
  readonly faultCount: number;
  readonly seconds: number;
  /** How processes ended that were not told to, by their name. */
  readonly astonishing: readonly string[];
  readonly said: string;
}

const clockJumps = ["--import", fileURLToPath(new URL("clock-jumps.mjs", import.meta.url))];
const keepalive = { timeMs: 2_000, timeoutMs: 2_000 };
const cannotStart = 3;

interface Run {
  readonly run: string;
  readonly count: number;
}

const upTo = (n: number) => Array.from({ length: n }, (_, i) => i);

/** Starts everything that works in the campaign; clients come last, in the order of `runs`. */
async function startParts(farm: ScriptedFarm, plan: CampaignPlan, runs: readonly Run[]): Promise<readonly Part[]> {
  const part = (name: string, seat: Seat, link?: Link): Part => ({ name, seat, link, isDown: false, isStopped: false });
  const trackers = farm.trackers.map((seat) => part("tracker", seat));
  const devices: Part[] = [];
  // In the first process of each kind the clock jumps by hours.
  const node = (i: number) => (i === 0 ? clockJumps : []);
  for (const i of upTo(plan.builderProcesses)) {
    const link = await farm.link();
    const what = { builders: 1, keepalive, buildMs: [5, 50] as const, addresses: [link.address] };
    devices.push(part("builder", farm.devices(`builder-${i}`, what, node(i)), link));
  }
  for (const i of upTo(plan.runnerProcesses)) {
    const link = await farm.link();
    const what = { runners: plan.runnersEach, keepalive, jobMs: plan.jobMs, addresses: [link.address] };
    devices.push(part("runner", farm.devices(`runner-${i}`, what, node(i)), link));
  }
  await Promise.all(devices.map(({ seat }) => seat.party.ready));
  const tuners: Part[] = [];
  for (const [i, run] of runs.entries()) {
    const link = await farm.link();
    tuners.push(
      part(
        "client",
        farm.client({ ...run, address: link.address }, { window: 32, keepalive, seed: i, patienceMs: plan.stuckMs }, node(i)),
        link,
      ),
    );
  }
  return [...trackers, ...devices, ...tuners];
}

export async function campaign(plan: CampaignPlan): Promise<CampaignReport> {
  const { seed, postgres, measurements, clients } = plan;
  const random = new Random(seed);
  const storeLink = postgres ? { storeLink: { queryMs: 3_000 } } : {};
  await using farm = await ScriptedFarm.start({ trackers: postgres ? 2 : 1, postgres, leaseSeconds: 4, ...storeLink });
  const runs = upTo(clients).map((i) => ({ run: `campaign-${seed}-${i}`, count: Math.ceil(measurements / clients) }));
  const parts = await startParts(farm, plan, runs);
  const tuners = parts.slice(-clients);
  const strikes = new Strikes(farm, parts, random, plan.longestMs);

  const isDone = (i: number): boolean => farm.doneOf(runs[i]?.run ?? "") >= (runs[i]?.count ?? 0);
  const astonishing: string[] = [];
  /** Restarts processes that ended, except clients whose work is done. */
  const lookAfter = (): void => {
    for (const { name, seat, isDown } of parts) {
      const { exit } = seat.party;
      if (isDown || exit === undefined) continue;
      const which = name === "client" ? tuners.findIndex((t) => t.seat === seat) : -1;
      if (which >= 0 && exit.code === 0 && isDone(which)) continue;
      // A tracker that finds no store prints that and ends; its service manager tries again.
      if (name !== "tracker" || exit.code !== cannotStart)
        astonishing.push(`${name} ended by itself: ${exit.code ?? exit.signal}\n${seat.party.said.slice(-1500)}`);
      seat.again();
    }
  };

  const begin = systemClock.monotonic();
  const faults: Record<string, number> = {};
  let faultCount = 0;
  const allDone = () => runs.every((_, i) => isDone(i));
  const results = () => runs.reduce((n, { run }) => n + farm.doneOf(run), 0);
  let [struckAt, struckBefore] = [begin, 0];
  let [seen, seenAt] = [0, begin];
  try {
    while (!allDone() && systemClock.monotonic() - seenAt < plan.stuckMs) {
      await systemClock.sleep(50);
      lookAfter();
      const [now, done] = [systemClock.monotonic(), results()];
      if (done > seen) [seen, seenAt] = [done, now];
      const isEarly = now - struckAt < plan.everyMs || done - struckBefore < plan.resultsBetween;
      if (isEarly || faultCount === plan.maxFaults) continue;
      [struckAt, struckBefore] = [now, done];
      const name = strikes.strike();
      faults[name] = (faults[name] ?? 0) + 1;
      faultCount++;
    }
  } finally {
    await strikes.over();
  }
  const seconds = (systemClock.monotonic() - begin) / 1000;
  const accounts = runs.map(({ run, count }) => farm.account(run, count));
  return { accounts, work: farm.work(runs), faults, faultCount, seconds, astonishing, said: farm.said() };
}
