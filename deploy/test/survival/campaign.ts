/**
 * The campaign: clients, trackers, builders and runners as real processes with scripted devices, and a random fault of the whole
 * matrix again and again while they work, faults of some seconds overlapping the next. Everything that ends is started again a
 * moment later, as a service manager does. What comes of it is in the books (accounts.ts). The seed decides faults and victims;
 * processes decide the rest.
 */
import { fileURLToPath } from "node:url";
import { Random, systemClock } from "@warpfarm/common";
import type { Link } from "../../../test-support/link.ts";
import type { ClientAccount, Work } from "./accounts.ts";
import { ScriptedFarm, type Seat } from "./scripted-farm.ts";

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
   * And only so many results after the fault before it. On a busy machine, where a process takes ten seconds to start, faults by
   * the clock alone end every process before it has done anything.
   */
  readonly resultsBetween: number;
  /** No more than these. */
  readonly maxFaults: number;
  /** Holes, stops and far links last at most so long. */
  readonly longestMs: number;
  readonly postgres: boolean;
  /** Without a result for so long, nobody being struck meanwhile, the farm does not come back: the campaign ends. */
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

/** A process with the link it dials through. */
interface Part {
  readonly name: string;
  readonly seat: Seat;
  readonly link: Link | undefined;
  /** Told to end, and not started again yet. */
  isDown: boolean;
  isStopped: boolean;
}

export async function campaign(plan: CampaignPlan): Promise<CampaignReport> {
  const { seed, postgres, measurements, clients } = plan;
  const random = new Random(seed);
  const storeLink = postgres ? { storeLink: { queryMs: 3_000 } } : {};
  await using farm = await ScriptedFarm.start({ trackers: postgres ? 2 : 1, postgres, leaseSeconds: 4, ...storeLink });
  const upTo = (n: number) => Array.from({ length: n }, (_, i) => i);
  const runs = upTo(clients).map((i) => ({ run: `campaign-${seed}-${i}`, count: Math.ceil(measurements / clients) }));
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
  const parts = [...trackers, ...devices, ...tuners];

  const isDone = (i: number): boolean => farm.doneOf(runs[i]?.run ?? "") >= (runs[i]?.count ?? 0);
  const astonishing: string[] = [];
  let isOver = false;
  /** Whoever ends is started again, but clients whose work is done. */
  const lookAfter = (): void => {
    for (const { name, seat, isDown } of parts) {
      const { exit } = seat.party;
      if (isDown || exit === undefined) continue;
      const which = name === "client" ? tuners.findIndex((t) => t.seat === seat) : -1;
      if (which >= 0 && exit.code === 0 && isDone(which)) continue;
      // A tracker that finds no store says so and ends; its service manager tries again.
      if (name !== "tracker" || exit.code !== cannotStart)
        astonishing.push(`${name} ended by itself: ${exit.code ?? exit.signal}\n${seat.party.said.slice(-1500)}`);
      seat.again();
    }
  };

  const lasting = new Set<Promise<void>>();
  const during = (ms: number, end: () => void): void => {
    const waiting = systemClock.sleep(ms).then(end);
    lasting.add(waiting);
    void waiting.finally(() => lasting.delete(waiting));
  };
  const end = async (p: Part, signal: "SIGKILL" | "SIGTERM"): Promise<void> => {
    p.isDown = true;
    const { party } = p.seat;
    party.kill(signal);
    const timer = setTimeout(() => party.kill("SIGKILL"), 10_000);
    await party.ended;
    clearTimeout(timer);
    await systemClock.sleep(random.below(500));
    if (!isOver) p.seat.again();
    p.isDown = false;
  };
  const lengthMs = (): number => 200 + random.below(plan.longestMs);
  let storeIsDown = false;
  const restartStore = async (signal: "SIGKILL" | "SIGINT"): Promise<void> => {
    if (storeIsDown) return;
    storeIsDown = true;
    await farm.postgres?.restart(signal, random.below(800));
    storeIsDown = false;
  };

  /** One fault; its name. */
  function strike(): string {
    const living = parts.filter((p) => !p.isDown && !p.isStopped && p.seat.party.exit === undefined);
    // As likely as a part is its kind, and the store is one.
    const kinds = [...new Set(living.map((p) => p.name)), ...(postgres ? ["store"] : [])];
    const kind = random.pick(kinds);
    const act = random.pick(["kill", "term", "cut", "hole", "far", "sleep"] as const);
    if (kind === "store") return strikeStore(act);
    const victim = random.pick(living.filter((p) => p.name === kind));
    const { link } = victim;
    // A tracker's links are the store's and those of the others.
    if (act === "kill" || act === "term" || link === undefined) {
      if (act === "sleep") return sleep(victim);
      const signal = act === "term" ? "SIGTERM" : "SIGKILL";
      const ending = end(victim, signal);
      lasting.add(ending);
      void ending.finally(() => lasting.delete(ending));
      return `${kind} ${signal}`;
    }
    if (act === "sleep") return sleep(victim);
    return strikeLink(kind, link, act);
  }
  function sleep(victim: Part): string {
    const { party } = victim.seat;
    victim.isStopped = true;
    party.kill("SIGSTOP");
    during(lengthMs(), () => {
      party.kill("SIGCONT");
      victim.isStopped = false;
    });
    return `${victim.name} asleep`;
  }
  function strikeLink(kind: string, link: Link, act: "cut" | "hole" | "far"): string {
    if (act === "cut") link.cut(random.below(2) === 0 ? "reset" : "end");
    else if (act === "hole") {
      const how = random.pick(["arrive", "forget"] as const);
      link.blackHole();
      during(lengthMs(), () => link.heal(how));
    } else {
      link.delayMs = random.pick([25, 150]);
      during(2 * lengthMs(), () => {
        link.delayMs = 0;
      });
    }
    return `${kind} ${act}`;
  }
  function strikeStore(act: "kill" | "term" | "cut" | "hole" | "far" | "sleep"): string {
    const link = farm.storeLinks.length > 0 ? random.pick(farm.storeLinks) : undefined;
    if (act === "kill" || act === "term" || act === "sleep" || !link) {
      const signal = act === "kill" ? "SIGKILL" : "SIGINT";
      const restarting = restartStore(signal);
      lasting.add(restarting);
      void restarting.finally(() => lasting.delete(restarting));
      return `store ${signal}`;
    }
    return strikeLink("store", link, act);
  }

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
      const name = strike();
      faults[name] = (faults[name] ?? 0) + 1;
      faultCount++;
    }
  } finally {
    isOver = true;
    await Promise.allSettled(lasting);
  }
  const seconds = (systemClock.monotonic() - begin) / 1000;
  const accounts = runs.map(({ run, count }) => farm.account(run, count));
  return { accounts, work: farm.work(runs), faults, faultCount, seconds, astonishing, said: farm.said() };
}
