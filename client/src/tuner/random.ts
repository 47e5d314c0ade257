/**
 * Uniformly random configs without repetition (AutoTVM's RandomTuner, docs/reference/autotvm.md 4.3, at O(1) a draw). Results
 * change nothing.
 */
import { Random } from "@warpfarm/common";
import type { ConfigIndex } from "@warpfarm/compiler";
import { Permutation } from "./permutation.ts";
import { type MakeTuner, refusalsPerAsk } from "./tuner.ts";
import { Visited } from "./visited.ts";

export const randomTuner: MakeTuner = (options) => {
  const { space, seed } = options;
  const visited = new Visited(options);
  const order = new Permutation(space.valid.count, new Random(seed));
  return {
    get exhausted() {
      return visited.left === 0;
    },
    ask(n) {
      const proposals: ConfigIndex[] = [];
      let refused = 0;
      while (proposals.length < n && order.left > 0 && refused < refusalsPerAsk) {
        const index = space.toIndex(space.valid.nth(order.next()));
        if (visited.claim(index)) {
          proposals.push(index);
          refused = 0;
        } else refused++;
      }
      return proposals;
    },
    tell(pairs) {
      for (const { index } of pairs) visited.add(index);
    },
  };
};
