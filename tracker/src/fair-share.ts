/**
 * Whose run is next: start-time fair queueing of device time (Goyal, Vin, Cheng: "Start-time Fair Queuing", SIGCOMM 1996).
 *
 * virtual   a session's device time divided by its weight: what it has used, and for runs in hand what its runs take in the mean. Of the
 *           sessions of highest priority that have something ready, the one with the least is served.
 * clock     of a group of equal devices and a priority: the virtual time of who was served there last. A session that comes, or comes back
 *           after it had nothing to do, starts at the clock: it is served soon, and cannot spend what it left unused.
 *
 * What was used is told to the store in instalments and read back with what other trackers added; the rest is this tracker's alone.
 */
import type { SessionId } from "@warpfarm/common";
import type { FreeDevice } from "./registry.ts";
import type { Slot } from "./store/sql/claim-runs.ts";
import type { Used } from "./store/sql/sessions.ts";

/** Equal devices: what runs on one runs on all. */
export interface DeviceGroup {
  readonly key: string;
  /** No more are looked at than get something. */
  readonly devices: Iterable<FreeDevice>;
}

export interface ShareRow {
  readonly id: SessionId;
  readonly priority: number;
  readonly weight: number;
  /** Device time as the store has it. */
  readonly usedMs: number;
}

interface Account {
  priority: number;
  weight: number;
  usedMs: number;
  /** Used since the store was told. */
  untoldMs: number;
  /** Of runs in hand. */
  inHand: number;
  meanMs: number;
  /** Runs that may be claimed, as far as this tracker knows. */
  ready: number;
  /** Became ready since the last plan, and since the store's counts were asked for: a shortage seen meanwhile does not speak of them. */
  sincePlan: number;
  sinceCount: number;
  /** Of what is ready nothing can run where only these targets run. */
  readonly noneFor: Set<readonly string[]>;
  /** It had nothing to do, and has now: its virtual time is to be brought up to the clock. */
  late: boolean;
  /** Added to the virtual time when it was late. */
  offset: number;
}

const firstMeanMs = 100;
/** How much the newest run counts in the mean. */
const newest = 0.1;

export class FairShare {
  readonly #accounts = new Map<SessionId, Account>();
  readonly #clocks = new Map<string, number>();
  #meanMs = firstMeanMs;

  /** A session as the store has it; known or not. */
  put({ id, priority, weight, usedMs }: ShareRow): void {
    const account = this.#accounts.get(id);
    if (account) Object.assign(account, { priority, weight, usedMs });
    else
      this.#accounts.set(id, {
        priority,
        weight,
        usedMs,
        untoldMs: 0,
        inHand: 0,
        meanMs: this.#meanMs,
        ready: 0,
        sincePlan: 0,
        sinceCount: 0,
        noneFor: new Set(),
        late: true,
        offset: 0,
      });
  }

  /** Sessions that are gone. */
  keepOnly(known: (id: SessionId) => boolean): void {
    for (const id of this.#accounts.keys()) if (!known(id)) this.#accounts.delete(id);
  }

  /** One more run of each may be claimed. */
  addReady(sessions: readonly SessionId[]): void {
    for (const id of sessions) {
      const account = this.#accounts.get(id);
      if (!account) continue;
      account.late ||= account.ready === 0 && account.inHand === 0;
      account.ready++;
      account.sincePlan++;
      account.sinceCount++;
      if (account.noneFor.size > 0) account.noneFor.clear(); // which makes a new table, empty or not
    }
  }

  /** Before the store is asked for the counts that `setCounts` gets. */
  beginCount(): void {
    for (const account of this.#accounts.values()) account.sinceCount = 0;
  }

  /** The counts as the store has them: other trackers give out runs too. */
  setCounts(ready: ReadonlyMap<SessionId, number>, inHand: ReadonlyMap<SessionId, number>): void {
    for (const [id, account] of this.#accounts) {
      account.late ||= account.ready === 0 && account.inHand === 0;
      account.ready = (ready.get(id) ?? 0) + account.sinceCount;
      account.inHand = inHand.get(id) ?? 0;
      account.noneFor.clear();
    }
  }

  get anyReady(): boolean {
    for (const { ready } of this.#accounts.values()) if (ready > 0) return true;
    return false;
  }

  hasReady(id: SessionId): boolean {
    return (this.#accounts.get(id)?.ready ?? 0) > 0;
  }

  /** Something that runs where these targets run, as far as this tracker knows. */
  mayHave(id: SessionId, targets: readonly string[]): boolean {
    return this.hasReady(id) && !this.#accounts.get(id)?.noneFor.has(targets);
  }

  /** A run ended after it held its device for so long. */
  used(id: SessionId, ms: number): void {
    this.#meanMs += newest * (ms - this.#meanMs);
    const account = this.#accounts.get(id);
    if (!account) return;
    account.untoldMs += ms;
    account.inHand = Math.max(0, account.inHand - 1);
    account.meanMs += newest * (ms - account.meanMs);
  }

  /** What the store has not been told; from now on it counts as told. */
  takeUntold(): Used[] {
    const untold: Used[] = [];
    for (const [id, account] of this.#accounts) {
      if (account.untoldMs === 0) continue;
      untold.push({ id, ms: account.untoldMs });
      account.usedMs += account.untoldMs;
      account.untoldMs = 0;
    }
    return untold;
  }

  /** It could not be told. */
  untell(used: readonly Used[]): void {
    for (const { id, ms } of used) {
      const account = this.#accounts.get(id);
      if (!account) continue;
      account.usedMs -= ms;
      account.untoldMs += ms;
    }
  }

  /** Gives out at most `max` free devices. The runs count as claimed; what `claimed` says later puts that right. */
  plan(groups: readonly DeviceGroup[], fits: (id: SessionId, group: string) => boolean, max: number): Slot[] {
    const slots: Slot[] = [];
    for (const account of this.#accounts.values()) account.sincePlan = 0;
    for (const { key, devices } of groups) {
      const waiting = [...this.#accounts]
        .filter(([id, a]) => a.ready > 0 && fits(id, key))
        .map(([id, account]) => ({ id, account }));
      for (const { account } of waiting) {
        if (account.late) account.offset += Math.max(0, (this.#clocks.get(clockKey(key, account)) ?? 0) - virtualOf(account));
        account.late = false;
      }
      group: for (const { worker, epoch, device, free } of devices)
        for (let i = 0; i < free && slots.length < max; i++) {
          let best: (typeof waiting)[number] | undefined;
          for (const w of waiting) if (w.account.ready > 0 && (!best || isBefore(w.account, best.account))) best = w;
          if (!best) break group;
          this.#clocks.set(clockKey(key, best.account), virtualOf(best.account));
          best.account.ready--;
          best.account.inHand++;
          slots.push({ worker, epoch, device, session: best.id });
        }
    }
    return slots;
  }

  /**
   * How many runs of each session were claimed of those planned. A session that had fewer has nothing left, or, where `isMixed` says that
   * its runs are not all for such devices, nothing for devices that run these targets.
   */
  claimed(
    planned: readonly Slot[],
    claimed: readonly Slot[],
    targets: readonly string[],
    isMixed: (id: SessionId) => boolean,
  ): void {
    const missing = new Map<SessionId, number>();
    for (const { session } of planned) missing.set(session, (missing.get(session) ?? 0) + 1);
    for (const { session } of claimed) missing.set(session, (missing.get(session) ?? 0) - 1);
    for (const [id, n] of missing) {
      const account = this.#accounts.get(id);
      if (!account || n === 0) continue;
      account.inHand = Math.max(0, account.inHand - n);
      if (!isMixed(id)) account.ready = Math.min(account.ready, account.sincePlan);
      else {
        account.ready += n;
        if (account.sincePlan === 0) account.noneFor.add(targets);
      }
    }
  }
}

/** Sessions of different priority do not share. */
const clockKey = (group: string, { priority }: Account): string => `${priority} ${group}`;

const virtualOf = (a: Account): number => a.offset + (a.usedMs + a.untoldMs + a.inHand * a.meanMs) / a.weight;

const isBefore = (a: Account, b: Account): boolean =>
  a.priority > b.priority || (a.priority === b.priority && virtualOf(a) < virtualOf(b));
