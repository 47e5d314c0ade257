/**
 * The host's clock beside the device's timer, for the graphs of a judged measurement. Events and stamps are both memory of the
 * device; the host's clock is not. A kernel that ends its part between the two events early, or writes other times, is seen by
 * who waits for it.
 *
 * The host also waits for the way to the device and back, and for a processor when others use it, so single graphs may be late.
 * Three in four are late for a kernel that gains by it in most of its repeats, whose median is its time.
 *
 * How long the way is depends on the host: 0.1 ms on one, and 0.6 to 1 ms on another, where an H200 was measured. So before
 * anybody is accused, the device idles for as long as the graph took, on the same way, and the host's delay then is what is
 * allowed.
 */
import { measureErrorNo } from "@warpfarm/common";
import type { DeviceApi, Timed } from "../device/device-api.ts";
import type { Failure } from "./batches.ts";

/** Milliseconds by which delays differ from each other, and what is allowed before anything was compared. */
const leastMs = 0.3;
/** The part by which the two may differ besides. */
const part = 0.1;
/** How often the device idles when graphs are late, and for at most how many milliseconds. */
const idles = 3;
const mostIdleMs = 20;
/** As many delays of the last idles are kept, of which the greatest counts. */
const keptDelays = 4 * idles;

const beyond = ({ ms, hostMs }: Timed, delayMs: number): number =>
  (hostMs > ms ? hostMs - ms - delayMs : ms - hostMs) - leastMs - part * Math.max(hostMs, ms);

/** Of each device, so that a slow host is found out once. */
const delaysOf = new WeakMap<object, number[]>();

export class HostClock {
  readonly #device: Pick<DeviceApi, "idle">;
  readonly #graphs: Timed[] = [];

  constructor(device: Pick<DeviceApi, "idle">) {
    this.#device = device;
  }

  /** Notes a graph. Returns its milliseconds by the device's timer. */
  ms(graph: Timed): number {
    this.#graphs.push(graph);
    return graph.ms;
  }

  /** Undefined while a quarter of the graphs took as long by both clocks. Requires that nothing else runs on the device. */
  disagreement(): Failure | undefined {
    const delays = delaysOf.get(this.#device) ?? [];
    delaysOf.set(this.#device, delays);
    const suspect = this.#late(delays);
    if (suspect === undefined) return undefined;
    const idleMs = Math.min(mostIdleMs, suspect.ms);
    for (let i = 0; i < idles; i++) {
      const { ms, hostMs } = this.#device.idle(idleMs);
      delays.push(Math.max(0, hostMs - ms));
    }
    delays.splice(0, Math.max(0, delays.length - keptDelays));
    const late = this.#late(delays);
    if (late === undefined) return undefined;
    const { ms, hostMs } = late;
    const message =
      `launches that took ${ms.toFixed(3)} ms by the device's timer took ${hostMs.toFixed(3)} ms by the host's clock, and at least as much ` +
      `lies between the two in three of four of ${this.#graphs.length} graphs; when the device idles, ${Math.max(...delays).toFixed(3)} ms do: ` +
      "the code works outside of what is timed, or this host has no processor free";
    return { kind: "failed", errorNo: measureErrorNo.RUNTIME_DEVICE, rule: "clocks", message, tainted: false };
  }

  /** The graph at a quarter, from those that are least late, if it is late. */
  #late(delays: readonly number[]): Timed | undefined {
    const delayMs = Math.max(0, ...delays);
    const sorted = this.#graphs.toSorted((a, b) => beyond(a, delayMs) - beyond(b, delayMs));
    const quarter = sorted[Math.floor(sorted.length / 4)];
    return quarter !== undefined && beyond(quarter, delayMs) > 0 ? quarter : undefined;
  }
}
