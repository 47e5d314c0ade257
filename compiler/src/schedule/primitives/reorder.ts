import type { Refusal } from "@warpfarm/common";
import { nameLoop, notLeaf, refuse } from "../checks.ts";
import { arg, definePrimitive, loopRef, refList } from "../define-primitive.ts";
import { type Loop, type LoopRef, loopOf, replaceStage, type State, stageOf } from "../state.ts";

export const reorder = definePrimitive({
  name: "reorder",
  args: [arg("loops", refList(loopRef))],
  returns: "nothing",
  doc: `for i: for k: for j: s   ->   for j: for k: for i: s      reorder(j, i): only the named loops move, among the places they hold`,
  check: (state, args) => reorderFault("reorder", state, args),
  apply: (state, { loops: refs }) => {
    const stage = stageOf(state, loopOf(state, refs[0] as LoopRef).stage);
    let next = 0;
    const leaves = stage.leaves.map((leaf) => (refs.includes(leaf) ? (refs[next++] as Loop["ref"]) : leaf));
    return { state: replaceStage(state, { ...stage, leaves }) };
  },
});

/** Why a primitive that reorders loops cannot. */
export function reorderFault(
  primitive: string,
  state: State,
  { loops: refs }: { readonly loops: readonly LoopRef[] },
): Refusal | undefined {
  const loops = refs.map((ref) => loopOf(state, ref));
  const first = loops[0];
  if (!first) return refuse(`${primitive}.loops`, `${primitive}: no loops; it takes at least one, the outermost first`);
  for (const ref of refs) {
    const fault = notLeaf(primitive, state, ref);
    if (fault) return fault;
  }
  const ofAnother = loops.find((loop) => loop.stage !== first.stage);
  if (ofAnother)
    return refuse(
      `${primitive}.stage`,
      `${primitive}: ${nameLoop(state, first)} and ${nameLoop(state, ofAnother)}; it takes loops of one stage`,
    );
  const twice = loops.find((loop, i) => loops.indexOf(loop) !== i);
  return twice && refuse(`${primitive}.twice`, `${primitive}: ${nameLoop(state, twice)} is named twice`);
}
