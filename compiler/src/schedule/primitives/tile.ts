import { refuse } from "../checks.ts";
import { arg, definePrimitive, loopRef, positiveNumber } from "../define-primitive.ts";
import type { LoopRef } from "../state.ts";
import { reorder } from "./reorder.ts";
import { split } from "./split.ts";

/** Two splits and a reorder in one step. The state knows only those. */
export const tile = definePrimitive({
  name: "tile",
  args: [arg("x", loopRef), arg("y", loopRef), arg("xFactor", positiveNumber), arg("yFactor", positiveNumber)],
  returns: "tiles",
  doc: `for x: for y: s   ->   for xo: for yo: for xi in 4: for yi in 8: s[x -> xo*4 + xi, y -> yo*8 + yi]      gives [xo, yo, xi, yi]`,
  check: (state, { x, y, xFactor, yFactor }) => {
    const fault =
      split.check(state, { loop: x, factors: [null, xFactor] }) ??
      split.check(state, { loop: y, factors: [null, yFactor] }) ??
      reorder.check(state, { loops: [x, y] });
    return fault && refuse(fault.rule.replace(/^\w+/, "tile"), `tile: ${fault.message.replace(/^\w+: /, "")}`);
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
