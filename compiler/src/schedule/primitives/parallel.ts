import { alreadyMarked, notLeaf, reduces } from "../checks.ts";
import { arg, definePrimitive, loopRef } from "../define-primitive.ts";
import { loopOf, replaceLoop } from "../state.ts";

export const parallel = definePrimitive({
  name: "parallel",
  args: [arg("loop", loopRef)],
  returns: "nothing",
  doc: `for i in n: s   ->   parallel for i in n: s      iterations may run on any processor, in any order`,
  check: (state, { loop }) =>
    notLeaf("parallel", state, loop) ?? alreadyMarked("parallel", state, loop) ?? reduces("parallel", state, loop),
  apply: (state, { loop }) => ({ state: replaceLoop(state, { ...loopOf(state, loop), forKind: "parallel", step: state.step }) }),
});
