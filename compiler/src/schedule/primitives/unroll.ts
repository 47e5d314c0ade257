import { alreadyMarked, notLeaf } from "../checks.ts";
import { arg, definePrimitive, loopRef } from "../define-primitive.ts";
import { loopOf, replaceLoop } from "../state.ts";

export const unroll = definePrimitive({
  name: "unroll",
  args: [arg("loop", loopRef)],
  returns: "nothing",
  doc: `for i in 3: s   ->   s[i -> 0]; s[i -> 1]; s[i -> 2]`,
  check: (state, { loop }) => notLeaf("unroll", state, loop) ?? alreadyMarked("unroll", state, loop),
  apply: (state, { loop }) => ({ state: replaceLoop(state, { ...loopOf(state, loop), forKind: "unrolled", step: state.step }) }),
});
