/** Measures programs interleaved on a farm: once, and a second time on another node when two can. */
import type { MeasureInput, MeasureResult, PairedOptions } from "@warpfarm/common";
import { type RemoteMeasurerOptions, remoteMeasurer } from "./remote.ts";

/** The first program, those measured with it, and the common reference. */
export type Turns = Required<Pick<MeasureInput, "program" | "others">> & Pick<MeasureInput, "reference">;

/** One result a node, the first node's first. */
export type MeasureInTurns = (turns: Turns, options: { readonly signal: AbortSignal }) => Promise<readonly MeasureResult[]>;

export interface InTurnsOptions
  extends Omit<RemoteMeasurerOptions, "maxInFlight" | "paired" | "onNodes" | "reuse" | "leftBehind"> {
  readonly paired: PairedOptions;
  readonly nodes: 1 | 2;
}

export function inTurns({ paired, nodes, ...remote }: InTurnsOptions): MeasureInTurns {
  return async (turns, { signal }) => {
    let there: readonly string[] = [];
    const measurer = remoteMeasurer({
      ...remote,
      maxInFlight: 1,
      paired,
      onNodes: (now) => {
        there = now;
      },
    });
    let firstIsHere: (result: MeasureResult) => void = () => {};
    const first = new Promise<MeasureResult>((resolve) => {
      firstIsHere = resolve;
    });
    async function* inputs(): AsyncGenerator<MeasureInput> {
      yield { sequence: 1, ...turns };
      const result = await first;
      const isWorth = nodes === 2 && there.length > 1 && result.kind === "timed";
      if (isWorth) yield { sequence: 2, ...turns, avoidNodes: [result.device.node] };
    }
    const results: MeasureResult[] = [];
    for await (const { result } of measurer.measure(inputs(), { signal })) {
      results.push(result);
      firstIsHere(result);
    }
    return results;
  };
}
