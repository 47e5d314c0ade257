import { alreadyMarked, notLeaf, reduces } from "../checks.ts";
import { arg, definePrimitive, loopRef } from "../define-primitive.ts";
import { loopOf, replaceLoop } from "../state.ts";

export const vectorize = definePrimitive({
  name: "vectorize",
  args: [arg("loop", loopRef)],
  returns: "nothing",
  doc: `for i in 4: s   ->   s[i -> ramp(0, 1, 4)]      iterations become lanes`,
  check: (state, { loop }) =>
    notLeaf("vectorize", state, loop) ?? alreadyMarked("vectorize", state, loop) ?? reduces("vectorize", state, loop),
  apply: (state, { loop }) => ({
    state: replaceLoop(state, { ...loopOf(state, loop), forKind: "vectorized", step: state.step }),
  }),
});
