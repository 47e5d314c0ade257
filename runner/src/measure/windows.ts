/**
 * Times in which nobody else uses the device, for a runner that yields to others:
 *
 *   CLOSED --nobody else for quietMs--> OPEN --somebody else is seen--> CLOSED
 *
 * "Nobody else": the management library lists no other compute process, and the device is under `busyBelowPercent`. While a job
 * runs it is busy itself, so only the list closes a window. A job begins with a closed one. A repeat that ended in another window
 * than it began in is thrown away, whatever its time was. `mostMs` without a window, or more repeats thrown away than
 * `mostThrownAway`, give the job back.
 */
import type { Observations } from "@warpfarm/common";
import type { DeviceApi } from "../device/device-api.ts";
import type { Batches, Failure, Limit, Repeat } from "./batches.ts";
import { turnMs } from "./budget.ts";
import type { MeasureHooks } from "./measure.ts";

export const windowRules = { quietMs: 200, busyBelowPercent: 2, mostMs: 60_000, mostThrownAway: 100 } as const;
const lookEveryMs = 20;

/** No window came in time. Nobody is at fault: the job goes elsewhere, or waits. */
export class DeviceBusy extends Error {
  override readonly name = "DeviceBusy";
}

export class Windows {
  readonly #device: Pick<DeviceApi, "others" | "busyPercent">;
  readonly #hooks: Pick<MeasureHooks, "pause" | "monotonic">;
  #isOpen = false;
  #waited = 0;
  #thrownAway = 0;

  constructor(device: Pick<DeviceApi, "others" | "busyPercent">, hooks: Pick<MeasureHooks, "pause" | "monotonic">) {
    this.#device = device;
    this.#hooks = hooks;
  }

  /** Of the job that began last. */
  get seen(): Pick<Observations, "windowsWaited" | "repeatsThrownAway"> {
    return { windowsWaited: this.#waited, repeatsThrownAway: this.#thrownAway };
  }

  /** Waits for the window in which a job begins. Throws DeviceBusy. */
  begin(): void {
    this.#isOpen = false;
    this.#waited = 0;
    this.#thrownAway = 0;
    this.wait();
  }

  /** Returns at once while a window is open, and otherwise when one opens. Throws DeviceBusy. */
  wait(): void {
    if (this.isOpen()) return;
    const { monotonic, pause } = this.#hooks;
    const begunMs = monotonic();
    let quietSinceMs: number | undefined;
    for (let last = ""; ; pause(lookEveryMs)) {
      const why = this.#whyNot();
      const nowMs = monotonic();
      if (why !== undefined) [quietSinceMs, last] = [undefined, why];
      else quietSinceMs ??= nowMs;
      if (quietSinceMs !== undefined && nowMs - quietSinceMs >= windowRules.quietMs) break;
      if (nowMs - begunMs >= windowRules.mostMs)
        throw new DeviceBusy(
          `device busy: no ${windowRules.quietMs} ms without others in ${windowRules.mostMs / 1000} s; ${last}`,
        );
    }
    this.#isOpen = true;
    this.#waited++;
  }

  /** Whether nobody else was seen since the window opened. */
  isOpen(): boolean {
    if (this.#isOpen && this.#device.others() !== undefined) this.#isOpen = false;
    return this.#isOpen;
  }

  /** Counts a repeat that is thrown away. Throws DeviceBusy when there are too many. */
  throwAway(): void {
    if (++this.#thrownAway > windowRules.mostThrownAway)
      throw new DeviceBusy(`device busy: others came during ${this.#thrownAway} repeats of one job`);
  }

  #whyNot(): string | undefined {
    const others = this.#device.others();
    if (others !== undefined) return others;
    const percent = this.#device.busyPercent();
    if (percent === undefined) return "the driver does not tell how busy the device is";
    return percent < windowRules.busyBelowPercent ? undefined : `the device was ${percent} % busy`;
  }
}

/**
 * A repeat during which nobody else was seen. The time of those thrown away, and of waiting, does not count to the deadline,
 * which moves.
 */
export async function undisturbed(
  batches: Batches,
  limit: Limit,
  what: string,
  { windows, monotonic, enter }: MeasureHooks,
): Promise<Repeat | Failure> {
  for (;;) {
    const [begunMs, { deadline }] = [monotonic(), limit];
    const one = batches.repeat(limit, what);
    if (windows === undefined || windows.isOpen()) return one;
    windows.throwAway();
    await enter("lock");
    windows.wait();
    limit.deadline = deadline + monotonic() - begunMs;
    await enter("run", turnMs({ runTimeoutMs: limit.deadline - monotonic() }, limit));
  }
}
