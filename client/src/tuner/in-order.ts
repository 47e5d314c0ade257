/** Tuners that go through the valid configs in an order that results do not change. */
import { Random } from "@warpfarm/common";
import type { ConfigIndex } from "@warpfarm/compiler";
import { Drawn } from "./drawn.ts";
import { type MakeTuner, proposed, refusalsPerAsk, type Tuner } from "./tuner.ts";
import { Visited } from "./visited.ts";

/** `next`: visits the next config; undefined when none is left, or after too many refusals in a row. */
const inOrder = (visited: Visited, next: () => ConfigIndex | undefined): Tuner => ({
  get exhausted() {
    return visited.left === 0;
  },
  ask: (n) => proposed(n, next),
  tell(pairs) {
    for (const { index } of pairs) visited.add(index);
  },
});

/** Uniformly random configs, none twice (AutoTVM's RandomTuner, docs/reference/autotvm.md 4.3, at O(1) a draw). */
export const randomTuner: MakeTuner = (options) => {
  const visited = new Visited(options);
  const drawn = new Drawn(options.space, visited, new Random(options.seed));
  return inOrder(visited, () => drawn.next());
};

/**
 * Every valid config, in index order where nothing constrains the space, so the first-defined knob moves fastest (AutoTVM's
 * GridSearchTuner, docs/reference/autotvm.md 4.3).
 */
export const gridTuner: MakeTuner = (options) => {
  const { space } = options;
  const visited = new Visited(options);
  let at = 0;
  return inOrder(visited, () => {
    for (let refused = 0; at < space.valid.count && refused < refusalsPerAsk; refused++) {
      const index = space.toIndex(space.valid.nth(at++));
      if (visited.claim(index)) return index;
    }
    return undefined;
  });
};
