/**
 * A scripted measurer: answers each input by a function, `width` at a time, in a shuffled order when seeded.
 */
import { type MeasureInput, type MeasureResult, Random, toArtifactDigest } from "@warpfarm/common";
import type { Measurer } from "./measurer.ts";

const device = { key: "cpu/x86-64-v4", name: "scripted", uuid: "scripted-0", node: "here", driver: "none" };
const phases = { buildMs: 1, runMs: 2, timestampMs: 1_700_000_000_000, attempt: 1 };

export const timedResult = (seconds: number): MeasureResult => ({
  kind: "timed",
  costs: [seconds, seconds * 1.5, seconds * 0.5],
  number: 1,
  busyMs: seconds * 3000,
  checked: true,
  device,
  observations: {},
  artifact: toArtifactDigest(`sha256:${"0".repeat(64)}`),
  ...phases,
});
export const failedResult = (errorNo: 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8, message = "scripted"): MeasureResult => ({
  kind: "failed",
  errorNo,
  message,
  ...phases,
});

export interface ScriptedMeasurer extends Measurer {
  /** Every input that reached it, in order. */
  readonly inputs: MeasureInput[];
  /** Most inputs taken but not yet answered, at any time. */
  readonly peak: number;
}

export function scriptedMeasurer(
  answer: (input: MeasureInput) => MeasureResult | Promise<MeasureResult>,
  { width = 4, seed }: { readonly width?: number; readonly seed?: number } = {},
): ScriptedMeasurer {
  const inputs: MeasureInput[] = [];
  let peak = 0;
  return {
    inputs,
    get peak() {
      return peak;
    },
    async *measure(source, { signal }) {
      const random = seed === undefined ? undefined : new Random(seed);
      const held: MeasureInput[] = [];
      const iterator = source[Symbol.asyncIterator]();
      let pending: Promise<IteratorResult<MeasureInput>> | undefined;
      let ended = false;
      try {
        while (!ended || held.length > 0) {
          signal.throwIfAborted();
          if (!ended && held.length < width) {
            pending ??= iterator.next();
            const got = await Promise.race([pending, new Promise<"idle">((resolve) => setImmediate(resolve, "idle"))]);
            if (got !== "idle") {
              pending = undefined;
              if (got.done) ended = true;
              else {
                inputs.push(got.value);
                held.push(got.value);
                peak = Math.max(peak, held.length);
              }
              continue;
            }
          }
          const [input] = held.splice(random ? random.below(Math.max(1, held.length)) : 0, 1);
          if (input) yield { sequence: input.sequence, result: await answer(input) };
        }
      } finally {
        await iterator.return?.();
      }
    },
  };
}
