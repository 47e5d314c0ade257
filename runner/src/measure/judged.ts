/**
 * Timed batches of a judged measurement. Each is several graphs of secret length, on input sets in turn, which all write the same
 * outputs:
 *
 *   load the code anew -> for each graph: draw its length -> poison outputs -> launches on set f, f+1, ... -> compare with the
 *   last set
 *
 * A launch that does nothing leaves the answer of another set, or poison, and does not know whether it is compared.
 */
import type { MeasureOptions } from "@warpfarm/common";
import type { DeviceApi, DeviceModule } from "../device/device-api.ts";
import type { Candidate, Failure } from "./batches.ts";
import type { Draws } from "./draws.ts";
import type { HostClock } from "./host-clock.ts";
import { disagreement, prepare } from "./outputs.ts";

/** Tensors of one set of inputs, and what the outputs must be. */
export type InputSet = Pick<Candidate, "buffers" | "expected" | "refill">;

/** What a judged candidate has besides. */
export interface Judged {
  /** At least two. Outputs and workspaces are the same buffers in all of them. */
  readonly sets: readonly InputSet[];
  /** Loads the code anew, so that its variables are as at first. The module of before is unloaded. */
  readonly reload: () => DeviceModule;
  readonly draws: Draws;
}

/** The length of a graph is this part of a batch's on average. */
const graphsInBatch = 4;
const leastGraphs = 2;
/** The least average length, so that nobody knows that the first launch is the last. */
const leastMean = 1.5;
const mostNodes = 1_000;
/** Average lengths of the most that a graph may have. Beyond them are 2 % of a geometric distribution. */
const meansInMost = 4;

/** The average and the greatest length of a graph, in runs of `kernels` kernels, when a batch is to have `number` runs. */
function lengthsFor(number: number, kernels: number): { readonly mean: number; readonly most: number } {
  const most = Math.max(2, Math.floor(mostNodes / Math.max(1, kernels)));
  return { mean: Math.max(leastMean, Math.min(number / graphsInBatch, most / meansInMost)), most };
}

/** More runs than nearly all batches of `number` have. */
export const mostRuns = (number: number): number => Math.ceil(number * (1 + 1 / graphsInBatch) + 2 * leastGraphs * leastMean);

/** About `number` runs: their milliseconds by the device's timer, and how many they were. Throws DeviceError. */
export function judgedBatch(
  device: DeviceApi,
  { sets, reload, draws }: Judged,
  number: number,
  options: Pick<MeasureOptions, "timer" | "l2">,
  clock: HostClock,
): { readonly ms: number; readonly runs: number } | Failure {
  const module = reload();
  const { mean, most } = lengthsFor(number, module.manifest.kernels.length);
  const first = draws.between(0, sets.length - 1);
  let [ms, runs] = [0, 0];
  // The last graph goes beyond this by the average length, whatever its length so far.
  for (let graph = 0; graph < leastGraphs || runs < number - mean; graph++) {
    const count = draws.geometric(mean, most);
    const set = (first + count - 1) % sets.length;
    const last = sets[set] as InputSet;
    using rotation = device.rotation(module, { sets: sets.map(({ buffers }) => buffers), first, count }, options.timer);
    prepare(device, last);
    if (options.l2 === "flushed") device.flushCaches();
    ms += clock.ms(rotation.run());
    runs += count;
    const wrong = disagreement(device, last);
    const where = `in a timed repeat, on set ${set + 1} of ${sets.length} of inputs`;
    if (wrong !== undefined) return { ...wrong, rule: `judged.${wrong.rule}`, message: `${where}: ${wrong.message}` };
  }
  return { ms, runs };
}
