/** Prometheus metrics: counted where things happen, queues and nodes read from the snapshot at each scrape. */
import { type MeasureErrorNo, measureErrorName } from "@warpfarm/common";
import type { FarmSnapshot } from "@warpfarm/proto";
import { Counter, Gauge, Registry } from "prom-client";

export class Metrics {
  readonly #registry = new Registry();
  readonly #accepted = this.#counter("warpfarm_inputs_accepted_total", "Measurements accepted");
  readonly #leases = this.#counter("warpfarm_leases_granted_total", "Jobs given to workers", ["kind"]);
  readonly #results = this.#counter("warpfarm_results_total", "Outcomes of runs as workers reported them", ["error"]);
  readonly #lost = this.#counter("warpfarm_workers_lost_total", "Workers that went silent");
  readonly #nodes = this.#gauge("warpfarm_nodes", "Workers by role and state", ["role", "state"]);
  readonly #queue = this.#gauge("warpfarm_queue", "Measurements by selector and stage", ["selector", "stage"]);
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
  lost(count: number): void {
    this.#lost.inc(count);
  }

  async scrape(snapshot: FarmSnapshot): Promise<{ readonly contentType: string; readonly text: string }> {
    this.#nodes.reset();
    for (const { role, state } of snapshot.nodes) this.#nodes.inc({ role, state });
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
