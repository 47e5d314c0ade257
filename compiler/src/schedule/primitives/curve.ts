import { nameLoop, refuse } from "../checks.ts";
import { arg, definePrimitive, loopRef, positiveNumber, refList, wordOf } from "../define-primitive.ts";
import { curveOrders } from "../infer/curves.ts";
import { type LoopRef, loopOf } from "../state.ts";
import { fused, notFused } from "./fuse.ts";

/**
 * fuse of two loops in another order, so that consecutive iterations need much of the same data: blocks that run at a time then
 * share rows and columns in the second-level cache. `group`: column by column through `group` rows at a time, of which the last
 * may be fewer. `hilbert`: along Hilbert's curve, with `group` 1. `reverse`: from the last to the first, with `group` 1, for work
 * that grows with its place: the longest begins first. Grids have any size.
 */
export const curve = definePrimitive({
  name: "curve",
  args: [arg("loops", refList(loopRef)), arg("order", wordOf(curveOrders)), arg("group", positiveNumber)],
  returns: "loop",
  doc: `for i in n: for j in m: s   ->   for f in n*m: s[i -> order[f]/m, j -> order[f]%m]      order: a table of each place once`,
  check: (state, { loops, order, group }) => {
    const fault = notFused("curve", state, loops);
    if (fault) return fault;
    const first = loopOf(state, loops[0] as LoopRef);
    if (loops.length > 2) return refuse("curve.loops", `curve: ${loops.length} loops; it takes two, rows and columns`);
    if (first.kind === "reduce")
      return refuse("curve.reduce", `curve: ${nameLoop(state, first)} is a reduction; a curve takes spatial loops`);
    return order !== "group" && group !== 1
      ? refuse("curve.group", `curve: the order "${order}" in groups of ${group}; it has no groups, so give 1`)
      : undefined;
  },
  apply: (state, { loops, order, group }) => fused(state, loops, { order, group }),
});
