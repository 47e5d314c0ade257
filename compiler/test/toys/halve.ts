/**
 * A primitive as one would add it: halves a loop, which changes the description only. new-primitive.test.ts puts it beside the
 * others.
 */
import { notFree, notLeaf } from "../../src/schedule/checks.ts";
import { arg, definePrimitive, loopRef } from "../../src/schedule/define-primitive.ts";
import { split } from "../../src/schedule/primitives/split.ts";

const factors = [null, 2];

export const halve = definePrimitive({
  name: "halve",
  args: [arg("loop", loopRef)],
  returns: "loops",
  doc: "for i in n: s   ->   for io in n/2: for ii in 2: s[i -> io*2 + ii]",
  check: (state, { loop }) =>
    notLeaf("halve", state, loop) ?? notFree("halve", state, loop) ?? split.check(state, { loop, factors }),
  apply: (state, { loop }) => split.apply(state, { loop, factors }),
});
