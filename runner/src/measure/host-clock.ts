/**
 * The host's clock beside the device's timer, for the graphs of a judged measurement. Events and stamps are both memory of the
 * device; the host's clock is not. A kernel that ends its part between the two events early, or writes other times, is seen by
 * who waits for it.
 *
 * The host also waits for the way to the device and back, and for a processor when others use it, so single graphs may be late.
 * Three in four are late for a kernel that gains by it in most of its repeats, whose median is its time.
 */
import { measureErrorNo } from "@warpfarm/common";
import type { Failure } from "./batches.ts";

/** Milliseconds of the way to the device and back, with the moment for which a graph is held. */
const wayMs = 0.3;
/** The part by which the two may differ besides. */
const part = 0.1;

interface Graph {
  readonly ms: number;
  readonly hostMs: number;
}

const beyond = ({ ms, hostMs }: Graph): number => Math.abs(hostMs - ms) - wayMs - part * Math.max(hostMs, ms);

export class HostClock {
  readonly #monotonic: () => number;
  readonly #graphs: Graph[] = [];

  constructor(monotonic: () => number) {
    this.#monotonic = monotonic;
  }

  /** Runs a graph. Returns its milliseconds by the device's timer, as `run` does. */
  time(run: () => number): number {
    const begun = this.#monotonic();
    const ms = run();
    this.#graphs.push({ ms, hostMs: this.#monotonic() - begun });
    return ms;
  }

  /** Undefined while a quarter of the graphs took as long by both clocks. */
  disagreement(): Failure | undefined {
    const sorted = this.#graphs.toSorted((a, b) => beyond(a) - beyond(b));
    const quarter = sorted[Math.floor(sorted.length / 4)];
    if (quarter === undefined || beyond(quarter) <= 0) return undefined;
    const { ms, hostMs } = quarter;
    const message =
      `launches that took ${ms.toFixed(3)} ms by the device's timer took ${hostMs.toFixed(3)} ms by the host's clock, and at least as much ` +
      `lies between the two in three of four of ${sorted.length} graphs: the code works outside of what is timed, or this host has no processor free`;
    return { kind: "failed", errorNo: measureErrorNo.RUNTIME_DEVICE, rule: "clocks", message, tainted: false };
  }
}
