/** Sessions on a farm: the common part of a search, one measurement and a table of winners. */
import { type Clock, type FarmError, type MeasureOptions, Random } from "@warpfarm/common";
import type { Provenance, TrackerConnection } from "@warpfarm/proto";
import type { Task } from "@warpfarm/templates";
import { sendUploads } from "../kernel/bundles.ts";
import type { InTurnsOptions } from "../measure/in-turns.ts";
import type { Measurer } from "../measure/measurer.ts";
import { type RemoteMeasurerOptions, remoteMeasurer } from "../measure/remote.ts";

export interface MeasuringFarm {
  readonly tracker: Pick<TrackerConnection, "artifacts" | "farm" | "tracing">;
  readonly clock: Clock;
  /** How long the farm may be away. Unset: 60 s. */
  readonly patienceMs?: number;
  readonly onLost?: (error: FarmError, retryInMs: number) => void;
}

/** The sessions of a task. */
export interface SessionsOf {
  readonly task: Task;
  readonly title?: string | undefined;
  readonly selector: string;
  readonly options: MeasureOptions;
  readonly provenance: Provenance;
  readonly seed?: number;
}

/** The common options of the sessions of a task, after its files were sent. */
export async function sessionsOf(
  { tracker, clock, ...lost }: MeasuringFarm,
  { task, title, seed = 0, ...of }: SessionsOf,
  signal: AbortSignal,
): Promise<Omit<InTurnsOptions, "paired" | "nodes">> {
  await sendUploads(tracker.artifacts, task, signal);
  const name = `${title === undefined ? "" : `${title}: `}${task.name} ${JSON.stringify(task.args)}`;
  const { farm, tracing } = tracker;
  return { ...of, farm, tracing, task: name.slice(0, 256), clock, random: new Random(seed), ...lost };
}

export const sessionMeasurer = (
  of: Omit<InTurnsOptions, "paired" | "nodes">,
  most: number,
  more: Partial<RemoteMeasurerOptions> = {},
): Measurer => remoteMeasurer({ ...of, ...more, maxInFlight: most });
