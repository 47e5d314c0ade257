/** A device has one holder. A worker that registers a device of another waits until it is known whether the holder is alive. */
import { FarmError, type WorkerId } from "@warpfarm/common";
import type { Principal, Registration } from "@warpfarm/proto";
import { Batcher } from "../flow/batcher.ts";
import { listWorkers, loseWorkers, type WorkerRow } from "../store/sql/workers.ts";
import type { TrackerContext } from "./context.ts";

const takeoverMs = 2_000;
const lookEveryMs = 50;

export class DeviceHolders {
  readonly #c: TrackerContext;
  readonly #looks: Batcher<undefined, void>;

  constructor(context: TrackerContext) {
    this.#c = context;
    const { db, registry, dispatcher, clock } = context;
    this.#looks = new Batcher<undefined, void>(
      async (asked) => {
        const asOf = clock.monotonic();
        dispatcher.release(registry.refresh(await listWorkers(db.lazy, (id) => registry.get(id)), asOf));
        return asked.map(() => undefined);
      },
      { clock },
    );
  }

  look(): Promise<void> {
    return this.#looks.push(undefined);
  }

  /**
   * Refuses a device whose holder is alive. A holder that is gone (mostly the same process before its restart) is given up at
   * once, not when its time is over.
   */
  async claim(registration: Registration, { name }: Principal, signal: AbortSignal): Promise<void> {
    const { registry, peers } = this.#c;
    if (registration.role.kind !== "runner") return;
    // It may have registered at another tracker just now.
    if (peers) await this.look();
    const uuids = new Set(registration.role.devices.map((d) => d.facts.uuid));
    for (const row of [...registry.rows()]) {
      if (row.facts.kind !== "runner" || row.principal !== name || row.instanceId === registration.instanceId) continue;
      const device = row.facts.devices.find((d) => uuids.has(d.facts.uuid));
      if (!device) continue;
      await this.#waitForSilence(row, device.facts.uuid, signal);
      await this.#giveUp([row.id], "another worker registered its device");
    }
  }

  async #waitForSilence({ id, node }: WorkerRow, uuid: string, signal: AbortSignal): Promise<void> {
    const { registry, peers, policy, clock } = this.#c;
    // At another tracker its presence is recorded no more often than this.
    const silentMs = takeoverMs + (peers ? policy.ttlMs / 6 : 0);
    const end = clock.monotonic() + 2 * silentMs;
    while (registry.isPresent(id, silentMs)) {
      if (registry.hasOpenCall(id) || clock.monotonic() > end)
        throw new FarmError("ALREADY_EXISTS", `device ${uuid} is held by a worker on node ${node}, which is alive`);
      await clock.sleep(lookEveryMs, { signal });
    }
  }

  async #giveUp(workers: readonly WorkerId[], why: string): Promise<void> {
    const { db, registry, policy, clock, metrics, log, apply } = this.#c;
    const { lost, effects } = await loseWorkers(db, 0, policy, clock.now(), workers);
    registry.remove(lost);
    metrics.lost(lost.length);
    for (const worker of lost) log.warn({ worker, why }, "worker lost");
    apply(effects);
  }
}
