import { arg, definePrimitive, loopRef, positiveNumber } from "../define-primitive.ts";
import type { LoopRef } from "../state.ts";
import { reorder, reorderFault } from "./reorder.ts";
import { split, splitFault } from "./split.ts";

/** Two splits and a reorder in one step. The state knows only those. */
export const tile = definePrimitive({
  name: "tile",
  args: [arg("x", loopRef), arg("y", loopRef), arg("xFactor", positiveNumber), arg("yFactor", positiveNumber)],
  returns: "tiles",
  doc: `for x: for y: s   ->   for xo: for yo: for xi in 4: for yi in 8: s[x -> xo*4 + xi, y -> yo*8 + yi]      gives [xo, yo, xi, yi]`,
  check: (state, { x, y, xFactor, yFactor }) => {
    return (
      splitFault("tile", state, { loop: x, factors: [null, xFactor] }) ??
      splitFault("tile", state, { loop: y, factors: [null, yFactor] }) ??
      reorderFault("tile", state, { loops: [x, y] })
    );
  },
  apply: (state, { x, y, xFactor, yFactor }) => {
    const first = split.apply(state, { loop: x, factors: [null, xFactor] });
    const second = split.apply(first.state, { loop: y, factors: [null, yFactor] });
    const [xo, xi] = first.loops as [LoopRef, LoopRef];
    const [yo, yi] = second.loops as [LoopRef, LoopRef];
    const loops = [xo, yo, xi, yi];
    return { state: reorder.apply(second.state, { loops }).state, loops };
  },
});
