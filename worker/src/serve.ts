/** What builders and runners have in common as processes. */
import type { CredentialFiles } from "@warpfarm/proto";
import { describeEvent, type EventLine } from "./describe-event.ts";
import { serveHealth } from "./health.ts";
import type { WorkerEvent } from "./jobs.ts";
import type { Synchronizer } from "./synchronizer.ts";
import type { TrackerAddress } from "./tracker-address.ts";

export interface WorkerOptions extends CredentialFiles {
  /** Its address, or a promise of it: what does not need the tracker begins before. */
  readonly tracker: TrackerAddress;
  readonly labels?: Readonly<Record<string, string>>;
  readonly node?: string;
  /** host:port of GET /healthz. Unset: none. */
  readonly health?: string;
  readonly exitWithParent?: boolean;
  readonly cacheDirectory?: string;
  readonly cacheBytes?: number;
  readonly withoutSandbox?: boolean;
  readonly signal?: AbortSignal;
}

type Log = Readonly<Record<EventLine["level"] | "info", (fields: object | string, message?: string) => void>>;

/** `ready`: called with the worker's id each time that it was registered. */
export const tellEvents =
  (log: Log, ready: (workerId: string) => void) =>
  (event: WorkerEvent): void => {
    const { level, message, fields } = describeEvent(event);
    log[level](fields, message);
    if (event.kind === "registered") ready(event.registered.workerId);
  };

/** Works until the signal aborts; `role` looks after its own trouble meanwhile. */
export async function serve(
  synchronizer: Synchronizer,
  role: { recheck(options: { readonly signal: AbortSignal }): Promise<void> },
  { health, signal, log }: { readonly health: string | undefined; readonly signal: AbortSignal; readonly log: Log },
): Promise<void> {
  await using _health = health === undefined ? undefined : await serveHealth(health, () => synchronizer.idleMs);
  const over = new AbortController();
  try {
    await Promise.all([
      synchronizer.run({ signal }).finally(() => over.abort()),
      role.recheck({ signal: AbortSignal.any([signal, over.signal]) }),
    ]);
  } finally {
    over.abort();
  }
  log.info("ended");
}
