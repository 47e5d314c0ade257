import { nameLoop, notLeaf, refuse } from "../checks.ts";
import { arg, definePrimitive, loopRef, refList } from "../define-primitive.ts";
import { type Loop, type LoopRef, loopOf, replaceStage, stageOf } from "../state.ts";

export const reorder = definePrimitive({
  name: "reorder",
  args: [arg("loops", refList(loopRef))],
  returns: "nothing",
  doc: `for i: for k: for j: s   ->   for j: for k: for i: s      reorder(j, i): only the named loops move, among the places they hold`,
  check: (state, { loops: refs }) => {
    const loops = refs.map((ref) => loopOf(state, ref));
    const first = loops[0];
    if (!first) return refuse("reorder.loops", "reorder: no loops; it takes at least one, the outermost first");
    for (const ref of refs) {
      const fault = notLeaf("reorder", state, ref);
      if (fault) return fault;
    }
    const ofAnother = loops.find((loop) => loop.stage !== first.stage);
    if (ofAnother)
      return refuse(
        "reorder.stage",
        `reorder: ${nameLoop(state, first)} and ${nameLoop(state, ofAnother)}; it takes loops of one stage`,
      );
    const twice = loops.find((loop, i) => loops.indexOf(loop) !== i);
    return twice && refuse("reorder.twice", `reorder: ${nameLoop(state, twice)} is named twice`);
  },
  apply: (state, { loops: refs }) => {
    const stage = stageOf(state, loopOf(state, refs[0] as LoopRef).stage);
    let next = 0;
    const leaves = stage.leaves.map((leaf) => (refs.includes(leaf) ? (refs[next++] as Loop["ref"]) : leaf));
    return { state: replaceStage(state, { ...stage, leaves }) };
  },
});
