/**
 * Measures programs interleaved on a farm: once, and a second time on another node when two can. Throws FAILED_PRECONDITION, with
 * what to update, if no tracker or runner supports it.
 */
import type { MeasureInput, MeasureResult, PairedOptions } from "@warpfarm/common";
import type { PairedNodes } from "@warpfarm/proto";
import { type RemoteMeasurerOptions, remoteMeasurer } from "./remote.ts";

/** The first program, those measured with it, and the common reference. */
export type Turns = Required<Pick<MeasureInput, "program" | "others">> & Pick<MeasureInput, "reference">;

export interface TurnsOutcome {
  /** One result a node, the first node's first. */
  readonly results: readonly MeasureResult[];
  readonly outdated: readonly string[];
}

export type MeasureInTurns = (turns: Turns, options: { readonly signal: AbortSignal }) => Promise<TurnsOutcome>;

export interface InTurnsOptions
  extends Omit<RemoteMeasurerOptions, "maxInFlight" | "paired" | "onPaired" | "reuse" | "leftBehind"> {
  readonly paired: PairedOptions;
  readonly nodes: 1 | 2;
}

export function inTurns({ paired, nodes, ...remote }: InTurnsOptions): MeasureInTurns {
  return async (turns, { signal }) => {
    let there: PairedNodes = { able: [], outdated: [] };
    const measurer = remoteMeasurer({
      ...remote,
      maxInFlight: 1,
      paired,
      onPaired: (now) => {
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
      const isWorth = nodes === 2 && there.able.length > 1 && result.kind === "timed";
      if (isWorth) yield { sequence: 2, ...turns, avoidNodes: [result.device.node] };
    }
    const results: MeasureResult[] = [];
    for await (const { result } of measurer.measure(inputs(), { signal })) {
      results.push(result);
      firstIsHere(result);
    }
    return { results, outdated: there.outdated };
  };
}
