/** The farm's devices while a suite runs, read again every few seconds, because nodes may join and leave. */

import { type Clock, parseSelector, selects } from "@warpfarm/common";
import type { TrackerConnection } from "@warpfarm/proto";
import { type FarmThere, whoIsThere } from "../../search/farm-there.ts";

const everyMs = 2_000;
/** Candidates outstanding: one for each build at once, of which there are at least so many, and three for each device. */
const leastBuilds = 8;
const perDevice = 3;

export class Fleet implements AsyncDisposable {
  #now: FarmThere;
  readonly #over = new AbortController();
  readonly #watch: Promise<void>;

  constructor(first: FarmThere, { farm }: Pick<TrackerConnection, "farm">, clock: Clock) {
    this.#now = first;
    const { signal } = this.#over;
    this.#watch = (async () => {
      for (;;) {
        await clock.sleep(everyMs, { signal });
        // A tracker that is away says nothing about devices.
        const nodes = await farm.listNodes({ signal }).catch(() => undefined);
        if (nodes) this.#now = whoIsThere(nodes);
      }
    })().catch(() => {}); // the end
  }
  get now(): FarmThere {
    return this.#now;
  }
  devicesOf(pool: string): number {
    const selector = parseSelector(pool);
    return this.#now.devices.filter((device) => selects(selector, device)).length;
  }
  capacity(pool: string): number {
    const devices = this.devicesOf(pool);
    return devices === 0 ? 0 : Math.max(leastBuilds, this.#now.slots) + perDevice * devices;
  }
  async [Symbol.asyncDispose](): Promise<void> {
    this.#over.abort();
    await this.#watch;
  }
}
