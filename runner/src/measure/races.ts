/**
 * Runs a candidate again and again beside a varying load of the runner's own. What depends on the order of threads comes out
 * differently sooner or later; what comes out differently is wrong where an element leaves its tolerance, where the program was
 * to be deterministic, or where nothing in its code adds floats in an order of the device's choosing.
 */
import { measureErrorNo } from "@warpfarm/common";
import type { DeviceApi, DeviceBuffer } from "../device/device-api.ts";
import type { Candidate, Failure } from "./batches.ts";
import type { MeasureHooks } from "./measure.ts";
import { inspect, prepare } from "./outputs.ts";

export const raceRuns = 32;

export interface RaceOptions {
  readonly runTimeoutMs: number;
  /** Whether its code may add floats by atomic operations: then a sum may differ in its last bits. */
  readonly mayAddFloats: boolean;
}

interface RaceOutcome {
  readonly kind: "right";
  /** Less than raceRuns where the run timeout did not allow more. */
  readonly runs: number;
  /** Runs whose outputs differ from the first one's in some bit. */
  readonly unlike: number;
}

const exactly = { rtol: 0, atol: 0 };

export async function checkRaces(
  device: DeviceApi,
  candidate: Candidate,
  options: RaceOptions,
  hooks: Pick<MeasureHooks, "enter" | "monotonic">,
): Promise<RaceOutcome | Failure> {
  const outputs = [...candidate.buffers.values()].filter(({ spec }) => spec.role === "out");
  const first: DeviceBuffer[] = [];
  try {
    await hooks.enter("run", options.runTimeoutMs);
    const deadline = hooks.monotonic() + options.runTimeoutMs;
    const mayDiffer = ({ spec }: DeviceBuffer): boolean => options.mayAddFloats && !spec.deterministic;
    let [runs, unlike, longestMs] = [0, 0, 0];
    let refused: DeviceBuffer | undefined;
    for (; runs < raceRuns && hooks.monotonic() + 2 * longestMs < deadline; runs++) {
      const begun = hooks.monotonic();
      prepare(device, candidate);
      {
        using _load = device.disturb(runs);
        device.run(candidate.module, candidate.buffers, 1, device.timers[0] ?? "wall");
      }
      const wrong = inspect(device, candidate);
      if (wrong !== undefined) return asRace(wrong, runs);
      if (runs === 0)
        for (const output of outputs) {
          const copy = device.allocate(output.spec);
          first.push(copy);
          device.snapshot(output, copy);
        }
      const others = outputs.filter((output, i) => runs > 0 && device.compare(output, first[i] as DeviceBuffer, exactly));
      if (others.length > 0) unlike++;
      refused ??= others.find((output) => !mayDiffer(output));
      longestMs = Math.max(longestMs, hooks.monotonic() - begun);
    }
    return refused === undefined ? { kind: "right", runs, unlike } : unstable(refused, unlike, runs);
  } finally {
    for (const copy of first) device.free(copy);
  }
}

const asRace = (wrong: Failure, runs: number): Failure =>
  wrong.rule === "reference"
    ? { ...wrong, rule: "races", message: `run ${runs + 1} of ${raceRuns} beside other work: ${wrong.message}` }
    : wrong;

function unstable({ spec: { name, deterministic } }: DeviceBuffer, unlike: number, runs: number): Failure {
  const why = deterministic
    ? `the specification says that "${name}" is deterministic`
    : `no atomic operation of its code adds floats, so threads race for "${name}"`;
  const message = `not bit-stable: ${unlike} of ${runs} runs beside other work have other outputs than the first one, and ${why}`;
  return { kind: "failed", errorNo: measureErrorNo.WRONG_ANSWER, rule: "races", message, tainted: false };
}
