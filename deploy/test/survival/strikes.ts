/** Faults of a campaign: a random fault of the matrix on a random process; some faults last while others begin. */
import { type Random, systemClock } from "@warpfarm/common";
import type { Link } from "../../../test-support/link.ts";
import type { ScriptedFarm, Seat } from "./scripted-farm.ts";

/** A process with the link it dials through. */
export interface Part {
  readonly name: string;
  readonly seat: Seat;
  readonly link: Link | undefined;
  /** Told to end, and not started again yet. */
  isDown: boolean;
  isStopped: boolean;
}

const acts = ["kill", "term", "cut", "hole", "far", "sleep"] as const;
type Act = (typeof acts)[number];

export class Strikes {
  readonly #farm: ScriptedFarm;
  readonly #parts: readonly Part[];
  readonly #random: Random;
  readonly #longestMs: number;
  readonly #lasting = new Set<Promise<void>>();
  #storeIsDown = false;
  #isOver = false;

  /** `longestMs`: the longest time that holes, stops and far links last. */
  constructor(farm: ScriptedFarm, parts: readonly Part[], random: Random, longestMs: number) {
    this.#farm = farm;
    this.#parts = parts;
    this.#random = random;
    this.#longestMs = longestMs;
  }

  /** One fault; its name. */
  strike(): string {
    const random = this.#random;
    const living = this.#parts.filter((p) => !p.isDown && !p.isStopped && p.seat.party.exit === undefined);
    // As likely as a part is its kind, and the store is one.
    const kinds = [...new Set(living.map((p) => p.name)), ...(this.#farm.postgres ? ["store"] : [])];
    const kind = random.pick(kinds);
    const act = random.pick(acts);
    if (kind === "store") return this.#strikeStore(act);
    const victim = random.pick(living.filter((p) => p.name === kind));
    if (act === "sleep") return this.#sleep(victim);
    // A tracker's links are the store's and those of the others.
    if (act !== "kill" && act !== "term" && victim.link) return this.#strikeLink(kind, victim.link, act);
    const signal = act === "term" ? "SIGTERM" : "SIGKILL";
    this.#lasts(this.#end(victim, signal));
    return `${kind} ${signal}`;
  }
  /** When all that lasts has ended; nothing is started again from now on. */
  async over(): Promise<void> {
    this.#isOver = true;
    await Promise.allSettled(this.#lasting);
  }

  #lasts(what: Promise<void>): void {
    this.#lasting.add(what);
    void what.finally(() => this.#lasting.delete(what));
  }
  #during(ms: number, end: () => void): void {
    this.#lasts(systemClock.sleep(ms).then(end));
  }
  #lengthMs(): number {
    return 200 + this.#random.below(this.#longestMs);
  }

  async #end(part: Part, signal: "SIGKILL" | "SIGTERM"): Promise<void> {
    part.isDown = true;
    const { party } = part.seat;
    party.kill(signal);
    const timer = setTimeout(() => party.kill("SIGKILL"), 10_000);
    await party.ended;
    clearTimeout(timer);
    await systemClock.sleep(this.#random.below(500));
    if (!this.#isOver) part.seat.again();
    part.isDown = false;
  }
  #sleep(victim: Part): string {
    const { party } = victim.seat;
    victim.isStopped = true;
    party.kill("SIGSTOP");
    this.#during(this.#lengthMs(), () => {
      party.kill("SIGCONT");
      victim.isStopped = false;
    });
    return `${victim.name} asleep`;
  }
  #strikeLink(kind: string, link: Link, act: "cut" | "hole" | "far"): string {
    if (act === "cut") link.cut(this.#random.below(2) === 0 ? "reset" : "end");
    else if (act === "hole") {
      const how = this.#random.pick(["arrive", "forget"] as const);
      link.blackHole();
      this.#during(this.#lengthMs(), () => link.heal(how));
    } else {
      link.delayMs = this.#random.pick([25, 150]);
      this.#during(2 * this.#lengthMs(), () => {
        link.delayMs = 0;
      });
    }
    return `${kind} ${act}`;
  }
  #strikeStore(act: Act): string {
    const { storeLinks } = this.#farm;
    const link = storeLinks.length > 0 ? this.#random.pick(storeLinks) : undefined;
    if (link && (act === "cut" || act === "hole" || act === "far")) return this.#strikeLink("store", link, act);
    const signal = act === "kill" ? "SIGKILL" : "SIGINT";
    this.#lasts(this.#restartStore(signal));
    return `store ${signal}`;
  }
  async #restartStore(signal: "SIGKILL" | "SIGINT"): Promise<void> {
    if (this.#storeIsDown) return;
    this.#storeIsDown = true;
    await this.#farm.postgres?.restart(signal, this.#random.below(800));
    this.#storeIsDown = false;
  }
}
