/**
 * Assigns runs that were never lost by count, as fair-share.ts decides: equal free devices form a group, and a group gets the
 * next runs of sessions.
 */

import { type SessionId, selects } from "@warpfarm/common";
import type { FairShare } from "../policy/fair-share.ts";
import { type DeviceGroup, Places } from "../policy/places.ts";
import { type ClaimedRun, claimRuns } from "../store/sql/claim-runs.ts";
import type { FreeStation, HeldCall, IdleCalls } from "./idle-calls.ts";
import type { OneByOneOptions } from "./one-by-one.ts";
import { isDevice, readAlike, type Station } from "./registry.ts";

const maxPerPass = 256;

type RunnerGroup = DeviceGroup & { readonly station: Station };

export interface ByCountOptions extends Omit<OneByOneOptions, "registry"> {
  readonly shares: FairShare;
}

export class ByCount {
  readonly #o: ByCountOptions;
  readonly #fitting = new Map<string, boolean>();
  readonly #places = new Places();

  constructor(options: ByCountOptions) {
    this.#o = options;
  }

  forget(): void {
    this.#fitting.clear();
  }

  /**
   * Claims runs for groups of equal devices. All devices of a group run the same targets, so one statement serves them.
   * `mayBeMore`: a planned run was missing, so its device may serve another session.
   */
  async claim(groups: readonly RunnerGroup[]): Promise<{ readonly runs: readonly ClaimedRun[]; readonly mayBeMore: boolean }> {
    const { db, shares, sessions, policy, newId } = this.#o;
    const { targets, manifests }: Pick<Station, "targets" | "manifests"> = groups[0]?.station ?? { targets: [], manifests: [] };
    const fits = (id: SessionId, key: string): boolean =>
      shares.mayHave(id, targets) && this.#selects(id, key, groups.find((group) => group.key === key)?.station);
    const planned = shares.plan(groups, fits, maxPerPass, this.#places);
    if (planned.length === 0) return { runs: [], mayBeMore: false };
    const runs = await claimRuns(db.lazy, planned, { targets, manifests }, { ttlMs: policy.ttlMs, newId });
    this.#places.served(runs);
    // What these devices cannot run may be for others: of another key, or with runners that read other manifests.
    const isAlone = readAlike(groups[0]?.station.key ?? "");
    shares.claimed(planned, runs, targets, (id) => !isAlone || sessions.get(id)?.selector.match.kind !== "exact");
    return { runs, mayBeMore: runs.length < planned.length || planned.length === maxPerPass };
  }

  #selects(id: SessionId, group: string, station: Station | undefined): boolean {
    const session = this.#o.sessions.get(id);
    if (!session || !isDevice(station)) return false;
    const name = `${session.row.selector} ${group}`;
    let answer = this.#fitting.get(name);
    if (answer === undefined) {
      answer = selects(session.selector, station);
      this.#fitting.set(name, answer);
    }
    return answer;
  }
}

/** Groups of equal free devices by what they can run, without those that these runs took. */
export function byTargets<C extends HeldCall>(
  idle: IdleCalls<C>,
  runs: readonly ClaimedRun[],
  onTaken: (station: FreeStation, call: C) => void,
): RunnerGroup[][] {
  const left = (station: FreeStation): FreeStation | undefined => {
    if (runs.length === 0) return station;
    const free = station.free - runs.filter((r) => r.worker === station.worker && r.device === station.device).length;
    return free > 0 ? { ...station, free } : undefined;
  };
  const classes = new Map<readonly string[], RunnerGroup[]>();
  for (const station of idle.examples()) {
    const { group: key } = station;
    const group: RunnerGroup = {
      ...{ key, station, devices: allLeft(idle.of(key, onTaken), left), idle: idle.openIn(key) },
      at(worker, device) {
        const found = idle.at({ group: key, worker, device }, onTaken);
        return found && left(found);
      },
    };
    const there = classes.get(station.targets);
    if (there) there.push(group);
    else classes.set(station.targets, [group]);
  }
  return [...classes.values()];
}

function* allLeft(
  stations: Iterable<FreeStation>,
  left: (station: FreeStation) => FreeStation | undefined,
): Iterable<FreeStation> {
  for (const each of stations) {
    const station = left(each);
    if (station) yield station;
  }
}
