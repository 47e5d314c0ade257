/**
 * Every valid config, in index order where nothing constrains the space, so the first-defined knob moves fastest (AutoTVM's
 * GridSearchTuner, docs/reference/autotvm.md 4.3).
 */
import type { ConfigIndex } from "@warpfarm/compiler";
import { type MakeTuner, refusalsPerAsk } from "./tuner.ts";
import { Visited } from "./visited.ts";

export const gridTuner: MakeTuner = (options) => {
  const { space } = options;
  const visited = new Visited(options);
  let at = 0;
  return {
    get exhausted() {
      return visited.left === 0;
    },
    ask(n) {
      const proposals: ConfigIndex[] = [];
      let refused = 0;
      while (proposals.length < n && at < space.valid.count && refused < refusalsPerAsk) {
        const index = space.toIndex(space.valid.nth(at++));
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
