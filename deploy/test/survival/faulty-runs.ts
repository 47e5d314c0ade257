/** Runs of scripted measurements with faults in them, and their accounts, which must be right whatever the fault was. */
import { systemClock } from "@warpfarm/common";
import { expect } from "vitest";
import { repeats, some } from "../../../test-support/campaign.ts";
import type { Link } from "../../../test-support/link.ts";
import { until } from "../../../test-support/until.ts";
import type { Work } from "./accounts.ts";
import type { ClientPlan, ScriptedFarm, Seat } from "./scripted-farm.ts";

/** A peer that is silent counts as gone after two seconds here, by default after 15. */
export const keepalive = { timeMs: 1_000, timeoutMs: 1_000 };
/** The limit of each wait: five hundred clients that start at once on a busy machine take minutes. */
const eachMs = 600_000;
/** No farm here is lost for good, so no client may give up. */
export const clientPlan: ClientPlan = { keepalive, window: 16, patienceMs: eachMs };

/** In npm test the longer alone: what a short way finds, a long one does. */
export const roundTripsMs = some([50, 300], 1);

export const cut = (link: Link) => async (n: number) => link.cut(n % 2 === 0 ? "reset" : "end");
export const hole = (link: Link, ms: number) => async (n: number) => {
  link.blackHole();
  await systemClock.sleep(ms);
  link.heal(n % 2 === 0 ? "arrive" : "forget");
};

export class FaultyRuns {
  readonly #farm: ScriptedFarm;

  constructor(farm: ScriptedFarm) {
    this.#farm = farm;
  }

  /** Rejects with what everybody said when the work does. */
  async told<T>(work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      throw new Error(`${(error as Error).message}\n${this.#farm.said()}`);
    }
  }

  async done({ party }: Seat): Promise<void> {
    const { code } = await party.ended;
    if (code !== 0) throw new Error(`the client ended with ${code}: ${party.said}`);
  }

  async begun(run: string): Promise<void> {
    await until(() => this.#farm.doneOf(run) > 0, `the first result of ${run}`, eachMs);
  }

  /** Looks at the books of these runs; what they cost. */
  checked(runs: readonly { readonly run: string; readonly count: number }[]): Work {
    for (const { run, count } of runs)
      expect(this.#farm.account(run, count)).toEqual({ run, count, lost: [], twice: [], wrong: [] });
    const work = this.#farm.work(runs);
    const { executions, repeatedRuns, repeatedBuilds } = work;
    console.log(`${runs[0]?.run}: ${executions} executions, ${repeatedRuns} of them and ${repeatedBuilds} builds again`);
    expect(work.unexecuted).toEqual([]);
    return work;
  }

  /**
   * A run with `repeats` faults in it, each after further results. Several links are faulted in rotation: the fault of one lasts
   * while the next begins. A link has its next fault when its last one is over and there was progress.
   */
  async with(run: string, links: readonly Link[], fault: (link: Link) => (n: number) => Promise<void>): Promise<Work> {
    const each = 4;
    const count = (repeats + 1) * each;
    const client = this.#farm.client({ run, count }, clientPlan);
    const work = async () => {
      const under: Promise<void>[] = links.map(async () => {});
      for (let n = 0; n < repeats; n++) {
        const at = n % links.length;
        await under[at];
        await until(() => this.#farm.doneOf(run) > n * each, `result ${n * each + 1} of ${run}`, eachMs);
        const link = links[at];
        if (link) under[at] = fault(link)(n);
      }
      await Promise.all(under);
      await this.done(client);
    };
    await this.told(work());
    return this.checked([{ run, count }]);
  }

  /** Runs with long delays on the links: nothing is executed twice. */
  async far(what: string, links: readonly Link[], level = ""): Promise<void> {
    for (const roundTripMs of roundTripsMs) {
      for (const link of links) link.delayMs = roundTripMs / 2;
      const runs = [{ run: `${what} ${roundTripMs} ms away${level}`, count: repeats }];
      await this.told(this.done(this.#farm.client(runs, clientPlan)));
      expect(this.checked(runs)).toMatchObject({ repeatedRuns: 0 });
    }
    for (const link of links) link.delayMs = 0;
  }
}
