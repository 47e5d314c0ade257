/**
 * Equal programs are measured once: a program whose digest was seen is answered from the first one's result, as soon as that
 * exists. A result of the farm's own failure (UNKNOWN_ERROR) says nothing about the program, so those who waited for it are
 * measured.
 *
 * The next result is requested only when the consumer has handled the previous ones: a result that the farm is told is received,
 * is safe.
 */
import {
  AsyncQueue,
  anySignal,
  type MeasureInput,
  type MeasureResult,
  measureErrorNo,
  type ProgramDigest,
} from "@warpfarm/common";
import type { MeasureRecord, Measurer } from "../measurer.ts";

export interface KnownResult {
  /** Sequence of the input that it answered. */
  readonly sequence: number;
  readonly result: MeasureResult;
}

/** One that ended early is slower than what was the best then, and so than all later ones. */
const isVerdict = (result: MeasureResult): boolean => result.kind !== "failed" || result.errorNo !== measureErrorNo.UNKNOWN_ERROR;

/** `known`: results of earlier streams by program, read from a log. */
export function dedupe(measurer: Measurer, known: ReadonlyMap<ProgramDigest, KnownResult> = new Map()): Measurer {
  return {
    async *measure(inputs, { signal }) {
      const stop = new AbortController();
      const pending = new PendingInputs(known);
      pending.take(inputs);
      const measured = measurer.measure(pending.fresh, { signal: anySignal(signal, stop.signal) })[Symbol.asyncIterator]();
      try {
        let next = measured.next();
        for (let done = false; ; ) {
          for (let record = pending.ready.shift(); record; record = pending.ready.shift()) yield record;
          if (done) return;
          const got = await Promise.race([next, pending.changed()]);
          if (got === "changed") continue;
          if (got.done) {
            done = true;
            continue;
          }
          pending.land(got.value);
          for (let record = pending.ready.shift(); record; record = pending.ready.shift()) yield record;
          next = measured.next();
        }
      } finally {
        stop.abort();
        pending.fresh.close();
        await measured.return?.();
      }
    },
  };
}

class PendingInputs {
  readonly fresh = new AsyncQueue<MeasureInput>(Number.POSITIVE_INFINITY);
  readonly ready: MeasureRecord[] = [];
  readonly #answers: Map<ProgramDigest, KnownResult>;
  readonly #waiting = new Map<ProgramDigest, readonly MeasureInput[]>();
  readonly #digests = new Map<number, ProgramDigest>();
  #ended = false;
  #wake: (() => void) | undefined;

  constructor(known: ReadonlyMap<ProgramDigest, KnownResult>) {
    this.#answers = new Map([...known].filter(([, { result }]) => isVerdict(result)));
  }

  take(inputs: AsyncIterable<MeasureInput>): void {
    const run = async () => {
      for await (const input of inputs) this.#accept(input);
      this.#ended = true;
      this.#closeWhenDone();
    };
    run().catch((reason) => this.fresh.fail(reason));
  }

  #accept(input: MeasureInput): void {
    const { digest } = input.program;
    const answer = this.#answers.get(digest);
    const waiting = this.#waiting.get(digest);
    if (answer) {
      this.ready.push({ sequence: input.sequence, result: answer.result, duplicateOf: answer.sequence });
      this.#wake?.();
    } else if (waiting) this.#waiting.set(digest, [...waiting, input]);
    else this.#submit(digest, [input]);
  }

  #submit(digest: ProgramDigest, inputs: readonly MeasureInput[]): void {
    const [first] = inputs;
    if (!first) return;
    this.#waiting.set(digest, inputs);
    this.#digests.set(first.sequence, digest);
    this.fresh.tryPush(first);
  }

  land(record: MeasureRecord): void {
    const digest = this.#digests.get(record.sequence);
    if (digest === undefined) return;
    const [, ...behind] = this.#waiting.get(digest) ?? [];
    this.#waiting.delete(digest);
    this.ready.push(record);
    if (isVerdict(record.result)) {
      this.#answers.set(digest, record);
      for (const { sequence } of behind) this.ready.push({ sequence, result: record.result, duplicateOf: record.sequence });
    } else this.#submit(digest, behind);
    this.#closeWhenDone();
  }

  #closeWhenDone(): void {
    if (this.#ended && this.#waiting.size === 0) this.fresh.close();
  }

  changed(): Promise<"changed"> {
    return new Promise((resolve) => {
      this.#wake = () => resolve("changed");
    });
  }
}
