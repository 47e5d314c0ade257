/** Prometheus metrics: counted where things happen, queues and nodes read from the snapshot at each scrape. */
import { type MeasureErrorNo, measureErrorName } from "@warpfarm/common";
import type { FarmSnapshot } from "@warpfarm/proto";
import { Counter, Gauge, Registry } from "prom-client";
import type { Backlog } from "./snapshot.ts";

export class Metrics {
  readonly #registry = new Registry();
  readonly #accepted = this.#counter("warpfarm_inputs_accepted_total", "Measurements accepted");
  readonly #leases = this.#counter("warpfarm_leases_granted_total", "Jobs given to workers", ["kind"]);
  readonly #results = this.#counter("warpfarm_results_total", "Outcomes of runs as workers reported them", ["error"]);
  readonly #lost = this.#counter("warpfarm_workers_lost_total", "Workers that went silent");
  readonly #nodes = this.#gauge("warpfarm_nodes", "Workers by role and state", ["role", "state"]);
  readonly #queue = this.#gauge("warpfarm_queue", "Measurements by selector and stage", ["selector", "stage"]);
  readonly #waiting = this.#gauge("warpfarm_waiting", "Builds by target, runs by selector, that wait for a worker", [
    "kind",
    "key",
  ]);
  readonly #oldest = this.#gauge("warpfarm_oldest_seconds", "How long the oldest of them waits", ["kind", "key"]);
  readonly #devices = this.#gauge("warpfarm_devices", "Devices of live runners by match key", ["key", "state"]);
  readonly #held = this.#counter("warpfarm_device_held_seconds_total", "Device time held by runs that ended, by match key", [
    "key",
  ]);
  readonly #sessions = this.#gauge("warpfarm_sessions", "Open sessions");

  #counter(name: string, help: string, labelNames: string[] = []): Counter {
    return new Counter({ name, help, labelNames, registers: [this.#registry] });
  }
  #gauge(name: string, help: string, labelNames: string[] = []): Gauge {
    return new Gauge({ name, help, labelNames, registers: [this.#registry] });
  }

  accepted(count: number): void {
    this.#accepted.inc(count);
  }
  granted(kind: "build" | "run", count: number): void {
    this.#leases.inc({ kind }, count);
  }
  ran(errorNo: MeasureErrorNo): void {
    this.#results.inc({ error: measureErrorName(errorNo) });
  }
  /** A run held its device for so long; over time and devices this is the busy share. */
  held(key: string, ms: number): void {
    this.#held.inc({ key }, ms / 1000);
  }
  lost(count: number): void {
    this.#lost.inc(count);
  }

  async scrape(
    snapshot: FarmSnapshot,
    backlog: readonly Backlog[],
  ): Promise<{ readonly contentType: string; readonly text: string }> {
    this.#nodes.reset();
    for (const { role, state } of snapshot.nodes) this.#nodes.inc({ role, state });
    this.#devices.reset();
    for (const { state, devices } of snapshot.nodes)
      if (state !== "LOST")
        for (const { facts, busy } of devices) this.#devices.inc({ key: facts.key, state: busy ? "busy" : "idle" });
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
    return { contentType: this.#registry.contentType, text: await this.#registry.metrics() };
  }
}
