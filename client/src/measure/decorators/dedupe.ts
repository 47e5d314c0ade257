/**
 * Equal programs are measured once: a program whose digest was seen is answered from the first one's result, as soon as that is
 * there. A result of the farm's own failure (UNKNOWN_ERROR) says nothing about the program, so it answers nobody else: those who waited for it
 * are measured.
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
  readonly sequence: number;
  readonly result: MeasureResult;
}

const isVerdict = (result: MeasureResult): boolean => result.kind === "timed" || result.errorNo !== measureErrorNo.UNKNOWN_ERROR;

/** `known`: results of earlier streams by program, read from a log. */
export function dedupe(measurer: Measurer, known: ReadonlyMap<ProgramDigest, KnownResult> = new Map()): Measurer {
  return {
    async *measure(inputs, { signal }) {
      const answers = new Map([...known].filter(([, { result }]) => isVerdict(result)));
      /** Inputs behind the one being measured, by program; the first entry is that one. */
      const waiting = new Map<ProgramDigest, MeasureInput[]>();
      const first = new Map<number, ProgramDigest>();
      const fresh = new AsyncQueue<MeasureInput>(Number.POSITIVE_INFINITY);
      const out = new AsyncQueue<MeasureRecord>(Number.POSITIVE_INFINITY);
      const stop = new AbortController();
      let ended = false;

      const submit = (input: MeasureInput) => {
        waiting.set(input.program.digest, [input]);
        first.set(input.sequence, input.program.digest);
        fresh.tryPush(input);
      };
      const closeWhenDone = () => {
        if (ended && waiting.size === 0) fresh.close();
      };
      const feed = async () => {
        for await (const input of inputs) {
          const answer = answers.get(input.program.digest);
          if (answer) out.tryPush({ sequence: input.sequence, result: answer.result, duplicateOf: answer.sequence });
          else {
            const behind = waiting.get(input.program.digest);
            if (behind) behind.push(input);
            else submit(input);
          }
        }
        ended = true;
        closeWhenDone();
      };
      const collect = async () => {
        for await (const record of measurer.measure(fresh, { signal: anySignal(signal, stop.signal) })) {
          const digest = first.get(record.sequence);
          if (digest === undefined) continue;
          const [, ...behind] = waiting.get(digest) ?? [];
          waiting.delete(digest);
          out.tryPush(record);
          if (isVerdict(record.result)) {
            answers.set(digest, record);
            for (const input of behind)
              out.tryPush({ sequence: input.sequence, result: record.result, duplicateOf: record.sequence });
          } else {
            const [next, ...rest] = behind;
            if (next) submit(next);
            waiting.get(digest)?.push(...rest);
          }
          closeWhenDone();
        }
        out.close();
      };
      const fail = (reason: unknown) => {
        fresh.close();
        out.fail(reason);
      };
      feed().catch(fail);
      const collected = collect().catch(fail);
      try {
        yield* out;
      } finally {
        stop.abort();
        fresh.close();
        await collected;
      }
    },
  };
}
