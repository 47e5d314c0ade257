/** Generates tuning logs of any length in the format of `tune`, for tests of the page. */
import { Random, toArtifactDigest, toProgramDigest } from "@warpfarm/common";
import type { TuningRecord } from "@warpfarm/records";
import { encodeTrial, type TrialRecord } from "@warpfarm/records/logs";

export interface Drawn {
  readonly task?: string;
  readonly seed?: number;
  /** Of what fails; 0.1 = every tenth. */
  readonly failing?: number;
  readonly message?: string;
}

const digest = (n: number) => `sha256:${n.toString(16).padStart(64, "0")}`;

/** Trial `sequence` of a run with two knobs; deterministic. */
export function trial(
  sequence: number,
  { task = "matmul_derived", seed = 1, failing = 0, message = "no <b>markup</b>" }: Drawn = {},
): TrialRecord {
  const random = new Random(seed * 1_000_003 + sequence);
  const [x, y] = [2 ** random.below(6), random.below(3)];
  const isFailed = random.float() < failing;
  const seconds = 1e-5 * (1 + Math.abs(Math.log2(x) - 3) + y) * (1 + 0.05 * random.float());
  const device = { key: "cpu/x86-64-v3", name: "A processor", uuid: "u", node: `node-${sequence % 2}`, driver: "" };
  const phases = { buildMs: 20, runMs: 30, attempt: 1, timestampMs: 1_700_000_000_000 + sequence * 100 };
  return {
    run: { task, args: [64, 64, 64], target: "cpu/x86-64-v3", tuner: "random", seed },
    session: "s",
    sequence,
    told: sequence - 1,
    config: {
      index: x * 10 + y,
      code_hash: null,
      entity: [
        ["tile_x", "ot", x],
        ["vector", "ot", y],
      ],
    },
    program: toProgramDigest(digest(x * 10 + y)),
    options: {
      number: 0,
      repeat: 3,
      precision: 0,
      minRepeatMs: 20,
      buildTimeoutMs: 30_000,
      runTimeoutMs: 10_000,
      cooldownMs: 0,
      l2: "warm",
      timer: "wall",
      check: "reference",
      inputs: "full",
      power: "burst",
    },
    result: isFailed
      ? { kind: "failed", errorNo: 4, rule: "device.crash", message, device, busyMs: 1, ...phases }
      : {
          kind: "timed",
          costs: [seconds, seconds * 1.01, seconds * 0.99],
          number: 10,
          busyMs: 40,
          checked: true,
          device,
          observations: {},
          artifact: toArtifactDigest(digest(7)),
          ...phases,
        },
  };
}

export const lines = (from: number, to: number, drawn: Drawn = {}): string =>
  Array.from({ length: to - from + 1 }, (_, i) => `${encodeTrial(trial(from + i, drawn))}\n`).join("");

/** A trial that ended early, since its repeats were slower than the best. */
export function slowerLine(sequence: number): string {
  const one = trial(sequence);
  if (one.result.kind !== "timed") throw new Error("it is drawn to be timed");
  return `${encodeTrial({ ...one, result: { ...one.result, kind: "slower", atLeast: 1 } })}\n`;
}

/** As a tracker records it: a search measures its default schedule first, without a config and without a place in the search. */
export function defaultOf({ config: _, search, ...record }: TuningRecord): TuningRecord {
  const { sequence: __, told: ___, ...rest } = search ?? {};
  return { ...record, id: "default", search: rest, result: { kind: "timed", costs: [3, 1, 2], number: 1, checked: true } };
}
