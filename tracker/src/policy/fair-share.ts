/**
 * Whose run is next: of the principals that have something ready the one that had least of the devices, each as much as the
 * others, and of its sessions as below. The weights and number of a principal's sessions change nothing for others.
 *
 * Of one principal's sessions: start-time fair queueing of device time (Goyal, Vin, Cheng: "Start-time Fair Queuing", SIGCOMM
 * 1996).
 *
 * virtual   a session's device time divided by its weight: what it has used, and for runs in hand what its runs take in the mean.
 *           Of the sessions of highest priority that have something ready, the one with the least is served.
 * clock     of a group of equal devices and a priority: the virtual time of who was served there last. A session that comes, or
 *           comes back after it had nothing to do, starts at the clock: it is served soon, and cannot spend what it left unused.
 *
 * A session that is paused has nothing to do, however much of it is ready. The same holds for principals, whose weights are
 * equal: one whose sessions had nothing to do starts at the clock of principals.
 *
 * What was used is told to the store in instalments and read back with what other trackers added; the rest is this tracker's
 * alone.
 */
import type { SessionId } from "@warpfarm/common";
import type { Slot } from "../store/sql/claim-runs.ts";
import type { Used } from "../store/sql/sessions.ts";
import type { DeviceGroup, Places } from "./places.ts";

export interface ShareRow {
  readonly id: SessionId;
  readonly priority: number;
  readonly weight: number;
  /** Its principal; absent: everybody's, where no tokens are required. */
  readonly principal?: string;
  readonly usedMs: number;
  readonly paused?: boolean;
}

type OtherTimes = Pick<Used, "queueMs" | "buildMs" | "transferMs" | "timedMs">;
const noTimes: OtherTimes = { queueMs: 0, buildMs: 0, transferMs: 0, timedMs: 0 };
const plus = (a: OtherTimes, b: OtherTimes): OtherTimes => ({
  queueMs: a.queueMs + b.queueMs,
  buildMs: a.buildMs + b.buildMs,
  transferMs: a.transferMs + b.transferMs,
  timedMs: a.timedMs + b.timedMs,
});

interface Owner {
  /** Device time since this tracker knows the principal, including closed sessions. */
  usedMs: number;
  offset: number;
  /** The mean device time of its assigned runs, at the time of the plan. */
  inHandMs: number;
  wasBusy: boolean;
  isBusy: boolean;
}

interface Account {
  readonly owner: Owner;
  priority: number;
  weight: number;
  usedMs: number;
  untoldMs: number;
  /** The other times of its results that the store has not been told. */
  untold: OtherTimes;
  inHand: number;
  /** Runs that ended, and how long one holds its device in the mean; before the first, everybody's mean. */
  ended: number;
  meanMs: number;
  /** Runs that may be claimed unless it is paused, as far as this tracker knows. */
  ready: number;
  paused: boolean;
  /** Runs that became ready since the last plan, and since the store's counts were requested. */
  sincePlan: number;
  sinceCount: number;
  readonly noneFor: Set<readonly string[]>;
  /** Whether it was idle and now has work: its virtual time must be raised to the clock. */
  late: boolean;
  /** Added to the virtual time when it was late. */
  offset: number;
}

const firstMeanMs = 100;
const newest = 0.1;
/** The mean of a session is that of all its runs, until they are this many: from then on old ones fade. */
const newestOfSession = 1 / 40;

export class FairShare {
  readonly #accounts = new Map<SessionId, Account>();
  readonly #owners = new Map<string, Owner>();
  readonly #clocks = new Map<string, number>();
  #meanMs = firstMeanMs;

  put({ id, priority, weight, principal = "", usedMs, paused = false }: ShareRow): void {
    const account = this.#accounts.get(id);
    if (account) {
      // At other trackers. Use that was told while the row was read is in the account and not in the row.
      const more = Math.max(0, usedMs - account.usedMs);
      account.owner.usedMs += more;
      account.late ||= account.paused && !paused;
      Object.assign(account, { priority, weight, usedMs: account.usedMs + more, paused });
    } else
      this.#accounts.set(id, {
        owner: this.#ownerOf(principal),
        priority,
        weight,
        usedMs,
        untoldMs: 0,
        untold: noTimes,
        inHand: 0,
        ended: 0,
        meanMs: this.#meanMs,
        ready: 0,
        paused,
        sincePlan: 0,
        sinceCount: 0,
        noneFor: new Set(),
        late: true,
        offset: 0,
      });
  }

  #ownerOf(principal: string): Owner {
    const there = this.#owners.get(principal);
    if (there) return there;
    const owner = { usedMs: 0, offset: 0, inHandMs: 0, wasBusy: false, isBusy: false };
    this.#owners.set(principal, owner);
    return owner;
  }

  /** The same accounts, for a play ahead (play-ahead.ts): what is done to the copy changes nothing here. */
  copy(): FairShare {
    const copy = new FairShare();
    copy.#meanMs = this.#meanMs;
    for (const [name, owner] of this.#owners) copy.#owners.set(name, { ...owner });
    for (const [key, at] of this.#clocks) copy.#clocks.set(key, at);
    const names = new Map([...this.#owners].map(([name, owner]) => [owner, name]));
    for (const [id, account] of this.#accounts) {
      const owner = copy.#ownerOf(names.get(account.owner) ?? "");
      copy.#accounts.set(id, { ...account, owner, noneFor: new Set() });
    }
    return copy;
  }

  /** How long a run of the session holds its device in the mean, in milliseconds: of recent ones, or of everybody's. */
  meanMsOf(id: SessionId): number {
    return this.#accounts.get(id)?.meanMs ?? this.#meanMs;
  }

  keepOnly(known: (id: SessionId) => boolean): void {
    const owners = new Set<Owner>();
    for (const [id, { owner }] of this.#accounts)
      if (known(id)) owners.add(owner);
      else this.#accounts.delete(id);
    for (const [name, owner] of this.#owners) if (!owners.has(owner)) this.#owners.delete(name);
  }

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

  /** Call before asking the store for the counts that `setCounts` gets. */
  beginCount(): void {
    for (const account of this.#accounts.values()) account.sinceCount = 0;
  }

  /** Takes over the store's counts: other trackers assign runs too. */
  setCounts(ready: ReadonlyMap<SessionId, number>, inHand: ReadonlyMap<SessionId, number>): void {
    for (const [id, account] of this.#accounts) {
      account.late ||= account.ready === 0 && account.inHand === 0;
      account.ready = (ready.get(id) ?? 0) + account.sinceCount;
      account.inHand = inHand.get(id) ?? 0;
      account.noneFor.clear();
    }
  }

  get anyReady(): boolean {
    for (const account of this.#accounts.values()) if (waits(account)) return true;
    return false;
  }

  hasReady(id: SessionId): boolean {
    const account = this.#accounts.get(id);
    return account !== undefined && waits(account);
  }

  /** How many sessions with ready runs come before it now; undefined when it has none, or is paused. */
  positionOf(id: string): number | undefined {
    const account = this.#accounts.get(id as SessionId);
    if (!account || !waits(account)) return undefined;
    let before = 0;
    for (const other of this.#accounts.values()) if (waits(other) && other !== account && isBefore(other, account)) before++;
    return before;
  }

  /** Whether the session has a run for these targets, as far as this tracker knows. */
  mayHave(id: SessionId, targets: readonly string[]): boolean {
    return this.hasReady(id) && !this.#accounts.get(id)?.noneFor.has(targets);
  }

  /** A run ended after it used its device for `ms`. Its other times are only kept for the store. */
  used(id: SessionId, ms: number, times: OtherTimes = noTimes): void {
    this.#meanMs += newest * (ms - this.#meanMs);
    const account = this.#accounts.get(id);
    if (!account) return;
    account.untoldMs += ms;
    account.untold = plus(account.untold, times);
    account.owner.usedMs += ms;
    account.inHand = Math.max(0, account.inHand - 1);
    account.ended++;
    account.meanMs += Math.max(newestOfSession, 1 / account.ended) * (ms - account.meanMs);
  }

  /** Use that the store has not been told. From now on it counts as told. */
  takeUntold(): Used[] {
    const untold: Used[] = [];
    for (const [id, account] of this.#accounts) {
      if (account.untoldMs === 0) continue;
      untold.push({ ...account.untold, id, ms: account.untoldMs });
      account.untold = noTimes;
      account.usedMs += account.untoldMs;
      account.untoldMs = 0;
    }
    return untold;
  }

  /** Call it when the store could not be told. */
  untell(used: readonly Used[]): void {
    for (const { id, ms, ...times } of used) {
      const account = this.#accounts.get(id);
      if (!account) continue;
      account.untold = plus(account.untold, times);
      account.usedMs -= ms;
      account.untoldMs += ms;
    }
  }

  /**
   * Plans at most `max` runs for free devices. They count as claimed, which `claimed` corrects later. `places` says which of the
   * equal devices of a group are taken, and which gets which run.
   */
  plan(
    groups: readonly DeviceGroup[],
    fits: (id: SessionId, group: string) => boolean,
    max: number,
    places?: Pick<Places, "inOrder" | "settled">,
  ): Slot[] {
    const slots: Slot[] = [];
    for (const account of this.#accounts.values()) account.sincePlan = 0;
    this.#lookAtOwners();
    for (const group of groups) {
      const { key, devices } = group;
      const waiting = [...this.#accounts]
        .filter(([id, a]) => waits(a) && fits(id, key))
        .map(([id, account]) => ({ id, account }));
      for (const { account } of waiting) {
        if (account.late) account.offset += Math.max(0, (this.#clocks.get(clockKey(key, account)) ?? 0) - virtualOf(account));
        account.late = false;
      }
      const principals = `of principals ${key}`;
      for (const { account } of waiting) this.#catchUp(principals, account.owner);
      const from = slots.length;
      const ready = () => waiting.map(({ id, account }) => ({ id, ready: account.ready }));
      taken: for (const { worker, epoch, device, free } of places?.inOrder(group, ready()) ?? devices)
        for (let i = 0; i < free && slots.length < max; i++) {
          let best: (typeof waiting)[number] | undefined;
          for (const w of waiting) if (w.account.ready > 0 && (!best || isBefore(w.account, best.account))) best = w;
          if (!best) break taken;
          this.#serve(principals, best.account);
          this.#clocks.set(clockKey(key, best.account), virtualOf(best.account));
          best.account.ready--;
          best.account.inHand++;
          slots.push({ worker, epoch, device, session: best.id });
        }
      if (places) slots.splice(from, slots.length, ...places.settled(slots.slice(from)));
    }
    return slots;
  }

  #lookAtOwners(): void {
    for (const owner of this.#owners.values()) Object.assign(owner, { wasBusy: owner.isBusy, isBusy: false, inHandMs: 0 });
    for (const account of this.#accounts.values()) {
      const { owner, inHand, meanMs } = account;
      owner.isBusy ||= waits(account) || inHand > 0;
      owner.inHandMs += inHand * meanMs;
    }
  }

  /** A session that was idle starts at the clock. */
  #catchUp(clock: string, owner: Owner): void {
    if (!owner.wasBusy) owner.offset += Math.max(0, (this.#clocks.get(clock) ?? 0) - virtualOfOwner(owner));
    owner.wasBusy = true;
  }

  #serve(clock: string, { owner, meanMs }: Account): void {
    this.#clocks.set(clock, virtualOfOwner(owner));
    owner.inHandMs += meanMs;
  }

  /**
   * The number of runs of each session that were claimed of those planned. A session with fewer has none left. Where `isMixed`
   * says that its runs need different devices, it only has none for devices of these targets.
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

const waits = ({ ready, paused }: Account): boolean => ready > 0 && !paused;

/** Sessions of different priority do not share. */
const clockKey = (group: string, { priority }: Account): string => `${priority} ${group}`;

const virtualOf = (a: Account): number => a.offset + (a.usedMs + a.untoldMs + a.inHand * a.meanMs) / a.weight;

const virtualOfOwner = (o: Owner): number => o.offset + o.usedMs + o.inHandMs;

function isBefore(a: Account, b: Account): boolean {
  if (a.owner !== b.owner) return virtualOfOwner(a.owner) < virtualOfOwner(b.owner);
  return a.priority > b.priority || (a.priority === b.priority && virtualOf(a) < virtualOf(b));
}
