import { notLeaf } from "../checks.ts";
import { arg, definePrimitive, loopRef, pragmaWord, wholeNumber } from "../define-primitive.ts";
import { loopOf, replaceLoop } from "../state.ts";

export const pragma = definePrimitive({
  name: "pragma",
  args: [arg("loop", loopRef), arg("key", pragmaWord), arg("value", wholeNumber)],
  returns: "nothing",
  doc: `for i in n: s   ->   #auto_unroll_max_step 512: for i in n: s      a later value of the same key replaces an earlier one`,
  check: (state, { loop }) => notLeaf("pragma", state, loop),
  apply: (state, { loop: ref, key, value }) => {
    const loop = loopOf(state, ref);
    return { state: replaceLoop(state, { ...loop, pragmas: { ...loop.pragmas, [key]: value } }) };
  },
});
