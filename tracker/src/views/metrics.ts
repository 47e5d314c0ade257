/**
 * Prometheus metrics. Counters count events; queues and nodes are read from the snapshot at each scrape, and are left out without
 * a store.
 */
import { type MeasureErrorNo, measureErrorName } from "@warpfarm/common";
import type { FarmSnapshot } from "@warpfarm/proto";
import { Counter, Gauge, Histogram, Registry } from "prom-client";
import type { Background } from "../flow/set-aside.ts";
import type { Decided } from "../store/sql/effects.ts";
import type { Backlog } from "./snapshot.ts";

export interface Farm {
  readonly snapshot: FarmSnapshot;
  readonly backlog: readonly Backlog[];
  /** Live workers that failed so often that they get no work until an admin ends it. */
  readonly quarantined: number;
  readonly claims: { readonly waiting: number; readonly oldestSeconds: number };
}

export class Metrics {
  readonly #registry = new Registry();
  readonly #store = new StoreGauges();
  readonly #accepted = this.#counter("warpfarm_inputs_accepted_total", "Measurements accepted");
  readonly #leases = this.#counter("warpfarm_leases_granted_total", "Jobs given to workers", ["kind"]);
  readonly #results = this.#counter("warpfarm_results_total", "Outcomes of runs as workers reported them", ["error"]);
  readonly #lost = this.#counter("warpfarm_workers_lost_total", "Workers that went silent");
  readonly #held = this.#counter("warpfarm_device_held_seconds_total", "Device time held by runs that ended, by match key", [
    "key",
  ]);
  readonly #dispatch = new Histogram({
    name: "warpfarm_dispatch_seconds",
    help: "From when a job could be done (a run: its artifacts are there) to its lease",
    labelNames: ["kind"],
    buckets: [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 1, 5, 30, 120, 600],
    registers: [this.#registry],
  });
  readonly #buildSeconds = new Histogram({
    name: "warpfarm_build_seconds",
    help: "Time of builds that were not in the builder's cache, as builders measured it",
    buckets: [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60],
    registers: [this.#registry],
  });
  readonly #builds = this.#counter("warpfarm_builds_total", "Outcomes of builds as builders reported them", ["outcome"]);
  readonly #hits = this.#counter(
    "warpfarm_cache_hits_total",
    "Programs that were not compiled: the farm had built them (farm), the builder had (builder); measurements another session made (reuse)",
    ["where"],
  );
  readonly #faults = this.#counter("warpfarm_worker_faults_total", "Jobs that workers could not do");
  readonly #said = {
    implausible: this.#counter("warpfarm_implausible_total", "Results with a time that cannot be true"),
    claims: this.#counter("warpfarm_claims_total", "Claims that builders replayed, or could not", ["verdict"]),
    looks: this.#counter("warpfarm_second_looks_total", "Records that a second node measured, or could not", ["verdict"]),
  };
  readonly #setAside = this.#counter("warpfarm_set_aside_total", "Rows of background queues that failed three times", ["queue"]);
  readonly #storeUp = new Gauge({
    name: "warpfarm_store_up",
    help: "1 when the store answered this scrape; without it what is read from it is left out",
    registers: [this.#registry],
  });

  #counter(name: string, help: string, labelNames: string[] = []): Counter {
    return new Counter({ name, help, labelNames, registers: [this.#registry] });
  }
  certificateEnds(ms: number): void {
    const gauge = new Gauge({
      name: "warpfarm_certificate_end_seconds",
      help: "When the tracker's certificate ends, in Unix time",
      registers: [this.#registry],
    });
    gauge.set(ms / 1000);
  }

  /** `built` of them need no build, `measured` of them no measurement. */
  accepted({ count, built, measured }: { readonly count: number; readonly built: number; readonly measured: number }): void {
    this.#accepted.inc(count);
    this.#hits.inc({ where: "farm" }, built);
    this.#hits.inc({ where: "reuse" }, measured);
  }
  /** `waitedMs`: of jobs assigned for the first time. */
  granted(kind: "build" | "run" | "replay", count: number, waitedMs: readonly number[]): void {
    this.#leases.inc({ kind }, count);
    for (const ms of waitedMs) this.#dispatch.observe({ kind }, ms / 1000);
  }
  built(ms: number, cached: boolean): void {
    this.#builds.inc({ outcome: "built" });
    if (cached) this.#hits.inc({ where: "builder" });
    else this.#buildSeconds.observe(ms / 1000);
  }
  buildFailed(errorNo: MeasureErrorNo): void {
    this.#builds.inc({ outcome: measureErrorName(errorNo) });
  }
  implausible(): void {
    this.#said.implausible.inc();
  }
  fault(): void {
    this.#faults.inc();
  }
  decided(verdict: Decided["verdict"]): void {
    this.#said.claims.inc({ verdict });
  }
  looked(verdict: "agreed" | "disputed" | "alone" | "gone"): void {
    this.#said.looks.inc({ verdict });
  }
  setAside(queue: Background): void {
    this.#setAside.inc({ queue });
  }
  ran(errorNo: MeasureErrorNo): void {
    this.#results.inc({ error: measureErrorName(errorNo) });
  }
  /** Adds the time for which a run used its device. */
  held(key: string, ms: number): void {
    this.#held.inc({ key }, ms / 1000);
  }
  lost(count: number): void {
    this.#lost.inc(count);
  }

  /** `farm` undefined: the store is away. */
  async scrape(farm: Farm | undefined): Promise<{ readonly contentType: string; readonly text: string }> {
    this.#storeUp.set(farm ? 1 : 0);
    const texts = [await this.#registry.metrics(), farm ? await this.#store.scrape(farm) : ""];
    return { contentType: this.#registry.contentType, text: texts.join("") };
  }
}

class StoreGauges {
  readonly #registry = new Registry();
  readonly #nodes = this.#gauge("warpfarm_nodes", "Workers by role and state", ["role", "state"]);
  readonly #queue = this.#gauge("warpfarm_queue", "Measurements by selector and stage", ["selector", "stage"]);
  readonly #waiting = this.#gauge("warpfarm_waiting", "Builds by target, runs by selector, that wait for a worker", [
    "kind",
    "key",
  ]);
  readonly #oldest = this.#gauge("warpfarm_oldest_seconds", "How long the oldest of them waits", ["kind", "key"]);
  readonly #devices = this.#gauge("warpfarm_devices", "Devices of live runners by match key", ["key", "state"]);
  readonly #busyShare = this.#gauge(
    "warpfarm_device_busy_share",
    "Share of the live devices that run something now, by match key",
    ["key"],
  );
  readonly #sessions = this.#gauge("warpfarm_sessions", "Open sessions");
  readonly #claims = this.#gauge("warpfarm_claims_waiting", "Claims that wait for a builder");
  readonly #oldestClaim = this.#gauge("warpfarm_claims_oldest_seconds", "How long the oldest of them waits");
  readonly #quarantined = this.#gauge("warpfarm_quarantined_workers", "Live workers that get nothing after too many faults");

  #gauge(name: string, help: string, labelNames: string[] = []): Gauge {
    return new Gauge({ name, help, labelNames, registers: [this.#registry] });
  }

  scrape({ snapshot, backlog, quarantined, claims }: Farm): Promise<string> {
    this.#claims.set(claims.waiting);
    this.#oldestClaim.set(claims.oldestSeconds);
    this.#quarantined.set(quarantined);
    this.#nodes.reset();
    for (const { role, state } of snapshot.nodes) this.#nodes.inc({ role, state });
    this.#devices.reset();
    this.#busyShare.reset();
    for (const [key, { busy, idle }] of devicesOf(snapshot)) {
      this.#devices.set({ key, state: "busy" }, busy);
      this.#devices.set({ key, state: "idle" }, idle);
      this.#busyShare.set({ key }, busy / (busy + idle));
    }
    this.#waiting.reset();
    this.#oldest.reset();
    for (const { kind, key, waiting, oldestSeconds } of backlog) {
      this.#waiting.set({ kind, key }, waiting);
      this.#oldest.set({ kind, key }, oldestSeconds);
    }
    this.#queue.reset();
    for (const { key, waitingBuilds, waitingRuns, running } of snapshot.queues) {
      this.#queue.set({ selector: key, stage: "building" }, waitingBuilds);
      this.#queue.set({ selector: key, stage: "ready" }, waitingRuns);
      this.#queue.set({ selector: key, stage: "running" }, running);
    }
    this.#sessions.set(snapshot.sessions.length);
    return this.#registry.metrics();
  }
}

function devicesOf({ nodes }: FarmSnapshot): ReadonlyMap<string, { readonly busy: number; readonly idle: number }> {
  const byKey = new Map<string, { busy: number; idle: number }>();
  for (const { state, devices } of nodes) {
    if (state === "LOST") continue;
    for (const { facts, busy } of devices) {
      const there = byKey.get(facts.key) ?? { busy: 0, idle: 0 };
      byKey.set(facts.key, there);
      there[busy ? "busy" : "idle"]++;
    }
  }
  return byKey;
}
